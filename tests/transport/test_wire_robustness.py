"""Peers that break the protocol: the service survives its clients, and the client any service."""

import logging
import struct
from collections.abc import Iterator
from contextlib import suppress

import msgspec
import pytest

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError
from nnvet.hal.types import ErrorStatus, Handle, Model, PrepareModelConfig
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.codec import Codec, Hello, Welcome
from nnvet.transport.wire.failures import DriverCrash, DriverGone, DriverHang
from nnvet.transport.wire.framing import Channel
from tests.transport.wire_sessions import (
    PATIENCE_S,
    WELCOME,
    Callback,
    RawClient,
    Scripted,
    check_descriptors,
    open_descriptors,
    pack,
    session_with,
)

NOT_UTF8 = msgspec.Raw(b"\x81\xa4name\xa2\xc3\x28")
NOT_UTF8_CALL = b"\x95\x01\xa2\xc3\x28\x90\x90\x01"
MALFORMED = {
    "text": b"GET / HTTP/1.1\r\n\r\n",
    "too long": struct.pack("<IHH", 0xFFFFFFFF, 0, 0x564E),
    "descriptors that did not come": struct.pack("<IHH", 1, 1, 0x564E) + b"\x00",
    "no msgpack": struct.pack("<IHH", 1, 0, 0x564E) + b"\xc1",
    "empty": struct.pack("<IHH", 0, 0, 0x564E),
    "no call": struct.pack("<IHH", 2, 0, 0x564E) + b"\x91\x01",
    "deep nesting": struct.pack("<IHH", 100_000, 0, 0x564E) + b"\x91" * 100_000,
    "method that is not UTF-8": struct.pack("<IHH", len(NOT_UTF8_CALL), 0, 0x564E) + NOT_UTF8_CALL,
    "deeply nested arguments": struct.pack("<IHH", 100_004, 0, 0x564E) + b"\x94\x01\xa0\x90" + b"\x91" * 100_000,
}
NOT_CALLABLE = {
    "unknown method": ((1, "Device.explode", (), ()), "wire/method"),
    "method of the client": ((1, "PreparedModelCallback.notify", (), (0, None)), "wire/method"),
    "unknown object": ((99, "Buffer.copy_to", (), (None,)), "wire/object"),
    "too few arguments": ((1, "Device.get_supported_operations", (), ()), "wire/arguments"),
    "too many arguments": ((1, "Device.get_type", (), (1,)), "wire/arguments"),
    "wrong type of argument": ((1, "Device.get_supported_operations", (), ("model",)), "wire/arguments"),
    "descriptor that was not sent": (
        (
            1,
            "Device.prepare_model_from_cache",
            (),
            (0, ({"type": "mmap_fd", "handle": 0, "length": 1},), (), b"", None),
        ),
        "wire/arguments",
    ),
    "method of another interface": ((1, "Burst.release_memory_resource", (), (1,)), "wire/object"),
    "method of the service on the device": ((1, "Service.open_client", (), (None,)), "wire/object"),
    "text that is not UTF-8": ((1, "Device.get_supported_operations", (), (NOT_UTF8,)), "wire/arguments"),
}


@pytest.fixture
def device() -> BaseDevice:
    """Any device."""
    return BaseDevice()


@pytest.fixture
def client(device: BaseDevice) -> Iterator[RawClient]:
    """A client that can say anything."""
    raw = RawClient(device)
    yield raw
    raw.close()


@pytest.mark.parametrize("frame", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("where", ["handshake", "primary", "lane"])
def test_malformed_frames_end_their_session_only(
    device: BaseDevice, client: RawClient, caplog: pytest.LogCaptureFixture, frame: bytes, where: str
) -> None:
    """The connection is closed with a line in the log that names client and cause; other clients notice nothing."""
    with session_with(device) as other, caplog.at_level(logging.ERROR, "nnvet.service"):
        corrupt = client.socket
        if where != "handshake":
            assert client.hello().status == 0
        if where == "lane":
            corrupt, lane = client.open_lane()
            assert client.call(lane, 1, "Device.get_type", (), ()).status == 0
        corrupt.sendall(frame)
        client.service.join()
        assert "sent a malformed frame (" in client.farewell()
        # Bytes that the service has not read turn the end into a reset.
        with suppress(ConnectionResetError):
            assert corrupt.recv(1) == b""
        corrupt.close()
        (record,) = caplog.records
        assert "raw client sent a malformed frame (" in record.getMessage()
        assert other.device.name == "base"


@pytest.mark.parametrize(("message", "rule"), NOT_CALLABLE.values(), ids=NOT_CALLABLE.keys())
def test_calls_that_lead_nowhere_are_answered(client: RawClient, message: tuple[object, ...], rule: str) -> None:
    """A well-formed message that calls nothing is answered with an error, and the session goes on."""
    client.hello()
    connection, lane = client.open_lane()
    with connection:
        reply = client.call(lane, *message)
        assert (reply.error().status is not ErrorStatus.NONE, reply.rule) == (True, rule)
        assert client.call(lane, 1, "Device.name", (), ()).status == 0


def test_releasing_the_device_has_no_effect(client: RawClient) -> None:
    """A client cannot take away the service's own objects, nor release what does not exist."""
    client.hello()
    connection, lane = client.open_lane()
    with connection:
        assert client.call(lane, 1, "Device.name", (0, 1, 77, -1), ()).status == 0
        assert client.call(lane, 1, "Device.name", (), ()).status == 0


def test_lane_that_is_no_socket(client: RawClient) -> None:
    """A descriptor of something else as a lane does no harm."""
    client.hello()
    with open("/dev/null", "rb") as null:  # noqa: PTH123 - only its descriptor is wanted
        payload, handles = client.codec.encode((0, "Service.open_lane", (), (Handle(null.fileno()),)))
        client.primary.send(payload, handles)
    connection, lane = client.open_lane()
    with connection:
        assert client.call(lane, 1, "Device.name", (), ()).status == 0


@pytest.mark.parametrize("hello", [Hello("other-wire"), Hello(versions=(1, 4)), Hello(versions=())])
def test_other_versions_are_refused(client: RawClient, hello: Hello) -> None:
    """A client that does not speak this version learns which one the service speaks."""
    reply = client.hello(hello)
    assert (reply.status, reply.rule) == (ErrorStatus.INVALID_ARGUMENT, "wire/version")
    assert "speaks nnvet-wire 3 or 2" in reply.message


@pytest.mark.parametrize(("versions", "best"), [((4, 3), 3), ((4, 2), 2), ((2, 3), 3), ((2,), 2)])
def test_later_versions_beside_ours_are_accepted(client: RawClient, versions: tuple[int, ...], best: int) -> None:
    """A client that speaks several versions gets the best that both know."""
    reply = client.hello(Hello(versions=versions))
    assert msgspec.msgpack.decode(reply.result, type=Welcome).version == best


@pytest.mark.parametrize(
    ("welcome", "error"),
    [
        (pack(0, "", "", "welcome"), DriverCrash),
        (pack(0, "", "", (1, "a version that was not offered")), DriverCrash),
        (b"\xc1", DriverCrash),
        (pack(4, "not you", "", None), HalError),
        (pack(4711, "what?", "", None), HalError),
        (None, DriverHang),
    ],
    ids=["wrong result", "wrong version", "no msgpack", "refusal", "unknown status", "silence"],
)
def test_handshakes_that_fail(welcome: bytes | None, error: type[Exception]) -> None:
    """Whatever a service answers to the handshake, the client says what happened."""
    timeout_s = PATIENCE_S if welcome else 0.05
    with Scripted(welcome) as service, pytest.raises(error):
        Session(service.client, timeout_s=timeout_s)


@pytest.mark.parametrize(
    "answer",
    [b"\xc1", b"", pack(0, "", ""), pack("0", "", "", None, 1), pack(0, "", "", 2), pack(0, "", "", 2, 2)],
    ids=["no msgpack", "empty", "short", "text", "no number", "number of another call"],
)
def test_answers_that_are_no_replies(answer: bytes) -> None:
    """A reply that is none, or to another call, ends the session: the client cannot know what comes next."""
    with Scripted(WELCOME, lambda _, lane: lane.send(answer)) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(DriverCrash) as crash:
            session.device.get_type()
        assert crash.value.evidence.call == "Device.get_type"
        assert not session.alive
        session.close()


def test_unknown_status_is_a_general_failure() -> None:
    """A status that the contract does not know counts as GENERAL_FAILURE and is reported."""
    with Scripted(WELCOME, lambda _, lane: lane.send(pack(99, "odd", "", None, 1))) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(HalError, match="unknown status 99: odd") as refused:
            session.device.get_type()
        assert refused.value.status is ErrorStatus.GENERAL_FAILURE
        session.close()


def test_notification_for_nobody_is_a_fault() -> None:
    """A notification for a callback that the client never named is kept, and does no harm."""

    def answer(primary: Channel, lane: Channel) -> None:
        primary.send(pack(1234, "PreparedModelCallback.notify", (), (0, None)))
        lane.send(pack(0, "", "", 2, 1))

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        assert session.device.get_type() == 2
        session.close()
        assert session.faults == ("PreparedModelCallback.notify for the unknown callback 1234",)


def test_notification_by_another_method_is_a_failure(add_model: Model) -> None:
    """A callback has one method: whoever calls another one has not notified success."""

    def answer(primary: Channel, lane: Channel) -> None:
        primary.send(pack(1, "ExecutionCallback.notify", (), (0, None)))
        lane.send(pack(0, "", "", None, 1))

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        callback = Callback()
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        assert callback.arrived.wait(PATIENCE_S)
        assert callback.notifications == [(ErrorStatus.GENERAL_FAILURE, None)]
        session.close()


def test_first_call_to_a_dead_service_leaves_nothing_open() -> None:
    """A service that dies right after the handshake is a crash, and the lane for the call is closed again."""
    with Scripted(WELCOME) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        before = open_descriptors()
        service.hang_up()
        with pytest.raises(DriverCrash):
            session.device.get_type()
        session.close()
        # The primary has gone at both ends.
        check_descriptors(before - 2)


def test_death_wakes_whoever_waits(add_model: Model) -> None:
    """When the service goes, pending callbacks are notified of DEAD_OBJECT and later calls are crashes."""

    def answer(primary: Channel, lane: Channel) -> None:
        lane.send(pack(0, "", "", None, 1))
        primary.shutdown()

    with Scripted(WELCOME, answer) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        callback = Callback()
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        assert callback.arrived.wait(PATIENCE_S)
        assert callback.notifications == [(ErrorStatus.DEAD_OBJECT, None)]
        with pytest.raises(DriverGone) as gone:
            session.device.get_type()
        assert gone.value.status is ErrorStatus.DEAD_OBJECT
        session.close()


def test_codec_keeps_no_handle() -> None:
    """A message's descriptors are not kept by the codec once the message has been handled."""
    codec = Codec(lambda *_: 0, lambda *_: None)
    assert len(codec.encode([Handle(3), codec])[1]) == 1
    assert codec._outgoing == []
    codec.decode(b"\x01", int, [])
    assert codec._handles == ()
