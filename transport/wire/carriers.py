"""Carriers of a session: the connections (lanes) that bring its frames to the service and back.

On one machine the carriers are sockets, which can pass descriptors. A link to another machine carries bytes alone
(:mod:`nnvet.adapters.remote`).
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nnvet.hal.types import Handle, OwnedHandle
from nnvet.transport.wire.framing import MAX_ANSWER, Channel
from nnvet.transport.wire.limits import Deadline
from nnvet.transport.wire.methods import Method


class FrameChannel(Protocol):
    """One connection of a session, such as a :class:`nnvet.transport.wire.framing.Channel`."""

    @property
    def has_read_ahead(self) -> bool:
        """Return True if more has come than was received."""

    def send(
        self,
        payload: bytes,
        handles: Sequence[Handle] = (),
        deadline: Deadline = None,
        relief: Callable[[], bool] | None = None,
    ) -> None:
        """Send one frame."""

    def receive(self, deadline: Deadline = None) -> tuple[bytes, list[OwnedHandle]]:
        """Return the next frame's payload and descriptors."""

    def shutdown(self) -> None:
        """End the connection; a blocked :meth:`receive` of any thread ends."""

    def close(self) -> None:
        """Forget the connection."""


class Carrier(Protocol):
    """Connections between the two ends of one session."""

    @property
    def primary(self) -> FrameChannel:
        """Connection for the handshake and for notifications."""

    def open_lane(self) -> tuple[FrameChannel, Handle]:
        """Return a new connection, and the value that represents its other end in a message.

        :raises OSError: there are no descriptors left.
        """

    def adapt(self, method: Method, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of a call in the form that the other end needs.

        :raises HalError: they cannot be sent there.
        """


class Sockets:
    """The carrier between two processes of one machine."""

    def __init__(self, connection: socket.socket) -> None:
        """Take over a connected socket."""
        self.primary: FrameChannel = Channel(connection, MAX_ANSWER)

    def open_lane(self) -> tuple[FrameChannel, Handle]:
        """See :class:`Carrier`."""
        ours, theirs = socket.socketpair()
        return Channel(ours, MAX_ANSWER), OwnedHandle(theirs.detach())

    def adapt(self, _: Method, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments unchanged, because both ends share memory and the clock."""
        return arguments
