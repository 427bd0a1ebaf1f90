"""Statements of reports on wrong drivers, graded: ``python -m tests.conformance.statements [NAME ...]``.

Each driver ``zoo:value-*`` runs the cases that show its fault. The attributes that its failing cases are said to have
in common, and the descriptions of its wrong elements, are right, missing or misleading. A line for each driver, then
the counts.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.reference_driver.zoo.registry import Signs, bugs
from nnvet.reports.contrast import Contrast, contrasts
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases

SIGNS: Final = {name: bug.signs for name, bug in bugs().items() if bug.signs is not None}
"""Drivers with wrong values, with what may be said of each."""
_PARTS: Final = re.compile(r", (?=only )")
"""A description of values and one of places are two statements."""


class Grade(StrEnum):
    """Grades of a statement; a driver of which nothing true could be said has none."""

    RIGHT = "right"
    MISSING = "missing"
    MISLEADING = "misleading"


class Judged(NamedTuple):
    """Number of failing cases, grade of each kind of statement, and all statements."""

    failing: int
    common: Grade | None
    looks: Grade
    said: tuple[str, ...]


def judge(name: str, out: Path) -> Judged:
    """Run the cases of a driver's signs in this process, and grade what is said of the failing ones."""
    signs = SIGNS[name]
    plan = Plan(Target(f"zoo:{name}", in_process=True), out, [], Selection(signs.cases), checks=False)
    log = execute_plan(plan, RunWatcher())
    found = contrasts(log)
    looks = _descriptions(log)
    return Judged(
        len(list(failed_cases(log))),
        _grade_common(found, signs),
        _grade_looks(looks, signs),
        (*map(str, found), *looks),
    )


def _descriptions(log: Log) -> list[str]:
    """Descriptions of wrong elements, each once."""
    texts = (str(result.evidence.get("looks_like", "")) for result in failed_cases(log))
    return list(dict.fromkeys(filter(None, texts)))


def _grade_common(found: Sequence[Contrast], signs: Signs) -> Grade | None:
    """One of the alternatives has to consist of attributes on which the fault depends."""
    if not found:
        return Grade.MISSING if signs.common else None
    conditions = [{" ".join(pair) for pair in condition} for contrast in found for condition in contrast.conditions]
    return Grade.RIGHT if any(condition <= set(signs.common) for condition in conditions) else Grade.MISLEADING


def _grade_looks(texts: Sequence[str], signs: Signs) -> Grade:
    """All that is said has to fit."""
    parts = [part for text in texts for part in _PARTS.split(text)]
    if not parts:
        return Grade.MISSING
    return (
        Grade.RIGHT if all(any(re.search(sign, part) for sign in signs.looks) for part in parts) else Grade.MISLEADING
    )


def main(names: Sequence[str]) -> int:
    """Print a line for each driver and the counts; returns 1 if a statement is misleading."""
    counts: Counter[Grade] = Counter()
    for name in names or SIGNS:
        with tempfile.TemporaryDirectory() as folder:
            judged = judge(name, Path(folder))
        counts.update(filter(None, (judged.common, judged.looks)))
        sys.stdout.write(f"{name:30} {judged.failing:4} failing  {judged.common or '-':10} {judged.looks}\n")
        sys.stdout.writelines(f"    {text}\n" for text in judged.said)
        sys.stdout.flush()
    sys.stdout.write(", ".join(f"{counts[grade]} {grade}" for grade in Grade) + "\n")
    return int(counts[Grade.MISLEADING] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
