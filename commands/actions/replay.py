"""Work of ``nnvet reduce`` and ``nnvet replay``: reduce a test with progress and save it, or run a case again.

:func:`reduce_test` and :func:`replay_test` get the test from ``commands/found_tests.py``.
:mod:`nnvet.conformance.engine.reducing` searches for the smallest test that fails.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from nnvet.commands.found_tests import FoundTest
from nnvet.commands.options import CommandError
from nnvet.commands.terminal import BY_SIGNAL, Interruption, Pace
from nnvet.conformance.engine.driver import DriverLostError, open_subject, run_cases
from nnvet.conformance.engine.reducing import Finding, ReducedFailure, save_search, search_on
from nnvet.conformance.engine.retesting import Retester, identity_of, manner_of
from nnvet.conformance.engine.runner import target_options
from nnvet.conformance.engine.saved_failures import SavedFailure
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.engine.work import Elsewhere
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.generators.reducer import Ending, ReductionStep
from nnvet.graphs.model import TestModel, describe_model
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import SPEC, replay_line
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_SPEC, EXIT_SUITE_FAILED
from nnvet.reports.values import printable


class ReductionWatcher(Protocol):
    """Interface that is notified of a reduction's progress."""

    def step(self, step: ReductionStep) -> None:
        """Take note that a test was executed."""

    def print(self, text: str) -> None:
        """Tell the user something."""


class ReductionProgress:
    """Draws a bar of the executions of a reduction; without a terminal, prints a line every ten seconds at most."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        """Draw on ``console``; ``clock`` gives seconds."""
        self._console = console
        columns = (TextColumn("reducing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._bars = Bars(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bars.add_task("", total=None)
        self._pace = Pace(clock)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._bars.stop()

    def step(self, step: ReductionStep) -> None:
        """Draw an execution."""
        text = f"{step.operations} operations; trying {step.trying}"
        self._bars.update(self._task, completed=step.executions, total=step.budget, description=text)
        if not self._console.is_terminal and self._pace.is_due():
            self.print(f"{step.executions} executions: {text}")

    def print(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text)


def reduce_test(found: FoundTest, target: Target, out: Path, budget: int) -> int:
    """Reduce a test, save and show the result; return 0 if it could be reduced, 1 if not.

    :raises CommandError: the test does not fail or cannot be saved, or the driver does not start.
    :raises SpecError: the test cannot be made.
    :raises SelectorError: there is no such driver.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)
    try:
        test = found.load()
        with Interruption() as interruption, ReductionProgress(console) as progress:
            done = reduce_and_save(test, found, target, out, budget, progress)
            interruption.hold()
    except KeyboardInterrupt:
        console.print("interrupted: nothing was saved")
        return BY_SIGNAL + interruption.number
    if interruption.number:
        console.print(f"interrupted by {signal.Signals(interruption.number).name}")
    if done.files is None:
        console.print(f"not reduced: {done.reduction.obstacle}")
    else:
        _show(console, test, done, done.files, target)
    if interruption.number:
        return BY_SIGNAL + interruption.number
    return EXIT_NOT_CONFORMANT if done.files is None else EXIT_CONFORMANT


def reduce_and_save(
    test: TestModel,
    found: FoundTest,
    target: Target,
    out: Path,
    budget: int,
    watcher: ReductionWatcher,
    elsewhere: Elsewhere | None = None,
) -> ReducedFailure:
    """Reduce a test, on this machine or where the driver is, and save it.

    :raises CommandError: it does not fail, cannot be saved, or the driver does not start.
    """
    try:
        if elsewhere is None:
            search = search_on(target, test, found.case, budget, watcher.step)
        else:
            search = elsewhere.ask(search_on, target, test, found.case, budget)
    except DriverLostError as error:
        raise CommandError(str(error)) from error
    outcome = search.first
    if search.reduction is None:
        why = f"{outcome.verdict}{': ' if outcome.reason else ''}{outcome.reason}"
        raise CommandError(
            f"{found.name} does not fail on {target.selector}, so there is nothing to reduce: it is {why}"
        )
    watcher.print(f"{identity_of(outcome)}: {printable(outcome.reason)}")
    seed = found.origin.seed if found.origin else ""
    try:
        return save_search(search, Finding(test, found.case, target.selector, outcome, seed), out)
    except OSError as error:
        raise CommandError(f"{error.filename or out} cannot be written: {error.strerror}") from error


def _show(console: Console, test: TestModel, done: ReducedFailure, saved: SavedFailure, target: Target) -> None:
    found = done.reduction
    before, after = (len(model.main.operations) for model in (test, found.test))
    ending = "" if found.ending is Ending.MINIMAL else f"; ended by {found.ending}, there may be less"
    console.print(f"{before} operations reduced to {after} in {found.executions} executions{ending}")
    console.print(printable(done.outcome.reason))
    for line in describe_model(found.test):
        console.print(f"  {line}")
    for path in saved:
        console.print(f"saved: {path}")
    console.print(f"replay: {replay_of_saved(saved.vector.parent, target)}")


def replay_of_saved(folder: Path, target: Target) -> str:
    """Return the command line that runs a saved failure again on a target."""
    return replay_line(str(folder), target.selector, target_options(target, DEFAULT_TIMEOUT_S), target.level)


EXITS: Final = {
    Verdict.PASS: EXIT_CONFORMANT,
    Verdict.FAIL: EXIT_NOT_CONFORMANT,
    Verdict.CRASH: EXIT_NOT_CONFORMANT,
    Verdict.HANG: EXIT_NOT_CONFORMANT,
}
"""Exit codes of single verdicts, like those of a run with one case; a verdict without proof is EXIT_SUITE_FAILED."""


def replay_test(found: FoundTest, target: Target) -> int:
    """Run a test, show its result, and return the exit code.

    :raises CommandError: the test cannot be made.
    :raises SelectorError: there is no such driver.
    """
    try:
        outcome = _run_case(found, target) if found.listed else _run_test(found, target)
    except DriverLostError as lost:
        outcome = lost.finding.outcome
    show(outcome, found.name, target.selector)
    if outcome.verdict is Verdict.ERROR and SPEC in outcome.evidence:
        return EXIT_SPEC
    return EXITS.get(outcome.verdict, EXIT_SUITE_FAILED)


def _run_case(found: FoundTest, target: Target) -> Outcome:
    assert found.listed is not None  # noqa: S101 - asked by replay_test
    events = [event for event in run_cases([found.listed], target) if isinstance(event, Finished)]
    return next(event.outcome for event in events if event.case == found.listed.id)


def _run_test(found: FoundTest, target: Target) -> Outcome:
    test = found.load()
    with open_subject(target) as subject:
        return Retester(subject, manner_of(found.case, subject.feature_level)).outcome(test)


def show(outcome: Outcome, name: str, driver: str) -> None:
    """Print a verdict with its evidence."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"{outcome.verdict}  {name}  on {driver}")
    for line in outcome.lines():
        console.print(line)
