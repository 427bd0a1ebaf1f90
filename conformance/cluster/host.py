"""Host on a worker of the cluster: drivers that are kept open between chunks, and the chunks on them.

The scheduler gives :class:`DriverHost` to every worker, also to one that joins later. What is known of an attempt at a
chunk is kept by the scheduler as events under the name of its task: whoever gets a task that was begun before knows
that the worker has died of it, and of which case.

Resources that take long to open, such as a driver, kept open by a worker between the tasks of a run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from distributed import Worker, WorkerPlugin, get_worker
from distributed.utils import sync

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.chunk import Chunk, ChunkResult, Fate, Job, SuiteIdentity, missing, on_this_machine
from nnvet.conformance.cluster.machine import NotWantedError, differences, machine_shared, own_identity
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.driver import (
    DriverLostError,
    DriverUnderTest,
    collect_rarely,
    open_subject,
    run_batch,
    run_on,
)
from nnvet.conformance.engine.outcome import Finished, Started
from nnvet.conformance.engine.work import Answer, Message, Ready

Thing = TypeVar("Thing")
_IDLE_S: Final = 120.0
"""Time after which an unused resource is closed: whoever asked for it is gone."""


@dataclass
class Kept(Generic[Thing]):
    """Something that is open, for one task at a time; ``stack`` closes it."""

    thing: Thing
    stack: ExitStack
    used_at: float = field(default_factory=time.monotonic)


class KeptOpen(Generic[Thing]):
    """Things of one kind that are open and idle; ``opened`` makes another one, and puts on the stack what closes it."""

    def __init__(self, opened: Callable[[ExitStack], Thing]) -> None:
        """Nothing is open yet."""
        self._opened = opened
        self._idle: list[Kept[Thing]] = []
        self._lock = threading.Lock()
        self._is_open = True
        threading.Thread(target=self._watch, name="nnvet-idle", daemon=True).start()

    def take(self) -> Kept[Thing]:
        """One that is idle, or another one; raises what opening it does."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        stack = ExitStack()
        with stack:
            thing = self._opened(stack)
            return Kept(thing, stack.pop_all())

    def give_back(self, kept: Kept[Thing]) -> None:
        """It is idle from now on."""
        kept.used_at = time.monotonic()
        with self._lock:
            if self._is_open:
                self._idle.append(kept)
                return
        kept.stack.close()

    def close(self) -> None:
        """Close all that are idle, and those in use as soon as they are given back."""
        with self._lock:
            self._is_open = False
        self._close_older_than(0.0)

    def _watch(self) -> None:
        while self._is_open:
            time.sleep(1.0)
            self._close_older_than(_IDLE_S)

    def _close_older_than(self, age_s: float) -> None:
        before = time.monotonic() - age_s
        with self._lock:
            old = [idle for idle in self._idle if idle.used_at <= before]
            self._idle = [idle for idle in self._idle if idle.used_at > before]
        for idle in old:
            idle.stack.close()


_ANNOUNCED_EVERY_S: Final = 0.1
IS_OVER: Final = "the run has ended"
Host = TypeVar("Host", bound=WorkerPlugin)


class UnfitError(Exception):
    """This worker cannot take part in a run; the text says why, ``fate`` what becomes of its chunks."""

    def __init__(self, fate: Fate, reason: str) -> None:
        """``fate`` is UNFIT, UNLIKE or LOST."""
        super().__init__(reason)
        self.fate = fate


class DriverHost(WorkerPlugin):
    """The drivers that a worker has open for a run, as many as chunks run at a time."""

    def __init__(self, job: Job) -> None:
        """For one run; ``name`` is what the worker finds it by."""
        self.job = job
        self.name = job.name

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 - the worker's signature
        """Called by the worker: nothing is opened yet."""
        self._drivers = KeptOpen(self._opened)

    async def teardown(self, worker: Worker) -> None:
        """Called by the worker: close all drivers."""
        await worker.loop.run_in_executor(None, self._drivers.close)

    def describe(self, identity: SuiteIdentity) -> Ready:
        """Return the driver's description of itself; it stays open for the first chunk.

        :raises UnfitError: there is no such driver, or not the one of the run.
        :raises DriverLostError: it does not start.
        """
        opened = self._take(identity)
        ready = Ready(opened.thing.facts, tuple(opened.thing.findings))
        self._drivers.give_back(opened)
        return ready

    def run(self, identity: SuiteIdentity, chunk: Chunk, announce: Callable[[str], None], worker: str) -> ChunkResult:
        """Run the cases of a chunk; ``announce`` is called with the id of each case before it begins.

        A driver that is lost on the way ends the chunk as LOST, with what had come of it.

        :raises UnfitError: the worker lacks the driver or a spec file, or has not those of the run.
        :raises DriverLostError: the driver does not start.
        """
        messages: list[Message] = []
        batches = [on_this_machine(batch) for batch in chunk.batches]
        lacking = next(filter(None, map(missing, batches)), "")
        if lacking:
            raise UnfitError(Fate.UNFIT, f"it has no {lacking}; give all workers the specs at one path")
        opened = self._take(identity)
        try:
            for event in self._events(opened.thing, batches, chunk.done):
                if isinstance(event, Started):
                    announce(event.case)
                    messages.append(event)
                else:
                    messages.append(_signed(event, worker))
        except DriverLostError as lost:
            opened.stack.close()
            messages.append(lost.finding)
            return ChunkResult(Fate.LOST, worker, str(lost), messages=tuple(messages))
        except BaseException:
            opened.stack.close()
            raise
        self._drivers.give_back(opened)
        return ChunkResult(Fate.DONE, worker, messages=tuple(messages))

    def again(self, identity: SuiteIdentity, chunk: Chunk, cases: frozenset[str], worker: str) -> ChunkResult:
        """Run some cases of a chunk that have failed on another worker.

        :raises UnfitError: there is no such driver, or not the one of the run.
        :raises DriverLostError: it does not start, or not again.
        """
        selection = self.job.assignment.selection
        batches = map(on_this_machine, chunk.batches)
        found = [case for batch in batches for case in batch.cases(selection) if case.id in cases]
        opened = self._take(identity)
        try:
            messages = tuple(run_on(opened.thing, found))
        except BaseException:
            opened.stack.close()
            raise
        self._drivers.give_back(opened)
        return ChunkResult(Fate.DONE, worker, messages=messages)

    def _events(
        self, subject: DriverUnderTest, batches: Iterable[Batch], done: frozenset[str]
    ) -> Iterator[Started | Finished]:
        # What a chunk finds depends on the chunk alone, not on those that the worker has run before.
        subject.failures.clear()
        subject.sent.clear()
        subject.neighbours.clear()
        yield from subject.tell_deaths()
        done |= self.job.assignment.done
        for batch in batches:
            yield from run_batch(subject, batch, self.job.assignment.selection, done)

    def _take(self, identity: SuiteIdentity) -> Kept[DriverUnderTest]:
        own = own_identity()
        check_same(identity, own)
        opened = self._drivers.take()
        try:
            check_same(identity, SuiteIdentity(own.suite, own.corpus, opened.thing.facts))
        except UnfitError:
            opened.stack.close()
            raise
        return opened

    def _opened(self, stack: ExitStack) -> DriverUnderTest:
        try:
            subject = stack.enter_context(open_subject(self.job.assignment.target))
        except SelectorError as error:
            raise UnfitError(Fate.UNFIT, str(error)) from error
        collect_rarely()
        return subject


def describe(name: str, _key: str, identity: SuiteIdentity) -> Ready | ChunkResult:
    """Return a task: what the driver of run ``name`` says of itself on this worker; a result says why there is none."""
    worker = get_worker()
    return _ended(worker, name, lambda host: host.describe(identity))


def run_chunk(name: str, key: str, identity: SuiteIdentity, chunk: Chunk) -> ChunkResult:
    """Return a task: run a chunk of run ``name``; ``key`` is the task's own, which one worker begins once."""
    worker = get_worker()
    known = sync(worker.loop, worker.scheduler.events, topic=key)
    if known:
        return ChunkResult(Fate.DIED, worker.address, case=known[-1][1])

    def announce_at_once(case: str) -> None:
        sync(worker.loop, worker.scheduler.log_event, topic=key, msg=case)

    announce_at_once("")
    announce = announce_at_once if chunk.attempt else _now_and_then(worker, key)
    return _ended(worker, name, lambda host: host.run(identity, chunk, announce, worker.address))


def run_again(name: str, _key: str, identity: SuiteIdentity, chunk: Chunk, cases: frozenset[str]) -> ChunkResult:
    """Return a task: run some cases of a chunk that have failed on another worker."""
    worker = get_worker()
    return _ended(worker, name, lambda host: host.again(identity, chunk, cases, worker.address))


def _ended(worker: Worker, name: str, work: Callable[[DriverHost], Answer]) -> Answer | ChunkResult:
    """Return the result of a task of run ``name``, or why there is no driver for it; waits for measurements to end."""
    try:
        host = host_of(worker, name, DriverHost)
        with machine_shared(lambda: name in worker.plugins):
            return work(host)
    except NotWantedError:
        return ChunkResult(Fate.UNFIT, worker.address, IS_OVER)
    except UnfitError as error:
        return ChunkResult(error.fate, worker.address, str(error))
    except DriverLostError as lost:
        return ChunkResult(Fate.LOST, worker.address, str(lost), messages=(lost.finding,))


def _now_and_then(worker: Worker, key: str) -> Callable[[str], None]:
    """Announces the case under way ten times a second: to do so for each takes longer than many cases."""
    due = time.monotonic()

    def announce(case: str) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + _ANNOUNCED_EVERY_S
            worker.log_event(key, case)

    return announce


def host_of(worker: Worker, name: str, kind: type[Host]) -> Host:
    """Return the host that the scheduler has given a worker under the name of a run.

    :raises UnfitError: the run has ended.
    """
    host = worker.plugins.get(name)
    if not isinstance(host, kind):
        raise UnfitError(Fate.UNFIT, IS_OVER)
    return host


def check_same(wanted: SuiteIdentity, found: SuiteIdentity) -> None:
    """See that a worker has what the run is of.

    :raises UnfitError: it has not.
    """
    unlike = differences(wanted, found)
    if unlike:
        raise UnfitError(Fate.UNLIKE, unlike)


def _signed(event: Finished, worker: str) -> Finished:
    """With the worker's name, among what differs between runs that find the same."""
    return replace(event, outcome=event.outcome.with_timings({"worker": worker}), process=0, began=None)
