"""State of a growing graph of mixed types, and the values of its operands.

:class:`Flow` holds the operations so far and the tensors that further operations may read. ``models.py`` adds one
operation after the other, each of them built by ``flow.py``, and calls :meth:`Flow.finished` for the model.

:func:`values_of` makes the values of tensors that no operation computes. They come from a table of noise, which is fast
and the same on every machine: a tensor takes consecutive elements of the table from a random offset on. Offset 0
stands for simple values, all equal, so that a tool that shrinks the decisions of a test ends there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, DraftRole, Trait
from nnvet.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType
from nnvet.hal.operand_types import type_info

FEW: Final = 4
"""A tensor with fewer different values than this is no source for further operations: their results vary little."""
_TEMPORARY: Final = OperandLifeTime.TEMPORARY_VARIABLE
_OUTPUT: Final = OperandLifeTime.SUBGRAPH_OUTPUT
_CONSTANT: Final = OperandLifeTime.CONSTANT_COPY
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_SUBGRAPH_INPUT: Final = OperandLifeTime.SUBGRAPH_INPUT
_INPUT_ROLE: Final = DraftRole.INPUT
_OUTPUT_ROLE: Final = DraftRole.OUTPUT
_OMITTED_ROLE: Final = DraftRole.OMITTED


@dataclass(eq=False, slots=True)
class Flow:
    """The operations so far, and their operands.

    A *new* tensor is one that no operation computes; it becomes an input or a constant of the model. ``amplitude`` is
    the largest magnitude of real numbers in new tensors, a power of two.

    ``readable`` are the tensors that an operation may read, by type. ``sources`` are the outputs that an operation may
    start from, ``unread`` those of them that nothing reads yet; ``ends`` counts the other outputs. ``operands`` are all
    operands of the model in order; the attribute ``place`` of each is its index here. ``ready`` are the operands of the
    finished model in the same order, as if every output were read by another operation; it has None for new tensors,
    whose values are chosen last.

    These are lists of indexes: ``fresh`` of new tensors, ``begins`` of the first new tensor of each operation that
    reads no output, ``outputs`` of all outputs, and ``read`` of all operands that an operation reads. ``level`` is the
    feature level that the operations need. A ``tolerance`` above 0 belongs to frequencies of random results.

    An operand never changes once its operation is added, so copies of a flow share operands.
    """

    amplitude: float = 2.0
    readable: dict[int, list[DraftOperand]] = field(default_factory=dict)
    unread: list[DraftOperand] = field(default_factory=list)
    sources: list[DraftOperand] = field(default_factory=list)
    ends: int = 0
    operands: list[DraftOperand] = field(default_factory=list)
    ready: list[TestOperand | None] = field(default_factory=list)
    operations: list[TestOperation] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    read: set[int] = field(default_factory=set)
    subgraphs: list[TestSubgraph] = field(default_factory=list)
    level: int = 1
    tolerance: float = 0.0

    def copy(self) -> Flow:
        """Return a copy, which can grow in another direction."""
        return Flow(
            self.amplitude,
            {kind: tensors[:] for kind, tensors in self.readable.items()},
            self.unread[:],
            self.sources[:],
            self.ends,
            self.operands[:],
            self.ready[:],
            self.operations[:],
            self.fresh[:],
            self.begins[:],
            self.outputs[:],
            self.read.copy(),
            self.subgraphs[:],
            self.level,
            self.tolerance,
        )

    def add(self, draft: Draft, made: Sequence[DraftOperand], can_begin: Callable[[DraftOperand], bool]) -> None:
        """Add a finished operation with the new tensors ``made``; later operations may read these and its outputs.

        ``can_begin`` returns True for an output that a later operation may start from. The tensors that the operation
        reads count as read from now on.
        """
        unread = self.unread
        for operand in draft.inputs:
            if operand in unread:
                unread.remove(operand)
        for operand in (*made, *draft.outputs):
            if operand.connects:
                self.readable.setdefault(operand.type, []).append(operand)
        begins = [
            output for output in draft.outputs if output.connects and output.distinct >= FEW and can_begin(output)
        ]
        self.ends += len(draft.outputs) - len(begins)
        unread += begins
        self.sources += begins
        self._assemble(draft, made)

    def _assemble(self, draft: Draft, made: Sequence[DraftOperand]) -> None:
        """Append the operation, its subgraphs and those of its operands that are not in the model yet."""
        reads = False
        for operand, graph in draft.subgraphs:
            operand.data = np.array([len(self.subgraphs)], element_type(OperandType.SUBGRAPH))
            self.subgraphs.append(graph)
        for operand in draft.inputs:
            if operand.place < 0:
                self._place(operand)
            elif operand.role is _OUTPUT_ROLE:
                reads = True
        inputs = tuple([operand.place for operand in draft.inputs])
        self.read.update(inputs)
        for operand in draft.outputs:
            self._place(operand)
        outputs = [output.place for output in draft.outputs]
        self.outputs += outputs
        self.operations.append(TestOperation(draft.operation, inputs, tuple(outputs)))
        if made and not reads:
            self.begins.append(made[0].place)
        self.level = max(self.level, draft.level)
        self.tolerance = max(self.tolerance, draft.distribution_tolerance)

    def _place(self, operand: DraftOperand) -> None:
        """Append an operand to the model and set its index."""
        operand.place = len(self.operands)
        self.operands.append(operand)
        role = operand.role
        if role is _INPUT_ROLE:
            self.fresh.append(operand.place)
            self.ready.append(None)
        elif role is _OUTPUT_ROLE:
            self.ready.append(as_operand(operand, _TEMPORARY, None))
        else:
            self.ready.append(_make_constant(operand))

    def finished(
        self, name: str, inputs: set[int], values: Callable[[DraftOperand], Array], *, is_relaxed: bool
    ) -> TestModel:
        """Return the model. The new tensors with indexes in ``inputs`` are its inputs, all others are constants.

        ``values`` makes the values of new tensors that have none yet.
        """
        ready, operands = self.ready[:], self.operands
        for place in self.fresh:
            operand = operands[place]
            lifetime = _SUBGRAPH_INPUT if place in inputs else _CONSTANT
            ready[place] = as_operand(operand, lifetime, values(operand) if operand.data is None else operand.data)
        outputs = [place for place in self.outputs if place not in self.read]
        for place in outputs:
            ready[place] = as_operand(operands[place], _OUTPUT, None)
        main = TestSubgraph(
            tuple(ready),  # type: ignore[arg-type]
            tuple(self.operations),
            tuple(sorted(inputs)),
            tuple(outputs),
        )
        level = FeatureLevel(self.level)
        return TestModel(name, main, tuple(self.subgraphs), is_relaxed, self.tolerance, min_supported_version=level)


def as_operand(operand: DraftOperand, lifetime: OperandLifeTime, data: Array | None) -> TestOperand:
    """Return an operand of a model, with its value if it has one."""
    return TestOperand(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        lifetime,
        operand.channel_quant,
        not operand.is_checked,
        data,
    )


def _make_constant(operand: DraftOperand) -> TestOperand:
    """Return the model's operand for a constant whose value is chosen, for a subgraph, or for an omitted operand."""
    if operand.role is _OMITTED_ROLE:
        return as_operand(operand, _CONSTANT, np.empty(0, element_type(operand.type)))
    lifetime = OperandLifeTime.SUBGRAPH if operand.role is DraftRole.SUBGRAPH else _CONSTANT
    return as_operand(operand, lifetime, operand.data)


_T = OperandType
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_BOOLEAN_TYPES: Final = (_T.TENSOR_BOOL8, _T.BOOL)
_NON_ZERO: Final = Trait.NON_ZERO
_NON_NEGATIVE: Final = Trait.NON_NEGATIVE
_SIZE: Final = 1 << 18
"""Elements of the table of noise; more than any operand has."""
_SEED: Final = 11
"""Seed of the noise. It decides the values of every random model, so it never changes."""
_INTEGERS: Final = 256
"""INT32 noise has magnitudes below this."""
_INTEGER_TYPES: Final = (_T.TENSOR_INT32, _T.INT32)
_GRID: Final = 4
"""Coarse floats have this many steps from 0 to the largest."""
_INTEGER_STEP: Final = 16
"""Coarse integers are the usual ones divided by this, so that few different values are left."""
_CODE_STEPS: Final = 32
"""Number of steps of coarse codes in the whole range of their type."""
_BEYOND: Final = 5
"""Further steps that are drawn beyond the range; clipping turns them into its ends, which thus occur often."""


def values_of(chooser: Chooser, operand: DraftOperand) -> Array:
    """Return flat values for a tensor or scalar that no operation computes.

    Floats and integers have at most the magnitude ``operand.reach``; codes of quantised types lie anywhere in their
    range; booleans are true half the time. All values have the operand's traits, and lie on a grid if it is coarse.
    """
    count = prod(operand.dimensions)
    place = chooser.integer(0, _SIZE - count)
    form = _format_of(operand.type)
    if form.is_float:
        return _draw_floats(operand, form, count, place)
    if operand.type in _BOOLEAN_TYPES:
        return form.table[place : place + count] & 1 if place else np.ones(count, np.uint8)
    return _draw_codes(operand, form, count, place)


@cache
def _make_noise(name: str) -> Array:
    """Return the noise as elements of a type: floats in (-1, 1) other than 0, integers from -255 to 255, all codes."""
    source = random.Random(_SEED)  # noqa: S311 - no secret
    words: Array = np.frombuffer(source.randbytes(4 * _SIZE), "<u4")
    if "float" in name:
        # Odd multiples of 2^-12 are exact in float16 as well.
        floats = ((words >> 20).astype(np.float64) * 2 + 1) / 2.0**12 - 1
        table = floats.astype(name)
    elif name == "int32":
        table = (words % (2 * _INTEGERS - 1)).astype(np.int32) - (_INTEGERS - 1)
    else:
        table = words.astype(f"uint{8 * np.dtype(name).itemsize}").view(name)
    table.flags.writeable = False
    return table


class _Format(NamedTuple):
    """Properties of the values of a type.

    ``table`` is the noise in this type, ``kind`` the NumPy type. ``low`` and ``high`` are limits of an integer type.
    """

    table: Array
    kind: Any
    is_float: bool
    low: int
    high: int


@cache
def _format_of(kind: OperandType) -> _Format:
    name, is_float = element_type(kind), type_info(kind).is_float
    limits = (0, 0) if is_float else (int(np.iinfo(name).min), int(np.iinfo(name).max))
    return _Format(_make_noise(name), np.dtype(name).type, is_float, *limits)


def _draw_floats(operand: DraftOperand, form: _Format, count: int, place: int) -> Array:
    kind = form.kind
    if not place:
        return np.full(count, operand.reach, kind)
    values = form.table[place : place + count]
    if operand.is_coarse:
        values = np.rint(values * kind(_GRID)) / kind(_GRID)
        if operand.traits & _NON_ZERO:
            values[values == 0] = kind(1 / _GRID)
    if operand.reach != 1:
        values = values * kind(operand.reach)
    if operand.traits & _NON_NEGATIVE:
        values = np.abs(values)
    return values


def _draw_codes(operand: DraftOperand, form: _Format, count: int, place: int) -> Array:
    if not place:
        unit = operand.zero_point + round(1 / operand.scale) if operand.scale else 1
        return np.full(count, min(max(unit, form.low), form.high), form.kind)
    values, traits = form.table[place : place + count], operand.traits
    is_integer = operand.type in _INTEGER_TYPES
    if is_integer and operand.scale:
        # A bias holds real numbers in (-1, 1), whatever its scale is.
        return np.minimum(np.maximum(np.rint(values / (_INTEGERS * operand.scale)), -(2**30)), 2**30).astype(form.kind)
    if is_integer:
        values = values * np.int32(operand.reach) // np.int32(_INTEGERS - 1)
    if operand.is_coarse:
        values = _coarsen(values, operand, form)
    if traits & _NON_NEGATIVE:
        values = np.maximum(np.abs(values) if is_integer else values, form.kind(operand.zero_point))
    if traits & _NON_ZERO:
        # The code above the zero point, or below it at the end of the range.
        other = operand.zero_point + 1 if operand.zero_point < form.high else operand.zero_point - 1
        values = np.where(values == operand.zero_point, form.kind(other), values)
    return values


def _coarsen(values: Array, operand: DraftOperand, form: _Format) -> Array:
    """Return values on a coarse grid: multiples of a power of two from the zero point, and both ends of the range.

    With scales that are powers of two, sums and products of such values often lie half-way between two codes.
    """
    if operand.type in _INTEGER_TYPES:
        return values // _INTEGER_STEP
    low, high = form.low, form.high
    step = (high - low + 1) // _CODE_STEPS
    steps = values.astype(np.int64) % (_CODE_STEPS + _BEYOND) - (_CODE_STEPS + _BEYOND) // 2
    if operand.lean:
        steps = 2 * np.abs(steps) * (1 if operand.zero_point < (low + high) / 2 else -1)
    return np.minimum(np.maximum(operand.zero_point + step * steps, low), high).astype(values.dtype)
