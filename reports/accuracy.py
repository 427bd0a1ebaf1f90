"""What the cases of a run say of accuracy: how near to their bounds results come, and what they cover.

Read from the evidence of cases that are judged by error bounds (:mod:`nnvet.conformance.engine.bounded`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import CaseFinished
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

    ``vague`` are cases of which more than half of the elements are undecided.
    """

    cases: int
    elements: int
    undecided: int
    vague: int
    occurred: Mapping[str, Mapping[str, Mapping[int, int]]]
    accuracy: tuple[OperationAccuracy, ...]

    @property
    def operations(self) -> int:
        """How many operations occurred."""
        return len(self.occurred)

    @property
    def combinations(self) -> int:
        """How many combinations of operation, type and rank occurred."""
        return sum(len(ranks) for kinds in self.occurred.values() for ranks in kinds.values())

    @property
    def types(self) -> tuple[str, ...]:
        """The types that occurred."""
        return tuple(sorted({kind for kinds in self.occurred.values() for kind in kinds}))


def coverage_of(log: Log) -> Coverage:
    """What the cases of a log that were judged by error bounds have covered."""
    occurred: defaultdict[str, defaultdict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    errors: defaultdict[str, list[float]] = defaultdict(list)
    cases = elements = undecided = vague = 0
    for result in log.results.values():
        found = _evidence(result)
        if found is None:
            continue
        cases += 1
        elements += found["elements"]
        undecided += found["undecided"]
        vague += found["undecided"] > _VAGUE * found["elements"]
        for text in found["covers"]:
            operation, kind, rank = text.split(" ")
            occurred[operation][kind][int(rank)] += 1
        for operation, error in found["accuracy"].items():
            errors[operation].append(float(error))
    rows = tuple(_accuracy(operation, found) for operation, found in sorted(errors.items()))
    plain = {one: {kind: dict(ranks) for kind, ranks in kinds.items()} for one, kinds in sorted(occurred.items())}
    return Coverage(cases, elements, undecided, vague, plain, rows)


def _evidence(result: CaseFinished) -> Mapping[str, Any] | None:
    return result.evidence if "covers" in result.evidence else None


def _accuracy(operation: str, errors: list[float]) -> OperationAccuracy:
    counts = [0] * BINS
    for error in errors:
        counts[min(int(error * BINS), BINS - 1)] += 1
    return OperationAccuracy(operation, len(errors), max(errors), tuple(counts))
