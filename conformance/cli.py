"""The command ``nnvet``: reads options, shows progress, turns errors of the user into one message and exit code 2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from adapters import SelectorError
from conformance.progress import RunProgress
from conformance.runner import EXIT_SUITE_FAILED, EXIT_USAGE, Plan, execute_plan, render_plan
from conformance.selection import Selection, SelectionError, Shard
from conformance.worker import Target
from hal.rules import all_rules
from reports.console import print_summary
from reports.log import LogError, read_log

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

DriverOption = Annotated[
    list[str], typer.Option("-d", "--driver", help="Driver selector, KIND:ARGUMENTS; may be repeated.")
]
OutOption = Annotated[Path, typer.Option("--out", help="Folder for run.jsonl, report.html and junit.xml.")]
SpecsOption = Annotated[
    list[Path] | None, typer.Option("--specs", help="Folder or file of specs (*.mod.py); default: the bundled corpus.")
]
OnlyOption = Annotated[list[str] | None, typer.Option("--only", help="Glob of case ids; may be repeated.")]
_INTERRUPTED = 130


@contextmanager
def _user_errors() -> Iterator[None]:
    try:
        yield
    except (SelectorError, SelectionError, LogError) as error:
        typer.echo(f"nnvet: {error}", err=True)
        raise typer.Exit(EXIT_USAGE) from error


@app.command()
def run(
    driver: DriverOption = ["reference"],
    specs: SpecsOption = None,
    out: OutOption = Path("out"),
    only: OnlyOption = None,
    level: Annotated[int | None, typer.Option(min=1, max=8, help="Test as a driver of this feature level.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    shard: Annotated[str, typer.Option(help="Run the I-th of N fractions, as I/N.")] = "1/1",
    jobs: Annotated[int, typer.Option("-n", "--jobs", min=1, max=64, help="Processes, each with a driver.")] = 1,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds after which a silent driver hangs.")] = 20.0,
    in_process: Annotated[bool, typer.Option("--in-process", help="Driver in this process, for debuggers.")] = False,
) -> None:
    """Run the conformance suite on one or more drivers."""
    codes = []
    with _user_errors():
        selection = Selection(tuple(only or ()), level, Shard.parse(shard))
        for selector in driver:
            target = Target(selector, in_process, timeout, level)
            folder = out if len(driver) == 1 else out / _folder_name(selector)
            codes.append(_run_one(Plan(target, folder, specs or (), selection, jobs, seed)))
    raise typer.Exit(max(codes))


def _run_one(plan: Plan) -> int:
    console = Console()
    try:
        with RunProgress(console) as progress:
            code = execute_plan(plan, progress)
    except KeyboardInterrupt:
        console.print("interrupted: the log holds what was done so far")
        code = _INTERRUPTED
    if (plan.out / "run.jsonl").exists():
        paths = render_plan(plan)
        print_summary(read_log(plan.out / "run.jsonl"), [paths.html], console)
    return code


def _folder_name(selector: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in selector)


@app.command()
def report(
    log: Annotated[Path, typer.Argument(help="run.jsonl of a run, finished or not.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the reports; default: beside the log.")] = None,
) -> None:
    """Render the reports of a log again."""
    from reports.render import render

    with _user_errors():
        paths = render(log, out or log.parent)
        print_summary(read_log(log), [paths.html, paths.junit, paths.markdown])


@app.command()
def rules(
    glob: Annotated[str, typer.Argument(help="Only rules whose id matches.")] = "*",
) -> None:
    """List the numbered rules of the contract."""
    from fnmatch import fnmatchcase

    table = Table("rule", "phase", "sentence", box=None)
    for rule in all_rules().values():
        if fnmatchcase(rule.id, glob):
            table.add_row(rule.id, rule.phase, rule.sentence)
    Console().print(table)


def main() -> None:
    """Entry point; faults of the suite end with exit code 3 and one line."""
    try:
        app()
    except Exception as error:  # noqa: BLE001 - the last resort
        typer.echo(f"nnvet: internal error, {type(error).__name__}: {error}", err=True)
        sys.exit(EXIT_SUITE_FAILED)
