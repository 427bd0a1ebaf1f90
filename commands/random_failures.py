"""Makes the failures of random models small, and logs what is left of them before the run ends."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from nnvet.commands.logged_reductions import made_small, together
from nnvet.commands.random_progress import RandomProgress, kind_of
from nnvet.commands.subjects import subject_of
from nnvet.conformance.engine.runner import Extra
from nnvet.conformance.engine.session import Target
from nnvet.conformance.engine.work import Elsewhere
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, LoggedReduction
from nnvet.reports.log import EventLog, Log

_REDUCED: Final = 8
"""So many failures are made small, of as many kinds as there are."""
_MOST_EXECUTIONS: Final = 250


def failures_reduced(
    check: str, target: Target, out: Path, progress: RandomProgress, elsewhere: Elsewhere | None = None
) -> Extra:
    """Return the task that reduces the smallest failure of each kind of a check when the cases have ended."""

    def reduce_all(log: EventLog) -> bool:
        kinds = _kinds(log.so_far, check)
        found: dict[str, LoggedReduction] = {}
        for members in kinds[:_REDUCED]:
            first, *others = members
            subject = subject_of(first.case, ())
            small = made_small(first, subject, target, out, _MOST_EXECUTIONS, progress, elsewhere)
            if small is not None:
                log.reduction(together(found, small.entry, len(others)))
                small.go_on()
        if len(kinds) > _REDUCED:
            progress.print(f"{len(kinds) - _REDUCED} further kinds of failures were not made small: nnvet reduce CASE")
        return True

    return reduce_all


def _kinds(log: Log, check: str) -> list[list[CaseFinished]]:
    """Failures by kind, those with the fewest operations first."""
    kinds: dict[tuple[str, ...], list[CaseFinished]] = {}
    for result in log.results.values():
        if result.verdict in DRIVER_FAULTS and result.case.startswith(f"{check}/"):
            kinds.setdefault(kind_of(result), []).append(result)
    ordered = [sorted(members, key=_operations) for members in kinds.values()]
    return sorted(ordered, key=lambda members: _operations(members[0]))


def _operations(failure: CaseFinished) -> int:
    """Return the number of operations of a failing model; a driver that died was not asked."""
    return len(failure.evidence.get("covers", ())) or _MOST_EXECUTIONS
