"""The client's end of a burst over queues that sends whatever bytes a check makes, and sees those that come back.

Source: docs/contract/hal.md 12; docs/contract/vts-tests.md 4.1. Drivers of this process are served by the same code as
those of others.
"""

from __future__ import annotations

import mmap
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, cast

from nnvet.adapters.calls import session_of
from nnvet.conformance.engine.outcome import CaseFailed, fail, unsupported
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import Memory
from nnvet.transport.burst.interfaces import BurstContext
from nnvet.transport.burst.packets import DATUM_BYTES, ResultPacket, decode_result
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.message_queue.futex import Futex
from nnvet.transport.message_queue.queue import EVENT_FLAG, READ_POSITION, WRITE_POSITION, EventFlagBits
from nnvet.transport.wire.bursts import QUEUE_DATUMS
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.methods import METHODS, SERVICE_ID

Supplied = tuple[ErrorStatus, tuple[Memory, ...]]
Supply = Callable[[tuple[int, ...]], Supplied | None]
"""Answer of a client that is asked for the memories of slots; None if it gives none."""

USUAL_LENGTHS: Final = (QUEUE_DATUMS, QUEUE_DATUMS)
_CALL: Final = "result packet of a burst"
_MOST_SHOWN: Final = 20


class RawBurst:
    """A burst whose requests are bytes; ``supply`` may be changed between two packets."""

    def __init__(
        self, session: Session, prepared: PreparedModel, supply: Supply, lengths: tuple[int, int], timeout_s: float
    ) -> None:
        """Open a burst on new queues of so many datums for requests and results.

        :raises HalError: as the service refuses it; also if this machine has no queues.
        """
        self.supply = supply
        self.asked: list[tuple[int, ...]] = []
        self.queues = tuple(create_queue(DATUM_BYTES, length) for length in lengths)
        self._session = session
        self._timeout_s = timeout_s
        arguments = (prepared, _Callback(self), *self.queues)
        self._context: BurstContext | None = session.call(SERVICE_ID, METHODS["Service.open_burst"], arguments)
        self._requests = QueueWriter(self.queues[0])
        self._results = QueueReader(self.queues[1])
        session.watch(self)

    @property
    def context(self) -> BurstContext:
        """The service's state of the burst, until its :meth:`end`."""
        return cast("BurstContext", self._context)

    def wake(self) -> None:
        """See :class:`nnvet.transport.wire.client.Watcher`."""
        self._results.wake()

    def end(self) -> None:
        """Have the service end the burst with the next call."""
        self._context = None

    def send(self, packet: bytes, what: str) -> None:
        """Send a packet at once.

        :raises CaseFailed: a result lies there that belongs to no packet, or earlier packets are still unread.
        """
        try:
            stray = self._results.read()
            is_sent = not stray and self._requests.write(packet)
        except HalError as error:
            raise fail(error.rule, f"{what}: {error.message}") from error
        if stray:
            raise fail("burst/result", f"before {what}: a result that belongs to no packet", result=_shown(stray))
        if not is_sent:
            raise fail("burst/result", f"{what}: earlier packets have been answered, but not read")

    def receive(self, what: str) -> bytes:
        """The bytes of the next result packet.

        :raises CaseFailed: the driver has corrupted the queue.
        :raises DriverGone: none comes.
        """
        session, limit = self._session, self._session.limit(self._timeout_s)
        found: list[bytes] = []

        def has_come(left_s: float | None) -> bool:
            found.append(self.poll(left_s or 0.0, what))
            return bool(found[-1]) or not session.alive

        is_over = not limit.wait(has_come)
        if not found[-1]:
            call = f"{_CALL} ({what})"
            raise session.hang(call, limit) if is_over else session.crash(call)
        return found[-1]

    def poll(self, timeout_s: float, what: str) -> bytes:
        """The bytes of the next result packet; nothing if none comes in time, or the service is gone."""
        session, deadline = self._session, time.monotonic() + timeout_s
        try:
            return self._results.read_blocking(deadline=deadline, given_up=lambda: not session.alive)
        except HalError as error:
            raise fail(error.rule, f"{what}: {error.message}") from error

    def exchange(self, packet: bytes, what: str) -> bytes:
        """Send a packet, and the bytes of its result; raises like :meth:`send` and :meth:`receive`."""
        self.send(packet, what)
        return self.receive(what)

    def execute(self, packet: bytes, what: str) -> ResultPacket:
        """The result of a packet; raises like :meth:`exchange`, and if the result is ill-formed."""
        result = decoded(self.exchange(packet, what), what)
        if result.status is not ErrorStatus.NONE:
            # A packet cannot hold what the driver says of an error.
            self._session.unintended.hear(HalError(*self.context.explain()))
        return result

    def tell(self, slots: tuple[int, ...]) -> None:
        """Answer the service, which lacks the memories of some slots."""
        self.asked.append(slots)
        supplied, context = self.supply(slots), self._context
        if supplied is not None and context is not None:
            context.supply_memories(*supplied)

    def corrupt(self, *, reading: bool, position: int) -> None:
        """Change a position of this client's: that up to which it has written requests, or read results; wake up."""
        queue = self.queues[1 if reading else 0]
        place, event = (READ_POSITION, EventFlagBits.NOT_FULL) if reading else (WRITE_POSITION, EventFlagBits.NOT_EMPTY)
        mapping = mmap.mmap(queue.handle.fd, queue.size)
        memoryview(mapping)[place : place + 8] = position.to_bytes(8, "little")
        Futex(mapping, EVENT_FLAG).set_bits(event)


class _Callback:
    """See :class:`nnvet.transport.burst.interfaces.MemoriesCallback`. It must not keep the burst alive."""

    def __init__(self, burst: RawBurst) -> None:
        self._burst = weakref.ref(burst)

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Have the burst answer."""
        burst = self._burst()
        if burst is not None and status is ErrorStatus.NONE:
            burst.tell(slots)


@contextmanager
def raw_burst(
    prepared: PreparedModel, supply: Supply, timeout_s: float, lengths: tuple[int, int] = USUAL_LENGTHS
) -> Iterator[RawBurst]:
    """A burst of a prepared model, while the block runs; ``lengths`` are those of its queues.

    :raises CaseFailed: the driver cannot be reached by queues.
    """
    session = session_of(prepared)
    if session is None:
        raise unsupported("the driver is not reached by a service, so there are no queues", "burst/queue")
    try:
        burst = RawBurst(session, prepared, supply, lengths, timeout_s)
    except HalError as error:
        raise _refusal(prepared, session, error, lengths) from error
    try:
        yield burst
    finally:
        burst.end()


def _refusal(prepared: PreparedModel, session: Session, error: HalError, lengths: tuple[int, int]) -> CaseFailed:
    """Judge the refusal of a burst over queues: services need have no queues, but bursts."""
    if lengths != USUAL_LENGTHS:
        return fail("burst/length", f"a burst with queues of {lengths} datums is refused: {error}")
    try:
        session.call(getattr(prepared, "id"), METHODS["PreparedModel.configure_execution_burst"], ())  # noqa: B009 - proxies have ids, models need none
    except HalError as refused:
        return fail(refused.rule or "execution/status", f"the driver refuses a burst: {refused}")
    return unsupported(f"the driver's service has no fast message queues: {error}", "burst/queue")


def memories_of(slots: Sequence[int], memories: Sequence[Memory]) -> Supply:
    """Memories by slot; a client that is asked for any other slot refuses, as VTS's does."""
    known = dict(zip(slots, memories, strict=True))

    def supply(asked: tuple[int, ...]) -> Supplied:
        if not known.keys() >= set(asked):
            return ErrorStatus.INVALID_ARGUMENT, ()
        return ErrorStatus.NONE, tuple(known[slot] for slot in asked)

    return supply


def decoded(result: bytes, what: str) -> ResultPacket:
    """Return the contents of a result packet.

    :raises CaseFailed: it is ill-formed.
    """
    try:
        return decode_result(result)
    except HalError as error:
        raise fail("burst/packet", f"{what}: the result: {error.message}", result=_shown(result)) from error


def _shown(packet: bytes) -> list[str]:
    return [packet[begin : begin + DATUM_BYTES].hex() for begin in range(0, len(packet), DATUM_BYTES)][:_MOST_SHOWN]
