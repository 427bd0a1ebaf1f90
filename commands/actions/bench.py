"""Work of ``nnvet bench``: run the benchmark on drivers, and write measurements into a log.

``nnvet bench``, and ``nnvet run --bench`` after its cases, call :func:`benchmark`. :mod:`nnvet.models.bench` measures,
and :mod:`nnvet.commands.actions.bench_cluster` lets the workers of a cluster measure.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace as replace_event

from nnvet.adapters.selector import parse_selector
from nnvet.commands.actions.run import RunProgress
from nnvet.commands.options import MEASURING_TIMEOUT_S
from nnvet.conformance.engine.runner import Extra, target_options
from nnvet.conformance.engine.target import Target, open_target
from nnvet.models.alone import AloneOptions
from nnvet.models.bench import BenchOptions, Hooks, Progress, baselines, run_bench, select_entries
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import load_catalogue
from nnvet.models.contenders import Contender
from nnvet.models.driver import contender_of
from nnvet.models.loadgen import Scenario
from nnvet.models.results import BenchResult, case_event, measurement_event
from nnvet.models.rounds import energy_meter
from nnvet.reports.events import DRIVER_FAULTS, OUR_BACKEND, Machine, Verdict
from nnvet.reports.evidence import REPLAY_FOLDER
from nnvet.reports.log import EventLog


@dataclass(frozen=True)
class BenchChoice:
    """Options of a benchmark: folder of models (None: the bundled models), globs of names, seconds, reference kernels.

    ``wrap``: 8-bit pictures are preprocessed with the known defect of MLTS. ``relaxed``: drivers may compute float32 as
    float16. A driver that needs more than ``limit_s`` for all examples is NOT_RUN.
    """

    folder: Path | None = None
    only: tuple[str, ...] = ("*",)
    run_s: float = 1.0
    warmup_s: float = 0.3
    reference_kernels: bool = False
    wrap: bool = False
    relaxed: bool = False
    complete: bool = True
    limit_s: float = BenchOptions.complete_limit_s
    alone: AloneOptions = field(default_factory=AloneOptions)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options that a command must repeat to measure a model in the same way.

        Other times do not change a verdict.
        """
        flags = {
            "--reference-kernels": self.reference_kernels,
            "--mlts-preprocessing": self.wrap,
            "--relaxed": self.relaxed,
            "--no-complete": not self.complete,
        }
        models = () if self.folder is None else ("--models", str(self.folder))
        limit = () if self.limit_s == BenchOptions.complete_limit_s else ("--limit", f"{self.limit_s:g}")
        asked = tuple(name for name, given in flags.items() if given)
        return (*models, *limit, *asked, *_list_alone_options(self.alone))

    @property
    def measuring(self) -> BenchOptions:
        """Return the options for :func:`nnvet.models.bench.run_bench`."""
        return BenchOptions(
            warmup_s=self.warmup_s,
            run_s=self.run_s,
            complete_set=self.complete,
            complete_limit_s=self.limit_s,
            relaxed=self.relaxed,
            only=self.only,
            wrap=self.wrap,
            alone=self.alone,
        )


def _list_alone_options(alone: AloneOptions) -> Iterator[str]:
    """Yield the options of further runs."""
    if alone.cold:
        yield "--cold-start"
    if alone.sustained_s:
        yield from ("--sustained", f"{alone.sustained_s:g}s")
    load = alone.scenarios
    if load:
        for scenario in load.scenarios:
            yield from ("--scenario", scenario)
        yield from ("--scenario-time", f"{load.least_s:g}s", "--in-flight", str(load.in_flight))
        if Scenario.SERVER in load.scenarios:
            yield from ("--target-latency", f"{load.target_latency_s * 1e3:g}ms")
        if load.target_qps is not None:
            yield from ("--target-qps", f"{load.target_qps:g}")
        if load.executor is not None:
            yield from ("--executor", load.executor)


class BenchWatcher(Protocol):
    """Interface that draws the progress of the benchmark."""

    def note(self, text: str) -> None:
        """Tell the user something."""

    def step(self, progress: Progress) -> None:
        """Show how far the benchmark is."""


class BenchElsewhere(Protocol):
    """Interface of machines that measure in place of this one."""

    def bench_into(self, log: EventLog, watcher: BenchWatcher) -> bool:
        """Benchmark as :func:`bench_into` does."""


def benchmark(
    targets: Sequence[Target], choice: BenchChoice, elsewhere: BenchElsewhere | None = None
) -> Callable[[RunProgress], Extra]:
    """Return the task that measures drivers side by side into a run's log and draws its progress.

    ``elsewhere`` are the machines that do so in place of this one; only they can resolve a selector.

    :raises DataError: the folder is no benchmark, or no model of it is selected.
    :raises SelectorError: a driver is of an unknown kind.
    """
    # Check the options now, because the run before the benchmark may take an hour.
    for target in targets if elsewhere is None else ():
        parse_selector(target.selector)
    select_entries(load_catalogue(choice.folder or ZOO), choice.only)

    def beneath(run: RunProgress) -> Extra:
        watcher = BenchProgress(run)
        if elsewhere is not None:
            return lambda log: elsewhere.bench_into(log, watcher)
        return lambda log: bench_into(log, targets, choice, watcher)

    return beneath


class BenchProgress:
    """Draws the benchmark beneath the run."""

    def __init__(self, run: RunProgress) -> None:
        """Draw with the bars of ``run``."""
        self._run = run
        self._last = ("", "")

    def note(self, text: str) -> None:
        """Print a line."""
        self._run.print(text)

    def step(self, progress: Progress) -> None:
        """Move the bar; without a terminal, print a line for each model and phase."""
        self._run.show_more(f"{progress.model}: {progress.phase}", progress.done, progress.total)
        current = (progress.model, progress.phase)
        if current != self._last and progress.phase == "run":
            self._run.print_plain(f"benchmark: {progress.model}")
        self._last = current


def bench_into(log: EventLog, targets: Sequence[Target], choice: BenchChoice, watcher: BenchWatcher) -> bool:
    """Benchmark drivers, except models that are in the log already; return False if a model failed on a driver.

    :raises DataError: the folder is no benchmark, or no model is selected.
    :raises KeyboardInterrupt: passed on, after finished models have been logged.
    """
    with open_contenders(targets, choice) as (contenders, missing):
        if choice.folder is None:
            watcher.note("no folder of models is given: the bundled zoo")
        catalogue = load_catalogue(choice.folder or ZOO)
        for name in catalogue.repeated:
            watcher.note(f"several models are called {name}: the first is measured")
        if missing:
            watcher.note(f"no baseline: {missing}")
        no_energy = energy_meter()[1]
        if no_energy:
            watcher.note(f"no energy: {no_energy}")
        done = frozenset(measurement.model for measurement in log.so_far.measurements)
        if done:
            watcher.note(f"{len(done)} models are measured already")
        journal = BenchJournal(log, targets, choice, len(contenders))
        options = replace(choice.measuring, done=done)
        run = run_bench(catalogue, contenders, options, Hooks(watcher.step, journal.keep))
    if run.interrupted:
        raise KeyboardInterrupt
    return not journal.failed


@contextmanager
def open_contenders(targets: Sequence[Target], choice: BenchChoice) -> Iterator[tuple[tuple[Contender, ...], str]]:
    """Open baselines and drivers for as long as the block runs; also yield the reason if there is no baseline.

    :raises SelectorError, DriverGone: a driver does not open.
    """
    with ExitStack() as stack:
        others, missing = baselines(reference_kernels=choice.reference_kernels)
        yield (
            (*others, *(contender_of(stack.enter_context(open_target(target)), target) for target in targets)),
            missing,
        )


class BenchJournal:
    """Writer that logs all results of a model together, measurements first, to recognise incomplete models later."""

    def __init__(self, log: EventLog, targets: Sequence[Target], choice: BenchChoice, backends: int = 1) -> None:
        """Expect results of ``backends`` backends for each model, one after the other."""
        self._log, self._choice, self._backends = log, choice, backends
        self._targets = {target.selector: target for target in targets}
        self._model: list[BenchResult] = []
        self.failed = False

    def keep(self, result: BenchResult) -> None:
        """Keep the next result, and log the model once it is complete."""
        self._model.append(result)
        if len(self._model) < self._backends:
            return
        self.keep_model(self._model)
        self._model.clear()

    def keep_model(self, results: Sequence[BenchResult], worker: str = "", machine: Machine | None = None) -> None:
        """Log all results of a model; ``worker`` and ``machine`` say where it was measured, if not here."""
        for result in results:
            self._log.measurement(replace_event(measurement_event(result), worker=worker, machine=machine))
        for result in results:
            target = self._targets.get(result.backend.removeprefix(OUR_BACKEND))
            if target is not None and result.backend.startswith(OUR_BACKEND):
                signed = {**result.evidence, "timings": {"worker": worker}} if worker else result.evidence
                self._log_case(replace(result, evidence=signed), _make_replay(target, self._choice, result.model))
                self.failed |= result.verdict in DRIVER_FAULTS

    def _log_case(self, result: BenchResult, replay: str) -> None:
        case = case_event(result, several=len(self._targets) > 1)
        if case.verdict is not Verdict.NOT_RUN:
            self._log.case_started(case.case)
        self._log.case_finished(
            case.case,
            case.verdict,
            rule=case.rule,
            reason=case.reason,
            evidence={**case.evidence, "replay": replay},
            labels=case.labels,
        )


def _make_replay(target: Target, choice: BenchChoice, model: str) -> str:
    """Return the command line that measures one model again."""
    options = [*choice.options, *target_options(target, MEASURING_TIMEOUT_S), "--only", model, "--out", REPLAY_FOLDER]
    return shlex.join(["nnvet", "bench", "-d", target.selector, *options])
