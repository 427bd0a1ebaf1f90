"""Cases of several workers take turns: they run beside one another, but one that is to be alone waits for the others.

The locks are those of processes (POSIX), on two bytes of memory that all workers of a run share: the kernel ends them
with the process that holds them.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nnvet.hal.memory import OwnedHandle

_DOOR: Final = 0
"""Whoever wants to be alone stands in the door: no case begins any more, and those that run end one by one."""
_INSIDE: Final = 1


class Turns:
    """The turns of one process, whose cases run one after the other on one thread."""

    def __init__(self, shared: OwnedHandle | None = None) -> None:
        """Take turns with all who have the memory behind ``shared``, which stays open; None: nobody else is there."""
        self._shared = shared

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Nobody is alone while the block runs; waits for that."""
        self._lock(_DOOR, fcntl.LOCK_SH)
        self._lock(_INSIDE, fcntl.LOCK_SH)
        self._lock(_DOOR, fcntl.LOCK_UN)
        try:
            yield
        finally:
            self._lock(_INSIDE, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within :meth:`beside_others`: nobody else is in such a block while this one runs; waits for that."""
        # Two who want to be alone must not wait for each other.
        self._lock(_INSIDE, fcntl.LOCK_UN)
        self._lock(_DOOR, fcntl.LOCK_EX)
        self._lock(_INSIDE, fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._lock(_INSIDE, fcntl.LOCK_SH)
            self._lock(_DOOR, fcntl.LOCK_UN)

    def _lock(self, place: int, kind: int) -> None:
        if self._shared is not None:
            fcntl.lockf(self._shared.fd, kind, 1, place)
