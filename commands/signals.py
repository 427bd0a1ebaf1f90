"""Signals that end a run: SIGINT, SIGTERM and SIGHUP alike, unless they are ignored, as by nohup."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, Final, Self

BY_SIGNAL: Final = 128
"""Added to the number of the signal that ended a run, as shells do."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S: Final = 0.01


class Interrupted(KeyboardInterrupt):
    """A signal has come.

    CPython notes for good that a plain KeyboardInterrupt has left ``exec`` of a text, as in the making of a dataclass,
    and dies by SIGINT at its end even though somebody has caught it; not so for a class of our own.
    """


class Interruption:
    """While the block runs, a signal raises :class:`Interrupted`; after :meth:`hold` it is only noted.

    ``number`` is that of the first signal, 0 if there was none. Only the main thread hears signals. Python drops what
    is raised in a destructor, so a signal that comes during one is sent again.
    """

    def __init__(self, *, once: bool = False) -> None:
        """Nothing has come yet. ``once``: what the first signal begins is not ended by another one."""
        self.number = 0
        self._once = once
        self._raises = True
        self._before: dict[int, Any] = {}
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> Self:
        """Listen."""
        if threading.current_thread() is threading.main_thread():
            heard = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._note) for number in heard}
            self._unraisable, sys.unraisablehook = sys.unraisablehook, self._hear_dropped
        return self

    def __exit__(self, *_: object) -> None:
        """Leave signals to whoever heard them before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        # Not where nobody listened, as on another thread.
        if sys.unraisablehook == self._hear_dropped:
            sys.unraisablehook = self._unraisable

    def hold(self) -> None:
        """Let what follows come to its end, such as writing reports."""
        self._raises = False

    def _note(self, number: int, _: FrameType | None) -> None:
        self.number = self.number or number
        if self._raises:
            self._raises = not self._once
            raise Interrupted(number)

    def _hear_dropped(self, dropped: sys.UnraisableHookArgs) -> None:
        """Send a signal again that has come to nothing; pass all else on."""
        if not isinstance(dropped.exc_value, Interrupted):
            self._unraisable(dropped)
            return
        self._raises = True
        # Not at once: it would be raised in here, and dropped again.
        threading.Timer(_AGAIN_S, os.kill, (os.getpid(), self.number)).start()
