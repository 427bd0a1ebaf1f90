"""Runs a plan on a driver, renders what the log holds and summarises it on the console."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from nnvet.adapters.selector import parse_selector
from nnvet.commands.history import add_to_history
from nnvet.commands.options import CommandError
from nnvet.commands.progress import RunProgress
from nnvet.commands.signals import BY_SIGNAL, Interruption
from nnvet.conformance.engine.collector import collect_rarely
from nnvet.conformance.engine.runner import Extra, Plan, execute_plan
from nnvet.conformance.engine.work import Elsewhere
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.conformance.profiles.statement import write_statement
from nnvet.reports.console import print_summary
from nnvet.reports.events import Command
from nnvet.reports.github import announce
from nnvet.reports.log import EventLog, Log, LogError, ResultsLostError, read_log
from nnvet.reports.outcome import EXIT_SUITE_FAILED, worst_exit_code
from nnvet.reports.render import render
from nnvet.reports.scoreboard import folder_name, write_scoreboard

Measuring = Callable[[RunProgress], Extra]

_RESUMED: Final = (Command.RUN, Command.BENCHMARK, Command.RANDOM)
"""Commands that have the option --resume."""


def one_after_the_other(parts: Sequence[Measuring]) -> Measuring:
    """All of what is to be run besides, each part even if one before it has found a fault."""

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
    """Run one plan after the other, or have their cases run ``elsewhere``; returns the exit code of all.

    The runs of several drivers get a page that has them side by side. All are added to a history, if one is given.

    :raises HistoryError: nothing can be added to that; before the first plan runs, if it is known by then.
    :raises typer.Exit: a signal has ended them.
    """
    listed = [(replace(plan, elsewhere=elsewhere), measuring) for plan, measuring in plans]
    if elsewhere is None:
        _check_drivers([plan.target.selector for plan, _ in listed])
    with add_to_history(history, [plan.log for plan, _ in listed]):
        code = worst_exit_code([run_plan(plan, measuring) for plan, measuring in listed])
        if len(listed) > 1:
            logs = [read_log(plan.log) for plan, _ in listed if plan.log.exists()]
            if len(logs) > 1:
                typer.echo(f"scoreboard: {write_scoreboard(logs, listed[0][0].out.parent)}")
    return code


def run_plan(plan: Plan, measuring: Measuring | None = None, progress: RunProgress | None = None) -> int:
    """Run, then render and summarise whatever the log holds; returns the exit code.

    ``measuring`` makes of the progress what is to be run and logged besides; ``progress`` is what draws the run.

    :raises typer.Exit: a signal has ended the run, or came as the reports were written; they are whole.
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
    """Call what runs and keeps the log at ``path``, then as :func:`run_plan`.

    :raises typer.Exit: as there.
    """
    collect_rarely()
    with Interruption() as interruption:
        log = run_to_end(run, path)
        interruption.hold()
        if interruption.number:
            name = signal.Signals(interruption.number).name
            console.print(f"interrupted by {name}: {'no case had begun' if log is None else _kept(log)}")
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


def _kept(log: Log) -> str:
    """Say how much an interrupted run has left, and if another one can go on from there."""
    count = len(log.results)
    kept = f"the log holds {count:,} case{'s' * (count != 1)}" if count else "the log holds what was done so far"
    return f"{kept}; the same command with --resume goes on from there" if log.started.command in _RESUMED else kept


def run_to_end(run: Callable[[], Log], path: Path) -> Log | None:
    """The log, as far as the run came before a signal or want of processes ended it; None if it had not begun one."""
    before = _state(path)
    try:
        return run()
    except WorkerError as error:
        typer.echo(f"nnvet: {error}", err=True)
    except KeyboardInterrupt:
        pass
    # What an earlier run has left here says nothing of this one.
    return None if _state(path) == before else read_log(path)


def _state(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written or replaced; None if there is none, or it cannot be looked at."""
    with suppress(OSError):
        status = path.stat()
        return status.st_ino, status.st_mtime_ns
    return None


def _check_drivers(selectors: Sequence[str]) -> None:
    """Check that each selector means something: this must be known before the first driver has run for minutes.

    Kinds of a cluster's machines are known there alone.

    :raises SelectorError: one does not.
    :raises CommandError: two are the same.
    """
    for number, selector in enumerate(selectors):
        parse_selector(selector)
        if selector in selectors[:number]:
            raise CommandError(f"-d {selector} is given twice: their results would lie in one folder")


def folder_of(out: Path, selector: str, drivers: list[str]) -> Path:
    """Return the folder for the results of one of the drivers."""
    return out if len(drivers) == 1 else out / folder_name(selector)
