"""Chunks of a run on a cluster: some batches that one worker runs one after the other, and the result of running them.

The division into chunks depends on the plan alone, so any number of workers finds the same in the same order.
:mod:`nnvet.conformance.cluster.run` hands chunks out, :mod:`nnvet.conformance.cluster.host` runs them on a worker.

Batches are translated when they travel between machines. Bundled specs lie where each machine has installed nnvet; all
other specs must lie at one path on all machines. Times of a monotonic clock mean nothing on another machine, so they
travel as seconds since the epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from nnvet.conformance.engine.catalogue import SIZE_OF_CASE, Batch
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.engine.work import Assignment, Message
from nnvet.reports.events import DriverFacts

DEFAULT_CASES: Final = 100
"""Rough number of cases in a chunk. They keep a worker busy for seconds, and the scheduler for milliseconds."""


@dataclass(frozen=True)
class SuiteIdentity:
    """Identity of the suite that all workers share: its version, a digest of its bundled specs, and the driver."""

    suite: str
    corpus: str
    driver: DriverFacts | None = None


@dataclass(frozen=True)
class Job:
    """Common part of all chunks of a run, under a name of its own."""

    name: str
    assignment: Assignment


@dataclass(frozen=True)
class Chunk:
    """The ``number``-th chunk of a run. ``done`` are cases not to run: they have ended before, or have killed workers.

    ``attempt`` counts from 0. Later attempts mean that a worker has died, so every case is announced before it begins.
    """

    number: int
    batches: tuple[Batch, ...]
    attempt: int = 0
    done: frozenset[str] = frozenset()

    def again(self, done: frozenset[str] = frozenset()) -> Chunk:
        """Return the next attempt, without cases that are ``done`` now."""
        return replace(self, attempt=self.attempt + 1, done=self.done | done)


class Fate(StrEnum):
    """Results of an attempt at running a chunk."""

    DONE = "done"
    UNFIT = "unfit"
    """The worker has no such driver."""
    UNLIKE = "unlike"
    """The worker has another version of the suite or of the driver."""
    LOST = "lost"
    """The driver cannot be started any more; the messages received so far count."""
    LACKS = "lacks"
    """The worker has lost data that was sent to it before."""
    DIED = "died"
    """An earlier worker has begun the attempt and did not live to its end."""


@dataclass(frozen=True)
class ChunkResult:
    """A worker's answer about a chunk. For a chunk that DIED, ``case`` is the last case known to have begun."""

    fate: Fate
    worker: str
    reason: str = ""
    case: str = ""
    messages: tuple[Message, ...] = field(default=(), repr=False)


def split_into_chunks(batches: Iterable[Batch], cases: int = DEFAULT_CASES) -> Iterator[Chunk]:
    """Yield chunks of consecutive batches, each with about ``cases`` cases, estimated from the sizes of the batches."""
    some: list[Batch] = []
    total = number = 0
    for batch in batches:
        some.append(batch)
        total += batch.size
        if total >= cases * SIZE_OF_CASE:
            yield Chunk(number, tuple(some))
            some, total, number = [], 0, number + 1
    if some:
        yield Chunk(number, tuple(some))


_BUNDLED: Final = "bundled:"
"""Beginning of a path in place of the folder in which a machine has installed the bundled specs."""


def generalise(batch: Batch) -> Batch:
    """Return the batch with paths that mean the same on every machine."""
    return _convert(batch, _generalise_path, time.time() - time.monotonic())


def localise(batch: Batch) -> Batch:
    """Return the batch with paths of this machine."""
    return _convert(batch, _localise_path, time.monotonic() - time.time())


def find_missing(batch: Batch) -> str:
    """Return the path of a batch's spec file if this machine does not have it; empty if nothing is missing."""
    return "" if batch.file is None or Path(batch.file.path).exists() else batch.file.path


def _convert(batch: Batch, place: Callable[[str], str], later_s: float) -> Batch:
    """Return the batch with its paths changed by ``place``, and its end of time ``later_s`` seconds later."""
    file, series = batch.file, batch.series
    if file is not None:
        file = msgspec.structs.replace(file, path=place(file.path), namesakes=tuple(map(place, file.namesakes)))
    if series is not None and series.until is not None:
        series = msgspec.structs.replace(series, until=series.until + later_s)
    return msgspec.structs.replace(batch, file=file, series=series)


def _generalise_path(path: str) -> str:
    """Return a path that means the same on every machine."""
    place = Path(path)
    return f"{_BUNDLED}{place.relative_to(BUNDLED_SPECS)}" if place.is_relative_to(BUNDLED_SPECS) else path


def _localise_path(path: str) -> str:
    """Return the path on this machine."""
    return str(BUNDLED_SPECS / path.removeprefix(_BUNDLED)) if path.startswith(_BUNDLED) else path
