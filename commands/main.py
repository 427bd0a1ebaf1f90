"""Entry point of the command ``nnvet``.

The modules of commands contain only options and help; everything else is imported when a command runs.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import Annotated, Final

import typer

from nnvet.commands import (
    bench,
    bundle,
    compare,
    explain,
    fuzz,
    history,
    new_driver,
    profiles,
    random_models,
    replay,
    run,
    smoke,
    stress,
    tables,
    user_models,
    utilities,
    versions,
)
from nnvet.commands.terminal import find_lost_output, keep_going

_NAME: Final = "nnvet"
"""Name of the program, also of ``python -m nnvet.commands``, because completion is installed under it."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nnvet {version('nnvet')}")
        raise typer.Exit


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help without boxes: loading what draws them takes longer than all the rest
    help="Test neural-network drivers for conformance, accuracy, speed and robustness. To begin, run "
    "nnvet smoke -d DRIVER, then nnvet run -d DRIVER; nnvet drivers says how to name a driver.\n\n"
    "Exit codes: 0 no fault found, 1 not conformant, 2 usage error, 3 the suite failed or the run is incomplete, "
    "4 a spec is wrong, 130 interrupted.",
)


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Make GitHub Actions ignore workflow commands in the output, where drivers, specs and logs can put some."""
    del version
    # The commands of a campaign call this themselves.
    if os.environ.get("GITHUB_ACTIONS") and context.invoked_subcommand != "campaign":
        from nnvet.reports.github import COMMANDS

        COMMANDS.stop(os.environ, typer.echo)
        context.call_on_close(lambda: COMMANDS.resume(typer.echo))


for command in (
    new_driver.new_driver,
    smoke.smoke,
    run.run,
    bench.capabilities,
    bench.bench,
    random_models.random,
    fuzz.fuzz,
    stress.stress,
    run.campaign,
    replay.replay,
    replay.reduce,
    user_models.mine,
    user_models.locate,
    user_models.partition,
    compare.triage,
    tables.report,
    tables.scoreboard,
    history.history,
    compare.diff,
    compare.upgrade,
    versions.versions,
    profiles.profiles,
    profiles.verify,
    explain.explain,
    tables.rules,
    tables.drivers,
    tables.zoo,
    utilities.serve,
    utilities.graph,
    utilities.export,
    bundle.bundle,
    bundle.judge,
    utilities.export_driver,
):
    app.command()(command)


def main() -> None:
    """Run the command; an exception of the suite itself ends with exit code 3 and a line with its place."""
    printed = keep_going()
    code: str | int | None = 0
    try:
        app(prog_name=_NAME)
    except SystemExit as end:
        code = end.code
    except Exception as error:  # noqa: BLE001 - the last resort
        from nnvet.reports.outcome import EXIT_SUITE_FAILED, EXIT_USAGE
        from nnvet.reports.values import one_line

        if isinstance(error, OSError) and "--install-completion" in sys.argv:
            typer.echo(f"nnvet: {error}; --show-completion prints what to put into your shell's own file", err=True)
            sys.exit(EXIT_USAGE)
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{last.filename}:{last.lineno}"
        what = one_line(f"{type(error).__name__}: {error}")
        typer.echo(f"nnvet: internal error, {what} ({place}); please report it", err=True)
        code = EXIT_SUITE_FAILED
    if lost := find_lost_output(printed):
        from nnvet.reports.outcome import EXIT_SUITE_FAILED

        # Write to the descriptor itself, because the stream may be what failed.
        with suppress(OSError):
            os.write(sys.stderr.fileno(), f"nnvet: not all could be printed: {lost}\n".encode())
        code = code or EXIT_SUITE_FAILED
    sys.exit(code)
