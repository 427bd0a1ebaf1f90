"""Runs a plan on a driver, renders what the log holds and summarises it on the console."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from rich.console import Console

from nnvet.commands.options import folder_name
from nnvet.commands.progress import RunProgress
from nnvet.conformance.engine.collector import collect_rarely
from nnvet.conformance.engine.runner import Extra, Plan, execute_plan
from nnvet.reports.console import print_summary
from nnvet.reports.log import Log, LogError, read_log
from nnvet.reports.render import ReportPaths, render

_BY_SIGNAL: Final = 128
"""Added to the number of the signal that ended a run, as shells do."""

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


def run_plan(plan: Plan, measuring: Callable[[RunProgress], Extra] | None = None) -> int:
    """Run, then render and summarise whatever the log holds; returns the exit code.

    ``measuring`` makes of the progress what is to be run and logged besides.
    """
    collect_rarely()
    console = Console()
    progress = RunProgress(console)
    try:
        with progress, _signals_interrupt():
            log = execute_plan(plan, progress, None if measuring is None else measuring(progress))
    except KeyboardInterrupt as interrupt:
        number = interrupt.args[0] if interrupt.args else signal.SIGINT
        console.print(f"interrupted by {signal.Signals(number).name}: the log holds what was done so far")
        code = _BY_SIGNAL + number
        if not plan.log.exists():
            return code
        log = read_log(plan.log)
    else:
        code = _BY_SIGNAL if log.finished is None else log.finished.exit_code
    print_summary(log, [_rendered(log, plan.out).html], console)
    return code


def _rendered(log: Log, out: Path) -> ReportPaths:
    try:
        return render(log, out)
    except OSError as error:
        place = error.filename or out
        raise LogError(f"{place}: cannot write the report ({error.strerror or error}); the log is whole") from error


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, unless they are ignored, as by nohup."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _: object) -> NoReturn:
    raise KeyboardInterrupt(number)


def folder_of(out: Path, selector: str, drivers: list[str]) -> Path:
    """Where the results of one of the drivers go."""
    return out if len(drivers) == 1 else out / folder_name(selector)
