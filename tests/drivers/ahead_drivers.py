"""Drivers for calls ahead of their case (tests/adapters/test_ahead.py): right, refusing, or wrong with one model."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from nnvet.conformance.engine.ahead import WINDOW
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.types import Model, Operation, PrepareModelConfig

BAD = WINDOW + 8
"""The size of the tensor with which these drivers do something wrong."""


class Relu(BasePreparedModel):
    """Computes."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The maximum with 0."""
        return [inputs[0].clip(0)]


class Honest(BaseDevice):
    """Is right."""

    name = "honest"

    def supports(self, model: Model, operation: Operation) -> bool:
        """All that the tests send."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Prepare any model."""
        del config
        return Relu(model)


class SupportsNothing(BaseDevice):
    """Has no operations."""

    name = "nothing"


def is_bad(model: Model) -> bool:
    """Return True for the one model with which a driver fails."""
    return model.main.operands[0].dimensions == (BAD,)


class DiesOfOne(Honest):
    """Dies while it prepares one of the models."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Die, or prepare."""
        if is_bad(model):
            sys.stderr.write("cannot stand this one\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compile(model, config)


class RaisesAtOne(Honest):
    """Raises an exception, which is no refusal, when it is asked about one of the models."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """Raise, or answer."""
        if is_bad(model):
            raise KeyError("no such size")
        return super().supports(model, operation)


class ReportsOnce(Honest):
    """Prints what a sanitizer does about one of the models, and goes on; like a sanitizer, once for each process."""

    has_printed = False

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Print, and prepare."""
        if is_bad(model) and not ReportsOnce.has_printed:
            ReportsOnce.has_printed = True
            sys.stderr.write("relu.cpp:7:5: runtime error: signed integer overflow: 2147483647 + 1\n")
            sys.stderr.flush()
        return super().compile(model, config)


class WrongAtOne(Honest):
    """Computes a wrong value with one of the models."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Prepare a right or a wrong model."""
        return Wrong(model) if is_bad(model) else super().compile(model, config)


class Wrong(Relu):
    """Is wrong."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """One too much."""
        return [inputs[0].clip(0) + 1]


class DiesOfTwo(Honest):
    """Dies when it executes a model after it has prepared two others."""

    prepared = 0

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Count the models that were prepared since the last execution."""
        DiesOfTwo.prepared += 1
        return Impatient(model)


class Impatient(Relu):
    """Dies if other models have been prepared in between."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """Die, or compute."""
        if DiesOfTwo.prepared > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        DiesOfTwo.prepared = 0
        return super().compute(inputs)
