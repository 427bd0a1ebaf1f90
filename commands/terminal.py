"""The terminal of a command: output that may lose its reader, signals that end a run, and pages in the browser.

``main.py`` wraps output by :func:`keep_going`; commands that run something listen to signals by :class:`Interruption`
and open reports by :func:`open_page`. Text on the console is made by ``reports/console.py``.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

import typer

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STREAMS: Final = ("stdout", "stderr")
"""Streams that a command may lose."""

LINE_S: Final = 10.0
"""Least number of seconds between two lines of progress without a terminal, to keep the logs of CI short."""


class Printed(io.FileIO):
    """A stream that accepts output even if it cannot be written any more.

    ``lost`` is the error after which nothing is written; None as long as there is none. A broken pipe, as with ``nnvet
    run | head``, is harmless: the reader has all that it wanted. Any other error has to be reported to the user.
    """

    lost: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data, or drop it after an error."""
        if self.lost is None:
            try:
                return super().write(data)
            except OSError as error:
                # Keep a copy without traceback, because its frames would hold what the command has open.
                self.lost = OSError(error.errno, error.strerror)
        return memoryview(data).nbytes


def keep_going() -> list[Printed]:
    """Let commands go on when standard output or error cannot be written; return the streams that replace them.

    Streams that another program, such as pytest, has replaced are left alone.
    """
    found = []
    for name in _STREAMS:
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            stream.flush()
            raw = Printed(stream.fileno(), "w", closefd=False)
            buffer, by_line = io.BufferedWriter(raw), stream.line_buffering or name == "stderr"
            setattr(sys, name, io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=by_line))
            found.append(raw)
        elif stream is None:
            # A closed descriptor's number would go to another file, which would then get what libraries print.
            setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(Printed(os.devnull, "w")), "utf-8"))
    return found


def find_lost_output(printed: list[Printed]) -> str:
    """Return the error by which output was lost, "" if there was none; a reader that is gone is no error."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    errors = [
        output.lost for output in printed if output.lost is not None and not isinstance(output.lost, BrokenPipeError)
    ]
    return str(errors[0].strerror or errors[0]) if errors else ""


BY_SIGNAL: Final = 128
"""Base of the exit code of a run that a signal ended; the number of the signal is added, as in shells."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run after its reports are written."""
_AGAIN_S: Final = 0.01
"""Pause before a signal is sent to this process again."""


class Interrupted(KeyboardInterrupt):
    """A signal has arrived.

    It is a class of its own because of CPython: once a plain KeyboardInterrupt has passed through ``exec`` of a text
    (as when a dataclass is made), the interpreter dies by SIGINT at its end, even if the exception was caught.
    """


class Interruption:
    """While the block runs, a signal raises :class:`Interrupted`; after :meth:`hold` it is only noted.

    ``number`` is the number of the first signal, 0 if there was none. Only the main thread receives signals. Python
    drops exceptions in destructors, so a signal that arrives during one is sent again.
    """

    def __init__(self, *, once: bool = False) -> None:
        """Prepare to listen. With ``once`` only the first signal raises: a second one does not disturb the clean-up."""
        self.number = 0
        self._once = once
        self._raises = True
        self._before: dict[int, Any] = {}
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> Self:
        """Install the handlers, except for signals that the process ignores."""
        if threading.current_thread() is threading.main_thread():
            heard = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._note) for number in heard}
            self._unraisable, sys.unraisablehook = sys.unraisablehook, self._hear_dropped
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers that were installed before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        # On another thread than the main one, __enter__ has not replaced it.
        if sys.unraisablehook == self._hear_dropped:
            sys.unraisablehook = self._unraisable

    def hold(self) -> None:
        """Stop raising, so that reports can be written completely."""
        self._raises = False

    def _note(self, number: int, _: FrameType | None) -> None:
        self.number = self.number or number
        if self._raises:
            self._raises = not self._once
            raise Interrupted(number)

    def _hear_dropped(self, dropped: sys.UnraisableHookArgs) -> None:
        """Send a signal again whose exception was dropped; pass all other exceptions on."""
        if not isinstance(dropped.exc_value, Interrupted):
            self._unraisable(dropped)
            return
        self._raises = True
        # Send it later: sent now, it would be raised here and dropped again.
        threading.Timer(_AGAIN_S, os.kill, (os.getpid(), self.number)).start()


_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
"""Environment variables of a graphical session."""


def can_show_page(console: TextIO) -> bool:
    """Return True if a page can be shown to a user: the console is a terminal, and there is a display."""
    return console.isatty() and _has_display() and shutil.which("xdg-open") is not None


def open_page(page: Path) -> str:
    """Open a page by ``xdg-open``, and return a message: that it was opened, or why not."""
    if not page.is_file():
        return f"not opened: there is no {page}"
    program = shutil.which("xdg-open")
    if program is None:
        return f"not opened: xdg-open is not installed (package xdg-utils); open {page} yourself"
    if not _has_display():
        return f"not opened: there is no display ({' and '.join(_DISPLAYS)} are not set); open {page} yourself"
    try:
        # A session of its own: the browser may outlive the command.
        subprocess.Popen(
            [program, str(page)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return f"not opened: {program}: {error.strerror}; open {page} yourself"
    return f"opened {page}"


def _has_display() -> bool:
    return any(map(os.environ.get, _DISPLAYS))


class Pace:
    """Limit for progress lines: one in :data:`LINE_S` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Make the first line due after :data:`LINE_S` seconds; ``clock`` returns seconds."""
        self._clock = clock
        self._last = clock()

    def is_due(self) -> bool:
        """Return True if a line may be printed now; then it counts as printed."""
        now = self._clock()
        if now - self._last < LINE_S:
            return False
        self._last = now
        return True


@contextmanager
def end_by_signals() -> Iterator[None]:
    """Let a signal interrupt the block, so that it ends the processes that it started, and then end this command."""
    interruption = Interruption(once=True)
    try:
        with interruption:
            yield
    except Interrupted as error:
        raise typer.Exit(BY_SIGNAL + interruption.number) from error
