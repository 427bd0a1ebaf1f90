"""Runs the plan of a benchmark: here, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnvet.commands.benchmark import BenchChoice, benchmark
from nnvet.commands.running import run_plans
from nnvet.conformance.engine.runner import Plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.subject import Target
from nnvet.reports.events import Command

if TYPE_CHECKING:
    from nnvet.conformance.cluster.fleet import Fleet


def plan_of(targets: Sequence[Target], choice: BenchChoice, out: Path, globs: tuple[str, ...], *, resume: bool) -> Plan:
    """The plan of a run that measures and runs no case; it is of the first driver, and the log names the others."""
    beside = tuple(part for target in targets[1:] for part in ("-d", target.selector))
    return Plan(
        targets[0],
        out,
        selection=Selection(globs),
        conformance=False,
        command=Command.BENCHMARK,
        resume=resume,
        options=(*beside, *choice.options),
    )


def bench_plan(
    plan: Plan, targets: Sequence[Target], choice: BenchChoice, fleet: Fleet | None, history: Path | None
) -> int:
    """Run the plan on the workers of ``fleet``, None: here; returns the exit code.

    :raises SelectorError: there is no such driver.
    :raises DataError: the folder is no benchmark, or no model of it is selected.
    """
    if fleet is None:
        return run_plans([(plan, benchmark(targets, choice))], history)
    # It needs the extra that has dask.
    from nnvet.commands.benchmark_cluster import BenchOnCluster

    machines = BenchOnCluster(fleet, targets, choice)
    return run_plans([(plan, benchmark(targets, choice, machines))], history, machines)
