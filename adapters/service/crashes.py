"""Evidence about a service that crashes: from the process stopped at the fatal signal, or from its core file.

``NNVET_CORES=FOLDER`` in the environment asks for core files: the limit of their size is raised for services, and what
a crash leaves is moved into the folder. Without it a core is named where the user's own limit (``ulimit -c``) has let
one be written, and left where it is. Where a program cannot be stopped at a fatal signal a core is asked for, too, and
removed when it has been read. Source of the pattern's rules: core(5).

The module also describes the ends of processes, and keeps the end of a process's output.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.service import traps
from nnvet.adapters.service.stacks import stacks_of_core, stacks_of_process
from nnvet.diagnostics.exceptions import place_of_crash
from nnvet.diagnostics.native_faults import NativeFault, find_fault
from nnvet.transport.wire.texts import several_lines

_KEPT_BYTES: Final = 16384
_MOST_READS: Final = 16
"""Most reads in a row: several times the capacity of a pipe, so that all output before the call is read."""
_REPORT: Final = re.compile(rb"[^\n]*(?:(?:ERROR|WARNING): \w+Sanitizer: |runtime error: )")
"""Beginning of a sanitizer's report, which is kept however much is printed after it."""
_LONGEST_LINE: Final = 1024
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{9,}")
"""Addresses of objects and threads, which differ in every run; codes of the contract have eight digits."""


class DriverOutput:
    """The output read from a pipe. Threads may share it; ``heard`` is set each time that something was read."""

    def __init__(self, descriptor: int) -> None:
        """Read from ``descriptor``, which the caller closes after :meth:`end`."""
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tail = bytearray()
        self._report = bytearray()
        self._after_report = 0
        self._lock = threading.Lock()
        self._ended = False
        self.heard = threading.Event()

    def read(self) -> bool:
        """Read the available output; return False if no more can come."""
        with self._lock:
            for _ in range(_MOST_READS):
                if self._ended:
                    break
                try:
                    data = os.read(self._descriptor, _KEPT_BYTES)
                except BlockingIOError:
                    break
                except OSError:
                    # What cannot be heard is no evidence; the process is watched by other means.
                    data = b""
                self._ended = not data
                self._keep(data)
                self.heard.set()
            return not self._ended

    def _keep(self, data: bytes) -> None:
        if self._report:
            self._report += data[: max(0, _KEPT_BYTES - len(self._report))]
            self._after_report += len(data)
        else:
            # The line may have begun in what was read before.
            recent = bytes(self._tail[-_LONGEST_LINE:]) + data
            if found := _REPORT.search(recent):
                self._report += recent[found.span()[0] :]
                self._after_report = len(self._report)
        self._tail += data
        del self._tail[:-_KEPT_BYTES]

    def end(self) -> None:
        """Read the remaining output, and stop reading."""
        self.read()
        with self._lock:
            self._ended = True

    def forget(self) -> None:
        """Drop the output until now, because no case needs it any more."""
        self.read()
        with self._lock:
            self._tail.clear()
            self._report.clear()

    def text(self) -> str:
        """Return the end of the output since :meth:`forget`, preceded by the first report of a sanitizer.

        Addresses are left out, so that equal crashes have equal texts.
        """
        self.read()
        with self._lock:
            is_long_ago = self._report and self._after_report > _KEPT_BYTES
            kept = bytes(self._report) + b"\n" + bytes(self._tail) if is_long_ago else bytes(self._tail)
        return several_lines(_ADDRESS.sub("0x…", kept.decode(errors="replace")))


def end_of(code: int) -> tuple[str, str | None]:
    """Return words for the exit code of a process (minus the signal if one killed it), and the signal's name."""
    if code >= 0:
        return f"exited with status {code}", None
    try:
        name = signal.Signals(-code).name
    except ValueError:
        # Those for real time, other than the first and the last, have no names.
        name = f"signal {-code}"
    return f"killed by {name}", name


class CrashWatch:
    """Puts the trap into a process, and looks at the process each time that it stops.

    Only the thread that watches the process looks at it; any other may put the trap, but one at a time. A stop is
    reported to one waiter only, and a second one would wait for ever.
    """

    def __init__(self, output: DriverOutput) -> None:
        """Begin without a seen fault; the output of the process may describe it already."""
        self._output = output
        self._quiet = threading.Event()
        self._quiet.set()
        self._waiter = threading.Lock()
        self.stacks = ""

    def put_trap(self, process: int) -> bool:
        """Put the trap into a program of others; see :func:`nnvet.adapters.service.traps.put_trap`."""
        with self._waiter:
            return traps.put_trap(process)

    def look(self, process: int, pidfd: int) -> None:
        """If the process is stopped at a fatal signal, keep its stacks and let it die of the signal."""
        if not self._waiter.acquire(blocking=False):
            return
        try:
            self._look(process, pidfd)
        finally:
            self._waiter.release()

    def _look(self, process: int, pidfd: int) -> None:
        with suppress(OSError):
            if not _has_stopped(process, pidfd):
                return
            self._quiet.clear()
            try:
                fatal = traps.caught(process)
                if fatal is not None:
                    try:
                        # Python passes a signal on to the trap that was there before: the first look counts.
                        self.stacks = self.stacks or self._stacks(process, fatal)
                    finally:
                        traps.let_die(process, fatal)
            finally:
                self._quiet.set()

    def _stacks(self, process: int, fatal: traps.FatalSignal) -> str:
        fault = find_fault(self._output.text())
        if fault is not None and fault.tool:
            # The report has the stacks of the fault; here are those of the sanitizer that ends the process.
            return ""
        return f"{fatal}\n{stacks_of_process(process, fatal.thread, fatal.at).text}"

    def wait(self, seconds: float) -> None:
        """Wait until no thread looks at the process any more."""
        self._quiet.wait(seconds)


def _has_stopped(process: int, pidfd: int) -> bool:
    """Return True if a process has stopped; one that is no child of ours says it again as long as it stands still."""
    try:
        return os.waitid(os.P_PIDFD, pidfd, os.WSTOPPED | os.WNOHANG) is not None
    except ChildProcessError:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return status.rpartition(")")[2].split()[0] == "T"


def fault_in(output: str, stacks: str) -> NativeFault | None:
    """Return the fault of native code that a process has died of, as far as its output or its stacks tell of one."""
    fault = find_fault(f"{output}\n{stacks}")
    return fault if fault is not None and (fault.tool or fault.signal) else None


def place_of(fault: NativeFault | None, output: str) -> str:
    """Return the place in native code; if only Python ran, or nothing is known of that, that in a driver's code."""
    return (fault.place if fault is not None else "") or place_of_crash(output)


VARIABLE: Final = "NNVET_CORES"
"""Environment variable with the folder in which cores are kept."""

_PATTERN: Final = Path("/proc/sys/kernel/core_pattern")
_USES_PID: Final = Path("/proc/sys/kernel/core_uses_pid")
_SPECIFIER: Final = re.compile("%(.?)")
_PROCESS_IDS: Final = ("p", "P")
_MOST_BY_ITSELF: Final = 1 << 30
"""Most bytes of a core file that the user has not asked for."""
_MAGIC: Final = b"\x7fELF"
_TYPE_AT: Final = slice(16, 18)
_CORE: Final = (b"\x04\x00", b"\x00\x04")
"""``e_type`` of an ELF file that is a core, in either order of bytes."""
_CLOCK_SLACK_S: Final = 1.0
"""Times of files go by a coarser clock than that of programs."""


class Findings(NamedTuple):
    """Findings from a core file: its path or fate in words, the stacks of all threads, and the place of the crash."""

    core: str = ""
    stacks: str = ""
    place: str = ""


NOTHING: Final = Findings()


class Remains:
    """Core file of one process that crashes, if there is one."""

    def __init__(self) -> None:
        """Prepare for a process that is about to be started; it inherits the working directory."""
        self._began, self._folder = time.time(), Path("/proc/self/cwd").readlink()
        self._asked = os.environ.get(VARIABLE)
        self._pid = 0
        self._program = ""
        self._dumped = False
        self._is_ours = False
        self._lock = threading.Lock()
        self._findings: Findings | None = None

    def expect(self, pid: int) -> None:
        """Note that the process runs, and let it write cores of any size if the user asks for them."""
        self._pid = pid
        with suppress(OSError):
            self._program = str(Path(f"/proc/{pid}/exe").readlink())
        if self._asked:
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(pid, resource.RLIMIT_CORE)
                resource.prlimit(pid, resource.RLIMIT_CORE, (most, most))

    def ask(self) -> None:
        """Let the process write a core, since it cannot be examined otherwise; the core is removed after it was read.

        No core is written if a program would receive it, which may be slow, nor one too large to be read quickly.
        """
        if not self._asked and not _read(_PATTERN).startswith("|"):
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(self._pid, resource.RLIMIT_CORE)
                limit = _MOST_BY_ITSELF if most == resource.RLIM_INFINITY else min(most, _MOST_BY_ITSELF)
                resource.prlimit(self._pid, resource.RLIMIT_CORE, (limit, most))
                self._is_ours = True

    def see(self, pidfd: int) -> None:
        """Read the core of the process, which has ended and was not waited for."""
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
    """Return the kernel's pattern as a :mod:`glob` for the core of one process; ``uses_pid`` adds the process's id."""

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
    """Move a core into ``folder`` and return its path, which stays the old one if that fails."""
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
