"""Runs a plan on a driver, renders what the log holds and summarises it on the console."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from nnvet.commands.benchmark import BenchChoice, bench_into
from nnvet.commands.options import folder_name
from nnvet.commands.progress import BenchProgress, RunProgress
from nnvet.conformance.engine.collector import collect_rarely
from nnvet.conformance.engine.runner import Extra, Plan, execute_plan
from nnvet.reports.console import print_summary
from nnvet.reports.log import EventLog, read_log
from nnvet.reports.render import render

_INTERRUPTED = 130


def run_plan(plan: Plan, choice: BenchChoice | None) -> int:
    """Run, then render and summarise whatever the log holds; returns the exit code."""
    collect_rarely()
    console = Console()
    progress = RunProgress(console)
    try:
        with progress:
            log = execute_plan(plan, progress, _extra(plan, choice, progress))
    except KeyboardInterrupt:
        console.print("interrupted: the log holds what was done so far")
        if not plan.log.exists():
            return _INTERRUPTED
        log = read_log(plan.log)
    print_summary(log, [render(log, plan.out).html], console)
    return _INTERRUPTED if log.finished is None else log.finished.exit_code


def _extra(plan: Plan, choice: BenchChoice | None, progress: RunProgress) -> Extra | None:
    if choice is None:
        return None

    def measure(log: EventLog) -> bool:
        return bench_into(log, plan.target, choice, BenchProgress(progress))

    return measure


def folder_of(out: Path, selector: str, drivers: list[str]) -> Path:
    """Where the results of one of the drivers go."""
    return out if len(drivers) == 1 else out / folder_name(selector)
