"""A fuzzing job, :func:`run_job`: it runs harnesses in turn, in several processes, and writes findings and the log.

:mod:`nnvet.fuzz.slices` runs one harness for some time, :mod:`nnvet.fuzz.finishing` makes the findings small
afterwards, and :mod:`nnvet.fuzz.cluster.run` replaces the threads of this module by the workers of a cluster.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from nnvet.adapters.service.sandbox import Sandbox
from nnvet.conformance.engine.runner import sandbox_options
from nnvet.conformance.engine.target import describe_target
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.diagnostics.exceptions import raised
from nnvet.fuzz.findings import INPUT, MEANINGS, ChildConfig, FindingKind, SavedFinding, for_harness, read_saved
from nnvet.fuzz.finishing import finish, keep
from nnvet.fuzz.forking import Forker
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.slices import Slice, Status
from nnvet.fuzz.target import service_of
from nnvet.reports.events import Command, DriverFacts, FuzzingFinished, Verdict
from nnvet.reports.evidence import replay_line
from nnvet.reports.facts import log_header
from nnvet.reports.log import FILE_NAME, EventLog

FINDINGS: Final = "findings"
"""Folder of findings within the folder of results."""
_POINTS: Final = 200
"""Largest number of points of a coverage curve in the log."""
_LEAST_S: Final = 4.0
"""Least time of a harness, even if others have used up its share."""
_VERDICTS: Final = {
    FindingKind.DEATH: Verdict.CRASH,
    FindingKind.SANITIZER: Verdict.CRASH,
    FindingKind.MEMORY: Verdict.CRASH,
    FindingKind.HANG: Verdict.HANG,
}
"""Verdict in the log for each kind of finding."""
_IN_PROCESS: Final = ("reference", "zoo", "python")
"""Kinds of drivers in Python; their code guides the fuzzer if it runs in the same process."""


class JobWatcher(Protocol):
    """Interface that is notified of a job's progress; any thread may call it."""

    def passed(self, progress: HarnessProgress) -> None:
        """Take note that a harness has made progress."""


class Silent:
    """A watcher that shows nothing."""

    def passed(self, progress: HarnessProgress) -> None:
        """Show nothing."""


@dataclass
class HarnessProgress:
    """Progress of a harness; ``curve`` has the seconds of fuzzing and the coverage each time that coverage has grown.

    ``idle`` says why the harness has nothing to do on this driver; it is empty otherwise. ``found_by`` counts, by the
    key of a finding, the slices of each worker of a cluster that have found it.
    """

    harness: str
    executions: int = 0
    seconds: float = 0.0
    corpus: int = 0
    native_edges: int = 0
    problem: str = ""
    idle: str = ""
    curve: list[tuple[float, int]] = field(default_factory=list)
    found_by: dict[str, Counter[str]] = field(default_factory=dict)

    def reached(self, elapsed: float, coverage: int) -> None:
        """Note how many counters a slice of the harness has reached, and after how many seconds."""
        if coverage > self.coverage:
            self.curve.append((round(self.seconds + elapsed, 1), coverage))

    @property
    def coverage(self) -> int:
        """Return the number of counters that have been reached."""
        return self.curve[-1][1] if self.curve else 0

    @property
    def rate(self) -> float:
        """Return the inputs that one process runs in a second."""
        return self.executions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class FuzzingJob:
    """Options of a fuzzing job.

    ``in_process`` None: run the driver in the fuzzing process if it is in Python, and has no ``sandbox``.
    """

    harnesses: Sequence[Harness]
    driver: str
    seconds: float
    jobs: int
    corpus: Path
    out: Path
    timeout_s: float = 10.0
    memory_mib: int = 3072
    in_process: bool | None = None
    regressions: Path | None = None
    """Folder with inputs of earlier findings: they are among the first inputs, and new findings are added."""
    sandbox: Sandbox | None = None

    @property
    def log(self) -> Path:
        """Return the path of the event log."""
        return self.out / FILE_NAME

    @property
    def config(self) -> ChildConfig:
        """Return the configuration of processes, without a harness; it instruments what guides any of the harnesses."""
        is_free = self.sandbox is None and self.driver.partition(":")[0] in _IN_PROCESS
        inside = is_free if self.in_process is None else self.in_process
        devices = None if self.sandbox is None else self.sandbox.devices
        findings = str((self.out / FINDINGS).absolute())
        guides = tuple(dict.fromkeys(name for harness in self.harnesses for name in harness.instrumented))
        return ChildConfig("", self.driver, inside, self.timeout_s, self.memory_mib, findings, guides, sandbox=devices)


class Fuzzing(Protocol):
    """Interface of a job under way; ``progress`` has all its harnesses by name."""

    progress: dict[str, HarnessProgress]

    def run(self) -> None:
        """Fuzz for the job's time and save all findings."""

    def finish(self) -> Mapping[str, Path]:
        """Make saved findings small; return the specs of those that could be reduced, by key."""


class OtherMachines(Protocol):
    """Interface of machines that fuzz instead of this one."""

    def fuzzing(self, job: FuzzingJob, watcher: JobWatcher) -> AbstractContextManager[Fuzzing]:
        """Open a job on the machines for as long as the block runs."""


class _Running:
    """The threads of a job; each of them takes the harnesses in turn."""

    def __init__(self, job: FuzzingJob, watcher: JobWatcher) -> None:
        self._job, self._watcher = job, watcher
        self.progress = {harness.name: HarnessProgress(harness.name) for harness in job.harnesses}
        self._lock = threading.Lock()
        self._slices: set[Slice] = set()
        self._is_stopped = False

    def run(self) -> None:
        # If Ctrl-C interrupts a join, Python takes the thread for ended (bpo-45274); waiting for an event is safe.
        ended = [threading.Event() for _ in range(self._job.jobs)]
        threads = [threading.Thread(target=self._work, args=(number, event)) for number, event in enumerate(ended)]
        try:
            for thread in threads:
                thread.start()
            for event in ended:
                event.wait()
        except KeyboardInterrupt:
            self._stop()
            for thread, event in zip(threads, ended, strict=True):
                if thread.ident is not None:
                    event.wait()
            raise

    def finish(self) -> Mapping[str, Path]:
        return finish(self._job.config, {harness.name: harness for harness in self._job.harnesses}, self._job.out)

    def _stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            for running in self._slices:
                running.stop()

    def _work(self, number: int, ended: threading.Event) -> None:
        job = self._job
        count = len(job.harnesses)
        first = number * count // job.jobs
        left = [*job.harnesses[first:], *job.harnesses[:first]]
        end = time.monotonic() + job.seconds
        with ExitStack() as stack:
            stack.callback(ended.set)
            forkers = {
                compares: stack.enter_context(Forker(replace(job.config, compares=compares)))
                for compares in (False, True)
            }
            while left:
                part = left[0].share / sum(harness.share for harness in left)
                self._fuzz(left.pop(0), max(_LEAST_S, part * (end - time.monotonic())), forkers)

    def _fuzz(self, harness: Harness, seconds: float, forkers: Mapping[bool, Forker]) -> None:
        progress = self.progress[harness.name]
        before = progress.seconds

        def watch(elapsed: float, status: Status) -> None:
            with self._lock:
                progress.corpus = max(progress.corpus, status.corpus)
                if status.coverage > progress.coverage:
                    progress.curve.append((round(before + elapsed, 1), status.coverage))
            self._watcher.passed(progress)

        config = self._job.config
        guided = for_harness(config, harness.name, harness.instrumented, compares=harness.compares)
        part = Slice(
            harness, guided, self._job.corpus, self._job.out, forkers[harness.compares], watch, self._job.regressions
        )
        with self._lock:
            if self._is_stopped:
                return
            self._slices.add(part)
        begin = time.monotonic()
        try:
            part.run(seconds)
        except Exception as error:  # noqa: BLE001 - a thread that ends by it would end unseen, and the job with it
            part.problem = f"{harness.name}: the suite {raised(error)}"
        with self._lock:
            self._slices.discard(part)
            progress.executions += part.executions
            progress.seconds += time.monotonic() - begin
            progress.native_edges = max(progress.native_edges, part.native_edges)
            progress.problem = progress.problem or part.problem
            progress.idle = progress.idle or part.idle
            if not (progress.coverage or progress.problem or progress.idle or self._is_stopped):
                progress.problem = f"{harness.name}: coverage does not grow"
        self._watcher.passed(progress)


def run_job(job: FuzzingJob, watcher: JobWatcher | None = None, elsewhere: OtherMachines | None = None) -> Path:
    """Fuzz, here or elsewhere, and write the event log; findings are in ``out/findings``. Return the log's path.

    :raises KeyboardInterrupt: the user ended it; the log has all until then, and no footer.
    :raises WorkerError: the machines elsewhere are gone; same.
    :raises LogError: the log cannot be written.
    """
    heard = watcher or Silent()
    with nullcontext(_Running(job, heard)) if elsewhere is None else elsewhere.fuzzing(job, heard) as running:
        return _write_log(job, running, DriverFacts(job.driver) if elsewhere else _describe_driver(job))


def _describe_driver(job: FuzzingJob) -> DriverFacts:
    """Return the driver's description of itself, from a service, because the driver must not harm this process."""
    return describe_target(service_of(job.config))


def _write_log(job: FuzzingJob, running: Fuzzing, facts: DriverFacts) -> Path:
    interrupt: KeyboardInterrupt | WorkerError | None = None
    began = time.monotonic()
    harnesses = tuple(harness.name for harness in job.harnesses)
    started = log_header(facts, selection=harnesses, command=Command.FUZZ)
    specs: Mapping[str, Path] = {}
    try:
        running.run()
        specs = running.finish()
    except (KeyboardInterrupt, WorkerError) as error:
        interrupt = error
    if job.regressions is not None:
        keep(job.out / FINDINGS, job.regressions)
    found = list(read_saved(job.out / FINDINGS))
    problems = tuple(progress.problem for progress in running.progress.values() if progress.problem)
    with EventLog.create(job.log, started) as log:
        for progress in running.progress.values():
            own = [(known, folder) for known, folder in found if known.harness == progress.harness]
            _log(log, job, progress, own, specs)
        if interrupt is not None:
            raise interrupt
        # The log is made at the end of the job, whose time is meant.
        log.finish(_exit_code(found, problems), problems, duration_s=time.monotonic() - began)
    return job.log


def _exit_code(found: Sequence[object], problems: Sequence[str]) -> int:
    return 3 if problems else int(bool(found))


def _log(
    log: EventLog,
    job: FuzzingJob,
    progress: HarnessProgress,
    found: Sequence[tuple[SavedFinding, Path]],
    specs: Mapping[str, Path],
) -> None:
    log.fuzzing(
        FuzzingFinished(
            progress.harness,
            progress.executions,
            progress.seconds,
            progress.corpus,
            len(found),
            _thin_out(progress.curve),
            progress.native_edges,
        )
    )
    case = f"Fuzz/{progress.harness}"
    if progress.idle:
        log.case_started(case)
        log.case_finished(case, Verdict.UNSUPPORTED, reason=progress.idle)
    elif not found and not progress.executions:
        log.case_finished(case, Verdict.NOT_RUN, reason=progress.problem or "the job ended before it was begun")
    elif not found and not progress.problem:
        log.case_started(case)
        log.case_finished(case, Verdict.PASS, duration_s=progress.seconds)
    for known, folder in found:
        name = f"{case}/{known.key}"
        command = input_command(job, known, folder / INPUT)
        evidence = {"replay": command, **known.evidence, "input": str(folder / INPUT), "kind": MEANINGS[known.kind]}
        if known.key in progress.found_by:
            workers = progress.found_by[known.key]
            evidence["timings"] = {"worker": next(iter(workers)), "found_by": dict(workers)}
        if known.key in specs:
            evidence["reduced"] = replay_line(str(specs[known.key]), known.driver)
        log.case_started(name)
        verdict = _VERDICTS.get(known.kind, Verdict.FAIL) if known.rule else Verdict.ERROR
        log.case_finished(name, verdict, rule=known.rule, reason=known.message, evidence=evidence)


def input_command(job: FuzzingJob, known: SavedFinding, file: Path) -> str:
    """Return the command that runs the input of a finding again, with the driver in the same kind of process."""
    where = [] if job.in_process is None else ["--in-process" if job.in_process else "--service"]
    where += sandbox_options(service_of(job.config))
    return shlex.join(["nnvet", "fuzz", known.harness, "-d", known.driver, *where, "--input", str(file)])


def _thin_out(curve: Sequence[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    step = -(-len(curve) // _POINTS) or 1
    return (*curve[::step], *curve[-1:]) if (len(curve) - 1) % step else tuple(curve[::step])
