"""Coverage that a campaign of random models reaches after a given number of models.

It is measured on the generator alone, without a driver. ``docs/random_coverage.py`` writes it into the documentation.
"""

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
    """Numbers of different things in the models of a campaign.

    ``pairs`` of operation and type, ``cells`` of operation, type and rank, ``items`` that declarations allow
    (:mod:`nnvet.generators.random_graphs.coverage`), and the same items counted for each type.
    """

    pairs: int
    cells: int
    items: int
    items_by_type: int


@cache
def everything() -> Mapping[OperandType, Collection[OperationType]]:
    """Return the operations that a driver with full support claims, by primary type."""
    found: dict[OperandType, set[OperationType]] = {kind: set() for kind in PRIMARY_TYPES}
    for signature in all_signatures():
        if signature.in_graphs:
            for kind in signature.types:
                found.setdefault(kind, set()).add(signature.operation)
    return {kind: tuple(sorted(operations)) for kind, operations in found.items() if operations}


def reached(counts: Collection[int], seed: int) -> dict[int, Reach]:
    """Return the coverage after each number of models in ``counts``, by default options and with all operations."""
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
