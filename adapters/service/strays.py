"""Processes that a service has started and disowned: double-forked ones, in sessions of their own.

The kernel gives an orphan to the nearest ancestor that asked for it, which we do. A mark says whose it was, in the
environment with which it began. One that changes that, or outlives our own death by SIGKILL, is beyond reach: control
groups (``control_group``) have neither gap.

What dies after it was given to us keeps its number until we wait for it, and the dead carry no environment. So what a
service starts also inherits a value of ``oom_score_adj`` (proc(5)) above our own, which can be read of the dead. Where
memory runs out the kernel then ends drivers before the suite.

Control groups (cgroup v2): whatever the processes of a service fork, rename or clear, none of them leaves its group.

Used where the system lets us make one: as root, or below the user's own systemd unit. Source: the kernel's
Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import ctypes
import fcntl
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
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
    """Yield the processes that one has started or been given."""
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
        """Yield the service, its disowned processes, and all that these have started."""
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
        """Return the strays among our own children, and children that have just ended or hide their environment.

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
    """Yield a process and all that it has started and not disowned, each once, however deep they are nested."""
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
    """Return the value of a process; 0 if there is none, as of a kernel that knows no such thing."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
    return 0


def _raise_oom_score_adj(value: int) -> None:
    """Give ourselves a value, which whatever we start inherits; one that is too large changes nothing."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(value))


def _environment(pid: int) -> bytes:
    """Return the variables with which a process began; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _carries(environment: bytes, wanted: bytes) -> bool:
    return any(variable == wanted or variable.startswith(wanted + b"/") for variable in environment.split(b"\0"))


_PREFIX: Final = "nnvet-"
_MOUNTS: Final = Path("/proc/self/mountinfo")
_OWN: Final = Path("/proc/self/cgroup")


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
        """Return the processes that are in the group, or in those that a suite in it has made."""
        found: list[int] = []
        for folder in _with_nested(self.folder):
            with suppress(OSError):
                found += map(int, (folder / "cgroup.procs").read_text().split())
        return found

    def taken(self) -> int | None:
        """Return bytes that the processes had when the kernel killed them for it; None: it did not."""
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
    """Return a new group with a limit in bytes; None where the system has no groups, or none for us."""
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
    """Return the folder of the group that we are in; None: there is no hierarchy of version 2."""
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
