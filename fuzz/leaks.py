"""Detection of leaks: resources of this process and its children that grow each time the same input is run.

A cache, a pool or a bounded history also grows, but only in the first runs. So a resource counts as leaking only if it
still grows in each of the last rounds, after hundreds of runs.
"""

from __future__ import annotations

import ctypes
import gc
import math
import resource
import sys
import time
import tracemalloc
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from nnvet.adapters.service.activity import RESERVED_BY_SANITIZERS
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import OneInput

RULE: Final = "client/leak"
"""Rule that a driver with a leak breaks."""
_SUSPECTED: Final = 16
"""Runs of a first, short round, which decides whether the input deserves a closer look."""
_CERTAIN: Final = 256
"""Largest number of runs in a round."""
_LEAST_CERTAIN: Final = 64
"""Minimal number of runs in a round; slower inputs are not judged."""
_ROUNDS: Final = 4
_FILLING: Final = 2
"""Number of first rounds that do not count, since they fill caches and pools."""
_EVERY: Final = 1024
"""One of this many inputs is checked for leaks, which takes about a fifteenth of the time."""
_EVERY_MOST: Final = 1 << 12
_LINES: Final = 8
"""Number of source lines that a finding shows."""
_FRAMES: Final = 6
"""Number of callers that are recorded for each allocation."""


class Gauge(NamedTuple):
    """A resource of a process that may leak.

    Growth counts if it is at least ``least`` a run and ``noise`` a long round: other threads free their memory late.
    """

    name: str
    read: Callable[[], int]
    least: float
    noise: int = 0


def _processes() -> Iterator[Path]:
    """Return this process and its children."""
    for tasks in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            yield from (Path("/proc", pid) for pid in tasks.read_text(encoding="ascii").split())
    yield Path("/proc/self")


def _entries(name: str) -> int:
    count = 0
    for process in _processes():
        with suppress(OSError):
            count += len(list((process / name).iterdir()))
    return count


def _resident_of_others() -> int:
    """Return the resident bytes of the processes that this one has started.

    Processes with a sanitizer are left out: it keeps freed memory, so nobody can see from outside what they use.
    """
    pages = 0
    for process in _processes():
        with suppress(OSError):
            reserved, resident = map(int, (process / "statm").read_text(encoding="ascii").split()[:2])
            has_sanitizer = reserved * resource.getpagesize() >= RESERVED_BY_SANITIZERS
            pages += 0 if process.name == "self" or has_sanitizer else resident
    return pages * resource.getpagesize()


class _MallInfo(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_: ClassVar = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


def _allocated() -> int:
    """Return the bytes allocated by malloc, without those that a sanitizer holds back; 0 if unknown."""
    process = ctypes.CDLL(None)
    sanitizer = getattr(process, "__sanitizer_get_current_allocated_bytes", None)
    if sanitizer is not None:
        sanitizer.restype = ctypes.c_size_t
        return int(sanitizer())
    info = getattr(process, "mallinfo2", None)
    if info is None:
        return 0
    info.restype = _MallInfo
    found = info()
    return int(found.uordblks + found.hblkhd)


GAUGES: Final = (
    Gauge("descriptors", lambda: _entries("fd"), 0.5),
    Gauge("threads", lambda: _entries("task"), 0.5),
    Gauge("objects", sys.getallocatedblocks, 0.5),
    Gauge("bytes", _allocated, 16, 4096),
    Gauge("memory of the service", _resident_of_others, 2048),
)


def find_growth(run: Callable[[], object], size: int, seconds: float = math.inf) -> tuple[tuple[str, float], ...]:
    """Return the resources that grow in each of the last rounds of ``size`` runs, with their growth per run.

    The result is empty if the rounds take more than ``seconds``. Growth is measured in the very last round.
    """
    # An array holds plain numbers; a list of objects would itself count as growth.
    end = time.monotonic() + seconds
    readings = [array("q", bytes(8 * _ROUNDS)) for _ in GAUGES]
    for number in range(_ROUNDS):
        for _ in range(size):
            run()
        gc.collect()
        for gauge, values in zip(GAUGES, readings, strict=True):
            values[number] = gauge.read()
        if time.monotonic() > end:
            return ()
    found = []
    for gauge, values in zip(GAUGES, readings, strict=True):
        grown = [(after - before) / size for before, after in pairwise(values[_FILLING - 1 :])]
        if min(grown) >= max(gauge.least, gauge.noise / size if size >= _LEAST_CERTAIN else 0):
            found.append((gauge.name, grown[-1]))
    return tuple(found)


class LeakCheck:
    """Runs inputs of a harness, and checks one of ``every`` inputs for leaks."""

    def __init__(
        self,
        one_input: OneInput,
        seconds: float,
        every: int = _EVERY,
        aside: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Check an input for no more than about ``seconds``; repeated runs run within ``aside``."""
        self._one_input, self._seconds, self._aside = one_input, seconds, aside
        self._every, self._left = every, every

    def __call__(self, data: bytes) -> None:
        """Run an input, and perhaps check it for leaks.

        :raises FuzzFinding: it finds something, or leaves something behind each time.
        """
        begin = time.monotonic()
        self._one_input(data)
        self._left -= 1
        if self._left <= 0 and self._size(time.monotonic() - begin):
            self._left = self._every
            with self._aside(), _garbage_of_its_own():
                self._look(data)

    def _size(self, each: float) -> int:
        """Return the number of runs in a round, by the seconds that one takes; 0 if it takes too long."""
        size = min(_CERTAIN, int(self._seconds / ((_ROUNDS + 1) * each)))
        return size if size >= _LEAST_CERTAIN else 0

    def _look(self, data: bytes) -> None:
        def run() -> None:
            self._one_input(data)

        begin = time.monotonic()
        if not find_growth(run, _SUSPECTED, self._seconds):
            return
        size = self._size((time.monotonic() - begin) / (_ROUNDS * _SUSPECTED))
        grown = find_growth(run, size, self._seconds) if size else ()
        if grown:
            # A leak grows again; a chance growth, such as the queue of a thread that was starved, does not.
            again = {name for name, _ in find_growth(run, size, self._seconds)}
            grown = tuple(found for found in grown if found[0] in again)
        # Neither a known leak nor a cache that fills is worth checking again and again.
        self._left = self._every = min(2 * self._every, max(self._every, _EVERY_MOST))
        if grown:
            raise _finding(grown, run, 2 * _ROUNDS * size)


def _finding(grown: tuple[tuple[str, float], ...], run: Callable[[], None], runs: int) -> FuzzFinding:
    each = ", ".join(f"{amount:.1f} {name}" for name, amount in grown)
    message = f"after {runs} runs of an input, each run still leaves behind {each}"
    return FuzzFinding(FindingKind.LEAK, RULE, message, {"kept": "\n".join(_find_kept_lines(run))}, grown[0][0])


def _find_kept_lines(run: Callable[[], None]) -> list[str]:
    """Return the source lines that allocated most of the memory left behind, with their callers."""
    tracemalloc.start(_FRAMES)
    try:
        gc.collect()
        before = tracemalloc.take_snapshot()
        for _ in range(_SUSPECTED):
            run()
        gc.collect()
        found = tracemalloc.take_snapshot().compare_to(before, "traceback")
    finally:
        tracemalloc.stop()
    return [
        f"{difference.size_diff} bytes: {_place(difference)}"
        for difference in found[:_LINES]
        if difference.count_diff >= _SUSPECTED // 2
    ]


def _place(kept: Any) -> str:
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(kept.traceback))


@contextmanager
def _garbage_of_its_own() -> Iterator[None]:
    """Exempt all present objects from garbage collection within the block, so that collections there are fast."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
