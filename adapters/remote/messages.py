"""Messages of the link between the suite and an agent: kinds, layout, checksum. docs/remote.md is the specification.

:func:`pack` makes the bytes of a message, and a :class:`Splitter` turns received bytes into messages.
:mod:`nnvet.adapters.remote.stream` sends and receives them, and :mod:`nnvet.adapters.remote.link` gives them their
meaning. ``agent/`` has the same numbers in C++: if you change one side, change the other, and raise ``VERSION``.
"""

from __future__ import annotations

import struct
import zlib
from enum import IntEnum
from typing import Final, NamedTuple

from nnvet.transport.wire.framing import WireError

PROTOCOL: Final = "nnvet-link"
"""The first line that the suite sends, so that an agent notices a client of another kind."""
VERSION: Final = 4
"""The version of the wire protocol. Versions below 4 pass descriptors, so they need the same machine."""

HEADER: Final = struct.Struct("<IIQHH")
"""CRC-32 of everything behind it, length of the body, id, kind, magic number."""
MAGIC: Final = 0x4C4E
"""The letters "NL" in little-endian order, by which a stream of other bytes is recognised."""
MOST_BODY: Final = 1 << 20
"""Longest body in bytes. A header with a longer one is not a message of an agent, so nothing is allocated for it."""
CHUNK: Final = 1 << 16
"""A long transfer is sent in parts of this many bytes, so that other messages can go between them."""
_SUMMED_FROM: Final = 4
"""First byte that the checksum covers: the one behind the checksum itself."""

U8: Final = struct.Struct("<B")
U16: Final = struct.Struct("<H")
U64: Final = struct.Struct("<Q")
"""Unsigned numbers of 1, 2 and 8 bytes in bodies, little-endian like everything else."""
ENTRY: Final = struct.Struct("<BQ")
"""A descriptor in a frame to the driver: its kind, and the id of the memory, fence or channel."""
FENCE_ENTRY: Final = struct.Struct("<QB")
"""A descriptor in a frame from the driver, which is always a fence: its id and state."""


class MessageKind(IntEnum):
    """Kinds of messages. Most have the same meaning in both directions."""

    HELLO = 1
    FRAME = 2
    PART = 3
    CLOSE = 4
    MEMORY = 5
    RANGE = 6
    RESIZE = 7
    WATCH = 8
    DROP = 9
    SEAL = 10
    FENCE = 11
    PING = 12
    LOOK = 13
    KILL = 14
    REFUSED = 15
    OUTPUT = 16
    EXITED = 17
    KEEP = 18
    PASTE = 19
    AGAIN = 20
    FORGET = 21


_KINDS: Final = frozenset(MessageKind)
"""All kinds, for a quick check of numbers."""


class EntryKind(IntEnum):
    """Kinds of descriptors in a frame to the driver."""

    MEMORY = 1
    FENCE = 2
    CHANNEL = 3
    READ_ONLY = 4
    WRITE_ONLY = 5
    FOLDER = 6


class Message(NamedTuple):
    """One message; the meaning of ``id`` follows from the kind."""

    kind: MessageKind
    id: int
    body: bytes


def pack(kind: MessageKind, identifier: int = 0, body: bytes = b"") -> bytes:
    """Return the bytes of a message."""
    header = HEADER.pack(0, len(body), identifier, kind, MAGIC)[_SUMMED_FROM:]
    return zlib.crc32(body, zlib.crc32(header)).to_bytes(_SUMMED_FROM, "little") + header + body


class Splitter:
    """A buffer that cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that ``data`` completes.

        :raises WireError: the bytes are not a message, or the checksum is wrong.
        """
        self._buffer += data
        found = []
        start = 0
        while len(self._buffer) - start >= HEADER.size:
            total, length, identifier, kind, magic = HEADER.unpack_from(self._buffer, start)
            if magic != MAGIC or length > MOST_BODY:
                raise WireError("what came is no message of an agent")
            end = start + HEADER.size + length
            if len(self._buffer) < end:
                break
            if zlib.crc32(memoryview(self._buffer)[start + _SUMMED_FROM : end]) != total:
                raise WireError("a message was damaged on its way")
            if kind not in _KINDS:
                raise WireError(f"there is no kind {kind} of message")
            found.append(Message(MessageKind(kind), identifier, bytes(self._buffer[start + HEADER.size : end])))
            start = end
        del self._buffer[:start]
        return found
