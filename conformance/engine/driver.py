"""Runs cases on one driver and says what happens, event by event.

Cases of several workers take turns: they run beside one another, but one that is to be alone waits for the others. The
locks are those of processes (POSIX), on two bytes of memory that all workers of a run share: the kernel ends them
with the process that holds them.

Python's collector of cycles looks less often in the suite's own processes, and not at what stays: with the defaults it
takes a twelfth of the time of a run, most of it for modules, declarations and loaded specs. What is in no cycle is
freed at once, as always. Services keep the defaults: a cycle of a driver may hold descriptors of clients that are gone.
"""

from __future__ import annotations

import fcntl
import gc
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace as replace_outcome
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters import Driver, DriverGone, SelectorError, prepare
from nnvet.conformance.engine.again import SUSPECTS, Neighbour, confirm_verdict, load_of_doubt, run_again
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.checks import Case
from nnvet.conformance.engine.numbers import grade_outcome, recording
from nnvet.conformance.engine.outcome import (
    Event,
    Finished,
    Outcome,
    Started,
    add_blame,
    death_outcome,
    fail,
    judge_errors,
    judge_reports,
    process_outcome,
    spec_outcome,
    suite_error,
    unsupported,
)
from nnvet.conformance.engine.saved_failures import test_to_send
from nnvet.conformance.engine.selection import Selection, argument_of, check_of, labels_of
from nnvet.conformance.engine.stuck import WATCH
from nnvet.conformance.engine.subject import Target
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.generators.specs import SpecError
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import OwnedHandle
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reports.events import DriverFacts, Verdict
from nnvet.reports.facts import DRIVER_FACTS

_DOOR: Final = 0
"""Whoever wants to be alone stands in the door: no case begins any more, and those that run end one by one."""
_INSIDE: Final = 1


class Turns:
    """The turns of one process, whose cases run one after the other on one thread."""

    def __init__(self, shared: OwnedHandle | None = None) -> None:
        """Take turns with all who have the memory behind ``shared``, which stays open; None: nobody else is there."""
        self._shared = shared

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Nobody is alone while the block runs; waits for that."""
        self._lock(_DOOR, fcntl.LOCK_SH)
        self._lock(_INSIDE, fcntl.LOCK_SH)
        self._lock(_DOOR, fcntl.LOCK_UN)
        try:
            yield
        finally:
            self._lock(_INSIDE, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within :meth:`beside_others`: nobody else is in such a block while this one runs; waits for that."""
        # Two who want to be alone must not wait for each other.
        self._lock(_INSIDE, fcntl.LOCK_UN)
        self._lock(_DOOR, fcntl.LOCK_EX)
        self._lock(_INSIDE, fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._lock(_INSIDE, fcntl.LOCK_SH)
            self._lock(_DOOR, fcntl.LOCK_UN)

    def _lock(self, place: int, kind: int) -> None:
        if self._shared is not None:
            fcntl.lockf(self._shared.fd, kind, 1, place)


STARTS_TRIED: Final = 3
"""A driver that dies so often in a row as it starts cannot be started."""

_STUCK_LIMITS: Final = 20
"""A thread that has not run for so many limits is stuck: a driver that is waited for is looked at all the time."""
_LEAST_STUCK_S: Final = 120.0

_CASE: Final = Bucket(Layer.APPLICATION, TracePhase.UNSPECIFIED)
_PREPARE: Final = Bucket(Layer.APPLICATION, TracePhase.COMPILATION)
_START: Final = Bucket(Layer.APPLICATION, TracePhase.INITIALIZATION)
_SUITE: Final = "driver"
"""Suite of what is found before the first case and between two: when the driver starts, and describes itself."""
_LABELS: Final = {"suite": _SUITE}


class DriverLostError(Exception):
    """The driver cannot be started, or not again: nothing can run. ``finding`` says so as a case's end."""

    def __init__(self, occasion: str, outcome: Outcome) -> None:
        """``occasion`` is start or restart."""
        super().__init__(f"the driver cannot be started: {outcome.reason}")
        self.finding = Finished(f"{_SUITE}/{occasion}", outcome, labels=_LABELS, recurs=True)


class DriverUnderTest:
    """The driver under test while cases run on it; see :class:`nnvet.conformance.engine.subject.Subject`.

    ``facts`` is what the driver says of itself, ``findings`` what went wrong when it was asked; ``neighbours`` and
    ``failures`` are those of :class:`nnvet.conformance.engine.again.Restartable`. ``deaths`` are those of starts, after
    which another start succeeded; ``lost`` are the processes that the case under way has cost. ``sent`` are
    the fingerprints of failures whose tests were sent (:mod:`nnvet.conformance.engine.saved_failures`). ``turns`` are
    those that its cases take with the cases of other drivers of the run.
    """

    def __init__(self, target: Target, driver: Driver, deaths: Iterable[Finished] = ()) -> None:
        """Ask ``driver`` to describe itself; test it under the level that the target names, or its own.

        :raises DriverLostError: it dies of that, and cannot be started again.
        """
        self._driver = driver
        self.timeout_s = target.timeout_s
        self.in_process = target.in_process
        self.strict = target.strict
        self.liberties = target.liberties
        self.shared: dict[Any, Any] = {}
        self.findings: list[Finished] = []
        self.deaths = list(deaths)
        self.lost: list[int] = []
        self.sent: set[str] = set()
        self.neighbours: deque[Neighbour] = deque(maxlen=SUSPECTS)
        self.failures: Counter[str] = Counter()
        self.turns = Turns()
        self._tell_taken()
        self.facts = self._described(DriverFacts(target.selector))
        self.feature_level = min(self.facts.feature_level or 1, target.level or 2**31)

    @property
    def device(self) -> Device:
        """The device as it is now; another one after a restart."""
        return self._driver.device

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait for the notification."""
        with span(_PREPARE):
            return prepare(self._driver.device, model, config or PrepareModelConfig(), self.timeout_s)

    @property
    def process_id(self) -> int | None:
        """Process that the driver lives in; None if that is our own."""
        return self._driver.pid

    def another_client(self) -> AbstractContextManager[Device]:
        """The device as a second client sees it; UNSUPPORTED if the service takes only one."""
        return client_of(self._driver)

    def connection_of_client(self) -> socket.socket:
        """A connection to the driver's service; UNSUPPORTED if the service takes only one client."""
        return connection_to(self._driver)

    def begin_case(self) -> None:
        """Begin a case: earlier output and exceptions of the driver are no evidence of it."""
        self._driver.forget()

    @property
    def unintended(self) -> list[HalError]:
        """Errors that the driver has given since the case began without deciding to."""
        return self._driver.unintended.errors

    @property
    def computed_by(self) -> str:
        """Those who have computed models since the case began, as the driver says."""
        return "; ".join(sorted(self._driver.unintended.computed_by))

    def output(self) -> str:
        """Return the driver's output since the case began, if that can be read."""
        return self._driver.output

    def end_case(self) -> None:
        """End a case: a loss of the driver for which nobody was waiting any more belongs to it.

        :raises DriverGone: it is lost.
        """
        if not self._driver.session.alive:
            raise self._driver.session.crash("after the last call")

    def restart(self) -> None:
        """Start the driver anew and forget what belonged to the old one."""
        self.shared.clear()
        self.neighbours.clear()
        self._driver.restart()

    def revive(self) -> None:
        """Start the driver anew, which has died or is to be as if nothing had run on it.

        :raises DriverLostError: it does not start any more, although that was tried a few times.
        """
        deaths: list[Finished] = []
        for _ in range(STARTS_TRIED):
            try:
                self.restart()
            except DriverGone as death:
                lost = DriverLostError("restart", death_outcome(death))
            except SelectorError as error:
                lost = DriverLostError("restart", fail("driver/crash", str(error)).outcome)
            else:
                self.deaths += deaths
                return
            if _is_certain(lost.finding, deaths):
                break
            deaths.append(lost.finding)
        raise lost

    def alone(self) -> AbstractContextManager[None]:
        """No case runs on another driver of the run during the block."""
        return self.turns.alone()

    def tell_deaths(self) -> Iterator[Event]:
        """Yield the ends of starts that failed, once."""
        while self.deaths:
            finding = self.deaths.pop(0)
            yield Started(finding.case)
            yield finding

    def part(self) -> Iterator[Event]:
        """Let the driver end, since nothing more runs on it, and tell if it does not end well."""
        gone = self._driver.part()
        if gone is not None:
            finding = Finished(f"{_SUITE}/exit", death_outcome(gone), labels=_LABELS, recurs=True)
            yield Started(finding.case)
            yield finding

    def _tell_taken(self) -> None:
        """Find what the driver's library has taken from its service as it was loaded."""
        outcome = process_outcome(self._driver.output)
        if outcome is not None:
            self.findings.append(Finished(f"{_SUITE}/process", outcome, labels=_LABELS, recurs=True))

    def _described(self, facts: DriverFacts) -> DriverFacts:
        for name, query in DRIVER_FACTS.items():
            try:
                facts = replace(facts, **{name: query(self._driver.device)})
            except HalError as error:
                reason = f"the driver does not say its {name}: {error}"
                self._find(name, fail(error.rule or "driver/reply", reason, status=error.status.name).outcome)
            except DriverGone as death:
                self._find(name, death_outcome(death))
                self.revive()
        return facts

    def _find(self, fact: str, outcome: Outcome) -> None:
        self.findings.append(Finished(f"{_SUITE}/describe/{fact}", outcome, labels=_LABELS, recurs=True))


@contextmanager
def client_of(driver: Driver) -> Iterator[Device]:
    """The device as one more client of the driver sees it, while the block runs.

    :raises CaseFailed: UNSUPPORTED, if the driver takes one client only.
    """
    with ExitStack() as stack:
        try:
            device = stack.enter_context(driver.another_client())
        except HalError as error:
            raise unsupported(f"the driver's service takes one client only: {error}") from error
        yield device


def connection_to(driver: Driver) -> socket.socket:
    """A connection to the driver's service that nobody has spoken on yet.

    :raises CaseFailed: UNSUPPORTED, if the driver takes one client only.
    """
    try:
        return driver.connection_of_client()
    except HalError as error:
        raise unsupported(f"the driver's service takes one client only: {error}") from error


@contextmanager
def open_subject(target: Target) -> Iterator[DriverUnderTest]:
    """The driver under test while the block runs.

    :raises SelectorError: there is no such driver, or this process lacks descriptors or memory to call it.
    :raises DriverLostError: it does not start.
    """
    with ExitStack() as stack:
        driver, deaths = _started(target, stack)
        try:
            subject = DriverUnderTest(target, driver, deaths)
        except OSError as error:
            raise SelectorError(f"driver '{target.selector}': cannot be asked to describe itself: {error}") from error
        yield subject


def _started(target: Target, stack: ExitStack) -> tuple[Driver, list[Finished]]:
    """The driver, and what became of those of its starts that failed before."""
    deaths: list[Finished] = []
    for _ in range(STARTS_TRIED):
        try:
            with span(_START, "start the driver"), _watched(target):
                return stack.enter_context(target.open()), deaths
        except DriverGone as death:
            lost = DriverLostError("start", death_outcome(death))
            if _is_certain(lost.finding, deaths):
                break
            deaths.append(lost.finding)
    raise lost


def _is_certain(finding: Finished, before: Iterable[Finished]) -> bool:
    """Say whether another start would end alike: a death may be chance, a hang once, on a busy machine."""
    has_hung = any(death.outcome.verdict is Verdict.HANG for death in before)
    return finding.outcome.verdict is Verdict.HANG and (has_hung or load_of_doubt(finding.outcome) is None)


def run_batch(
    subject: DriverUnderTest, batch: Batch, selection: Selection, done: Container[str] = ()
) -> Iterator[Event]:
    """Run the selected cases of a batch that are not ``done``; a driver that dies is started anew.

    :raises DriverLostError: it does not start any more.
    """
    try:
        yield from run_on(subject, (case for case in batch.cases(selection) if case.id not in done))
    except SpecError as error:
        yield Started(batch.id)
        yield Finished(batch.id, spec_outcome(error), labels={"suite": "load"})


def run_cases(cases: Iterable[Case], target: Target) -> Iterator[Event]:
    """Run cases that are known already, on a driver of their own.

    :raises SelectorError: there is no such driver.
    :raises DriverLostError: it does not start, or not again.
    """
    with open_subject(target) as subject:
        yield from run_on(subject, cases)


def run_on(subject: DriverUnderTest, cases: Iterable[Case]) -> Iterator[Event]:
    """Run cases on a driver that is there; one that dies is started anew.

    :raises DriverLostError: it does not start any more.
    """
    for case in cases:
        yield from subject.tell_deaths()
        yield Started(case.id)
        subject.lost.clear()
        run = partial(run_one, subject)
        lost: DriverLostError | None = None
        with subject.turns.beside_others():
            begin = time.monotonic()
            outcome, died = run(case)
            duration_s = time.monotonic() - begin
            try:
                outcome, died = confirm_verdict(subject, run, case, outcome, died=died)
                outcome, died = run_again(subject, run, case, outcome, died=died)
            except DriverLostError as error:
                lost, died = error, False
        # The process of a death by which the case itself ends is in the evidence already.
        beside = len(subject.lost) - (outcome.verdict in (Verdict.CRASH, Verdict.HANG))
        if beside > 0:
            outcome = outcome.with_timings({"pids": tuple(subject.lost)})
        labels = labels_of(case)
        yield Finished(case.id, outcome, duration_s, labels, test=test_to_send(case, outcome, labels, subject.sent))
        if lost is not None:
            raise lost
        if died:
            subject.revive()
    yield from subject.tell_deaths()


def run_one(subject: DriverUnderTest, case: Case) -> tuple[Outcome, bool]:
    """Outcome of a case, and whether the driver died of it."""
    return run_guarded(subject, case.id, lambda: check_of(case).run(subject, case, argument_of(case)))


def _watched(tested: DriverUnderTest | Target) -> AbstractContextManager[None]:
    """A watch on our own thread; none where the driver is in this process: then it may be what waits, or a debugger."""
    return nullcontext() if tested.in_process else WATCH.case(max(_STUCK_LIMITS * tested.timeout_s, _LEAST_STUCK_S))


def run_guarded(subject: DriverUnderTest, name: str, run: Callable[[], Outcome]) -> tuple[Outcome, bool]:
    """Outcome of what is run on the driver, whatever becomes of that, and whether the driver died of it."""
    subject.begin_case()
    try:
        with span(_CASE, name), recording(subject.liberties) as numbers, _watched(subject):
            outcome = run()
            subject.end_case()
        outcome = grade_outcome(judge_errors(outcome, subject.unintended), numbers, strict=subject.strict)
        outcome = judge_reports(outcome, subject.output)
        return replace_outcome(add_blame(outcome, subject.output), computed_by=subject.computed_by), False
    except DriverGone as death:
        subject.lost += [] if death.evidence.pid is None else [death.evidence.pid]
        return replace_outcome(death_outcome(death), computed_by=subject.computed_by), True
    except SpecError as error:
        return spec_outcome(error), False
    except Exception as error:  # noqa: BLE001 - a fault of the suite ends one case, not the run
        return suite_error(error), False


_ALLOCATIONS: Final = 10_000
"""So many more containers than were freed make the collector look at the youngest; the default is 700."""


def collect_rarely() -> None:
    """Leave alone what is there now, and look less often at what comes."""
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
