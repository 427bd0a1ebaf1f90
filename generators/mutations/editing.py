"""Copies of models with one thing changed, in any of their subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from nnvet.generators.graphs.editor import with_operand, with_operation, with_subgraph
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
