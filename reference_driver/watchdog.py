"""Has prepared models give back their scratch memory when nobody has used them for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Protocol
from weakref import WeakSet

from nnvet.reference_driver import limits
from nnvet.reference_driver.scheduler import Line

_NS_PER_S = 10**9


class Owner(Protocol):
    """A prepared model with scratch memory, which can be given back between executions."""

    line: Line

    def free_scratch(self) -> None:
        """Give back what can be computed again; there is no execution meanwhile, nor does one begin."""


def in_background(work: Callable[[], None]) -> None:
    """Start a thread that does not keep the process alive.

    :raises RuntimeError: none can be started.
    """
    threading.Thread(target=work, name="reference-watchdog", daemon=True).start()


class Watchdog:
    """Looks after prepared models; it has a thread while any of them may have scratch memory."""

    def __init__(
        self,
        start: Callable[[Callable[[], None]], None] = in_background,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        """``start`` begins the work, which calls ``pause`` with seconds between two rounds."""
        self._start = start
        self._pause = pause
        self._lock = threading.Lock()
        self._watched: WeakSet[Owner] = WeakSet()
        self._is_working = False

    def watch(self, owner: Owner) -> None:
        """Have ``owner`` free its scratch memory after ``limits.IDLE_NS`` without an execution."""
        with self._lock:
            self._watched.add(owner)
            if self._is_working:
                return
            self._is_working = True
        try:
            self._start(self._work)
        except RuntimeError:
            # No thread can be started now: the memory stays until another execution can start one.
            with self._lock:
                self._is_working = False

    def sweep(self) -> int | None:
        """One round; returns the nanoseconds until the next makes sense, None if nothing is watched any more."""
        with self._lock:
            idle = []
            for owner in list(self._watched):
                line = owner.line
                idle_ns = line.scheduler.while_idle(line, limits.IDLE_NS, owner.free_scratch)
                if idle_ns < limits.IDLE_NS:
                    idle.append(idle_ns)
                else:
                    self._watched.discard(owner)
            # Not the set's size: for a moment that counts owners which the collector has taken already.
            if not idle:
                self._is_working = False
                return None
            return limits.IDLE_NS - max(idle)

    def _work(self) -> None:
        while (due_ns := self.sweep()) is not None:
            self._pause(due_ns / _NS_PER_S)


WATCHDOG: Final = Watchdog()
"""Looks after all devices of this process."""
