"""Core files of services that crash: asked for, found by the kernel's pattern, and kept.

``NNVET_CORES=FOLDER`` in the environment asks for them: the limit of their size is raised for services, and what a
crash leaves is moved into the folder. Without it a core is named where the user's own limit (``ulimit -c``) has let one
be written, and left where it is. Where a program cannot be stopped at a fatal signal a core is asked for, too, and
removed when it has been read. Source of the pattern's rules: core(5).
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.service.native_stacks import stacks_of_core

VARIABLE: Final = "NNVET_CORES"
"""Environment variable with the folder in which cores are kept."""

_PATTERN: Final = Path("/proc/sys/kernel/core_pattern")
_USES_PID: Final = Path("/proc/sys/kernel/core_uses_pid")
_SPECIFIER: Final = re.compile("%(.?)")
_PROCESS_IDS: Final = ("p", "P")
_MOST_BY_ITSELF: Final = 1 << 30
"""Bytes of a core that nobody has asked for."""
_MAGIC: Final = b"\x7fELF"
_TYPE_AT: Final = slice(16, 18)
_CORE: Final = (b"\x04\x00", b"\x00\x04")
"""``e_type`` of an ELF file that is a core, in either order of bytes."""
_CLOCK_SLACK_S: Final = 1.0
"""Times of files go by a coarser clock than that of programs."""


class Findings(NamedTuple):
    """Contents of a core: its path, or words that say what became of it; stacks of all threads, and the place."""

    core: str = ""
    stacks: str = ""
    place: str = ""


NOTHING: Final = Findings()


class Remains:
    """Remains of one process that crashes."""

    def __init__(self) -> None:
        """The process is about to be started: it inherits the working directory."""
        self._began, self._folder = time.time(), Path("/proc/self/cwd").readlink()
        self._asked = os.environ.get(VARIABLE)
        self._pid = 0
        self._program = ""
        self._dumped = False
        self._is_ours = False
        self._lock = threading.Lock()
        self._findings: Findings | None = None

    def expect(self, pid: int) -> None:
        """It runs now; it may write cores of any size if they are asked for."""
        self._pid = pid
        with suppress(OSError):
            self._program = str(Path(f"/proc/{pid}/exe").readlink())
        if self._asked:
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(pid, resource.RLIMIT_CORE)
                resource.prlimit(pid, resource.RLIMIT_CORE, (most, most))

    def ask(self) -> None:
        """Let the process write a core, for want of another look at it; it is removed once its stacks are read.

        Not where a program would get it, which may be slow, nor beyond a size that is read in a moment.
        """
        if not self._asked and not _read(_PATTERN).startswith("|"):
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(self._pid, resource.RLIMIT_CORE)
                limit = _MOST_BY_ITSELF if most == resource.RLIM_INFINITY else min(most, _MOST_BY_ITSELF)
                resource.prlimit(self._pid, resource.RLIMIT_CORE, (limit, most))
                self._is_ours = True

    def see(self, pidfd: int) -> None:
        """It has ended, and nobody has waited for it yet."""
        with suppress(OSError):
            ended = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            self._dumped = ended is not None and ended.si_code == os.CLD_DUMPED

    def examined(self) -> Findings:
        """Return the findings after a fatal signal; looked for once."""
        with self._lock:
            if self._findings is None:
                self._findings = self._examine()
            return self._findings

    def _examine(self) -> Findings:
        pattern = _read(_PATTERN)
        if not self._dumped:
            return Findings(f"none was written (kernel.core_pattern is {pattern!r})") if self._asked else NOTHING
        if pattern.startswith("|"):
            return Findings(f"given to {pattern[1:].split()[0]}{_coredumpctl(self._pid)}")
        core = _newest(self._folder, pattern, self._pid, self._began)
        if core is None:
            return Findings(f"written, but not found (kernel.core_pattern is {pattern!r}, in {self._folder})")
        if self._asked:
            core = _moved(core, Path(self._asked).absolute(), self._pid)
        stacks = stacks_of_core(core, self._program)
        if self._is_ours:
            core.unlink(missing_ok=True)
            return Findings("", stacks.text, stacks.place)
        return Findings(str(core), stacks.text, stacks.place)


def file_glob(pattern: str, pid: int, *, uses_pid: bool) -> str:
    """The pattern of the kernel as one of :mod:`glob` for the core of one process; ``uses_pid``: its id is added."""

    def matching(found: re.Match[str]) -> str:
        letter = found[1]
        if letter in _PROCESS_IDS:
            return str(pid)
        return {"%": "%", "": ""}.get(letter, "*")

    has_id = any(f"%{letter}" in pattern for letter in _PROCESS_IDS)
    return _SPECIFIER.sub(matching, pattern) + (f".{pid}" if uses_pid and not has_id else "")


def _newest(folder: Path, pattern: str, pid: int, began: float) -> Path | None:
    place = folder / file_glob(pattern, pid, uses_pid=_read(_USES_PID) == "1")
    candidates = []
    with suppress(OSError):
        for path in place.parent.glob(place.name):
            written = path.stat().st_mtime
            if written >= began - _CLOCK_SLACK_S and _is_core(path):
                candidates.append((written, path))
    return max(candidates)[1] if candidates else None


def _is_core(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(_TYPE_AT.stop)
    return header.startswith(_MAGIC) and header[_TYPE_AT] in _CORE


def _moved(core: Path, folder: Path, pid: int) -> Path:
    """The core's path after it was moved into ``folder``, or where it is if that fails."""
    target = folder / f"core.{pid}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(core, target)
    except OSError:
        return core
    return target


def _coredumpctl(pid: int) -> str:
    return f"; coredumpctl debug {pid} opens it" if shutil.which("coredumpctl") else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
