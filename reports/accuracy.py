"""Accuracy of the answers of a run, beyond pass and fail: tables for pages, and sentences for terminals.

The numbers come from the evidence of cases that are judged by error bounds (:mod:`nnvet.conformance.kit.bounded`).

- :func:`coverage_of` counts the contents of their models, and how much of its error bound each output uses.
- :func:`position_grades` grades operations by the numeric positions that the answers keep. A position is a published
  statement on how exact an operation must be (docs/positions.md).
- :func:`quality_cases` lists answers that keep the contract but cross the tighter error bound: a matter of quality.

``html/page.py``, ``html/scoreboard.py``, ``markdown.py`` and ``console.py`` show the results; the accuracy of whole
networks in benchmarks is a matter of ``figures.py``.
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
"""Share of undecided elements (too uncertain to be judged) above which a case counts as vague: it says little."""


@dataclass(frozen=True)
class OperationAccuracy:
    """Largest errors of the outputs that an operation computed, in units of their bounds.

    ``outputs`` is their number, ``worst`` the largest error of all, and ``counts`` has a number for each of
    :data:`BINS`.
    """

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
    """Return the coverage and the accuracy of the cases of a log that were judged by error bounds."""
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
    rows = tuple(_count_errors(operation, found) for operation, found in sorted(errors.items()))
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
            for feeder in _split(feeders):
                self.edges[feeder][operation] += 1
            self.items[operation].update(map(int, _split(items)))


def _split(text: str) -> list[str]:
    """Return the parts of a list in a line of ``covers``, where "-" stands for an empty list."""
    return [] if text == "-" else text.split(",")


def _count_errors(operation: str, errors: list[float]) -> OperationAccuracy:
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
        """Return the strictest position that is kept, of those that state something about all cases; "" if none is."""
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
    return tuple(_build_grade(name, cases[name], used[name], counts[name]) for name in sorted(used))


def _build_grade(
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
    """Return a sentence on how many operations and types keep each position; empty if nothing is graded."""
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
"""Most cases that the sentence on the terminal names; the report lists all."""


@dataclass(frozen=True)
class QualityCase:
    """A case that crossed its error bound but kept the contract.

    ``made_by`` is the operation whose output crossed it, ``worst`` the worst element, and ``share`` the part of NNAPI's
    tolerance that this element uses; None if unknown.
    """

    case: str
    made_by: str
    reason: str
    worst: Mapping[str, Any]
    share: float | None


def quality_cases(log: Log) -> tuple[QualityCase, ...]:
    """Return the cases of a log that are within the contract but outside of the error bound, the worst first."""
    found = [_build_case(result) for result in log.results.values() if _has_note(result)]
    return tuple(sorted(found, key=lambda case: -(case.share or 0.0)))


def quality_line(log: Log) -> str:
    """Return a sentence on cases outside of their error bounds, and on liberties; empty if there are no such cases."""
    return "; ".join(filter(None, (_describe_crossed(log), _describe_liberties(log))))


def _describe_liberties(log: Log) -> str:
    """Return a sentence on cases that keep their error bounds only by liberties that the driver declares.

    A liberty is a deviation from usual arithmetic for which bounds are widened (docs/oracle.md).
    """
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


def _describe_crossed(log: Log) -> str:
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


def _build_case(result: CaseFinished) -> QualityCase:
    quality = result.evidence.get("quality")
    quality = quality if isinstance(quality, dict) else {}
    worst = quality.get("worst")
    reason = result.numbers.quality if result.numbers else ""
    worst = worst if isinstance(worst, dict) else {}
    return QualityCase(result.case, str(quality.get("made_by") or ""), reason, worst, _compute_share(worst))


def _compute_share(worst: Mapping[str, Any]) -> float | None:
    """Return the share of the tolerance that the worst element uses; None if unknown."""
    try:
        difference, tolerance = float(worst["difference"]), float(worst["tolerance"])
    except (KeyError, TypeError, ValueError):
        return None
    share = difference / tolerance if tolerance > 0 else math.nan
    return share if math.isfinite(share) and math.isfinite(tolerance) else None
