"""``nnvet capabilities``: what a driver has to say of its speed, and whether it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import (
    MEASURING_TIMEOUT_S,
    MEMORY_LIMIT_MIB,
    Driver,
    InProcess,
    MemoryLimit,
    ModelGlobs,
    Models,
    Timeout,
    target_of,
    user_errors,
)


def capabilities(
    driver: Driver = "reference",
    models: Models = None,
    only: ModelGlobs = None,
    factor: Annotated[float, typer.Option(min=1.0, help="Claims may be off by so much, either way.")] = 2.0,
    seconds: Annotated[float, typer.Option(min=0.0, help="Seconds of inference for each model and form.")] = 1.0,
    out: Annotated[Path | None, typer.Option("--out", help="File for all of it as JSON.")] = None,
    timeout: Timeout = MEASURING_TIMEOUT_S,
    memory_limit: MemoryLimit = MEMORY_LIMIT_MIB,
    in_process: InProcess = False,
) -> None:
    """Derive time and power relative to the reference CPU from real networks, and compare a driver's claims with them.

    The reference CPU is LiteRT on one thread. Claims that are off are a warning, no failure: the exit code is 0.
    """
    from nnvet.commands.capability_table import CapabilityChoice, derive

    with user_errors():
        target = target_of(driver, timeout, None, memory_limit, in_process=in_process)
        derive(target, CapabilityChoice(models, tuple(only or ("*",)), factor, seconds, out))
