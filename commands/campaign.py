"""``nnvet campaign``: run the commands of a file on several drivers, for instance as a nightly job.

:mod:`nnvet.commands.actions.campaign` reads the file and runs the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import user_errors


def campaign(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The campaign (*.toml); docs/campaigns.md describes it.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="Glob of names of jobs; may be repeated.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Print the commands, and run none.")] = False,
) -> None:
    """Run a list of jobs one after the other.

    The exit code is that of the worst job.
    """
    from nnvet.commands.actions.campaign import commands_of, read_campaign, run_commands

    with user_errors():
        jobs = commands_of(read_campaign(file), tuple(only or ("*",)), context.find_root().command)
        if show:
            for job in jobs:
                typer.echo(job.text)
            return
        code = run_commands(jobs, file)
    raise typer.Exit(code)
