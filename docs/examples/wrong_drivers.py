"""Drivers for ADD that are wrong, each in its way: ``nnvet run -d python:docs/examples/wrong_drivers.py:Forgets``.

docs/what-now.md finds the line of each.
"""

import ctypes
import time
from pathlib import Path

import numpy as np
from minimal_driver import CLIPS, AddDevice

from nnvet.driver_kit.base_device import BasePreparedModel, constant
from nnvet.hal.errors import failure
from nnvet.hal.types import OperationType

RELU6 = 3


class Sums(BasePreparedModel):
    """Runs additions in order; what adds two operands is up to the driver."""

    def __init__(self, model, add):
        """Remember what adds."""
        super().__init__(model)
        self.add = add

    def compute(self, inputs):
        """Outputs of the model for its inputs."""
        main = self.model.main
        values = [constant(self.model, operand) for operand in main.operands]
        for index, value in zip(main.input_indexes, inputs, strict=True):
            values[index] = value
        for operation in main.operations:
            first, second, activation = (values[index] for index in operation.inputs)
            try:
                values[operation.outputs[0]] = self.add(first, second, int(activation))
            except ValueError as error:  # shapes that do not fit
                raise failure(str(error)) from error
        return [values[index] for index in main.output_indexes]


class Forgets(AddDevice):
    """Forgets the activation: FAIL, for values are wrong."""

    name = "forgets"

    def compile(self, model, config):
        """Turn a model into something that executes."""
        return Sums(model, self.add)

    def add(self, first, second, activation):
        """Add, and apply the activation."""
        return first + second


class Raises(Forgets):
    """Knows three of the four activations: FAIL, for an exception is no answer."""

    name = "raises"

    def add(self, first, second, activation):
        """Add, and apply the activation."""
        bounds = {0: (-np.inf, np.inf), 1: (0, np.inf), 3: (0, 6)}[activation]
        return np.clip(first + second, *bounds)


class Hangs(Forgets):
    """Waits for a result that never comes: HANG."""

    name = "hangs"

    def add(self, first, second, activation):
        """Add, and apply the activation."""
        while activation == RELU6 and not hasattr(self, "result"):
            time.sleep(0.1)
        return np.clip(first + second, *CLIPS[activation])


class Dies(Forgets):
    """Writes where there is nothing: CRASH."""

    name = "dies"

    def add(self, first, second, activation):
        """Add, and apply the activation."""
        if activation == RELU6:
            ctypes.memset(0, 0, first.nbytes)
        return np.clip(first + second, *CLIPS[activation])


class Promises(AddDevice):
    """Says that it supports MUL, and refuses it: FAIL, for an answer is a promise."""

    name = "promises"

    def supports(self, model, operation):
        """ADD as the example has it, and MUL."""
        return operation.type == OperationType.MUL or super().supports(model, operation)

    def compile(self, model, config):
        """Turn a model into something that executes."""
        if any(operation.type != OperationType.ADD for operation in model.main.operations):
            raise failure("MUL is not there yet")
        return super().compile(model, config)


class Trusts(AddDevice):
    """Looks at no model before it takes it: FAIL, for wrong models have to be refused."""

    name = "trusts"

    def check_model(self, model):
        """Refuse what breaks a rule."""


def board():
    """A driver on a board with one user, who has to give it back: NOT_RUN, for it starts once."""
    with Path("board.lock").open("x"):
        return Dies()
