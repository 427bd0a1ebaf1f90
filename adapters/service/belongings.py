"""Descriptors and signal handlers of a service that the driver in its process must not change.

If a library closes or replaces one of them, the connection seems lost, or a crash goes unnoticed. The service
(:mod:`nnvet.adapters.service.main`) records them as :class:`Belongings` before it loads the library, compares them
after the library was loaded and at its own end, and reports differences on its original standard error. The suite finds
these lines in the output with :func:`find_changes`, and judges the case by them (:mod:`nnvet.conformance.kit.outcome`).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from nnvet.adapters.service.activity import PROC

STACKS_SIGNAL: Final = signal.SIGUSR1
"""Signal that makes a service print the stacks of all its threads as soon as it runs Python again."""
STUCK_SIGNAL: Final = signal.SIGUSR2
"""Signal that prints the stacks at once, even while native code blocks Python; it can kill a process in Python code."""

EXIT_TAKEN: Final = 3
"""Exit status of a service whose driver has changed something that was not reported before."""

_STANDARD: Final = ("standard input", "standard output", "standard error")
"""Names of the descriptors 0, 1 and 2 in reports."""
_HIGH: Final = 700
"""Kept descriptors get numbers from here on: even libraries that close "all" descriptors seldom reach them."""
_SIGACTION_BYTES: Final = 256
"""More than a ``struct sigaction`` needs on any machine. It begins with the handler."""
_POINTER_BYTES: Final = ctypes.sizeof(ctypes.c_void_p)
_REPORTED: Final = re.compile(r"^nnvet\.service: (the driver has .*)$", re.MULTILINE)
"""A line that :meth:`Belongings.report_changes` has written."""
_ASLEEP_S: Final = 2.0
"""A forked copy that does nothing for this long is taken to be asleep."""
_PROBE_PAUSE_S: Final = 0.02
"""Pause between two looks at the forked copy."""
_LOOP_TICKS: Final = os.sysconf("SC_CLK_TCK") // 2
"""Half a second in ticks of the clock: a copy that uses this much processor time is in an endless loop of faults."""
_CAME_BACK: Final = 77
"""Exit status of a forked copy that has survived its fault: an arbitrary number that libraries hardly use."""
_NOWHERE: Final = 8
"""An address at which nothing is ever mapped."""


def find_changes(output: str) -> list[str]:
    """Return the reports in a service's output about things that its driver has changed."""
    return _REPORTED.findall(output)


class Belongings:
    """The standard descriptors, the connection, and the handlers of some signals, as they are now."""

    def __init__(self, connection: int) -> None:
        """Record descriptors and handlers; duplicate ``connection`` and standard error, as the driver may close them.

        The service uses the duplicate of the connection; the original only serves to notice that it was closed.
        """
        named = {**dict(enumerate(_STANDARD)), connection: "the connection to the suite"}
        self._descriptors = {number: (name, _identify(number)) for number, name in named.items()}
        self._handlers = {number: _read_handler(number) for number in (STACKS_SIGNAL, STUCK_SIGNAL, signal.SIGSEGV)}
        kept = _duplicate(connection)
        self.connection = connection if kept < 0 else kept
        if kept < 0:
            # If there is no duplicate, the original is used and closed by its user, so there is nothing to compare.
            del self._descriptors[connection]
        self._stderr = _duplicate(2)
        self._reported: set[str] = set()

    def report_changes(self) -> bool:
        """Write a line for each change by the driver; return True if something was not reported before."""
        found = [text for text in self._find_changes() if text not in self._reported]
        self._reported.update(found)
        for text in found:
            line = f"nnvet.service: {text}\n".encode()
            for descriptor in (self._stderr, 2):
                with suppress(OSError):
                    os.write(descriptor, line)
                    break
        return bool(found)

    def _find_changes(self) -> Iterator[str]:
        for number, (name, identity) in self._descriptors.items():
            if _identify(number) != identity:
                yield f"the driver has closed descriptor {number}, which is not its own: {name}"
        for number, handler in self._handlers.items():
            if _read_handler(number) == handler:
                continue
            # Another handler for SIGSEGV is allowed, as virtual machines have one, as long as a real fault still kills.
            if number != signal.SIGSEGV:
                yield f"the driver has installed a handler for {number.name}, by which the suite asks for stacks"
            elif _survives_faults():
                yield "the driver has installed a handler for SIGSEGV that returns: a crash would pass for a hang"


def _duplicate(descriptor: int) -> int:
    """Return a duplicate of a descriptor with a high number; -1 if there are none left."""
    with suppress(OSError):
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    return -1


def _identify(descriptor: int) -> tuple[int, int] | None:
    """Return the file system and inode of an open file; None if the descriptor is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _read_handler(number: signal.Signals) -> bytes:
    """Return the address of a signal's handler from the kernel; Python's own table lacks handlers of native code."""
    action = ctypes.create_string_buffer(_SIGACTION_BYTES)
    ctypes.CDLL(None).sigaction(int(number), None, action)
    return action.raw[:_POINTER_BYTES]


def _survives_faults() -> bool:
    """Return True if a forked copy of this process survives a fault.

    A copy whose handler returns to the failed instruction, and so faults forever, counts as well, and is killed.
    """
    library = ctypes.CDLL(None)
    child = os.fork()
    if child == 0:
        _fault(library)
    ticks, since = 0, time.monotonic()
    # A copy that sleeps may wait for a debugger, or for another thread's lock: that handler hides no crash.
    while ticks < _LOOP_TICKS and time.monotonic() - since < _ASLEEP_S:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == _CAME_BACK
        state, used = _read_progress(child)
        if used > ticks or state == "R":
            ticks, since = used, time.monotonic()
        time.sleep(_PROBE_PAUSE_S)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ticks >= _LOOP_TICKS


def _fault(library: ctypes.CDLL) -> None:
    """Write to an address that is not mapped, without a core file and without output: this crash is on purpose."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    library.memset(ctypes.c_void_p(_NOWHERE), 0, 1)
    os._exit(_CAME_BACK)


def _read_progress(pid: int) -> tuple[str, int]:
    """Return the state of a process, and its processor time in ticks of the clock."""
    fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return fields[0], int(fields[11]) + int(fields[12])
