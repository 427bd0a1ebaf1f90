"""Standard output and error that may go away: what cannot be printed must not cost a run its log and reports."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Final

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
