"""Runs batches in several worker processes, each with a driver of its own, and merges what they say.

A worker gets what to test and which cases to take (:class:`Assignment`) and answers :class:`Ready`. For each
:class:`Work` it sends the events of its cases, in packets, and then :class:`BatchEnded`. What a worker that dies still
owed is run by another; a case that two workers die of is an ERROR.
"""

from __future__ import annotations

import math
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from selectors import EVENT_READ, DefaultSelector
from typing import Final

from nnvet.adapters import SelectorError
from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.outbox import CaseSlot
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.session import (
    DriverLostError,
    DriverUnderTest,
    Event,
    Finished,
    Started,
    Target,
    open_session,
    run_batch,
)
from nnvet.generators.specs import SpecError
from nnvet.reports.events import DriverFacts, Verdict
from nnvet.reports.evidence import SPEC

_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.engine.worker")
_DEATHS_ALLOWED: Final = 1
_GOODBYE_S: Final = 2.0
_MEMORY: Final = 4 << 30
"""Bytes that a worker may have without its driver."""

LOADING_S: Final = 120.0
"""How long a worker may take to load a file of specs."""


class WorkerError(Exception):
    """Worker processes cannot be started; the text holds their last words."""


@dataclass(frozen=True)
class Assignment:
    """What all work of a run has in common; cases that are ``done`` do not run again."""

    target: Target
    selection: Selection
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ready:
    """The driver is there; ``findings`` are what went wrong when it described itself."""

    facts: DriverFacts
    findings: tuple[Finished, ...]


@dataclass(frozen=True)
class Lost:
    """The driver of a worker cannot be started, or not again."""

    finding: Finished


@dataclass(frozen=True)
class Work:
    """Run the cases of a batch that are not ``done``."""

    batch: Batch
    done: frozenset[str] = frozenset()


@dataclass(frozen=True)
class BatchEnded:
    """Nothing more comes of a batch."""

    batch: Batch


Message = Ready | Event | BatchEnded
"""What a run says: who is tested, then events; a case that is started twice was begun by a worker that died."""


def run_serially(batches: Sequence[Batch], assignment: Assignment) -> Generator[Message]:
    """Run batches one after the other in this process.

    :raises SelectorError: there is no such driver.
    """
    left = deque(Work(batch) for batch in batches)
    try:
        with open_session(assignment.target) as session:
            yield Ready(session.facts, tuple(session.findings))
            yield from _run_all(session, left, assignment)
    except DriverLostError as lost:
        yield from _said(lost.finding)
        yield from _not_run(left, assignment, str(lost))


def _run_all(session: DriverUnderTest, left: deque[Work], assignment: Assignment) -> Iterator[Message]:
    while left:
        done: set[str] = set()
        try:
            for event in run_batch(session, left[0].batch, assignment.selection, assignment.done):
                if isinstance(event, Finished):
                    done.add(event.case)
                yield event
        except DriverLostError:
            left[0] = Work(left[0].batch, frozenset(done))
            raise
        yield BatchEnded(left.popleft().batch)


def run_in_workers(batches: Callable[[], Sequence[Batch]], assignment: Assignment, jobs: int) -> Generator[Message]:
    """Run batches in ``jobs`` processes, which start while the batches are listed.

    Events of one case come in order, cases in any.

    :raises SelectorError: there is no such driver.
    :raises WorkerError: no worker can be started.
    """
    pool = _Pool(assignment)
    try:
        for _ in range(jobs):
            pool.hire()
        pool.left.extend(Work(batch) for batch in batches())
        while pool.workers:
            for ready, _ in pool.selector.select(pool.patience_s()):
                yield from pool.hear(ready.data)
            pool.end_loading()
        yield from _not_run(pool.left, assignment, pool.why_lost)
    finally:
        pool.close()


class _Worker:
    """A process, what it is doing, and what it has done of that."""

    def __init__(self, assignment: Assignment) -> None:
        ours, theirs = socket.socketpair()
        self._slot = CaseSlot()
        with theirs:
            socket.send_fds(ours, [b"\0"], [self._slot.handle.fd])
            # With its driver, which may have what the user allows it.
            driver_limit = assignment.target.memory_limit
            limit = None if driver_limit is None else _MEMORY + driver_limit
            command = (*_COMMAND, str(theirs.fileno()))
            self.process = ServiceProcess(command, theirs.fileno(), {}, memory_limit=limit)
        self.connection = Connection(ours.detach())
        self.connection.send(assignment)
        self.is_ready = False
        self.work: Work | None = None
        self.done: set[str] = set()
        self.loads_until = math.inf
        self.is_overdue = False

    def give(self, work: Work) -> None:
        self.work, self.done = work, set(work.done)
        self.loads_until = time.monotonic() + LOADING_S
        # One that has died meanwhile is heard of soon, and then its work is given to another.
        with suppress(OSError):
            self.connection.send(work)

    def see(self, event: Event) -> None:
        self.loads_until = math.inf
        if isinstance(event, Finished):
            self.done.add(event.case)

    @property
    def begun(self) -> str:
        """The case that runs, or ran when the process died."""
        return self._slot.case

    def dismiss(self) -> None:
        self.connection.close()
        if not self.process.wait(_GOODBYE_S):
            self.process.kill()


@dataclass
class _Pool:
    """All workers, and the work that is left."""

    assignment: Assignment
    left: deque[Work] = field(default_factory=deque)
    workers: list[_Worker] = field(default_factory=list)
    selector: DefaultSelector = field(default_factory=DefaultSelector)
    deaths: Counter[str] = field(default_factory=Counter)
    why_lost: str = ""

    def hire(self) -> None:
        worker = _Worker(self.assignment)
        self.workers.append(worker)
        self.selector.register(worker.connection, EVENT_READ, worker)

    def hear(self, worker: _Worker) -> Iterator[Message]:
        """Take in one message of a worker, or its death; nothing of one that was dismissed meanwhile."""
        if worker not in self.workers:
            return
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        if isinstance(message, SelectorError):
            raise message
        if isinstance(message, list):
            for event in message:
                worker.see(event)
                yield event
        elif isinstance(message, Lost):
            self.why_lost = message.finding.outcome.reason
            yield from _said(message.finding)
            self._let_go(worker)
        else:
            worker.is_ready, worker.work, worker.loads_until = True, None, math.inf
            yield message
            self._employ()

    def patience_s(self) -> float | None:
        """How long the next message may take; None: for ever."""
        end = min((worker.loads_until for worker in self.workers), default=math.inf)
        return None if end == math.inf else max(0.0, end - time.monotonic())

    def end_loading(self) -> None:
        """Kill workers that take too long to load a file, which is then heard."""
        now = time.monotonic()
        for worker in self.workers:
            if now >= worker.loads_until:
                worker.is_overdue, worker.loads_until = True, math.inf
                worker.process.kill()

    def close(self) -> None:
        for worker in self.workers:
            worker.process.kill()
            worker.connection.close()
        self.selector.close()

    def _employ(self) -> None:
        """Give work to those who have none; when all have done theirs, there is nothing left to wait for."""
        idle = [worker for worker in self.workers if worker.is_ready and worker.work is None]
        while idle and self.left:
            idle.pop().give(self.left.popleft())
        if not self.left and not any(worker.work for worker in self.workers):
            for worker in idle:
                self._dismiss(worker)

    def _let_go(self, worker: _Worker) -> None:
        """Do without a worker; what it owes is for others."""
        if worker.work is not None:
            self.left.appendleft(Work(worker.work.batch, frozenset(worker.done)))
        self._dismiss(worker)
        self._employ()

    def _dismiss(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        self.selector.unregister(worker.connection)
        worker.dismiss()

    def _bury(self, worker: _Worker) -> Iterator[Message]:
        evidence = worker.process.evidence(dead=True)
        state = f"was killed: loading took more than {LOADING_S:g} s" if worker.is_overdue else evidence.state
        words = f"the suite's worker process {state}: {evidence.stderr_tail}".rstrip(" :\n")
        culprit = worker.begun or (worker.work.batch.id if worker.work is not None else "")
        # Where time has run out, it would a second time.
        self.deaths[culprit] += (bool(culprit) or not worker.is_ready) + worker.is_overdue
        if self.deaths[culprit] > _DEATHS_ALLOWED:
            if worker.work is None:
                raise WorkerError(words)
            file = None if worker.begun else worker.work.batch.file
            # Nothing had begun but to load the file: whatever it does as it is loaded is its fault.
            spec = {} if file is None else {SPEC: file.path}
            yield from _said(Finished(culprit, Outcome(Verdict.ERROR, reason=words, evidence=spec)))
            worker.done.add(culprit)
            if not worker.begun:
                yield BatchEnded(worker.work.batch)
                worker.work = None
        # Before the others get what it owes: they may be waiting, and there has to be somebody.
        self.hire()
        self._let_go(worker)


def _said(finding: Finished) -> Iterator[Message]:
    yield Started(finding.case)
    yield finding


def _not_run(left: Iterable[Work], assignment: Assignment, reason: str) -> Iterator[Message]:
    for work in left:
        try:
            for case in work.batch.cases(assignment.selection):
                if case.id not in work.done and case.id not in assignment.done:
                    outcome = Outcome(Verdict.NOT_RUN, reason=reason)
                    yield Finished(case.id, outcome, labels={"suite": case.name.suite, "check": case.name.check})
        except SpecError as error:
            yield from _said(Finished(work.batch.id, Outcome(Verdict.ERROR, reason=str(error))))
        yield BatchEnded(work.batch)
