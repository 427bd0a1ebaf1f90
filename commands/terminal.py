"""Standard output that may go away, signals that end a run, and pages opened in the browser."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STREAMS: Final = ("stdout", "stderr")


class Printed(io.FileIO):
    """A descriptor that takes everything; ``lost`` is why nothing more is written, None while all is well.

    A reader that has gone, as that of ``nnvet run | head``, has read what it wanted; another error is worth a word.
    """

    lost: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or pretend to."""
        if self.lost is None:
            try:
                return super().write(data)
            except OSError as error:
                # A copy: the frames that the error comes through hold whatever the command has open.
                self.lost = OSError(error.errno, error.strerror)
        return memoryview(data).nbytes


def keep_going() -> list[Printed]:
    """From now on commands go on where they cannot print; returns what they print on.

    Other streams in the place of the system's stay.
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
            # Closed by whoever started us: another file would get the number, and what libraries print there.
            setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(Printed(os.devnull, "w")), "utf-8"))
    return found


def what_was_lost(printed: list[Printed]) -> str:
    """Why something was not printed, but for readers that have gone; "" if all was."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    errors = [
        output.lost for output in printed if output.lost is not None and not isinstance(output.lost, BrokenPipeError)
    ]
    return str(errors[0].strerror or errors[0]) if errors else ""


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


_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")


def somebody_looks(console: TextIO) -> bool:
    """Return True if a user sits at a screen that shows pages: the console is a terminal, and there is a display."""
    return console.isatty() and _has_display() and shutil.which("xdg-open") is not None


def open_page(page: Path) -> str:
    """Hand a page to ``xdg-open``; returns what to tell the user: that it was, or why not."""
    if not page.is_file():
        return f"not opened: there is no {page}"
    program = shutil.which("xdg-open")
    if program is None:
        return f"not opened: xdg-open is not installed (package xdg-utils); open {page} yourself"
    if not _has_display():
        return f"not opened: there is no display ({' and '.join(_DISPLAYS)} are not set); open {page} yourself"
    try:
        # It hands the page to a browser, whose life is no business of ours.
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
