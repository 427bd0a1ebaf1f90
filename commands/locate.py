"""``nnvet locate``: the options; :mod:`nnvet.commands.actions.locate` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import options


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
