"""Mutants and what yields them: one thing changed in any subgraph of a model."""

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


def placed(model: Model) -> Iterator[tuple[int, Subgraph]]:
    """The main subgraph as number 0, then the referenced ones."""
    return enumerate((model.main, *model.referenced))


def subgraph_mutants(model: Model, change: SubgraphChange) -> Iterator[Mutant]:
    """One mutant for each changed subgraph, main subgraph first."""
    for place, subgraph in placed(model):
        for what, changed in change(subgraph):
            yield mutant(model, place, changed, what)


def of_operands(change: OperandChange) -> Mutation:
    """The mutation that changes one operand at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in placed(model):
            for index, operand in enumerate(subgraph.operands):
                for what, changed in change(operand, model, level):
                    yield mutant(model, place, with_operand(subgraph, index, changed), f"operand {index}: {what}")

    return mutate


def of_operations(change: OperationChange) -> Mutation:
    """The mutation that changes one operation at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in placed(model):
            for index, operation in enumerate(subgraph.operations):
                for what, changed in change(operation, subgraph, level):
                    mutated = with_operation(subgraph, index, changed)
                    yield mutant(model, place, mutated, f"operation {index}: {what}")

    return mutate


def where(place: int) -> str:
    """Name of the main subgraph (0) or of a referenced one."""
    return "main subgraph" if place == 0 else f"subgraph {place - 1}"


def mutant(model: Model, place: int, mutated: Subgraph, what: str) -> Mutant:
    """The model with another subgraph at ``place``, and ``what`` is different in it."""
    return Mutant(f"{where(place)}, {what}", with_subgraph(model, place, mutated))
