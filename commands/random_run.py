"""``nnvet random``: what the driver supports, a run of random models of that, and its failures made small.

Makes the failures of random models small, and logs what is left of them before the run ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from nnvet.commands.found_tests import find_test
from nnvet.commands.logged_reductions import make_small, together
from nnvet.commands.options import CommandError
from nnvet.commands.random_progress import RandomProgress, coverage_lines, kind_of, reduction_lines
from nnvet.commands.running import run_plan
from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.conformance.engine.driver import DriverLostError
from nnvet.conformance.engine.probing import probe_target
from nnvet.conformance.engine.runner import Extra, Plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.space import model_space
from nnvet.conformance.engine.stopping import StopRules
from nnvet.conformance.engine.subject import Target
from nnvet.conformance.engine.work import Elsewhere
from nnvet.generators.random_graphs.options import PRIMARY_TYPES, GraphOptions, vary
from nnvet.generators.random_graphs.options_text import options_of, text_of, type_of
from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Command, LoggedReduction, ModelSpace
from nnvet.reports.log import EventLog, Log, read_log

_REDUCED: Final = 8
"""So many failures are made small, of as many kinds as there are."""
_MOST_EXECUTIONS: Final = 250


def failures_reduced(
    check: str, target: Target, out: Path, progress: RandomProgress, elsewhere: Elsewhere | None = None
) -> Extra:
    """Return the task that reduces the smallest failure of each kind of a check when the cases have ended."""

    def reduce_all(log: EventLog) -> bool:
        kinds = _kinds(log.so_far, check)
        found: dict[str, LoggedReduction] = {}
        for members in kinds[:_REDUCED]:
            first, *others = members
            failing = find_test(first.case, ())
            small = make_small(first, failing, target, out, _MOST_EXECUTIONS, progress, elsewhere)
            if small is not None:
                log.reduction(together(found, small.entry, len(others)))
                small.go_on()
        if len(kinds) > _REDUCED:
            progress.print(f"{len(kinds) - _REDUCED} further kinds of failures were not made small: nnvet reduce CASE")
        return True

    return reduce_all


def _kinds(log: Log, check: str) -> list[list[CaseFinished]]:
    """Failures by kind, those with the fewest operations first."""
    kinds: dict[tuple[str, ...], list[CaseFinished]] = {}
    for result in log.results.values():
        if result.verdict in DRIVER_FAULTS and result.case.startswith(f"{check}/"):
            kinds.setdefault(kind_of(result), []).append(result)
    ordered = [sorted(members, key=_operations) for members in kinds.values()]
    return sorted(ordered, key=lambda members: _operations(members[0]))


def _operations(failure: CaseFinished) -> int:
    """Return the number of operations of a failing model; a driver that died was not asked."""
    return len(failure.evidence.get("covers", ())) or _MOST_EXECUTIONS


_COUNT: Final = 1000
_PER_SEED: Final = 1_000_000
"""Seeds of models that one seed of a campaign has to itself."""
_PER_BATCH: Final = 20
_PER_SECOND: Final = 1000
"""More models than a process runs in a second: for so many there are batches where time is the limit."""


@dataclass(frozen=True)
class RandomRun:
    """Size of a campaign: ``count`` models, or as many as ``seconds`` allow; both None: a thousand.

    ``given`` are the names of ``options`` that stay as they are; the others are varied from model to model.
    """

    target: Target
    options: GraphOptions
    tolerance: str
    seed: int
    count: int | None
    seconds: float | None
    out: Path
    jobs: int
    stop: StopRules
    given: frozenset[str] = frozenset()
    is_reducing: bool = True
    resume: bool = False
    elsewhere: Elsewhere | None = None

    @property
    def log(self) -> Path:
        """The log of the run."""
        return self.out / "run.jsonl"

    @property
    def check(self) -> str:
        """The check whose cases are run."""
        return f"RandomModels/{self.tolerance.capitalize()}"

    def batches(self, models: Iterator[GraphOptions]) -> Iterator[Batch]:
        """The models, a few at a time."""
        until = None if self.seconds is None else time.monotonic() + self.seconds
        everything = self.count or (_COUNT if self.seconds is None else int(self.seconds * _PER_SECOND * self.jobs))
        # There are few options, and each of them in many models.
        texts = map(cache(text_of), models)
        for first in range(0, everything, _PER_BATCH):
            some = tuple(islice(texts, min(_PER_BATCH, everything - first)))
            yield Batch(self.check, series=Series(some, self.seed * _PER_SEED + first, until))


def graph_options(
    operations: str | None, types: str | None, elements: int | None, relaxed: float | None
) -> tuple[GraphOptions, frozenset[str]]:
    """The options of a command line, and the names of those that it says.

    :raises CommandError: they mean nothing.
    """
    try:
        kinds = PRIMARY_TYPES if types is None else tuple(type_of(name.strip()) for name in types.split(","))
        given: dict[str, Any] = {"elements": elements, "relaxed": relaxed}
        if operations is not None:
            given["operations"] = options_of(f"operations={operations}").operations
        said = {name: value for name, value in given.items() if value is not None}
        return replace(GraphOptions(types=kinds), **said), frozenset(said)
    except ValueError as error:
        raise CommandError(f"{error}; such as --operations 1-20 --types float32,quant8_asymm") from error


def run_random(run: RandomRun) -> int:
    """Run it, and make its failures small; returns the exit code of the run.

    :raises CommandError: the driver supports nothing of what random models are made of.
    :raises SelectorError: there is no such driver.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)
    models, space = _models(run, console)
    plan = Plan(
        run.target,
        run.out,
        selection=Selection((f"{run.check}/*",)),
        jobs=run.jobs,
        stop=run.stop,
        resume=run.resume,
        series=tuple(run.batches(models)),
        keeps=not run.is_reducing,
        space=space,
        seed=run.seed,
        command=Command.RANDOM,
        elsewhere=run.elsewhere,
    )
    progress = RandomProgress(console, run.seconds)
    after = failures_reduced(run.check, run.target, run.out, progress, run.elsewhere)
    try:
        code = run_plan(plan, (lambda _: after) if run.is_reducing else None, progress)
    except typer.Exit:
        # A signal has ended it. What was found before is in the log, if it had begun one.
        if plan.log.exists():
            _print_findings(plan, console)
        raise
    _print_findings(plan, console)
    return code


def _print_findings(plan: Plan, console: Console) -> None:
    log = read_log(plan.log)
    for line in (*coverage_lines(coverage_of(log)), *reduction_lines(log)):
        console.print(line)


def _models(run: RandomRun, console: Console) -> tuple[Iterator[GraphOptions], ModelSpace | None]:
    """The options of one model after the other, and what these may have; None: the driver does not say."""
    try:
        place = run.elsewhere
        asked = (run.target, run.options)
        wanted, support = place.ask(probe_target, *asked) if place else probe_target(*asked)
    except DriverLostError:
        # The run says so, and what it dies of.
        return repeat(run.options), None
    console.print(f"{run.target.selector}: random models of {support}")
    options = support.options(wanted)
    if not options:
        raise CommandError(f"{run.target.selector} supports no operation that random models are made of")
    return vary(options, support.claimed, run.given, run.seed), model_space(support, wanted)
