"""Limits of a service: what one client may take, and that the others notice nothing."""

import gc
import logging
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from msgspec.msgpack import Ext

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device
from nnvet.hal.types import BufferDesc, ErrorStatus, Handle
from nnvet.transport.wire import server
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.codec import CLIENT_STARTS_S, EXT_HANDLE, EXT_OBJECT
from nnvet.transport.wire.methods import DEVICE_ID, METHODS, SERVICE_ID
from nnvet.transport.wire.server import Load, ServiceLimits, ServiceSession
from tests.transport.wire_sessions import PATIENCE_S, RawClient, check_descriptors, open_descriptors, pack

BLOCK = 1 << 16


@contextmanager
def client_of(load: Load, device: Device | None = None) -> Iterator[Session]:
    """A client of a service with a certain load."""
    ours, theirs = socket.socketpair()
    service = threading.Thread(target=ServiceSession(device or BaseDevice(), theirs, "client", load).run)
    service.start()
    try:
        session = Session(ours, timeout_s=PATIENCE_S)
        try:
            yield session
        finally:
            session.close()
    finally:
        ours.close()
        service.join()


def lane_threads() -> set[threading.Thread]:
    """The threads that serve lanes now."""
    return {thread for thread in threading.enumerate() if thread.name == "nnvet-lane"}


def join_lanes(others: set[threading.Thread]) -> None:
    """Wait for the end of all lanes but the others."""
    for thread in lane_threads() - others:
        thread.join()


def reference(identifier: int) -> Ext:
    """A reference to an object."""
    return Ext(EXT_OBJECT, identifier.to_bytes(8, "little"))


@pytest.fixture
def raw() -> Iterator[RawClient]:
    """A client that can say anything, of a service that takes two lanes and 64 KiB of long messages."""
    client = RawClient(BaseDevice(), Load(ServiceLimits(clients=1, lanes=2, bytes_at_work=BLOCK)))
    client.hello()
    lanes_before = lane_threads()
    yield client
    client.close()
    join_lanes(lanes_before)


def test_too_many_clients_are_refused_one_by_one() -> None:
    """Beyond the limit a client learns why it is refused; one that goes leaves its place to the next."""
    load = Load(ServiceLimits(clients=2))
    with ExitStack() as stack:
        first = stack.enter_context(client_of(load))
        with client_of(load):
            with pytest.raises(HalError, match="2 clients") as refused:
                stack.enter_context(client_of(load))
            assert (refused.value.status, refused.value.rule) == (
                ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
                "wire/limits",
            )
        assert stack.enter_context(client_of(load)).device.name == first.device.name


def test_too_many_lanes_end_their_session(raw: RawClient, caplog: pytest.LogCaptureFixture) -> None:
    """The lanes up to the limit are served; one more ends the session, which learns why, and leaves nothing open."""
    before, lanes_before = open_descriptors(), lane_threads()
    lanes = [raw.open_lane() for _ in range(2)]
    for _, lane in lanes:
        assert raw.call(lane, 1, "Device.name", (), ()).status == 0
    with caplog.at_level(logging.ERROR, "nnvet.service"):
        lanes.append(raw.open_lane())
        assert "2 lanes" in raw.farewell()
        raw.service.join()
    assert "2 lanes" in caplog.text
    for connection, _ in lanes:
        assert connection.recv(1) == b""
        connection.close()
    join_lanes(lanes_before)
    # The service's end of the primary has gone too.
    check_descriptors(before - 1)


def test_lanes_that_are_closed_free_theirs(raw: RawClient) -> None:
    """Only open lanes count."""
    lanes_before = lane_threads()
    for _ in range(10):
        connection, lane = raw.open_lane()
        assert raw.call(lane, 1, "Device.name", (), ()).status == 0
        connection.close()
        join_lanes(lanes_before)


def test_messages_that_are_too_much_together(raw: RawClient) -> None:
    """Long messages count while they are read and acted on; what is beyond the limit ends that session."""
    connection, lane = raw.open_lane()
    with connection:
        for _ in range(3):
            reply = raw.call(lane, 1, "Device.get_type", (), (bytes(BLOCK * 3 // 2),))
            assert reply.rule == "wire/arguments"
        lane.send(bytes(3 * BLOCK))
        assert f"at most {BLOCK} bytes" in raw.farewell()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ["Service.open_lane", "Service.open_client"])
@pytest.mark.parametrize("kind", ["file", "datagrams", "nothing"])
def test_connections_that_are_none(raw: RawClient, place: str, kind: str) -> None:
    """A descriptor that is no stream socket is closed again, and the session goes on."""
    connection, lane = raw.open_lane()
    assert raw.call(lane, 1, "Device.name", (), ()).status == 0
    before, lanes_before = open_descriptors(), lane_threads()
    with ExitStack() as stack:
        for _ in range(3):
            payload, handles = raw.codec.encode((0, place, (), (_no_lane(kind, stack),)))
            raw.primary.send(payload, handles)
    # A third lane would be one too many if those had counted.
    other, second = raw.open_lane()
    assert raw.call(second, 1, "Device.name", (), ()).status == 0
    other.close()
    join_lanes(lanes_before)
    check_descriptors(before)
    connection.close()


def _no_lane(kind: str, stack: ExitStack) -> Handle:
    if kind == "nothing":
        return Handle(-1)
    if kind == "file":
        return Handle(stack.enter_context(open("/dev/null", "rb")).fileno())  # noqa: PTH123 - its descriptor is wanted
    return Handle(stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).fileno())


def test_no_thread_for_a_lane_ends_the_session(raw: RawClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that cannot start a thread says so, instead of leaving the client without an answer."""

    def no_thread(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    connection, _ = raw.open_lane()
    assert "can't start new thread" in raw.farewell()
    monkeypatch.undo()
    with connection:
        assert connection.recv(1) == b""


def test_what_a_call_makes_after_the_client_has_gone_is_released() -> None:
    """Nobody will: what is still at work when a session ends leaves nothing behind, not even for the collector."""
    entered, may_go = threading.Event(), threading.Event()
    made: list[weakref.ref[Memory]] = []

    class Slow(BaseDevice):
        def allocate(self, *_: Any) -> tuple[Any, int]:
            entered.set()
            may_go.wait(PATIENCE_S)
            memory = Memory()
            made.append(weakref.ref(memory))
            return memory, 1

    lanes_before = lane_threads()
    client = RawClient(Slow())
    client.hello()
    connection, lane = client.open_lane()
    lane.send(pack(DEVICE_ID, "Device.allocate", (), (BufferDesc(), (), (), ()), 1))
    assert entered.wait(PATIENCE_S)
    gc.disable()
    try:
        client.close()
        may_go.set()
        join_lanes(lanes_before)
        assert [weak() for weak in made] == [None]
    finally:
        gc.enable()
    connection.close()


class Confused(BaseDevice):
    """Answers with something that makes the service itself fail."""

    def get_type(self) -> Any:
        """A failure whose message has no text."""

        class Mute:
            def __str__(self) -> str:
                raise ZeroDivisionError

        raise HalError(ErrorStatus.GENERAL_FAILURE, Mute())  # type: ignore[arg-type]


def test_whatever_fails_in_the_service_its_client_hears_of_it() -> None:
    """A lane whose thread fails is closed with its session: nobody waits for ever, nothing stays open."""
    before, lanes_before = open_descriptors(), lane_threads()
    client = RawClient(Confused())
    client.hello()
    connection, lane = client.open_lane()
    with connection, pytest.raises((EOFError, ConnectionError)):
        client.call(lane, 1, "Device.get_type", (), (), 1)
    assert "ZeroDivisionError" in client.farewell()
    client.close()
    join_lanes(lanes_before)
    check_descriptors(before)


def test_a_client_that_does_not_listen_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads no notifications holds up the driver's threads no longer than the service's patience."""
    client = RawClient(BaseDevice())
    client.hello()
    connection, lane = client.open_lane()
    monkeypatch.setattr(server, "_PATIENCE_S", 0.0)
    with connection, pytest.raises((EOFError, ConnectionError)):
        for _ in range(100_000):
            client.call(lane, 0, "Service.settle", (), (reference(1),))
    client.close()


def test_a_client_that_does_not_begin_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """But not before whoever starts its process has given up."""
    assert server._BEGINNING_S > CLIENT_STARTS_S
    monkeypatch.setattr(server, "_BEGINNING_S", 0.0)
    ours, theirs = socket.socketpair()
    with ours:
        ServiceSession(BaseDevice(), theirs).run()
        assert ours.recv(1) == b""


def test_companions_count_as_clients() -> None:
    """A client that asks for more sessions of the same service gets as many as any client would."""
    load = Load(ServiceLimits(clients=1))
    with client_of(load) as session:
        ours, theirs = socket.socketpair()
        with theirs:
            session.call(0, METHODS["Service.open_client"], (Handle(theirs.fileno()),))
        with pytest.raises(HalError, match="1 clients"):
            Session(ours, timeout_s=PATIENCE_S)


class Allocating(BaseDevice):
    """Has device memory."""

    def allocate(self, *_: Any) -> tuple[Any, int]:
        """A buffer of one byte."""
        return Memory(), 1


class Memory:
    """A buffer that refuses everything."""

    def copy_to(self, destination: object) -> None:
        """Refuse."""
        raise failure(f"no copy to {destination}", "buffer/copied")

    def copy_from(self, source: object, dimensions: object) -> None:
        """Refuse."""
        raise failure(f"no copy from {source} {dimensions}", "buffer/copied")


BUFFER = 2
NO_MEMORY = {"type": "ashmem", "handle": Ext(EXT_HANDLE, b"\xff\xff"), "size": 1}
KINDS = {
    "buffer as device": ((BUFFER, "Device.get_type", ()), "wire/object"),
    "buffer as prepared model": ((BUFFER, "PreparedModel.configure_execution_burst", ()), "wire/object"),
    "device as buffer": ((DEVICE_ID, "Buffer.copy_to", (NO_MEMORY,)), "wire/object"),
    "service as device": ((SERVICE_ID, "Device.get_type", ()), "wire/object"),
    "buffer as an argument": (
        (DEVICE_ID, "Device.allocate", (BufferDesc(), (reference(BUFFER),), (), ())),
        "wire/object",
    ),
    "buffer as buffer": ((BUFFER, "Buffer.copy_from", (NO_MEMORY, ())), "buffer/copied"),
}


@pytest.mark.parametrize(("call", "rule"), KINDS.values(), ids=KINDS.keys())
def test_objects_are_of_the_kind_that_they_were_sent_as(call: tuple[int, str, tuple[Any, ...]], rule: str) -> None:
    """A call on an object of another kind, or with one as an argument, is refused before the driver sees it."""
    client = RawClient(Allocating())
    client.hello()
    connection, lane = client.open_lane()
    with connection:
        assert client.call(lane, DEVICE_ID, "Device.allocate", (), (BufferDesc(), (), (), ())).status == 0
        target, method, arguments = call
        assert client.call(lane, target, method, (), arguments).rule == rule
    client.close()
