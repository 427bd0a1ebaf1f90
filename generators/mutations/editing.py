"""Copies of models with one thing changed, in any of their subgraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from nnvet.hal.types import Model, Operand, Operation, Subgraph


class Mutant(NamedTuple):
    """A mutated copy of a model, with what was done to it."""

    description: str
    model: Model


Mutation = Callable[[Model, int], Iterator[Mutant]]
"""All mutants of one kind of a model that is valid at a feature level."""

SubgraphChange = Callable[[Subgraph], Iterable[tuple[str, Subgraph]]]
OperandChange = Callable[[Operand, Model, int], Iterable[tuple[str, Operand]]]
OperationChange = Callable[[Operation, Subgraph, int], Iterable[tuple[str, Operation]]]


def subgraph_mutants(model: Model, change: SubgraphChange) -> Iterator[Mutant]:
    """One mutant for each changed subgraph, main subgraph first."""
    for place, subgraph in enumerate((model.main, *model.referenced)):
        for what, changed in change(subgraph):
            yield Mutant(f"{where(place)}, {what}", with_subgraph(model, place, changed))


def of_operands(change: OperandChange) -> Mutation:
    """The mutation that changes one operand at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in enumerate((model.main, *model.referenced)):
            for index, operand in enumerate(subgraph.operands):
                for what, changed in change(operand, model, level):
                    yield Mutant(
                        f"{where(place)}, operand {index}: {what}",
                        with_subgraph(model, place, with_operand(subgraph, index, changed)),
                    )

    return mutate


def of_operations(change: OperationChange) -> Mutation:
    """The mutation that changes one operation at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in enumerate((model.main, *model.referenced)):
            for index, operation in enumerate(subgraph.operations):
                for what, changed in change(operation, subgraph, level):
                    yield Mutant(
                        f"{where(place)}, operation {index}: {what}",
                        with_subgraph(model, place, with_operation(subgraph, index, changed)),
                    )

    return mutate


def where(place: int) -> str:
    """Name of the main subgraph (0) or of a referenced one."""
    return "main subgraph" if place == 0 else f"subgraph {place - 1}"


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
