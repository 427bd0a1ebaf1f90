"""A campaign: what the driver supports, a run of random models of that, and its failures made small."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from nnvet.commands.options import CommandError
from nnvet.commands.progress import RunProgress
from nnvet.commands.reducing import reduced, replay_command
from nnvet.commands.running import run_plan
from nnvet.commands.subjects import subject_of
from nnvet.conformance.engine.catalogue import Batch, Series
from nnvet.conformance.engine.keeping import FOLDER
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.probing import supported
from nnvet.conformance.engine.runner import Plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.session import DriverLostError, Target, open_session
from nnvet.conformance.engine.stopping import StopRules
from nnvet.generators.random_graphs.options import PRIMARY_TYPES, GraphOptions
from nnvet.generators.random_graphs.options_text import options_of, text_of, type_of
from nnvet.generators.random_graphs.varied import varied
from nnvet.generators.specs import SpecError
from nnvet.reports.accuracy import Coverage, coverage_of
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.fingerprint import key_of
from nnvet.reports.log import Log, read_log

_COUNT: Final = 1000
_PER_SEED: Final = 1_000_000
"""Seeds of models that one seed of a campaign has to itself."""
_PER_BATCH: Final = 20
_PER_SECOND: Final = 1000
"""More models than a process runs in a second: for so many there are batches where time is the limit."""
_REDUCED: Final = 8
"""So many failures are made small, of as many kinds as there are."""
_EXECUTIONS: Final = {Verdict.HANG: 10}
"""Executions that making one small may take, where each costs a timeout."""
_MOST_EXECUTIONS: Final = 250
_LINE_S: Final = 10.0


@dataclass(frozen=True)
class Campaign:
    """What to run: ``count`` models, or as many as ``seconds`` allow; both None: a thousand.

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
        kinds = PRIMARY_TYPES if types is None else tuple(type_of(one.strip()) for one in types.split(","))
        given: dict[str, Any] = {"elements": elements, "relaxed": relaxed}
        if operations is not None:
            given["operations"] = options_of(f"operations={operations}").operations
        said = {name: value for name, value in given.items() if value is not None}
        return replace(GraphOptions(types=kinds), **said), frozenset(said)
    except ValueError as error:
        raise CommandError(f"{error}; such as --operations 1-20 --types float32,quant8_asymm") from error


def run_campaign(campaign: Campaign) -> int:
    """Run it, and make its failures small; returns the exit code of the run.

    :raises CommandError: the driver supports nothing of what random models are made of.
    :raises SelectorError: there is no such driver.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)
    plan = Plan(
        campaign.target,
        campaign.out,
        selection=Selection((f"{campaign.check}/*",)),
        jobs=campaign.jobs,
        stop=campaign.stop,
        resume=campaign.resume,
        series=tuple(campaign.batches(_models(campaign, console))),
        keeps=not campaign.is_reducing,
    )
    code = run_plan(plan, progress=CampaignProgress(console, campaign.seconds))
    log = read_log(plan.log)
    for line in _coverage_lines(coverage_of(log)):
        console.print(line)
    if campaign.is_reducing:
        _reduce_failures(campaign, log, console)
    return code


def _models(campaign: Campaign, console: Console) -> Iterator[GraphOptions]:
    """The options of one model after the other."""
    try:
        with open_session(campaign.target) as session:
            wanted = replace(campaign.options, level=min(campaign.options.level, session.feature_level))
            support = supported(session, wanted)
    except DriverLostError:
        # The run says so, and what it dies of.
        return repeat(campaign.options)
    console.print(f"{campaign.target.selector}: random models of {support}")
    options = support.options(wanted)
    if not options:
        raise CommandError(f"{campaign.target.selector} supports no operation that random models are made of")
    return varied(options, support.claimed, campaign.given, campaign.seed)


class CampaignProgress(RunProgress):
    """The progress of a run, with models in a second, kinds of failures and the share of undecided elements."""

    def __init__(self, console: Console, seconds: float | None) -> None:
        """Draw on ``console``; ``seconds`` is the time that the campaign has, if that is its limit."""
        super().__init__(console)
        self._seconds = seconds
        self._begin = self._last = time.monotonic()
        self._kinds: Counter[tuple[str, ...]] = Counter()
        self._elements = self._undecided = 0

    def judged(self, case: str, outcome: Outcome) -> None:
        """Count what is known of a case."""
        if outcome.verdict in DRIVER_FAULTS:
            self._kinds[_kind(CaseFinished(case, outcome.verdict, outcome.rule, evidence=outcome.evidence))] += 1
        self._elements += outcome.evidence.get("elements", 0)
        self._undecided += outcome.evidence.get("undecided", 0)

    def batch_ended(self, batch: Batch) -> None:
        """Move the bar; without a terminal print a line now and then."""
        now = time.monotonic()
        if self._seconds is None:
            self.advance(batch.size)
        else:
            self.show_share((now - self._begin) / self._seconds)
        if now - self._last >= _LINE_S:
            self._last = now
            self.print_plain(self.note)

    @property
    def note(self) -> str:
        """Counts, and what they mean."""
        passed_s = max(time.monotonic() - self._begin, 1e-3)
        parts = [super().note, f"{self.total / passed_s:.0f} models/s"]
        if self._kinds:
            parts.append(f"{len(self._kinds)} kinds of failures")
        if self._elements:
            parts.append(f"{100 * self._undecided / self._elements:.1f} % undecided")
        return "  ".join(parts)


def _coverage_lines(coverage: Coverage) -> list[str]:
    if not coverage.elements:
        return []
    share = 100 * coverage.undecided / coverage.elements
    combinations = f"{coverage.combinations} combinations with type and rank"
    lines = [
        f"{coverage.operations} operations in {combinations}; {share:.1f} % of {coverage.elements:,} elements undecided"
    ]
    if coverage.vague:
        lines.append(f"{coverage.vague:,} models say little: more than half of their elements are undecided")
    return lines


def _kind(result: CaseFinished) -> tuple[str, ...]:
    """What failures have in common before they are made small."""
    return result.verdict, key_of(result), str(result.evidence.get("made_by", ""))


def _reduce_failures(campaign: Campaign, log: Log, console: Console) -> None:
    failures = [
        one for one in log.results.values() if one.verdict in DRIVER_FAULTS and one.case.startswith(campaign.check)
    ]
    kinds: dict[tuple[str, ...], list[CaseFinished]] = {}
    for one in failures:
        kinds.setdefault(_kind(one), []).append(one)
    found: dict[str, list[str]] = {}
    for members in list(kinds.values())[:_REDUCED]:
        console.print(_reduce(campaign, members[0], found, console))
    for name, cases in found.items():
        folder = campaign.out / FOLDER / name
        command = replay_command(folder, campaign.target)
        same = f", as do {', '.join(cases[1:])}" if cases[1:] else ""
        console.print(f"{name}: {cases[0]} ends there{same}\n  replay: {command}")
    if len(kinds) > _REDUCED:
        console.print(f"{len(kinds) - _REDUCED} further kinds of failures were not made small: nnvet reduce CASE")


def _reduce(campaign: Campaign, failure: CaseFinished, found: dict[str, list[str]], console: Console) -> str:
    """Make one failure small and keep it; returns what came of it."""
    subject = subject_of(failure.case, ())
    try:
        test = subject.load()
        most = _EXECUTIONS.get(failure.verdict, _MOST_EXECUTIONS)
        done = reduced(test, subject, campaign.target, campaign.out, most, console)
    except (SpecError, CommandError) as error:
        return f"{failure.case} is not reduced: {error}"
    if done.files is None:
        return f"{failure.case} is not reduced: {done.reduction.obstacle}"
    found.setdefault(done.fingerprint, []).append(failure.case)
    before, after = (len(one.main.operations) for one in (test, done.reduction.test))
    return f"{failure.case}: {before} operations reduced to {after} in {done.reduction.executions} executions"
