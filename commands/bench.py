"""Options of ``nnvet bench`` and ``nnvet capabilities``.

``bench`` measures real models on drivers and on LiteRT, side by side, in one report. ``capabilities`` measures how fast
a driver is, and compares the figures with the driver's own claims.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands import load, options
from nnvet.commands.history import HistoryFolder

if TYPE_CHECKING:
    from nnvet.commands.actions.bench import BenchChoice
    from nnvet.conformance.cluster.fleet import Fleet
    from nnvet.conformance.engine.target import Target


Shown = Annotated[
    bool | None,
    typer.Option("--open/--no-open", help="Open the report at the end; default: at a terminal with a display."),
]
ReferenceKernels = Annotated[bool, typer.Option("--reference-kernels", help="Measure LiteRT's reference kernels too.")]
OfMlts = Annotated[
    bool, typer.Option("--mlts-preprocessing", help="Keep the defect of MLTS: in 8-bit pictures white becomes black.")
]


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
        bool, typer.Option("--complete/--no-complete", help="Run every example at least once, whatever --time says.")
    ] = True,
    limit: Annotated[
        float, typer.Option(min=0.0, help="Seconds in which a driver has to run all examples; otherwise NOT_RUN.")
    ] = 300.0,
    reference_kernels: ReferenceKernels = False,
    mlts_preprocessing: OfMlts = False,
    relaxed: Annotated[bool, typer.Option("--relaxed", help="Drivers may compute float32 as float16.")] = False,
    scenario: load.Scenarios = None,
    target_latency: load.TargetLatency = None,
    target_qps: load.TargetRate = None,
    scenario_time: load.ScenarioTime = None,
    in_flight: load.InFlight = None,
    executor: load.Executors = None,
    sustained: load.SustainedTime = None,
    cold_start: load.Cold = False,
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
    show: Shown = None,
) -> None:
    """Measure accuracy and latency of real models beside LiteRT."""
    from nnvet.commands.actions.bench import BenchChoice
    from nnvet.models.alone import AloneOptions

    globs = tuple(only or ("*",))
    with options.user_errors():
        scenarios = load.scenarios_of(scenario, out, target_latency, target_qps, scenario_time, in_flight, executor)
        alone = AloneOptions(scenarios, sustained, cold_start)
        choice = BenchChoice(
            models, globs, run_s, warmup_s, reference_kernels, mlts_preprocessing, relaxed, complete, limit, alone
        )
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        targets = [
            options.target_of(selector, timeout, None, memory_limit, box, in_process=in_process)
            for selector in dict.fromkeys(driver)
        ]
        alone_here = {"in_process": in_process, "scenario": scenario, "sustained": sustained, "cold_start": cold_start}
        with options.workers_of(cluster, resource, **alone_here) as fleet:
            code = _run(choice, targets, out, fleet, history, resume=resume)
    _open_report(out, show)
    raise typer.Exit(code)


def _run(
    choice: BenchChoice, targets: list[Target], out: Path, fleet: Fleet | None, history: Path | None, *, resume: bool
) -> int:
    """Run the plan here or on workers; return the exit code."""
    from nnvet.commands.actions.bench_cluster import bench_plan, plan_of

    globs = () if choice.only == ("*",) else choice.only
    return bench_plan(plan_of(targets, choice, out, globs, resume=resume), targets, choice, fleet, history)


def _open_report(out: Path, show: bool | None) -> None:
    """Open the report if it is asked for, or if somebody looks."""
    from nnvet.commands.terminal import can_show_page, open_page

    if can_show_page(sys.stdout) if show is None else show:
        typer.echo(open_page(out / "report.html"))


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
