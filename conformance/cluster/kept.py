"""Resources that take long to open, such as a driver, kept open by a worker between the tasks of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

Thing = TypeVar("Thing")
_IDLE_S: Final = 120.0
"""Time after which an unused resource is closed: whoever asked for it is gone."""


@dataclass
class Kept(Generic[Thing]):
    """Something that is open, for one task at a time; ``stack`` closes it."""

    thing: Thing
    stack: ExitStack
    used_at: float = field(default_factory=time.monotonic)


class KeptOpen(Generic[Thing]):
    """Things of one kind that are open and idle; ``opened`` makes another one, and puts on the stack what closes it."""

    def __init__(self, opened: Callable[[ExitStack], Thing]) -> None:
        """Nothing is open yet."""
        self._opened = opened
        self._idle: list[Kept[Thing]] = []
        self._lock = threading.Lock()
        self._is_open = True
        threading.Thread(target=self._watch, name="nnvet-idle", daemon=True).start()

    def take(self) -> Kept[Thing]:
        """One that is idle, or another one; raises what opening it does."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        stack = ExitStack()
        with stack:
            thing = self._opened(stack)
            return Kept(thing, stack.pop_all())

    def give_back(self, kept: Kept[Thing]) -> None:
        """It is idle from now on."""
        kept.used_at = time.monotonic()
        with self._lock:
            if self._is_open:
                self._idle.append(kept)
                return
        kept.stack.close()

    def close(self) -> None:
        """Close all that are idle, and those in use as soon as they are given back."""
        with self._lock:
            self._is_open = False
        self._close_older_than(0.0)

    def _watch(self) -> None:
        while self._is_open:
            time.sleep(1.0)
            self._close_older_than(_IDLE_S)

    def _close_older_than(self, age_s: float) -> None:
        before = time.monotonic() - age_s
        with self._lock:
            old = [idle for idle in self._idle if idle.used_at <= before]
            self._idle = [idle for idle in self._idle if idle.used_at > before]
        for idle in old:
            idle.stack.close()
