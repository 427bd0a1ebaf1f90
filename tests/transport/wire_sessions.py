"""Sessions between two threads of this process, for the tests of the wire."""

import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import ErrorStatus, Handle
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.codec import FAREWELL, CallMessage, Codec, Hello, Reply
from nnvet.transport.wire.framing import Channel
from nnvet.transport.wire.server import Load, ServiceSession

PATIENCE_S = 20.0


def open_descriptors() -> int:
    """Number of descriptors that this process has open, without those of forgotten objects.

    Where a service has been at work, its threads may still be closing some: :func:`check_descriptors` waits for them.
    """
    # Objects that were forgotten just now are young. Searching all objects takes seconds after thousands of tests.
    gc.collect(1)
    return sum(map(_is_ours, Path("/proc/self/fd").iterdir()))


def check_descriptors(most: int) -> None:
    """Check that no more than ``most`` descriptors are open, as soon as the threads of services have closed theirs."""
    end = time.monotonic() + PATIENCE_S
    while open_descriptors() > most and time.monotonic() < end:
        time.sleep(0.01)
    assert open_descriptors() <= most


def _is_ours(link: Path) -> bool:
    """Return True if a descriptor may stay: the threads that watch services read files of /proc now and then."""
    try:
        return not str(link.readlink()).startswith("/proc/")
    except OSError:
        return False


@contextmanager
def session_with(device: Device | HalError, timeout_s: float = PATIENCE_S) -> Iterator[Session]:
    """A client's session with a device; afterwards the service's thread has ended."""
    ours, theirs = socket.socketpair()
    service = threading.Thread(target=ServiceSession(device, theirs).run)
    service.start()
    try:
        session = Session(ours, timeout_s=timeout_s)
        try:
            yield session
        finally:
            session.close()
    finally:
        ours.close()
        service.join()


class Callback:
    """Keeps notifications; ``arrived`` is set by each."""

    def __init__(self) -> None:
        """Start without notifications."""
        self.notifications: list[tuple[Any, ...]] = []
        self.arrived = threading.Event()

    def notify(self, *notification: Any) -> None:
        """Keep it."""
        self.notifications.append(notification)
        self.arrived.set()

    def prepared_model(self) -> PreparedModel:
        """The model of the only notification."""
        assert self.arrived.wait(PATIENCE_S)
        ((status, prepared_model),) = self.notifications
        assert status is ErrorStatus.NONE
        model: PreparedModel = prepared_model
        return model


class RawClient:
    """A client that sends whatever it is given, with one lane."""

    def __init__(self, device: Device, load: Load | None = None) -> None:
        """Connect without a handshake."""
        ours, theirs = socket.socketpair()
        self.service = threading.Thread(target=ServiceSession(device, theirs, "raw client", load).run)
        self.service.start()
        self.socket = ours
        self.primary = Channel(ours)
        self.codec = Codec(lambda _, identifier: identifier, lambda _, identifier: identifier)  # type: ignore[arg-type, return-value]

    def hello(self, hello: object = Hello()) -> Reply:
        """Shake hands."""
        self.primary.send(msgspec.msgpack.encode(hello))
        return self.reply(self.primary)

    def open_lane(self) -> tuple[socket.socket, Channel]:
        """A lane for calls; its socket sends other messages."""
        ours, theirs = socket.socketpair()
        payload, handles = self.codec.encode((0, "Service.open_lane", (), (Handle(theirs.fileno()),)))
        self.primary.send(payload, handles)
        theirs.close()
        return ours, Channel(ours)

    def call(self, lane: Channel, *message: object) -> Reply:
        """Send a call and wait for the reply."""
        lane.send(msgspec.msgpack.encode(message))
        return self.reply(lane)

    def reply(self, channel: Channel) -> Reply:
        """The next message of the service, a reply."""
        return self.codec.decode(channel.receive()[0], Reply)

    def farewell(self) -> str:
        """Why the service has ended the session, as it says in its last message."""
        call = self.codec.decode(self.primary.receive()[0], CallMessage)
        assert (call.target, call.method) == (0, FAREWELL)
        (reason,) = msgspec.msgpack.decode(call.arguments, type=tuple[str])
        return reason

    def close(self) -> None:
        """Hang up and wait for the service's thread."""
        self.socket.close()
        self.service.join()


def pack(*message: object) -> bytes:
    """A payload."""
    return msgspec.msgpack.encode(message)


WELCOME = pack(0, "", "", (2, "a service in a test"))


class Scripted:
    """A service that answers the handshake with ``welcome``, then the first call with ``answer``."""

    def __init__(self, welcome: bytes | None, answer: Callable[[Channel, Channel], None] | None = None) -> None:
        """Start it."""
        self.client, self._socket = socket.socketpair()
        self._answer = answer
        self._welcome = welcome
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        primary = Channel(self._socket)
        primary.receive()
        if self._welcome is not None:
            primary.send(self._welcome)
        if self._answer is not None:
            _, (lane,) = primary.receive()
            connection = socket.socket(fileno=lane.fd)
            lane.fd = -1
            with connection:
                channel = Channel(connection)
                channel.receive()
                self._answer(primary, channel)

    def hang_up(self) -> None:
        """Die."""
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        """The running service."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for its end."""
        self.hang_up()
