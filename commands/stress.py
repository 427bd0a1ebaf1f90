"""Options of ``nnvet stress``, which tests a driver under heavy load, dying clients, floods of models, and long runs.

:mod:`nnvet.commands.actions.stress` does the work.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import completing
from nnvet.commands.history import HistoryFolder
from nnvet.commands.options import (
    MEMORY_LIMIT_MIB,
    Cluster,
    InProcess,
    Level,
    MemoryLimit,
    Out,
    Resources,
    SandboxDevices,
    Sandboxed,
    Timeout,
    sandbox_of,
    target_of,
    user_errors,
    workers_of,
)

Targets = Annotated[
    list[str],
    typer.Option(
        "-d",
        "--driver",
        envvar="NNVET_DRIVERS",
        help="Driver selector, KIND:ARGUMENTS; may be repeated. Default: those of NNVET_DRIVERS, or the bundled one.",
        autocompletion=completing.kinds_of_drivers,
    ),
]
Matching = Annotated[
    str | None,
    typer.Option("--filter", help="Regular expression; test only drivers whose whole device name matches."),
]
Scale = Annotated[
    float, typer.Option(min=0.01, max=1000.0, help="Multiply the seconds of load of every test by this number.")
]
Minutes = Annotated[
    float | None, typer.Option(min=0.1, help="Scale the load so that the selected tests take about this many minutes.")
]
Threads = Annotated[int, typer.Option(min=1, max=256, help="Threads of parallel tests.")]
Processes = Annotated[int, typer.Option(min=1, max=64, help="Client processes of parallel tests.")]
MaxDegradation = Annotated[
    float, typer.Option(min=0.0, help="Latency may grow by this fraction while another thread prepares models.")
]
MaxDrift = Annotated[float, typer.Option(min=0.0, help="Latency may grow by this fraction during long work.")]
LeakedBytes = Annotated[float, typer.Option(min=0.0, help="Bytes by which the driver's memory may grow in each cycle.")]
LeakedObjects = Annotated[
    float, typer.Option(min=0.0, help="Descriptors or threads by which the driver may grow in each cycle.")
]
SplitWith = Annotated[
    str,
    typer.Option(
        help="Driver selector; the second half of models that are cut in two runs on this driver.",
        autocompletion=completing.kinds_of_drivers,
    ),
]
LogPattern = Annotated[
    str | None, typer.Option(help="Regular expression of lines that a healthy driver does not print.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the models, their order, and the times at which clients die.")]


Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Glob of names of tests; may be repeated.", autocompletion=completing.stress_tests),
]


def stress(
    driver: Targets = ["reference"],
    out: Out = Path("out"),
    only: Only = None,
    matching: Matching = None,
    show: Annotated[bool, typer.Option("--list", help="List the tests, and run none.")] = False,
    scale: Scale = 1.0,
    minutes: Minutes = None,
    seed: Seed = 0,
    threads: Threads = 8,
    processes: Processes = 4,
    max_degradation: MaxDegradation = 4.0,
    max_drift: MaxDrift = 0.5,
    leaked_bytes: LeakedBytes = 4096.0,
    leaked_objects: LeakedObjects = 0.05,
    split_with: SplitWith = "",
    log_pattern: LogPattern = None,
    level: Level = None,
    timeout: Timeout = 20.0,
    memory_limit: MemoryLimit = MEMORY_LIMIT_MIB,
    in_process: InProcess = False,
    sandbox: Sandboxed = False,
    sandbox_device: SandboxDevices = None,
    history: HistoryFolder = None,
    cluster: Cluster = None,
    resource: Resources = None,
) -> None:
    """Test a driver under heavy load, with clients that die."""
    from dataclasses import replace

    from nnvet.commands.actions.stress import filter_targets, list_tests, run_targets, scale_for, stress_elsewhere
    from nnvet.commands.options import CommandError
    from nnvet.conformance.stress.catalogue import select_tests
    from nnvet.conformance.stress.messages import StressOptions

    with user_errors():
        tests = select_tests(tuple(only or ()))
        limits = (max_degradation, max_drift, leaked_bytes, leaked_objects)
        options = StressOptions(seed, scale, threads, processes, *limits, split_with=split_with)
        if minutes is not None:
            options = replace(options, scale=scale_for(tests, minutes * 60))
        if log_pattern is not None:
            options = replace(options, log_pattern=log_pattern)
        try:
            options.check()
        except ValueError as error:
            raise CommandError(str(error)) from error
        if show:
            list_tests(tests, options)
            raise typer.Exit
        box = sandbox_of(sandbox_device, asked=sandbox)
        targets = [target_of(selector, timeout, level, memory_limit, box, in_process=in_process) for selector in driver]
        with workers_of(cluster, resource, in_process=in_process) as fleet:
            chosen = filter_targets(targets, matching, fleet)
            code = run_targets(chosen, tests, options, out, history, stress_elsewhere(fleet))
    raise typer.Exit(code)
