"""Distribution of tasks to the workers of a cluster, one at a time on each machine; results come in order.

Stress tests and benchmarks are such tasks. :func:`introduce` and :func:`run_solo` run on the workers,
:meth:`SoloRun.results` where the command was given. Cases that share machines are distributed by
:mod:`nnvet.conformance.cluster.run`.

If a worker dies, its task runs again, on another machine if there is one. A task at which two workers have died is
given up. The scheduler keeps the start of each attempt as an event under the name of its task, as it does for chunks
(:mod:`nnvet.conformance.cluster.host`), so that a death is noticed.
"""

from __future__ import annotations

import queue
import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from distributed import Future, Worker, get_worker
from distributed.core import Status
from distributed.utils import sync

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.chunk import Fate, SuiteIdentity
from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.fleet import GONE, Fleet, result_of
from nnvet.conformance.cluster.host import UnfitError
from nnvet.conformance.cluster.machine import (
    NotWantedError,
    differences,
    lock_id,
    machine_id,
    machine_shared,
    machine_to_itself,
    own_identity,
)
from nnvet.conformance.cluster.solo import Describe, Introduction, SoloAnswer, SoloResult, SoloTask
from nnvet.conformance.cluster.solo_process import DiedError, call_in_process
from nnvet.conformance.engine.driver import DriverLostError
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.conformance.kit.outcome import Finished
from nnvet.reports.facts import machine_facts

_AT_WORK: Final = (Status.init, Status.running, Status.paused, Status.closing_gracefully)
"""States of a worker that still takes part in its cluster."""


def introduce(key: str, identity: SuiteIdentity, describe: Describe) -> Introduction | SoloAnswer:
    """Describe this worker and its equipment for a run, as a dask task; a SoloAnswer says why it takes no part."""
    worker = get_worker()
    unlike = differences(identity, own_identity())
    if unlike:
        return SoloAnswer(Fate.UNLIKE, worker.address, unlike)
    try:
        with machine_shared(lambda: _is_wanted(worker, key)):
            return Introduction(worker.address, machine_id(), _read_lock(), machine_facts(), describe())
    except UnfitError as error:
        return SoloAnswer(error.fate, worker.address, str(error))
    except (SelectorError, NotWantedError) as error:
        return SoloAnswer(Fate.UNFIT, worker.address, str(error))
    except DriverLostError as lost:
        return SoloAnswer(Fate.LOST, worker.address, str(lost), value=lost.finding)


def run_solo(key: str, task: SoloTask) -> SoloAnswer:
    """Wait until no other work of nnvet runs on this machine, then run a task in its own process; a dask task."""
    worker = get_worker()
    known = sync(worker.loop, worker.scheduler.events, topic=key)
    if known:
        return SoloAnswer(Fate.DIED, str(known[-1][1]))

    def is_wanted() -> bool:
        return _is_wanted(worker, key)

    try:
        with machine_to_itself(is_wanted):
            sync(worker.loop, worker.scheduler.log_event, topic=key, msg=worker.address)
            facts = machine_facts()
            value = call_in_process(task.function, task.arguments, is_wanted)
    except (SelectorError, NotWantedError) as error:
        return SoloAnswer(Fate.UNFIT, worker.address, str(error))
    except DiedError as died:
        return SoloAnswer(Fate.DIED, worker.address, str(died), evidence=died.evidence)
    return SoloAnswer(Fate.DONE, worker.address, value=value, facts=facts)


def _read_lock() -> str:
    """Return the id of the machine's lock.

    :raises UnfitError: the machine cannot be locked.
    """
    try:
        return lock_id()
    except OSError as error:
        raise UnfitError(Fate.UNFIT, f"its machine cannot be locked: {error}") from error


def _is_wanted(worker: Worker, key: str) -> bool:
    """Return True if a client still waits for a task of this worker; the scheduler also notices lost clients."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state in ("executing", "long-running") and worker.status in _AT_WORK


_LOOK_S: Final = 0.5
"""Seconds to wait for the end of a task before the cluster is checked."""
_DEATHS_ALLOWED: Final = 1
"""Deaths of workers at a task after which it still runs on another one."""


@dataclass(frozen=True)
class _RunningTask:
    """A task that a worker has; ``key`` is its name on the scheduler."""

    number: int
    key: str
    worker: str


@dataclass
class SoloRun:
    """The workers that take part in a run, and their tasks.

    ``alike`` holds the values known here that :attr:`~nnvet.conformance.cluster.solo.Described.alike` must have on all
    workers. ``on_start`` is called with the number of each task that is given to a worker, and the worker's address.
    """

    fleet: Fleet
    describe: Describe
    alike: Mapping[str, str] = field(default_factory=dict)
    on_start: Callable[[int, str], None] = lambda _number, _worker: None
    lost: Finished | None = None
    """Report on a driver that does not start on a worker."""
    _name: str = field(default_factory=lambda: f"nnvet-{uuid4().hex[:12]}")
    _keys: int = 0
    _first: Introduction | None = None
    _is_complete: bool = False
    """True once all workers present at the start were asked; workers that join later and differ do not end the run."""
    _asked: dict[Future[Any], str] = field(default_factory=dict)
    _known: dict[str, Introduction] = field(default_factory=dict)
    _unfit: dict[str, str] = field(default_factory=dict)
    """Reasons why workers cannot take part, by address; an empty reason means that the worker is about to end."""
    _tasks: Sequence[SoloTask] = ()
    _todo: deque[int] = field(default_factory=deque)
    _running: dict[Future[Any], _RunningTask] = field(default_factory=dict)
    _results: dict[int, SoloResult] = field(default_factory=dict)
    _deaths: defaultdict[int, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    _warned: set[str] = field(default_factory=set)
    _next: int = 0
    _ended: queue.SimpleQueue[Future[Any]] = field(default_factory=queue.SimpleQueue)
    _seen_at: float = field(default_factory=time.monotonic)

    def introduce_workers(self) -> Introduction | None:
        """Ask all workers to introduce themselves, and return the first that takes part; None if no driver starts.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: there are no workers, or a worker's suite or driver differs from the others'.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        self.fleet.require_workers()
        self._ask_new_workers()
        while self._asked:
            self._handle_next_end()
            self._reclaim()
        if self._first is None and self.lost is None:
            raise SelectorError("; ".join(f"worker {address}: {why}" for address, why in self._unfit.items()))
        self._is_complete = True
        return self._first

    def results(self, tasks: Sequence[SoloTask]) -> Generator[SoloResult]:
        """Yield the tasks' results in order; when this ends or is closed, all tasks that still run are cancelled.

        :raises WorkerError: the scheduler or the last worker is gone, or a worker cannot do a task.
        """
        self._tasks = tasks
        self._todo.extend(range(len(tasks)))
        try:
            while self._todo or self._running:
                self._ask_new_workers()
                self._reclaim()
                self._hand_out()
                if not (self._running or self._asked or self._list_fit()) and self._unfit and self.fleet.workers():
                    break
                self._handle_next_end()
                yield from self._yield_in_order()
            why = "; ".join(filter(None, self._unfit.values())) or "no worker takes part any more"
            self._results |= {number: self._give_up(number, why) for number in self._todo}
            yield from self._yield_in_order()
        except (KeyboardInterrupt, WorkerError):
            # Keep results that came out of order: they are valid all the same.
            for number in sorted(self._results):
                yield self._results.pop(number)
            raise
        finally:
            with suppress(Exception):
                self.fleet.client.cancel([*self._running, *self._asked], force=True)

    def _ask_new_workers(self) -> None:
        """Ask workers that have joined to introduce themselves."""
        there = self.fleet.workers()
        for address in sorted(there.keys() - self._known.keys() - self._unfit.keys() - set(self._asked.values())):
            future, _ = self._submit(introduce, address, own_identity(), self.describe)
            self._asked[future] = address

    def _submit(self, function: Callable[..., Any], worker: str, *args: Any) -> tuple[Future[Any], str]:
        """Start a task on a worker; return its future and its name on the scheduler."""
        self._keys += 1
        key = f"{self._name}-{self._keys}"
        future = self.fleet.submit(function, key, *args, key=key, workers=(worker,))
        future.add_done_callback(self._ended.put)
        return future, key

    def _list_fit(self) -> dict[str, str]:
        """Return the machine of each worker that takes part and can be reached, by address."""
        there = self.fleet.workers().keys() - self._unfit.keys()
        return {address: known.machine for address, known in sorted(self._known.items()) if address in there}

    def _reclaim(self) -> None:
        """Take back the tasks of workers that are gone."""
        there = self.fleet.workers()
        for future, address in list(self._asked.items()):
            if address not in there:
                del self._asked[future]
                future.cancel()
        for future, out in list(self._running.items()):
            if out.worker in there or future.done():
                continue
            with suppress(OSError, CancelledError):
                begun = self.fleet.client.get_events(out.key)
                del self._running[future]
                future.cancel()
                if begun:
                    self._retry_after_death(out.number, SoloAnswer(Fate.DIED, out.worker, "the worker is gone"))
                else:
                    self._todo.appendleft(out.number)

    def _hand_out(self) -> None:
        """Give a task to each machine that has none."""
        fit = self._list_fit()
        busy = {self._known[out.worker].machine for out in self._running.values()}
        for machine in dict.fromkeys(fit.values()):
            if machine in busy:
                continue
            for number in self._todo:
                worker = self._worker_for(number, machine, fit)
                if worker is not None:
                    self._todo.remove(number)
                    self._warn(machine)
                    future, key = self._submit(run_solo, worker, self._tasks[number])
                    self._running[future] = _RunningTask(number, key, worker)
                    self.on_start(number, worker)
                    break

    def _warn(self, machine: str) -> None:
        """Warn once about each worker that also runs tasks which are not nnvet's, as these hold no lock."""
        with suppress(OSError, CancelledError):
            for worker, keys in self.fleet.client.processing().items():
                known = self._known.get(worker)
                foreign = [str(key) for key in keys if not str(key).startswith("nnvet-")]
                if foreign and known is not None and known.machine == machine and worker not in self._warned:
                    self._warned.add(worker)
                    self.fleet.say(f"worker {worker} also has tasks of others, such as {foreign[0]}: they may disturb")

    def _worker_for(self, number: int, machine: str, fit: Mapping[str, str]) -> str | None:
        """Return a worker of a machine for a task; None if one has died of it there and there are other machines."""
        died = {str(death["worker"]) for death in self._deaths[number]}
        suspect_machines = {self._known[address].machine for address in died}
        if machine in suspect_machines and set(fit.values()) - suspect_machines:
            return None
        workers = [address for address, other in fit.items() if other == machine]
        return next((address for address in workers if address not in died), workers[0])

    def _handle_next_end(self) -> None:
        """Wait for the end of a task or an introduction, and handle it."""
        try:
            future = self._ended.get(timeout=_LOOK_S)
        except queue.Empty:
            self._check_reachable()
            return
        if future in self._asked:
            address = self._asked.pop(future)
            answer = result_of(future, _make_death(address))
            if answer is not None:
                self._admit(address, answer)
        elif future in self._running:
            out = self._running.pop(future)
            answer = result_of(future, _make_death(out.worker))
            if answer is None:
                self._todo.appendleft(out.number)
                self._check_reachable()
            else:
                self._judge(out.number, answer)

    def _check_reachable(self) -> None:
        """Check that the scheduler and a worker can be reached.

        :raises WorkerError: they could not, for too long.
        """
        if self.fleet.is_there and (self._list_fit() or self._asked):
            self._seen_at = time.monotonic()
        elif time.monotonic() - self._seen_at > self.fleet.away_s:
            raise WorkerError(GONE)

    def _admit(self, address: str, answer: Any) -> None:
        """Admit a worker to the run, or exclude it."""
        if isinstance(answer, SoloAnswer):
            self.lost = self.lost or answer.value
            self._exclude(answer)
            return
        found: Introduction = answer
        unlike = self._list_differences(found)
        if unlike:
            self._exclude(SoloAnswer(Fate.UNLIKE, address, unlike))
            return
        for known in self._known.values():
            if known.machine == found.machine and known.lock != found.lock:
                self.fleet.say(
                    f"workers {known.worker} and {address} of one machine do not share /tmp: "
                    "they do not know of the work that other commands of nnvet give the other one"
                )
        for note in found.described.notes if self._first is None else ():
            self.fleet.say(note)
        self._known[address] = found
        self._first = self._first or found

    def _list_differences(self, found: Introduction) -> str:
        """Return the differences of a worker from the first one and from the values known here; empty: none."""
        mine, theirs = self._first, found.described
        expected = {**(mine.described.alike if mine else {}), **self.alike}
        parts = [
            f"{what} {theirs.alike[what] or 'none'} instead of {value or 'none'}"
            for what, value in expected.items()
            if what in theirs.alike and theirs.alike[what] != value
        ]
        for driver, other in zip(mine.described.drivers if mine else (), theirs.drivers, strict=False):
            own = own_identity()
            pair = [SuiteIdentity(own.suite, own.corpus, ready.facts) for ready in (driver, other)]
            parts.append(differences(*pair))
        return ", ".join(filter(None, parts))

    def _exclude(self, answer: SoloAnswer) -> None:
        """Note that a worker takes no part.

        :raises ClusterError: it differs from the others before the run has begun.
        """
        if answer.fate is Fate.UNLIKE and not self._is_complete:
            raise ClusterError(f"worker {answer.worker} has {answer.reason}; give all workers the same")
        self._unfit[answer.worker] = answer.reason
        if answer.reason:
            self.fleet.say(f"worker {answer.worker} takes no part: {answer.reason}")

    def _judge(self, number: int, answer: SoloAnswer) -> None:
        """Keep the result of a task, or have the task run again."""
        if answer.fate is Fate.DONE:
            self._results[number] = SoloResult(number, answer, deaths=tuple(self._deaths[number]))
        elif answer.fate is Fate.DIED:
            self._retry_after_death(number, answer)
        else:
            self._exclude(answer)
            self._todo.appendleft(number)

    def _retry_after_death(self, number: int, answer: SoloAnswer) -> None:
        """Run a task again after its worker has died, or give it up."""
        deaths = self._deaths[number]
        deaths.append({"worker": answer.worker, "how": answer.reason, **answer.evidence})
        if len(deaths) > _DEATHS_ALLOWED:
            self._results[number] = self._give_up(number, f"{len(deaths)} workers of the cluster died of it")
        else:
            self.fleet.say(f"worker {answer.worker} died of {self._tasks[number].name}: it runs again")
            self._todo.appendleft(number)

    def _give_up(self, number: int, reason: str) -> SoloResult:
        """Return the result of a task that has no answer."""
        return SoloResult(number, None, reason, tuple(self._deaths[number]))

    def _yield_in_order(self) -> Iterator[SoloResult]:
        """Yield the results whose turn has come."""
        while self._next in self._results:
            yield self._results.pop(self._next)
            self._next += 1


def _make_death(worker: str) -> SoloAnswer:
    """Return the end of a task whose workers have died without an answer."""
    return SoloAnswer(Fate.DIED, worker, "it has died more than once")
