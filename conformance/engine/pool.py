"""Worker processes that run batches, each with a driver of its own; the events of all workers are merged.

If a worker dies, another one runs what is left of its batch. A case that two workers die of is an ERROR, or a CRASH if
another program killed them. A worker without news sends empty packets: a silent one has been stopped or is stuck, and
is killed. :mod:`nnvet.conformance.engine.worker_process` is one worker as seen from here.

A worker whose driver is on another machine mostly waits for the link. So a run that leaves their number open hires more
of them: as many as fill a round trip with work of the suite.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from selectors import EVENT_READ, DefaultSelector
from typing import Final

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.driver import STARTS_TRIED, DriverLostError, DriverUnderTest, open_subject, run_batch
from nnvet.conformance.engine.work import (
    Assignment,
    BatchEnded,
    Goodbye,
    Lost,
    Message,
    Ready,
    SharedAssignment,
    Work,
    WorkQueue,
)
from nnvet.conformance.engine.worker_process import HEARTBEAT_S, WorkerError, WorkerProcess
from nnvet.conformance.kit.outcome import Finished, Outcome, Started
from nnvet.generators.specs import SpecError
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import SPEC
from nnvet.reports.values import TRACEBACK, last_traceback

_DEATHS_ALLOWED: Final = 1
"""Deaths of workers at the same place after which another worker still tries it."""
_UNREAD_ALLOWED: Final = 10
"""Deaths of workers before they have read their work, in the whole run."""
_MOST_HELPERS: Final = 7
"""Most workers that are hired because of a link."""
_WORK_OF_CASE_S: Final = 0.0012
"""Work of the suite for one round trip, about: processor time for a case that the driver does not support."""
_SHORT_S: Final = 2.0
"""A shorter run needs no helpers, which take longer to start."""
_SHOT: Final = "two processes of the suite were killed by another program while this case ran"
"""Reason of a CRASH at which the suite's processes were killed by another program."""


def run_serially(batches: Iterable[Batch], assignment: Assignment) -> Generator[Message]:
    """Run batches one after the other in this process.

    :raises SelectorError: there is no such driver.
    """
    left = WorkQueue(map(Work, batches))
    has_started = False
    try:
        with open_subject(assignment.target) as subject:
            has_started = True
            yield Ready(subject.facts, tuple(subject.findings))
            yield from subject.report_deaths()
            yield from _run_all(subject, left, assignment)
            yield from subject.part()
    except DriverLostError as lost:
        yield from make_events(lost.finding)
        if has_started:
            yield from report_not_run(left, assignment, str(lost))


def _run_all(subject: DriverUnderTest, left: WorkQueue[Work], assignment: Assignment) -> Iterator[Message]:
    """Run all work in this process; what is left goes back into the queue if the driver does not start any more."""
    for work in left:
        done: set[str] = set()
        try:
            for event in run_batch(subject, work.batch, assignment.selection, assignment.done):
                if isinstance(event, Finished):
                    done.add(event.case)
                yield event
        except DriverLostError:
            left.put_back(Work(work.batch, frozenset(done)))
            raise
        yield BatchEnded(work.batch)


def run_in_workers(
    batches: Callable[[], Iterable[Batch]], assignment: Assignment, jobs: int | None
) -> Generator[Message]:
    """Run batches in ``jobs`` processes, which start while the batches are listed.

    None: in one process, and helpers if its driver is far away. A helper whose driver does not start is let go, since
    the driver may allow one process only. The events of a case come in order; cases come in any order.

    :raises SelectorError: there is no such driver.
    :raises WorkerError: no worker can be started.
    """
    pool = _Pool(assignment, may_grow=jobs is None)
    try:
        for _ in range(jobs or 1):
            pool.hire()
        pool.left = WorkQueue(map(Work, batches()))
        while pool.workers:
            for ready, _ in pool.selector.select(pool.patience_s()):
                yield from pool.handle(ready.data)
            pool.end_overdue()
            pool.grow()
        if pool.has_started:
            yield from report_not_run(pool.left, assignment, pool.reason_of_loss)
    finally:
        pool.close()


@dataclass
class _Pool:
    """All workers, and the work that is left; ``helpers`` are those that were hired because of a link.

    ``deaths`` counts deaths of workers by the batch and the number of its finished cases, ``looked_at`` is the time of
    the last look for overdue workers, and at ``grows_at`` the pool may hire helpers.
    """

    assignment: Assignment
    may_grow: bool = False
    grows_at: float = math.inf
    wanted_helpers: int = 0
    helpers: list[WorkerProcess] = field(default_factory=list)
    shared: SharedAssignment | None = None
    left: WorkQueue[Work] = field(default_factory=lambda: WorkQueue(()))
    workers: list[WorkerProcess] = field(default_factory=list)
    selector: DefaultSelector = field(default_factory=DefaultSelector)
    looked_at: float = field(default_factory=time.monotonic)
    deaths: Counter[tuple[str, int]] = field(default_factory=Counter)
    reason_of_loss: str = ""
    failed_starts: int = 0
    has_started: bool = False

    def hire(self) -> None:
        """Start a worker; if it cannot be started, go on with the present ones.

        :raises WorkerError: there are no other workers.
        """
        try:
            self.shared = self.shared or SharedAssignment.of(self.assignment)
            worker = WorkerProcess(self.assignment.target, self.shared)
        except (WorkerError, OSError) as error:
            if self.workers:
                return
            raise WorkerError(str(error)) from error
        self.workers.append(worker)
        self.selector.register(worker.connection, EVENT_READ, worker)

    def handle(self, worker: WorkerProcess) -> Iterator[Message]:
        """Handle one message of a worker, or its death; ignore a worker that has been dismissed."""
        if worker not in self.workers:
            return
        try:
            message = worker.receive()
        except (EOFError, OSError):
            if worker.is_leaving:
                self._dismiss(worker)
            else:
                yield from self._handle_death(worker)
            return
        if isinstance(message, list):
            for event in message:
                worker.see(event)
                yield event
        elif isinstance(message, Lost | SelectorError):
            yield from self._lose(worker, message)
        elif isinstance(message, Goodbye):
            self._dismiss(worker)
        else:
            if isinstance(message, Ready):
                self._note_start(message)
            worker.is_ready, worker.work, worker.loads_until = True, None, math.inf
            yield message
            self._employ()

    def _lose(self, worker: WorkerProcess, why: Lost | SelectorError) -> Iterator[Message]:
        """Go on without a worker whose driver does not start.

        :raises SelectorError: there is no such driver.
        """
        is_needed = worker.is_ready or worker not in self.helpers
        if is_needed and isinstance(why, SelectorError):
            raise why
        if is_needed and isinstance(why, Lost):
            self.reason_of_loss = why.finding.outcome.reason
            yield from make_events(why.finding)
        self._let_go(worker)

    def _note_start(self, ready: Ready) -> None:
        """Note that a driver has started, and how many helpers the way to it needs."""
        self.failed_starts, self.has_started = 0, True
        if self.may_grow:
            self.may_grow, self.grows_at = False, time.monotonic() + _SHORT_S
            self.wanted_helpers = min(_MOST_HELPERS, int(ready.round_trip_s / _WORK_OF_CASE_S))

    def grow(self) -> None:
        """Hire helpers once the run has turned out to be no short one, if it has work for them."""
        if time.monotonic() < self.grows_at or not self.left:
            return
        self.grows_at = math.inf
        for _ in range(self.wanted_helpers):
            before = len(self.workers)
            self.hire()
            self.helpers += self.workers[before:]

    def patience_s(self) -> float:
        """Return the time to wait for a message before the workers are checked again."""
        end = min((worker.loads_until for worker in self.workers), default=math.inf)
        return max(0.0, min(end - time.monotonic(), HEARTBEAT_S))

    def end_overdue(self) -> None:
        """Kill workers that take too long to load a file or have fallen silent; their deaths come as messages."""
        now = time.monotonic()
        # Time in which this process itself was stopped does not count as silence of a worker.
        passed = min(now - self.looked_at, 2 * HEARTBEAT_S)
        self.looked_at = now
        for worker in self.workers:
            worker.watch(passed)

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.process.kill()
            worker.connection.close()
        self.selector.close()

    def _employ(self) -> None:
        """Give work to idle workers, and dismiss the others once all work is done."""
        idle = [worker for worker in self.workers if worker.is_idle]
        while idle and self.left:
            idle.pop().give(self.left.take())
        if not self.left and not any(worker.work for worker in self.workers):
            for worker in tuple(self.workers):
                if not worker.is_ready:
                    self._dismiss(worker)
                elif not worker.is_leaving:
                    worker.part()

    def _let_go(self, worker: WorkerProcess) -> None:
        """Give up a worker whose driver does not start, and go on with the others."""
        self._part_with(worker)
        self._employ()

    def _part_with(self, worker: WorkerProcess) -> None:
        """Give up a dead worker; others run what is left of its batch."""
        if worker.work is not None:
            self.left.put_back(Work(worker.work.batch, frozenset(worker.done)))
        self._dismiss(worker)

    def _dismiss(self, worker: WorkerProcess) -> None:
        """Forget a worker, and end its process."""
        self.workers.remove(worker)
        self.selector.unregister(worker.connection)
        worker.dismiss()

    def _handle_death(self, worker: WorkerProcess) -> Iterator[Message]:
        """Handle the death of a worker: blame its case after a second death, hire another one, or give up.

        :raises WorkerError: workers die before their first message, again and again.
        """
        words = worker.last_words
        if not worker.is_ready:
            self.failed_starts += 1
            if self.failed_starts >= STARTS_TRIED:
                if not any(other.is_ready for other in self.workers):
                    # A traceback would be that of the suite, and its last line has the reason.
                    head = words.partition(TRACEBACK)[0].rstrip(" :\n")
                    raise WorkerError(": ".join([head, *last_traceback(words)[-1:]]))
                # The present workers suffice.
                self._let_go(worker)
                return
        culprit = worker.begun or (worker.work.batch.id if worker.work is not None else "")
        # A death between two cases is the fault of the work only if another worker dies at the same place.
        place = (culprit, 0 if worker.begun else len(worker.done))
        if worker.is_unread:
            # The worker never got the work, so the batch is not at fault; but the number of such deaths is limited.
            place = ("", 0)
        # A batch that ran out of time would do so again.
        self.deaths[place] += 1 + worker.is_overdue
        if worker.work is not None and self.deaths[place] > (_UNREAD_ALLOWED if worker.is_unread else _DEATHS_ALLOWED):
            file = None if worker.begun else worker.work.batch.file
            # Only loading had begun, so the file itself is at fault.
            spec = {} if file is None else {SPEC: file.path}
            outcome = Outcome(Verdict.ERROR, reason=words, evidence=spec)
            if worker.begun and worker.was_shot:
                # Besides the suite only the driver has to do with that case, so the driver is to blame.
                outcome = Outcome(Verdict.CRASH, "driver/crash", f"{_SHOT}: {words}")
            yield from make_events(Finished(culprit, outcome))
            worker.done.add(culprit)
            if not worker.begun:
                yield BatchEnded(worker.work.batch)
                worker.work = None
        self._part_with(worker)
        self.hire()
        self._employ()


def make_events(*findings: Finished) -> Iterator[Message]:
    """Yield the beginning and the end of each case, for cases whose beginning was not reported before."""
    for finding in findings:
        yield Started(finding.case)
        yield finding


def report_not_run(left: Iterable[Work], assignment: Assignment, reason: str) -> Iterator[Message]:
    """Yield all selected cases that are left, as NOT_RUN.

    A series of random cases that only time ends has no list of cases that were not run.
    """
    for work in left:
        if work.batch.series is not None and work.batch.series.until is not None:
            return
        try:
            for case in work.batch.cases(assignment.selection):
                if case.id not in work.done and case.id not in assignment.done:
                    outcome = Outcome(Verdict.NOT_RUN, reason=reason)
                    yield Finished(case.id, outcome, labels={"suite": case.name.suite, "check": case.name.check})
        except SpecError as error:
            yield from make_events(Finished(work.batch.id, Outcome(Verdict.ERROR, reason=str(error))))
        yield BatchEnded(work.batch)
