"""Reduces a failing test, with progress, and saves and shows what remains."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from nnvet.commands.options import CommandError
from nnvet.commands.signals import BY_SIGNAL, Interruption
from nnvet.commands.subjects import FoundTest
from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.retesting import Retester, identity_of, manner_of, provenance
from nnvet.conformance.engine.runner import target_options
from nnvet.conformance.engine.session import DEFAULT_TIMEOUT_S, DriverLostError, Target, open_session
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.named import described
from nnvet.generators.reducer import Ending, Reduction, ReductionStep, fingerprint, reduce
from nnvet.generators.saved_failures import SavedFailure, save_failure
from nnvet.generators.specs import SpecError
from nnvet.oracle import Tolerance
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT
from nnvet.reports.values import printable

_LINES: Final = 10


class ReductionProgress:
    """A bar of the executions of a reduction; without a terminal, a line at each tenth of the budget."""

    def __init__(self, console: Console) -> None:
        """Draw on ``console``."""
        self._console = console
        columns = (TextColumn("reducing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._bars = Bars(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bars.add_task("", total=None)

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
        if not self._console.is_terminal and step.executions % max(1, step.budget // _LINES) == 0:
            self._console.print(f"{step.executions} executions: {text}")


@dataclass(frozen=True)
class _Reduced:
    """A reduction, how its least test ends, what is accepted of that, and the signal that ended it, 0 if none did."""

    before: TestModel
    found: Reduction
    outcome: Outcome
    tolerances: list[Tolerance | None]
    signal: int


def reduce_subject(subject: FoundTest, target: Target, out: Path, budget: int) -> int:
    """Reduce, save, show; returns the exit code: 0 if there is a least test that fails, 1 if nothing can be reduced.

    :raises CommandError: the test does not fail, cannot be made or saved, or the driver does not start.
    :raises SelectorError: there is no such driver.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)
    try:
        done = _reduced(subject, target, budget, console)
    except (SpecError, DriverLostError) as error:
        raise CommandError(str(error)) from error
    found = done.found
    if found.ending is Ending.NOT_REPRODUCED:
        console.print(f"not reduced: {found.obstacle}")
        return BY_SIGNAL + done.signal if done.signal else EXIT_NOT_CONFORMANT
    saved = _saved(out / FOLDER / fingerprint(found.identity, found.test), done, subject, target)
    _show(console, done, saved, target)
    return BY_SIGNAL + done.signal if done.signal else EXIT_CONFORMANT


def _reduced(subject: FoundTest, target: Target, budget: int, console: Console) -> _Reduced:
    test = subject.load()
    with open_session(target) as session:
        manner = manner_of(subject.case, session.feature_level)
        retester = Retester(session, manner)
        outcome = retester.outcome(test)
        identity = identity_of(outcome)
        if identity is None:
            why = f"{outcome.verdict}{': ' if outcome.reason else ''}{outcome.reason}"
            raise CommandError(
                f"{subject.name} does not fail on {target.selector}, so there is nothing to reduce: it is {why}"
            )
        console.print(f"{identity}: {printable(outcome.reason)}")
        with Interruption() as interruption, ReductionProgress(console) as progress:
            found = reduce(test, retester.fails, identity, budget, progress.step)
            interruption.hold()
        outcome = retester.failures.get(identity, outcome)
        return _Reduced(test, found, outcome, manner.tolerances(found.test), interruption.number)


def _saved(folder: Path, done: _Reduced, subject: FoundTest, target: Target) -> SavedFailure:
    seed = subject.origin.seed if subject.origin else ""
    origin = provenance(subject.case, target.selector, done.outcome, seed)
    try:
        return save_failure(folder, done.found.test, origin, done.tolerances)
    except OSError as error:
        raise CommandError(f"{error.filename or folder} cannot be written: {error.strerror}") from error


def _show(console: Console, done: _Reduced, saved: SavedFailure, target: Target) -> None:
    found = done.found
    before, after = (len(test.main.operations) for test in (done.before, found.test))
    ending = "" if found.ending is Ending.MINIMAL else f"; ended by {found.ending}, there may be less"
    console.print(f"{before} operations reduced to {after} in {found.executions} executions{ending}")
    console.print(printable(done.outcome.reason))
    for line in described(found.test):
        console.print(f"  {line}")
    for path in saved:
        console.print(f"saved: {path}")
    options = target_options(target, DEFAULT_TIMEOUT_S)
    level = [] if target.level is None else ["--level", str(target.level)]
    command = ["nnvet", "replay", str(saved.vector.parent), "-d", target.selector, *options, *level]
    console.print(f"replay: {shlex.join(command)}")
