"""``nnvet partition``: divides a model among several drivers, and measures the cost of the borders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import options


def partition(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file *.tflite.")],
    driver: options.Drivers = ["reference"],
    assign: Annotated[
        str,
        typer.Option(
            "--assign", help="Rule to choose among drivers: capabilities, first, numbers like 0.1, or random-SEED."
        ),
    ] = "capabilities",
    runs: Annotated[int, typer.Option("--runs", min=1, max=10_000, help="Number of timed executions.")] = 10,
    out: Annotated[Path | None, typer.Option("--json", help="Write everything as JSON into this file.")] = None,
    page: Annotated[
        Path | None, typer.Option("--html", help="Write a page with a picture of the steps into this file.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Measure single operations and other assignments, and show the fastest.")
    ] = False,
    timeout: options.Timeout = options.MEASURING_TIMEOUT_S,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
) -> None:
    """Show which driver takes which operation of a model.

    Show also why others do not, and what the borders between them cost.
    Exit code 1 if no driver takes some operation, or a step fails.
    """
    from nnvet.commands.actions.partition import PlacingChoice, show_placement

    choice = PlacingChoice(model, tuple(driver), assign, runs, out, timeout, memory_limit, in_process, page, compare)
    with options.user_errors():
        code = show_placement(choice)
    raise typer.Exit(code)
