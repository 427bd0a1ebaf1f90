"""Sanitizers in drivers' processes: their options, their detection, and the wait for a debugger.

A report has to end the process at once, so that it counts as evidence of the case that caused it. :func:`environment`
gives the process options to that effect; the user's own options come last, where they take precedence. Its caller is
:mod:`nnvet.adapters.drivers`. Reports are read by :mod:`nnvet.diagnostics.native_faults`. Source: the documentation of
the sanitizers' run-time flags.

``NNVET_ATTACH=1`` in the environment makes services wait for a debugger (:func:`wait_for_debugger`): the process is
stopped right after its start, before its ``main``, until an attached debugger continues it, or ``kill -CONT`` does.
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
"""Memory that a sanitizer keeps of what a driver has freed, with notes about it. Growth below this is no leak.

The options below let AddressSanitizer keep 8 MiB; the rest is its bookkeeping.
"""

_ENDS: Final = ("halt_on_error=1", "abort_on_error=1")
"""Options with which the first report ends the process, by SIGABRT."""
_OPTIONS: Final = {
    # Freed memory is kept for a while, to detect its use; only a little of it, lest it look like a leak.
    "ASAN_OPTIONS": (*_ENDS, "quarantine_size_mb=8", "thread_local_quarantine_size_kb=64"),
    "TSAN_OPTIONS": (*_ENDS, "second_deadlock_stack=1"),
    "UBSAN_OPTIONS": (*_ENDS, "print_stacktrace=1"),
    "LSAN_OPTIONS": (),
    "MSAN_OPTIONS": _ENDS,
}
"""Options of every driver's process, by the variable in which a sanitizer reads them."""
_IN_PYTHON: Final = {
    # The interpreter deliberately frees little when it exits.
    "ASAN_OPTIONS": ("detect_leaks=0",),
    # The interpreter is built without the sanitizer, so its own memory accesses would be false alarms.
    "TSAN_OPTIONS": ("ignore_noninstrumented_modules=1",),
}
"""Further options where a Python program loads the driver's library."""
_PRELOAD: Final = "LD_PRELOAD"
_EXCEPTIONS: Final = "libstdc++.so.6"
"""Library to preload with a runtime.

Sanitizers look up the functions that throw C++ exceptions once, at the start. If they find none, the first exception
ends the process.
"""
_PARTS: Final = re.compile("[,#=]")
"""Characters that separate paths in a selector's arguments."""
_NEEDED: Final = re.compile(rb"\0(lib[at]san\.so\.\d+)(?=\0)")
"""A sanitizer's runtime among the strings of a library; the loader finds it by this name."""
_SYMBOLIZER: Final = "llvm-symbolizer"
"""The program that turns addresses in reports into functions and lines."""
_VERSIONED: Final = (("/usr/bin", "llvm-symbolizer-*"), ("/usr/lib", "llvm-*/bin/llvm-symbolizer"))
"""Folders and names of the program where distributions put LLVM's version into them."""
_RUNTIME: Final = re.compile(r"/lib(?:clang_rt\.)?([atlm]|ub)san[\w.-]*$", re.MULTILINE)
"""A sanitizer's runtime among the mappings of a process."""
_SYMBOLS: Final = tuple(f"__{name}_init".encode() for name in ("asan", "tsan", "msan"))
"""Functions that a program contains if a sanitizer's runtime is linked into it."""
_CHUNK: Final = 1 << 20
"""Bytes of a program that are read and searched at once."""


def environment(given: Mapping[str, str], arguments: str, *, in_python: bool) -> dict[str, str]:
    """Return the sanitizer variables for a driver's process, given the user's and the selector's arguments.

    ``in_python``: the process is a service of ours, in which the runtime of a library's sanitizer has to be preloaded.
    """
    symbolizer = _find_symbolizer()
    shared = (f"external_symbolizer_path={symbolizer}",) if symbolizer else ()
    made = {}
    runtimes = _find_runtimes(arguments) if in_python else []
    if runtimes and not any(runtime in given.get(_PRELOAD, "") for runtime in ("libasan", "libtsan", "clang_rt")):
        made[_PRELOAD] = ":".join(filter(None, (*runtimes, _EXCEPTIONS, given.get(_PRELOAD, ""))))
    for name, options in _OPTIONS.items():
        more = _IN_PYTHON.get(name, ()) if in_python else ()
        made[name] = ":".join(filter(None, (*options, *more, *shared, given.get(name, ""))))
    return made


def _find_runtimes(arguments: str) -> list[str]:
    """Return the names of the sanitizer runtimes that are needed by the libraries in a selector's arguments."""
    found: list[str] = []
    for part in _PARTS.split(arguments):
        with suppress(OSError, ValueError):
            if Path(part).is_file():
                found += (name.decode() for name in _NEEDED.findall(Path(part).read_bytes()))
    return list(dict.fromkeys(found))


def _find_symbolizer() -> str:
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
    """Return True if a program contains a sanitizer's runtime."""
    before = b""
    with program.open("rb") as file:
        while chunk := file.read(_CHUNK):
            # A symbol may begin in one chunk and end in the next.
            if any(symbol in before + chunk for symbol in _SYMBOLS):
                return True
            before = chunk[-max(map(len, _SYMBOLS)) :]
    return False


VARIABLE: Final = "NNVET_ATTACH"
"""Environment variable that makes services wait for a debugger."""

_LOOK_S: Final = 0.1
"""Pause between two looks at a process that waits for a debugger."""
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
    while is_alive() and _read_state(pid) in _STOPPED:
        time.sleep(_LOOK_S)


def _read_state(pid: int) -> str:
    """Return the letter of a process's state in ``/proc/PID/stat``; empty if it has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[0]
