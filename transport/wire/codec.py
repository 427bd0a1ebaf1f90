"""Messages of a session in msgpack, with extensions for descriptors and object references.

:class:`Codec` encodes and decodes them at both ends (``client.py`` and ``server.py``). Each message is an array; see
docs/protocol.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from msgspec.msgpack import Decoder, Encoder, Ext

from nnvet.hal.errors import HalError
from nnvet.hal.types import ErrorStatus, Handle
from nnvet.transport.wire.framing import MAX_HANDLES, MAX_PAYLOAD
from nnvet.transport.wire.texts import one_line

T = TypeVar("T")

EXT_HANDLE: Final = 1
"""Extension type of descriptors: two bytes, little endian, index into the frame's descriptors or NO_HANDLE."""

EXT_OBJECT: Final = 2
"""Extension type of objects: eight bytes, little endian, the id of an object."""

NO_HANDLE: Final = 0xFFFF
"""Index that stands for no descriptor."""
_ORDER: Final = "little"


class Codec:
    """Encodes and decodes for one connection; one message at a time."""

    def __init__(
        self,
        export: Callable[[Any, object], int],
        resolve: Callable[[Any, int], object],
        limit: int = MAX_PAYLOAD,
    ) -> None:
        """Keep ``export``, which returns the id of an object, and ``resolve``, which returns the object of an id.

        Both get the object's interface, too. ``limit`` is the number of bytes that a payload to be sent may have.
        """
        self._limit = limit
        self._export = export
        self._resolve = resolve
        self._encoder = Encoder(enc_hook=self._encode_object)
        self._decoders: dict[object, Decoder[Any]] = {}
        self._handles: Sequence[Handle] = ()
        self._outgoing: list[Handle] = []
        self._interface: Any = None

    def encode(self, message: object, interface: Any = None) -> tuple[bytes, list[Handle]]:
        """Return the payload and descriptors of a message; ``interface`` is that of the objects that it refers to.

        :raises TypeError: for values that the wire cannot carry.
        :raises UnicodeEncodeError: for texts with lone surrogates.
        :raises OverflowError: for integers of more than 64 bits, and for messages that do not fit in a frame.
        """
        self._outgoing = []
        self._interface = interface
        payload = self._encoder.encode(message)
        # Handles that were kept here would stay open until the next message.
        outgoing, self._outgoing = self._outgoing, []
        if len(payload) > self._limit or len(outgoing) > MAX_HANDLES:
            raise OverflowError(f"{len(payload)} bytes and {len(outgoing)} descriptors do not fit in a frame")
        return payload, outgoing

    def decode(self, payload: bytes | msgspec.Raw, kind: type[T], handles: Sequence[Handle] = ()) -> T:
        """Return the ``kind`` of value that a payload holds.

        :raises msgspec.DecodeError: if it holds anything else.
        """
        decoder = self._decoders.get(kind)
        if decoder is None:
            decoder = self._decoders[kind] = Decoder(kind, dec_hook=self._decode_object)
        self._handles = handles
        try:
            value: T = decoder.decode(payload)
        except RecursionError as error:
            raise msgspec.DecodeError("nested too deeply") from error
        except UnicodeDecodeError as error:
            raise msgspec.DecodeError(f"a text is not UTF-8: {error}") from error
        finally:
            self._handles = ()
        return value

    def _encode_object(self, value: object) -> object:
        if isinstance(value, Handle):
            return Ext(EXT_HANDLE, self._index(value).to_bytes(2, _ORDER))
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, int):
            return int(value)
        return Ext(EXT_OBJECT, self._export(self._interface, value).to_bytes(8, _ORDER))

    def _index(self, handle: Handle) -> int:
        if handle.fd < 0:
            return NO_HANDLE
        if handle not in self._outgoing:
            self._outgoing.append(handle)
        return self._outgoing.index(handle)

    def _decode_object(self, kind: Any, value: object) -> object:
        if kind is Handle:
            return self._handle(_identifier(value, EXT_HANDLE, 2))
        return None if value is None else self._resolve(kind, _identifier(value, EXT_OBJECT, 8))

    def _handle(self, index: int) -> Handle:
        if index == NO_HANDLE:
            return Handle(-1)
        if index >= len(self._handles):
            raise ValueError(f"descriptor {index} of {len(self._handles)}")
        return self._handles[index]


def _identifier(value: object, code: int, size: int) -> int:
    data = bytes(value.data) if isinstance(value, Ext) and value.code == code else b""
    if len(data) != size:
        raise ValueError(f"expected extension {code} of {size} bytes, got {type(value).__name__}")
    return int.from_bytes(data, _ORDER)


CLIENT_STARTS_S: Final = 120.0
"""Time limit from a connection to the client's Hello; the connection may exist before the client's process starts."""

PROTOCOL: Final = "nnvet-wire"
VERSIONS: Final = (3, 2)
"""Supported versions of the protocol, the best first. Any change that older peers would misread needs a new one."""

NOTIFICATIONS_WITH_REPLIES: Final = 3
"""First version in which a reply may carry notifications."""


FAREWELL: Final = "Session.end"
"""Method of a service's last message if the service ends the session: a Call of target 0 with the reason."""


class Hello(msgspec.Struct, array_like=True, frozen=True):
    """First message of a client, with the versions that it supports."""

    protocol: str = PROTOCOL
    versions: tuple[int, ...] = VERSIONS


class Welcome(msgspec.Struct, array_like=True, frozen=True):
    """Result of the reply to :class:`Hello`: the version chosen, and the name of the service for people."""

    version: int
    implementation: str


class CallMessage(msgspec.Struct, array_like=True, frozen=True):
    """Call of a method of one of the receiver's objects.

    ``released`` are ids of the receiver's objects that the sender will not use any more. The reply repeats ``number``;
    calls without a reply need none. A notification of a failure may give the reason in ``message`` and ``rule``.
    """

    target: int
    method: str
    released: tuple[int, ...]
    arguments: msgspec.Raw
    number: int = 0
    message: str = ""
    rule: str = ""


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """Answer to a call or to :class:`Hello`; ``status`` 0 comes with a result, any other with the reason.

    ``number`` is that of the call, ``notifications`` are those that the thread which served it has made meanwhile (from
    version 3 on). Both come last, so that versions can refuse each other in words that both know.
    """

    status: int
    message: str
    rule: str
    result: msgspec.Raw
    number: int = 0
    notifications: tuple[CallMessage, ...] = ()

    def error(self) -> HalError:
        """Return the exception that the reply represents; an unknown status counts as GENERAL_FAILURE."""
        if self.status in ErrorStatus.__members__.values():
            return HalError(ErrorStatus(self.status), one_line(self.message), one_line(self.rule))
        message = f"unknown status {self.status}: {one_line(self.message)}"
        return HalError(ErrorStatus.GENERAL_FAILURE, message, "driver/reply")
