"""Work of ``nnvet run``: run plans with progress on the console, render and summarise logs, record a trace.

Commands that run a suite call :func:`run_plans`, commands with another kind of run :func:`run_logged`. Without a
terminal the progress is printed as plain lines. :mod:`nnvet.conformance.engine.runner` runs a plan.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from nnvet.adapters.selector import parse_selector
from nnvet.commands.history import add_to_history
from nnvet.commands.options import CommandError, table_console
from nnvet.commands.terminal import BY_SIGNAL, Interruption, Pace, end_by_signals
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.driver import collect_rarely
from nnvet.conformance.engine.runner import Extra, Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.work import Elsewhere
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.conformance.profiles.statement import write_statement
from nnvet.diagnostics.trace_summary import TraceError, summarize, summary_table, write_chrome_trace
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, recording, span
from nnvet.reports.console import print_summary
from nnvet.reports.events import Command, Verdict
from nnvet.reports.github import announce
from nnvet.reports.log import EventLog, Log, LogError, ResultsLostError, read_log
from nnvet.reports.outcome import EXIT_SUITE_FAILED, worst_exit_code
from nnvet.reports.render import folder_name, render, write_scoreboard

if TYPE_CHECKING:
    from nnvet.conformance.engine.runner import Plan


_RUN: Final = Bucket(Layer.APPLICATION, TracePhase.OVERALL)
"""Part of a trace for the whole run."""


@contextmanager
def trace_run(file: Path | None, driver: str) -> Iterator[None]:
    """Record the block, then write the trace and print its summary; without a file do nothing.

    :raises CommandError: the file cannot be written, at the beginning or at the end.
    """
    if file is None:
        yield
        return
    try:
        # Open the file before the run, so that an error does not come at its end.
        file.write_bytes(b"")
    except OSError as error:
        raise CommandError(f"--trace {file} cannot be written: {error.strerror}") from error
    with recording() as recorded:
        with span(_RUN, f"nnvet run -d {driver}"):
            yield
        try:
            write_chrome_trace(recorded, file)
        except OSError as error:
            raise CommandError(f"--trace {file} cannot be written: {error.strerror}; the log is whole") from error
    console = table_console()
    try:
        console.print(summary_table(summarize(recorded)))
    except TraceError as error:
        console.print(f"no summary of the trace: {error}", markup=False)
    console.print(f"  trace: {file}", markup=False)


def check_trace(file: Path | None, jobs: int | None, drivers: int) -> None:
    """Refuse options with which there would be more than one trace.

    :raises CommandError: several processes or several drivers.
    """
    if file is not None and ((jobs or 1) > 1 or drivers > 1):
        raise CommandError("--trace is for one driver in one process of the suite: use one -d, and -n 1")


class RunProgress(RunWatcher):
    """Draws a bar of the batches of a run; their cases are counted while they run."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        """Draw on ``console``; ``clock`` gives seconds."""
        self._console = console
        self._pace = Pace(clock)
        self._is_terminal = console.is_terminal
        self._progress = Bars(
            TextColumn("{task.description}"),
            BarColumn(min(40, max(10, console.width - 70))),  # counts of verdicts need space beside it
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._counts: Counter[Verdict] = Counter()
        self._size = 0
        self._done = 0
        self._running = self._progress.add_task("running", total=None, note="")
        self._more = self._progress.add_task("more", total=None, note="", visible=False)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._progress.stop()

    def planned(self, size: int | None) -> None:
        """Set the length of the bar."""
        self._size = 1 if size is None else size
        self._progress.update(self._running, total=self._size)

    def finished(self, case: str, verdict: Verdict) -> None:
        """Count a case."""
        del case
        self._counts[verdict] += 1
        if self._is_terminal:
            self._progress.update(self._running, note=self.note)
        self.say_how_far()

    def batch_ended(self, batch: Batch) -> None:
        """Move the bar, or print a line if one is due; the last one is printed in any case."""
        self.advance(batch.size)
        if batch.size and self._done >= self._size:
            self._say()
        else:
            self.say_how_far()

    def say_how_far(self) -> None:
        """Without a terminal, print a line if one is due."""
        if self._pace.is_due():
            self._say()

    def _say(self) -> None:
        self.print_plain(f"{100 * self._done // max(self._size, 1)} % of the work: {self.note or 'no case has ended'}")

    def advance(self, size: int) -> None:
        """Move the bar by the size of a batch."""
        self._done += size
        self._progress.update(self._running, completed=self._done)

    def show_share(self, share: float) -> None:
        """Move the bar to a share of its length."""
        self._progress.update(self._running, completed=min(share, 1.0) * self._size)

    @property
    def total(self) -> int:
        """Return the number of cases that have ended."""
        return self._counts.total()

    @property
    def note(self) -> str:
        """Return the text beside the bar: counts of verdicts."""
        return "  ".join(f"{count} {name}" for name, count in self._counts.items())

    def print(self, text: str) -> None:
        """Print a line above the bars."""
        self._console.print(text, markup=False)

    def print_plain(self, text: str) -> None:
        """Print a line if no bars are drawn."""
        if not self._console.is_terminal:
            self.print(text)

    def show_more(self, description: str, done: int, total: int) -> None:
        """Move the bar of the work after the cases: a benchmark, or reductions."""
        self._progress.update(self._running, visible=False)
        self._progress.update(self._more, description=description, completed=done, total=total, visible=True)


Measuring = Callable[[RunProgress], Extra]

_RESUMED: Final = (Command.RUN, Command.BENCHMARK, Command.RANDOM)
"""Commands that have the option --resume."""


def join_tasks(parts: Sequence[Measuring]) -> Measuring:
    """Return a task that runs all tasks after the cases, even if one of them has found a fault."""

    def measuring(progress: RunProgress) -> Extra:
        extras = [part(progress) for part in parts]

        def run_all(log: EventLog) -> bool:
            passed = [extra(log) for extra in extras]
            return all(passed)

        return run_all

    return measuring


def run_plans(
    plans: Iterable[tuple[Plan, Measuring | None]], history: Path | None = None, elsewhere: Elsewhere | None = None
) -> int:
    """Run one plan after the other, here or ``elsewhere``, and return the exit code of all.

    The runs of several drivers get a common page. All runs are added to a history, if one is given.

    :raises HistoryError: the history cannot be extended; raised before the first plan runs if possible.
    :raises typer.Exit: a signal has ended them.
    """
    listed = [(replace(plan, elsewhere=elsewhere), measuring) for plan, measuring in plans]
    if elsewhere is None:
        _check_drivers([plan.target.selector for plan, _ in listed])
        listed = [(run_batches_ahead(plan), measuring) for plan, measuring in listed]
    with add_to_history(history, [plan.log for plan, _ in listed]):
        code = worst_exit_code([run_plan(plan, measuring) for plan, measuring in listed])
        if len(listed) > 1:
            logs = [read_log(plan.log) for plan, _ in listed if plan.log.exists()]
            if len(logs) > 1:
                typer.echo(f"scoreboard: {write_scoreboard(logs, listed[0][0].out.parent)}")
    return code


def run_plan(plan: Plan, measuring: Measuring | None = None, progress: RunProgress | None = None) -> int:
    """Run a plan, then render and summarise its log, and return the exit code.

    ``measuring`` returns further work for a progress; ``progress`` draws the run.

    :raises typer.Exit: a signal has ended the run, or came while reports were written; these are complete.
    """
    console = Console()
    drawn = progress or RunProgress(console)

    def run() -> Log:
        extra = None if measuring is None else measuring(drawn)
        try:
            with drawn:
                return execute_plan(plan, drawn, extra)
        except WorkerError as error:
            raise WorkerError(f"{error}; what was done before is kept, go on with --resume") from error

    return run_logged(run, plan.log, console)


def run_logged(run: Callable[[], Log], path: Path, console: Console) -> int:
    """Call ``run``, which writes the log at ``path``, then render and summarise the log, and return the exit code.

    :raises typer.Exit: as :func:`run_plan` does.
    """
    collect_rarely()
    with Interruption() as interruption:
        log = run_to_end(run, path)
        interruption.hold()
        if interruption.number:
            name = signal.Signals(interruption.number).name
            console.print(f"interrupted by {name}: {'no case had begun' if log is None else _describe_kept(log)}")
        if log is not None:
            try:
                print_summary(log, [render(log, path.parent).html], console)
                write_statement(log, path.parent)
            except LogError as error:
                raise ResultsLostError(str(error)) from error
            announce(log, os.environ, typer.echo)
    if interruption.number:
        raise typer.Exit(BY_SIGNAL + interruption.number)
    return EXIT_SUITE_FAILED if log is None or log.finished is None else log.finished.exit_code


def _describe_kept(log: Log) -> str:
    """Return the number of saved cases of an interrupted run in words, and the way to resume the run."""
    count = len(log.results)
    kept = f"the log holds {count:,} case{'s' * (count != 1)}" if count else "the log holds what was done so far"
    return f"{kept}; the same command with --resume goes on from there" if log.started.command in _RESUMED else kept


def run_to_end(run: Callable[[], Log], path: Path) -> Log | None:
    """Return the log, even of a run that a signal or a lack of processes has ended; None if it had not begun one."""
    before = _read_state(path)
    try:
        return run()
    except WorkerError as error:
        typer.echo(f"nnvet: {error}", err=True)
    except KeyboardInterrupt:
        pass
    # A log of an earlier run at this place does not count.
    return None if _read_state(path) == before else read_log(path)


def _read_state(path: Path) -> tuple[int, int] | None:
    """Return a value that changes when a file is written or replaced; None if it does not exist or is not readable."""
    with suppress(OSError):
        status = path.stat()
        return status.st_ino, status.st_mtime_ns
    return None


def _check_drivers(selectors: Sequence[str]) -> None:
    """Check that each selector is valid, because an error should not wait until the first driver has run.

    Kinds of a cluster's machines are known only there.

    :raises SelectorError: a selector is invalid.
    :raises CommandError: two are the same.
    """
    for number, selector in enumerate(selectors):
        parse_selector(selector)
        if selector in selectors[:number]:
            raise CommandError(f"-d {selector} is given twice: their results would lie in one folder")


def folder_of(out: Path, selector: str, drivers: list[str]) -> Path:
    """Return the folder for the results of one of the drivers."""
    return out if len(drivers) == 1 else out / folder_name(selector)


_FILES: Final = "files:"
"""Beginning of the selector of a driver that is a command (see ``docs/files.md``)."""


def print_answers(done: int, count: int) -> None:
    """Print the number of executions on standard error, since standard output is for results."""
    typer.echo(f"{done:,} of {count:,} executions in batches", err=True)


def run_batches_ahead(plan: Plan) -> Plan:
    """Run the executions of a driver that is a command (``files:``) in batches, before the cases that need the answers.

    Return the plan with the answers; a plan for a driver of another kind is returned unchanged.

    :raises SelectorError: the driver's command is invalid.
    :raises CommandError: a file cannot be written.
    """
    # Late imports: most drivers are of another kind.
    if not plan.target.selector.startswith(_FILES):
        return plan
    from nnvet.conformance.bundles.making import run_ahead

    try:
        with end_by_signals():
            return run_ahead(plan, print_answers)
    except OSError as error:
        raise CommandError(f"{error.filename or plan.out}: {error.strerror}") from error
