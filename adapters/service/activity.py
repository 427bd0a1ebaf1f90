"""Activity of processes: processor time, time waiting for a processor, states of threads, and memory in use.

Source: proc(5), ``/proc/PID/stat``, and the kernel's documentation of schedstats, ``/proc/PID/task/TID/schedstat``.

Time limits (:mod:`nnvet.transport.wire.limits`) look at activity (:class:`ProcessActivity`), so that a busy machine is
not mistaken for a hanging driver.

Memory is measured (:class:`MemoryMeter`) for a watchdog outside of the process, the watching thread of
:mod:`nnvet.adapters.service.process`. A limit on the address space (RLIMIT_AS, RLIMIT_DATA) is not usable: it makes
allocations fail in arbitrary places of the driver, miscounts shared pools, and forbids the terabytes that sanitizers
and libraries of accelerators reserve without using them. Only pages in use do harm, so only these are counted.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.transport.wire.limits import Activity

PROC: Final = Path("/proc")
"""The kernel's file system of processes; tests use a folder of their own instead."""

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
"""Unit of the processor times in ``/proc/PID/stat``."""
_NS_PER_S: Final = 1e9
_TIMES: Final = slice(11, 15)
"""Fields with the processor time in user and system mode, of the process and of children that it has waited for."""
_WORDS: Final = {"R": "running", "D": "disk-sleep", "S": "sleeping", "I": "idle", "Z": "zombie"}
"""Words for the states of a thread, the most informative first."""
_STOPPED: Final = frozenset("Tt")
"""States of a thread that a signal or a debugger has stopped; source: proc(5)."""


class ThreadState(NamedTuple):
    """A thread: its id, the letter of its state, and how long it was runnable without running."""

    id: str
    state: str
    starved_ns: int


class ActivityCount:
    """Activity since the first observation, summed over successive observations of processes."""

    def __init__(self) -> None:
        """Start before the first observation."""
        self._lock = threading.Lock()
        self._processor_s = self._starved_s = self._processor_before = 0.0
        self._starved_before: dict[str, int] | None = None

    def count(self, processor_s: float, threads: Sequence[ThreadState]) -> Activity | None:
        """Add an observation, and return the activity so far; None if there is no thread to observe."""
        if not threads:
            return None
        with self._lock:
            self._add(processor_s, threads)
            runnable = sum(thread.state == "R" for thread in threads)
            return Activity(self._processor_s, self._starved_s, runnable)

    def _add(self, processor_s: float, threads: Iterable[ThreadState]) -> None:
        now = {thread.id: thread.starved_ns for thread in threads}
        if self._starved_before is not None:
            # A process that has ended takes its processor time with it, so the sum may fall.
            self._processor_s += max(0.0, processor_s - self._processor_before)
            waited_ns = sum(max(0, ns - self._starved_before.get(thread, 0)) for thread, ns in now.items())
            self._starved_s += waited_ns / _NS_PER_S
        self._processor_before, self._starved_before = processor_s, now


class ProcessActivity:
    """Activity of processes since the first look; thread-safe. ``members`` returns the living processes."""

    def __init__(self, members: Callable[[], Iterable[int]], proc: Path = PROC) -> None:
        """Start before the first look."""
        self._members = members
        self._proc = proc
        self._lock = threading.Lock()
        self._count = ActivityCount()

    def look(self) -> Activity | None:
        """Return the activity so far; None if the processes cannot be seen."""
        with self._lock:
            pids = list(self._members())
            threads = [thread for pid in pids for thread in _read_threads(self._proc, pid)]
            return self._count.count(sum(_read_processor_s(self._proc, pid) for pid in pids), threads)


def state_of(pids: Iterable[int], proc: Path = PROC) -> str:
    """Return the state of processes in words, from the states of all their threads; the first process matters most.

    The text is ``sleeping`` if all threads sleep, ``running: 1 of 5 threads`` if one is runnable, ``stopped`` if all
    threads of the first process are stopped, and ``gone`` if there is no process.
    """
    return state_in_words([[thread.state for thread in _read_threads(proc, pid)] for pid in pids])


def state_in_words(states: Sequence[Sequence[str]]) -> str:
    """Return the words of :func:`state_of`, given the state letters of all threads of each process."""
    if not states or not states[0]:
        return "gone"
    if _STOPPED.issuperset(states[0]):
        return "stopped"
    counts = Counter(state for some in states for state in some)
    state = next((letter for letter in _WORDS if counts[letter]), "")
    total = counts.total()
    word = _WORDS.get(state, "in an unknown state")
    return word if state == "S" or counts[state] == total == 1 else f"{word}: {counts[state]} of {total} threads"


def _read_processor_s(proc: Path, pid: int) -> float:
    """Return the processor time of a process and of children that it has waited for, in seconds."""
    fields = _read_stat(proc / str(pid))
    return sum(map(int, fields[_TIMES])) / _TICKS_PER_S if fields else 0.0


def _read_threads(proc: Path, pid: int) -> Iterator[ThreadState]:
    with suppress(OSError):
        for folder in (proc / str(pid) / "task").iterdir():
            fields = _read_stat(folder)
            if fields:
                yield ThreadState(folder.name, fields[0], _read_starved_ns(folder))


def _read_starved_ns(thread: Path) -> int:
    """Return nanoseconds that a thread was runnable without running; 0 where the kernel does not count them."""
    with suppress(OSError, IndexError, ValueError):
        return int((thread / "schedstat").read_text().split()[1])
    return 0


def _read_stat(folder: Path) -> list[str]:
    """Return the fields behind the name (which may contain spaces) of a stat file; empty if the process has ended."""
    try:
        return (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


DEFAULT_LIMIT_MIB: Final = 4096
"""Default of the option ``--memory-limit``, in MiB."""
DEFAULT_LIMIT: Final = DEFAULT_LIMIT_MIB << 20
"""Default limit, in bytes, of the memory of a service and everything that it has started."""

RESERVED_BY_SANITIZERS: Final = 1 << 40
"""A process that reserves this many bytes must have a sanitizer, which reserves them for shadow memory."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
"""Unit of ``/proc/PID/statm``, in bytes."""
_BLOCK: Final = 512
"""Unit of ``st_blocks``, in bytes; source: stat(2)."""
_SHARED: Final = ("/memfd:", "/dev/shm/")  # noqa: S108 - nothing is put there
"""Beginnings of the names of shared memory, in the links of ``/proc/PID/fd``."""
_RSS_SHMEM: Final = re.compile(r"^RssShmem:\s*(\d+) kB$", re.MULTILINE)
"""Line of ``/proc/PID/status`` with the resident shared memory of a process."""
_MAPPING: Final = re.compile(r"(?P<begin>[0-9a-f]+)-(?P<end>[0-9a-f]+) ")
"""Head of a mapping in ``/proc/PID/smaps``, with its first address and the address behind it."""
_DESCRIPTORS_EVERY: Final = 5
"""Descriptors are examined only at every measurement of this number, since that is the slowest part."""


def limit_in_bytes(mib: int) -> int | None:
    """Return the bytes of a limit in MiB; 0 means no limit, and becomes None."""
    return (mib << 20) or None


class MemoryMeter:
    """A repeated measurement of the memory of some processes."""

    def __init__(self) -> None:
        """Start; the first measurement will be a complete one."""
        self._measurements = itertools.count()
        self._unmapped = 0

    def measure(self, processes: Iterable[int]) -> int:
        """Return the bytes that the processes use. A dead process uses 0; a page that two of them map counts twice.

        Shared memory that is held only by a descriptor counts too, though it is looked up less often.
        """
        pids = list(processes)
        resident = sum(_read_resident(pid) for pid in pids)
        if next(self._measurements) % _DESCRIPTORS_EVERY == 0:
            held = dict(memory for pid in pids for memory in _find_shared_memory(pid))
            # Mapped shared memory is among the resident pages already.
            self._unmapped = max(0, sum(held.values()) - sum(_read_mapped_shared(pid) for pid in pids))
        return resident + self._unmapped


def _read_resident(pid: int) -> int:
    """Return the resident bytes of a process, without the shadow memory of a sanitizer."""
    fields = _read(Path(f"/proc/{pid}/statm")).split()
    if not fields:
        return 0
    reserved, resident = (int(field) * _PAGE for field in fields[:2])
    return max(0, resident - _read_shadow(pid)) if reserved >= RESERVED_BY_SANITIZERS else resident


def _read_shadow(pid: int) -> int:
    """Return the resident bytes of mappings that are so large that they must be shadow memory."""
    found, is_shadow = 0, False
    for line in _read(Path(f"/proc/{pid}/smaps")).splitlines():
        if mapping := _MAPPING.match(line):
            is_shadow = int(mapping["end"], 16) - int(mapping["begin"], 16) >= RESERVED_BY_SANITIZERS
        elif is_shadow and line.startswith("Rss:"):
            found += int(line.split()[1]) << 10
    return found


def _read_mapped_shared(pid: int) -> int:
    """Return the resident bytes of shared memory of a process; pages of files do not count."""
    found = _RSS_SHMEM.search(_read(Path(f"/proc/{pid}/status")))
    return int(found[1]) << 10 if found else 0


def _find_shared_memory(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the identity (file system and inode) and the bytes of shared memory that a process has descriptors of."""
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return
    for descriptor in descriptors:
        with suppress(OSError):
            if str(descriptor.readlink()).startswith(_SHARED):
                status = descriptor.stat()
                yield (status.st_dev, status.st_ino), status.st_blocks * _BLOCK


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        # The process has ended, or the kernel does not have this file.
        return ""
