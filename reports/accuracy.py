"""Accuracy over the cases of a run: shares of the error bounds that results use, and the coverage of these cases.

:func:`coverage_of`, :func:`position_grades` and :func:`quality_cases` make the tables of the report. The numbers come
from the evidence of cases that are judged by error bounds (:mod:`nnvet.conformance.kit.bounded`).

The module also lists answers that keep the contract but cross the error bound, which is a matter of quality beside the
verdict, and grades operations by the stated numeric positions that a driver's answers keep (docs/positions.md).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import Log

BINS: Final = 10
"""Number of equal parts into which a bound is divided, to count the largest errors that lie in each part."""
_VAGUE: Final = 0.5
"""Share of undecided elements above which a case counts as vague."""


@dataclass(frozen=True)
class OperationAccuracy:
    """Largest errors of the outputs that an operation made, in units of their bounds."""

    operation: str
    outputs: int
    worst: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Coverage:
    """Numbers of compared and undecided elements, and of occurrences by operation, type and rank.

    ``vague`` counts cases with more than half of the elements undecided, ``cases`` those that passed, ``made`` all
    whose models are known. ``edges`` counts cases by pairs of operations of which the second reads the first one's
    output, ``items`` by operation and number of an item (:class:`nnvet.reports.events.ModelSpace`).
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
        """Return the number of operations that occurred."""
        return len(self.occurred)

    @property
    def combinations(self) -> int:
        """Return the number of combinations of operation, type and rank that occurred."""
        return sum(len(ranks) for kinds in self.occurred.values() for ranks in kinds.values())

    @property
    def pairs(self) -> int:
        """Return the number of pairs of operations in which the first feeds the second."""
        return sum(map(len, self.edges.values()))

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types that occurred."""
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
            # A case without these numbers did not pass.
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
    """Counter of the operations, pairs and items in the models of cases."""

    def __init__(self) -> None:
        self.cases = 0
        self.kinds: defaultdict[str, defaultdict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
        self.edges: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.items: defaultdict[str, Counter[int]] = defaultdict(Counter)

    def add(self, covers: Iterable[str]) -> None:
        """Count one case; each line comes from :func:`nnvet.conformance.kit.bounded.contents_of`."""
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


@dataclass(frozen=True)
class PositionGrade:
    """Grade of an operation in one type: the largest share of each position's limit that its cases use.

    ``worst`` has the case of each largest share. ``positions`` has all positions, from the strictest on; those without
    an entry in ``shares`` state nothing about the operation. ``stated`` counts the cases about which a position does.
    """

    operation: str
    type: str
    cases: int
    positions: tuple[str, ...]
    shares: Mapping[str, float]
    worst: Mapping[str, str]
    stated: Mapping[str, int]

    @property
    def grade(self) -> str:
        """Return the strictest position that is kept, of those that state something about all cases.

        Empty if none is.
        """
        kept = (position for position, share in self.shares.items() if share <= 1)
        return next((position for position in kept if self.stated[position] == self.cases), "")


@dataclass(frozen=True)
class PositionCount:
    """Counts of a position: the operations and types that it covers, and those that keep it."""

    position: str
    kept: int
    stated: int


def position_grades(log: Log) -> tuple[PositionGrade, ...]:
    """Return the grades of a log, by operation and type."""
    used: defaultdict[str, dict[str, tuple[float, str] | None]] = defaultdict(dict)
    cases: Counter[str] = Counter()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for result in log.results.values():
        positions = result.evidence.get("positions")
        for name, shares in positions.items() if isinstance(positions, dict) else ():
            cases[name] += 1
            for position, share in shares.items():
                known = used[name].setdefault(position, None)
                counts[name][position] += share is not None
                if share is not None and (known is None or share > known[0]):
                    used[name][position] = float(share), result.case
    return tuple(_grade(name, cases[name], used[name], counts[name]) for name in sorted(used))


def _grade(
    name: str, cases: int, used: Mapping[str, tuple[float, str] | None], counts: Mapping[str, int]
) -> PositionGrade:
    operation, _, kind = name.partition(" ")
    shares = {position: largest[0] for position, largest in used.items() if largest is not None}
    worst = {position: largest[1] for position, largest in used.items() if largest is not None}
    return PositionGrade(operation, kind, cases, tuple(used), shares, worst, counts)


def position_counts(grades: Iterable[PositionGrade]) -> tuple[PositionCount, ...]:
    """Return the number of operations and types that keep each position, in the order of the log."""
    kept: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    order: dict[str, None] = {}
    for grade in grades:
        order |= dict.fromkeys(grade.positions)
        stated.update(grade.shares.keys())
        kept.update(position for position, share in grade.shares.items() if share <= 1)
    return tuple(PositionCount(position, kept[position], stated[position]) for position in order if stated[position])


def positions_line(log: Log) -> str:
    """Return a sentence for the end of a run; empty if nothing is graded."""
    grades = position_grades(log)
    if not grades:
        return ""
    counts = position_counts(grades)
    some = ", ".join(
        f"{count.position} {count.kept} of {count.stated}" for count in counts if count.kept < count.stated
    )
    every = ", ".join(count.position for count in counts if count.kept == count.stated)
    parts = filter(None, (every and f"kept by all that they state: {every}", some))
    noun = "one operation and type" if len(grades) == 1 else f"{len(grades)} operations and types"
    return f"numeric positions of {noun}{', ' if every else ': '}{'; '.join(parts)}"


CASES_NAMED: Final = 3
"""Most cases that the line on the terminal names."""


@dataclass(frozen=True)
class QualityCase:
    """A case that crossed its bound but kept the contract.

    ``worst`` is its worst element, ``share`` its part of the tolerance.
    """

    case: str
    made_by: str
    reason: str
    worst: Mapping[str, Any]
    share: float | None


def quality_cases(log: Log) -> tuple[QualityCase, ...]:
    """Return the cases of a log that are within the contract but outside of the error bound, the worst first."""
    found = [_case(result) for result in log.results.values() if _has_note(result)]
    return tuple(sorted(found, key=lambda case: -(case.share or 0.0)))


def quality_line(log: Log) -> str:
    """Return a sentence for the end of a run; empty if there are no such cases."""
    return "; ".join(filter(None, (_crossed_line(log), _liberties_line(log))))


def _liberties_line(log: Log) -> str:
    """Return a sentence about cases that need liberties of the driver to keep their error bounds (docs/oracle.md)."""
    needs = [
        result.evidence["needs"]
        for result in log.results.values()
        if result.verdict is Verdict.PASS and isinstance(result.evidence.get("needs"), list)
    ]
    if not needs:
        return ""
    counts = Counter(str(name) for names in needs for name in names)
    named = ", ".join(f"{name} ({count:,})" for name, count in sorted(counts.items()))
    cases = "case keeps its" if len(needs) == 1 else "cases keep their"
    return f"{len(needs):,} {cases} error bound by declared liberties: {named}"


def _crossed_line(log: Log) -> str:
    found = quality_cases(log)
    if not found:
        return ""
    named = ", ".join(case.case for case in found[:CASES_NAMED])
    rest = f" and {len(found) - CASES_NAMED:,} more" if len(found) > CASES_NAMED else ""
    noun = "case" if len(found) == 1 else "cases"
    return (
        f"{len(found):,} {noun} inside the contract but outside of the error bound: {named}{rest} (--strict fails them)"
    )


def _has_note(result: CaseFinished) -> bool:
    return result.verdict is Verdict.PASS and result.numbers is not None and bool(result.numbers.quality)


def _case(result: CaseFinished) -> QualityCase:
    quality = result.evidence.get("quality")
    quality = quality if isinstance(quality, dict) else {}
    worst = quality.get("worst")
    reason = result.numbers.quality if result.numbers else ""
    worst = worst if isinstance(worst, dict) else {}
    return QualityCase(result.case, str(quality.get("made_by") or ""), reason, worst, _share(worst))


def _share(worst: Mapping[str, Any]) -> float | None:
    """Return the share of the tolerance that the worst element uses; None if unknown."""
    try:
        difference, tolerance = float(worst["difference"]), float(worst["tolerance"])
    except (KeyError, TypeError, ValueError):
        return None
    share = difference / tolerance if tolerance > 0 else math.nan
    return share if math.isfinite(share) and math.isfinite(tolerance) else None
