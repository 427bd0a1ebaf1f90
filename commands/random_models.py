"""``nnvet random``: the options of a campaign of random models; :mod:`nnvet.commands.actions.random_models` runs it."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.history import HistoryFolder, add_to_history
from nnvet.commands.options import (
    MEMORY_LIMIT_MIB,
    Budget,
    Chunk,
    Cluster,
    Driver,
    InProcess,
    Jobs,
    Level,
    Liberties,
    MemoryLimit,
    Out,
    Resources,
    Resume,
    SandboxDevices,
    Sandboxed,
    Strict,
    Timeout,
    sandbox_of,
    seconds,
    target_of,
    user_errors,
)


class ToleranceChoice(StrEnum):
    """Choices of tolerances for outputs."""

    BOUNDS = "bounds"
    NNAPI = "nnapi"


Minutes = Annotated[float | None, typer.Option(min=0.01, help="Run models for this many minutes instead of --count.")]
Operations = Annotated[
    str | None,
    typer.Option(metavar="A-B", help="Smallest and largest number of operations of a model; default: varied, 1 to 40."),
]
Elements = Annotated[
    int | None,
    typer.Option(min=300, max=10_000, help="Largest number of elements of an operand; default: varied, 1000 or 5000."),
]


def random(
    driver: Driver = "reference",
    count: Annotated[int | None, typer.Option(min=1, max=1_000_000, help="Number of models; default: 1000.")] = None,
    minutes: Minutes = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random models.")] = 0,
    operations: Operations = None,
    types: Annotated[
        str | None, typer.Option(metavar="T,T", help="Types of operations, such as float32,quant8_asymm; default: all.")
    ] = None,
    elements: Elements = None,
    relaxed: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of models with relaxed float32; default: a tenth.")
    ] = None,
    tolerance: Annotated[
        ToleranceChoice, typer.Option(help="Judge by error bounds, or by the criteria of CTS's random graphs.")
    ] = ToleranceChoice.BOUNDS,
    level: Level = None,
    out: Out = Path("out"),
    jobs: Jobs = 1,
    reduce: Annotated[bool, typer.Option("--reduce/--no-reduce", help="Make failing models small at the end.")] = True,
    strict: Strict = False,
    liberty: Liberties = None,
    max_failures: Annotated[int | None, typer.Option(min=1, help="Stop after this many failures.")] = None,
    budget: Budget = None,
    timeout: Timeout = 20.0,
    memory_limit: MemoryLimit = MEMORY_LIMIT_MIB,
    in_process: InProcess = False,
    sandbox: Sandboxed = False,
    sandbox_device: SandboxDevices = None,
    resume: Resume = False,
    history: HistoryFolder = None,
    cluster: Cluster = None,
    resource: Resources = None,
    chunk: Chunk = None,
) -> None:
    """Test a driver with random models, and shrink failing ones."""
    from nnvet.commands.actions.random_models import RandomRun, graph_options, run_random
    from nnvet.commands.options import elsewhere
    from nnvet.conformance.engine.runner import StopRules

    with user_errors():
        box = sandbox_of(sandbox_device, asked=sandbox)
        target = target_of(
            driver, timeout, level, memory_limit, box, in_process=in_process, strict=strict, liberty=liberty
        )
        options, given = graph_options(operations, types, elements, relaxed)
        time_s, stop = None if minutes is None else seconds(f"{minutes}m"), StopRules(max_failures, budget)
        what = (target, options, tolerance.value, seed, count, time_s, out, jobs, stop)
        run = RandomRun(*what, given=given, is_reducing=reduce, resume=resume)
        here = {"in_process": in_process, "jobs": jobs > 1}
        with add_to_history(history, [run.log]), elsewhere(cluster, resource, chunk, **here) as place:
            code = run_random(replace(run, elsewhere=place))
    raise typer.Exit(code)
