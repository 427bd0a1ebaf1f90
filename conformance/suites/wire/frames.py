"""Frames and calls that break the protocol, and what is due. Source: docs/protocol.md, Frames and Messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from nnvet.transport.wire.framing import HEADER, MAGIC, MAX_PAYLOAD
from nnvet.transport.wire.methods import DEVICE_ID

QUERY: Final = "Device.get_feature_level"
"""A call without arguments that every device answers."""


def frame(payload: bytes, *, descriptors: int = 0, length: int | None = None, magic: int = MAGIC) -> bytes:
    """A frame, whose header may say what is not so."""
    return HEADER.pack(len(payload) if length is None else length, descriptors, magic) + payload


def call(target: int, method: str, *arguments: Any, number: int = 1, released: tuple[int, ...] = ()) -> bytes:
    """The payload of a call."""
    return msgspec.msgpack.encode((target, method, released, arguments, number))


@dataclass(frozen=True)
class RefusedCall:
    """A call that leads nowhere, and the rule that its answer rests on."""

    payload: bytes
    rule: str


_CALL: Final = call(DEVICE_ID, QUERY)

MALFORMED: Final[dict[str, bytes]] = {
    "other_bytes_6_and_7": frame(_CALL, magic=0),
    "too_long_a_payload": frame(b"", length=MAX_PAYLOAD + 1),
    "a_descriptor_that_did_not_come": frame(_CALL, descriptors=1),
    "no_msgpack": frame(b"\xc1"),
    "no_payload": frame(b""),
    "no_call": frame(b"\x91\x01"),
    "a_method_that_is_not_utf_8": frame(b"\x95\x01\xa2\xc3\x28\x90\x90\x01"),
    "more_than_one_value": frame(_CALL + b"\x00"),
}
"""Frames that end the session of the client that sends them."""

REFUSED: Final[dict[str, RefusedCall]] = {
    "unknown_method": RefusedCall(call(DEVICE_ID, "Device.explode"), "wire/method"),
    "method_of_callbacks": RefusedCall(call(DEVICE_ID, "SettledCallback.notify", 0), "wire/method"),
    "unknown_object": RefusedCall(call(99, "Buffer.copy_to", None), "wire/object"),
    "object_of_another_interface": RefusedCall(call(DEVICE_ID, "Burst.release_memory_resource", 1), "wire/object"),
    "too_few_arguments": RefusedCall(call(DEVICE_ID, "Device.get_supported_operations"), "wire/arguments"),
    "too_many_arguments": RefusedCall(call(DEVICE_ID, QUERY, 1), "wire/arguments"),
    "argument_of_another_type": RefusedCall(call(DEVICE_ID, "Device.get_supported_operations", "m"), "wire/arguments"),
}
"""Calls that are answered with INVALID_ARGUMENT, after which the session goes on."""
