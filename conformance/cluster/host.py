"""The worker's side of a run on a cluster: run chunks of cases, on drivers that stay open between chunks.

The scheduler gives :class:`DriverHost` to every worker, also to one that joins later; :func:`describe`,
:func:`run_chunk` and :func:`run_again` are the tasks that a worker gets. The scheduler also keeps, as dask events under
the name of a task, the cases that the task has begun. So a worker that gets a task which another worker has begun knows
that the other one died, and during which case.

:mod:`nnvet.conformance.cluster.run` is the other side. :class:`ResourcePool` is used by the fuzzer's hosts, too.
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
from nnvet.conformance.cluster.chunk import Chunk, ChunkResult, Fate, Job, SuiteIdentity, find_missing, localise
from nnvet.conformance.cluster.machine import NotWantedError, differences, machine_shared, own_identity
from nnvet.conformance.engine import driver
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.work import Answer, Message, Ready
from nnvet.conformance.kit.outcome import Finished, Started

Resource = TypeVar("Resource")
_IDLE_S: Final = 120.0
"""Time after which an unused resource is closed, because the run that needed it is probably gone."""


@dataclass
class PooledResource(Generic[Resource]):
    """An open resource, used by one task at a time; ``stack`` closes it."""

    resource: Resource
    stack: ExitStack
    used_at: float = field(default_factory=time.monotonic)


class ResourcePool(Generic[Resource]):
    """Pool of resources, such as drivers, that take long to open and stay open between the tasks of a run.

    ``open_resource`` opens another one, and puts on the stack what closes it.
    """

    def __init__(self, open_resource: Callable[[ExitStack], Resource]) -> None:
        """Begin with no open resource."""
        self._open_resource = open_resource
        self._idle: list[PooledResource[Resource]] = []
        self._lock = threading.Lock()
        self._is_open = True
        threading.Thread(target=self._watch, name="nnvet-idle", daemon=True).start()

    def take(self) -> PooledResource[Resource]:
        """Return an idle resource, or open another one; raises what opening it raises."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        stack = ExitStack()
        with stack:
            resource = self._open_resource(stack)
            return PooledResource(resource, stack.pop_all())

    def give_back(self, kept: PooledResource[Resource]) -> None:
        """Keep a resource for the next task."""
        kept.used_at = time.monotonic()
        with self._lock:
            if self._is_open:
                self._idle.append(kept)
                return
        kept.stack.close()

    def close(self) -> None:
        """Close all idle resources now, and those in use as soon as they are given back."""
        with self._lock:
            self._is_open = False
        self._close_older_than(0.0)

    def _watch(self) -> None:
        """Close resources that have not been used for long, once a second."""
        while self._is_open:
            time.sleep(1.0)
            self._close_older_than(_IDLE_S)

    def _close_older_than(self, age_s: float) -> None:
        """Close the idle resources that were used ``age_s`` seconds ago or earlier."""
        before = time.monotonic() - age_s
        with self._lock:
            old = [idle for idle in self._idle if idle.used_at <= before]
            self._idle = [idle for idle in self._idle if idle.used_at > before]
        for idle in old:
            idle.stack.close()


_ANNOUNCED_EVERY_S: Final = 0.1
"""Seconds between two announcements of the running case."""
IS_OVER: Final = "the run has ended"
"""Reason of a worker that gets a task of a run which has ended."""
Host = TypeVar("Host", bound=WorkerPlugin)


class UnfitError(Exception):
    """This worker cannot take part in a run; the text says why, and ``fate`` is the result of its chunks."""

    def __init__(self, fate: Fate, reason: str) -> None:
        """Keep ``fate``, which is UNFIT, UNLIKE or LOST."""
        super().__init__(reason)
        self.fate = fate


class DriverHost(WorkerPlugin):
    """A worker's open drivers for one run, as many as chunks run at the same time."""

    def __init__(self, job: Job) -> None:
        """Serve one run; the worker finds this object by ``name``."""
        self.job = job
        self.name = job.name

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 - the worker's signature
        """Get ready without opening a driver yet; dask calls this on the worker."""
        self._drivers = ResourcePool(self._open_driver)

    async def teardown(self, worker: Worker) -> None:
        """Close all drivers; dask calls this on the worker."""
        await worker.loop.run_in_executor(None, self._drivers.close)

    def describe(self, identity: SuiteIdentity) -> Ready:
        """Return the driver's description of itself; the driver stays open for the first chunk.

        :raises UnfitError: the driver does not exist, or is not the run's.
        :raises DriverLostError: the driver does not start.
        """
        opened = self._take_driver(identity)
        ready = Ready(opened.resource.facts, tuple(opened.resource.findings))
        self._drivers.give_back(opened)
        return ready

    def run(self, identity: SuiteIdentity, chunk: Chunk, announce: Callable[[str], None], worker: str) -> ChunkResult:
        """Run the cases of a chunk; ``announce`` is called with the id of each case before it begins.

        If the driver is lost on the way, the chunk ends as LOST, with the messages until then.

        :raises UnfitError: the worker lacks the driver or a spec file, or has others than the run.
        :raises DriverLostError: the driver does not start.
        """
        messages: list[Message] = []
        batches = [localise(batch) for batch in chunk.batches]
        lacking = next(filter(None, map(find_missing, batches)), "")
        if lacking:
            raise UnfitError(Fate.UNFIT, f"it has no {lacking}; give all workers the specs at one path")
        opened = self._take_driver(identity)
        try:
            for event in self._run_batches(opened.resource, batches, chunk.done):
                if isinstance(event, Started):
                    announce(event.case)
                    messages.append(event)
                else:
                    messages.append(_add_worker(event, worker))
        except driver.DriverLostError as lost:
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

        :raises UnfitError: the driver does not exist, or is not the run's.
        :raises DriverLostError: the driver does not start, or not again.
        """
        selection = self.job.assignment.selection
        batches = map(localise, chunk.batches)
        found = [case for batch in batches for case in batch.cases(selection) if case.id in cases]
        opened = self._take_driver(identity)
        try:
            messages = tuple(driver.run_on(opened.resource, found))
        except BaseException:
            opened.stack.close()
            raise
        self._drivers.give_back(opened)
        return ChunkResult(Fate.DONE, worker, messages=messages)

    def _run_batches(
        self, subject: driver.DriverUnderTest, batches: Iterable[Batch], done: frozenset[str]
    ) -> Iterator[Started | Finished]:
        """Run the cases of batches that are not ``done``, and yield their events."""
        # The findings of a chunk must depend on the chunk alone, not on chunks that the worker has run before.
        subject.failures.clear()
        subject.sent.clear()
        subject.neighbours.clear()
        yield from subject.report_deaths()
        done |= self.job.assignment.done
        for batch in batches:
            yield from driver.run_batch(subject, batch, self.job.assignment.selection, done)

    def _take_driver(self, identity: SuiteIdentity) -> PooledResource[driver.DriverUnderTest]:
        """Return a driver that is idle, or open another one.

        :raises UnfitError: the worker's suite or driver is not the run's.
        """
        own = own_identity()
        check_same(identity, own)
        opened = self._drivers.take()
        try:
            check_same(identity, SuiteIdentity(own.suite, own.corpus, opened.resource.facts))
        except UnfitError:
            opened.stack.close()
            raise
        return opened

    def _open_driver(self, stack: ExitStack) -> driver.DriverUnderTest:
        """Open a driver, which ``stack`` ends.

        :raises UnfitError: the worker has no such driver.
        """
        try:
            subject = stack.enter_context(driver.open_subject(self.job.assignment.target))
        except SelectorError as error:
            raise UnfitError(Fate.UNFIT, str(error)) from error
        driver.collect_rarely()
        return subject


def describe(name: str, _key: str, identity: SuiteIdentity) -> Ready | ChunkResult:
    """Describe the driver of run ``name`` on this worker, as a dask task; a ChunkResult says why it cannot."""
    worker = get_worker()
    return _answer_task(worker, name, lambda host: host.describe(identity))


def run_chunk(name: str, key: str, identity: SuiteIdentity, chunk: Chunk) -> ChunkResult:
    """Run a chunk of run ``name``, as a dask task; ``key`` names the task. A task that was begun before is not run."""
    worker = get_worker()
    known = sync(worker.loop, worker.scheduler.events, topic=key)
    if known:
        return ChunkResult(Fate.DIED, worker.address, case=known[-1][1])

    def announce_at_once(case: str) -> None:
        sync(worker.loop, worker.scheduler.log_event, topic=key, msg=case)

    announce_at_once("")
    announce = announce_at_once if chunk.attempt else _announce_rarely(worker, key)
    return _answer_task(worker, name, lambda host: host.run(identity, chunk, announce, worker.address))


def run_again(name: str, _key: str, identity: SuiteIdentity, chunk: Chunk, cases: frozenset[str]) -> ChunkResult:
    """Run some cases of a chunk that have failed on another worker, as a dask task."""
    worker = get_worker()
    return _answer_task(worker, name, lambda host: host.again(identity, chunk, cases, worker.address))


def _answer_task(worker: Worker, name: str, work: Callable[[DriverHost], Answer]) -> Answer | ChunkResult:
    """Return the result of ``work`` for run ``name``, or the reason for having none, after measurements have ended."""
    try:
        host = host_of(worker, name, DriverHost)
        with machine_shared(lambda: name in worker.plugins):
            return work(host)
    except NotWantedError:
        return ChunkResult(Fate.UNFIT, worker.address, IS_OVER)
    except UnfitError as error:
        return ChunkResult(error.fate, worker.address, str(error))
    except driver.DriverLostError as lost:
        return ChunkResult(Fate.LOST, worker.address, str(lost), messages=(lost.finding,))


def _announce_rarely(worker: Worker, key: str) -> Callable[[str], None]:
    """Announce the running case ten times a second at most, as announcing each case takes longer than many cases do."""
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
    """Check that a worker has the suite and the driver that the run was started with.

    :raises UnfitError: it has others.
    """
    unlike = differences(wanted, found)
    if unlike:
        raise UnfitError(Fate.UNLIKE, unlike)


def _add_worker(event: Finished, worker: str) -> Finished:
    """Add the worker's name to an outcome, among what differs between runs with equal results."""
    return replace(event, outcome=event.outcome.with_timings({"worker": worker}), process=0, began=None)
