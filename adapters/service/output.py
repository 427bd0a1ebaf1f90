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
_REPORT: Final = re.compile(rb"[^\n]*(?:(?:ERROR|WARNING): \w+Sanitizer: |runtime error: )")
"""Beginning of a sanitizer's report, which is kept whatever is printed after it."""
_LONGEST_LINE: Final = 1024
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{9,}")
"""Addresses of objects and threads, which differ in every run; codes of the contract have eight digits."""


class DriverOutput:
    """Output of a pipe. Threads may share it; ``heard`` is set each time that something has come."""

    def __init__(self, descriptor: int) -> None:
        """Read from ``descriptor``, which the caller closes after :meth:`end`."""
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tail = bytearray()
        self._report = bytearray()
        self._after_report = 0
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
                self._keep(data)
                self.heard.set()
            return not self._ended

    def _keep(self, data: bytes) -> None:
        if self._report:
            self._report += data[: max(0, _KEPT_BYTES - len(self._report))]
            self._after_report += len(data)
        else:
            # The line may have begun in what was read before.
            recent = bytes(self._tail[-_LONGEST_LINE:]) + data
            if found := _REPORT.search(recent):
                self._report += recent[found.span()[0] :]
                self._after_report = len(self._report)
        self._tail += data
        del self._tail[:-_KEPT_BYTES]

    def end(self) -> None:
        """Read what there is, and never again."""
        self.read()
        with self._lock:
            self._ended = True

    def forget(self) -> None:
        """Forget the output until now, which belongs to nobody any more."""
        self.read()
        with self._lock:
            self._tail.clear()
            self._report.clear()

    def text(self) -> str:
        """The end of what was printed since :meth:`forget`, after the first report of a sanitizer if it is longer ago.

        Addresses are left out, so that equal crashes read alike.
        """
        self.read()
        with self._lock:
            is_long_ago = self._report and self._after_report > _KEPT_BYTES
            kept = bytes(self._report) + b"\n" + bytes(self._tail) if is_long_ago else bytes(self._tail)
        return several_lines(_ADDRESS.sub("0x…", kept.decode(errors="replace")))
