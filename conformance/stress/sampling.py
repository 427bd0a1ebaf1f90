"""Samples of the resources that a test's processes use: processor time, memory, descriptors and threads, by role.

The coordinator takes them with a :class:`Sampler`; reports draw the timeline of a test from its rows. Checks of leaks
measure the driver alone, with :mod:`nnvet.conformance.kit.growth`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import psutil

PAUSE_S: Final = 0.25
"""Seconds between two samples."""
_MOST: Final = 240
"""Most samples kept of a test; beyond that, every second one is dropped."""


def family(pid: int | None) -> dict[int, float]:
    """Return a process and its descendants, each with its start time; nothing if the process is gone or unknown."""
    if pid is None:
        return {}
    try:
        first = psutil.Process(pid)
        return {
            process.pid: process.create_time()
            for process in (first, *first.children(recursive=True))
            if _is_alive(process)
        }
    except psutil.NoSuchProcess:
        return {}


def _is_alive(process: psutil.Process) -> bool:
    """Return True unless a process is gone, or has ended and waits for its parent."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Sampler:
    """Samples the processes that have joined a test, each with those descendants that have not joined themselves.

    The fields of a row are those of :data:`nnvet.reports.evidence.SAMPLE_FIELDS`.
    """

    def __init__(self) -> None:
        """Begin without processes."""
        self._roles: dict[int, str] = {}
        self._processes: dict[int, psutil.Process] = {}
        self._began = time.monotonic()
        self._stride = 1
        self._taken = 0
        self.rows: list[list[Any]] = []

    def join(self, role: str, pid: int) -> None:
        """Add a process in a role."""
        self._roles[pid] = role

    @property
    def time_s(self) -> float:
        """Seconds since the sampler was made."""
        return round(time.monotonic() - self._began, 2)

    def sample(self) -> None:
        """Take one sample of each role; processes that are gone are left out."""
        self._taken += 1
        if self._taken % self._stride:
            return
        totals: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0, 0, 0])
        for pid, role in self._roles.items():
            for process in self._members(pid):
                with suppress(psutil.Error):
                    with process.oneshot():
                        found = (
                            process.cpu_percent(None),
                            process.memory_info().rss,
                            process.num_fds(),
                            process.num_threads(),
                            1,
                        )
                    totals[role] = [a + b for a, b in zip(totals[role], found, strict=True)]
        now = self.time_s
        self.rows += [[now, role, round(cpu, 1), *map(int, rest)] for role, (cpu, *rest) in totals.items()]
        if len(self.rows) > _MOST * max(len(totals), 1):
            self._thin_out()

    def _members(self, pid: int) -> Iterable[psutil.Process]:
        """Return a process and its descendants except those with a role of their own, as the same objects each time."""
        try:
            first = psutil.Process(pid)
            found = [first, *(child for child in first.children(recursive=True) if not self._belongs(child, pid))]
        except psutil.NoSuchProcess:
            return []
        # The share of the processor is that since the last question to the same object.
        return [self._processes.setdefault(process.pid, process) for process in found]

    def _belongs(self, process: psutil.Process, pid: int) -> bool:
        """Return True if a descendant of ``pid`` has joined in its own role, or descends from one that has."""
        with suppress(psutil.Error):
            for ancestor in (process, *process.parents()):
                if ancestor.pid == pid:
                    return False
                if ancestor.pid in self._roles:
                    return True
        return True

    def _thin_out(self) -> None:
        """Drop every second sample, and take only every second one from now on."""
        self._stride *= 2
        times = sorted({row[0] for row in self.rows})[::2]
        kept = set(times)
        self.rows = [row for row in self.rows if row[0] in kept]


def snapshot(pid: int) -> dict[str, Any]:
    """Return the state of one process: its status, and its numbers of threads, descriptors and bytes of memory."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return {
                "state": str(process.status()),
                "threads": process.num_threads(),
                "descriptors": process.num_fds(),
                "memory_bytes": process.memory_info().rss,
            }
    except psutil.Error as error:
        return {"state": f"cannot be seen: {type(error).__name__}"}


def cpu_time_s(pid: int) -> float:
    """Return seconds of processor time that a process and its descendants have used."""
    total = 0.0
    for member in family(pid):
        with suppress(psutil.Error):
            times = psutil.Process(member).cpu_times()
            total += times.user + times.system
    return total
