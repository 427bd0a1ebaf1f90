"""Processes that a service has started and disowned: double-forked ones, in sessions of their own.

The kernel gives an orphan to the nearest ancestor that asked for it, which we do. A mark says whose it was, in the
environment with which it began. One that changes that, or outlives our own death by SIGKILL, is beyond reach: control
groups (``control_group``) have neither gap.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK_VARIABLE: Final = "NNVET_SERVICE"
"""Environment variable of a service and all that it starts: the process that started it, and a number."""

_PR_SET_CHILD_SUBREAPER: Final = 36
_numbers: Final = itertools.count(1)


def adopt_orphans() -> None:
    """Be given the orphans of our descendants, from now on; a kernel that knows no such thing changes nothing."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int | str) -> Iterator[int]:
    """The processes that one has started or been given."""
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as threads:
        for thread in threads:
            with suppress(OSError):
                yield from map(int, Path(thread.path, "children").read_text().split())


class Marked:
    """The descendants of a service that begin with its mark: what can be known without control groups."""

    def __init__(self) -> None:
        """Give a mark, which begins with the one that we have ourselves."""
        self.mark = f"{os.environ.get(MARK_VARIABLE, '')}/{os.getpid()}.{next(_numbers)}"
        self._service = 0

    def take(self, pid: int) -> None:
        """Say which process the service is."""
        self._service = pid

    def members(self) -> Iterator[int]:
        """The service, its disowned processes, and all that these have started."""
        for root in (self._service, *self._strays()):
            yield from tree(root)

    def taken(self) -> int | None:
        """None: the kernel kills nobody here for the memory that they have."""
        return None

    def end(self) -> None:
        """Kill the strays of a service that has ended, and theirs, which are given to us when they die."""
        while found := list(self._strays()):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _strays(self) -> Iterator[int]:
        """Our own children that carry the mark, without the service itself."""
        wanted = f"{MARK_VARIABLE}={self.mark}".encode()
        for pid in children("self"):
            if pid != self._service and _carries(pid, wanted):
                yield pid


def tree(pid: int) -> Iterator[int]:
    """A process and all that it has started and not disowned."""
    yield pid
    for child in children(pid):
        yield from tree(child)


def _carries(pid: int, wanted: bytes) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable == wanted or variable.startswith(wanted + b"/") for variable in variables)
