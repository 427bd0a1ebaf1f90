"""``nnvet profiles`` and ``nnvet verify``: list the profiles of conformance, and check a published verdict.

A profile is a list of operations, types and suites that a driver must pass (docs/profiles.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands import completing
from nnvet.commands.options import table_console, user_errors

if TYPE_CHECKING:
    from nnvet.conformance.profiles.evaluation import Profile


def profiles(
    name: Annotated[str, typer.Argument(help="The profile to show in full.", autocompletion=completing.profiles)] = "",
) -> None:
    """List the profiles of conformance, or show one in full."""
    from nnvet.conformance.profiles.evaluation import check_names
    from nnvet.conformance.profiles.evaluation import profiles as known

    with user_errors():
        if name:
            check_names([name])
            _show(known()[name])
        else:
            _list(list(known().values()))


def verify(
    statement: Annotated[Path, typer.Argument(metavar="RESULT", help="result.json of a run, or its folder.")],
    log: Annotated[Path | None, typer.Option("--log", help="The run's log; default: run.jsonl beside it.")] = None,
    driver: Annotated[
        str, typer.Option("-d", "--driver", help="Selector of the driver's file; default: that of the log.")
    ] = "",
) -> None:
    """Check a result.json against log, corpus and driver.

    The log is judged again.
    Exit code 1 if something does not match. Check a signature with the tool that made it.
    """
    from nnvet.conformance.profiles.statement import NAME, StatementError, checks_driver, mismatches, read_statement
    from nnvet.reports.log import FILE_NAME, read_run

    with user_errors():
        path = statement / NAME if statement.is_dir() else statement
        read, run = read_statement(path), read_run(log or path.parent / FILE_NAME)
        try:
            found = list(mismatches(read, run, driver))
        except OSError as error:
            raise StatementError(f"{error.filename}: cannot be read ({error.strerror or error})") from error
    for line in found:
        typer.echo(f"does not match: {line}")
    if found:
        raise typer.Exit(1)
    checked = "log, corpus and driver" if checks_driver(read, run, driver) else "log and corpus, not the driver,"
    typer.echo(f"{checked} match: {read.predicate['verdict']['sentence']}")


def _list(found: list[Profile]) -> None:
    from rich.table import Table

    table = Table("profile", "level", "operations", "suites", "for", box=None)
    for profile in found:
        table.add_row(
            profile.name, str(profile.level), str(len(profile.types)), str(len(profile.suites)), profile.title
        )
    table_console(highlight=False).print(table)


def _show(profile: Profile) -> None:
    from nnvet.conformance.profiles.evaluation import demanded_cases

    cases = sum(1 for _ in demanded_cases(profile))
    without = f", without {', '.join(profile.without_suites)}" if profile.without_suites else ""
    typer.echo(f"{profile.name}: {profile.title}\n\n{profile.audience}\n")
    typer.echo(f"feature level {profile.level}, {cases:,} cases")
    typer.echo(f"suites, without any UNSUPPORTED: {', '.join(profile.suites)}{without}")
    if profile.types:
        typer.echo(
            f"{len(profile.types)} operations, each with a PASS and {profile.floor:.0%} of its cases in each type:"
        )
        for operation, kinds in profile.types.items():
            typer.echo(f"  {operation}: {', '.join(kinds)}")
