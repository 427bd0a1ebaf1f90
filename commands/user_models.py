"""``nnvet partition``, ``locate`` and ``mine``: commands that work on models of the user instead of the suite's cases.

This module has the options. The modules of these names in :mod:`nnvet.commands.actions` do the work.
"""

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


def locate(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A file *.tflite or *.onnx.")],
    driver: options.Driver = "reference",
    inputs: Annotated[
        Path | None,
        typer.Option("--inputs", help="File *.npz with the inputs, by name or in order; default: random inputs."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random inputs.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="List every operation, also those that are right.")] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder for the page and the failing part.")] = Path("located"),
    runs: Annotated[
        int,
        typer.Option("--runs", min=0, max=10_000, help="Time each operation alone, by so many executions; 0: do not."),
    ] = 0,
    timeout: options.Timeout = options.MEASURING_TIMEOUT_S,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
) -> None:
    """Find the operation that makes a network wrong.

    It is the first one that the driver itself computes wrongly; operations that only amplify errors do not count.
    Exit code 1 if there is one, or if an output is outside of its bound.
    """
    from nnvet.commands.actions.locate import LocatingChoice, show_located

    with options.user_errors():
        target = options.target_of(driver, timeout, None, memory_limit, None, in_process=in_process)
        code = show_located(LocatingChoice(network, target, inputs, seed, out, everything=everything, runs=runs))
    raise typer.Exit(code)


def mine(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Files *.tflite and *.onnx, and folders of such.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the specs and mined.json.")] = Path("mined"),
    least: Annotated[
        int,
        typer.Option(
            min=1, help="Keep groups of operations that occur at least this often; single operations are always kept."
        ),
    ] = 2,
) -> None:
    """Make tests of the operations and fragments of your models.

    Each operation and recurring fragment becomes a spec, with how often it occurs.
    Run them with nnvet run --specs DIR, which reports the pass rate, also weighted by occurrence.
    """
    from nnvet.commands.actions.mine import mine_models

    with options.user_errors():
        mine_models(models, out, least)
