"""Work of ``nnvet random``: ask a driver which operations it supports, run random models of them, and reduce failures.

:func:`run_random` does all of this. Failures are reduced before the run ends, so that the log has the reduced graphs.
Other runs reduce their failures by :func:`reduce_kept` or :func:`reduce_failures`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import typer
from rich.console import Console

from nnvet.commands.actions.replay import reduce_and_save, replay_of_saved
from nnvet.commands.actions.run import RunProgress, run_plan
from nnvet.commands.found_tests import FoundTest, find_test
from nnvet.commands.options import CommandError
from nnvet.conformance.engine.catalogue import SIZE_OF_CASE, Batch, BatchStream, Series
from nnvet.conformance.engine.driver import DriverLostError
from nnvet.conformance.engine.probing import model_space, probe_target
from nnvet.conformance.engine.reducing import ReducedFailure
from nnvet.conformance.engine.runner import Extra, Plan, StopRules
from nnvet.conformance.engine.saved_failures import FOLDER
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.work import Elsewhere
from nnvet.conformance.kit.outcome import Outcome
from nnvet.generators.random_graphs.options import PRIMARY_TYPES, GraphOptions, options_of, text_of, type_of
from nnvet.generators.random_graphs.schedule import vary
from nnvet.generators.reducer import Ending, ReductionStep
from nnvet.generators.specs import SpecError
from nnvet.graphs.model import TestModel, describe_operand, operation_name
from nnvet.reports import events
from nnvet.reports.accuracy import Coverage, coverage_of
from nnvet.reports.fingerprint import key_of
from nnvet.reports.log import EventLog, Log, read_log

MOSTLY_VAGUE: Final = 0.25
"""Share of vague models from which on a campaign proves little; a model is vague if half of its elements are undecided.

Of the default models two in a hundred are vague. With a quarter of vague models, a hundred models still find a fault
that one model in twenty shows.
"""


class RandomProgress(RunProgress):
    """Draws the progress of a run, with models per second, kinds of failures, undecided elements, and new coverage."""

    def __init__(self, console: Console, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Draw on ``console``; ``seconds`` is the time limit of the campaign, if it has one."""
        super().__init__(console, clock)
        self._seconds = seconds
        self._clock = clock
        self._begin = clock()
        self._group_by_kind: Counter[tuple[str, ...]] = Counter()
        self._elements = self._undecided = 0
        self._seen: set[str] = set()
        self._new = 0

    def judged(self, case: str, outcome: Outcome) -> None:
        """Count the failures and the coverage of a case."""
        if outcome.verdict in events.DRIVER_FAULTS:
            self._group_by_kind[
                kind_of(events.CaseFinished(case, outcome.verdict, outcome.rule, evidence=outcome.evidence))
            ] += 1
        if outcome.verdict is events.Verdict.PASS:
            self._elements += outcome.evidence.get("elements", 0)
            self._undecided += outcome.evidence.get("undecided", 0)
        # Operation, type and rank.
        found = {text.rsplit(" ", 2)[0] for text in outcome.evidence.get("covers", ())}
        self._new += len(found - self._seen)
        self._seen |= found

    def batch_ended(self, batch: Batch) -> None:
        """Move the bar; without a terminal print a line if one is due."""
        if self._seconds is None:
            self.advance(batch.size)
        else:
            self.show_share((self._clock() - self._begin) / self._seconds)
        self.say_how_far()

    def say_how_far(self) -> None:
        """Print a line if one is due; new coverage counts from the last line on."""
        if self._pace.is_due():
            self.print_plain(self.note)
            self._new = 0

    @property
    def note(self) -> str:
        """Return the counts in words."""
        passed_s = max(self._clock() - self._begin, 1e-3)
        parts = [super().note, f"{self.total / passed_s:.0f} models/s"]
        if self._group_by_kind:
            kinds = len(self._group_by_kind)
            parts.append(f"{kinds} {'kind' if kinds == 1 else 'kinds'} of failures")
        if self._elements:
            parts.append(f"{100 * self._undecided / self._elements:.1f} % undecided")
        if self._seen:
            parts.append(f"{len(self._seen):,} operations by type and rank (+{self._new})")
        return "  ".join(parts)


def kind_of(result: events.CaseFinished) -> tuple[str, ...]:
    """Return the key that failures of one kind share before they are reduced."""
    return result.verdict, key_of(result), str(result.evidence.get("made_by", ""))


def coverage_lines(coverage: Coverage) -> list[str]:
    """Return a campaign's coverage in words, with a note that it proves little where too little was decided."""
    if not coverage.elements:
        return []
    share = 100 * coverage.undecided / coverage.elements
    kinds = f"{coverage.operations} operations in {coverage.combinations:,} combinations with type and rank"
    pairs = f"{coverage.pairs:,} pairs of which one feeds the other"
    lines = [f"{kinds}, {pairs}; {share:.1f} % of {coverage.elements:,} elements undecided"]
    if coverage.vague:
        many = f"{coverage.vague:,} of {coverage.cases:,} models"
        lines.append(f"{many} say little: more than half of their elements are undecided")
    if coverage.vague > MOSTLY_VAGUE * coverage.cases:
        lines.append(
            f"WARNING: {100 * coverage.vague / coverage.cases:.0f} % of the models that passed say little. "
            "This campaign proves little; take other --types or fewer --operations."
        )
    return lines


def reduction_lines(log: Log) -> list[str]:
    """Return lines on reduced failures: each graph, the number of failures that end there, and a replay command."""
    lines = []
    for reduction in log.reductions:
        names = " and ".join(dict.fromkeys(operation.name for operation in reduction.graph))
        alike = len(reduction.cases) - 1 + reduction.folded
        folded = f"; stands for {alike:,} more" if alike else ""
        before, after = reduction.operations, len(reduction.graph)
        reduced = f"{before} operations reduced to {after} in {reduction.executions} executions"
        lines += [
            f"{reduction.fingerprint} {reduction.verdict} {names}: {reduced}{folded}",
            f"  replay: {reduction.replay}",
        ]
    return lines


_EXECUTIONS: Final = {events.Verdict.HANG: 10}
"""Most executions of a reduction if each one costs a timeout."""
_KEPT_EXECUTIONS: Final = 200
"""Most executions of the reduction of a failure that ``run --reduce`` has kept."""


class _Watcher:
    """Shows the reduction of one failure in the progress of its run."""

    def __init__(self, progress: RunProgress, case: str) -> None:
        self._progress, self._case = progress, case

    def step(self, step: ReductionStep) -> None:
        text = f"reducing {self._case}: {step.operations} operations; trying {step.trying}"
        self._progress.show_more(text, step.executions, step.budget)

    def print(self, text: str) -> None:
        self._progress.print(text)


class MadeSmall(NamedTuple):
    """The reduced form of a failure, and a flag: a signal has ended the reduction early."""

    entry: events.LoggedReduction
    is_interrupted: bool

    def go_on(self) -> None:
        """Go on to the next failure, after this one has been logged.

        :raises KeyboardInterrupt: a signal came.
        """
        if self.is_interrupted:
            raise KeyboardInterrupt


def reduce_kept(target: Target, out: Path) -> Callable[[RunProgress], Extra]:
    """Return the task of ``run --reduce``: when all cases have ended, reduce the failures that the run has kept."""

    def in_progress(progress: RunProgress) -> Extra:
        def reduce_all(log: EventLog) -> bool:
            found: dict[str, events.LoggedReduction] = {}
            results = log.so_far.results.values()
            for first in results:
                if first.verdict in events.DRIVER_FAULTS and "vector" in first.evidence:
                    others = (
                        sum(
                            result.verdict in events.DRIVER_FAULTS and key_of(result) == key_of(first)
                            for result in results
                        )
                        - 1
                    )
                    small = _reduce_kept(first, target, out, progress)
                    if small is not None:
                        log.reduction(merge_reduction(found, small.entry, others))
                        small.go_on()
            return True

        return reduce_all

    return in_progress


def _reduce_kept(failure: events.CaseFinished, target: Target, out: Path, progress: RunProgress) -> MadeSmall | None:
    """Make a failure small; return None and print the reason if that is impossible."""
    try:
        found = find_test(str(out / failure.evidence["vector"]), ())
    except CommandError as error:
        progress.print(f"{failure.case} is not reduced: {error}")
        return None
    small = make_small(failure, found, target, out, _KEPT_EXECUTIONS, progress)
    if small is not None:
        entry = small.entry
        names = " and ".join(dict.fromkeys(operation.name for operation in entry.graph))
        before, after = entry.operations, len(entry.graph)
        progress.print(f"{failure.case}: {before} operations reduced to {after} in {entry.executions} executions")
        progress.print(f"  {names}, saved in {out / entry.folder}; replay: {entry.replay}")
    return small


def make_small(
    failure: events.CaseFinished,
    found: FoundTest,
    target: Target,
    out: Path,
    executions: int,
    progress: RunProgress,
    elsewhere: Elsewhere | None = None,
) -> MadeSmall | None:
    """Make a failure small, and keep it; return None and print the reason if that is impossible.

    ``executions`` limits the executions; fewer are allowed if each costs a timeout. They take place ``elsewhere``, if
    given.
    """
    try:
        test = found.load()
        budget = _EXECUTIONS.get(failure.verdict, executions)
        done = reduce_and_save(test, found, target, out, budget, _Watcher(progress, failure.case), elsewhere)
    except (SpecError, CommandError) as error:
        progress.print(f"{failure.case} is not reduced: {error}")
        return None
    if done.files is None:
        progress.print(f"{failure.case} is not reduced: {done.reduction.obstacle}")
        return None
    is_interrupted = done.reduction.ending is Ending.INTERRUPTED
    return MadeSmall(_make_entry(failure, test, done, target, out), is_interrupted)


def _make_entry(
    failure: events.CaseFinished, test: TestModel, done: ReducedFailure, target: Target, out: Path
) -> events.LoggedReduction:
    outcome, small = done.outcome, done.reduction
    return events.LoggedReduction(
        done.fingerprint,
        outcome.verdict,
        outcome.rule,
        outcome.reason,
        (failure.case,),
        len(test.main.operations),
        small.executions,
        graph_of(small.test),
        f"{FOLDER}/{done.fingerprint}",
        replay_of_saved(out / FOLDER / done.fingerprint, target),
    )


def merge_reduction(
    found: dict[str, events.LoggedReduction], small: events.LoggedReduction, others: int
) -> events.LoggedReduction:
    """Add a reduction to ``found``, in one entry for each graph; ``others`` counts failures like the reduced one."""
    known = found.get(small.fingerprint)
    if known is None:
        entry = msgspec.structs.replace(small, folded=others)
    else:
        entry = msgspec.structs.replace(known, cases=(*known.cases, *small.cases), folded=known.folded + others)
    found[small.fingerprint] = entry
    return entry


def graph_of(test: TestModel) -> tuple[events.ReducedOperation, ...]:
    """Return the main graph of a test, as the log has it."""
    graph = test.main
    makers = {index: number for number, operation in enumerate(graph.operations) for index in operation.outputs}

    def named(index: int) -> str:
        return describe_operand(graph.operands[index], index)

    return tuple(
        events.ReducedOperation(
            operation_name(operation.type),
            tuple((named(index), makers.get(index, -1)) for index in operation.inputs),
            tuple(map(named, operation.outputs)),
        )
        for operation in graph.operations
    )


_REDUCED: Final = 8
"""Most failures that are made small, from as many kinds as possible."""
_MOST_EXECUTIONS: Final = 250
"""Most executions of the reduction of a failing random model."""


def reduce_failures(
    check: str, target: Target, out: Path, progress: RandomProgress, elsewhere: Elsewhere | None = None
) -> Extra:
    """Return the task that reduces the smallest failure of each kind of a check when the cases have ended."""

    def reduce_all(log: EventLog) -> bool:
        kinds = _group_by_kind(log.so_far, check)
        found: dict[str, events.LoggedReduction] = {}
        for members in kinds[:_REDUCED]:
            first, *others = members
            failing = find_test(first.case, ())
            small = make_small(first, failing, target, out, _MOST_EXECUTIONS, progress, elsewhere)
            if small is not None:
                log.reduction(merge_reduction(found, small.entry, len(others)))
                small.go_on()
        if len(kinds) > _REDUCED:
            progress.print(f"{len(kinds) - _REDUCED} further kinds of failures were not made small: nnvet reduce CASE")
        return True

    return reduce_all


def _group_by_kind(log: Log, check: str) -> list[list[events.CaseFinished]]:
    """Return failures by kind, those with the fewest operations first."""
    kinds: dict[tuple[str, ...], list[events.CaseFinished]] = {}
    for result in log.results.values():
        if result.verdict in events.DRIVER_FAULTS and result.case.startswith(f"{check}/"):
            kinds.setdefault(kind_of(result), []).append(result)
    ordered = [sorted(members, key=_count_operations) for members in kinds.values()]
    return sorted(ordered, key=lambda members: _count_operations(members[0]))


def _count_operations(failure: events.CaseFinished) -> int:
    """Return the number of operations of a failing model, for sorting; after a death it is unknown."""
    return len(failure.evidence.get("covers", ())) or _MOST_EXECUTIONS


_COUNT: Final = 1000
"""Number of models of a campaign without a limit."""
_PER_SEED: Final = 1_000_000
"""Number of model seeds that are reserved for each seed of a campaign."""
_PER_BATCH: Final = 20
"""Number of models of a batch."""
_TEXTS: Final = 64
"""Number of sets of options whose text is remembered."""


@dataclass(frozen=True)
class RandomRun:
    """A campaign: ``count`` models, or as many as ``seconds`` allow; both None: a thousand.

    ``given`` are the names of ``options`` from the user; the others vary from model to model.
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
        """Return the path of the log."""
        return self.out / "run.jsonl"

    @property
    def check(self) -> str:
        """Return the check whose cases are run."""
        return f"RandomModels/{self.tolerance.capitalize()}"

    def stream(self, models: Iterator[GraphOptions]) -> BatchStream:
        """Return the models, a few at a time."""
        if self.count is None and self.seconds is not None:
            return BatchStream(self._batches(models, None, self.seconds), None)
        everything = self.count or _COUNT
        return BatchStream(self._batches(models, everything, self.seconds), SIZE_OF_CASE * everything)

    def _batches(
        self, models: Iterator[GraphOptions], everything: int | None, seconds: float | None
    ) -> Iterator[Batch]:
        # The clock starts with the first batch, when the driver has started.
        until = None if seconds is None else time.monotonic() + seconds
        # There are few sets of options, and each of them is used for many models.
        texts = map(lru_cache(_TEXTS)(text_of), islice(models, everything))
        first = self.seed * _PER_SEED
        while (until is None or time.monotonic() < until) and (some := tuple(islice(texts, _PER_BATCH))):
            yield Batch(self.check, series=Series(some, first, until))
            first += len(some)


def graph_options(
    operations: str | None, types: str | None, elements: int | None, relaxed: float | None
) -> tuple[GraphOptions, frozenset[str]]:
    """Return the options of a command line, and the names of those that it gives.

    :raises CommandError: they are wrong.
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
    """Run a campaign, make its failures small, and return the exit code.

    :raises CommandError: the driver supports no operation of random models.
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
        series=run.stream(models),
        keeps=not run.is_reducing,
        space=space,
        seed=run.seed,
        command=events.Command.RANDOM,
        elsewhere=run.elsewhere,
    )
    progress = RandomProgress(console, run.seconds)
    after = reduce_failures(run.check, run.target, run.out, progress, run.elsewhere)
    try:
        code = run_plan(plan, (lambda _: after) if run.is_reducing else None, progress)
    except typer.Exit:
        # A signal has ended the run. Earlier results are in the log, if the run had begun one.
        if plan.log.exists():
            _print_findings(plan, console)
        raise
    _print_findings(plan, console)
    return code


def _print_findings(plan: Plan, console: Console) -> None:
    log = read_log(plan.log)
    for line in (*coverage_lines(coverage_of(log)), *reduction_lines(log)):
        console.print(line)


def _models(run: RandomRun, console: Console) -> tuple[Iterator[GraphOptions], events.ModelSpace | None]:
    """Return the options of successive models, and their possible contents; None: the driver cannot be asked."""
    try:
        place = run.elsewhere
        asked = (run.target, run.options)
        wanted, support = place.ask(probe_target, *asked) if place else probe_target(*asked)
    except DriverLostError:
        # The run will report the death and its cause.
        return repeat(run.options), None
    console.print(f"{run.target.selector}: random models of {support}")
    options = support.options(wanted)
    if not options:
        raise CommandError(f"{run.target.selector} supports no operation that random models are made of")
    return vary(options, support.claimed, run.given, run.seed), model_space(support, wanted)
