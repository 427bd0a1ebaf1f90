"""Suite ``WireTest``: a service keeps the protocol even towards clients that break it.

Each check is one more client of the service, a :class:`RawClient`, which sends and receives plain bytes. The tables
:data:`MALFORMED` and :data:`REFUSED` have the messages; ``docs/wire_vectors.py`` writes them for services in other
languages. The client of all other suites is :mod:`nnvet.transport.wire.client`. Source: docs/protocol.md, Frames and
Messages.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec

from nnvet.adapters.calls import limit_of
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.hal import types as hal
from nnvet.transport.wire.codec import PROTOCOL, VERSIONS, Codec, Hello, Reply, Welcome
from nnvet.transport.wire.framing import HEADER, MAGIC, MAX_PAYLOAD, Channel, WireError
from nnvet.transport.wire.limits import WaitLimit
from nnvet.transport.wire.methods import DEVICE_ID, SERVICE_ID

_NOTHING: Final = (EOFError, OSError)
"""Errors that mean that the service has closed a connection."""


class RawClient:
    """A session with its primary connection and one lane, on which the caller numbers the calls."""

    def __init__(self, connection: socket.socket, limit: Callable[[], WaitLimit]) -> None:
        """Take over a new connection; ``limit`` returns a time limit for an answer."""
        self._primary = Channel(connection)
        self._codec = Codec(_refuse_object, _refuse_object)
        self._limit = limit
        self._lane: socket.socket | None = None

    def greet(self, protocol: str, versions: tuple[int, ...]) -> Reply | None:
        """Send a Hello, and return the answer; None if the service closes the connection instead.

        :raises CaseFailed: there is no answer in time, or it is no reply.
        """
        self._primary.send(*self._codec.encode(Hello(protocol, versions)))
        return self._answer(self._primary)

    def open_lane(self) -> Channel:
        """Shake hands and open a lane.

        :raises CaseFailed: the service does not welcome its own version.
        """
        reply = self.greet(Hello().protocol, VERSIONS)
        if reply is None or reply.status:
            raise fail("wire/version", f"a client that speaks {VERSIONS} is refused: {reply}")
        ours, theirs = socket.socketpair()
        with theirs:
            opening = (SERVICE_ID, "Service.open_lane", (), (hal.Handle(theirs.fileno()),))
            self._primary.send(*self._codec.encode(opening))
        self._lane = ours
        return Channel(ours)

    def send(self, data: bytes) -> None:
        """Send bytes on the lane; errors are ignored, because the service's answer will show them."""
        if self._lane is not None:
            with suppress(OSError):
                self._lane.sendall(data)

    def reply(self, lane: Channel) -> Reply | None:
        """Return the next reply on the lane; raises like :meth:`greet`."""
        return self._answer(lane)

    def decode_welcome(self, reply: Reply) -> Welcome:
        """Return the Welcome that answers Hello.

        :raises CaseFailed: it is no Welcome.
        """
        try:
            return self._codec.decode(reply.result, Welcome)
        except msgspec.DecodeError as error:
            raise fail("wire/version", f"the answer to Hello is no Welcome: {error}") from error

    def has_ended(self) -> bool:
        """Return True if the service closes the session in time; messages before that are skipped."""
        deadline = self._limit()
        try:
            while True:
                self._primary.receive(deadline)
        except TimeoutError:
            return False
        except (*_NOTHING, WireError):
            return True

    def close(self) -> None:
        """End the session."""
        self._primary.close()
        if self._lane is not None:
            self._lane.close()

    def _answer(self, channel: Channel) -> Reply | None:
        """Return the next reply on a channel; None if the service closes it instead.

        :raises CaseFailed: there is no answer in time, or it is no reply.
        """
        limit = self._limit()
        try:
            payload, _ = channel.receive(limit)
            return self._codec.decode(payload, Reply)
        except TimeoutError as error:
            raise fail("driver/hang", f"no answer within {limit}") from error
        except _NOTHING:
            return None
        except (WireError, msgspec.DecodeError) as error:
            raise fail("wire/frame", f"the answer is no reply: {error}") from error


def _refuse_object(*_: object) -> int:
    """Fail: the messages of these checks have no objects, so the codec never asks for one."""
    raise AssertionError("no objects are sent")


@contextmanager
def raw_client(subject: Subject) -> Iterator[RawClient]:
    """Open one more client of the driver's service, before its handshake.

    :raises CaseFailed: UNSUPPORTED if the service takes only one client, or there is no service.
    """
    client = RawClient(subject.connection_of_client(), partial(limit_of, subject.device, subject.timeout_s))
    try:
        yield client
    finally:
        client.close()


QUERY: Final = "Device.get_feature_level"
"""A call without arguments that every device answers."""


def frame(payload: bytes, *, descriptors: int = 0, length: int | None = None, magic: int = MAGIC) -> bytes:
    """Return a frame, whose header may be wrong."""
    return HEADER.pack(len(payload) if length is None else length, descriptors, magic) + payload


def call(target: int, method: str, *arguments: Any, number: int = 1, released: tuple[int, ...] = ()) -> bytes:
    """Return the payload of a call."""
    return msgspec.msgpack.encode((target, method, released, arguments, number))


@dataclass(frozen=True)
class RefusedCall:
    """A call of something that does not exist, and the rule of its refusal."""

    payload: bytes
    rule: str


_CALL: Final = call(DEVICE_ID, QUERY)
"""A valid call, for frames that are wrong otherwise."""

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


_SUITE: Final = "WireTest"
"""An addition of this project."""
_LATER: Final = 1_000_000
"""A protocol version that does not exist."""
_UNKNOWN_OBJECT: Final = 1 << 40
"""Id that the service has not given to any object."""


@check(_SUITE, "CommonVersion", rules=("wire/version",), needs_operation=False)
def common_version(subject: Subject, _: None) -> None:
    """A service that is offered its own versions beside an unknown one chooses one of its own."""
    with raw_client(subject) as client:
        reply = client.greet(PROTOCOL, (_LATER, *VERSIONS))
        if reply is None or reply.status:
            raise fail("wire/version", f"a client that speaks {(_LATER, *VERSIONS)} is refused")
        version = client.decode_welcome(reply).version
        if version not in VERSIONS:
            raise fail("wire/version", f"the service welcomes version {version} of {(_LATER, *VERSIONS)}")


@check(
    _SUITE,
    "NothingInCommon",
    rules=("wire/version",),
    parameters=lambda: {"version": (PROTOCOL, (_LATER,)), "no_version": (PROTOCOL, ()), "protocol": ("x", VERSIONS)},
    needs_operation=False,
)
def nothing_in_common(subject: Subject, spoken: tuple[str, tuple[int, ...]]) -> None:
    """A client with only unknown versions is refused or disconnected, never welcomed."""
    with raw_client(subject) as sibling:
        sibling.open_lane()
    with raw_client(subject) as client:
        reply = client.greet(*spoken)
        if reply is not None and not reply.status:
            raise fail("wire/version", f"a client that speaks {spoken[0]} {spoken[1]} is welcomed")
        _check_ended(client, "wire/version", "a client that was refused")


@check(_SUITE, "MalformedFrame", rules=("wire/frame",), parameters=lambda: MALFORMED, needs_operation=False)
def malformed_frame(subject: Subject, data: bytes) -> None:
    """A malformed frame ends the session of its sender, and no other."""
    with raw_client(subject) as client:
        lane = client.open_lane()
        _check_alive(client, lane)
        client.send(data)
        _check_ended(client, "wire/frame", "a client that has sent a malformed frame")
    subject.device.get_feature_level()


@check(
    _SUITE,
    "RefusedCall",
    rules=("wire/method", "wire/object", "wire/arguments"),
    parameters=lambda: REFUSED,
    needs_operation=False,
)
def refused_call(subject: Subject, refused: RefusedCall) -> None:
    """A call of something that does not exist is answered with INVALID_ARGUMENT, and the session goes on."""
    with raw_client(subject) as client:
        lane = client.open_lane()
        _check_alive(client, lane)
        reply = _exchange(client, lane, refused.payload, refused.rule)
        if reply.status != hal.ErrorStatus.INVALID_ARGUMENT:
            raise fail(refused.rule, f"the call is answered with status {reply.status}, not INVALID_ARGUMENT")
        _check_alive(client, lane)


@check(_SUITE, "ReleaseOfNothing", rules=("wire/release",), needs_operation=False)
def release_of_nothing(subject: Subject, _: None) -> None:
    """Releasing an unknown id, the service or the device has no effect."""
    with raw_client(subject) as client:
        lane = client.open_lane()
        released = (_UNKNOWN_OBJECT, SERVICE_ID, DEVICE_ID)
        _exchange(client, lane, call(DEVICE_ID, QUERY, released=released), "wire/release")
        reply = _exchange(client, lane, call(DEVICE_ID, QUERY), "wire/release")
        if reply.status:
            raise fail("wire/release", f"the device is gone after it was released: {reply.message}")


@check(_SUITE, "UnknownField", rules=("wire/fields",), needs_operation=False)
def unknown_field(subject: Subject, _: None) -> None:
    """A structure with an unknown field, and without fields that have their defaults, is read as usual."""
    whole: dict[str, Any] = msgspec.to_builtins(_build_floor(), builtin_types=(bytes,))
    operands = [
        {name: operand[name] for name in ("type", "dimensions", "lifetime")} for operand in whole["main"]["operands"]
    ]
    sparse = {"main": {**whole["main"], "operands": operands}, "of_later_versions": 1}
    with raw_client(subject) as client:
        lane = client.open_lane()
        answers = [
            _exchange(client, lane, call(DEVICE_ID, "Device.get_supported_operations", model), "wire/fields")
            for model in (whole, sparse)
        ]
        if [answers[0].status, bytes(answers[0].result)] != [answers[1].status, bytes(answers[1].result)]:
            raise fail("wire/fields", f"the same model is answered otherwise: {answers[1].message or 'another result'}")


def _build_floor() -> hal.Model:
    """Return FLOOR of a vector, which every level has."""
    vector = (2,)
    lifetimes = (hal.OperandLifeTime.SUBGRAPH_INPUT, hal.OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = tuple(hal.Operand(hal.OperandType.TENSOR_FLOAT32, vector, lifetime=lifetime) for lifetime in lifetimes)
    return hal.Model(hal.Subgraph(operands, (hal.Operation(hal.OperationType.FLOOR, (0,), (1,)),), (0,), (1,)))


def _exchange(client: RawClient, lane: Channel, payload: bytes, rule: str) -> Reply:
    """Return the reply to a call; a session that ends instead breaks ``rule``."""
    client.send(frame(payload))
    reply = client.reply(lane)
    if reply is None:
        raise fail(rule, "the session has ended instead of an answer")
    if reply.number != 1:
        raise fail("wire/frame", f"call 1 is answered as call {reply.number}")
    return reply


def _check_alive(client: RawClient, lane: Channel) -> None:
    """Check that the service still answers the client."""
    reply = _exchange(client, lane, call(DEVICE_ID, QUERY), "wire/frame")
    if reply.status:
        raise fail("wire/frame", f"{QUERY} fails: {reply.message}", status=reply.status)


def _check_ended(client: RawClient, rule: str, who: str) -> None:
    """Check that the service closes the client's session in time."""
    if not client.has_ended():
        raise fail(rule, f"the session of {who} goes on")
