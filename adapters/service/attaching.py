"""A service that waits for a debugger before it does anything.

``NNVET_ATTACH=1`` in the environment asks for it. The process is stopped as soon as it is started, before its ``main``;
it goes on when a debugger that has attached lets it, or at ``kill -CONT``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

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
