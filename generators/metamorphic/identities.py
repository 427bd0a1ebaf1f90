"""Operations, alone or in pairs, that change nothing: what is put behind an operand of a model."""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestOperand
from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.hal.types import OperandType, OperationType

_INT32: Final = OperandType.INT32
_MOST_PADDING: Final = 3


def reshape(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """RESHAPE to the same shape."""
    graph.operation(OperationType.RESHAPE, (source, _vector(graph, operand.dimensions)), target)


def transpose(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """TRANSPOSE that leaves the axes as they are."""
    axes = _vector(graph, range(len(operand.dimensions)))
    graph.operation(OperationType.TRANSPOSE, (source, axes), target)


def take_all(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """SLICE of everything."""
    begin, size = _vector(graph, [0] * len(operand.dimensions)), _vector(graph, operand.dimensions)
    graph.operation(OperationType.SLICE, (source, begin, size), target)


def pad_nothing(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """PAD by nothing."""
    graph.operation(OperationType.PAD, (source, _paddings(graph, [(0, 0)] * len(operand.dimensions))), target)


def add_zero(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """ADD of a constant 0, on either side."""
    _with_neutral(OperationType.ADD, 0, chooser, graph, operand, source, target)


def multiply_by_one(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """MUL by a constant 1, on either side."""
    _with_neutral(OperationType.MUL, 1, chooser, graph, operand, source, target)


def split_and_join(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """SPLIT along an axis, CONCATENATION of the parts. An axis of one element is split into that."""
    sizes = operand.dimensions
    axis = chooser.pick([place for place, size in enumerate(sizes) if size == max(sizes)])
    count = next((parts for parts in (2, 3, 5, 7, 11) if sizes[axis] % parts == 0), 1)
    part = (*sizes[:axis], sizes[axis] // count, *sizes[axis + 1 :])
    parts = [graph.temporary(operand.type, part, operand.scale, operand.zero_point) for _ in range(count)]
    graph.operation(OperationType.SPLIT, (source, graph.scalar(_INT32, axis), graph.scalar(_INT32, count)), *parts)
    graph.operation(OperationType.CONCATENATION, (*parts, graph.scalar(_INT32, axis)), target)


def transpose_twice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """TRANSPOSE, and back."""
    axes = shuffled(chooser, range(len(operand.dimensions)))
    turned = tuple(operand.dimensions[axis] for axis in axes)
    between = graph.temporary(operand.type, turned, operand.scale, operand.zero_point)
    graph.operation(OperationType.TRANSPOSE, (source, _vector(graph, axes)), between)
    graph.operation(OperationType.TRANSPOSE, (between, _vector(graph, np.argsort(axes))), target)


def pad_and_slice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """PAD on all sides, SLICE of what was there before."""
    sizes = operand.dimensions
    paddings = [(chooser.integer(0, _MOST_PADDING), chooser.integer(0, _MOST_PADDING)) for _ in sizes]
    padded = tuple(size + sum(sides) for size, sides in zip(sizes, paddings, strict=True))
    between = graph.temporary(operand.type, padded, operand.scale, operand.zero_point)
    graph.operation(OperationType.PAD, (source, _paddings(graph, paddings)), between)
    begin = _vector(graph, [before for before, _ in paddings])
    graph.operation(OperationType.SLICE, (between, begin, _vector(graph, sizes)), target)


def reverse_twice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """REVERSE along an axis, and back."""
    axis = _vector(graph, [chooser.integer(0, len(operand.dimensions) - 1)])
    between = graph.temporary(operand.type, operand.dimensions, operand.scale, operand.zero_point)
    graph.operation(OperationType.REVERSE, (source, axis), between)
    graph.operation(OperationType.REVERSE, (between, axis), target)


def _with_neutral(
    kind: OperationType,
    value: int,
    chooser: Chooser,
    graph: GraphBuilder,
    operand: TestOperand,
    source: int,
    target: int,
) -> None:
    neutral = graph.constant(operand.type, (1,), [value], operand.scale, operand.zero_point)
    sides = shuffled(chooser, (source, neutral))
    graph.operation(kind, (*sides, graph.scalar(_INT32, 0)), target)


def _vector(graph: GraphBuilder, values: object) -> int:
    numbers = np.asarray(values, np.int32)
    return graph.constant(OperandType.TENSOR_INT32, numbers.shape, numbers)


def _paddings(graph: GraphBuilder, paddings: list[tuple[int, int]]) -> int:
    return _vector(graph, paddings)
