"""Answers within the contract and outside of the error bound: a matter of quality, beside the verdict.

Grades of operations by the stated numeric positions that a driver's answers keep (docs/positions.md).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.log import Log


@dataclass(frozen=True)
class PositionGrade:
    """An operation in one type: the largest share of each position's limit that its cases use.

    ``worst`` has the case that uses it. Of all ``positions``, from the strictest on, those that are not in ``shares``
    do not say anything of the operation. ``stated`` counts the cases of which a position says something.
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
        """The strictest position that is kept, of those that say something of all cases; empty if none is."""
        kept = (position for position, share in self.shares.items() if share <= 1)
        return next((position for position in kept if self.stated[position] == self.cases), "")


@dataclass(frozen=True)
class PositionCount:
    """A position: of how many operations and types it says something, and how many of these keep it."""

    position: str
    kept: int
    stated: int


def position_grades(log: Log) -> tuple[PositionGrade, ...]:
    """The grades of a log, by operation and type."""
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
    """One sentence for the end of a run; empty if nothing is graded."""
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
"""So many cases are named on the line of the terminal."""


@dataclass(frozen=True)
class QualityCase:
    """One case that passed so. ``worst`` is the element that stands for it; ``share`` its part of the tolerance."""

    case: str
    made_by: str
    reason: str
    worst: Mapping[str, Any]
    share: float | None


def quality_cases(log: Log) -> tuple[QualityCase, ...]:
    """The cases of a log that are within the contract but outside of the error bound, the worst first."""
    found = [_case(result) for result in log.results.values() if _has_note(result)]
    return tuple(sorted(found, key=lambda case: -(case.share or 0.0)))


def quality_line(log: Log) -> str:
    """One sentence for the end of a run; empty if there is nothing to say."""
    return "; ".join(filter(None, (_crossed_line(log), _liberties_line(log))))


def _liberties_line(log: Log) -> str:
    """Cases that keep their error bounds by liberties that the driver declares (docs/oracle.md)."""
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
    """The part of the tolerance that the worst element uses; None where that is open."""
    try:
        difference, tolerance = float(worst["difference"]), float(worst["tolerance"])
    except (KeyError, TypeError, ValueError):
        return None
    share = difference / tolerance if tolerance > 0 else math.nan
    return share if math.isfinite(share) and math.isfinite(tolerance) else None
