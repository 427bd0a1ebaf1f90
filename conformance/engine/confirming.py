"""Verdicts by time on a busy machine, which are confirmed before they are reported.

A case that hangs, or breaks a rule about times, while there is more to run than the machine has cores is run once more,
while no other case of the run does, on a fresh driver if the first has hung. What it ends with then counts: the same
again is confirmed, anything else stands with a note of how the case had ended first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.outcome import Outcome
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import CONFIRMED, UNCONFIRMED

TIME_RULES: Final = frozenset(
    {
        "driver/hang",
        "prepare/deadline.status",
        "execution/deadline.status",
        "execution/duration.status",
        "execution/loop_timeout",
        "execution/timing",
        "client/leak",
        "client/interference",
    }
)
"""Rules that a right driver may seem to break where it, or the suite, waits for a processor."""

_LOADAVG: Final = Path("/proc/loadavg")

Run = Callable[[Case], tuple[Outcome, bool]]
"""Runs a case; gives how it ended, and whether the driver died of it."""


class Confirming(Protocol):
    """Facts about a driver that are needed to confirm a verdict on it; ``shared`` keeps what cases share."""

    shared: dict[Any, Any]

    def revive(self) -> None:
        """Start the driver anew, be it dead or not; raises if it does not start any more."""

    def alone(self) -> AbstractContextManager[None]:
        """No other case of the run runs during the block."""


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def load() -> float:
    """Return the load of this machine: the mean of the last minute or, if that is more, the present one."""
    found = 0.0
    with suppress(OSError):
        found = os.getloadavg()[0]
    with suppress(OSError, ValueError, IndexError):
        found = max(found, float(_LOADAVG.read_text(encoding="ascii").split()[3].partition("/")[0]))
    return found


def confirm_verdict(driver: Confirming, run: Run, case: Case, outcome: Outcome, *, died: bool) -> tuple[Outcome, bool]:
    """The end of a case that has run, after a verdict by time was confirmed; and whether the driver is dead now.

    Whatever ``driver`` raises when it is revived is passed on.
    """
    busy = load_of_doubt(outcome)
    if busy is None:
        return outcome, died
    with driver.alone():
        if died:
            driver.revive()
        driver.shared.clear()
        again, died = run(case)
    return settle_doubt(outcome, again, busy), died


def load_of_doubt(outcome: Outcome) -> float | None:
    """The load of the machine that makes a verdict doubtful; None if it is none by time, or nothing else has to run."""
    busy = load() if _is_by_time(outcome) else 0.0
    return busy if busy > cores() else None


def settle_doubt(outcome: Outcome, again: Outcome, busy: float) -> Outcome:
    """The second end of what was run again because its first one was doubtful, with a note of the first."""
    if _is_by_time(again) and (again.verdict, again.rule) == (outcome.verdict, outcome.rule):
        confirmed_by = f"{again.verdict} again, run by itself: the load was above the {cores()} cores"
        note: dict[str, Any] = {CONFIRMED: confirmed_by}
    else:
        note = {UNCONFIRMED: {"verdict": str(outcome.verdict), "rule": outcome.rule, "reason": outcome.reason}}
    # Equal runs differ in it, as the machine is busy or not.
    return again.with_timings({**note, "load": round(busy, 2)})


def _is_by_time(outcome: Outcome) -> bool:
    return outcome.verdict is Verdict.HANG or (outcome.verdict is Verdict.FAIL and outcome.rule in TIME_RULES)
