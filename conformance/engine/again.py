"""Repetition of cases before their end is logged, so that the right case is blamed.

:mod:`nnvet.conformance.engine.driver` calls :func:`run_anew`, :func:`run_again` and :func:`confirm_verdict` for each
case; stress tests use :func:`load_of_doubt` and :func:`settle_doubt`. Failures of an earlier run are run again by
:mod:`nnvet.conformance.engine.retesting`.

- A case that fails, or at which the driver dies after other cases, runs again. Its verdict does not change; if the
  second run ends otherwise, reason and evidence say so.
- A case that hangs, or breaks a rule about time, on a machine with more work than cores, runs again alone, on a fresh
  driver if the first one has hung. The second result counts: it confirms the verdict or replaces it, with a note.
- A case during which the link to the driver was lost says nothing about the driver. It runs again, on a fresh driver.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from nnvet.conformance.engine.selection import labels_of
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Outcome
from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.evidence import CONFIRMED, LOST_LINKS, UNCONFIRMED
from nnvet.reports.fingerprint import fingerprint

SUSPECTS: Final = 3
"""Number of cases before a death that are suspects, and are run again."""
OF_A_KIND: Final = 3
"""Most failures of one fingerprint that run again, so that a driver that always fails does not take twice as long."""

LINKS_TRIED: Final = 3
"""Most runs of a case if the link to the driver is lost in each of them."""

Run = Callable[[Case], tuple[Outcome, bool]]
"""Function that runs a case, and returns its outcome and True if the driver died of it."""


class Neighbour(NamedTuple):
    """A case that ran earlier in the same driver process; it ``fails`` if it has failed twice there."""

    case: Case
    fails: bool = False


class Restartable(Protocol):
    """Interface of a driver on which cases can be run again.

    ``neighbours`` are the last cases since the driver was started, ``failures`` counts failures by fingerprint since
    the first start, and ``shared`` keeps what cases share.
    """

    neighbours: deque[Neighbour]
    failures: Counter[str]
    shared: dict[Any, Any]

    def revive(self) -> None:
        """Start the driver anew, whether or not it is dead.

        :raises DriverLostError: it does not start.
        """


def run_anew(driver: Restartable, run: Run, case: Case, first: tuple[Outcome, bool]) -> tuple[Outcome, bool]:
    """Run a case again if it was cut off from the driver; return its outcome, and True if the driver is dead now.

    Exceptions of ``driver.revive`` are passed on.
    """
    outcome, died = first
    losses: list[str] = []
    while died and outcome.verdict is Verdict.ERROR:
        losses.append(outcome.reason)
        if len(losses) == LINKS_TRIED:
            break
        driver.revive()
        outcome, died = run(case)
    return outcome.with_timings({LOST_LINKS: tuple(losses)}) if losses else outcome, died


def run_again(driver: Restartable, run: Run, case: Case, outcome: Outcome, *, died: bool) -> tuple[Outcome, bool]:
    """Return the final outcome of a case after all repetitions, and True if the driver is dead now.

    Exceptions of ``driver.revive`` are passed on.
    """
    neighbour = Neighbour(case)
    if died and outcome.verdict is not Verdict.ERROR and driver.neighbours:
        outcome, died = _judge_death(driver, run, case, outcome)
    elif outcome.verdict is Verdict.FAIL and CONFIRMED in outcome.evidence.get("timings", ()):
        neighbour = Neighbour(case, fails=True)
    elif outcome.verdict is Verdict.FAIL and _is_rare(driver, case, outcome):
        outcome, died = _repeat_failure(driver, run, case, outcome)
        neighbour = Neighbour(case, fails="again" not in outcome.evidence)
    driver.neighbours.append(neighbour)
    return outcome, died


def _is_rare(driver: Restartable, case: Case, outcome: Outcome) -> bool:
    """Return True if the failure is among the first of its kind."""
    end = CaseFinished(
        case.id, outcome.verdict, outcome.rule, outcome.reason, dict(outcome.evidence), labels=dict(labels_of(case))
    )
    kind = fingerprint(end)
    driver.failures[kind] += 1
    return driver.failures[kind] <= OF_A_KIND


def _repeat_failure(driver: Restartable, run: Run, case: Case, outcome: Outcome) -> tuple[Outcome, bool]:
    """Run a failed case again in the same process, from preparation on, and return its outcome with a note."""
    driver.shared.clear()
    again, died = run(case)
    if again.verdict is Verdict.FAIL:
        return outcome, died
    reason = f"{outcome.reason}; flaky: run again it is {again.verdict}"
    return replace(outcome, reason=reason, evidence={**outcome.evidence, "again": again.verdict}), died


def _judge_death(driver: Restartable, run: Run, case: Case, outcome: Outcome) -> tuple[Outcome, bool]:
    """Run a case again on a fresh driver, which has died of it after other cases.

    If the driver dies again, the case itself is to blame. Otherwise the case is flaky, and the cases before it are
    suspects: each of them is run again on a fresh driver, followed by the case. Suspects that have failed may have
    failed for the same reason, so they are run again alone, too.
    """
    suspects = tuple(driver.neighbours)
    driver.revive()
    alone, died = run(case)
    if died:
        outcome = alone
    else:
        outcome, died = _find_culprit(driver, run, case, outcome, alone, suspects)
    failed_before = {}
    for suspect in suspects:
        if suspect.fails:
            driver.revive()
            again, died = run(suspect.case)
            if again.verdict is not Verdict.FAIL:
                failed_before[suspect.case.id] = again.verdict
    if not failed_before:
        return outcome, died
    doubtful = ", ".join(f"{name} (alone: {verdict})" for name, verdict in failed_before.items())
    reason = f"{outcome.reason}; what failed before in the same process is doubtful: {doubtful}"
    return replace(outcome, reason=reason, evidence={**outcome.evidence, "failed_before": failed_before}), died


def _find_culprit(
    driver: Restartable, run: Run, case: Case, outcome: Outcome, alone: Outcome, suspects: tuple[Neighbour, ...]
) -> tuple[Outcome, bool]:
    """Return the outcome of a flaky case, with the suspect after which the driver dies again, if there is one.

    The second value is True if the driver is dead now.
    """
    reason = f"{outcome.reason}; flaky: on a fresh driver it is {alone.verdict}"
    # A search for the cause of a hang would cost one timeout for each suspect.
    tried = reversed(suspects) if outcome.verdict is Verdict.CRASH else ()
    culprit = next((suspect.case.id for suspect in tried if _dies_after(driver, run, suspect.case, case)), "")
    if culprit:
        reason = f"{outcome.reason}; alone it is {alone.verdict}, after {culprit} the driver dies again"
    evidence = {
        **outcome.evidence,
        "alone": alone.verdict,
        "suspects": [suspect.case.id for suspect in suspects],
        "culprit": culprit,
    }
    return replace(outcome, reason=reason, evidence=evidence), bool(culprit)


def _dies_after(driver: Restartable, run: Run, suspect: Case, case: Case) -> bool:
    """Return True if a fresh driver dies of ``suspect``, or of the case after it."""
    driver.revive()
    return any(run(tried)[1] for tried in (suspect, case))


TIME_RULES: Final = frozenset(
    {
        "driver/hang",
        "prepare/deadline.status",
        "execution/deadline.status",
        "execution/duration.first",
        "execution/duration.status",
        "execution/loop_timeout",
        "execution/timing",
        "client/leak",
        "client/interference",
    }
)
"""Rules that a correct driver may seem to break while it, or the suite, waits for a processor."""

_LOADAVG: Final = Path("/proc/loadavg")
"""File of the kernel with the number of processes that run at present."""


class Confirming(Protocol):
    """Interface of a driver on which a verdict can be confirmed; ``shared`` keeps what cases share."""

    shared: dict[Any, Any]

    def revive(self) -> None:
        """Start the driver anew, whether it is dead or not; raises if it does not start any more."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep all other cases of the run from running during the block."""


def cores() -> int:
    """Return the number of processors that this process may use."""
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
    """Confirm a verdict that depends on time; return the case's outcome, and True if the driver is dead now.

    Exceptions of ``driver.revive`` are passed on.
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
    """Return the load that makes a verdict doubtful; None: it does not depend on time, or the load is low."""
    busy = load() if _is_by_time(outcome) else 0.0
    return busy if busy > cores() else None


def settle_doubt(outcome: Outcome, again: Outcome, busy: float) -> Outcome:
    """Return the second outcome of a case that was run again because of doubt, with a note of the first one."""
    if _is_by_time(again) and (again.verdict, again.rule) == (outcome.verdict, outcome.rule):
        confirmed_by = f"{again.verdict} again, run by itself: the load was above the {cores()} cores"
        note: dict[str, Any] = {CONFIRMED: confirmed_by}
    else:
        note = {UNCONFIRMED: {"verdict": str(outcome.verdict), "rule": outcome.rule, "reason": outcome.reason}}
    # The load differs between equal runs, so it belongs to the timings.
    return again.with_timings({**note, "load": round(busy, 2)})


def _is_by_time(outcome: Outcome) -> bool:
    """Return True if an outcome depends on time: a HANG, or a broken rule of :data:`TIME_RULES`."""
    return outcome.verdict is Verdict.HANG or (outcome.verdict is Verdict.FAIL and outcome.rule in TIME_RULES)
