"""Copies of models with one part changed; indexes and numbers of consumers follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from nnvet.hal.types import Model, Operand, Operation, Subgraph


def with_subgraph(model: Model, place: int, subgraph: Subgraph) -> Model:
    """Copy of ``model`` with another main (0) or referenced subgraph."""
    if place == 0:
        return replace(model, main=subgraph)
    referenced = (*model.referenced[: place - 1], subgraph, *model.referenced[place:])
    return replace(model, referenced=referenced)


def with_operand(subgraph: Subgraph, index: int, operand: Operand) -> Subgraph:
    """Copy with another operand at ``index``."""
    return replace(subgraph, operands=(*subgraph.operands[:index], operand, *subgraph.operands[index + 1 :]))


def with_operation(subgraph: Subgraph, index: int, operation: Operation) -> Subgraph:
    """Copy with another operation at ``index``."""
    return with_operations(subgraph, (*subgraph.operations[:index], operation, *subgraph.operations[index + 1 :]))


def with_operations(subgraph: Subgraph, operations: Iterable[Operation]) -> Subgraph:
    """Copy with other operations; numbers of consumers follow, where they are given."""
    return recounted(replace(subgraph, operations=tuple(operations)))


def recounted(subgraph: Subgraph) -> Subgraph:
    """Copy in which every number of consumers that is given is right."""
    counts = Counter(index for operation in subgraph.operations for index in operation.inputs)
    operands = tuple(
        operand
        if operand.number_of_consumers in (None, counts[index])
        else replace(operand, number_of_consumers=counts[index])
        for index, operand in enumerate(subgraph.operands)
    )
    return replace(subgraph, operands=operands)


def without(indexes: tuple[int, ...], position: int) -> tuple[int, ...]:
    """A list without the element at ``position``."""
    return indexes[:position] + indexes[position + 1 :]


def consumed(subgraph: Subgraph) -> frozenset[int]:
    """Operands that some operation reads."""
    return frozenset(index for operation in subgraph.operations for index in operation.inputs)
