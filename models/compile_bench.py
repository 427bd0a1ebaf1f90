"""Measures compilation: without a cache, into one, and from one."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from nnvet.models.contenders import BenchModel, CompileRun, Contender, ContenderError, revive
from nnvet.models.results import Compilation
from nnvet.reports.latency import summarise


@dataclass(frozen=True)
class CompileLimits:
    """For each kind of compilation: seconds of warm-up, seconds measured, at most so many of either."""

    warmup_s: float
    run_s: float
    iterations: int = 100


def compile_benchmark(contender: Contender, model: BenchModel, limits: CompileLimits) -> Compilation:
    """Compile again and again by each kind that the contender has; a failure is reported in ``error``."""
    latencies = {}
    with tempfile.TemporaryDirectory(prefix="nnvet-cache-") as folder:
        try:
            for metric, run in contender.compile_runs(model, Path(folder)).items():
                _series(run, limits.warmup_s, limits.iterations)
                latencies[metric] = summarise(_series(run, limits.run_s, limits.iterations))
        except ContenderError as error:
            revive(contender, error)
            return Compilation(latencies, error=error.reason)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return Compilation(latencies, size)


def _series(run: CompileRun, seconds: float, iterations: int) -> list[float]:
    """Latencies of compilations until their sum exceeds ``seconds``; at least one."""
    series: list[float] = []
    while len(series) < iterations and (not series or sum(series) <= seconds):
        run.prepare()
        started = time.perf_counter_ns()
        run.compile()
        series.append((time.perf_counter_ns() - started) / 1e9)
    return series
