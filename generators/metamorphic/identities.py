"""Metamorphic relations that should not change any output.

Operations that change nothing, alone or in pairs, are inserted after an operand: ``fusing.everywhere`` chooses the
operand, and each of these functions adds operations from operand ``source`` to operand ``target``. Codes are moved
before or after they are dequantised. Constants become inputs, inputs become constants, and constants move to a pool.
``table.py`` lists all of these relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.metamorphic.operands import is_data
from nnvet.generators.metamorphic.relation import Models, OtherForm
from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import relisted, with_added, with_operand, with_operands
from nnvet.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.types import OperandLifeTime, OperandType, OperationType

_O: Final = OperationType
MOVING: Final = (
    *(_O.RESHAPE, _O.TRANSPOSE, _O.SLICE, _O.STRIDED_SLICE, _O.GATHER, _O.TILE, _O.EXPAND_DIMS, _O.SQUEEZE),
    *(_O.REVERSE, _O.DEPTH_TO_SPACE, _O.SPACE_TO_DEPTH, _O.BATCH_TO_SPACE_ND, _O.SPACE_TO_BATCH_ND, _O.PAD),
    *(_O.MIRROR_PAD, _O.CHANNEL_SHUFFLE),
)
"""Operations that move the elements of one tensor and keep its quantisation."""
_TEMPORARY: Final = OperandLifeTime.TEMPORARY_VARIABLE
_FLOAT32: Final = OperandType.TENSOR_FLOAT32


def moved_and_dequantized(draw: Models) -> Models:
    """Return the function that draws a model of one operation by ``draw`` and adds DEQUANTIZE behind it."""

    def drawn(chooser: Chooser, name: str) -> TestModel:
        test = draw(chooser, name)
        (operation,) = test.main.operations
        index, last = operation.outputs[0], len(test.main.operands)
        result = test.main.operands[index]
        inner = replace(test.main, output_indexes=())
        inner = with_operand(inner, index, replace(result, lifetime=_TEMPORARY))
        real = TestOperand(_FLOAT32, result.dimensions, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
        wider = with_added(inner, real)
        behind = TestOperation(_O.DEQUANTIZE, (index,), (last,))
        return replace(test, main=replace(wider, operations=(operation, behind)))

    return drawn


def dequantized_and_moved(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form in which DEQUANTIZE comes before the operation."""
    main = test.main
    moving, behind = main.operations
    source, between, last = moving.inputs[0], moving.outputs[0], behind.outputs[0]
    real = TestOperand(_FLOAT32, main.operands[source].dimensions, lifetime=_TEMPORARY)
    changed = with_operand(main, between, real)
    operations = (
        TestOperation(_O.DEQUANTIZE, (source,), (between,)),
        replace(moving, inputs=(between, *moving.inputs[1:]), outputs=(last,)),
    )
    return (OtherForm(replace(test, main=replace(changed, operations=operations))),)


_INT32: Final = OperandType.INT32
_MOST_PADDING: Final = 3
"""Most elements added at one end of a dimension."""


def reshape(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add RESHAPE to the same shape."""
    graph.operation(OperationType.RESHAPE, (source, _vector(graph, operand.dimensions)), target)


def transpose(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add TRANSPOSE that keeps the axes in order."""
    axes = _vector(graph, range(len(operand.dimensions)))
    graph.operation(OperationType.TRANSPOSE, (source, axes), target)


def take_all(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add SLICE of all elements."""
    begin, size = _vector(graph, [0] * len(operand.dimensions)), _vector(graph, operand.dimensions)
    graph.operation(OperationType.SLICE, (source, begin, size), target)


def pad_nothing(_: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add PAD by no cells."""
    graph.operation(OperationType.PAD, (source, _paddings(graph, [(0, 0)] * len(operand.dimensions))), target)


def add_zero(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add ADD of a constant 0, on either side."""
    _with_neutral(OperationType.ADD, 0, chooser, graph, operand, source, target)


def multiply_by_one(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add MUL by a constant 1, on either side."""
    _with_neutral(OperationType.MUL, 1, chooser, graph, operand, source, target)


def split_and_join(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add SPLIT along an axis and CONCATENATION of the parts; an axis of one element gives one part."""
    sizes = operand.dimensions
    axis = chooser.pick([place for place, size in enumerate(sizes) if size == max(sizes)])
    count = next((parts for parts in (2, 3, 5, 7, 11) if sizes[axis] % parts == 0), 1)
    part = (*sizes[:axis], sizes[axis] // count, *sizes[axis + 1 :])
    parts = [graph.temporary(operand.type, part, operand.scale, operand.zero_point) for _ in range(count)]
    graph.operation(OperationType.SPLIT, (source, graph.scalar(_INT32, axis), graph.scalar(_INT32, count)), *parts)
    graph.operation(OperationType.CONCATENATION, (*parts, graph.scalar(_INT32, axis)), target)


def transpose_twice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add TRANSPOSE and its inverse."""
    axes = shuffled(chooser, range(len(operand.dimensions)))
    turned = tuple(operand.dimensions[axis] for axis in axes)
    between = graph.temporary(operand.type, turned, operand.scale, operand.zero_point)
    graph.operation(OperationType.TRANSPOSE, (source, _vector(graph, axes)), between)
    graph.operation(OperationType.TRANSPOSE, (between, _vector(graph, np.argsort(axes))), target)


def pad_and_slice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add PAD on all sides and SLICE of the original elements."""
    sizes = operand.dimensions
    paddings = [(chooser.integer(0, _MOST_PADDING), chooser.integer(0, _MOST_PADDING)) for _ in sizes]
    padded = tuple(size + sum(sides) for size, sides in zip(sizes, paddings, strict=True))
    between = graph.temporary(operand.type, padded, operand.scale, operand.zero_point)
    graph.operation(OperationType.PAD, (source, _paddings(graph, paddings)), between)
    begin = _vector(graph, [before for before, _ in paddings])
    graph.operation(OperationType.SLICE, (between, begin, _vector(graph, sizes)), target)


def reverse_twice(chooser: Chooser, graph: GraphBuilder, operand: TestOperand, source: int, target: int) -> None:
    """Add REVERSE along an axis, twice."""
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


def constant_as_input(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form in which a random constant tensor is an input of the same value."""
    constants = [
        index for index, operand in enumerate(test.main.operands) if operand.lifetime in CONSTANTS and is_data(operand)
    ]
    return _with_lifetime(chooser, test, constants, OperandLifeTime.SUBGRAPH_INPUT)


def input_as_constant(chooser: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form in which a random input is a constant of its value; none if it is the only input."""
    inputs = [index for index in test.main.input_indexes if is_data(test.main.operands[index])]
    enough = len(test.main.input_indexes) > 1
    return _with_lifetime(chooser, test, inputs if enough else [], OperandLifeTime.CONSTANT_COPY)


def _with_lifetime(
    chooser: Chooser, test: TestModel, indexes: Sequence[int], lifetime: OperandLifeTime
) -> Sequence[OtherForm]:
    if not indexes:
        return ()
    index = chooser.pick(indexes)
    changed = with_operand(test.main, index, replace(test.main.operands[index], lifetime=lifetime))
    return (OtherForm(replace(test, main=relisted(changed, index, lifetime))),)


def constants_in_pool(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the form whose constants lie in a pool."""
    copies = {
        index: replace(operand, lifetime=OperandLifeTime.CONSTANT_REFERENCE)
        for index, operand in enumerate(test.main.operands)
        if operand.lifetime == OperandLifeTime.CONSTANT_COPY and operand.data is not None and operand.data.size
    }
    return (OtherForm(replace(test, main=with_operands(test.main, copies))),) if copies else ()


def same(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the test itself."""
    return (OtherForm(test),)


def other_inputs(_: Chooser, test: TestModel) -> Sequence[OtherForm]:
    """Return the model itself, with the elements of its inputs in reverse order."""
    inputs = {index: test.main.operands[index] for index in test.main.input_indexes}
    turned = {
        index: replace(operand, data=operand.data[::-1].copy())
        for index, operand in inputs.items()
        if operand.data is not None
    }
    return (OtherForm(replace(test, main=with_operands(test.main, turned))),)
