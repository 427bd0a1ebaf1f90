"""Descendants of a service, including those that it has disowned by forking twice or by sessions of their own.

There are two ways to find these processes, called strays. :class:`ControlGroup` (cgroup v2) is complete: no process
leaves its group, whatever it forks, renames or clears. It needs root, or a systemd unit of the user's own. Elsewhere
:class:`Marked` is used: the suite becomes a subreaper, so that the kernel gives it all orphans, and a variable in their
initial environment names the service that they come from. A process that changes its environment, or that outlives the
suite's own death by SIGKILL, escapes.

A process that dies as our orphan keeps its id until we wait for it, but the dead have no environment. So a service also
inherits a value of ``oom_score_adj`` (proc(5)) above our own, which can be read even of the dead. As a useful side
effect, the kernel kills drivers before the suite when memory runs out.

:func:`make` returns a control group where that is possible. Services (:mod:`nnvet.adapters.service.process`) use it or
:class:`Marked`; commands that read bundles of files (:mod:`nnvet.adapters.files.command`) use :class:`Marked` alone.
Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.
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
"""Environment variable of a service and all its descendants: the process that started it, and a number."""

ENDING_S: Final = 10.0
"""Time for which the suite goes on killing a service's remaining processes; later ones are left to the kernel."""

PAUSE_S: Final = 0.001
"""Pause between two looks at dying processes."""

_PR_SET_CHILD_SUBREAPER: Final = 36
"""Option of prctl(2) that makes a process the parent of its orphaned descendants; source: ``linux/prctl.h``."""
_QUIET_LOOKS: Final = 2
"""Successive looks without a new process id after which no stray is left; see :meth:`Marked.end`."""
_RAISED: Final = 13
"""A service's ``oom_score_adj`` is above ours by this unusual amount, so it can be recognised."""
_FLAGS: Final = 6
"""Index of the flags in ``/proc/PID/stat``, counted behind the name."""
_PF_EXITING: Final = 4
"""Flag of a process that is ending or has ended; source: ``linux/sched.h``."""
_services: Final[set[int]] = set()
"""Services that run, or that nobody has waited for yet."""
_starting: Final = threading.Lock()
"""Held while a service is started: until its id is known, it could be taken for a stray."""
_numbers: Final = itertools.count(1)
"""Numbers that make the marks and control groups of this process differ."""


def adopt_orphans() -> None:
    """Become the parent of all orphaned descendants; does nothing on a kernel without that feature."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int | str) -> Iterator[int]:
    """Yield the processes that a process has started, or has been given as orphans."""
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as threads:
        for thread in threads:
            with suppress(OSError):
                yield from map(int, Path(thread.path, "children").read_text().split())


def kill_group_at_end(lifeline: int, group: int) -> None:
    """Have the kernel kill ``group`` when the writing end of ``lifeline`` closes, even by the suite's own death.

    F_SETSIG belongs to the open file, which the new process inherits. Unlike PR_SET_PDEATHSIG this does not depend on
    the thread that started the process, and a program that is stuck need not cooperate.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -group)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


class Marked:
    """The descendants of a service that carry its mark: what can be known without control groups."""

    def __init__(self) -> None:
        """Make a new mark. It begins with our own, so that nested suites own their descendants, too."""
        self.mark = f"{os.environ.get(MARK_VARIABLE, '')}/{os.getpid()}.{next(_numbers)}"
        self._service = 0

    def take(self, pid: int) -> None:
        """Set the process of the service."""
        self._service = pid

    def members(self) -> Iterator[int]:
        """Yield the service, its disowned processes, and all their descendants."""
        for root in (self._service, *self._look()[0]):
            yield from tree(root)

    def memory_at_kill(self) -> int | None:
        """Return None: without a control group, the kernel enforces no memory limit."""
        return None

    def end(self) -> None:
        """Kill the strays of a service that has ended, and their descendants, which become our children meanwhile.

        A process that forks and exits in an endless chain is seldom seen alive, but each link leaves a new id. So the
        search ends only after two successive looks without a new id; at the latest after ``ENDING_S``.
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
        """Return the strays among our children, and the ids of children that have just ended or hide their environment.

        Children of a dying process are not ours yet, so they are examined as well.
        """
        wanted = f"{MARK_VARIABLE}={self.mark}".encode()
        strays, gone = [], set[int]()
        left = list(children("self"))
        while left:
            # The newest first: older ones are more likely to be around a moment later.
            pid = left.pop()
            if pid == self._service or pid in gone:
                continue
            environment = _read_environment(pid)
            if _carries(environment, wanted):
                strays.append(pid)
            elif not environment:
                gone.add(pid)
                left += children(pid)
        return strays, gone


@contextmanager
def starting_service() -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the id of the service that the block starts, so that it is not taken for a stray.

    Until :func:`forget_service` is called, :func:`reap_strays` leaves the service to whoever started it.
    """
    with _starting:
        # The child inherits the value that we have at the fork.
        own = _read_oom_score_adj("self")
        _write_oom_score_adj(own + _RAISED)
        try:
            yield _services.add
        finally:
            _write_oom_score_adj(own)


def forget_service(pid: int) -> None:
    """Forget a service that has ended and was waited for."""
    _services.discard(pid)


def reap_strays() -> bool:
    """Wait for dead strays, whose ids would stay taken otherwise; return True if some are still dying."""
    with _starting:
        dying = [pid for pid in children("self") if _is_dying_stray(pid)]
        reaped = [_reap(pid) for pid in dying]
    return not all(reaped)


def _reap(pid: int) -> bool:
    """Wait for a process if it is dead already; return True if its id is free now."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def tree(pid: int) -> Iterator[int]:
    """Yield a process and its descendants that it has not disowned, each once, at any depth."""
    met, left = {pid}, [pid]
    while left:
        parent = left.pop()
        yield parent
        # An id that is reused during the search must not lead into a cycle.
        new = [child for child in children(parent) if child not in met]
        met.update(new)
        left += new


def _kill(pid: int) -> None:
    """Kill a stray. Outside our session, kill its whole process group at once, which leaves no time to fork.

    Nobody but processes of the same service can be in that group; in our session it could be our own group. A process
    cannot enter our session later, so asking for the session first is safe.
    """
    with suppress(ProcessLookupError, PermissionError):
        if os.getsid(pid) != os.getsid(0):
            os.killpg(os.getpgid(pid), signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)


def _is_dying_stray(pid: int) -> bool:
    """Return True for a child that descends from a service and has ended, or is about to."""
    if pid in _services:
        return False
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        if int(fields[_FLAGS]) & _PF_EXITING:
            above = _read_oom_score_adj(pid) - _read_oom_score_adj("self")
            # Services that services have started are above ours by a multiple.
            return above > 0 and above % _RAISED == 0
    return False


def _read_oom_score_adj(pid: int | str) -> int:
    """Return the value of a process; 0 if the process or the kernel's feature does not exist."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
    return 0


def _write_oom_score_adj(value: int) -> None:
    """Set our own value, which new processes inherit; too large a value changes nothing."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(value))


def _read_environment(pid: int) -> bytes:
    """Return the initial environment of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _carries(environment: bytes, wanted: bytes) -> bool:
    """Return True for an environment with a service's mark, or with one of a suite that runs inside the service."""
    return any(variable == wanted or variable.startswith(wanted + b"/") for variable in environment.split(b"\0"))


_PREFIX: Final = "nnvet-"
"""Beginning of the names of our control groups."""
_MOUNTS: Final = Path("/proc/self/mountinfo")
_OWN: Final = Path("/proc/self/cgroup")
"""Files with the mounted file systems and with the control groups of this process; source: proc(5), cgroups(7)."""


class ControlGroup:
    """A control group for one service. The suite locks its folder while it lives, so that no other suite removes it."""

    def __init__(self, folder: Path, memory_limit: int | None) -> None:
        """Make the group. Above ``memory_limit`` bytes, the kernel kills all its processes at once.

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
        """Move a process that has just been started into the group, with anything that it has started already.

        :raises OSError: the system does not allow it, or the process has ended.
        """
        self._write("cgroup.procs", pid)
        for child in children(pid):
            for other in tree(child):
                with suppress(ProcessLookupError):
                    self._write("cgroup.procs", other)

    def members(self) -> list[int]:
        """Return the processes in the group and in nested groups, which a suite inside may have made."""
        found: list[int] = []
        for folder in _list_nested(self.folder):
            with suppress(OSError):
                found += map(int, (folder / "cgroup.procs").read_text().split())
        return found

    def memory_at_kill(self) -> int | None:
        """Return the bytes in use when the kernel killed the processes for exceeding the limit; None if it did not."""
        with suppress(OSError):
            events = dict(line.split() for line in (self.folder / "memory.events").read_text().splitlines())
            if self._limit is not None and int(events.get("oom_kill", 0)):
                with suppress(OSError):
                    return max(self._limit, int((self.folder / "memory.peak").read_text()))
                return self._limit
        return None

    def end(self) -> None:
        """Kill all remaining processes, wait for those that become our children, and remove the group."""
        until = time.monotonic() + ENDING_S
        # One write kills all processes, so none has time to fork; needs Linux 5.14.
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
    """Make a new group with a limit in bytes; return None where the system does not let us."""
    for parent in _list_parents():
        _remove_abandoned(parent)
        with suppress(OSError):
            return ControlGroup(parent / f"{_PREFIX}{os.getpid()}.{next(_numbers)}", memory_limit)
    return None


def _list_parents() -> Iterator[Path]:
    """Yield the groups below which a new one could be made, best first.

    A group that contains processes cannot limit its subgroups, so the new one goes beside our own, unless ours is that
    of a service: its descendants must not leave it.
    """
    own = _find_own_group()
    if own is not None:
        if not own.name.startswith(_PREFIX) and not own.is_mount():
            yield own.parent
        yield own


def _find_own_group() -> Path | None:
    """Return the folder of our own group; None without a cgroup v2 hierarchy."""
    try:
        mounts = [line.split() for line in _MOUNTS.read_text().splitlines()]
        groups = [line.split(":", 2) for line in _OWN.read_text().splitlines()]
    except OSError:
        return None
    point = next((Path(fields[4]) for fields in mounts if "cgroup2" in fields[fields.index("-") :]), None)
    path = next((path for number, _, path in groups if number == "0"), None)
    return None if point is None or path is None else point / path.lstrip("/")


def _remove_abandoned(parent: Path) -> None:
    """Remove the groups of suites that were killed: nobody holds their locks."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (folder / "cgroup.kill").write_text("1\n")
                _remove(folder)
            finally:
                os.close(lock)


def _list_nested(folder: Path) -> list[Path]:
    """Return a group and all nested ones, outer ones first; empty if another thread has removed it meanwhile."""
    # Path.rglob would raise FileNotFoundError for a folder that vanishes during the search.
    return [Path(path) for path, _, _ in os.walk(folder)]


def _remove(folder: Path) -> None:
    """Remove a group and its nested ones, inner ones first, which have no processes any more."""
    for nested in reversed(_list_nested(folder)):
        nested.rmdir()
