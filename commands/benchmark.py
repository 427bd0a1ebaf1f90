"""Runs the benchmark on a driver and writes what it finds into a log."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nnvet.commands.options import MEASURING_TIMEOUT_S
from nnvet.commands.progress import RunProgress
from nnvet.conformance.engine.runner import Extra, target_options
from nnvet.conformance.engine.session import Target
from nnvet.hal.interfaces import Device
from nnvet.models.bench import BenchOptions, Hooks, Progress, baselines, run_bench, selected
from nnvet.models.bundled.folder import write_bundled
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.models.results import BenchResult, case_event, measurement_event
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import REPLAY_FOLDER
from nnvet.reports.log import EventLog


@dataclass(frozen=True)
class BenchChoice:
    """What to measure: a folder (None: bundled models), globs of names, seconds, and LiteRT's reference kernels.

    ``wrap``: 8-bit pictures are preprocessed with the defect of MLTS. ``relaxed``: drivers may compute float32 as
    float16.
    """

    folder: Path | None = None
    only: tuple[str, ...] = ("*",)
    run_s: float = 1.0
    warmup_s: float = 0.3
    reference_kernels: bool = False
    wrap: bool = False
    relaxed: bool = False


class BenchWatcher(Protocol):
    """Draws the progress of the benchmark."""

    def note(self, text: str) -> None:
        """Tell the user something."""

    def step(self, progress: Progress) -> None:
        """Show how far the benchmark is."""


def benchmark(target: Target, choice: BenchChoice) -> Callable[[RunProgress], Extra]:
    """What measures a driver into the log of a run, drawn with the progress of that run.

    :raises DataError: the folder is no benchmark, or no model of it is selected.
    """
    if choice.folder is not None:
        # Before a run that may take an hour.
        selected(load_catalogue(choice.folder), choice.only)

    def beneath(run: RunProgress) -> Extra:
        return lambda log: bench_into(log, target, choice, BenchProgress(run))

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


def bench_into(log: EventLog, target: Target, choice: BenchChoice, watcher: BenchWatcher) -> bool:
    """Benchmark a driver; returns False if one of its models failed.

    :raises DataError: the folder is no benchmark, or no model is selected.
    :raises KeyboardInterrupt: after what is finished has been logged.
    """
    with tempfile.TemporaryDirectory(prefix="nnvet-models-") as scratch:
        if choice.folder is None:
            watcher.note(
                f"no folder of models is given: bundled ones, golden outputs from {write_bundled(Path(scratch))}"
            )
        catalogue = load_catalogue(choice.folder or Path(scratch))
        others, missing = baselines(reference_kernels=choice.reference_kernels)
        if missing:
            watcher.note(f"no baseline: {missing}")
        failed: list[str] = []

        def keep(result: BenchResult) -> None:
            log.measurement(measurement_event(result))
            if result.backend.startswith("nnvet:"):
                _log_case(log, result, _replay(target, choice, result.model))
                if result.verdict in (Verdict.FAIL, Verdict.CRASH, Verdict.HANG):
                    failed.append(result.model)

        with target.open() as driver:

            def renew() -> Device:
                driver.restart()
                return driver.device

            contenders = (*others, DriverContender(target.selector, driver.device, renew))
            options = BenchOptions(
                warmup_s=choice.warmup_s,
                run_s=choice.run_s,
                relaxed=choice.relaxed,
                only=choice.only,
                wrap=choice.wrap,
            )
            done = run_bench(catalogue, contenders, options, Hooks(watcher.step, keep))
    if done.interrupted:
        raise KeyboardInterrupt
    return not failed


def _log_case(log: EventLog, result: BenchResult, replay: str) -> None:
    case = case_event(result)
    if case.verdict is not Verdict.NOT_RUN:
        log.case_started(case.case)
    log.case_finished(
        case.case,
        case.verdict,
        rule=case.rule,
        reason=case.reason,
        evidence={**case.evidence, "replay": replay},
        labels=case.labels,
    )


def _replay(target: Target, choice: BenchChoice, model: str) -> str:
    """The command line that measures one model again."""
    models = [] if choice.folder is None else ["--models", str(choice.folder)]
    models += ["--mlts-preprocessing"] if choice.wrap else []
    models += ["--relaxed"] * choice.relaxed
    options = [*models, *target_options(target, MEASURING_TIMEOUT_S), "--only", model, "--out", REPLAY_FOLDER]
    return shlex.join(["nnvet", "bench", "-d", target.selector, *options])
