"""Control groups (cgroup v2): whatever the processes of a service fork, rename or clear, none of them leaves its group.

Used where the system lets us make one: as root, or below the user's own systemd unit. Source: the kernel's
Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from nnvet.adapters.service.strays import ENDING_S, PAUSE_S, children, reap_strays, tree

_PREFIX: Final = "nnvet-"
_MOUNTS: Final = Path("/proc/self/mountinfo")
_OWN: Final = Path("/proc/self/cgroup")
_numbers: Final = itertools.count(1)


class ControlGroup:
    """A group that was made for one service. Its folder is locked as long as we live, so that others let it be."""

    def __init__(self, folder: Path, memory_limit: int | None) -> None:
        """Make the group; with a limit in bytes the kernel ends all its processes at once if they have more.

        :raises OSError: the system does not allow it.
        """
        folder.mkdir()
        self.folder = folder
        with ExitStack() as undo:
            undo.callback(folder.rmdir)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            undo.callback(os.close, self._lock)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._limit = memory_limit if (folder / "memory.max").exists() else None
            if self._limit is not None:
                for file, value in (("memory.max", self._limit), ("memory.swap.max", 0), ("memory.oom.group", 1)):
                    with suppress(FileNotFoundError):
                        self._write(file, value)
            undo.pop_all()

    def take(self, pid: int) -> None:
        """Put a process that has just been started into the group, and what it may have started already.

        :raises OSError: the system does not allow it, or the process has ended.
        """
        self._write("cgroup.procs", pid)
        for child in children(pid):
            for other in tree(child):
                with suppress(ProcessLookupError):
                    self._write("cgroup.procs", other)

    def members(self) -> list[int]:
        """The processes that are in the group, or in those that a suite in it has made."""
        found: list[int] = []
        for folder in _with_nested(self.folder):
            with suppress(OSError):
                found += map(int, (folder / "cgroup.procs").read_text().split())
        return found

    def taken(self) -> int | None:
        """Bytes that the processes had when the kernel killed them for it; None: it did not."""
        with suppress(OSError):
            events = dict(line.split() for line in (self.folder / "memory.events").read_text().splitlines())
            if self._limit is not None and int(events.get("oom_kill", 0)):
                with suppress(OSError):
                    return max(self._limit, int((self.folder / "memory.peak").read_text()))
                return self._limit
        return None

    def end(self) -> None:
        """Kill whoever is left, wait for those that are given to us, and remove the group."""
        until = time.monotonic() + ENDING_S
        # At once and for all below, so that nobody has time to fork; of Linux 5.14 and later.
        with suppress(OSError):
            self._write("cgroup.kill", 1)
        while ((left := self.members()) or reap_strays()) and time.monotonic() < until:
            for pid in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(PAUSE_S)
        with suppress(OSError):
            _remove(self.folder)
        os.close(self._lock)

    def _write(self, file: str, value: int) -> None:
        (self.folder / file).write_text(f"{value}\n")


def make(memory_limit: int | None) -> ControlGroup | None:
    """A new group with a limit in bytes; None where the system has no groups, or none for us."""
    for parent in _parents():
        _sweep(parent)
        with suppress(OSError):
            return ControlGroup(parent / f"{_PREFIX}{os.getpid()}.{next(_numbers)}", memory_limit)
    return None


def _parents() -> Iterator[Path]:
    """Groups below which one could be made, best first.

    A group with processes cannot limit the memory of those below it, so ours are made beside our own, if that is none
    of a service: what a service starts must not leave.
    """
    own = _own_group()
    if own is not None:
        if not own.name.startswith(_PREFIX) and not own.is_mount():
            yield own.parent
        yield own


def _own_group() -> Path | None:
    """The folder of the group that we are in; None: there is no hierarchy of version 2."""
    try:
        mounts = [line.split() for line in _MOUNTS.read_text().splitlines()]
        groups = [line.split(":", 2) for line in _OWN.read_text().splitlines()]
    except OSError:
        return None
    point = next((Path(fields[4]) for fields in mounts if "cgroup2" in fields[fields.index("-") :]), None)
    path = next((path for number, _, path in groups if number == "0"), None)
    return None if point is None or path is None else point / path.lstrip("/")


def _sweep(parent: Path) -> None:
    """End the groups of suites that were killed themselves: nobody holds their locks."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (folder / "cgroup.kill").write_text("1\n")
                _remove(folder)
            finally:
                os.close(lock)


def _with_nested(folder: Path) -> list[Path]:
    """A group and all below it, each after the one that it is in; none if another thread has removed it meanwhile."""
    # Path.rglob raises FileNotFoundError for a folder that goes while it looks.
    return [Path(path) for path, _, _ in os.walk(folder)]


def _remove(folder: Path) -> None:
    for nested in reversed(_with_nested(folder)):
        nested.rmdir()
