"""A client of a service that sends whatever bytes a check makes, and sees those that come back."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

import msgspec

from nnvet.adapters.calls import limit_of
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.subject import Subject
from nnvet.hal.memory import Handle
from nnvet.transport.wire.codec import Codec
from nnvet.transport.wire.framing import Channel, WireError
from nnvet.transport.wire.limits import WaitLimit
from nnvet.transport.wire.messages import VERSIONS, Hello, Reply, Welcome
from nnvet.transport.wire.methods import SERVICE_ID

_NOTHING: Final = (EOFError, OSError)
"""Errors by which a connection shows that the service has closed it."""


class RawClient:
    """A session with its primary and one lane; calls on the lane are numbered by whoever makes them."""

    def __init__(self, connection: socket.socket, limit: Callable[[], WaitLimit]) -> None:
        """Take over a connection on which nobody has spoken yet; ``limit`` makes that of an answer."""
        self._primary = Channel(connection)
        self._codec = Codec(_no_object, _no_object)
        self._limit = limit
        self._lane: socket.socket | None = None

    def hello(self, protocol: str, versions: tuple[int, ...]) -> Reply | None:
        """The answer to a Hello; None if the service closes the connection instead.

        :raises CaseFailed: there is no answer in time, or it is no reply.
        """
        self._primary.send(*self._codec.encode(Hello(protocol, versions)))
        return self._answer(self._primary)

    def begin(self) -> Channel:
        """Shake hands and open a lane.

        :raises CaseFailed: the service does not welcome its own version.
        """
        reply = self.hello(Hello().protocol, VERSIONS)
        if reply is None or reply.status:
            raise fail("wire/version", f"a client that speaks {VERSIONS} is refused: {reply}")
        ours, theirs = socket.socketpair()
        with theirs:
            opening = (SERVICE_ID, "Service.open_lane", (), (Handle(theirs.fileno()),))
            self._primary.send(*self._codec.encode(opening))
        self._lane = ours
        return Channel(ours)

    def send(self, data: bytes) -> None:
        """Send bytes on the lane; a service that does not read any more shows by what comes back."""
        if self._lane is not None:
            with suppress(OSError):
                self._lane.sendall(data)

    def reply(self, lane: Channel) -> Reply | None:
        """The next reply on the lane; raises like :meth:`hello`."""
        return self._answer(lane)

    def welcomed_as(self, reply: Reply) -> Welcome:
        """Return the Welcome that answers Hello.

        :raises CaseFailed: it is no Welcome.
        """
        try:
            return self._codec.decode(reply.result, Welcome)
        except msgspec.DecodeError as error:
            raise fail("wire/version", f"the answer to Hello is no Welcome: {error}") from error

    def has_ended(self) -> bool:
        """Return True if the service closes the session in time; its messages before that are read."""
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


def _no_object(*_: object) -> int:
    raise AssertionError("no objects are sent")


@contextmanager
def raw_client(subject: Subject) -> Iterator[RawClient]:
    """One more client of the driver's service, which has not said anything yet.

    :raises CaseFailed: UNSUPPORTED if the service takes one client only, or there is none.
    """
    client = RawClient(subject.connection_of_client(), partial(limit_of, subject.device, subject.timeout_s))
    try:
        yield client
    finally:
        client.close()
