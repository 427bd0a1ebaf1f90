"""Passes of the reducer that remove outputs and operations of the main subgraph.

One pass replaces an IF or WHILE by the subgraphs that it runs. ``reducing.py`` runs these passes before those of
``dimensions.py``, which leave the graph as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.generators.reducer.evaluation import Values, compact, part_of, without_unused_subgraphs
from nnvet.generators.reducer.search import Search, smallest
from nnvet.graphs.editor import with_subgraph, without
from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.enums import OperandLifeTime, OperationType

_L: Final = OperandLifeTime


def drop_outputs(search: Search) -> None:
    """Leave only the outputs that are needed for the failure, and the operations that compute them."""
    before = search.best
    outputs = before.main.output_indexes
    if len(outputs) > 1:
        smallest(outputs, lambda kept: search.attempt(_keep_outputs, before, kept))


def _keep_outputs(test: TestModel, kept: Sequence[int]) -> TestModel:
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
    """Leave only the operations that are needed for the failure; operands computed by others become inputs."""
    before, values = search.best, search.values
    positions = range(len(before.main.operations))
    if len(positions) > 1:
        smallest(positions, lambda kept: search.attempt(_keep_operations, before, kept, values))
    _drop_one_by_one(search)


def _keep_operations(test: TestModel, positions: Sequence[int], values: Values) -> TestModel:
    return part_of(test, positions, values)[0]


def _drop_one_by_one(search: Search) -> None:
    """Try to leave out each operation that bisection has kept, the last one first."""
    position = len(search.best.main.operations) - 1
    while position >= 0 and len(search.best.main.operations) > 1:
        test, values = search.best, search.values
        others = [other for other in range(len(test.main.operations)) if other != position]
        search.attempt(_keep_operations, test, others, values)
        position = min(position, len(search.best.main.operations)) - 1


def bypass_operations(search: Search) -> None:
    """Remove an operation by having the readers of its output read an input of the same type instead."""
    position = len(search.best.main.operations) - 1
    while position >= 0:
        test = search.best
        for source in _substitutes(test, test.main.operations[position]):
            if search.attempt(_bypass, test, position, source):
                break
        position = min(position, len(search.best.main.operations)) - 1


def _substitutes(test: TestModel, operation: TestOperation) -> list[int]:
    """Return the inputs that can replace the only output. Only a temporary can become an output."""
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


def _bypass(test: TestModel, position: int, source: int) -> TestModel | None:
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


_BODIES: Final[Mapping[int, tuple[tuple[int, int], ...]]] = {
    OperationType.IF: ((1, 3), (2, 3)),
    OperationType.WHILE: ((1, 2), (0, 2)),
}
"""Slots of the subgraphs that can replace an operation, bodies before conditions, and of their first input."""


def inline_subgraphs(search: Search) -> None:
    """Replace each IF and WHILE by one of its subgraphs; remove operations from the subgraphs that stay."""
    position = 0
    while position < len(search.best.main.operations):
        test = search.best
        operation = test.main.operations[position]
        candidates = _BODIES.get(operation.type, ())
        if not any(search.attempt(_inlined, test, position, *slots) for slots in candidates):
            position += 1
    _bypass_inside(search)


def _inlined(test: TestModel, position: int, slot: int, first: int) -> TestModel | None:
    """Return the test with an operation replaced by the subgraph in a slot, which runs once."""
    main = test.main
    operation = main.operations[position]
    reference = main.operands[operation.inputs[slot]].data
    if reference is None:
        return None
    body = test.referenced[int(reference[0])]
    if len(body.input_indexes) > len(operation.inputs[first:]) or len(body.output_indexes) < len(operation.outputs):
        return None
    operands = list(main.operands)
    place = dict(zip(body.input_indexes, operation.inputs[first:], strict=False))
    place.update(zip(body.output_indexes, operation.outputs, strict=False))
    for index, operand in enumerate(body.operands):
        if index not in place:
            place[index] = len(operands)
            is_made = operand.lifetime == _L.SUBGRAPH_OUTPUT
            operands.append(replace(operand, lifetime=_L.TEMPORARY_VARIABLE) if is_made else operand)
    inside = tuple(
        TestOperation(
            operation.type, tuple(place[i] for i in operation.inputs), tuple(place[i] for i in operation.outputs)
        )
        for operation in body.operations
    )
    operations = (*main.operations[:position], *inside, *main.operations[position + 1 :])
    return compact(test, operands, operations)[0]


def _bypass_inside(search: Search) -> None:
    """Leave out operations of referenced subgraphs whose output may be one of their inputs."""
    place = len(search.best.referenced)
    while place > 0:
        test = search.best
        for smaller in _shorter(test.referenced[place - 1]):
            if search.attempt(_with_referenced, test, place, smaller):
                break
        else:
            place -= 1
        place = min(place, len(search.best.referenced))


def _with_referenced(test: TestModel, place: int, smaller: TestSubgraph) -> TestModel:
    return without_unused_subgraphs(with_subgraph(test, place, smaller))


def _shorter(graph: TestSubgraph) -> Iterator[TestSubgraph]:
    """Yield copies without one operation, whose output is replaced by an input of the same type and dimensions."""
    for position, operation in enumerate(graph.operations):
        if len(operation.outputs) != 1 or len(graph.operations) == 1:
            continue
        output = graph.operands[operation.outputs[0]]
        if output.lifetime != _L.TEMPORARY_VARIABLE:
            continue
        for source in dict.fromkeys(operation.inputs):
            if _is_alike_branch(graph.operands[source], output):
                yield _without(graph, position, source)


def _is_alike_branch(operand: TestOperand, other: TestOperand) -> bool:
    first, second = ((each.type, each.dimensions, each.scale, each.zero_point) for each in (operand, other))
    return first == second


def _without(graph: TestSubgraph, position: int, source: int) -> TestSubgraph:
    (output,) = graph.operations[position].outputs
    operations: Sequence[TestOperation] = [operation for at, operation in enumerate(graph.operations) if at != position]
    rewired = [
        replace(operation, inputs=tuple(source if i == output else i for i in operation.inputs))
        for operation in operations
    ]
    used = {index for operation in rewired for index in (*operation.inputs, *operation.outputs)}
    kept = sorted(used | {*graph.input_indexes, *graph.output_indexes})
    number = {index: place for place, index in enumerate(kept)}
    return TestSubgraph(
        tuple(graph.operands[index] for index in kept),
        tuple(
            TestOperation(
                operation.type, tuple(number[i] for i in operation.inputs), tuple(number[i] for i in operation.outputs)
            )
            for operation in rewired
        ),
        tuple(number[index] for index in graph.input_indexes),
        tuple(number[index] for index in graph.output_indexes),
    )
