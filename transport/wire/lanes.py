"""Lanes of a session at the client's end, and the protocols through which other modules use the session.

A lane is a socket: calls are sent on it one after the other, and replies arrive in the same order. A session opens as
many lanes as it has calls in progress.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import msgspec

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.types import Handle
from nnvet.transport.wire.carriers import FrameChannel
from nnvet.transport.wire.codec import CallMessage, Codec, Reply
from nnvet.transport.wire.failures import Peer, Unintended
from nnvet.transport.wire.framing import WireError
from nnvet.transport.wire.limits import Deadline
from nnvet.transport.wire.methods import Method
from nnvet.transport.wire.texts import clean_text

Ended = Callable[[tuple[Any, ...], ErrorStatus, Any], HalError | None]
"""Callback for the end of a call: gets arguments, status and value, and returns an error if that end is wrong."""


class SentCall:
    """A call that was sent, and later its answer."""

    __slots__ = ("_arguments", "_ended", "_refusal", "_unintended", "_value", "is_answered", "lane", "method", "number")

    def __init__(
        self, lane: Lane, method: Method, arguments: tuple[Any, ...], unintended: Unintended, ended: Ended
    ) -> None:
        """Take the lane's next number. ``unintended`` collects an error of the call, or one that ``ended`` returns."""
        self.lane: Final = lane
        self.method: Final = method
        self.number: Final = next(lane.numbers)
        self.is_answered = False
        # An argument that is forgotten is released, which must not happen before the service has read the call.
        self._arguments = arguments
        self._value: Any = None
        self._refusal: HalError | None = None
        self._unintended = unintended
        self._ended = ended

    def answer(self, reply: Reply, handles: Sequence[Handle]) -> None:
        """Keep the contents of the reply."""
        self.is_answered = True
        if reply.status == ErrorStatus.NONE:
            try:
                value = self.lane.codec.decode(reply.result, self.method.result, handles)
                self._value = clean_text(value) if self.method.has_texts else value
            except msgspec.DecodeError as error:
                self._refusal = failure(f"{self.method.name} answered with a wrong type: {error}", "driver/reply")
        else:
            self._refusal = reply.error()
        self._unintended.hear(self._refusal)
        if self.method.callback is None or self._refusal is not None:
            # Otherwise the call has only launched something; a notification will follow.
            status = ErrorStatus.NONE if self._refusal is None else self._refusal.status
            self._unintended.hear(self._ended(self._arguments, status, self._value))
        self._arguments = ()

    def outcome(self) -> Any:
        """Return the result.

        :raises HalError: as the driver answered; with rule ``driver/reply`` if it answered nonsense.
        """
        if self._refusal is not None:
            # A new error each time: a kept one would hold a reference to its last handler.
            raise HalError(*self._refusal.args)
        return self._value


class Lane:
    """A connection that carries the calls of one thread at a time."""

    def __init__(self, channel: FrameChannel, codec: Codec, notify: Callable[[Codec, CallMessage], None]) -> None:
        """Take over a connection. ``notify`` handles the notifications that come with replies."""
        self._notify: Final = notify
        self.channel: Final = channel
        self.codec: Final = codec
        self.numbers: Final = itertools.count(1)
        self.unanswered: Final[deque[SentCall]] = deque()
        """Sent calls in the order in which their replies are due."""
        self.loss: Callable[[], BaseException] | None = None
        """Function that makes the error of calls left unanswered when the lane was closed."""

    def send(self, call: SentCall, payload: bytes, handles: Sequence[Handle], deadline: Deadline) -> None:
        """Send a call; raises as :meth:`receive` and :meth:`nnvet.transport.wire.framing.Channel.send`."""

        def relief() -> bool:
            # The service may be unable to read because it waits for a reply to be read.
            if not self.unanswered:
                return False
            self.receive(deadline)
            return True

        self.channel.send(payload, handles, deadline, relief if self.unanswered else None)
        self.unanswered.append(call)

    def receive(self, deadline: Deadline) -> None:
        """Receive the reply to the oldest unanswered call.

        :raises WireError: the reply belongs to another call, or is a second reply.
        :raises msgspec.DecodeError: the frame is not a reply.
        :raises EOFError, OSError, TimeoutError: as :meth:`nnvet.transport.wire.framing.Channel.receive`.
        """
        call = self.unanswered[0]
        payload, handles = self.channel.receive(deadline)
        reply = self.codec.decode(payload, Reply)
        if reply.number != call.number:
            raise WireError(f"the reply to call {reply.number} came where that to call {call.number} was due")
        if self.channel.has_read_ahead and len(self.unanswered) == 1:
            raise WireError(f"more came with the reply to call {call.number}, although no other reply was due")
        self.unanswered.popleft()
        for notification in reply.notifications:
            self._notify(self.codec, notification)
        call.answer(reply, handles)


class Watcher(Protocol):
    """Object that waits for the service by other means than calls, such as a queue."""

    def wake(self) -> None:
        """Check whether the session is still alive. May be called on any thread."""


class Connection(Peer, Protocol):
    """The part of a :class:`nnvet.transport.wire.client.Session` that proxies and bursts use."""

    def call(self, target: int, method: Method, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the service's object ``target`` and wait for the answer."""

    def release(self, identifier: int) -> None:
        """Have the service drop an object with the next call."""

    def watch(self, watcher: Watcher) -> None:
        """Have ``watcher`` woken when the service is lost."""


class Reference(Protocol):
    """A proxy of any interface."""

    @property
    def session(self) -> Connection:
        """Connection to the process in which the object lives."""

    @property
    def id(self) -> int:
        """Id of the object in the service."""
