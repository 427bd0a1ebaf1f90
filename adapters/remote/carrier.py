"""Sessions over a link: each connection is a channel, and deadlines are converted to the clock of the other machine.

:class:`LinkCarrier` takes the place of the carrier over AF_UNIX sockets that local drivers have; the session that uses
it is the same for both. :mod:`nnvet.adapters.remote.link` moves the bytes;
:class:`~nnvet.adapters.remote.replicas.Uses` says which memory a call may change.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from nnvet.adapters.remote.link import ChannelHandle, Link
from nnvet.adapters.remote.replicas import Replica, Uses
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.errors import failure
from nnvet.hal.types import Handle, OwnedHandle, PrepareModelConfig
from nnvet.reports.files import MALFORMED
from nnvet.transport.message_queue import QueueDescriptor
from nnvet.transport.wire.carriers import FrameChannel
from nnvet.transport.wire.codec import CallMessage, Reply
from nnvet.transport.wire.framing import MAX_ANSWER, WireError, frame_log
from nnvet.transport.wire.limits import Deadline, WaitLimit
from nnvet.transport.wire.methods import METHODS, Method

_FAR: Final = 1 << 62
"""Deadlines beyond this are the extreme numbers of tests, and are sent as they are."""

_MOST_FRAMES: Final = 1 << 14
_MOST_BYTES: Final = 4 * MAX_ANSWER
"""Frames that may wait for a reader, and their bytes."""


class LinkChannel:
    """One connection of a session, as a channel of a link."""

    def __init__(self, link: Link, uses: Uses, *, is_primary: bool) -> None:
        """Open the channel. Unless it is the primary one, a call still has to announce it to the service."""
        self._link = link
        self._uses = uses
        self._is_primary = is_primary
        self._is_greeted = not is_primary
        self._frames: deque[tuple[bytes, list[OwnedHandle]]] = deque()
        self._waiting = 0
        self._changed = threading.Condition()
        self._end: str | None = None
        self._log = frame_log()
        self.id = link.join(self)

    @property
    def has_read_ahead(self) -> bool:
        """See :class:`nnvet.transport.wire.carriers.FrameChannel`."""
        return bool(self._frames)

    def send(
        self,
        payload: bytes,
        handles: Sequence[Handle] = (),
        deadline: Deadline = None,
        relief: Callable[[], bool] | None = None,
    ) -> None:
        """Send one frame. The agent reads at all times, so neither ``deadline`` nor ``relief`` is needed.

        :raises OSError: a descriptor is not open (EBADF), or the link is lost.
        :raises HalError: an argument cannot be expressed in bytes.
        """
        del deadline, relief
        if self._log is not None:
            self._log.write(self.id, ">", payload, len(handles))
        begin = partial(self._begin, msgspec.msgpack.decode(payload, type=CallMessage)) if self._is_greeted else _greet
        self._is_greeted = True
        self._link.send_frame(self.id, payload, handles, begin)

    def _begin(self, call: CallMessage, named: Sequence[Replica]) -> tuple[Iterable[Replica], Iterable[Replica]]:
        """Note which memory a call uses; see ``begin`` of :meth:`nnvet.adapters.remote.link.Link.send_frame`."""
        # A message without a number gets no reply, which could end its use of memory later.
        if not call.number:
            return (), named
        others = self._uses.find_by_target(call)
        self._uses.begin(self.id, call, (*named, *others))
        return others, self._uses.end_by_release(call.released)

    def receive(self, deadline: Deadline = None) -> tuple[bytes, list[OwnedHandle]]:
        """Return the payload and the fences of the next frame.

        :raises EOFError: the driver has closed the connection, or the link is lost.
        :raises WireError: the driver has sent something that is not a frame.
        :raises TimeoutError: the deadline has passed.
        """
        seconds = None if deadline is None or isinstance(deadline, WaitLimit) else max(0.0, deadline - time.monotonic())
        limit = deadline if isinstance(deadline, WaitLimit) else WaitLimit(seconds)
        if not limit.wait(self._wait):
            raise TimeoutError("the deadline has passed")
        if self._frames:
            with self._changed:
                payload, handles = self._frames.popleft()
                self._waiting -= len(payload)
            if self._log is not None:
                self._log.write(self.id, "<", payload, len(handles))
            return payload, handles
        if self._end:
            raise WireError(self._end)
        raise EOFError("the peer has closed the connection")

    def shutdown(self) -> None:
        """See :class:`nnvet.transport.wire.carriers.FrameChannel`."""
        self.end("")
        self._link.leave(self.id)

    def close(self) -> None:
        """See :class:`nnvet.transport.wire.carriers.FrameChannel`."""
        self.shutdown()
        self._link.end_uses(partial(self._uses.end_by_closing, self.id))

    def deliver(self, payload: bytes, handles: list[OwnedHandle], fences: Sequence[int]) -> Iterable[Replica]:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        ended = self._end_uses(payload, fences)
        with self._changed:
            self._frames.append((payload, handles))
            self._waiting += len(payload)
            # A socket would have stopped the sender long before.
            if len(self._frames) > _MOST_FRAMES or self._waiting > _MOST_BYTES:
                raise WireError("the driver sends more frames than anybody reads")
            self._changed.notify_all()
        return ended

    def _end_uses(self, payload: bytes, fences: Sequence[int]) -> list[Replica]:
        """Return the replicas that the driver stops using with this frame: a notification, or else a reply."""
        try:
            if self._is_primary:
                return self._uses.end_by_notification(msgspec.msgpack.decode(payload, type=CallMessage).target)
            return self._uses.end_by_reply(self.id, msgspec.msgpack.decode(payload, type=Reply), fences)
        except MALFORMED:
            # The session reports a malformed frame itself. The answer to the greeting is not a reply either.
            return []

    def settle(self, fence: int) -> Iterable[Replica]:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        return self._uses.end_by_fence(fence)

    def end(self, reason: str) -> None:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        with self._changed:
            self._end = reason if self._end is None else self._end
            self._changed.notify_all()

    def _wait(self, seconds: float | None) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._frames) or self._end is not None, seconds)


def _greet(named: Sequence[Replica]) -> tuple[Iterable[Replica], Iterable[Replica]]:
    """Take the place of :meth:`LinkChannel._begin` for the first frame, which is no call and uses no memory."""
    return (), named


class LinkCarrier:
    """The carrier of one session over a link; see :class:`nnvet.transport.wire.carriers.Carrier`."""

    def __init__(self, link: Link) -> None:
        """Open the primary connection."""
        self._link = link
        self._uses = Uses()
        self._primary = LinkChannel(link, self._uses, is_primary=True)

    @property
    def primary(self) -> FrameChannel:
        """Return the connection for the handshake and for notifications."""
        return self._primary

    @property
    def handle(self) -> Handle:
        """Return the other end of the primary connection, for a message to a service that already has a client."""
        return ChannelHandle(self._primary.id)

    def open_lane(self) -> tuple[FrameChannel, Handle]:
        """Return a new connection, and the handle that stands for its other end in a message."""
        lane = LinkChannel(self._link, self._uses, is_primary=False)
        return lane, ChannelHandle(lane.id)

    def adapt(self, method: Method, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of a call with deadlines by the agent's clock.

        :raises HalError: an argument is a message queue, whose ends wake each other through shared memory.
        """
        if any(isinstance(argument, QueueDescriptor) for argument in arguments):
            raise failure(f"{method.name}: a message queue cannot reach another machine", INEXPRESSIBLE)
        places = _find_deadlines(method.name)
        if not places:
            return arguments
        return tuple(self._convert(given) if place in places else given for place, given in enumerate(arguments))

    def _convert(self, argument: Any) -> Any:
        if isinstance(argument, PrepareModelConfig):
            return replace(argument, deadline_ns=self._convert_time(argument.deadline_ns))
        return self._convert_time(argument)

    def _convert_time(self, deadline_ns: Any) -> Any:
        """Return a deadline by the agent's clock; wrong values, which tests send, stay as they are."""
        if not isinstance(deadline_ns, int) or not 0 < deadline_ns < _FAR:
            return deadline_ns
        return max(1, deadline_ns + self._link.clock.shift_ns)


@cache
def _find_deadlines(name: str) -> tuple[int, ...]:
    """Return the positions of arguments that contain a point in time. Hashing a method is slow, hence a name."""
    method = METHODS[name]
    names = list(method.signature.parameters)[1:]
    return tuple(
        place
        for place, name in enumerate(names)
        if name == "deadline_ns" or (name == "config" and method.attribute == "prepare_model")
    )
