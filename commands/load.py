"""Options of ``nnvet bench`` for runs of a driver alone: load patterns, full rate for a long time, cold start.

``bench.py`` has the other options of the command; :func:`scenarios_of` makes the options of
:mod:`nnvet.models.scenarios` of them, which runs the load patterns.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from nnvet.commands.options import CommandError, seconds

if TYPE_CHECKING:
    from nnvet.models.scenarios import ScenarioOptions

SCENARIOS: Final = ("single-stream", "multi-stream", "server", "offline")
"""Names of :class:`nnvet.models.loadgen.Scenario`, repeated here so that help does not have to load it."""
EXECUTORS: Final = ("sync", "async", "burst", "reusable")
"""Names of the executors of the HAL, repeated for the same reason."""
_MOST_IN_FLIGHT: Final = 4
"""Default of --in-flight on machines with at least as many processors."""
_LEAST_S: Final = 10.0
"""Default length of a run in seconds."""
_TARGET_LATENCY_S: Final = 0.1
"""Default bound of the latency of Server."""

Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="|".join(SCENARIOS),
        help="Load pattern of MLPerf, by its LoadGen (extra loadgen); may be repeated.",
        autocompletion=lambda: list(SCENARIOS),
    ),
]
TargetLatency = Annotated[
    float | None,
    typer.Option(
        parser=seconds, metavar="TIME", help="Latency that 99 % of the queries of server may take; default: 100ms."
    ),
]
TargetRate = Annotated[
    float | None,
    typer.Option("--target-qps", min=1e-6, help="Queries a second of server; default: search the highest that holds."),
]
ScenarioTime = Annotated[
    float | None,
    typer.Option(
        parser=seconds, metavar="TIME", help="Least length of each run of LoadGen; default: 10s, and MLPerf wants 60s."
    ),
]
InFlight = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Executions at the same time in scenarios; default: one for each core, up to 4."),
]
Executors = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(EXECUTORS),
        help="Executor of scenarios; default: burst, or async below feature level 3.",
        autocompletion=lambda: list(EXECUTORS),
    ),
]
SustainedTime = Annotated[
    float | None,
    typer.Option(
        "--sustained", parser=seconds, metavar="TIME", help="Run each model at full rate for this time, such as 20m."
    ),
]
Cold = Annotated[
    bool,
    typer.Option("--cold-start", help="Measure first preparation and inference in fresh processes of the driver."),
]


def scenarios_of(
    names: list[str] | None,
    out: Path,
    target_latency_s: float | None,
    target_qps: float | None,
    least_s: float | None,
    in_flight: int | None,
    executor: str | None,
) -> ScenarioOptions | None:
    """Return the scenarios that the options ask for; None: none.

    :raises CommandError: there is no such scenario or executor, or an option is for scenarios alone.
    :raises MissingExtraError: LoadGen is not installed.
    """
    if not names:
        given = {
            "--target-latency": target_latency_s,
            "--target-qps": target_qps,
            "--scenario-time": least_s,
            "--in-flight": in_flight,
            "--executor": executor,
        }
        for option, value in given.items():
            if value is not None:
                raise CommandError(f"{option} is for load patterns: give --scenario too, such as --scenario server")
        return None
    for option, value, known in (
        *(("--scenario", name, SCENARIOS) for name in names),
        ("--executor", executor or EXECUTORS[0], EXECUTORS),
    ):
        if value not in known:
            raise CommandError(f"{option} {value}: there is no such thing; there are {', '.join(known)}")
    for option, value in (("--target-latency", target_latency_s), ("--target-qps", target_qps)):
        if value is not None and "server" not in names:
            raise CommandError(f"{option} is for --scenario server: give that too, or leave it out")
    # Imported late, since only a load pattern needs it.
    from nnvet.conformance.kit.executing import Executor
    from nnvet.models.loadgen import Scenario, require_loadgen
    from nnvet.models.scenarios import ScenarioOptions

    require_loadgen()
    return ScenarioOptions(
        out / "loadgen",
        tuple(Scenario(name) for name in dict.fromkeys(names)),
        least_s or _LEAST_S,
        target_latency_s or _TARGET_LATENCY_S,
        target_qps,
        in_flight or min(_MOST_IN_FLIGHT, os.cpu_count() or 1),
        Executor(executor) if executor else None,
    )
