"""A fuzzing job on a cluster: it deals slices of time to the workers and merges their results.

Each harness gets its share of the time of all workers. If a worker dies, its slice is dealt again. All results are
merged into the corpus and the findings as soon as they arrive, so nothing depends on how the job ends. Findings are
reduced on workers, where the driver is, but their files are kept here.
"""

from __future__ import annotations

import queue
import secrets
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from distributed import Future

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.chunk import Fate, SuiteIdentity
from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.fleet import GONE, Fleet, result_of
from nnvet.conformance.cluster.machine import differences, own_identity
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.fuzz.cluster.host import FuzzHost, describe, finish_finding, run_slice
from nnvet.fuzz.cluster.place import Found, MergedCorpus, SliceResult, SliceTask, SmallFinding, files_by_digest, name_of
from nnvet.fuzz.findings import INPUT, read_saved, save
from nnvet.fuzz.finishing import MOST
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.runner import FINDINGS, FuzzingJob, HarnessProgress, JobWatcher

SLICE_S: Final = 60.0
"""The longest slice, and so the longest time between two merges of a worker's inputs with those of the others."""
LEAST_S: Final = 4.0
"""The shortest time of a harness, even if others have used up its share."""
_SEEDS: Final = 1 << 31
"""Seeds of libFuzzer are below this."""
_SEEDS_OF_SLICE: Final = 1 << 10
"""Distance between the first seeds of two slices: more than the number of processes of a slice."""


@dataclass
class Dealer:
    """Deals ``harnesses`` to workers for ``seconds`` each.

    Seeds begin with ``first_seed``, and no two slices share one. ``dealt`` are the seconds that each harness has had.
    """

    harnesses: Sequence[Harness]
    seconds: float
    first_seed: int
    dealt: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _slices: int = 0

    def next(self, left: float, places: int, but: Container[str] = ()) -> tuple[Harness, float] | None:
        """Return the harness that is furthest behind its share, and the seconds of its slice; None: all time is dealt.

        ``left`` are the seconds of the job that remain, ``places`` how many slices run at a time.
        """
        open_ones = [candidate for candidate in self.harnesses if candidate.name not in but]
        if left < LEAST_S:
            open_ones = [candidate for candidate in open_ones if self.dealt[candidate.name] < LEAST_S]
        if not open_ones:
            return None
        harness = min(open_ones, key=lambda candidate: self.dealt[candidate.name] / candidate.share)
        share = harness.share / sum(candidate.share for candidate in self.harnesses) * self.seconds * places
        length = share / max(1, -(-share // SLICE_S))
        seconds = max(LEAST_S, min(length, left))
        self.dealt[harness.name] += seconds
        return harness, seconds

    def take_back(self, harness: str, seconds: float) -> None:
        """Deal the time of a slice again, because the slice had no result."""
        self.dealt[harness] -= seconds

    def seed(self) -> int:
        """Return the first seed of the next slice; never 0, by which libFuzzer means a random seed."""
        self._slices += 1
        return 1 + (self.first_seed + self._slices * _SEEDS_OF_SLICE) % (_SEEDS - _SEEDS_OF_SLICE)


_SECONDS: Final = 300.0
"""The time for all findings together; findings that are left then stay as they are."""


def finish_elsewhere(fleet: Fleet, job: FuzzingJob, name: str, workers: Sequence[str]) -> dict[str, Path]:
    """Make the findings of job ``name`` small; return the specs of those that could be reduced, by key.

    A finding that a worker cannot finish stays as it is.

    :raises OSError: files cannot be written.
    """
    harnesses = {harness.name for harness in job.harnesses}
    found = [(known, folder) for known, folder in read_saved(job.out / FINDINGS) if known.harness in harnesses][:MOST]
    out: dict[Future[Any], tuple[str, Path]] = {}
    for known, folder in found if workers else ():
        task = Found(known, (folder / INPUT).read_bytes())
        future = fleet.submit(finish_finding, name, task, key=f"{name}-{uuid4().hex[:12]}", workers=workers)
        out[future] = known.key, folder
    specs: dict[str, Path] = {}
    end = time.monotonic() + _SECONDS
    try:
        for future, (key, folder) in out.items():
            small = _result(future, end - time.monotonic())
            if small is not None:
                _write(small, folder, job.out)
                if small.spec is not None:
                    specs[key] = job.out / small.spec
    finally:
        fleet.client.cancel(list(out), force=True)
    return specs


def _result(future: Future[Any], seconds: float) -> SmallFinding | None:
    try:
        answer: SmallFinding = future.result(timeout=max(0.0, seconds))
    # dask passes on whatever a worker raises. The finding counts even if it cannot be made small.
    except Exception:  # noqa: BLE001 - see above
        return None
    return answer


def _write(small: SmallFinding, folder: Path, out: Path) -> None:
    contents = {folder / INPUT: small.data, **{out / name: data for name, data in small.files.items()}}
    for path, data in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


_LOOK_S: Final = 0.5
_DEATHS_ALLOWED: Final = 3
"""Number of workers in a row that may die while they fuzz a harness; afterwards the harness is not dealt any more."""
_STOP_S: Final = 20.0
"""Time in which stopped slices can still return what they have found."""


@dataclass(frozen=True)
class OnWorkers:
    """The workers of a cluster, which fuzz in place of this machine."""

    fleet: Fleet

    @contextmanager
    def fuzzing(self, job: FuzzingJob, watcher: JobWatcher) -> Iterator[ClusterFuzzing]:
        """Open a job on the workers for as long as the block runs, after all of them have described the driver.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: there are no workers, or the suite or the driver of one is not that of the others.
        """
        self.fleet.require_workers()
        name = f"nnvet-{uuid4().hex[:12]}"
        try:
            self.fleet.client.register_plugin(FuzzHost(name, job.config))
        except Exception as error:
            # A worker without the suite, or with another version, may raise anything, and dask passes it on.
            wanted = f"nnvet[cluster,fuzz]=={own_identity().suite}"
            raise ClusterError(f"a worker cannot be prepared: {error!r}; install {wanted} for all workers") from error
        running = ClusterFuzzing(self.fleet, job, watcher, name)
        try:
            running.introduce()
            yield running
        finally:
            running.close()


@dataclass(frozen=True)
class _Out:
    """A task that a worker is running, and the version of the corpus that it began with."""

    task: SliceTask
    worker: str
    version: int


@dataclass
class ClusterFuzzing:
    """State of a job: slices to deal, slices that are running, results, and workers that cannot take part."""

    fleet: Fleet
    job: FuzzingJob
    watcher: JobWatcher
    name: str
    identity: SuiteIdentity = field(default_factory=own_identity)
    unfit: dict[str, str] = field(default_factory=dict)
    """Reasons of the workers that cannot take part."""
    out: dict[Future[Any], _Out] = field(default_factory=dict)
    has: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Inputs that each worker has been sent."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a worker and a harness that could not be fuzzed there."""
    left_alone: set[str] = field(default_factory=set)
    unjudged: set[str] = field(default_factory=set)
    """Harnesses with inputs of several workers that could not be run together."""
    deaths: Counter[str] = field(default_factory=Counter)
    ended: queue.SimpleQueue[Future[Any]] = field(default_factory=queue.SimpleQueue)
    tasks: int = 0
    is_stopped: bool = False
    seen_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Read what earlier jobs have found."""
        job = self.job
        self.progress = {harness.name: HarnessProgress(harness.name) for harness in job.harnesses}
        self.dealer = Dealer(job.harnesses, job.seconds, secrets.randbits(30))
        self.corpora = {harness.name: MergedCorpus.of(job.corpus / harness.name) for harness in job.harnesses}
        kept = job.regressions
        self.kept: Mapping[str, Mapping[str, Path]] = {
            harness.name: {} if kept is None else files_by_digest(kept / harness.name) for harness in job.harnesses
        }

    def introduce(self) -> None:
        """Have every worker describe the driver, before the first slice.

        :raises SelectorError: no worker has such a driver.
        :raises ClusterError: the suite or the driver of a worker is not that of the others.
        """
        workers = self.fleet.require_workers()
        asked = {address: self._submit(describe, address) for address in workers}
        for address, answer in self.fleet.answers(asked).items():
            if isinstance(answer, SliceResult):
                if answer.fate is Fate.UNLIKE:
                    raise ClusterError(f"worker {address} has {answer.reason}; install the same on all")
                self._exclude(answer)
                continue
            found = SuiteIdentity(self.identity.suite, self.identity.corpus, answer)
            unlike = differences(self.identity, found)
            if unlike:
                raise ClusterError(f"worker {address} has {unlike}; fuzz one driver at a time")
            self.identity = found
        if self.unfit and self.identity.driver is None:
            raise SelectorError("; ".join(f"worker {address}: {why}" for address, why in self.unfit.items()))

    def run(self) -> None:
        """Fuzz for the job's time, then measure what the inputs of several workers reach together.

        :raises KeyboardInterrupt: the user ended it; what the workers had found until then is kept.
        :raises WorkerError: the scheduler or the last worker is gone.
        """
        end = time.monotonic() + self.job.seconds
        try:
            while self._deal(end - time.monotonic()) or self.out:
                self._take_in()
                self._look()
        except KeyboardInterrupt:
            self._stop()
            raise
        finally:
            for name, corpus in self.corpora.items():
                if corpus.fresh or name in self.unjudged:
                    self.fleet.say(f"{name}: the coverage is that of the worker that reached most, not of all together")
        for progress in self.progress.values():
            if not (progress.coverage or progress.problem or progress.idle):
                progress.problem = f"{progress.harness}: coverage does not grow"

    def finish(self) -> Mapping[str, Path]:
        """Make findings small on workers, and return the specs of those that could be reduced, by key."""
        return finish_elsewhere(self.fleet, self.job, self.name, sorted(self._fit()))

    def close(self) -> None:
        """Cancel all tasks, and end what still runs on the workers."""
        if not self.fleet.is_there:
            # Workers without a scheduler end by themselves.
            return
        with suppress(Exception):
            self.fleet.client.cancel([*self.out], force=True)
        if not self.is_stopped:
            with suppress(Exception):
                self.fleet.client.unregister_worker_plugin(self.name)

    def _submit(self, function: Any, address: str, *args: Any) -> Future[Any]:
        self.tasks += 1
        key = f"{self.name}-{self.tasks}"
        with warnings.catch_warnings():
            # The first inputs are megabytes, so no worker is sent them twice.
            warnings.filterwarnings("ignore", "Sending large graph")
            return self.fleet.submit(function, self.name, self.identity, *args, key=key, workers=(address,))

    def _fit(self) -> dict[str, int]:
        return {address: places for address, places in self.fleet.workers().items() if address not in self.unfit}

    def _exclude(self, result: SliceResult) -> None:
        if result.worker not in self.unfit:
            self.fleet.say(f"worker {result.worker} takes no part: {result.reason}")
        self.unfit[result.worker] = result.reason

    def _deal(self, left: float) -> bool:
        """Give a slice to every idle worker, and return True if anything is left to do.

        :raises WorkerError: no worker can take part any more.
        """
        fit = self._fit()
        if not self.fleet.is_there or not fit:
            if self.unfit and self.fleet.workers():
                raise WorkerError(f"no worker can go on: {'; '.join(self.unfit.values())}")
            return left > 0
        # A task is bound to one worker, and is lost with it.
        for future, sent in list(self.out.items()):
            if sent.worker not in fit:
                del self.out[future]
                future.cancel()
                self._bury(sent)
        busy = Counter(sent.worker for sent in self.out.values())
        for address, places in fit.items():
            for _ in range(places - busy[address]):
                if not self._deal_to(address, left, sum(fit.values())):
                    break
        return False

    def _deal_to(self, address: str, left: float, places: int) -> bool:
        but = self.left_alone | {harness for worker, harness in self.refused if worker == address}
        dealt = self.dealer.next(left, places, but)
        if dealt is not None:
            self._send(address, dealt[0].name, dealt[1])
            return True
        under_way = {sent.task.harness for sent in self.out.values()}
        waiting = (name for name, corpus in self.corpora.items() if corpus.fresh and name not in under_way | but)
        harness = next(waiting, None)
        if harness is not None:
            self._send(address, harness, 0.0)
        return harness is not None

    def _send(self, address: str, harness: str, seconds: float) -> None:
        corpus, kept = self.corpora[harness], self.kept[harness]
        files = {**kept, **corpus.files}
        lacking = [name for name in files if name not in self.has[address]]
        is_judged = any(sent.task.harness == harness and sent.task.fresh for sent in self.out.values())
        task = SliceTask(
            harness,
            seconds,
            self.dealer.seed(),
            tuple(corpus.files),
            tuple(kept),
            frozenset() if is_judged else frozenset(corpus.fresh),
            {name: files[name].read_bytes() for name in lacking},
        )
        self.has[address].update(lacking)
        future = self._submit(run_slice, address, task)
        self.out[future] = _Out(task, address, corpus.version)
        future.add_done_callback(self.ended.put)

    def _take_in(self) -> None:
        with suppress(queue.Empty):
            future = self.ended.get(timeout=_LOOK_S)
            sent = self.out.pop(future, None)
            if sent is None:
                return
            result = result_of(future, died=True)
            if isinstance(result, SliceResult):
                self._judge(sent, result)
            elif result:
                self._bury(sent)
            else:
                self.dealer.take_back(sent.task.harness, sent.task.seconds)

    def _look(self) -> None:
        """Check that scheduler and workers are still there.

        :raises WorkerError: they are not, for too long.
        """
        if self.fleet.is_there and self._fit():
            self.seen_at = time.monotonic()
        elif time.monotonic() - self.seen_at > self.fleet.away_s:
            raise WorkerError(f"{GONE}; what was found before is kept")

    def _judge(self, sent: _Out, result: SliceResult) -> None:
        if result.fate is Fate.DONE:
            self._absorb(sent, result)
            return
        self.dealer.take_back(sent.task.harness, sent.task.seconds)
        if result.fate is Fate.LACKS:
            self.has[sent.worker].clear()
        elif not self.is_stopped:
            self._exclude(result)

    def _bury(self, sent: _Out) -> None:
        """Deal the time of a lost worker to others, unless too many were lost with the same harness."""
        task = sent.task
        self.dealer.take_back(task.harness, task.seconds)
        self.deaths[task.harness] += 1
        self.has.pop(sent.worker, None)
        self.fleet.say(f"worker {sent.worker} is gone: its time for {task.harness} is dealt again")
        if self.deaths[task.harness] > _DEATHS_ALLOWED:
            progress = self.progress[task.harness]
            progress.problem = f"{task.harness}: {self.deaths[task.harness]} workers in a row died while they fuzzed it"
            self.left_alone.add(task.harness)

    def _absorb(self, sent: _Out, result: SliceResult) -> None:
        harness = sent.task.harness
        progress, corpus = self.progress[harness], self.corpora[harness]
        if result.union:
            corpus.fresh -= sent.task.fresh
            corpus.leave_out(result.redundant)
            progress.reached(0.0, result.union)
        for elapsed, coverage in result.curve:
            progress.reached(elapsed, coverage)
        corpus.add(result.inputs, sent.version)
        self.has[sent.worker] |= set(map(name_of, result.inputs))
        self.deaths[harness] = 0
        progress.executions += result.executions
        progress.seconds += result.seconds
        progress.corpus = max(progress.corpus, result.corpus)
        progress.native_edges = max(progress.native_edges, result.native_edges)
        for found in result.found:
            save(self.job.out / FINDINGS, harness, self.job.driver, found.known.finding, found.data)
            progress.found_by.setdefault(found.known.key, Counter())[result.worker] += 1
        if result.idle:
            self.refused.add((result.worker, harness))
            progress.idle = result.idle
        elif result.problem:
            self.refused.add((result.worker, harness))
            progress.problem = progress.problem or f"{result.problem} (worker {result.worker})"
        elif sent.task.fresh and not result.union and not self.is_stopped:
            # These inputs end every process that runs them together, so all of them stay.
            corpus.fresh -= sent.task.fresh
            self.unjudged.add(harness)
        self.watcher.passed(progress)

    def _stop(self) -> None:
        """End all slices, and keep what they have found so far."""
        self.is_stopped = True
        with suppress(Exception):
            self.fleet.client.unregister_worker_plugin(self.name)
        end = time.monotonic() + _STOP_S
        while self.out and self.fleet.is_there and time.monotonic() < end:
            self._take_in()
