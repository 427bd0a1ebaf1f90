"""A trace of frames: every frame that a client sends and receives, as a line of text.

``NNVET_FRAMES=FILE`` in the environment asks for it. Lines are appended, by all processes of the suite that speak to a
driver; drivers' own processes write none. A line has the seconds of the system's monotonic clock, the process, the
descriptor of the connection, ``>`` for sent or ``<`` for received, the sizes, and the payload (msgpack) in the style of
JSON: descriptors are ``@fd N``, ids of objects ``@N``, bytes hexadecimal.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import cache
from typing import Any, Final

import msgspec
from msgspec.msgpack import Ext

from nnvet.transport.wire.texts import one_line

VARIABLE: Final = "NNVET_FRAMES"
_SHOWN_BYTES: Final = 32
_SHOWN_ITEMS: Final = 64
_SHOWN: Final = 4000
"""Characters of a payload that are shown."""
_MODE: Final = 0o644


class FrameLog:
    """Lines of frames at the end of a file. Threads may share it."""

    def __init__(self, path: str) -> None:
        """Append to ``path``.

        :raises OSError: it cannot be opened.
        """
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _MODE)
        self._lock = threading.Lock()

    def write(self, descriptor: int, direction: str, payload: bytes, handles: int) -> None:
        """A frame on the connection ``descriptor``; ``direction`` is > or <, ``handles`` counts what came with it."""
        text = line(descriptor, direction, payload, handles)
        # A disk that is full is no fault of the driver's.
        with self._lock, suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))


def frame_log() -> FrameLog | None:
    """The log that the environment asks for, one for the process."""
    path = os.environ.get(VARIABLE)
    return _opened(path) if path else None


@cache
def _opened(path: str) -> FrameLog:
    return FrameLog(path)


def line(descriptor: int, direction: str, payload: bytes, handles: int) -> str:
    """One line, with its end."""
    shown = text_of(payload)
    cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    size = f"{len(payload)} B" + (f" + {handles} fd" if handles else "")
    return f"{time.monotonic():.6f} {os.getpid()} {descriptor} {direction} {size} {one_line(cut)}\n"


def text_of(payload: bytes) -> str:
    """A payload, or what of it can be read, as text; what is no msgpack is shown as hexadecimal."""
    try:
        return _shown(msgspec.msgpack.decode(payload))
    except (msgspec.DecodeError, RecursionError):
        return f"no msgpack: {_hexadecimal(payload)}"


def _shown(value: Any) -> str:
    if isinstance(value, Ext):
        return f"@fd {int.from_bytes(value.data, 'little')}" if value.code == 1 else f"@{_number(value)}"
    if isinstance(value, bytes):
        return _hexadecimal(value)
    if isinstance(value, list):
        items = [_shown(item) for item in value[:_SHOWN_ITEMS]]
        return f"[{', '.join(items)}{'' if len(value) <= _SHOWN_ITEMS else f', … {len(value)} items'}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_shown(key)}: {_shown(item)}' for key, item in value.items())}}}"
    return msgspec.json.encode(value).decode()


def _number(value: Ext) -> int:
    return int.from_bytes(value.data, "little")


def _hexadecimal(data: bytes) -> str:
    shown = bytes(data[:_SHOWN_BYTES]).hex()
    return f"0x{shown}" if len(data) <= _SHOWN_BYTES else f"0x{shown}… ({len(data)} bytes)"
