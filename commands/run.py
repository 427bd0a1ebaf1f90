"""``nnvet run`` and ``nnvet campaign``: a run of the suite, and the commands of a file one after the other.

A run may have the benchmark in the same report. :mod:`nnvet.commands.actions.run` and
:mod:`nnvet.commands.actions.campaign` do the work.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nnvet.commands import options
from nnvet.commands.choosing import LastFailed, ListOnly, Only, Operations, Suites
from nnvet.commands.history import HistoryFolder

if TYPE_CHECKING:
    from nnvet.commands.actions.run import Measuring
    from nnvet.conformance.engine.runner import Plan
    from nnvet.conformance.engine.target import Target

Specs = Annotated[
    list[Path] | None,
    typer.Option("--specs", help="Folder or file of specs (*.mod.py) to run instead of the bundled corpus."),
]
Checks = Annotated[
    bool | None,
    typer.Option(
        "--checks/--no-checks", help="Run the checks that need no spec; default: on without --specs, off with it."
    ),
]


def run(
    driver: options.Drivers = ["reference"],
    specs: Specs = None,
    checks: Checks = None,
    out: options.Out = Path("out"),
    only: Only = None,
    suite: Suites = None,
    operation: Operations = None,
    last_failed: LastFailed = False,
    list_only: ListOnly = False,
    level: options.Level = None,
    shard: Annotated[str, typer.Option(help="Run the I-th of N parts, written I/N.")] = "1/1",
    jobs: options.JobsOfRun = None,
    full: options.Full = False,
    timeout: options.Timeout = 20.0,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
    bench: options.WithBenchmark = False,
    models: options.Models = None,
    trace: options.Trace = None,
    max_failures: Annotated[int | None, typer.Option(min=1, help="Stop after this many failures.")] = None,
    budget: options.Budget = None,
    resume: options.Resume = False,
    reduce: options.Reduce = False,
    waivers: options.WaiverPath = None,
    strict: options.Strict = False,
    liberty: options.Liberties = None,
    profile: options.WantedProfiles = None,
    history: HistoryFolder = None,
    cluster: options.Cluster = None,
    resource: options.Resources = None,
    chunk: options.Chunk = None,
) -> None:
    """Run the conformance suite on one or more drivers."""
    from nnvet.commands.actions.run import check_trace, folder_of, run_plans, trace_run
    from nnvet.commands.choosing import choice_of, limit_to_failed, print_cases, report_idle_globs, waivers_in
    from nnvet.conformance.engine.runner import Plan, StopRules

    with options.user_errors():
        check_trace(trace, jobs, len(driver))
        selection, stop = choice_of(only, suite, operation, level, shard, full=full), StopRules(max_failures, budget)
        known, own = waivers_in(waivers), not specs if checks is None else checks
        plans, asked = [], tuple(profile or ())
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        for selector in driver:
            target = options.target_of(
                selector, timeout, level, memory_limit, box, in_process=in_process, strict=strict, liberty=liberty
            )
            folder = folder_of(out, selector, driver)
            chosen = limit_to_failed(selection, folder, resume=resume) if last_failed else selection
            plan = Plan(target, folder, specs or (), chosen, jobs, stop=stop, resume=resume, checks=own, waivers=known)
            plans.append((replace(plan, profiles=asked), _list_further_work(plan, models, bench=bench, reduce=reduce)))
        if list_only:
            print_cases(plans[0][0])
        place = options.elsewhere(cluster, resource, chunk, in_process=in_process, trace=trace, jobs=(jobs or 1) > 1)
        with trace_run(trace, driver[0]), report_idle_globs(plans[0][0], selection), place as far:
            code = run_plans(plans, history, far)
    raise typer.Exit(code)


def _list_further_work(plan: Plan, models: Path | None, *, bench: bool, reduce: bool) -> Measuring | None:
    """Return everything that follows the cases of a plan, into the same log; None: nothing does."""
    from nnvet.commands.actions.random_models import reduce_kept
    from nnvet.commands.actions.run import join_tasks

    parts = [reduce_kept(plan.target, plan.out)] if reduce else []
    parts += [benchmark_of(plan.target, models)] if bench else []
    return join_tasks(parts) if parts else None


def benchmark_of(target: Target, models: Path | None) -> Measuring:
    """Return the benchmark of a driver, for the log of its run, with networks of a folder or the short bundled ones."""
    # Imported late, because these modules take longer to load than the first cases to run.
    from nnvet.commands.actions.bench import BenchChoice, benchmark
    from nnvet.models.bundled import SHORT

    return benchmark([target], BenchChoice(models) if models else BenchChoice(only=SHORT))


def campaign(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The campaign (*.toml); docs/campaigns.md describes it.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="Glob of names of jobs; may be repeated.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Print the commands, and run none.")] = False,
) -> None:
    """Run a list of jobs one after the other.

    The exit code is that of the worst job.
    """
    from nnvet.commands.actions.campaign import commands_of, read_campaign, run_commands

    with options.user_errors():
        jobs = commands_of(read_campaign(file), tuple(only or ("*",)), context.find_root().command)
        if show:
            for job in jobs:
                typer.echo(job.text)
            return
        code = run_commands(jobs, file)
    raise typer.Exit(code)
