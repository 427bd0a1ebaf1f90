"""Frames on an AF_UNIX stream socket: a header, a payload, and file descriptors beside them."""

import array
import math
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Final

from nnvet.hal.memory import Handle, OwnedHandle

HEADER: Final = struct.Struct("<IHH")
"""Payload length, number of descriptors, MAGIC."""

MAGIC: Final = 0x564E
MAX_PAYLOAD: Final = 1 << 30
MAX_HANDLES_PER_WRITE: Final = 253
"""The kernel's limit for one sendmsg."""

MAX_HANDLES: Final = MAX_HANDLES_PER_WRITE * HEADER.size
"""Every write that carries descriptors needs a byte of the header."""

_ANCILLARY = socket.CMSG_SPACE(MAX_HANDLES_PER_WRITE * array.array("i").itemsize)
_CHUNK = 1 << 20


class WireError(Exception):
    """The peer does not speak the protocol; the connection is of no more use."""


class Channel:
    """One end of a connection. One thread may send while another receives."""

    def __init__(self, connection: socket.socket) -> None:
        """Take over a connected socket."""
        # Deadlines are kept with poll: a time-out of the socket itself would hold for both directions.
        connection.setblocking(True)
        self._socket = connection
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(connection, select.POLLOUT)

    def send(self, payload: bytes, handles: Sequence[Handle] = (), deadline: float | None = None) -> None:
        """Send one frame; ``deadline`` is on the clock of ``time.monotonic``.

        :raises TimeoutError: at the deadline. The connection is of no more use then.
        :raises OSError: if the peer is gone, or a descriptor is not open (EBADF).
        """
        data = memoryview(HEADER.pack(len(payload), len(handles), MAGIC) + payload)
        descriptors = [handle.fd for handle in handles]
        while len(descriptors) > MAX_HANDLES_PER_WRITE:
            sent = self._write(data[:1], descriptors[:MAX_HANDLES_PER_WRITE], deadline)
            data, descriptors = data[sent:], descriptors[MAX_HANDLES_PER_WRITE:]
        while data:
            data = data[self._write(data, descriptors, deadline) :]
            descriptors = []

    def receive(self, deadline: float | None = None) -> tuple[bytes, list[OwnedHandle]]:
        """The next frame's payload and descriptors.

        :raises EOFError: if the peer has closed the connection between frames.
        :raises WireError: for anything that is not a frame.
        :raises TimeoutError: at the deadline. The connection is of no more use then.
        :raises OSError: if the peer is gone, or goes in the middle of a frame.
        """
        handles: list[OwnedHandle] = []
        length, count, magic = HEADER.unpack(self._read(HEADER.size, deadline, handles))
        if magic != MAGIC:
            raise WireError(f"a frame's header ends in {magic:#06x} instead of {MAGIC:#06x}")
        if length > MAX_PAYLOAD:
            raise WireError(f"a frame of {length} bytes; the limit is {MAX_PAYLOAD}")
        if count != len(handles):
            raise WireError(f"a frame announces {count} descriptors, {len(handles)} arrived")
        return self._read(length, deadline, None), handles

    def shutdown(self) -> None:
        """End the connection in both directions; a blocked :meth:`receive` of any thread ends."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _write(self, data: memoryview, descriptors: Sequence[int], deadline: float | None) -> int:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        if deadline is None:
            return self._socket.sendmsg([data], rights)
        while True:
            try:
                return self._socket.sendmsg([data], rights, socket.MSG_DONTWAIT)
            except BlockingIOError:
                _wait(self._writable, deadline)

    def _read(self, size: int, deadline: float | None, handles: list[OwnedHandle] | None) -> bytes:
        """``size`` bytes; descriptors may only come with a header, elsewhere the kernel drops them."""
        pieces: list[bytes] = []
        missing = size
        while missing:
            if deadline is not None:
                _wait(self._readable, deadline)
            wanted = min(missing, _CHUNK)
            piece = self._socket.recv(wanted) if handles is None else self._read_with_handles(wanted, handles)
            if not piece:
                self._fail_at_end(header=handles is not None, partial=missing < size)
            pieces.append(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_with_handles(self, size: int, handles: list[OwnedHandle]) -> bytes:
        data, ancillary, flags, _ = self._socket.recvmsg(size, _ANCILLARY, socket.MSG_CMSG_CLOEXEC)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors = array.array("i")
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
                handles.extend(map(OwnedHandle, descriptors))
        if flags & socket.MSG_CTRUNC:
            raise WireError("descriptors were lost: this process has too many open files")
        return data

    @staticmethod
    def _fail_at_end(*, header: bool, partial: bool) -> None:
        if header and not partial:
            raise EOFError("the peer has closed the connection")
        raise ConnectionResetError("the connection ended in the middle of a frame")


def _wait(poller: select.poll, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not poller.poll(math.ceil(left * 1000)):
        raise TimeoutError("the deadline has passed")
