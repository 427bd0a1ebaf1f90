"""Options of ``nnvet bench`` and ``nnvet capabilities``.

``bench`` measures real models on drivers and on LiteRT, side by side, in one report. ``capabilities`` measures how fast
a driver is, and compares the figures with the driver's own claims.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import options
from nnvet.commands.history import HistoryFolder


def bench(
    driver: options.Drivers = ["reference"],
    models: options.Models = None,
    out: options.Out = Path("out"),
    only: options.ModelGlobs = None,
    run_s: Annotated[
        float, typer.Option("--time", "--seconds", min=0.0, help="Seconds of inference for each model and driver.")
    ] = 1.0,
    warmup_s: Annotated[float, typer.Option("--warm-up", min=0.0, help="Seconds of warm-up for each model.")] = 0.3,
    complete: Annotated[
        bool, typer.Option("--complete/--no-complete", help="Run every example at least once, whatever the time.")
    ] = True,
    reference_kernels: Annotated[
        bool, typer.Option("--reference-kernels", help="Measure LiteRT's reference kernels too.")
    ] = False,
    mlts_preprocessing: Annotated[
        bool,
        typer.Option("--mlts-preprocessing", help="Keep the defect of MLTS: in 8-bit pictures white becomes black."),
    ] = False,
    relaxed: Annotated[bool, typer.Option("--relaxed", help="Drivers may compute float32 as float16.")] = False,
    timeout: options.Timeout = options.MEASURING_TIMEOUT_S,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the models that an earlier run into --out has finished.")
    ] = False,
    history: HistoryFolder = None,
    cluster: options.Cluster = None,
    resource: options.Resources = None,
    show: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the report at the end; default: at a terminal with a display."),
    ] = None,
) -> None:
    """Measure accuracy and latency of real models beside LiteRT."""
    from nnvet.commands.actions.bench import BenchChoice
    from nnvet.commands.actions.bench_cluster import bench_plan, plan_of
    from nnvet.commands.terminal import open_page, somebody_looks

    globs = tuple(only or ("*",))
    choice = BenchChoice(models, globs, run_s, warmup_s, reference_kernels, mlts_preprocessing, relaxed, complete)
    selectors = list(dict.fromkeys(driver))
    box = options.sandbox_of(sandbox_device, asked=sandbox)
    targets = [
        options.target_of(selector, timeout, None, memory_limit, box, in_process=in_process) for selector in selectors
    ]
    with options.user_errors():
        plan = plan_of(targets, choice, out, globs if only else (), resume=resume)
        with options.workers_of(cluster, resource, in_process=in_process) as fleet:
            code = bench_plan(plan, targets, choice, fleet, history)
    if somebody_looks(sys.stdout) if show is None else show:
        typer.echo(open_page(out / "report.html"))
    raise typer.Exit(code)


def capabilities(
    driver: options.Driver = "reference",
    models: options.Models = None,
    only: options.ModelGlobs = None,
    factor: Annotated[float, typer.Option(min=1.0, help="Claims may be off by this factor in either direction.")] = 2.0,
    seconds: Annotated[float, typer.Option(min=0.0, help="Seconds of inference for each model and form.")] = 1.0,
    out: Annotated[Path | None, typer.Option("--out", help="Write everything as JSON into this file.")] = None,
    timeout: options.Timeout = options.MEASURING_TIMEOUT_S,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
) -> None:
    """Measure time and power relative to the reference CPU.

    The figures come from real networks, and the driver's claims are compared with them.
    The reference CPU is LiteRT on one thread. Wrong claims are a warning and no failure, so the exit code stays 0.
    """
    from nnvet.commands.actions.capabilities import CapabilityChoice, derive

    with options.user_errors():
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        target = options.target_of(driver, timeout, None, memory_limit, box, in_process=in_process)
        derive(target, CapabilityChoice(models, tuple(only or ("*",)), factor, seconds, out))
