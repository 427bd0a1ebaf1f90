"""Accuracy over the cases of a run: how near to their bounds results come, and what they cover.

Read from the evidence of cases that are judged by error bounds (:mod:`nnvet.conformance.engine.bounded`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nnvet.reports.log import Log

BINS: Final = 10
"""Parts of a bound in which largest errors are counted."""
_VAGUE: Final = 0.5
"""Of a model with a larger share of undecided elements little is known."""


@dataclass(frozen=True)
class OperationAccuracy:
    """Largest errors of the outputs that an operation made, in units of their bounds."""

    operation: str
    outputs: int
    worst: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Coverage:
    """Elements that were compared and those that were not, and what occurred, by operation and type, with the ranks.

    ``vague`` are cases of which more than half of the elements are undecided. ``cases`` are those that passed, ``made``
    all whose models are known. ``edges`` counts cases by an operation and another that reads its output, ``items`` by
    operation and number of an item (:class:`nnvet.reports.events.ModelSpace`).
    """

    cases: int
    made: int
    elements: int
    undecided: int
    vague: int
    occurred: Mapping[str, Mapping[str, Mapping[int, int]]]
    accuracy: tuple[OperationAccuracy, ...]
    edges: Mapping[str, Mapping[str, int]]
    items: Mapping[str, Mapping[int, int]]

    @property
    def operations(self) -> int:
        """Number of operations that occurred."""
        return len(self.occurred)

    @property
    def combinations(self) -> int:
        """Number of combinations of operation, type and rank that occurred."""
        return sum(len(ranks) for kinds in self.occurred.values() for ranks in kinds.values())

    @property
    def pairs(self) -> int:
        """Of how many pairs of operations one fed the other."""
        return sum(map(len, self.edges.values()))

    @property
    def types(self) -> tuple[str, ...]:
        """The types that occurred."""
        return tuple(sorted({kind for kinds in self.occurred.values() for kind in kinds}))


def coverage_of(log: Log) -> Coverage:
    """Return the coverage of the cases of a log that were judged by error bounds."""
    made = _Made()
    errors: defaultdict[str, list[float]] = defaultdict(list)
    cases = elements = undecided = vague = 0
    for result in log.results.values():
        evidence = result.evidence
        if "covers" not in evidence:
            continue
        made.add(evidence["covers"])
        if "undecided" not in evidence:
            # It did not pass.
            continue
        cases += 1
        elements += evidence["elements"]
        undecided += evidence["undecided"]
        vague += evidence["undecided"] > _VAGUE * evidence["elements"]
        for operation, error in evidence["accuracy"].items():
            errors[operation].append(float(error))
    rows = tuple(_accuracy(operation, found) for operation, found in sorted(errors.items()))
    plain = {
        operation: {kind: dict(ranks) for kind, ranks in kinds.items()}
        for operation, kinds in sorted(made.kinds.items())
    }
    return Coverage(cases, made.cases, elements, undecided, vague, plain, rows, dict(made.edges), dict(made.items))


class _Made:
    """Counts what the models of cases consist of."""

    def __init__(self) -> None:
        self.cases = 0
        self.kinds: defaultdict[str, defaultdict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
        self.edges: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.items: defaultdict[str, Counter[int]] = defaultdict(Counter)

    def add(self, covers: Iterable[str]) -> None:
        """Count one case; a line is what :func:`nnvet.conformance.engine.bounded.contents_of` writes."""
        self.cases += 1
        for text in covers:
            operation, kind, rank, feeders, items = text.split(" ")
            self.kinds[operation][kind][int(rank)] += 1
            for feeder in _list(feeders):
                self.edges[feeder][operation] += 1
            self.items[operation].update(map(int, _list(items)))


def _list(text: str) -> list[str]:
    return [] if text == "-" else text.split(",")


def _accuracy(operation: str, errors: list[float]) -> OperationAccuracy:
    counts = [0] * BINS
    for error in errors:
        counts[min(int(min(error, 1.0) * BINS), BINS - 1)] += 1
    return OperationAccuracy(operation, len(errors), max(errors), tuple(counts))
