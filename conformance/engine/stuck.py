"""Watch on the thread that starts drivers and runs cases, so that a thread that blocks forever does not stop the run.

:mod:`nnvet.conformance.engine.driver` runs each case within :meth:`WATCH.case <_Watch.case>`. Waits for the driver have
limits, and poll (:mod:`nnvet.transport.wire.limits`). Everything else in a check may block, such as opening a file that
is a pipe. A thread that has not run for longer than any driver may take is interrupted by a signal, and its case is an
ERROR. If even that does not help, the worker process ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

SIGNAL: Final = signal.SIGRTMIN + 7
"""Signal of the watch, which nothing else uses."""
LOOK_S: Final = 1.0
"""Seconds between two looks at the thread."""
_IDLE_LOOKS: Final = 2
"""The watch ends after this many looks without a case, so that a finished run leaves no thread behind."""
_DEAF_LOOKS: Final = 10
"""A thread that has not reacted to the signal for this many looks is given up."""
_SWITCHES: Final = "ctxt_switches"
"""Part of the names of the kernel's counters of time slices."""


class StuckError(Exception):
    """The thread that runs cases has blocked on something that has nothing to do with the driver."""


class _Watch:
    """The watch of this process, on its main thread, because Python delivers signals only there."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self.ends_process = False
        self._lock = threading.Lock()
        self._limit_s = 0.0
        self._thread: threading.Thread | None = None

    @contextmanager
    def case(self, limit_s: float) -> Iterator[None]:
        """Interrupt this thread when it has not run for ``limit_s`` of the block.

        :raises StuckError: it was interrupted.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        with self._lock:
            # A driver may be started anew within a case.
            before, self._limit_s = self._limit_s, limit_s
            if self._thread is None:
                signal.signal(SIGNAL, self._interrupt)
                self._thread = threading.Thread(target=self._watch_thread, name="nnvet-stuck", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            self._limit_s = before

    def _watch_thread(self) -> None:
        """Look at the main thread from time to time, and interrupt it if it has not run for too long."""
        # The main thread's id is the id of the process.
        thread, before, looks, idle = os.getpid(), "", 0, 0
        while True:
            # Count looks instead of time: while this process is stopped or starved, no thread counts as stuck.
            time.sleep(LOOK_S)
            with self._lock:
                limit_s = self._limit_s
                idle = 0 if limit_s else idle + 1
                if idle > _IDLE_LOOKS:
                    self._thread = None
                    return
            now = _read_activity(thread)
            looks = looks + 1 if limit_s and now and now == before else 0
            before = now
            late = looks * LOOK_S - limit_s
            if looks and late >= 0:
                signal.pthread_kill(threading.main_thread().ident or 0, SIGNAL)
            if looks and late >= _DEAF_LOOKS * LOOK_S and self.ends_process:
                sys.stderr.write(f"nnvet: a case has waited for {limit_s:g} s, and hears no signal\n")
                sys.stderr.flush()
                os._exit(1)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        """Raise an error in the main thread, with its place, if a case is still watched."""
        if self._limit_s:
            where = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "native code"
            raise StuckError(f"the suite itself waited without end, at {where}")


WATCH: Final = _Watch()
"""The watch of this process; ``ends_process``: the process is a worker, which ends if the signal has no effect."""


def _read_activity(thread: int) -> str:
    """Return numbers that change whenever a thread of this process runs: its processor time, and its time slices."""
    folder = Path(f"/proc/self/task/{thread}")
    try:
        times = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[11:13]
        lines = (folder / "status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return " ".join([*times, *(line.split()[1] for line in lines if _SWITCHES in line)])
