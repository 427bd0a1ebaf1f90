"""A whole run: list and execute cases, write the log, and render the reports.

The command line and :func:`nnvet.conformance.check_driver` call :func:`execute_plan`. A run stops early if a limit is
reached (:class:`Stopper`), or if the driver keeps dying. One run at a time writes into the folder of its results, and
an unfinished run can be continued there. Workers are the business of :mod:`nnvet.conformance.engine.pool`, the form of
the log that of :mod:`nnvet.reports.log`.
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

from nnvet.adapters.remote.driver import REMOTE
from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.locking import FolderBusyError, alone_in
from nnvet.conformance.engine.catalogue import Batch, BatchStream, Catalogue
from nnvet.conformance.engine.nearest import explain_empty_selection
from nnvet.conformance.engine.pool import run_in_workers, run_serially
from nnvet.conformance.engine.retesting import Keeper
from nnvet.conformance.engine.selection import Selection, SelectionError, Shard
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.engine.waivers import WaiverFile, Waivers
from nnvet.conformance.engine.work import Assignment, BatchEnded, Elsewhere, Message, Ready
from nnvet.conformance.kit.outcome import Finished, Outcome, Started
from nnvet.conformance.profiles.evaluation import profile_results
from nnvet.diagnostics.tracing import is_recording
from nnvet.reports import events
from nnvet.reports.evidence import replay_command
from nnvet.reports.facts import log_header
from nnvet.reports.log import EventLog, Log, LogError, read_log
from nnvet.reports.outcome import exit_code_of, outcome_of, unmet_profiles

DEATHS_IN_A_ROW: Final = 25
"""A run stops when the driver has died or hung at this many cases in a row."""

_DEATHS: Final = (events.Verdict.CRASH, events.Verdict.HANG)
"""Verdicts of a case at which the driver has died or hung."""
_SAYS_NOTHING: Final = (events.Verdict.UNSUPPORTED, events.Verdict.NOT_RUN, events.Verdict.ERROR)
"""Verdicts that neither continue nor end a row of deaths."""


@dataclass(frozen=True)
class StopRules:
    """Limits at which a run stops: failures, seconds, and deaths of the driver in a row; None: no limit."""

    max_failures: int | None = None
    budget_s: float | None = None
    deaths_in_a_row: int | None = DEATHS_IN_A_ROW


class Stopper:
    """Counter of a run's verdicts; ``reason`` is set once the run has to stop by its :class:`StopRules`."""

    def __init__(self, rules: StopRules) -> None:
        """Start the clock."""
        self._rules = rules
        self._end = None if rules.budget_s is None else time.monotonic() + rules.budget_s
        self._failures = 0
        self._deaths = 0
        self.reason = ""

    def see(self, verdict: events.Verdict) -> None:
        """Count the verdict of a case."""
        rules = self._rules
        self._failures += verdict in events.DRIVER_FAULTS
        if verdict not in _SAYS_NOTHING:
            self._deaths = self._deaths + 1 if verdict in _DEATHS else 0
        if self._end is not None and time.monotonic() >= self._end:
            self.reason = f"stopped after {rules.budget_s:g} s, as --budget asks"
        elif rules.max_failures is not None and self._failures >= rules.max_failures:
            self.reason = f"stopped after {self._failures} failures, as --max-failures asks"
        elif rules.deaths_in_a_row is not None and self._deaths >= rules.deaths_in_a_row:
            self.reason = f"stopped after the driver died or hung at {self._deaths} cases in a row; the rest is not run"


_KEPT: Final = tuple(
    verdict for verdict in events.Verdict if verdict not in (events.Verdict.NOT_RUN, events.Verdict.ERROR)
)
"""Verdicts that a continued run keeps; other cases run again."""
_SAME: Final = ("command", "suite_version", "level", "seed", "shard", "selection", "options")
"""Fields of the header that have to be equal in both logs."""


@contextmanager
def results_in(folder: Path) -> Iterator[None]:
    """Create the folder, and keep other runs from writing into it for as long as the block runs.

    :raises LogError: another run writes there, or the folder cannot be created.
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
                # A run that did not begin leaves no empty folder.
                with suppress(OSError):
                    folder.rmdir()


def read_finished(path: Path, started: events.RunStarted) -> tuple[events.CaseFinished, ...]:
    """Return the cases that an earlier run of the same plan has finished, in order; none if there is no log.

    Findings outside of cases, cases that were not run, and errors of the suite are not among them.

    :raises LogError: the log belongs to another plan, or cannot be read.
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
        if result.verdict in _KEPT and not result.case.startswith(events.OF_THE_DRIVER)
    )


def read_measured(path: Path, kept: Sequence[events.CaseFinished]) -> tuple[events.Measurement, ...]:
    """Return the measurements of an earlier run for models that are finished, with a kept verdict on each driver.

    :raises LogError: the log cannot be read.
    """
    verdicts = Counter(str(case.labels.get("model", "")) for case in kept if case.suite == events.OF_A_MODEL)
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

    Cases: without ``conformance`` the run has no cases, only an :data:`Extra`; without ``checks`` it has only cases of
    specs; if there is a ``series``, it has only these. ``resume`` keeps what an earlier run of the plan has finished,
    except ids that begin with one of ``renewed``. ``elsewhere`` runs the batches instead of this machine.

    ``jobs`` are processes, each with a driver of its own; None: one, and more if the driver is far away.

    Results: ``keeps``: failing tests are saved as files. ``command`` is the command that the log names, ``space``
    describes what random models may contain, and ``seed`` is their seed. ``waivers`` are the failures to forgive,
    ``profiles`` those that the driver has to conform to, and ``options`` have to be repeated in replay commands.
    """

    target: Target
    out: Path
    specs: Sequence[Path] = ()
    selection: Selection = field(default_factory=Selection)
    jobs: int | None = 1
    conformance: bool = True
    checks: bool = True
    stop: StopRules = field(default_factory=StopRules)
    resume: bool = False
    renewed: tuple[str, ...] = ()
    series: BatchStream | None = None
    keeps: bool = True
    space: events.ModelSpace | None = None
    seed: int | None = None
    waivers: WaiverFile | None = None
    command: events.Command = events.Command.RUN
    elsewhere: Elsewhere | None = None
    options: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()

    @property
    def log(self) -> Path:
        """Return the path of ``run.jsonl`` in the folder of the run, from which reports are rendered."""
        return self.out / "run.jsonl"

    @property
    def is_whole(self) -> bool:
        """Return True if the run is complete: nothing limits its selection of cases."""
        chosen = str(self.selection) or self.selection.shard != Shard() or self.specs or self.series
        return self.conformance and self.checks and not chosen


ANY_RUN: Final = "BasicTest/*"
"""Glob of a few cases that every driver can pass or fail."""

NOT_STARTED: Final = "the driver does not start: no case was run"
"""Reason of a run in which the driver never started."""


class RunWatcher:
    """Interface that is notified of a run's progress; the command line draws it."""

    def planned(self, size: int | None) -> None:
        """Take note of the batches' common size; None: unknown. Their cases are counted when they are listed."""

    def finished(self, case: str, verdict: events.Verdict) -> None:
        """Take note that a case has ended with a verdict, and that its event is in the log."""

    def judged(self, case: str, outcome: Outcome) -> None:
        """Take note of the same end of a case, with its whole event."""

    def batch_ended(self, batch: Batch) -> None:
        """Take note that a batch is complete."""


Extra = Callable[[EventLog], bool]
"""Function that logs more before the footer, such as a benchmark; it returns False if something in it failed."""


def execute_plan(plan: Plan, watcher: RunWatcher, extra: Extra | None = None) -> Log:
    """Run a plan, and return the finished log; the results are in ``plan.out``, whatever happens.

    :raises SelectionError: there is nothing to run.
    :raises SelectorError: the driver cannot be reached.
    :raises LogError: the results cannot be written.
    :raises WorkerError: the suite's own processes cannot be started.
    :raises KeyboardInterrupt: passed on; the log is left incomplete.
    """
    with results_in(plan.out):
        found = (
            read_finished(plan.log, _make_header(plan, events.DriverFacts(plan.target.selector))) if plan.resume else ()
        )
        measured = read_measured(plan.log, found) if found else ()
        models = {measurement.model for measurement in measured}
        kept = [
            result
            for result in found
            if not result.case.startswith(plan.renewed)
            and (result.suite != events.OF_A_MODEL or result.labels.get("model") in models)
        ]
        with closing(_run_plan(plan, watcher, frozenset(result.case for result in kept))) as messages:
            return _execute(plan, watcher, extra, messages, kept, measured)


def _execute(
    plan: Plan,
    watcher: RunWatcher,
    extra: Extra | None,
    messages: Generator[Message],
    kept: Sequence[events.CaseFinished],
    measured: Sequence[events.Measurement],
) -> Log:
    """Write the messages of a run into its log, then ``extra`` and the footer, and return the log.

    :raises SelectionError: there is nothing to run.
    """
    first: list[Message] = []
    facts = events.DriverFacts(plan.target.selector)
    machine: events.Machine | None = None
    # The first line of the log describes the driver; a driver that does not start has no description.
    for message in messages:
        first.append(message)
        if isinstance(message, Ready):
            facts, machine = message.facts, message.machine
        if isinstance(message, Started | Finished):
            break
    else:
        if plan.conformance and not kept:
            raise SelectionError(explain_empty_selection(_make_catalogue(plan), plan.selection))
    started = _make_header(plan, facts, machine)
    waivers = Waivers(plan.waivers, facts)
    with EventLog.create(plan.log, started, waivers.judge_again(kept), measured) as log:
        if plan.space is not None:
            log.model_space(plan.space)
        level = plan.target.level or facts.feature_level or 1
        # Specs of users are programs, which must not run in this process; the workers that run them send their tests.
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

    ``stopped`` says why the run ended early; ``faults``: something besides cases failed, as ``problems`` may say.
    """
    so_far, cut_short = log.so_far, bool(stopped)
    outcome = outcome_of(log.counts, measured=bool(so_far.measurements), faults=faults, gaps=cut_short)
    results = profile_results(so_far, (*stopped, *problems), cut_short=cut_short)
    unmet = bool(unmet_profiles(results, wanted))
    code = exit_code_of(outcome, so_far, cut_short=cut_short, unmet=unmet)
    log.finish(code, (*stopped, *problems), cut_short=cut_short, profiles=results, wanted=wanted, waivers=waivers)


def _make_catalogue(plan: Plan) -> Catalogue:
    """Return the catalogue of a plan's cases."""
    return Catalogue(plan.specs, plan.checks, plan.target.selector)


def _run_plan(plan: Plan, watcher: RunWatcher, done: frozenset[str]) -> Generator[Message]:
    """Run the plan's batches, in this process, in workers or elsewhere, and yield their messages."""

    def batches() -> Iterable[Batch]:
        if plan.series is not None:
            watcher.planned(plan.series.size)
            return plan.series.batches
        listed = _make_catalogue(plan).batches(plan.selection) if plan.conformance else []
        watcher.planned(sum(batch.size for batch in listed))
        return listed

    assignment = Assignment(plan.target, plan.selection, done)
    if plan.elsewhere is not None:
        return plan.elsewhere.run(batches(), assignment)
    # Specs of users are programs: they are loaded in a worker, where they cannot harm the run, except for debugging.
    harmless = not plan.specs or plan.target.in_process or plan.target.factory is not None or is_recording()
    is_far = plan.jobs is None and not is_recording() and plan.target.selector.partition(":")[0] in REMOTE
    if not plan.conformance or ((plan.jobs or 1) == 1 and harmless and not is_far):
        return run_serially(batches(), assignment)
    return run_in_workers(batches, assignment, plan.jobs)


def _make_header(plan: Plan, facts: events.DriverFacts, machine: events.Machine | None = None) -> events.RunStarted:
    """Return the first line of the log."""
    return log_header(
        facts,
        machine,
        level=plan.target.level,
        seed=plan.seed,
        shard=str(plan.selection.shard),
        options=_list_options(plan),
        selection=_describe_selection(plan.selection) if plan.conformance else tuple(plan.selection.only),
        command=plan.command,
    )


def _describe_selection(selection: Selection) -> tuple[str, ...]:
    """Return the selection as the header has it."""
    operations = tuple(f"--op {name}" for name in selection.operations)
    return (*selection.only, *operations) or ("full matrix" if selection.full else "usual executors",)


class _Journal:
    """Writes events into the log, each case once."""

    def __init__(
        self,
        started: events.RunStarted,
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
        self._processes: dict[int, int] = {}
        self._stopper = stopper
        self._keeper = keeper
        self._waivers = waivers

    def keep(self, messages: Iterable[Message]) -> tuple[str, ...]:
        """Write all messages into the log, and return the reason if the run has to stop before their end."""
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
        """Log the findings of the first worker's driver description; the drivers of other workers have the same."""
        for finding in ready.findings:
            if finding.case not in self._ended:
                self._start(finding.case)
                self._end(finding)
        self.has_started = True

    def _start(self, case: str) -> None:
        """Log that a case begins, unless that is in the log already."""
        if case not in self._begun:
            self._begun.add(case)
            self._log.case_started(case)

    def _end(self, event: Finished) -> None:
        """Log the end of a case, after waivers; failures get the command that runs them again, and their files."""
        case, outcome = event.case, event.outcome
        if case in self._ended:
            # A repeated id: the driver was lost more than once, or two files make a case of the same name.
            number = sum(1 for known in self._ended if known.startswith(f"{case}#"))
            case = f"{case}#{number + 2}"
            self._start(case)
            if not event.recurs:
                reason = f"two spec files make a test of the name {event.case}; rename one of them"
                outcome = Outcome(events.Verdict.ERROR, reason=reason)
        self._ended.add(case)
        outcome = self._waivers.judge(case, outcome, event.labels)
        evidence = dict(outcome.evidence)
        if outcome.verdict not in (events.Verdict.PASS, events.Verdict.UNSUPPORTED):
            # A finding about the driver itself is no case; any run finds it again.
            evidence["replay"] = replay_command(self._started, ANY_RUN if event.recurs else event.case)
            if self._keeper is not None and not event.recurs and outcome.verdict is not events.Verdict.WAIVED:
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
            process=self._processes.setdefault(event.process, len(self._processes) + 1) if event.process else 0,
            began=event.began,
        )
        self._watcher.finished(case, outcome.verdict)
        self._watcher.judged(case, outcome)
        self._stopper.see(outcome.verdict)


def _list_options(plan: Plan) -> tuple[str, ...]:
    """Return the options that a command has to repeat to run one case like the plan."""
    specs = [part for place in plan.specs for part in ("--specs", str(place))]
    return (*specs, *target_options(plan.target, DEFAULT_TIMEOUT_S), *plan.options)


def target_options(target: Target, default_timeout_s: float) -> tuple[str, ...]:
    """Return the options with which a command of this default timeout reaches a driver in the same way."""
    in_process = ["--in-process"] if target.in_process else []
    mib = (target.memory_limit or 0) >> 20
    memory = [] if target.memory_limit == DEFAULT_LIMIT else ["--memory-limit", str(mib)]
    seconds = [] if target.timeout_s == default_timeout_s else ["--timeout", f"{target.timeout_s:g}"]
    strict = ["--strict"] if target.strict else []
    liberties = [part for name in target.liberties for part in ("--liberty", name)]
    return (*in_process, *memory, *sandbox_options(target), *seconds, *strict, *liberties)


def sandbox_options(target: Target) -> tuple[str, ...]:
    """Return the options that put the driver's services into namespaces of their own."""
    if target.sandbox is None:
        return ()
    return ("--sandbox", *(part for device in target.sandbox.devices for part in ("--sandbox-device", device)))
