"""A whole run: list, execute, log, render. Used by the command line and by :func:`nnvet.conformance.check_driver`.

A run stops before its end if it is asked to, or if the driver is hopeless. One run at a time writes into the folder of
its results, and a run that broke off can be continued there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.locking import FolderBusyError, alone_in
from nnvet.conformance.engine.catalogue import Batch, BatchStream, Catalogue
from nnvet.conformance.engine.keeping import Keeper
from nnvet.conformance.engine.nearest import nothing_selected
from nnvet.conformance.engine.outcome import Finished, Outcome, Started
from nnvet.conformance.engine.pool import run_in_workers, run_serially
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.engine.subject import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.engine.waivers import WaiverFile, Waivers
from nnvet.conformance.engine.work import Assignment, BatchEnded, Elsewhere, Message, Ready
from nnvet.conformance.profiles.evaluation import profile_results
from nnvet.diagnostics.tracing import is_recording
from nnvet.reports.events import (
    DRIVER_FAULTS,
    OF_A_MODEL,
    OF_THE_DRIVER,
    CaseFinished,
    Command,
    DriverFacts,
    Machine,
    Measurement,
    ModelSpace,
    RunStarted,
    Verdict,
)
from nnvet.reports.evidence import replay_command
from nnvet.reports.facts import log_header
from nnvet.reports.log import EventLog, Log, LogError, read_log
from nnvet.reports.outcome import exit_code_of, outcome_of, unmet_profiles

DEATHS_IN_A_ROW: Final = 25
"""A driver that dies or hangs at so many cases in a row is not run any further."""

_DEATHS: Final = (Verdict.CRASH, Verdict.HANG)
_SAYS_NOTHING: Final = (Verdict.UNSUPPORTED, Verdict.NOT_RUN, Verdict.ERROR)


@dataclass(frozen=True)
class StopRules:
    """After how many failures, seconds, and deaths of the driver in a row a run stops; None: never."""

    max_failures: int | None = None
    budget_s: float | None = None
    deaths_in_a_row: int | None = DEATHS_IN_A_ROW


class Stopper:
    """Watches the verdicts of a run; ``reason`` says why it is to stop, once it is."""

    def __init__(self, rules: StopRules) -> None:
        """The time begins to run."""
        self._rules = rules
        self._end = None if rules.budget_s is None else time.monotonic() + rules.budget_s
        self._failures = 0
        self._deaths = 0
        self.reason = ""

    def see(self, verdict: Verdict) -> None:
        """Take in how a case ended."""
        rules = self._rules
        self._failures += verdict in DRIVER_FAULTS
        if verdict not in _SAYS_NOTHING:
            self._deaths = self._deaths + 1 if verdict in _DEATHS else 0
        if self._end is not None and time.monotonic() >= self._end:
            self.reason = f"stopped after {rules.budget_s:g} s, as --budget asks"
        elif rules.max_failures is not None and self._failures >= rules.max_failures:
            self.reason = f"stopped after {self._failures} failures, as --max-failures asks"
        elif rules.deaths_in_a_row is not None and self._deaths >= rules.deaths_in_a_row:
            self.reason = f"stopped after the driver died or hung at {self._deaths} cases in a row; the rest is not run"


_KEPT: Final = tuple(verdict for verdict in Verdict if verdict not in (Verdict.NOT_RUN, Verdict.ERROR))
_SAME: Final = ("command", "suite_version", "level", "seed", "shard", "selection", "options")


@contextmanager
def results_in(folder: Path) -> Iterator[None]:
    """No other run writes into the folder, which is made, while the block runs.

    :raises LogError: another does, or there can be no such folder.
    """
    with ExitStack() as stack:
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(alone_in(folder))
        except OSError as error:
            reason = error.strerror or error
            raise LogError(f"{folder}: cannot be the folder of the results ({reason}); choose another --out") from error
        except FolderBusyError as error:
            raise LogError(f"{folder}: another run is writing here; wait for it, or choose another --out") from error
        try:
            yield
        finally:
            if is_new:
                # A run that did not begin leaves nothing; one that did has left its log.
                with suppress(OSError):
                    folder.rmdir()


def read_finished(path: Path, started: RunStarted) -> tuple[CaseFinished, ...]:
    """The cases that an earlier run of the same plan has finished, in their order; none if there is no log.

    What was found outside of cases, and what was not run or failed in the suite, is not among them.

    :raises LogError: the log is that of another run, or cannot be read.
    """
    if not path.exists():
        return ()
    log = read_log(path)
    same = all(getattr(log.started, name) == getattr(started, name) for name in _SAME)
    if not same or log.started.driver.selector != started.driver.selector:
        raise LogError(
            f"{path}: the log of another driver, suite, selection or options; choose another --out, or no --resume"
        )
    return tuple(
        result
        for result in log.results.values()
        if result.verdict in _KEPT and not result.case.startswith(OF_THE_DRIVER)
    )


def read_measured(path: Path, kept: Sequence[CaseFinished]) -> tuple[Measurement, ...]:
    """The measurements of an earlier run whose models are finished: the verdict on each driver is among the kept cases.

    :raises LogError: the log cannot be read.
    """
    verdicts = Counter(str(case.labels.get("model", "")) for case in kept if case.suite == OF_A_MODEL)
    measurements = read_log(path).measurements
    drivers = Counter(measurement.model for measurement in measurements if not measurement.is_baseline)
    return tuple(
        measurement
        for measurement in measurements
        if drivers[measurement.model] and verdicts[measurement.model] == drivers[measurement.model]
    )


@dataclass(frozen=True)
class Plan:
    """Plan of a run: a driver, specs (none: the bundled ones), a selection, and the folder of the results.

    Without ``conformance`` no case is run, only what is added to the log besides; without ``checks`` only the
    cases of the specs are; if there is a ``series``, it is run and nothing else. ``resume``: what an earlier run of
    the plan has finished is kept, but for ids that begin as one of ``renewed``; the rest is run. ``keeps``: failing
    tests are kept as files.
    ``command`` is what the log says that it is of, ``space`` what random models may have, ``seed`` what they are made
    from, ``waivers`` the failures to forgive.
    ``elsewhere`` runs the batches instead of this machine.
    ``options`` are what a command has to repeat for what is run besides the cases, ``profiles`` those that the run has
    to be conformant to.
    """

    target: Target
    out: Path
    specs: Sequence[Path] = ()
    selection: Selection = field(default_factory=Selection)
    jobs: int = 1
    conformance: bool = True
    checks: bool = True
    stop: StopRules = field(default_factory=StopRules)
    resume: bool = False
    renewed: tuple[str, ...] = ()
    series: BatchStream | None = None
    keeps: bool = True
    space: ModelSpace | None = None
    seed: int | None = None
    waivers: WaiverFile | None = None
    command: Command = Command.RUN
    elsewhere: Elsewhere | None = None
    options: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()

    @property
    def log(self) -> Path:
        """``run.jsonl`` in the folder of the run, which reports are rendered from."""
        return self.out / "run.jsonl"

    @property
    def is_whole(self) -> bool:
        """True if it runs everything that such a run has."""
        chosen = str(self.selection) or self.selection.shard != Shard() or self.specs or self.series
        return self.conformance and self.checks and not chosen


ANY_RUN: Final = "BasicTest/*"
"""Glob of a few cases that every driver can run."""

NOT_STARTED: Final = "the driver does not start: no case was run"


class RunWatcher:
    """Follows a run; the command line draws it."""

    def planned(self, size: int | None) -> None:
        """Batches of that size will run; None: nobody knows how many. Their cases are counted when they are listed."""

    def finished(self, case: str, verdict: Verdict) -> None:
        """A case has ended with a verdict, and its event is in the log."""

    def judged(self, case: str, outcome: Outcome) -> None:
        """The same, with all that is known of the case."""

    def batch_ended(self, batch: Batch) -> None:
        """Nothing more comes of a batch."""


Extra = Callable[[EventLog], bool]
"""More to log before the footer, such as a benchmark; False if something in it failed."""


def execute_plan(plan: Plan, watcher: RunWatcher, extra: Extra | None = None) -> Log:
    """Run a plan; results are in ``plan.out`` whatever happens. Returns the finished log.

    :raises SelectionError: nothing to run.
    :raises SelectorError: the driver cannot be reached.
    :raises LogError: the results cannot be written.
    :raises WorkerError: the suite's own processes cannot be started.
    :raises KeyboardInterrupt: passed on; the log is left incomplete.
    """
    with results_in(plan.out):
        found = read_finished(plan.log, _header(plan, DriverFacts(plan.target.selector))) if plan.resume else ()
        measured = read_measured(plan.log, found) if found else ()
        models = {measurement.model for measurement in measured}
        kept = [
            result
            for result in found
            if not result.case.startswith(plan.renewed)
            and (result.suite != OF_A_MODEL or result.labels.get("model") in models)
        ]
        with closing(_messages(plan, watcher, frozenset(result.case for result in kept))) as messages:
            return _execute(plan, watcher, extra, messages, kept, measured)


def _execute(
    plan: Plan,
    watcher: RunWatcher,
    extra: Extra | None,
    messages: Generator[Message],
    kept: Sequence[CaseFinished],
    measured: Sequence[Measurement],
) -> Log:
    first: list[Message] = []
    facts = DriverFacts(plan.target.selector)
    machine: Machine | None = None
    # Who is tested stands in the first line of the log; a driver that does not start says nothing of itself.
    for message in messages:
        first.append(message)
        if isinstance(message, Ready):
            facts, machine = message.facts, message.machine
        if isinstance(message, Started | Finished):
            break
    else:
        if plan.conformance and not kept:
            raise SelectionError(nothing_selected(Catalogue(plan.specs, plan.checks), plan.selection))
    started = _header(plan, facts, machine)
    waivers = Waivers(plan.waivers, facts)
    with EventLog.create(plan.log, started, waivers.judge_again(kept), measured) as log:
        if plan.space is not None:
            log.model_space(plan.space)
        level = plan.target.level or facts.feature_level or 1
        # Specs of users are programs, which have no place in this process: their tests come from where they run.
        own = bool(plan.specs)
        keeper = Keeper(plan.out, plan.target.selector, level, has_own_specs=own) if plan.keeps else None
        journal = _Journal(started, log, watcher, {result.case for result in kept}, Stopper(plan.stop), keeper, waivers)
        stopped = journal.keep(chain(first, messages))
        messages.close()
        if not journal.has_started:
            stopped = (NOT_STARTED,)
        extras_passed = extra is None or (journal.has_started and extra(log))
        idle = waivers.problems(plan.selection, is_whole=plan.is_whole and not stopped)
        faults = bool(idle) or not extras_passed
        finish_judged(log, stopped, idle, faults=faults, wanted=plan.profiles, waivers=waivers.digests)
        return log.so_far


def finish_judged(
    log: EventLog,
    stopped: tuple[str, ...],
    problems: tuple[str, ...],
    *,
    faults: bool,
    wanted: tuple[str, ...] = (),
    waivers: Mapping[str, str] | None = None,
) -> None:
    """Write the footer with the exit code and the profiles that the run fulfils.

    ``stopped``: why it did not come to its end; ``faults``: something failed that is no case, such as ``problems``.
    """
    so_far, cut_short = log.so_far, bool(stopped)
    outcome = outcome_of(log.counts, measured=bool(so_far.measurements), faults=faults, gaps=cut_short)
    results = profile_results(so_far, (*stopped, *problems), cut_short=cut_short)
    unmet = bool(unmet_profiles(results, wanted))
    code = exit_code_of(outcome, so_far, cut_short=cut_short, unmet=unmet)
    log.finish(code, (*stopped, *problems), cut_short=cut_short, profiles=results, wanted=wanted, waivers=waivers)


def _messages(plan: Plan, watcher: RunWatcher, done: frozenset[str]) -> Generator[Message]:
    def batches() -> Iterable[Batch]:
        if plan.series is not None:
            watcher.planned(plan.series.size)
            return plan.series.batches
        listed = Catalogue(plan.specs, plan.checks).batches(plan.selection) if plan.conformance else []
        watcher.planned(sum(batch.size for batch in listed))
        return listed

    assignment = Assignment(plan.target, plan.selection, done)
    if plan.elsewhere is not None:
        return plan.elsewhere.run(batches(), assignment)
    # Specs of users are programs: they are loaded where they can do no harm to the run, unless a debugger looks on.
    harmless = not plan.specs or plan.target.in_process or plan.target.factory is not None or is_recording()
    if not plan.conformance or (plan.jobs == 1 and harmless):
        return run_serially(batches(), assignment)
    return run_in_workers(batches, assignment, plan.jobs)


def _header(plan: Plan, facts: DriverFacts, machine: Machine | None = None) -> RunStarted:
    return log_header(
        facts,
        machine,
        level=plan.target.level,
        seed=plan.seed,
        shard=str(plan.selection.shard),
        options=_options(plan),
        selection=_chosen(plan.selection) if plan.conformance else tuple(plan.selection.only),
        command=plan.command,
    )


def _chosen(selection: Selection) -> tuple[str, ...]:
    operations = tuple(f"--op {name}" for name in selection.operations)
    return (*selection.only, *operations) or ("full matrix" if selection.full else "usual executors",)


class _Journal:
    """Writes what happens into the log, each case once."""

    def __init__(
        self,
        started: RunStarted,
        log: EventLog,
        watcher: RunWatcher,
        kept: set[str],
        stopper: Stopper,
        keeper: Keeper | None,
        waivers: Waivers,
    ) -> None:
        self._started = started
        self._log = log
        self._watcher = watcher
        self._begun = set(kept)
        self._ended = set(kept)
        self.has_started = False
        self._stopper = stopper
        self._keeper = keeper
        self._waivers = waivers

    def keep(self, messages: Iterable[Message]) -> tuple[str, ...]:
        """Why the messages were not heard to their end, if so."""
        for message in messages:
            match message:
                case Ready():
                    self._describe(message)
                case Started():
                    self._start(message.case)
                case Finished():
                    self._end(message)
                case BatchEnded():
                    self._watcher.batch_ended(message.batch)
            if self._stopper.reason:
                return (self._stopper.reason,)
        return ()

    def _describe(self, ready: Ready) -> None:
        """Keep what was found when a worker's driver described itself; those of other workers find the same."""
        for finding in ready.findings:
            if finding.case not in self._ended:
                self._start(finding.case)
                self._end(finding)
        self.has_started = True

    def _start(self, case: str) -> None:
        if case not in self._begun:
            self._begun.add(case)
            self._log.case_started(case)

    def _end(self, event: Finished) -> None:
        case, outcome = event.case, event.outcome
        if case in self._ended:
            # The driver was lost more than once, or two files make a case of one name.
            number = sum(1 for known in self._ended if known.startswith(f"{case}#"))
            case = f"{case}#{number + 2}"
            self._start(case)
            if not event.recurs:
                reason = f"two spec files make a test of the name {event.case}; rename one of them"
                outcome = Outcome(Verdict.ERROR, reason=reason)
        self._ended.add(case)
        outcome = self._waivers.judge(case, outcome, event.labels)
        evidence = dict(outcome.evidence)
        if outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED):
            # What is found about the driver itself is no case; any run finds it again.
            evidence["replay"] = replay_command(self._started, ANY_RUN if event.recurs else event.case)
            if self._keeper is not None and not event.recurs and outcome.verdict is not Verdict.WAIVED:
                evidence.update(self._keeper.keep(event.case, outcome, event.labels, event.test))
        self._log.case_finished(
            case,
            outcome.verdict,
            duration_s=event.duration_s,
            rule=outcome.rule,
            reason=outcome.reason,
            evidence=evidence,
            labels=event.labels,
            numbers=outcome.numbers,
            computed_by=outcome.computed_by,
        )
        self._watcher.finished(case, outcome.verdict)
        self._watcher.judged(case, outcome)
        self._stopper.see(outcome.verdict)


def _options(plan: Plan) -> tuple[str, ...]:
    """Return the options that a command must repeat to run one case as the plan does."""
    specs = [part for place in plan.specs for part in ("--specs", str(place))]
    return (*specs, *target_options(plan.target, DEFAULT_TIMEOUT_S), *plan.options)


def target_options(target: Target, default_timeout_s: float) -> tuple[str, ...]:
    """The options of a command, whose timeout is by default so many seconds, that reach a driver in the same way."""
    in_process = ["--in-process"] if target.in_process else []
    mib = (target.memory_limit or 0) >> 20
    memory = [] if target.memory_limit == DEFAULT_LIMIT else ["--memory-limit", str(mib)]
    seconds = [] if target.timeout_s == default_timeout_s else ["--timeout", f"{target.timeout_s:g}"]
    strict = ["--strict"] if target.strict else []
    liberties = [part for name in target.liberties for part in ("--liberty", name)]
    return (*in_process, *memory, *sandbox_options(target), *seconds, *strict, *liberties)


def sandbox_options(target: Target) -> tuple[str, ...]:
    """The options by which the driver's services are in namespaces of their own."""
    if target.sandbox is None:
        return ()
    return ("--sandbox", *(part for device in target.sandbox.devices for part in ("--sandbox-device", device)))
