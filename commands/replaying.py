"""Runs one case or one saved failure, and shows what came of it."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from nnvet.commands.found_tests import FoundTest
from nnvet.conformance.engine.driver import DriverLostError, Finished, open_subject, run_cases
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.retesting import Retester, manner_of
from nnvet.conformance.engine.subject import Target
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import SPEC
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_SPEC, EXIT_SUITE_FAILED

EXITS: Final = {
    Verdict.PASS: EXIT_CONFORMANT,
    Verdict.FAIL: EXIT_NOT_CONFORMANT,
    Verdict.CRASH: EXIT_NOT_CONFORMANT,
    Verdict.HANG: EXIT_NOT_CONFORMANT,
}
"""Exit codes of single verdicts, as those of a run with one case: whatever proves nothing is EXIT_SUITE_FAILED."""


def replay_test(found: FoundTest, target: Target) -> int:
    """Run it, show it, and return the exit code.

    :raises CommandError: the test cannot be made.
    :raises SelectorError: there is no such driver.
    """
    try:
        outcome = _case_outcome(found, target) if found.listed else _test_outcome(found, target)
    except DriverLostError as lost:
        outcome = lost.finding.outcome
    show(outcome, found.name, target.selector)
    if outcome.verdict is Verdict.ERROR and SPEC in outcome.evidence:
        return EXIT_SPEC
    return EXITS.get(outcome.verdict, EXIT_SUITE_FAILED)


def _case_outcome(found: FoundTest, target: Target) -> Outcome:
    assert found.listed is not None  # noqa: S101 - asked by replay_test
    events = [event for event in run_cases([found.listed], target) if isinstance(event, Finished)]
    return next(event.outcome for event in events if event.case == found.listed.id)


def _test_outcome(found: FoundTest, target: Target) -> Outcome:
    test = found.load()
    with open_subject(target) as subject:
        return Retester(subject, manner_of(found.case, subject.feature_level)).outcome(test)


def show(outcome: Outcome, name: str, driver: str) -> None:
    """Print a verdict and all that it rests on."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"{outcome.verdict}  {name}  on {driver}")
    for line in outcome.lines():
        console.print(line)
