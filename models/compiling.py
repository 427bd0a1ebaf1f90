"""Times of compilation with a driver: without a cache, into a cache, and from a cache.

:func:`compile_benchmark` measures; :mod:`nnvet.models.bench` calls it after the inferences of a model.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.calls import prepare, prepare_from_cache
from nnvet.hal.enums import ErrorStatus, ExecutionPreference
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Handle, MappableFile, Model, PrepareModelConfig
from nnvet.models.contenders import BenchModel, CompileRun, Contender, ContenderError, revive
from nnvet.models.results import Compilation
from nnvet.reports.events import Verdict
from nnvet.reports.figures import summarise
from nnvet.transport.wire.failures import DriverGone, DriverHang


@dataclass(frozen=True)
class CompileLimits:
    """Limits for each kind of compilation: seconds of warm-up, seconds of measuring, compilations in each of them."""

    warmup_s: float
    run_s: float
    iterations: int = 100


def compile_benchmark(contender: Contender, model: BenchModel, limits: CompileLimits) -> Compilation:
    """Compile repeatedly by each kind of compilation that the contender has; ``error`` reports a failure."""
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
    """Return latencies of compilations until their sum exceeds ``seconds``; at least one."""
    series: list[float] = []
    while len(series) < iterations and (not series or sum(series) <= seconds):
        run.prepare()
        started = time.perf_counter_ns()
        run.compile()
        series.append((time.perf_counter_ns() - started) / 1e9)
    return series


SUSTAINED: Final = PrepareModelConfig(preference=ExecutionPreference.SUSTAINED_SPEED)
"""Preference with which networks are prepared, as in MLTS, because they are executed many times in a row."""


@dataclass(frozen=True)
class Compiler:
    """One model on one device. ``timeout_s`` limits the wait for the driver's answer."""

    device: Device
    model: Model
    timeout_s: float

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """Prepare the model.

        :raises ContenderError: FAIL if the driver refuses a model that it claimed to support, HANG or CRASH.
        """
        with calling("prepareModel"):
            return prepare(self.device, self.model, config, self.timeout_s)

    def load(self, cache: CacheFiles, token: bytes) -> PreparedModel:
        """Prepare the model from cache files alone.

        :raises ContenderError: as :meth:`compile`.
        """
        with cache as (model_cache, data_cache), calling("prepareModelFromCache"):
            return prepare_from_cache(self.device, model_cache, data_cache, token, timeout_s=self.timeout_s)

    def save(self, cache: CacheFiles, token: bytes) -> PreparedModel:
        """Prepare the model and let the driver write the cache files.

        :raises ContenderError: as :meth:`compile`.
        """
        with cache as (model_cache, data_cache):
            config = replace(SUSTAINED, model_cache=model_cache, data_cache=data_cache, cache_token=token)
            return self.compile(config)


@dataclass
class CacheFiles:
    """The cache files of one compilation in a folder; open while a ``with`` block runs."""

    folder: Path
    model_count: int
    data_count: int
    _handles: list[int] = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """Return all files, those of the model cache first."""
        names = [f"model-{i}" for i in range(self.model_count)] + [f"data-{i}" for i in range(self.data_count)]
        return [self.folder / name for name in names]

    @property
    def size(self) -> int:
        """Return the number of bytes in all files that exist."""
        return sum(path.stat().st_size for path in self.paths if path.exists())

    def clear(self) -> None:
        """Delete the files, so that the next preparation has to write them."""
        for path in self.paths:
            path.unlink(missing_ok=True)

    def __enter__(self) -> tuple[tuple[MappableFile, ...], tuple[MappableFile, ...]]:
        """Open the files, creating those that are missing."""
        files = []
        for path in self.paths:
            self._handles.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            files.append(MappableFile(Handle(self._handles[-1]), os.fstat(self._handles[-1]).st_size))
        return tuple(files[: self.model_count]), tuple(files[self.model_count :])

    def __exit__(self, *_: object) -> None:
        """Close the descriptors; the files stay."""
        while self._handles:
            os.close(self._handles.pop())


@contextmanager
def calling(method: str) -> Iterator[None]:
    """Turn failures of the driver's calls inside the block into errors of the contender.

    :raises ContenderError: HANG, CRASH or FAIL.
    """
    try:
        yield
    except (HalError, DriverGone) as error:
        raise fault(method, error) from error


def fault(method: str, error: HalError | DriverGone) -> ContenderError:
    """Return the driver's fault in a failed call: the driver hung, died, or broke a promise."""
    if isinstance(error, DriverGone):
        verdict = Verdict.HANG if isinstance(error, DriverHang) else Verdict.CRASH
        return ContenderError(verdict, f"{method}: {error}", error.evidence.as_dict())
    verdict = Verdict.CRASH if error.status == ErrorStatus.DEAD_OBJECT else Verdict.FAIL
    return ContenderError(verdict, f"{method} failed: {error}")
