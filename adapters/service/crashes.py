"""Evidence about a crashed service: its output, the stacks at the fatal signal, and its core file.

:class:`nnvet.adapters.service.process.ServiceProcess` holds one object for each: :class:`DriverOutput`,
:class:`CrashWatch` and :class:`CoreDump`. The neighbours make what they hold: :mod:`nnvet.adapters.service.traps` stops
a process at its fatal signal, :mod:`nnvet.adapters.service.stacks` reads stacks.

``NNVET_CORES=FOLDER`` in the environment asks for core files: services may then write them in any size, and cores are
moved into the folder. Otherwise a core is only mentioned, and left in its place, where the user's own limit (``ulimit
-c``) allowed it. A program that cannot be stopped at a fatal signal (see :mod:`nnvet.adapters.service.traps`) is also
allowed a core, which is removed after its stacks were read. Source for file names of cores: core(5).
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
"""Bytes of the end of the output that are kept, and bytes of a sanitizer's report: a log entry has to stay readable."""
_MOST_READS: Final = 16
"""Reads in a row at most: several times the capacity of a pipe, so that all earlier output is read."""
_REPORT: Final = re.compile(rb"[^\n]*(?:(?:ERROR|WARNING): \w+Sanitizer: |runtime error: )")
"""The beginning of a sanitizer's report. The report is kept, however much is printed after it."""
_LONGEST_LINE: Final = 1024
"""Bytes of earlier output in which the first line of a report may have begun."""
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{9,}")
"""Addresses of objects and threads. They differ in every run; codes of the contract have only eight digits."""


class DriverOutput:
    """The output of a process, read from a pipe. Thread-safe; ``heard`` is set after each read."""

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
                    # Losing the output decides nothing: the process itself is watched by other means.
                    data = b""
                self._ended = not data
                self._keep(data)
                self.heard.set()
            return not self._ended

    def _keep(self, data: bytes) -> None:
        """Add to the first report of a sanitizer, if there is one, and to the end of the output."""
        if self._report:
            self._report += data[: max(0, _KEPT_BYTES - len(self._report))]
            self._after_report += len(data)
        else:
            # The report's first line may have begun in the previous chunk.
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
        """Drop the output so far, because no case needs it any more."""
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
    """Return words for an exit code (negative: minus the signal that killed the process), and the signal's name."""
    if code >= 0:
        return f"exited with status {code}", None
    try:
        name = signal.Signals(-code).name
    except ValueError:
        # Most real-time signals have no name.
        name = f"signal {-code}"
    return f"killed by {name}", name


class CrashWatch:
    """Examine a process each time it stops; in a third party's program, set the trap first that stops it.

    Only the thread that watches the process calls :meth:`look`; any other thread may call :meth:`put_trap`. A lock
    keeps them apart: the kernel reports a stop to one waiter only, so a second waiter would wait forever.
    """

    def __init__(self, output: DriverOutput) -> None:
        """Start with no stacks; ``output`` may describe the fault better than stacks do."""
        self._output = output
        self._quiet = threading.Event()
        self._quiet.set()
        self._waiter = threading.Lock()
        self.stacks = ""

    def put_trap(self, process: int) -> bool:
        """Put the trap into a third party's program; see :func:`nnvet.adapters.service.traps.put_trap`."""
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
                fatal = traps.find_fatal_signal(process)
                if fatal is not None:
                    try:
                        # Python raises the signal again for the handler that was there before: only the first stop
                        # shows the fault.
                        self.stacks = self.stacks or self._take_stacks(process, fatal)
                    finally:
                        traps.let_die(process, fatal)
            finally:
                self._quiet.set()

    def _take_stacks(self, process: int, fatal: traps.FatalSignal) -> str:
        """Return the signal and all stacks; empty if the output already has a sanitizer's report of the fault."""
        fault = find_fault(self._output.text())
        if fault is not None and fault.tool:
            # The sanitizer's report has the stacks of the fault; at this point only the sanitizer's own could be seen.
            return ""
        return f"{fatal}\n{stacks_of_process(process, fatal.thread, fatal.at).text}"

    def wait(self, seconds: float) -> None:
        """Wait until no thread is examining the process."""
        self._quiet.wait(seconds)


def _has_stopped(process: int, pidfd: int) -> bool:
    """Return True if a process has stopped. A process that is not our child is reported as long as it is stopped."""
    try:
        return os.waitid(os.P_PIDFD, pidfd, os.WSTOPPED | os.WNOHANG) is not None
    except ChildProcessError:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return status.rpartition(")")[2].split()[0] == "T"


def fault_in(output: str, stacks: str) -> NativeFault | None:
    """Return the native fault that killed a process, if its output or stacks show one."""
    fault = find_fault(f"{output}\n{stacks}")
    return fault if fault is not None and (fault.tool or fault.signal) else None


def place_of(fault: NativeFault | None, output: str) -> str:
    """Return the place of the fault in native code; otherwise the place in a driver's Python code."""
    return (fault.place if fault is not None else "") or place_of_crash(output)


VARIABLE: Final = "NNVET_CORES"
"""Environment variable with the folder in which cores are kept."""

_PATTERN: Final = Path("/proc/sys/kernel/core_pattern")
"""The system's pattern for file names of cores, or ``|`` and a program that receives them."""
_USES_PID: Final = Path("/proc/sys/kernel/core_uses_pid")
"""``1`` if the kernel appends the process id to names whose pattern does not contain it."""
_SPECIFIER: Final = re.compile("%(.?)")
"""A placeholder of the pattern, such as ``%p``."""
_PROCESS_IDS: Final = ("p", "P")
"""Letters of the placeholders for the process id, in the process's namespace and in the outermost one."""
_MOST_BY_ITSELF: Final = 1 << 30
"""Size limit of a core file that the user has not asked for."""
_MAGIC: Final = b"\x7fELF"
"""The first bytes of an ELF file; source: elf(5)."""
_TYPE_AT: Final = slice(16, 18)
"""Position of ``e_type`` in an ELF file; source: elf(5)."""
_CORE: Final = (b"\x04\x00", b"\x00\x04")
"""``e_type`` of an ELF file that is a core, in either order of bytes."""
_CLOCK_SLACK_S: Final = 1.0
"""Files get their times from a coarser clock than programs do."""


class Findings(NamedTuple):
    """The findings from a core file: its path (or why there is none), all stacks, and the place of the crash."""

    core: str = ""
    stacks: str = ""
    place: str = ""


NOTHING: Final = Findings()
"""The findings where no core was written and nobody has asked for one."""


class CoreDump:
    """The core file of one process, if it crashes and leaves one."""

    def __init__(self) -> None:
        """Prepare before the process is started; it inherits the working directory, where cores may go."""
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
        """Let the process write a core because it cannot be examined otherwise; the core is removed after reading.

        This does nothing if the system pipes cores to a program, which may be slow. The size is limited, so that
        reading is quick.
        """
        if not self._asked and not _read(_PATTERN).startswith("|"):
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(self._pid, resource.RLIMIT_CORE)
                limit = _MOST_BY_ITSELF if most == resource.RLIM_INFINITY else min(most, _MOST_BY_ITSELF)
                resource.prlimit(self._pid, resource.RLIMIT_CORE, (limit, most))
                self._is_ours = True

    def see(self, pidfd: int) -> None:
        """Note if the process dumped core; it has ended, and nobody has waited for it yet."""
        with suppress(OSError):
            ended = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            self._dumped = ended is not None and ended.si_code == os.CLD_DUMPED

    def examine(self) -> Findings:
        """Return the findings after a fatal signal; the first call searches, later ones return the same."""
        with self._lock:
            if self._findings is None:
                self._findings = self._find()
            return self._findings

    def _find(self) -> Findings:
        pattern = _read(_PATTERN)
        if not self._dumped:
            return Findings(f"none was written (kernel.core_pattern is {pattern!r})") if self._asked else NOTHING
        if pattern.startswith("|"):
            return Findings(f"given to {pattern[1:].split()[0]}{_suggest_coredumpctl(self._pid)}")
        core = _find_newest(self._folder, pattern, self._pid, self._began)
        if core is None:
            return Findings(f"written, but not found (kernel.core_pattern is {pattern!r}, in {self._folder})")
        if self._asked:
            core = _move(core, Path(self._asked).absolute(), self._pid)
        stacks = stacks_of_core(core, self._program)
        if self._is_ours:
            core.unlink(missing_ok=True)
            return Findings("", stacks.text, stacks.place)
        return Findings(str(core), stacks.text, stacks.place)


def make_glob(pattern: str, pid: int, *, uses_pid: bool) -> str:
    """Return the kernel's core pattern as a glob for one process; ``uses_pid`` appends the process id."""

    def match_specifier(found: re.Match[str]) -> str:
        letter = found[1]
        if letter in _PROCESS_IDS:
            return str(pid)
        return {"%": "%", "": ""}.get(letter, "*")

    has_id = any(f"%{letter}" in pattern for letter in _PROCESS_IDS)
    return _SPECIFIER.sub(match_specifier, pattern) + (f".{pid}" if uses_pid and not has_id else "")


def _find_newest(folder: Path, pattern: str, pid: int, began: float) -> Path | None:
    """Return the newest core written since ``began`` that can be the process's; None if there is none."""
    place = folder / make_glob(pattern, pid, uses_pid=_read(_USES_PID) == "1")
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


def _move(core: Path, folder: Path, pid: int) -> Path:
    """Move a core into ``folder`` and return its new path, or the old one if that fails."""
    target = folder / f"core.{pid}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(core, target)
    except OSError:
        return core
    return target


def _suggest_coredumpctl(pid: int) -> str:
    """Return the end of a message that names systemd's command to open a core, if it is installed."""
    return f"; coredumpctl debug {pid} opens it" if shutil.which("coredumpctl") else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
