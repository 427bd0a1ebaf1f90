"""Collects the steps of a graph whose shapes are all known: functions of tensors that PyTorch evaluates eagerly.

Operands are computed as numbers: floats in the type that the settings name, rounded after every operation, codes as the
real numbers that they stand for, in 64 bits, rounded to codes once. Codes can also be moved as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nnvet.adapters.runtimes.claims import Graph, element_name
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

Function = Callable[..., Any]
"""From the tensors of the inputs to the tensor of the output, or a sequence of tensors if there are several."""
_T = OperandType
_STORED: Final = "stored"
_NUMBER: Final = "number"


@dataclass(frozen=True)
class TorchSettings:
    """Device of the tensors, and the types in which float32 of relaxed models and float16 are computed.

    ``must_be_here``: a result that lives elsewhere was computed elsewhere, and is an error.
    """

    device: Any = field(default_factory=lambda: torch.device("cpu"))
    relaxed: Any = torch.float32
    half: Any = torch.float32
    must_be_here: bool = False


@dataclass(frozen=True)
class TorchStep:
    """One function, with the slots of its inputs and outputs; nobody needs those of ``spent`` any more.

    ``operation`` is the place in the graph and the name of the operation that it is a step of.
    """

    function: Function
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    spent: tuple[int, ...] = ()
    operation: tuple[int, str] = (0, "")

    def apply(self, values: list[Any]) -> None:
        """Read the inputs' slots and fill the outputs'."""
        results = self.function(*[values[slot] for slot in self.inputs])
        if len(self.outputs) == 1:
            values[self.outputs[0]] = results
        else:
            for slot, result in zip(self.outputs, results, strict=True):
                values[slot] = result
        for slot in self.spent:
            values[slot] = None


class TorchEmitter:
    """The steps of a graph in the making. Each slot has one tensor: an operand as stored, or as a number.

    Whoever emits an operation sets ``operation`` before, to its place in the graph and its name.
    """

    def __init__(self, graph: Graph, settings: TorchSettings) -> None:
        """Begin without steps."""
        self.steps: list[TorchStep] = []
        self.values: list[Any] = []
        self.operation = (0, "")
        self._settings = settings
        self._floats = {
            _T.TENSOR_FLOAT32: settings.relaxed if graph.relaxed else torch.float32,
            _T.TENSOR_FLOAT16: settings.half,
        }
        self._operands = {id(argument): index for index, argument in enumerate(graph.arguments)}
        self._slots: dict[tuple[int, str], int] = {}

    @property
    def device(self) -> Any:
        """The device that tensors live on."""
        return self._settings.device

    def compute(self, function: Function, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> None:
        """Add a function of numbers; results are rounded to what the outputs store."""
        results = [self._new_slot() for _ in outputs]
        self._add(function, tuple(map(self._number, inputs)), tuple(results))
        for argument, result in zip(outputs, results, strict=True):
            self._add(_storing(argument), (result,), (self.stored(argument),))

    def move(self, function: Function, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> None:
        """Add a function of what the inputs store; the results are what the outputs store."""
        self._add(function, tuple(map(self.stored, inputs)), tuple(map(self.stored, outputs)))

    def stored(self, argument: Argument) -> int:
        """Return the slot of an operand as it is stored; constants are there before the first step."""
        slot, is_new = self._slot(argument, _STORED)
        if is_new and argument.constant:
            self.values[slot] = self.tensor(argument.array, element_name(argument.type))
        elif is_new and 0 in argument.dimensions:
            # Operations whose outputs have no elements add no steps.
            self.values[slot] = self.tensor(np.empty(argument.dimensions), element_name(argument.type))
        return slot

    def program(self, needed: Collection[int]) -> list[TorchStep]:
        """The steps; each gives back the memory that it is the last to use, but for that of slots in ``needed``."""
        kept = {*needed, *(slot for slot, value in enumerate(self.values) if value is not None)}
        steps: list[TorchStep] = []
        for step in reversed(self.steps):
            spent = {*step.inputs, *step.outputs} - kept
            kept |= spent
            steps.append(replace(step, spent=tuple(sorted(spent))))
        return steps[::-1]

    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """Return a copy of an array as a tensor of the device; indices are int64."""
        return torch.from_numpy(np.array(value, dtype)).to(self._settings.device)

    def _add(self, function: Function, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> None:
        self.steps.append(TorchStep(function, inputs, outputs, operation=self.operation))

    def _number(self, argument: Argument) -> int:
        """Return the slot of an operand as a number; that of a constant is there before the first step."""
        reading = self._reading(argument)
        if reading is None:
            return self.stored(argument)
        slot, is_new = self._slot(argument, _NUMBER)
        if is_new and argument.constant:
            self.values[slot] = reading(self.values[self.stored(argument)])
        elif is_new:
            self._add(reading, (self.stored(argument),), (slot,))
        return slot

    def _reading(self, argument: Argument) -> Function | None:
        """From what an operand stores to its numbers; None if they are the same."""
        if type_info(argument.type).is_quantized:
            return _dequantizing(argument)
        dtype = self._floats.get(OperandType(argument.type))
        if dtype is None or dtype == getattr(torch, element_name(argument.type)):
            return None
        return lambda value: value.to(dtype)

    def _slot(self, argument: Argument, form: str) -> tuple[int, bool]:
        key = self._operands[id(argument)], form
        is_new = key not in self._slots
        if is_new:
            self._slots[key] = self._new_slot()
        return self._slots[key], is_new

    def _new_slot(self) -> int:
        self.values.append(None)
        return len(self.values) - 1


def real_numbers(codes: Tensor, argument: Argument) -> Any:
    """Return the numbers that codes of an operand stand for."""
    return _dequantizing(argument)(codes)


def _dequantizing(argument: Argument) -> Function:
    channels = argument.channel_quant
    if channels is None:
        scale, zero_point = argument.scale, argument.zero_point
        return lambda codes: (codes.to(torch.float64) - zero_point) * scale
    shape = [-1 if axis == channels.channel_dim else 1 for axis in range(argument.rank)]
    scales = torch.tensor(channels.scales, dtype=torch.float64).reshape(shape)
    return lambda codes: codes.to(torch.float64) * scales.to(codes.device)


def _storing(argument: Argument) -> Function:
    """From the numbers of an operand to what it stores."""
    dtype = getattr(torch, element_name(argument.type))
    if not type_info(argument.type).is_quantized:
        return lambda value: value.to(dtype)
    scale, zero_point = argument.scale, argument.zero_point
    low, high = argument.quantized_range

    def quantized(value: Tensor) -> Any:
        # A NaN has the highest code.
        ratio = torch.nan_to_num(value.to(torch.float64) / scale, nan=math.inf)
        # Halves are rounded away from zero; torch.round would take them to the even neighbour.
        codes = torch.sign(ratio) * torch.floor(torch.abs(ratio) + 0.5) + zero_point
        return torch.clamp(codes, low, high).to(dtype)

    return quantized
