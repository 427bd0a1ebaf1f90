"""Descriptors and signal handlers of a service that the driver in its process has to leave alone.

A library that closes or replaces them looks as if the connection had been lost, or as if it never crashed. The service
compares what there was before the library was loaded with what there is afterwards and at its end, and says so on the
standard error that it began with.
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
"""Makes ``nnvet.adapters.service.main`` print the stacks of all its threads, as soon as it runs Python again."""
STUCK_SIGNAL: Final = signal.SIGUSR2
"""The same at once, even where native code keeps all Python from running; may kill a process in which Python runs."""

EXIT_TAKEN: Final = 3
"""Exit status of a service from which the driver has taken something that it said nothing of before."""

_STANDARD: Final = ("standard input", "standard output", "standard error")
_HIGH: Final = 700
"""Descriptors from here on are seldom closed by those who close all that they can think of."""
_SIGACTION_BYTES: Final = 256
"""More than a ``struct sigaction`` has anywhere. It begins with the handler; its mask is left undefined in part."""
_POINTER_BYTES: Final = ctypes.sizeof(ctypes.c_void_p)
_SAID: Final = re.compile(r"^nnvet\.service: (the driver has .*)$", re.MULTILINE)
_ASLEEP_S: Final = 2.0
_PROBE_PAUSE_S: Final = 0.02
_LOOP_TICKS: Final = os.sysconf("SC_CLK_TCK") // 2
"""Processor time of a probe that has come back from its fault again and again."""
_CAME_BACK: Final = 77
_NOWHERE: Final = 8
"""An address that nothing is ever mapped at."""


def taken_in(output: str) -> list[str]:
    """Find in the output of a service the things that its driver has taken from it."""
    return _SAID.findall(output)


class Belongings:
    """The standard descriptors, the connection, and the handlers of some signals, as they are now."""

    def __init__(self, connection: int) -> None:
        """Remember them; ``connection`` and standard error are kept a second time, in case that they are closed.

        The second descriptor of the connection is the one to use: the first then tells what happens to such.
        """
        named = {**dict(enumerate(_STANDARD)), connection: "the connection to the suite"}
        self._descriptors = {number: (name, _identity(number)) for number, name in named.items()}
        self._handlers = {number: _handler(number) for number in (STACKS_SIGNAL, STUCK_SIGNAL, signal.SIGSEGV)}
        kept = _kept(connection)
        self.connection = connection if kept < 0 else kept
        if kept < 0:
            # Whoever uses it closes it in the end.
            del self._descriptors[connection]
        self._stderr = _kept(2)
        self._said: set[str] = set()

    def is_taken(self) -> bool:
        """Look, and say what the driver has taken; whether there is anything that was not said before."""
        found = [text for text in self._taken() if text not in self._said]
        self._said.update(found)
        for text in found:
            line = f"nnvet.service: {text}\n".encode()
            for descriptor in (self._stderr, 2):
                with suppress(OSError):
                    os.write(descriptor, line)
                    break
        return bool(found)

    def _taken(self) -> Iterator[str]:
        for number, (name, identity) in self._descriptors.items():
            if _identity(number) != identity:
                yield f"the driver has closed descriptor {number}, which is not its own: {name}"
        for number, handler in self._handlers.items():
            if _handler(number) == handler:
                continue
            if number != signal.SIGSEGV:
                yield f"the driver has installed a handler for {number.name}, by which the suite asks for stacks"
            elif _survives_faults():
                yield "the driver has installed a handler for SIGSEGV that returns: a crash would pass for a hang"


def _kept(descriptor: int) -> int:
    """Return a second descriptor of the same file, with a high number; -1 if there is none."""
    with suppress(OSError):
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    return -1


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _handler(number: signal.Signals) -> bytes:
    """Return the kernel's handler of a signal; Python knows only of handlers in Python."""
    action = ctypes.create_string_buffer(_SIGACTION_BYTES)
    ctypes.CDLL(None).sigaction(int(number), None, action)
    return action.raw[:_POINTER_BYTES]


def _survives_faults() -> bool:
    """Try in a copy of this process whether it goes on after a fault; one that goes in circles is killed."""
    library = ctypes.CDLL(None)
    child = os.fork()
    if child == 0:
        _fault(library)
    ticks, since = 0, time.monotonic()
    # One that sleeps may be a handler that waits for a debugger, or for a lock of another thread: it hides nothing.
    while ticks < _LOOP_TICKS and time.monotonic() - since < _ASLEEP_S:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == _CAME_BACK
        state, used = _progress(child)
        if used > ticks or state == "R":
            ticks, since = used, time.monotonic()
        time.sleep(_PROBE_PAUSE_S)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ticks >= _LOOP_TICKS


def _fault(library: ctypes.CDLL) -> None:
    """Touch an address that does not exist, and leave nothing of that behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    library.memset(ctypes.c_void_p(_NOWHERE), 0, 1)
    os._exit(_CAME_BACK)


def _progress(pid: int) -> tuple[str, int]:
    """Return the state of a process, and its processor time in ticks of the clock."""
    fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return fields[0], int(fields[11]) + int(fields[12])
