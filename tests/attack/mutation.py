"""Damage to frames: the bytes that a broken or hostile peer may send instead of a frame.

A mutation is a function of a frame, of the frames that were sent before it, and of a random generator. It gives what
is written instead: nothing, one piece or several.
"""

from __future__ import annotations

import os
import random
import socket
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec
from msgspec.msgpack import Ext

from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.codec import EXT_HANDLE, EXT_OBJECT
from nnvet.transport.wire.framing import HEADER, MAGIC, MAX_ANSWER

_LENGTH: Final = struct.Struct("<I")
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True)
class Frame:
    """A frame as it was meant: its payload, and the descriptors beside its header."""

    payload: bytes
    handles: Sequence[Handle] = ()

    @property
    def header(self) -> bytes:
        """Its header."""
        return HEADER.pack(len(self.payload), len(self.handles), MAGIC)

    @property
    def raw(self) -> bytes:
        """All its bytes."""
        return self.header + self.payload


@dataclass(frozen=True)
class Damage:
    """Replacement of a frame: pieces, each with its descriptors.

    ``closes``: then the connection is closed. ``after_next``: the pieces are written after the next frame.
    """

    pieces: Sequence[tuple[bytes, Sequence[Handle]]] = field(default_factory=tuple)
    closes: bool = False
    after_next: bool = False

    @classmethod
    def instead(cls, raw: bytes, handles: Sequence[Handle]) -> Damage:
        """One piece."""
        return cls(((raw, handles),))

    def with_handles(self, others: Mapping[Handle, Handle]) -> Damage:
        """The same with other descriptors, where there are others for those that were meant."""
        pieces = tuple((piece, [others.get(handle, handle) for handle in handles]) for piece, handles in self.pieces)
        return replace(self, pieces=pieces)


Mutation = Callable[[Frame, Sequence[Frame], random.Random], Damage]


def _flipped(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    raw = bytearray(frame.raw)
    for _bit in range(draw.choice((1, 1, 1, 2, 8))):
        raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
    return Damage.instead(bytes(raw), frame.handles)


def _flipped_in_payload(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    payload = bytearray(frame.payload)
    payload[draw.randrange(len(payload))] ^= 1 << draw.randrange(8)
    return Damage.instead(frame.header + payload, frame.handles)


def _cut_off(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    raw = frame.raw
    return Damage(((raw[: draw.randrange(len(raw))], frame.handles),), closes=True)


def _stopped_short(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    raw = frame.raw
    return Damage.instead(raw[: draw.randrange(len(raw))], frame.handles)


def _inserted(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    raw, at = frame.raw, draw.randrange(len(frame.raw) + 1)
    return Damage.instead(raw[:at] + draw.randbytes(draw.randint(1, 40)) + raw[at:], frame.handles)


def _repeated_bytes(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    raw = frame.raw
    begin, end = sorted((draw.randrange(len(raw)), draw.randrange(len(raw) + 1)))
    return Damage.instead(raw[:end] + raw[begin:], frame.handles)


def _resized(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """A payload of another size, which the header knows of."""
    payload, at = frame.payload, draw.randrange(len(frame.payload) + 1)
    some = draw.randrange(1, 20)
    changed = payload[:at] + (payload[at + some :] if draw.random() < 0.5 else draw.randbytes(some) + payload[at:])
    return _framed(changed, frame.handles)


def _wrong_length(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    size = len(frame.payload)
    wrong = draw.choice((0, max(0, size - draw.randint(1, 9)), size + draw.randint(1, 9), MAX_ANSWER + 1, 2**32 - 1))
    # The announced bytes do not come: the reader that waits for them must see the end.
    closes = size < wrong <= MAX_ANSWER
    return Damage(((_LENGTH.pack(wrong) + frame.raw[_LENGTH.size :], frame.handles),), closes=closes)


def _wrong_count(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    count = len(frame.handles) + draw.choice((-1, 1, 2, 253, 0xFFF0)) & 0xFFFF
    return Damage.instead(HEADER.pack(len(frame.payload), count, MAGIC) + frame.payload, frame.handles)


def _twice(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    if frame.handles or draw.random() < 0.5:
        return Damage(((frame.raw, frame.handles),) * 2)
    return Damage.instead(frame.raw * draw.choice((2, 2, 50)), ())


def _never(*_: object) -> Damage:
    return Damage()


def _late(frame: Frame, *_: object) -> Damage:
    return Damage(((frame.raw, frame.handles),), after_next=True)


def _an_earlier_one(frame: Frame, earlier: Sequence[Frame], draw: random.Random) -> Damage:
    other = draw.choice(earlier) if earlier else frame
    # Its descriptors are closed by now.
    return _framed(other.payload, ())


def _another_message(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    message = draw.choice(_MESSAGES)
    return _framed(msgspec.msgpack.encode(message), frame.handles if draw.random() < 0.5 else ())


def _numbered(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """A call or reply with another number: the last but two of a call, the last of a reply."""
    message = msgspec.msgpack.decode(frame.payload)
    is_call = isinstance(message[1], str) and isinstance(message[2], list)
    at = _NUMBER_OF_CALL if is_call else _NUMBER_OF_REPLY
    if len(message) <= at:
        message += [0] * (at + 1 - len(message))
    message[at] = draw.choice((message[at] + 1, message[at] - 1, 0, -1, 2**63, draw.getrandbits(64), None, "1"))
    return _framed(msgspec.msgpack.encode(message), frame.handles)


def _leaf(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """One value in the message is another."""
    message = msgspec.msgpack.decode(frame.payload)
    places = list(_places(message))
    holder, key = draw.choice(places)
    holder[key] = draw.choice(_STRANGE)
    return _framed(_encoded(message), frame.handles)


def _number_in_it(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """One number, truth value or reference in the message is another of its kind."""
    message = msgspec.msgpack.decode(frame.payload)
    places = [place for place in _places(message) if isinstance(place[0][place[1]], int | float | Ext)]
    holder, key = draw.choice(places)
    holder[key] = _another_value(holder[key], draw)
    return _framed(_encoded(message), frame.handles)


def _another_value(value: Any, draw: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, Ext):
        data = bytes(value.data)
        return Ext(value.code, draw.choice((data[::-1], draw.randbytes(len(data)), bytes(len(data)))))
    return draw.choice((value + 1, value - 1, -value, value * 2, draw.getrandbits(31), draw.getrandbits(63), *_NUMBERS))


def _item(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """An item of a list, or a field, is missing or there again."""
    message = msgspec.msgpack.decode(frame.payload)
    holder, key = draw.choice(list(_places(message)))
    if draw.random() < 0.5:
        del holder[key]
    elif isinstance(holder, list):
        holder[key:key] = [holder[key]] * draw.choice((1, 2, 1000))
    else:
        holder[f"{key}'"] = holder[key]
    return _framed(_encoded(message), frame.handles)


def _long_text(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """A text of megabytes."""
    message = msgspec.msgpack.decode(frame.payload)
    holder, key = draw.choice(
        [place for place in _places(message) if isinstance(place[0][place[1]], str)] or [(message, 1)]
    )
    holder[key] = draw.choice(("x", "\x1b[3\0\n", "\N{SNOWMAN}")) * (_MEGABYTE * draw.choice((1, 2)))
    return _framed(_encoded(message), frame.handles)


def _descriptors(frame: Frame, _: Sequence[Frame], draw: random.Random) -> Damage:
    """Other descriptors than those that were meant; half of the time the header counts them."""
    kinds = [_KINDS[draw.choice(list(_KINDS))]() for _ in range(draw.choice((0, 1, 1, 2, 30)))]
    header = HEADER.pack(len(frame.payload), draw.choice((len(kinds), len(kinds), len(frame.handles))), MAGIC)
    return Damage.instead(header + frame.payload, kinds)


def _framed(payload: bytes, handles: Sequence[Handle]) -> Damage:
    return Damage.instead(Frame(payload, handles).raw, handles)


def _encoded(message: Any) -> bytes:
    return msgspec.msgpack.encode(message)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the places of the values in a message: the list or map, and index or key."""
    keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _no_file() -> OwnedHandle:
    return OwnedHandle(os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC))


def _folder() -> OwnedHandle:
    return OwnedHandle(os.open("/", os.O_RDONLY | os.O_CLOEXEC))


def _pipe() -> OwnedHandle:
    reading, writing = os.pipe()
    os.close(writing)
    return OwnedHandle(reading)


def _socket() -> OwnedHandle:
    return OwnedHandle(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).detach())


def _stream() -> OwnedHandle:
    return OwnedHandle(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).detach())


def _empty_memory() -> OwnedHandle:
    return OwnedHandle(os.memfd_create("empty", os.MFD_CLOEXEC))


_KINDS: Final[dict[str, Callable[[], OwnedHandle]]] = {
    "no file": _no_file,
    "folder": _folder,
    "pipe": _pipe,
    "datagrams": _socket,
    "stream": _stream,
    "empty memory": _empty_memory,
}
_NUMBER_OF_CALL: Final = 4
_NUMBER_OF_REPLY: Final = 4
_NUMBERS: Final = (0, -1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63), 2**64 - 1)
_STRANGE: Final[tuple[object, ...]] = (
    *(None, True, False, 0.5, float("nan"), float("inf"), 1e308, *_NUMBERS),
    *("", "\x1b[2J\0\n", "wire/object", "driver/exception", "x" * 5000, b"", bytes(70_000)),
    *([], {}, [None], [[]], {"type": "ashmem"}, [0] * 10_000, [float("nan")] * 4, [2**63 - 1] * 40),
    *(Ext(EXT_OBJECT, bytes(8)), Ext(EXT_OBJECT, b"\x01" + bytes(7)), Ext(EXT_OBJECT, b"\xff" * 8)),
    *(Ext(EXT_HANDLE, b"\xff\xff"), Ext(EXT_HANDLE, b"\0\0"), Ext(EXT_HANDLE, b"\x05\0"), Ext(77, b"?")),
    *(msgspec.Raw(kind + b"\xff" * 4) for kind in (b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9")),
    *map(msgspec.Raw, (b"\xa2\xc3\x28", b"\xc1", b"\x91" * 100_000)),
)
_MESSAGES: Final[tuple[object, ...]] = (
    ("nnvet-wire", (2,)),
    (0, "", "", (2, "a peer"), 1),
    (0, "", "", None, 1),
    (4, "\x1b[2J", "wire/object", None, 1),
    (4711, "", "", None, 1),
    (0, "Session.end", (), ("wants no more",)),
    (0, "Session.end", (), ()),
    (1, "PreparedModelCallback.notify", (), (0, None)),
    (1, "ExecutionCallback.notify", (), (0, (), {})),
    (0, "Service.open_lane", (), (None,)),
    (1, "Device.name", (0, 1, 2, 3, 2**63), (), 1),
    {},
    (),
    None,
)
MUTATIONS: Final[dict[str, tuple[int, Mutation]]] = {
    "flipped bits": (12, _flipped),
    "flipped bits in the payload": (16, _flipped_in_payload),
    "cut off": (6, _cut_off),
    "stopped short": (1, _stopped_short),
    "inserted bytes": (6, _inserted),
    "repeated bytes": (4, _repeated_bytes),
    "another size": (8, _resized),
    "wrong length": (6, _wrong_length),
    "wrong count of descriptors": (4, _wrong_count),
    "twice": (5, _twice),
    "never": (1, _never),
    "late": (2, _late),
    "an earlier one": (5, _an_earlier_one),
    "another message": (5, _another_message),
    "another number": (4, _numbered),
    "another value": (14, _leaf),
    "another number in it": (14, _number_in_it),
    "an item more or less": (8, _item),
    "long text": (2, _long_text),
    "other descriptors": (5, _descriptors),
}
"""By name: how often it is drawn, relative to the others, and what it does. Those that make peers wait are rare."""


def drawn(draw: random.Random) -> str:
    """The name of a mutation."""
    return draw.choices(list(MUTATIONS), [weight for weight, _ in MUTATIONS.values()])[0]
