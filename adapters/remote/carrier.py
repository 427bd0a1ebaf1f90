"""Sessions over a link: their connections, and what has to be said otherwise to another machine."""

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
from nnvet.adapters.remote.replicas import Replica
from nnvet.adapters.remote.uses import Uses
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.errors import failure
from nnvet.hal.types import Handle, OwnedHandle, PrepareModelConfig
from nnvet.transport.message_queue import QueueDescriptor
from nnvet.transport.wire.carriers import FrameChannel
from nnvet.transport.wire.codec import CallMessage, Reply
from nnvet.transport.wire.framing import WireError, frame_log
from nnvet.transport.wire.limits import Deadline, WaitLimit
from nnvet.transport.wire.methods import Method

_FAR: Final = 1 << 62
"""Deadlines beyond it are those of tests that try extreme numbers."""


class LinkChannel:
    """One connection of a session, over a link."""

    def __init__(self, link: Link, uses: Uses, *, is_primary: bool) -> None:
        """Open the connection; the other end of a lane has still to be announced."""
        self._link = link
        self._uses = uses
        self._is_primary = is_primary
        self._is_greeted = not is_primary
        self._frames: deque[tuple[bytes, list[OwnedHandle]]] = deque()
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
        """Send one frame. The agent always reads, so there is nothing to wait for and no relief that it needs.

        :raises OSError: a descriptor is not open (EBADF); or the link is lost.
        :raises HalError: something has no form in bytes.
        """
        del deadline, relief
        if self._log is not None:
            self._log.write(self.id, ">", payload, len(handles))
        begin = partial(self._begin, msgspec.msgpack.decode(payload, type=CallMessage)) if self._is_greeted else _greet
        self._is_greeted = True
        self._link.send_frame(self.id, payload, handles, begin)

    def _begin(self, call: CallMessage, named: Sequence[Replica]) -> tuple[Iterable[Replica], Iterable[Replica]]:
        if not call.number:
            return (), named
        others = self._uses.of_target(call)
        self._uses.begin(self.id, call, (*named, *others))
        return others, self._uses.released(call.released)

    def receive(self, deadline: Deadline = None) -> tuple[bytes, list[OwnedHandle]]:
        """Return the next frame's payload and fences.

        :raises EOFError: the driver has closed the connection, or the link is lost.
        :raises WireError: the driver has sent what is no frame.
        :raises TimeoutError: at the deadline.
        """
        seconds = None if deadline is None or isinstance(deadline, WaitLimit) else max(0.0, deadline - time.monotonic())
        limit = deadline if isinstance(deadline, WaitLimit) else WaitLimit(seconds)
        if not limit.wait(self._wait):
            raise TimeoutError("the deadline has passed")
        if self._frames:
            payload, handles = self._frames.popleft()
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
        self._link.part_from(partial(self._uses.closed, self.id))

    def deliver(self, payload: bytes, handles: list[OwnedHandle], fences: Sequence[int]) -> Iterable[Replica]:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        ended = self._ended(payload, fences)
        with self._changed:
            self._frames.append((payload, handles))
            self._changed.notify_all()
        return ended

    def _ended(self, payload: bytes, fences: Sequence[int]) -> list[Replica]:
        try:
            if self._is_primary:
                return self._uses.notified(msgspec.msgpack.decode(payload, type=CallMessage).target)
            return self._uses.answered(self.id, msgspec.msgpack.decode(payload, type=Reply), fences)
        except msgspec.DecodeError:
            # The session will see for itself; the answer to its greeting is none of these either.
            return []

    def settle(self, fence: int) -> Iterable[Replica]:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        return self._uses.settled(fence)

    def end(self, reason: str) -> None:
        """See :class:`nnvet.adapters.remote.link.Received`."""
        with self._changed:
            self._end = reason if self._end is None else self._end
            self._changed.notify_all()

    def _wait(self, seconds: float | None) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._frames) or self._end is not None, seconds)


def _greet(named: Sequence[Replica]) -> tuple[Iterable[Replica], Iterable[Replica]]:
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
        """The connection of the handshake and of notifications."""
        return self._primary

    @property
    def handle(self) -> Handle:
        """Return the other end of the primary connection, to be sent to a service that has another one already."""
        return ChannelHandle(self._primary.id)

    def open_lane(self) -> tuple[FrameChannel, Handle]:
        """Return a new connection, and what stands for its other end in a message."""
        lane = LinkChannel(self._link, self._uses, is_primary=False)
        return lane, ChannelHandle(lane.id)

    def adapt(self, method: Method, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of a call with deadlines of the agent's clock.

        :raises HalError: there is a message queue among them, whose ends wake each other through shared memory.
        """
        if any(isinstance(argument, QueueDescriptor) for argument in arguments):
            raise failure(f"{method.name}: a message queue cannot reach another machine", INEXPRESSIBLE)
        places = _deadlines(method)
        if not places:
            return arguments
        return tuple(self._adapted(one) if place in places else one for place, one in enumerate(arguments))

    def _adapted(self, argument: Any) -> Any:
        if isinstance(argument, PrepareModelConfig):
            return replace(argument, deadline_ns=self._time(argument.deadline_ns))
        return self._time(argument)

    def _time(self, deadline_ns: Any) -> Any:
        if not isinstance(deadline_ns, int) or not 0 < deadline_ns < _FAR:
            return deadline_ns
        return max(1, deadline_ns + self._link.clock.shift_ns)


@cache
def _deadlines(method: Method) -> tuple[int, ...]:
    """Return the places of arguments with points in time."""
    names = list(method.signature.parameters)[1:]
    return tuple(
        place
        for place, name in enumerate(names)
        if name == "deadline_ns" or (name == "config" and method.attribute == "prepare_model")
    )
