"""Reach of a campaign: the different things that its models have, by the number of models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple

from nnvet.generators.random_graphs.catalogue import all_signatures
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.coverage import numbers_and_primary
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import PRIMARY_TYPES, GraphOptions
from nnvet.generators.random_graphs.schedule import vary
from nnvet.hal.enums import OperandType, OperationType


class Reach(NamedTuple):
    """Different operations and types; the same with rank; alternatives of declarations; and these by type."""

    pairs: int
    cells: int
    items: int
    items_by_type: int


@cache
def everything() -> Mapping[OperandType, Collection[OperationType]]:
    """All operations that random models have, by primary type: those of a driver that lacks none."""
    found: dict[OperandType, set[OperationType]] = {kind: set() for kind in PRIMARY_TYPES}
    for signature in all_signatures():
        if signature.in_graphs:
            for kind in signature.types:
                found.setdefault(kind, set()).add(signature.operation)
    return {kind: tuple(sorted(operations)) for kind, operations in found.items() if operations}


def reached(counts: Collection[int], seed: int) -> dict[int, Reach]:
    """The reach of the first so many models of a campaign on a driver that lacks nothing, without options."""
    cells: set[tuple[int, int, int]] = set()
    items: set[tuple[int, int, int]] = set()
    found: dict[int, Reach] = {}
    for number, options in enumerate(islice(vary([GraphOptions()], everything(), seed=seed), max(counts))):
        graph = random_model(SeededChooser(f"reach/{seed}/{number}"), options).main
        for operation in graph.operations:
            numbers, primary = numbers_and_primary(graph, operation)
            kind, rank = (primary.type, len(primary.dimensions)) if primary is not None else (-1, 0)
            cells.add((operation.type, kind, rank))
            items.update((operation.type, kind, item) for item in numbers)
        if number + 1 in counts:
            pairs = {cell[:2] for cell in cells}
            different = {(operation, item) for operation, _, item in items}
            found[number + 1] = Reach(len(pairs), len(cells), len(different), len(items))
    return found
