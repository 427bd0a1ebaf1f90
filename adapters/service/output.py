"""The end of what a process prints, read from a pipe by whoever needs it next."""

from __future__ import annotations

import os
import re
import threading
from typing import Final

from nnvet.transport.wire.texts import several_lines

_KEPT_BYTES: Final = 16384
_MOST_READS: Final = 16
"""Several times what a pipe can hold: what was printed before the call is read, however fast more comes."""
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{9,}")
"""Addresses of objects and threads, which differ in every run; codes of the contract have eight digits."""


class DriverOutput:
    """What comes out of a pipe. Threads may share it; ``heard`` is set each time that something has come."""

    def __init__(self, descriptor: int) -> None:
        """Read from ``descriptor``, which the caller closes after :meth:`end`."""
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tail = bytearray()
        self._lock = threading.Lock()
        self._ended = False
        self.heard = threading.Event()

    def read(self) -> bool:
        """Read what there is; whether more may come."""
        with self._lock:
            for _ in range(_MOST_READS):
                if self._ended:
                    break
                try:
                    data = os.read(self._descriptor, _KEPT_BYTES)
                except BlockingIOError:
                    break
                except OSError:
                    # What cannot be heard is no evidence; the process is watched by other means.
                    data = b""
                self._ended = not data
                self._tail += data
                del self._tail[:-_KEPT_BYTES]
                self.heard.set()
            return not self._ended

    def end(self) -> None:
        """Read what there is, and never again."""
        self.read()
        with self._lock:
            self._ended = True

    def forget(self) -> None:
        """What was printed until now belongs to nobody any more."""
        self.read()
        with self._lock:
            self._tail.clear()

    def text(self) -> str:
        """The end of what was printed since :meth:`forget`, addresses left out, so that equal crashes read alike."""
        self.read()
        with self._lock:
            return several_lines(_ADDRESS.sub("0x…", self._tail.decode(errors="replace")))
