"""Processes that a service has started and disowned: double-forked ones, in sessions of their own.

The kernel gives an orphan to the nearest ancestor that asked for it, which we do. A mark says whose it was, in the
environment with which it began. One that changes that, or outlives our own death by SIGKILL, is beyond reach: control
groups (``control_group``) have neither gap.

What dies after it was given to us keeps its number until we wait for it, and the dead carry no environment. So what a
service starts also inherits a value of ``oom_score_adj`` (proc(5)) above our own, which can be read of the dead. Where
memory runs out the kernel then ends drivers before the suite.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

MARK_VARIABLE: Final = "NNVET_SERVICE"
"""Environment variable of a service and all that it starts: the process that started it, and a number."""

ENDING_S: Final = 10.0
"""Time for which a service's remaining processes are killed; the kernel has to end the rest."""

PAUSE_S: Final = 0.001
"""Between two looks at what is dying."""

_PR_SET_CHILD_SUBREAPER: Final = 36
_QUIET_LOOKS: Final = 2
_RAISED: Final = 13
"""By so much is ``oom_score_adj`` of a service above our own: nobody else raises it by that."""
_FLAGS: Final = 6
"""Place of the flags in ``/proc/PID/stat``, after the name."""
_PF_EXITING: Final = 4
_services: Final[set[int]] = set()
_starting: Final = threading.Lock()
"""Held while a service is started: until its id is known it could be taken for a stray."""
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
        for root in (self._service, *self._look()[0]):
            yield from tree(root)

    def taken(self) -> int | None:
        """None: the kernel kills nobody here for the memory that they have."""
        return None

    def end(self) -> None:
        """Kill the strays of a service that has ended, and theirs, which are given to us when they die.

        One that forks and exits without end is seldom seen alive. Each of its steps leaves an id that was not there
        before, so there is an end only when two looks in a row have seen no new one; at most it takes ``ENDING_S``.
        """
        met: set[int] = set()
        quiet, until = 0, time.monotonic() + ENDING_S
        while quiet < _QUIET_LOOKS and time.monotonic() < until:
            strays, gone = self._look()
            for pid in strays:
                _kill(pid)
            if strays or gone - met or reap_strays():
                quiet = 0
                time.sleep(PAUSE_S)
            else:
                quiet += 1
            met |= gone

    def _look(self) -> tuple[list[int], set[int]]:
        """The strays among our own children, and children that have just ended or hide their environment.

        What one that is ending has started is not given to us yet, so these are looked at too.
        """
        wanted = f"{MARK_VARIABLE}={self.mark}".encode()
        strays, gone = [], set[int]()
        left = list(children("self"))
        while left:
            # The newest first: the others may not be there for long any more.
            pid = left.pop()
            if pid == self._service or pid in gone:
                continue
            environment = _environment(pid)
            if _carries(environment, wanted):
                strays.append(pid)
            elif not environment:
                gone.add(pid)
                left += children(pid)
        return strays, gone


@contextmanager
def starting_service() -> Iterator[Callable[[int], None]]:
    """Start a service while the block runs, and say its id, by which its descendants are recognised.

    The service itself is nobody's stray until :func:`forget_service`: whoever has started it waits for it.
    """
    with _starting:
        own = _oom_score_adj("self")
        _raise_oom_score_adj(own + _RAISED)
        try:
            yield _services.add
        finally:
            _raise_oom_score_adj(own)


def forget_service(pid: int) -> None:
    """A service has ended and been waited for."""
    _services.discard(pid)


def reap_strays() -> bool:
    """Wait for the dead that services have left to us, who else would keep their numbers; whether some still die."""
    with _starting:
        dying = [pid for pid in children("self") if _is_dying_stray(pid)]
        buried = [_bury(pid) for pid in dying]
    return not all(buried)


def _bury(pid: int) -> bool:
    """Wait for a process that has ended; whether it is no child of ours any more."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def tree(pid: int) -> Iterator[int]:
    """A process and all that it has started and not disowned, each once, however deep they are nested."""
    met, left = {pid}, [pid]
    while left:
        parent = left.pop()
        yield parent
        # A number that is used again while we look must not lead round in circles.
        new = [child for child in children(parent) if child not in met]
        met.update(new)
        left += new


def _kill(pid: int) -> None:
    """Kill a stray, outside our own session with its whole group at once, which leaves no time to fork.

    Nobody can have joined that group but what came from the same service; in ours it might be our own. A process never
    comes back into our session, so that is asked first.
    """
    with suppress(ProcessLookupError, PermissionError):
        if os.getsid(pid) != os.getsid(0):
            os.killpg(os.getpgid(pid), signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)


def _is_dying_stray(pid: int) -> bool:
    """Return True if a child of ours that a service has started has ended, or is about to."""
    if pid in _services:
        return False
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        if int(fields[_FLAGS]) & _PF_EXITING:
            above = _oom_score_adj(pid) - _oom_score_adj("self")
            return above > 0 and above % _RAISED == 0
    return False


def _oom_score_adj(pid: int | str) -> int:
    """The value of a process; 0 if there is none, as of a kernel that knows no such thing."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
    return 0


def _raise_oom_score_adj(value: int) -> None:
    """Give ourselves a value, which whatever we start inherits; one that is too large changes nothing."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(value))


def _environment(pid: int) -> bytes:
    """The variables with which a process began; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _carries(environment: bytes, wanted: bytes) -> bool:
    return any(variable == wanted or variable.startswith(wanted + b"/") for variable in environment.split(b"\0"))
