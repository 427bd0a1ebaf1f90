"""Models as sequences of functions of tensors, for runtimes that are called operation by operation.

PyTorch and JAX are such runtimes (:mod:`nnvet.adapters.torch`, :mod:`nnvet.adapters.jax`); they read no model file. An
operation is either computed on numbers or moves stored elements. Codes become numbers when they are read, and numbers
become codes when they are stored. A runtime defines how its tensors are made, read and stored; the rest is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.adapters.runtimes.claims import Claim, Condition, Graph, element_name
from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.errors import failure
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import is_nchw

Function = Callable[..., Any]
"""Function from the inputs' tensors to the output's tensor, or to a sequence of tensors for several outputs."""
_STORED: Final = "stored"
_NUMBER: Final = "number"
"""Forms in which a slot holds an operand: stored elements, or the numbers that they stand for."""


@dataclass(frozen=True)
class FunctionStep:
    """A function with the slots of its inputs and outputs; the slots of ``spent`` are not needed afterwards.

    ``operation`` is the position in the graph and the name of the operation to which the step belongs.
    """

    function: Function
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    spent: tuple[int, ...] = ()
    operation: tuple[int, str] = (0, "")

    def apply(self, values: list[Any]) -> None:
        """Read the inputs' slots, and fill those of the outputs."""
        results = self.function(*[values[slot] for slot in self.inputs])
        if len(self.outputs) == 1:
            values[self.outputs[0]] = results
        else:
            for slot, result in zip(self.outputs, results, strict=True):
                values[slot] = result
        for slot in self.spent:
            values[slot] = None


class FunctionEmitter(ABC):
    """Builder of the steps of a graph. Each slot has one tensor: an operand as stored, or as a number.

    Callers set ``operation`` to its position in the graph and its name before they emit it. A runtime overrides
    ``tensor``, ``reading`` and ``storing``.
    """

    def __init__(self, graph: Graph) -> None:
        """Begin without steps."""
        self.steps: list[FunctionStep] = []
        self.values: list[Any] = []
        self.operation = (0, "")
        self._operands = {id(argument): index for index, argument in enumerate(graph.arguments)}
        self._slots: dict[tuple[int, str], int] = {}

    @abstractmethod
    def tensor(self, value: npt.ArrayLike, dtype: str = "int64") -> Any:
        """Return a copy of an array as a tensor of the runtime."""

    @abstractmethod
    def reading(self, argument: Argument) -> Function | None:
        """Return the function from an operand's stored elements to its numbers; None if they are the same."""

    @abstractmethod
    def storing(self, argument: Argument) -> Function:
        """Return the function from an operand's numbers to its stored elements."""

    def compute(self, function: Function, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> None:
        """Add a function of numbers; its results are rounded to the outputs' types."""
        results = [self.new_slot() for _ in outputs]
        self.add(function, tuple(map(self._number, inputs)), tuple(results))
        for argument, result in zip(outputs, results, strict=True):
            self.add(self.storing(argument), (result,), (self.stored(argument),))

    def move(self, function: Function, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> None:
        """Add a function from the inputs' stored elements to those of the outputs."""
        self.add(function, tuple(map(self.stored, inputs)), tuple(map(self.stored, outputs)))

    def add(self, function: Function, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> None:
        """Add a step between slots."""
        self.steps.append(FunctionStep(function, inputs, outputs, operation=self.operation))

    def stored(self, argument: Argument) -> int:
        """Return the slot of an operand as stored; constants are filled in before the first step."""
        slot, is_new = self._find_slot(argument, _STORED)
        if is_new and argument.constant:
            self.values[slot] = self.tensor(argument.array, element_name(argument.type))
        elif is_new and 0 in argument.dimensions:
            # Operations whose outputs have no elements add no steps.
            self.values[slot] = self.tensor(np.empty(argument.dimensions), element_name(argument.type))
        return slot

    def program(self, needed: Collection[int]) -> list[FunctionStep]:
        """Return the steps; each releases tensors that no later step uses, except those of slots in ``needed``."""
        kept = {*needed, *(slot for slot, value in enumerate(self.values) if value is not None)}
        steps: list[FunctionStep] = []
        for step in reversed(self.steps):
            spent = {*step.inputs, *step.outputs} - kept
            kept |= spent
            steps.append(replace(step, spent=tuple(sorted(spent))))
        return steps[::-1]

    def demand(self, function: Function, inputs: Sequence[Argument], message: str) -> None:
        """Make an execution fail with ``message`` if a function of the stored inputs is not true."""

        def checked(*values: Any) -> tuple[()]:
            if not bool(function(*values)):
                raise failure(message, "execution/status")
            return ()

        self.add(checked, tuple(map(self.stored, inputs)), ())

    def new_slot(self) -> int:
        """Return a new, empty slot."""
        self.values.append(None)
        return len(self.values) - 1

    def _number(self, argument: Argument) -> int:
        """Return the slot of an operand as a number; those of constants are filled in before the first step."""
        reading = self.reading(argument)
        if reading is None:
            return self.stored(argument)
        slot, is_new = self._find_slot(argument, _NUMBER)
        if is_new and argument.constant:
            self.values[slot] = reading(self.values[self.stored(argument)])
        elif is_new:
            self.add(reading, (self.stored(argument),), (slot,))
        return slot

    def _find_slot(self, argument: Argument, form: str) -> tuple[int, bool]:
        key = self._operands[id(argument)], form
        is_new = key not in self._slots
        if is_new:
            self._slots[key] = self.new_slot()
        return self._slots[key], is_new


Emit = Callable[[FunctionEmitter, Call], None]
"""A function that emits one call."""
Make = Callable[[Call], Function]
"""Function that makes the function of tensors for a call with known parameters and shapes."""
_HIGHEST: Final = 6
"""Upper bound of RELU6."""
_BOUNDS: Final = {
    FusedActivationFunc.RELU: (0, None),
    FusedActivationFunc.RELU1: (-1, 1),
    FusedActivationFunc.RELU6: (0, _HIGHEST),
}
"""Lowest and highest number after each fused activation."""


def claimed(
    name: str,
    target: str,
    types: Iterable[OperandType],
    emit: Callable[[Any, Call], None],
    *conditions: Condition,
    otherwise: str = "",
) -> Claim[Any]:
    """Return the claim of an operation for ``types``; ``otherwise`` is the reason against the other declared types.

    :raises ValueError: there are other types, but no reason.
    """
    operation, kinds = OperationType[name], tuple(types)
    others = {OperandType(row.types["T"]) for row in declarations()[operation].rows} - {*kinds}
    if others and not otherwise:
        raise ValueError(f"{name}: why not {', '.join(kind.name for kind in sorted(others))}?")
    excluded = dict.fromkeys(sorted(others), otherwise)
    return Claim(operation, target, kinds, emit, conditions, excluded)


def computing(make: Make, *names: str) -> Emit:
    """Return the emitter of a function of dequantised inputs: those in ``names``, or else the variadic ones."""
    return lambda emitter, call: emitter.compute(make(call), arguments(call, names), call.outputs)


def moving(make: Make, *names: str) -> Emit:
    """Return the emitter of a function of the inputs' stored elements, which are codes if the type is quantised."""
    return lambda emitter, call: emitter.move(make(call), arguments(call, names), call.outputs)


def plain(function: Function, *names: str) -> Emit:
    """Return the emitter of a function of dequantised inputs that has no parameters."""
    return computing(lambda _: function, *names)


def arguments(call: Call, names: Sequence[str]) -> Sequence[Argument]:
    """Return the inputs of these names, or without names the variadic ones."""
    return [call[name] for name in names] if names else call.variadic


def activation_bounds(call: Call) -> tuple[int, int | None] | None:
    """Return the lowest and highest number after a call's fused activation; None if it has none."""
    return _BOUNDS.get(call.scalar("activation")) if "activation" in call.inputs else None


def image_shape(call: Call, argument: Argument) -> tuple[int, int, int, int]:
    """Return batches, channels, height and width of images."""
    first, second, third, fourth = argument.dimensions
    return (first, second, third, fourth) if is_nchw(call) else (first, fourth, second, third)
