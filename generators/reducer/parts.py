"""Some operations of a test as a test of their own: what they read of the others becomes an input with its value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.validation.operands import CONSTANTS

_L: Final = OperandLifeTime


class NotReducibleError(Exception):
    """A model that is not valid, or that the oracle cannot compute: it is no candidate."""


def part_of(
    test: TestModel, positions: Collection[int], values: Mapping[int, Array] | None
) -> tuple[TestModel, list[int]]:
    """The operations at these positions of the main subgraph alone, and the former indexes of its operands.

    What they read of other operations becomes an input, with the value that ``values`` has; None: without any. What
    they write is an output if it was one, or if none of them reads it.

    :raises NotReducibleError: such a value is zero-sized, and so cannot be an input.
    """
    main = test.main
    operations = tuple(main.operations[position] for position in sorted(positions))
    read = {index for operation in operations for index in operation.inputs}
    written = {index for operation in operations for index in operation.outputs}
    changed = list(main.operands)
    for index in written:
        is_output = index in main.output_indexes or index not in read
        lifetime = _L.SUBGRAPH_OUTPUT if is_output else _L.TEMPORARY_VARIABLE
        changed[index] = replace(main.operands[index], lifetime=lifetime, data=None)
    for index in read - written:
        if main.operands[index].lifetime in (_L.TEMPORARY_VARIABLE, _L.SUBGRAPH_OUTPUT):
            changed[index] = _as_input(main.operands[index], None if values is None else values[index])
    return compact(test, changed, operations)


def _as_input(operand: TestOperand, value: Array | None) -> TestOperand:
    if value is None:
        return replace(operand, lifetime=_L.SUBGRAPH_INPUT, data=None)
    if not value.size:
        raise NotReducibleError("a zero-sized value cannot be an input: there it would be omitted")
    return replace(
        operand, dimensions=value.shape, lifetime=_L.SUBGRAPH_INPUT, is_ignored=False, data=value.reshape(-1)
    )


def compact(
    test: TestModel, operands: Sequence[TestOperand], operations: Sequence[TestOperation]
) -> tuple[TestModel, list[int]]:
    """The test with these operands and operations in its main subgraph, and the former indexes of those that are left.

    Operands that no operation names are left out, as are referenced subgraphs. Inputs and outputs are listed in the
    order of operands. If no input is left, the first constant becomes one.
    """
    used = {index for operation in operations for index in (*operation.inputs, *operation.outputs)}
    kept = [index for index in range(len(operands)) if index in used]
    place = {index: number for number, index in enumerate(kept)}
    left = _with_an_input([operands[index] for index in kept])

    def listed(lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(number for number, operand in enumerate(left) if operand.lifetime == lifetime)

    main = TestSubgraph(
        tuple(left),
        tuple(
            replace(
                operation,
                inputs=tuple(place[i] for i in operation.inputs),
                outputs=tuple(place[i] for i in operation.outputs),
            )
            for operation in operations
        ),
        listed(_L.SUBGRAPH_INPUT),
        listed(_L.SUBGRAPH_OUTPUT),
    )
    return without_unused_subgraphs(replace(test, main=main)), kept


def _with_an_input(operands: list[TestOperand]) -> list[TestOperand]:
    """Interfaces such as the C API of the NNAPI have no word for a model without inputs."""
    if any(operand.lifetime == _L.SUBGRAPH_INPUT for operand in operands):
        return operands
    for index, operand in enumerate(operands):
        if operand.lifetime in CONSTANTS and operand.data is not None and operand.data.size and operand.dimensions:
            operands[index] = replace(operand, lifetime=_L.SUBGRAPH_INPUT)
            break
    return operands


def without_unused_subgraphs(test: TestModel) -> TestModel:
    """The test without referenced subgraphs that nothing refers to, the others numbered anew."""
    if not test.referenced:
        return test
    reached: list[int] = []
    waiting = _references(test.main)
    while waiting:
        index = waiting.pop(0)
        if index not in reached:
            reached.append(index)
            waiting += _references(test.referenced[index])
    reached.sort()
    number = {index: place for place, index in enumerate(reached)}
    referenced = tuple(_renumbered(test.referenced[index], number) for index in reached)
    return replace(test, main=_renumbered(test.main, number), referenced=referenced)


def _references(subgraph: TestSubgraph) -> list[int]:
    found = [operand.data for operand in subgraph.operands if operand.lifetime == _L.SUBGRAPH]
    return [int(data[0]) for data in found if data is not None]


def _renumbered(subgraph: TestSubgraph, number: Mapping[int, int]) -> TestSubgraph:
    def changed(operand: TestOperand) -> TestOperand:
        if operand.lifetime != _L.SUBGRAPH or operand.data is None:
            return operand
        return replace(operand, data=np.array([number[int(operand.data[0])]], np.uint32))

    return replace(subgraph, operands=tuple(map(changed, subgraph.operands)))
