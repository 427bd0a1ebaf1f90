"""``nnvet diff``: what changed from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import user_errors

Run = Annotated[Path, typer.Argument(help="run.jsonl of a run, or its folder.")]


def diff(
    before: Run,
    after: Run,
    out: Annotated[Path | None, typer.Option("--out", help="File for a page of the same, such as diff.html.")] = None,
) -> None:
    """Show which verdicts changed between two runs; exit code 1 if something got worse."""
    from rich.console import Console

    from nnvet.reports.console import print_changes
    from nnvet.reports.diff import Trend, group_changes
    from nnvet.reports.html.diff import write_changes
    from nnvet.reports.log import read_run
    from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT

    with user_errors():
        logs = read_run(before), read_run(after)
        console = Console()
        print_changes(*logs, console)
        if out is not None:
            write_changes(*logs, out)
            typer.echo(f"page: {out}")
    is_worse = any(group.trend is Trend.WORSE for group in group_changes(*logs))
    raise typer.Exit(EXIT_NOT_CONFORMANT if is_worse else EXIT_CONFORMANT)
