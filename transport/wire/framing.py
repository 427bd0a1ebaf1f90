"""Frames on an AF_UNIX stream socket: a header, a payload, and file descriptors beside them.

``NNVET_FRAMES=FILE`` in the environment writes a trace with a line for every frame. All processes of the suite that
talk to a driver append to it; drivers' own processes write nothing. A line has the seconds of the system's monotonic
clock, the process, the descriptor of the connection, ``>`` for sent or ``<`` for received, the sizes, and the payload
(msgpack) in the style of JSON: descriptors are ``@fd N``, ids of objects ``@N``, bytes hexadecimal.
"""

from __future__ import annotations

import array
import math
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec.msgpack import Ext

from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.limits import Deadline, WaitLimit
from nnvet.transport.wire.texts import one_line

VARIABLE: Final = "NNVET_FRAMES"
_SHOWN_BYTES: Final = 32
"""Most bytes of a byte string that a line of the trace shows."""
_SHOWN_ITEMS: Final = 64
"""Most items of a list that a line of the trace shows."""
_SHOWN: Final = 4000
"""Most characters of a payload that are shown."""
_MODE: Final = 0o644
"""Permissions of the file with the trace."""


class FrameLog:
    """Appends a line for each frame to a file. Threads may share it."""

    def __init__(self, path: str) -> None:
        """Append to ``path``.

        :raises OSError: it cannot be opened.
        """
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _MODE)
        self._lock = threading.Lock()

    def write(self, descriptor: int, direction: str, payload: bytes, handles: int) -> None:
        """Write a frame of connection ``descriptor``; ``direction`` is > or <, ``handles`` counts its descriptors."""
        text = line(descriptor, direction, payload, handles)
        # A disk that is full is no fault of the driver's.
        with self._lock, suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))


def frame_log() -> FrameLog | None:
    """Return the process's log if the environment asks for one."""
    path = os.environ.get(VARIABLE)
    return _opened(path) if path else None


@cache
def _opened(path: str) -> FrameLog:
    return FrameLog(path)


def line(descriptor: int, direction: str, payload: bytes, handles: int) -> str:
    """Return the line of one frame, with a newline."""
    shown = text_of(payload)
    cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    size = f"{len(payload)} B" + (f" + {handles} fd" if handles else "")
    return f"{time.monotonic():.6f} {os.getpid()} {descriptor} {direction} {size} {one_line(cut)}\n"


def text_of(payload: bytes) -> str:
    """Return a payload as text, as far as it can be read; anything but msgpack is shown in hexadecimal."""
    try:
        return _shown(msgspec.msgpack.decode(payload))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
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


HEADER: Final = struct.Struct("<IHH")
"""Header of a frame: payload length, number of descriptors, MAGIC."""

MAGIC: Final = 0x564E
"""The last field of every header, ``NV`` as text, which tells other protocols apart."""
MAX_PAYLOAD: Final = 1 << 30
"""Largest payload of any message, in bytes."""
MAX_ANSWER: Final = 1 << 24
"""Largest payload, in bytes, of a service's message, which never contains constants."""

MAX_HANDLES_PER_WRITE: Final = 253
"""Most descriptors for one sendmsg, a limit of the kernel."""

MAX_HANDLES: Final = MAX_HANDLES_PER_WRITE * HEADER.size
"""Most descriptors of a frame, because every write that carries descriptors needs a byte of the header."""

_ANCILLARY: Final = socket.CMSG_SPACE(MAX_HANDLES_PER_WRITE * array.array("i").itemsize)
_AT_ONCE: Final = 1 << 16
"""Bytes asked for in the first read of a frame, which is nearly always the whole frame."""

_CHUNK: Final = 1 << 20
"""Most bytes of each further read of a long payload."""
# Plain numbers: to combine members of an enumeration of flags costs as much as a system call.
_CLOEXEC: Final = int(socket.MSG_CMSG_CLOEXEC)
_DONTWAIT: Final = int(socket.MSG_DONTWAIT)
_CTRUNC: Final = int(socket.MSG_CTRUNC)
_RIGHTS: Final = (int(socket.SOL_SOCKET), int(socket.SCM_RIGHTS))

R = TypeVar("R")


class WireError(Exception):
    """The peer does not speak the protocol; the connection is of no more use."""


class Memory(Protocol):
    """Counter of the bytes in use for long payloads."""

    def take(self, size: int) -> None:
        """Count ``size`` more bytes.

        :raises WireError: they are too many.
        """

    def give_back(self, size: int) -> None:
        """Count ``size`` bytes less, which were taken before."""


class Channel:
    """One end of a connection. One thread may send while another receives."""

    def __init__(self, connection: socket.socket, limit: int = MAX_PAYLOAD, memory: Memory | None = None) -> None:
        """Take over a connected socket. Payloads that are received have at most ``limit`` bytes.

        ``memory`` counts the bytes of a long payload until the next one is received.
        """
        # Deadlines are kept with poll: a time-out of the socket itself would hold for both directions.
        connection.setblocking(True)
        self._socket = connection
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(connection, select.POLLOUT)
        self._ahead = b""
        self._handles: list[OwnedHandle] = []
        self._limit = limit
        self._memory = memory
        self._taken = 0
        self._log = frame_log()

    @property
    def has_read_ahead(self) -> bool:
        """Return True if a part of the next frame has been read already."""
        return bool(self._ahead)

    def send(
        self,
        payload: bytes,
        handles: Sequence[Handle] = (),
        deadline: Deadline = None,
        relief: Callable[[], bool] | None = None,
    ) -> None:
        """Send one frame, until ``deadline`` at the latest.

        ``relief`` is called whenever the peer does not read. It returns True if it did something after which the peer
        may read again; otherwise this waits for the peer.

        :raises TimeoutError: at the deadline. The connection is of no more use then.
        :raises OSError: if the peer is gone, or a descriptor is not open (EBADF).
        """
        if self._log is not None:
            self._log.write(self._socket.fileno(), ">", payload, len(handles))
        header = HEADER.pack(len(payload), len(handles), MAGIC)
        descriptors = [handle.fd for handle in handles]
        while len(descriptors) > MAX_HANDLES_PER_WRITE:
            some, descriptors = descriptors[:MAX_HANDLES_PER_WRITE], descriptors[MAX_HANDLES_PER_WRITE:]
            self._write([header[:1]], some, deadline, relief)
            header = header[1:]
        sent = self._write([header, payload], descriptors, deadline, relief)
        size = len(header) + len(payload)
        while sent < size:
            rest = memoryview(payload)[max(0, sent - len(header)) :]
            sent += self._write([header[sent:], rest], (), deadline, relief)

    def receive(self, deadline: Deadline = None) -> tuple[bytes, list[OwnedHandle]]:
        """Return the next frame's payload and descriptors. A frame that has arrived is received even after the end.

        :raises EOFError: if the peer has closed the connection between frames.
        :raises WireError: for anything that is not a frame.
        :raises TimeoutError: at the deadline. The connection is of no more use then.
        :raises OSError: if the peer is gone, or goes in the middle of a frame.
        """
        if self._taken:
            self._give_back()
        read = self._ahead or self._read_with_handles(_AT_ONCE, deadline)
        if not read:
            raise EOFError("the peer has closed the connection")
        while len(read) < HEADER.size:
            # No more than the header: what comes with it then belongs to this frame and to no later one.
            read += _more(self._read_with_handles(HEADER.size - len(read), deadline))
        length, count, magic = HEADER.unpack_from(read)
        if magic != MAGIC:
            raise WireError(f"a frame's header ends in {magic:#06x} instead of {MAGIC:#06x}")
        if length > self._limit:
            raise WireError(f"a frame of {length} bytes; the limit is {self._limit}")
        end = HEADER.size + length
        self._ahead = read[end:]
        handles: list[OwnedHandle] = []
        # A read ends with the write that brings descriptors, so they are those of the last frame.
        if not self._ahead:
            handles, self._handles = self._handles, handles
        if count != len(handles):
            raise WireError(f"a frame announces {count} descriptors, {len(handles)} arrived")
        payload = self._with_rest(read[HEADER.size : end], length, deadline)
        if self._log is not None:
            self._log.write(self._socket.fileno(), "<", payload, len(handles))
        return payload, handles

    def shutdown(self) -> None:
        """End the connection in both directions; a blocked :meth:`receive` of any thread ends."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        """Close the socket, and the descriptors of a frame that was not received."""
        self._socket.close()
        self._handles.clear()
        self._give_back()

    def _write(
        self,
        data: Sequence[bytes | memoryview],
        descriptors: Sequence[int],
        deadline: Deadline,
        relief: Callable[[], bool] | None,
    ) -> int:
        rights = [(*_RIGHTS, array.array("i", descriptors))] if descriptors else []
        if deadline is None and relief is None:
            return self._socket.sendmsg(data, rights)
        while True:
            try:
                return self._socket.sendmsg(data, rights, _DONTWAIT)
            except BlockingIOError:
                if relief is None or not relief():
                    _wait(self._writable, deadline)

    def _read_with_handles(self, size: int, deadline: Deadline) -> bytes:
        """Read up to ``size`` bytes, beginning with a header; b"" at the end of the stream."""
        data, ancillary, flags, _ = self._blocking(
            lambda flags: self._socket.recvmsg(size, _ANCILLARY, _CLOEXEC | flags), deadline
        )
        for level, kind, content in ancillary:
            if (level, kind) == _RIGHTS:
                descriptors = array.array("i")
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
                self._handles.extend(map(OwnedHandle, descriptors))
        if flags & _CTRUNC:
            raise WireError("descriptors were lost: this process has too many open files")
        return data

    def _with_rest(self, payload: bytes, length: int, deadline: Deadline) -> bytes:
        """Read the rest of a payload, and nothing beyond it, without descriptors; return the whole payload."""
        missing = length - len(payload)
        if not missing:
            return payload
        pieces = [payload]
        while missing:
            read = partial(self._socket.recv, min(missing, _CHUNK))
            pieces.append(_more(self._blocking(read, deadline)))
            missing -= len(pieces[-1])
            self._take(len(pieces[-1]))
        return b"".join(pieces)

    def _take(self, size: int) -> None:
        if self._memory is not None:
            self._memory.take(size)
            self._taken += size

    def _give_back(self) -> None:
        if self._memory is not None:
            self._memory.give_back(self._taken)
        self._taken = 0

    def _blocking(self, read: Callable[[int], R], deadline: Deadline) -> R:
        """Return the result of ``read``, which is called with flags, once there is something to read."""
        while True:
            # A read that blocks would also be woken when the peer reads, which frees space to write.
            _wait(self._readable, deadline)
            try:
                return read(_DONTWAIT)
            except BlockingIOError:
                continue


def _wait(poller: select.poll, deadline: Deadline) -> None:
    if isinstance(deadline, WaitLimit):
        is_ready = deadline.wait(lambda left_s: bool(poller.poll(_milliseconds(left_s))))
    else:
        is_ready = bool(poller.poll(_milliseconds(None if deadline is None else deadline - time.monotonic())))
    if not is_ready:
        raise TimeoutError("the deadline has passed")


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else max(0, math.ceil(seconds * 1000))


def _more(data: bytes) -> bytes:
    """Return the bytes of a read in the middle of a frame."""
    if not data:
        raise ConnectionResetError("the connection ended in the middle of a frame")
    return data
