"""Grades of operations by the stated numeric positions that a driver's answers keep (docs/positions.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
