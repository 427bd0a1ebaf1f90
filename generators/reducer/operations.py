"""Passes that leave out outputs and operations of the main subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.generators.graphs.editor import without
from nnvet.generators.graphs.model import TestModel, TestOperand, TestOperation
from nnvet.generators.reducer.evaluation import Values
from nnvet.generators.reducer.parts import compact, part_of
from nnvet.generators.reducer.search import Search, smallest
from nnvet.hal.enums import OperandLifeTime

_L: Final = OperandLifeTime


def drop_outputs(search: Search) -> None:
    """Leave only outputs that are needed, and what they are computed from; other results nobody reads."""
    before = search.best
    outputs = before.main.output_indexes
    if len(outputs) > 1:
        smallest(outputs, lambda kept: search.attempt(_with_outputs, before, kept))


def _with_outputs(test: TestModel, kept: Sequence[int]) -> TestModel:
    main, needed = test.main, set(kept)
    operations: list[TestOperation] = []
    for operation in reversed(main.operations):
        if not needed.isdisjoint(operation.outputs):
            operations.insert(0, operation)
            needed.update(operation.inputs)
    operands = [
        replace(operand, lifetime=_L.TEMPORARY_VARIABLE, is_ignored=False, data=None)
        if operand.lifetime == _L.SUBGRAPH_OUTPUT and index not in kept
        else operand
        for index, operand in enumerate(main.operands)
    ]
    return compact(test, operands, operations)[0]


def drop_operations(search: Search) -> None:
    """Leave only operations that are needed; what they read of the others becomes an input with its value."""
    before, values = search.best, search.values
    positions = range(len(before.main.operations))
    if len(positions) > 1:
        smallest(positions, lambda kept: search.attempt(_alone, before, kept, values))
    _drop_one_by_one(search)


def _alone(test: TestModel, positions: Sequence[int], values: Values) -> TestModel:
    return part_of(test, positions, values)[0]


def _drop_one_by_one(search: Search) -> None:
    """Of what bisection has left, which is little, leave out each operation, the last first."""
    position = len(search.best.main.operations) - 1
    while position >= 0 and len(search.best.main.operations) > 1:
        test, values = search.best, search.values
        others = [other for other in range(len(test.main.operations)) if other != position]
        search.attempt(_alone, test, others, values)
        position = min(position, len(search.best.main.operations)) - 1


def bypass_operations(search: Search) -> None:
    """Let those who read the output of an operation read one of its inputs of the same type instead."""
    position = len(search.best.main.operations) - 1
    while position >= 0:
        test = search.best
        for source in _substitutes(test, test.main.operations[position]):
            if search.attempt(_bypassed, test, position, source):
                break
        position = min(position, len(search.best.main.operations)) - 1


def _substitutes(test: TestModel, operation: TestOperation) -> list[int]:
    """Inputs that may stand for the only output, without repetition. Only a temporary can become an output."""
    if len(operation.outputs) != 1:
        return []
    operands = test.main.operands
    output = operands[operation.outputs[0]]
    allowed = {_L.TEMPORARY_VARIABLE} if output.lifetime == _L.SUBGRAPH_OUTPUT else set(_L) - {_L.NO_VALUE}
    return [
        index
        for index in dict.fromkeys(operation.inputs)
        if operands[index].lifetime in allowed and _is_alike(operands[index], output)
    ]


def _is_alike(operand: TestOperand, other: TestOperand) -> bool:
    return (operand.type, operand.scale, operand.zero_point) == (other.type, other.scale, other.zero_point)


def _bypassed(test: TestModel, position: int, source: int) -> TestModel | None:
    main = test.main
    (output,) = main.operations[position].outputs
    operations = without(main.operations, position)
    if not operations:
        return None
    operands = list(main.operands)
    if operands[output].lifetime == _L.SUBGRAPH_OUTPUT:
        operands[source] = replace(operands[source], lifetime=_L.SUBGRAPH_OUTPUT)
    rewired = [
        replace(operation, inputs=tuple(source if i == output else i for i in operation.inputs))
        for operation in operations
    ]
    read = {index for operation in rewired for index in operation.inputs}
    for index in {index for operation in rewired for index in operation.outputs} - read:
        operands[index] = replace(operands[index], lifetime=_L.SUBGRAPH_OUTPUT)
    return compact(test, operands, rewired)[0]
