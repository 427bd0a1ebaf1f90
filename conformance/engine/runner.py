"""A whole run: collect, execute, log, render. Used by the command line."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from nnvet.adapters.service.memory import DEFAULT_LIMIT
from nnvet.conformance.engine.collecting import BUNDLED_SPECS, Collection, collect
from nnvet.conformance.engine.parallel import run_in_parallel
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.worker import Finished, Started, Target, run_cases
from nnvet.diagnostics.tracing import Bucket, Layer, Phase, span
from nnvet.generators.specs import SpecError
from nnvet.reports.events import DRIVER_FAULTS, Driver, RunStarted, Verdict
from nnvet.reports.facts import driver_facts, machine_facts
from nnvet.reports.log import EventLog
from nnvet.reports.render import ReportPaths, render

_COLLECT = Bucket(Layer.APPLICATION, Phase.PREPARATION)
EXIT_CONFORMANT, EXIT_NOT_CONFORMANT, EXIT_USAGE, EXIT_SUITE_FAILED = range(4)


@dataclass(frozen=True)
class Plan:
    """What to run: a driver, specs (none: the bundled ones), a selection, and where the results go.

    Without ``conformance`` no case is run, only what is added to the log besides; without ``checks`` only the
    cases of the specs are.
    """

    target: Target
    out: Path
    specs: Sequence[Path] = ()
    selection: Selection = field(default_factory=Selection)
    jobs: int = 1
    seed: int = 0
    conformance: bool = True
    checks: bool = True


class Watcher:
    """Told of a run's progress; the command line draws it."""

    def collected(self, files: int, total: int) -> None:
        """So many spec files are loaded."""

    def planned(self, cases: int) -> None:
        """So many cases will run."""

    def finished(self, case: str, verdict: Verdict) -> None:
        """A case ended."""


Extra = Callable[[EventLog], bool]
"""More to log before the footer, such as a benchmark; False if something in it failed."""


def execute_plan(plan: Plan, watcher: Watcher, extra: Extra | None = None) -> int:
    """Run a plan; results are in ``plan.out`` whatever happens. Returns the exit code.

    :raises SelectionError: nothing to run.
    :raises SelectorError: the driver cannot be reached.
    :raises LogError: the results cannot be written.
    :raises KeyboardInterrupt: passed on; the log is left incomplete.
    """
    collection = Collection()
    if plan.conformance:
        with span(_COLLECT, "collect"):
            collection = collect(
                plan.specs or [BUNDLED_SPECS], plan.selection, watcher.collected, with_checks=plan.checks
            )
    facts = _driver(plan.target)
    watcher.planned(len(collection.cases) + len(collection.errors))
    log_path = plan.out / "run.jsonl"
    with EventLog.create(log_path, _header(plan, facts, collection)) as log:
        _log_errors(collection.errors, log)
        for event in _events(plan, collection) if collection.cases else ():
            if isinstance(event, Started):
                log.case_started(event.case)
            else:
                _log_finished(event, plan, log)
                watcher.finished(event.case, event.outcome.verdict)
        extras_passed = extra is None or extra(log)
        code = _exit_code(log.counts, extras_passed=extras_passed)
        log.finish(code)
    return code


def render_plan(plan: Plan) -> ReportPaths:
    """Render the reports of a run, finished or not."""
    return render(plan.out / "run.jsonl", plan.out)


def _driver(target: Target) -> Driver:
    with target.open() as driver:
        return driver_facts(target.selector, driver.device)


def _header(plan: Plan, facts: Driver, collection: Collection) -> RunStarted:
    return RunStarted(
        suite_version=version("nnvet"),
        driver=facts,
        time=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        machine=machine_facts(),
        level=plan.target.level,
        seed=plan.seed,
        shard=str(plan.selection.shard),
        selection=tuple(plan.selection.only) or ("full matrix" if plan.selection.full else "usual ways",),
        planned=len(collection.cases) + len(collection.errors) if plan.conformance else None,
    )


def _events(plan: Plan, collection: Collection) -> Iterator[Started | Finished]:
    if plan.jobs == 1:
        return run_cases(collection.cases, plan.target)
    return run_in_parallel(collection.cases, plan.target, plan.jobs)


def _log_errors(errors: Sequence[SpecError], log: EventLog) -> None:
    for error in errors:
        case = f"load/{error.path}"
        log.case_started(case)
        log.case_finished(case, Verdict.ERROR, reason=str(error), labels={"suite": "load"})


def _log_finished(event: Finished, plan: Plan, log: EventLog) -> None:
    outcome = event.outcome
    evidence = dict(outcome.evidence)
    if outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
        evidence["replay"] = replay_command(plan, event.case)
    log.case_finished(
        event.case,
        outcome.verdict,
        duration_s=event.duration_s,
        rule=outcome.rule,
        reason=outcome.reason,
        evidence=evidence,
        labels=event.labels,
    )


def replay_command(plan: Plan, case: str) -> str:
    """The one command that runs a case again."""
    specs = [part for place in plan.specs for part in ("--specs", str(place))]
    target = plan.target
    in_process = ["--in-process"] if target.in_process else []
    level = [] if target.level is None else ["--level", str(target.level)]
    mib = (target.memory_limit or 0) >> 20
    memory = [] if target.memory_limit == DEFAULT_LIMIT else ["--memory-limit", str(mib)]
    return shlex.join(["nnvet", "run", "-d", target.selector, *specs, *in_process, *level, *memory, "--only", case])


def _exit_code(counts: dict[Verdict, int], *, extras_passed: bool) -> int:
    if any(counts.get(verdict) for verdict in DRIVER_FAULTS) or not extras_passed:
        return EXIT_NOT_CONFORMANT
    return EXIT_SUITE_FAILED if counts.get(Verdict.ERROR) or counts.get(Verdict.NOT_RUN) else EXIT_CONFORMANT
