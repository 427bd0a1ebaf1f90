"""``nnvet bench``: real models on drivers and on LiteRT, side by side, in one report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.clustering import Cluster, Resources, workers_of
from nnvet.commands.history import HistoryFolder
from nnvet.commands.options import (
    MEASURING_TIMEOUT_S,
    MEMORY_LIMIT_MIB,
    Drivers,
    InProcess,
    MemoryLimit,
    ModelGlobs,
    Models,
    Out,
    Timeout,
    target_of,
    user_errors,
)


def bench(
    driver: Drivers = ["reference"],
    models: Models = None,
    out: Out = Path("out"),
    only: ModelGlobs = None,
    run_s: Annotated[
        float, typer.Option("--time", "--seconds", min=0.0, help="Seconds of inference for each model and driver.")
    ] = 1.0,
    warmup_s: Annotated[float, typer.Option("--warm-up", min=0.0, help="Seconds of warm-up for each model.")] = 0.3,
    complete: Annotated[
        bool, typer.Option("--complete/--no-complete", help="Every example at least once, whatever the time.")
    ] = True,
    reference_kernels: Annotated[
        bool, typer.Option("--reference-kernels", help="Measure LiteRT's reference kernels too.")
    ] = False,
    mlts_preprocessing: Annotated[
        bool,
        typer.Option("--mlts-preprocessing", help="Keep the defect of MLTS: in 8-bit pictures white becomes black."),
    ] = False,
    relaxed: Annotated[bool, typer.Option("--relaxed", help="Drivers may compute float32 as float16.")] = False,
    timeout: Timeout = MEASURING_TIMEOUT_S,
    memory_limit: MemoryLimit = MEMORY_LIMIT_MIB,
    in_process: InProcess = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the models that an earlier run into --out has finished.")
    ] = False,
    history: HistoryFolder = None,
    cluster: Cluster = None,
    resource: Resources = None,
    show: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the report at the end; default: at a terminal with a display."),
    ] = None,
) -> None:
    """Measure accuracy and latency of real models on drivers, side by side with LiteRT on the CPU."""
    from nnvet.commands.benchmark import BenchChoice
    from nnvet.commands.benchmark_runs import bench_plan, plan_of
    from nnvet.commands.opening import open_page, somebody_looks

    globs = tuple(only or ("*",))
    choice = BenchChoice(models, globs, run_s, warmup_s, reference_kernels, mlts_preprocessing, relaxed, complete)
    selectors = list(dict.fromkeys(driver))
    targets = [target_of(selector, timeout, None, memory_limit, in_process=in_process) for selector in selectors]
    with user_errors():
        plan = plan_of(targets, choice, out, globs if only else (), resume=resume)
        with workers_of(cluster, resource, in_process=in_process) as fleet:
            code = bench_plan(plan, targets, choice, fleet, history)
    if somebody_looks(sys.stdout) if show is None else show:
        typer.echo(open_page(out / "report.html"))
    raise typer.Exit(code)
