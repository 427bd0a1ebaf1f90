"""Compiles models with a driver: waiting for its answer, cache files, and what its errors mean."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import Handle, MappableFile
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.models.contenders import ContenderError
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone, DriverHang


@dataclass
class _Answer:
    """A callback that can be waited for."""

    status: ErrorStatus = ErrorStatus.GENERAL_FAILURE
    prepared: PreparedModel | None = None
    told: threading.Event = field(default_factory=threading.Event)

    def notify(self, status: ErrorStatus, prepared_model: PreparedModel | None) -> None:
        """Keep the answer."""
        self.status, self.prepared = status, prepared_model
        self.told.set()


@dataclass(frozen=True)
class Compiler:
    """One model on one device. ``timeout_s`` limits the wait for the driver's answer."""

    device: Device
    model: Model
    timeout_s: float

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """Prepare the model.

        :raises ContenderError: FAIL if the driver refuses what it said it supports, HANG or CRASH.
        """
        answer = _Answer()
        with calling("prepareModel"):
            self.device.prepare_model(self.model, config, answer)
        return self._wait(answer, "prepareModel")

    def load(self, cache: CacheFiles, token: bytes) -> PreparedModel:
        """Prepare the model from cache files alone.

        :raises ContenderError: as :meth:`compile`.
        """
        answer = _Answer()
        with cache as (model_cache, data_cache):
            with calling("prepareModelFromCache"):
                self.device.prepare_model_from_cache(NO_DEADLINE, model_cache, data_cache, token, answer)
            return self._wait(answer, "prepareModelFromCache")

    def save(self, cache: CacheFiles, token: bytes) -> PreparedModel:
        """Prepare the model and let the driver write the cache files.

        :raises ContenderError: as :meth:`compile`.
        """
        with cache as (model_cache, data_cache):
            return self.compile(PrepareModelConfig(model_cache=model_cache, data_cache=data_cache, cache_token=token))

    def _wait(self, answer: _Answer, method: str) -> PreparedModel:
        """The prepared model that a method announces."""
        if not answer.told.wait(self.timeout_s):
            raise ContenderError(Verdict.HANG, f"{method} did not answer within {self.timeout_s:g} s")
        if answer.status != ErrorStatus.NONE or answer.prepared is None:
            raise _fault(method, HalError(answer.status, "notified without a prepared model"))
        return answer.prepared


@dataclass
class CacheFiles:
    """The cache files of one compilation in a folder; open while a ``with`` block runs."""

    folder: Path
    model_count: int
    data_count: int
    _handles: list[int] = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """All files, those of the model cache first."""
        names = [f"model-{i}" for i in range(self.model_count)] + [f"data-{i}" for i in range(self.data_count)]
        return [self.folder / name for name in names]

    @property
    def size(self) -> int:
        """Bytes in all files."""
        return sum(path.stat().st_size for path in self.paths if path.exists())

    def clear(self) -> None:
        """Delete the files."""
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
        """Close them."""
        while self._handles:
            os.close(self._handles.pop())


@contextmanager
def calling(method: str) -> Iterator[None]:
    """Failures of the driver's calls inside the block become errors of the contender.

    :raises ContenderError: HANG, CRASH or FAIL.
    """
    try:
        yield
    except (HalError, DriverGone) as error:
        raise _fault(method, error) from error


def _fault(method: str, error: HalError | DriverGone) -> ContenderError:
    """What a failed call says of the driver: it hung, it died, or it broke a promise."""
    if isinstance(error, DriverGone):
        verdict = Verdict.HANG if isinstance(error, DriverHang) else Verdict.CRASH
        return ContenderError(verdict, f"{method}: {error}", error.evidence.as_dict())
    verdict = Verdict.CRASH if error.status == ErrorStatus.DEAD_OBJECT else Verdict.FAIL
    return ContenderError(verdict, f"{method} failed: {error}")
