"""Drivers as authors have them in their first hour: ADD of 32-bit floats, each with one fault."""

import ctypes
import time
from typing import Any

import numpy as np

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel, constant
from nnvet.hal.types import Model, OperandType, Operation, OperationType


class Sum(BasePreparedModel):
    """The model has one ADD."""

    def compute(self, inputs: list[Any]) -> list[Any]:
        """Broadcast, then clamped."""
        main = self.model.main
        values = [constant(self.model, operand) for operand in main.operands]
        for index, value in zip(main.input_indexes, inputs, strict=True):
            values[index] = value
        for operation in main.operations:
            first, second, activation = (values[index] for index in operation.inputs)
            values[operation.outputs[0]] = self.add(first, second, int(activation))
        return [values[index] for index in main.output_indexes]

    def add(self, first: Any, second: Any, activation: int) -> Any:
        """The sum, activated."""
        low, high = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}[activation]
        return np.clip(first + second, low, high)


class Adder(BaseDevice):
    """Claims ADD of 32-bit floats with a constant activation."""

    name = "adder"
    sum_of: type[Sum] = Sum

    def supports(self, model: Model, operation: Operation) -> bool:
        """Of one such operation."""
        if operation.type != OperationType.ADD or len(model.main.operations) > 1:
            return False
        operands = [model.main.operands[index] for index in operation.inputs]
        return operands[0].type == OperandType.TENSOR_FLOAT32 and constant(model, operands[2]) is not None

    def compile(self, model: Model, config: Any) -> Sum:
        """Nothing is left to be done."""
        return self.sum_of(model)


class _Subtracting(Sum):
    def add(self, first: Any, second: Any, activation: int) -> Any:
        return super().add(first, -second, activation)


class _Unclamped(Sum):
    def add(self, first: Any, second: Any, activation: int) -> Any:
        return super().add(first, second, 0)


class _Crashing(Sum):
    def add(self, first: Any, second: Any, activation: int) -> Any:
        ctypes.string_at(8)
        return super().add(first, second, activation)


class _Hanging(Sum):
    def add(self, first: Any, second: Any, activation: int) -> Any:
        time.sleep(3600)
        return super().add(first, second, activation)


class _CrashingAtRankOne(Sum):
    def add(self, first: Any, second: Any, activation: int) -> Any:
        if first.ndim == 1:
            ctypes.string_at(8)
        return super().add(first, second, activation)


class Subtracts(Adder):
    """Wrong results."""

    sum_of = _Subtracting


class ForgetsActivations(Adder):
    """Wrong results where an activation clamps."""

    sum_of = _Unclamped


class Crashes(Adder):
    """Reads where nothing is."""

    sum_of = _Crashing


class CrashesAtRankOne(Adder):
    """A vector ends the process."""

    sum_of = _CrashingAtRankOne


class Hangs(Adder):
    """Never ends."""

    sum_of = _Hanging


class Raises(Adder):
    """A slip of the author's."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """There is no such attribute."""
        return bool(operation.kind)  # type: ignore[attr-defined]


class AcceptsAll(Adder):
    """Validates nothing."""

    def check_model(self, model: Model) -> None:
        """Nothing is wrong with any."""


class Empty(BaseDevice):
    """Claims nothing."""

    name = "empty"


class Nameless(Adder):
    """Has no name."""

    name = ""


def cannot_start() -> Adder:
    """The board is not there."""
    raise RuntimeError("no board")
