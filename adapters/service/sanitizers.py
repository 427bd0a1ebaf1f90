"""Sanitizers in the processes of drivers: the options that they are started with, and whether one is there.

A report is to end the process at once, so that it is evidence of the case that made it; a user's own options come last,
where they prevail one by one. Source: the documentation of the sanitizers' run-time flags.

A service that waits for a debugger before it does anything.

``NNVET_ATTACH=1`` in the environment asks for it. The process is stopped as soon as it is started, before its ``main``;
it goes on when a debugger that has attached lets it, or at ``kill -CONT``.
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
"""Memory that a sanitizer keeps of what a driver has freed, with what it notes about it: less than this is no leak."""

_ENDS: Final = ("halt_on_error=1", "abort_on_error=1")
_OPTIONS: Final = {
    # What is freed is kept for a while, so that a use of it is seen: little of it, lest it look like a leak.
    "ASAN_OPTIONS": (*_ENDS, "quarantine_size_mb=8", "thread_local_quarantine_size_kb=64"),
    "TSAN_OPTIONS": (*_ENDS, "second_deadlock_stack=1"),
    "UBSAN_OPTIONS": (*_ENDS, "print_stacktrace=1"),
    "LSAN_OPTIONS": (),
    "MSAN_OPTIONS": _ENDS,
}
_IN_PYTHON: Final = {
    # The interpreter forgets memory on purpose when it ends.
    "ASAN_OPTIONS": ("detect_leaks=0",),
    # It is not built with the sanitizer, and what it does with memory is none of a driver's doing.
    "TSAN_OPTIONS": ("ignore_noninstrumented_modules=1",),
}
_PRELOAD: Final = "LD_PRELOAD"
_EXCEPTIONS: Final = "libstdc++.so.6"
"""The runtimes look for what throws exceptions when they begin, and die at the first one if it was not loaded then."""
_PARTS: Final = re.compile("[,#=]")
_NEEDED: Final = re.compile(rb"\0(lib[at]san\.so\.\d+)(?=\0)")
"""Names among the strings of a library. The loader looks for such a name where it looks for all libraries."""
_SYMBOLIZER: Final = "llvm-symbolizer"
_VERSIONED: Final = (("/usr/bin", "llvm-symbolizer-*"), ("/usr/lib", "llvm-*/bin/llvm-symbolizer"))
_RUNTIME: Final = re.compile(r"/lib(?:clang_rt\.)?([atlm]|ub)san[\w.-]*$", re.MULTILINE)
_SYMBOLS: Final = tuple(f"__{name}_init".encode() for name in ("asan", "tsan", "msan"))
_CHUNK: Final = 1 << 20


def environment(given: Mapping[str, str], arguments: str, *, in_python: bool) -> dict[str, str]:
    """The variables for a driver's process; ``given`` are those of the user, ``arguments`` of the driver's selector.

    ``in_python``: it is a service of ours, to which the runtime of a library's sanitizer has to come before all else.
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
    """Return names of the runtimes that libraries need which are named in the arguments of a selector."""
    found: list[str] = []
    for part in _PARTS.split(arguments):
        with suppress(OSError, ValueError):
            if Path(part).is_file():
                found += (name.decode() for name in _NEEDED.findall(Path(part).read_bytes()))
    return list(dict.fromkeys(found))


def _symbolizer() -> str:
    """Path of a program that turns addresses into lines, where sanitizers would not find it by its name."""
    if shutil.which(_SYMBOLIZER):
        return ""
    found = [path for folder, pattern in _VERSIONED for path in Path(folder).glob(pattern)]
    return str(found[-1]) if found else ""


def is_in(process: int | None) -> bool:
    """Return True if a sanitizer that keeps memory of its own is in a process, linked into it or loaded."""
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
"""States of processes that signals, or those that trace them, have stopped; source: proc(5)."""


def is_asked_for() -> bool:
    """Return True if services wait."""
    return bool(os.environ.get(VARIABLE))


def wait_for_debugger(pid: int, is_alive: Callable[[], bool]) -> None:
    """If it is asked for, stop process ``pid``, say so on standard error, and return when it runs again or has died."""
    if not is_asked_for():
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    # The signal that has stopped it waits for the debugger, which need not stop for it once more.
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
