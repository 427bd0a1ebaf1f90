"""Meaning of the bytes of a frame to its receiver, read without the suite's own reader."""

from __future__ import annotations

import msgspec

from nnvet.hal.types import ExecutionResult
from nnvet.transport.wire.codec import Reply
from nnvet.transport.wire.framing import HEADER, MAGIC, MAX_ANSWER


def meaning(raw: bytes) -> tuple[int, bytes] | None:
    """The count of descriptors and the message; None if the bytes are no such frame.

    The texts of a success are left out, because the receiver must ignore them.
    """
    payload = raw[HEADER.size :]
    if len(raw) < HEADER.size:
        return None
    length, count, magic = HEADER.unpack_from(raw)
    if (length, magic) != (len(payload), MAGIC) or length > MAX_ANSWER:
        return None
    try:
        message = msgspec.msgpack.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if isinstance(message, list) and message[:1] == [0]:
        message[1:3] = [type(text).__name__ for text in message[1:3]]
    # In Python 0 is equal to False, on the wire it is not.
    return count, msgspec.msgpack.encode(message)


def result_of(raw: bytes) -> ExecutionResult | None:
    """The result that the reply to an execution holds; None if it is no such reply, or not well-formed."""
    try:
        reply = msgspec.msgpack.decode(raw[HEADER.size :], type=Reply)
        result = msgspec.msgpack.decode(reply.result, type=ExecutionResult)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if reply.status else result


def is_same_result(meant: ExecutionResult, sent: ExecutionResult | None) -> bool:
    """Return True if both say the same of the outputs; a driver may leave out their shapes."""
    if sent is None or sent.output_sufficient_size != meant.output_sufficient_size:
        return False
    return sent.output_shapes in (meant.output_shapes, ())
