"""Sanitizers in drivers' processes: their options, their detection, and the wait for a debugger.

A report has to end the process at once, so that it counts as evidence of the case that caused it. The user's own
options come last, where they take precedence. Source: the documentation of the sanitizers' run-time flags.

``NNVET_ATTACH=1`` in the environment makes services wait for a debugger: the process is stopped right after its start,
before its ``main``, until an attached debugger continues it, or ``kill -CONT`` does.

"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

HELD_BYTES: Final = 32 << 20
"""Memory that a sanitizer keeps of what a driver has freed, with notes about it. Growth below this is no leak."""

_ENDS: Final = ("halt_on_error=1", "abort_on_error=1")
_OPTIONS: Final = {
    # Freed memory is kept for a while, to detect its use; only a little of it, lest it look like a leak.
    "ASAN_OPTIONS": (*_ENDS, "quarantine_size_mb=8", "thread_local_quarantine_size_kb=64"),
    "TSAN_OPTIONS": (*_ENDS, "second_deadlock_stack=1"),
    "UBSAN_OPTIONS": (*_ENDS, "print_stacktrace=1"),
    "LSAN_OPTIONS": (),
    "MSAN_OPTIONS": _ENDS,
}
_IN_PYTHON: Final = {
    # The interpreter deliberately frees little when it exits.
    "ASAN_OPTIONS": ("detect_leaks=0",),
    # The interpreter is built without the sanitizer, so its own memory accesses would be false alarms.
    "TSAN_OPTIONS": ("ignore_noninstrumented_modules=1",),
}
_PRELOAD: Final = "LD_PRELOAD"
_EXCEPTIONS: Final = "libstdc++.so.6"
"""The runtimes look up the functions that throw exceptions at the start; without the library, the first one kills."""
_PARTS: Final = re.compile("[,#=]")
_NEEDED: Final = re.compile(rb"\0(lib[at]san\.so\.\d+)(?=\0)")
"""A sanitizer's runtime among the strings of a library; the loader finds it by this name."""
_SYMBOLIZER: Final = "llvm-symbolizer"
_VERSIONED: Final = (("/usr/bin", "llvm-symbolizer-*"), ("/usr/lib", "llvm-*/bin/llvm-symbolizer"))
_RUNTIME: Final = re.compile(r"/lib(?:clang_rt\.)?([atlm]|ub)san[\w.-]*$", re.MULTILINE)
_SYMBOLS: Final = tuple(f"__{name}_init".encode() for name in ("asan", "tsan", "msan"))
_CHUNK: Final = 1 << 20


def environment(given: Mapping[str, str], arguments: str, *, in_python: bool) -> dict[str, str]:
    """Return the sanitizer variables for a driver's process, given the user's and the selector's arguments.

    ``in_python``: the process is a service of ours, in which the runtime of a library's sanitizer has to be preloaded.
    """
    symbolizer = _symbolizer()
    shared = (f"external_symbolizer_path={symbolizer}",) if symbolizer else ()
    made = {}
    runtimes = _runtimes(arguments) if in_python else []
    if runtimes and not any(runtime in given.get(_PRELOAD, "") for runtime in ("libasan", "libtsan", "clang_rt")):
        made[_PRELOAD] = ":".join(filter(None, (*runtimes, _EXCEPTIONS, given.get(_PRELOAD, ""))))
    for name, options in _OPTIONS.items():
        more = _IN_PYTHON.get(name, ()) if in_python else ()
        made[name] = ":".join(filter(None, (*options, *more, *shared, given.get(name, ""))))
    return made


def _runtimes(arguments: str) -> list[str]:
    """Return the names of sanitizer runtimes that the libraries need which a selector's arguments name."""
    found: list[str] = []
    for part in _PARTS.split(arguments):
        with suppress(OSError, ValueError):
            if Path(part).is_file():
                found += (name.decode() for name in _NEEDED.findall(Path(part).read_bytes()))
    return list(dict.fromkeys(found))


def _symbolizer() -> str:
    """Return the path of a symbolizer that sanitizers would not find by its name; otherwise an empty string."""
    if shutil.which(_SYMBOLIZER):
        return ""
    found = [path for folder, pattern in _VERSIONED for path in Path(folder).glob(pattern)]
    return str(found[-1]) if found else ""


def is_in(process: int | None) -> bool:
    """Return True if a process has a sanitizer that keeps memory of its own, linked into it or loaded."""
    if process is None:
        return False
    try:
        maps = Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace")
        return _RUNTIME.search(maps) is not None or _is_linked(Path(f"/proc/{process}/exe"))
    except OSError:
        return False


def _is_linked(program: Path) -> bool:
    before = b""
    with program.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if any(symbol in before + chunk for symbol in _SYMBOLS):
                return True
            before = chunk[-max(map(len, _SYMBOLS)) :]
    return False


VARIABLE: Final = "NNVET_ATTACH"

_LOOK_S: Final = 0.1
_STOPPED: Final = ("T", "t")
"""States of a process that a signal or a tracer has stopped; source: proc(5)."""


def is_asked_for() -> bool:
    """Return True if services have to wait for a debugger."""
    return bool(os.environ.get(VARIABLE))


def wait_for_debugger(pid: int, is_alive: Callable[[], bool]) -> None:
    """If asked for, stop process ``pid``, say so on standard error, and return when it continues or has died."""
    if not is_asked_for():
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    # The SIGSTOP is still pending for the debugger, which need not stop at it once more.
    command = f"gdb -p {pid} -ex 'handle SIGSTOP nostop noprint nopass'"
    sys.stderr.write(f"nnvet: process {pid} waits for a debugger: {command}; without one: kill -CONT {pid}\n")
    sys.stderr.flush()
    while is_alive() and _state(pid) in _STOPPED:
        time.sleep(_LOOK_S)


def _state(pid: int) -> str:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[0]
