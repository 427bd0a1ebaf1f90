"""Execution of a plan's cases on a cluster, chunk by chunk; a chunk is a sequence of cases that one worker runs.

:class:`OnCluster` replaces :func:`nnvet.conformance.engine.pool.run_in_workers`, which does the same on one machine.
:mod:`nnvet.conformance.cluster.host` is the workers' side.

If a worker dies, its chunk runs again on another one; every case is announced before it begins, so the case to blame is
known. A case at which two workers have died is a CRASH, and is left out of further attempts. Failed cases run again on
another worker, since drivers of the same name that answer differently on two machines are a finding of their own.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import uuid4

from distributed import Future

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.chunk import (
    DEFAULT_CASES,
    Chunk,
    ChunkResult,
    Fate,
    Job,
    SuiteIdentity,
    generalise,
    split_into_chunks,
)
from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.fleet import GONE, Fleet, result_of
from nnvet.conformance.cluster.host import DriverHost, describe, run_again, run_chunk
from nnvet.conformance.cluster.machine import differences, own_identity
from nnvet.conformance.engine.catalogue import Batch
from nnvet.conformance.engine.pool import make_events, report_not_run
from nnvet.conformance.engine.work import Answer, Assignment, BatchEnded, Message, Ready, Work, WorkQueue
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.reports.events import DRIVER_FAULTS, Verdict
from nnvet.reports.evidence import BY_WORKER

_MOST: Final = 3
"""Most failures of a chunk that run again on another worker."""


def choose_suspects(messages: Sequence[Message]) -> frozenset[str]:
    """Return the first failure of each rule in a chunk, three at most."""
    found: dict[tuple[str, str], str] = {}
    for message in messages:
        if isinstance(message, Finished) and not message.recurs and message.outcome.verdict in DRIVER_FAULTS:
            found.setdefault((message.outcome.verdict, message.outcome.rule), message.case)
    return frozenset(list(found.values())[:_MOST])


def compare_ends(first: ChunkResult, second: ChunkResult) -> Iterator[Message]:
    """Yield the first worker's messages, with the second worker's verdict if it differs."""
    others = {message.case: message.outcome.verdict for message in second.messages if isinstance(message, Finished)}
    for message in first.messages:
        verdict = others.get(message.case) if isinstance(message, Finished) else None
        if not isinstance(message, Finished) or verdict is None or verdict is message.outcome.verdict:
            yield message
            continue
        outcome = message.outcome
        verdicts = {first.worker: str(outcome.verdict), second.worker: str(verdict)}
        reason = f"{outcome.reason}; on another worker it is {verdict}"
        evidence = {**outcome.evidence, BY_WORKER: verdicts}
        yield replace(message, outcome=replace(outcome, reason=reason, evidence=evidence))


_LOOK_S: Final = 0.5
"""Seconds to wait for the end of a task before the cluster is checked."""
_DEATHS_ALLOWED: Final = 1
"""Deaths of workers at a case after which it still runs on another one."""
_ATTEMPTS: Final = 6
"""Further attempts at a chunk whose workers die without a case to blame."""
_DIED: Final = ChunkResult(Fate.DIED, "")
"""Result of a task whose workers have died without an answer."""
_AHEAD: Final = 2
"""Chunks handed out for each thread of the cluster: one that runs, and one that waits."""


@dataclass(frozen=True)
class OnCluster:
    """The workers of a cluster as a replacement of this machine; each gets about ``cases`` cases at a time."""

    fleet: Fleet
    cases: int = DEFAULT_CASES

    def run(self, batches: Iterable[Batch], assignment: Assignment) -> Generator[Message]:
        """Run batches, and yield messages in the order of the batches, however many workers there are.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: there are no workers, or a worker's suite or driver differs from the others'.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        fleet = self.fleet
        fleet.require_workers()
        job = Job(f"nnvet-{uuid4().hex[:12]}", assignment)
        try:
            fleet.client.register_plugin(DriverHost(job))
        except Exception as error:
            # A worker without the suite, or with another version, may raise anything.
            wanted = f"nnvet[cluster]=={own_identity().suite}"
            raise ClusterError(f"a worker cannot be prepared: {error!r}; install {wanted} for all workers") from error
        run = _Run(fleet, job, WorkQueue(split_into_chunks(batches, self.cases)))
        try:
            yield from run.messages()
        finally:
            run.close()

    def ask(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Return the answer of a function that runs on one of the workers, or raise its exception.

        :raises ClusterError: there is no worker.
        """
        return self.fleet.ask(function, *args)


@dataclass
class _Run:
    """The state of a run: chunks to do, chunks that run, results, and workers that cannot take part."""

    fleet: Fleet
    job: Job
    todo: WorkQueue[Chunk]
    identity: SuiteIdentity = field(default_factory=own_identity)
    unfit: dict[str, str] = field(default_factory=dict)
    """Reasons why workers cannot take part, by address."""
    why_lost: str = ""
    running: dict[Future[Any], tuple[Chunk, frozenset[str]]] = field(default_factory=dict)
    """Running chunks by task, with the workers that may run the task; an empty set means any worker."""
    rechecks: dict[Future[Any], tuple[Chunk, ChunkResult, frozenset[str]]] = field(default_factory=dict)
    """Results whose failures run again on other workers, by the task that does so, with those workers."""
    results: dict[int, tuple[Chunk, list[Message]]] = field(default_factory=dict)
    partial_messages: dict[int, list[Message]] = field(default_factory=dict)
    """Messages from earlier attempts at chunks."""
    deaths: Counter[str] = field(default_factory=Counter)
    next_number: int = 0
    """Number of the chunk whose messages are yielded next."""
    tasks: int = 0
    driver_messages: list[Message] = field(default_factory=list)
    """Messages about drivers that cannot be started any more."""
    ended: queue.SimpleQueue[Future[Any]] = field(default_factory=queue.SimpleQueue)
    seen_at: float = field(default_factory=time.monotonic)

    def messages(self) -> Iterator[Message]:
        """Yield the messages of the whole run, in the order of the chunks.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: a worker's suite or driver differs from the others'.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        yield from self._check_drivers()
        try:
            while self.todo or self.running or self.rechecks:
                self._hand_out()
                if not (self.running or self.rechecks) and self.unfit and self.fleet.workers() and not self._list_fit():
                    break
                self._handle_next_end()
                yield from self._yield_in_order()
        except (KeyboardInterrupt, WorkerError):
            # Keep results that arrived out of order, or that wait for a second worker: they are valid.
            self.results |= {
                chunk.number: (chunk, list(result.messages)) for chunk, result, _ in self.rechecks.values()
            }
            for number in sorted(self.results):
                yield from self._pass_on(number)
            raise
        for chunk in self.todo:
            self._give_up(chunk, self.why_lost or "no worker has the driver")
        yield from self._yield_in_order()

    def close(self) -> None:
        """Cancel all tasks, and close the drivers of all workers."""
        with suppress(Exception):
            self.fleet.client.cancel([*self.running, *self.rechecks], force=True)
        with suppress(Exception):
            self.fleet.client.unregister_worker_plugin(self.job.name)

    def _check_drivers(self) -> Iterator[Message]:
        """Have every worker describe its driver before the first case, and refuse different drivers."""
        first: Ready | None = None
        # Workers may leave before they answer; ask those that are present then.
        while first is None and not self.unfit:
            for address, answer in self._ask_workers():
                if isinstance(answer, ChunkResult):
                    yield from self._exclude(answer)
                    continue
                found = SuiteIdentity(self.identity.suite, self.identity.corpus, answer.facts)
                if first is None:
                    first, self.identity = answer, found
                    yield first
                unlike = differences(self.identity, found)
                if unlike:
                    raise ClusterError(f"worker {address} has {unlike}; test one driver at a time")
        if first is None and not self.why_lost:
            raise SelectorError("; ".join(f"worker {address}: {why}" for address, why in self.unfit.items()))

    def _ask_workers(self) -> Iterator[tuple[str, Ready | ChunkResult]]:
        """Have each worker describe its driver, and yield the answers with the workers' addresses.

        :raises ClusterError: a worker has another suite.
        """
        workers = self.fleet.require_workers()
        asked = {address: self._submit(describe, self.identity, workers=(address,)) for address in workers}
        for address, answer in self.fleet.answers(asked).items():
            if isinstance(answer, ChunkResult) and answer.fate is Fate.UNLIKE:
                raise ClusterError(f"worker {address} has {answer.reason}; install the same on all")
            yield address, answer

    def _exclude(self, result: ChunkResult) -> Iterator[Message]:
        """Note that a worker cannot take part, and yield the finding if its driver was lost."""
        self.unfit[result.worker] = result.reason
        self.fleet.say(f"worker {result.worker} takes no part: {result.reason}")
        if result.fate is Fate.LOST:
            self.why_lost = result.reason
            yield from make_events(*_list_recurring(result))

    def _submit(self, function: Callable[..., Any], *args: Any, workers: Sequence[str] | None = None) -> Future[Any]:
        """Start a task under a name of its own."""
        self.tasks += 1
        key = f"{self.job.name}-{self.tasks}"
        return self.fleet.submit(function, self.job.name, key, *args, key=key, workers=workers)

    def _list_fit(self) -> dict[str, int]:
        """Return the workers that can take part, each with the number of its threads."""
        return {address: threads for address, threads in self.fleet.workers().items() if address not in self.unfit}

    def _hand_out(self) -> None:
        """Give chunks to workers, and take back those of workers that are gone."""
        fit = self._list_fit()
        # When all workers that a task is bound to are gone, others get it.
        for future, (chunk, wanted) in list(self.running.items()):
            if wanted and wanted.isdisjoint(fit):
                self._call_back(future, chunk)
        for future, (chunk, result, others) in list(self.rechecks.items()):
            if others.isdisjoint(fit):
                del self.rechecks[future]
                self.results[chunk.number] = (chunk, list(result.messages))
        allowed = frozenset(fit) if self.unfit else frozenset()
        while self.todo and len(self.running) < _AHEAD * sum(fit.values()):
            chunk = self.todo.take()
            future = self._submit(run_chunk, self.identity, _prepare_to_send(chunk), workers=sorted(allowed) or None)
            self.running[future] = (chunk, allowed)
            future.add_done_callback(self.ended.put)

    def _call_back(self, future: Future[Any], chunk: Chunk) -> None:
        """Take a chunk back from workers that are gone."""
        del self.running[future]
        future.cancel()
        self.todo.put_back(chunk)

    def _handle_next_end(self) -> None:
        """Wait for the end of a task, and handle its result."""
        try:
            future = self.ended.get(timeout=_LOOK_S)
        except queue.Empty:
            self._check_reachable()
            return
        if future in self.rechecks:
            self._compare(future)
        elif future in self.running:
            chunk, _ = self.running.pop(future)
            result = result_of(future, _DIED)
            if result is None:
                self.todo.put_back(chunk)
                self._check_reachable()
            else:
                self._judge(chunk, result)

    def _check_reachable(self) -> None:
        """Check that the scheduler and at least one worker can be reached.

        :raises WorkerError: they could not be reached for too long.
        """
        if self.fleet.is_there and self._list_fit():
            self.seen_at = time.monotonic()
        elif time.monotonic() - self.seen_at > self.fleet.away_s:
            raise WorkerError(GONE)

    def _judge(self, chunk: Chunk, result: ChunkResult) -> None:
        """Keep a chunk's result, have failures run again on another worker, or give the chunk to another worker."""
        others = frozenset(self._list_fit()) - {result.worker}
        if result.fate is Fate.DONE and others and (cases := choose_suspects(result.messages)):
            future = self._submit(run_again, self.identity, _prepare_to_send(chunk), cases, workers=sorted(others))
            self.rechecks[future] = (chunk, result, others)
            future.add_done_callback(self.ended.put)
        elif result.fate is Fate.DONE:
            self.results[chunk.number] = (chunk, list(result.messages))
        elif result.fate is Fate.DIED:
            self._retry_after_death(chunk, result.case)
        else:
            self.driver_messages += self._exclude(result)
            ended = [message for message in result.messages if isinstance(message, Finished) and not message.recurs]
            # Cases that ended before the driver was lost keep their outcomes; only the others run again.
            self.partial_messages.setdefault(chunk.number, []).extend(make_events(*ended))
            self.todo.put_back(chunk.again(frozenset(event.case for event in ended)) if ended else chunk)

    def _compare(self, future: Future[Any]) -> None:
        """Merge the second worker's verdicts into a chunk's result; without an answer the first result stands."""
        chunk, result, _ = self.rechecks.pop(future)
        second = result_of(future, _DIED) or _DIED
        self.results[chunk.number] = (chunk, list(compare_ends(result, second)))

    def _retry_after_death(self, chunk: Chunk, case: str) -> None:
        """Run a chunk again after its worker has died, without a case at which two workers have died."""
        self.fleet.say(f"a worker died{' of ' + case if case else ''}: its cases run again")
        self.deaths[case] += 1
        if case and self.deaths[case] > _DEATHS_ALLOWED:
            reason = f"{self.deaths[case]} workers of the cluster died while it ran"
            outcome = Outcome(Verdict.CRASH, "driver/crash", reason)
            self.partial_messages.setdefault(chunk.number, []).extend(make_events(Finished(case, outcome)))
            self.todo.put_back(chunk.again(frozenset({case})))
        elif chunk.attempt < _ATTEMPTS:
            self.todo.put_back(chunk.again())
        else:
            self._give_up(chunk, f"{chunk.attempt + 1} workers died of this part of the plan")

    def _give_up(self, chunk: Chunk, reason: str) -> None:
        """Report the cases of a chunk as NOT_RUN."""
        works = [Work(batch, chunk.done) for batch in chunk.batches]
        self.results[chunk.number] = (chunk, list(report_not_run(works, self.job.assignment, reason)))

    def _yield_in_order(self) -> Iterator[Message]:
        """Yield the messages of chunks whose turn has come."""
        messages, self.driver_messages = self.driver_messages, []
        yield from messages
        while self.next_number in self.results:
            yield from self._pass_on(self.next_number)
            self.next_number += 1

    def _pass_on(self, number: int) -> Iterator[Message]:
        """Yield the messages of one chunk, those of earlier attempts first."""
        chunk, messages = self.results.pop(number)
        yield from self.partial_messages.pop(number, ())
        yield from messages
        for batch in chunk.batches:
            yield BatchEnded(batch)


def _list_recurring(result: ChunkResult) -> Iterator[Finished]:
    """Return the findings about the driver itself."""
    return (message for message in result.messages if isinstance(message, Finished) and message.recurs)


def _prepare_to_send(chunk: Chunk) -> Chunk:
    """Return the chunk in the form for any machine."""
    return replace(chunk, batches=tuple(map(generalise, chunk.batches)))
