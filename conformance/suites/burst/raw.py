"""Client's end of a burst for checks: it can send any bytes as a packet, and sees all bytes of the answers.

Checks open a :class:`BurstRun` with :func:`burst_run`, send its valid request as a packet and corrupted copies of that
packet, which the driver must refuse. The fuzzer opens bursts with :func:`raw_burst`. The client that behaves, for all
other suites, is in :mod:`nnvet.transport.burst`. Drivers in this process are served by the same code as those in a
service.

Source: docs/contract/hal.md 12; docs/contract/vts-tests.md 4.1.
"""

from __future__ import annotations

import dataclasses
import mmap
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, cast

from msgspec.structs import replace

from nnvet.adapters.calls import session_of
from nnvet.conformance.kit.executing import Answer, Executor, OutputType, TestConfig
from nnvet.conformance.kit.judging import check_answer, precision_rules
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.requests import PacketMutant, datums_of
from nnvet.graphs.hal_model import PackedRequest
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import ErrorStatus, Memory, Request, RequestArgument, Timing
from nnvet.transport import message_queue
from nnvet.transport.burst import packets
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from nnvet.transport.wire.proxies import QUEUE_DATUMS

Supplied = tuple[ErrorStatus, tuple[Memory, ...]]
"""Status and memories with which a client answers a request for the memories of slots."""
Supply = Callable[[tuple[int, ...]], Supplied | None]
"""Function of a client that answers a request for the memories of the given slots; None: the client does not answer."""

USUAL_LENGTHS: Final = (QUEUE_DATUMS, QUEUE_DATUMS)
"""Numbers of datums of the queues for requests and results, as usual clients have them."""
_CALL: Final = "result packet of a burst"
"""Name of the awaited call in the outcome of a driver that died or hangs."""
_MOST_SHOWN: Final = 20
"""Most datums of a packet in the evidence of a failure."""


class RawBurst:
    """A burst whose requests are any bytes. ``supply`` answers the service's requests for memories.

    Checks may exchange ``supply`` between packets. ``asked`` lists the slots of every such request.
    """

    def __init__(
        self, session: Session, prepared: PreparedModel, supply: Supply, lengths: tuple[int, int], timeout_s: float
    ) -> None:
        """Open a burst on new queues with given numbers of datums for requests and results.

        :raises HalError: the service refuses it, or this machine has no queues.
        """
        self.supply = supply
        self.asked: list[tuple[int, ...]] = []
        self.queues = tuple(message_queue.create_queue(packets.DATUM_BYTES, length) for length in lengths)
        self._session = session
        self._timeout_s = timeout_s
        arguments = (prepared, _Callback(self), *self.queues)
        self._context: packets.BurstContext | None = session.call(SERVICE_ID, METHODS["Service.open_burst"], arguments)
        self._requests = message_queue.QueueWriter(self.queues[0])
        self._results = message_queue.QueueReader(self.queues[1])
        session.watch(self)

    @property
    def context(self) -> packets.BurstContext:
        """Return the service's object of the burst, which exists until :meth:`end`."""
        return cast("packets.BurstContext", self._context)

    def wake(self) -> None:
        """Stop waiting for a result: the session has ended. See :class:`nnvet.transport.wire.client.Watcher`."""
        self._results.wake()

    def end(self) -> None:
        """Let go of the service's object of the burst; the service learns of this with the next call."""
        self._context = None

    def send(self, packet: bytes, what: str) -> None:
        """Send a packet at once.

        :raises CaseFailed: the queue holds a result that belongs to no packet, or packets that are still unread.
        """
        try:
            stray = self._results.read()
            is_sent = not stray and self._requests.write(packet)
        except HalError as error:
            raise fail(error.rule, f"{what}: {error.message}") from error
        if stray:
            raise fail("burst/result", f"before {what}: a result that belongs to no packet", result=_show_datums(stray))
        if not is_sent:
            raise fail("burst/result", f"{what}: earlier packets have been answered, but not read")

    def receive(self, what: str) -> bytes:
        """Return the bytes of the next result packet.

        :raises CaseFailed: the driver has corrupted the queue.
        :raises DriverGone: no packet comes.
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
        """Return the bytes of the next result packet; none if it does not come in time, or the service is gone."""
        session, deadline = self._session, time.monotonic() + timeout_s
        try:
            return self._results.read_blocking(deadline=deadline, given_up=lambda: not session.alive)
        except HalError as error:
            raise fail(error.rule, f"{what}: {error.message}") from error

    def exchange(self, packet: bytes, what: str) -> bytes:
        """Send a packet, and return the bytes of its result; raises like :meth:`send` and :meth:`receive`."""
        self.send(packet, what)
        return self.receive(what)

    def execute(self, packet: bytes, what: str) -> packets.ResultPacket:
        """Send a packet, and return its result; raises like :meth:`exchange`, and if the result is ill-formed."""
        result = decode_answer(self.exchange(packet, what), what)
        if result.status is not ErrorStatus.NONE:
            # A packet has no space for the driver's error message, which comes beside it.
            self._session.unintended.hear(HalError(*self.context.explain()))
        return result

    def answer_service(self, slots: tuple[int, ...]) -> None:
        """Answer a request of the service for the memories of some slots."""
        self.asked.append(slots)
        supplied, context = self.supply(slots), self._context
        if supplied is not None and context is not None:
            context.supply_memories(*supplied)

    def corrupt(self, *, reading: bool, position: int) -> None:
        """Change the position to which this client has written requests or read results, and wake the service."""
        queue = self.queues[1 if reading else 0]
        place, event = (
            (message_queue.READ_POSITION, message_queue.EventFlagBits.NOT_FULL)
            if reading
            else (message_queue.WRITE_POSITION, message_queue.EventFlagBits.NOT_EMPTY)
        )
        mapping = mmap.mmap(queue.handle.fd, queue.size)
        memoryview(mapping)[place : place + 8] = position.to_bytes(8, "little")
        message_queue.Futex(mapping, message_queue.EVENT_FLAG).set_bits(event)


class _Callback:
    """A :class:`nnvet.transport.burst.packets.MemoriesCallback` that does not keep the burst alive."""

    def __init__(self, burst: RawBurst) -> None:
        self._burst = weakref.ref(burst)

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Let the burst answer."""
        burst = self._burst()
        if burst is not None and status is ErrorStatus.NONE:
            burst.answer_service(slots)


@contextmanager
def raw_burst(
    prepared: PreparedModel, supply: Supply, timeout_s: float, lengths: tuple[int, int] = USUAL_LENGTHS
) -> Iterator[RawBurst]:
    """Open a burst of a prepared model for as long as the block runs; ``lengths`` are those of its queues.

    :raises CaseFailed: the driver refuses the burst; UNSUPPORTED if it has no service or the service no queues.
    """
    session = session_of(prepared)
    if session is None:
        raise unsupported("the driver is not reached by a service, so there are no queues", "burst/queue")
    try:
        burst = RawBurst(session, prepared, supply, lengths, timeout_s)
    except HalError as error:
        raise _judge_refusal(prepared, session, error, lengths) from error
    try:
        yield burst
    finally:
        burst.end()


def _judge_refusal(prepared: PreparedModel, session: Session, error: HalError, lengths: tuple[int, int]) -> CaseFailed:
    """Judge the refusal of a burst over queues: a service may lack queues, but not bursts."""
    if lengths != USUAL_LENGTHS:
        return fail("burst/length", f"a burst with queues of {lengths} datums is refused: {error}")
    try:
        session.call(getattr(prepared, "id"), METHODS["PreparedModel.configure_execution_burst"], ())  # noqa: B009 - proxies have ids, models need none
    except HalError as refused:
        return fail(refused.rule or "execution/status", f"the driver refuses a burst: {refused}")
    return unsupported(f"the driver's service has no fast message queues: {error}", "burst/queue")


def memories_of(slots: Sequence[int], memories: Sequence[Memory]) -> Supply:
    """Return a function that answers with memories by slot, and refuses any other slot, as VTS's client does."""
    known = dict(zip(slots, memories, strict=True))

    def supply(asked: tuple[int, ...]) -> Supplied:
        if not known.keys() >= set(asked):
            return ErrorStatus.INVALID_ARGUMENT, ()
        return ErrorStatus.NONE, tuple(known[slot] for slot in asked)

    return supply


def decode_answer(result: bytes, what: str) -> packets.ResultPacket:
    """Return the contents of a result packet.

    :raises CaseFailed: it is ill-formed.
    """
    try:
        return packets.decode_result(result)
    except HalError as error:
        raise fail("burst/packet", f"{what}: the result: {error.message}", result=_show_datums(result)) from error


def _show_datums(packet: bytes) -> list[str]:
    """Return the first datums of a packet in hexadecimal."""
    return [packet[begin : begin + packets.DATUM_BYTES].hex() for begin in range(0, len(packet), packets.DATUM_BYTES)][
        :_MOST_SHOWN
    ]


SLOTS: Final = (0, 1)
"""Slots of the pools with the inputs and with the outputs."""

_SMALL: Final = 8
"""Number of datums of VTS's small result queue."""

_SHORTEST: Final = 2
"""Number of datums of the shortest result."""

_ROUNDS: Final = 3
"""Packets through queues of odd lengths: enough of them for an element to cross the end of the ring."""

_CONTENTS: Final = {
    packets.ResultDatum.PACKET_INFORMATION: {0, *range(8, 20)},
    packets.ResultDatum.OPERAND_INFORMATION: {0, 8, *range(12, 16)},
    packets.ResultDatum.OPERAND_DIMENSION_VALUE: {0, *range(8, 12)},
    packets.ResultDatum.EXECUTION_TIMING: {0, *range(8, 24)},
}
"""Positions of the meaningful bytes of each datum: discriminator and contents (docs/contract/hal.md 12.1)."""


@dataclass(frozen=True)
class BurstRun:
    """A prepared test with its request in memory, from which packets are made; ``output``: the kind of its outputs."""

    prepared: PreparedModel
    test: TestModel
    packed: PackedRequest
    timeout_s: float
    output: OutputType = OutputType.FULLY_SPECIFIED

    def packet(self, slots: Sequence[int] = SLOTS, *, measure: bool = False) -> bytes:
        """Return the valid packet.

        :raises CaseFailed: the request does not fit in a packet and the usual queue.
        """
        packet = packets.encode_request(self.packed.request, slots, measure_timing=measure)
        if packet is None or len(packet) > USUAL_LENGTHS[0] * packets.DATUM_BYTES:
            raise unsupported(f"no packet of {USUAL_LENGTHS[0]} datums can hold the request", "burst/packet")
        return packet

    def open(
        self, lengths: tuple[int, int] = USUAL_LENGTHS, supply: Supply | None = None
    ) -> AbstractContextManager[RawBurst]:
        """Return a burst of the model, which knows the pools by :data:`SLOTS` if nothing else is said."""
        known = supply or memories_of(SLOTS, (self.packed.input_pool, self.packed.output_pool))
        return raw_burst(self.prepared, known, self.timeout_s, lengths)

    def check_valid(
        self, burst: RawBurst, when: str = "", *, slots: Sequence[int] = SLOTS, measure: bool = False
    ) -> bytes:
        """Execute the valid request; ``when`` names, for the message, what the burst has just survived.

        :returns: the result packet.
        :raises CaseFailed: the execution fails, or an output has a wrong value.
        """
        what = f"a valid packet {when}".rstrip()
        self.wipe()
        packet = burst.exchange(self.packet(slots, measure=measure), what)
        result = decode_answer(packet, what)
        if when and result.status is not ErrorStatus.NONE:
            raise fail("burst/recovery", f"{what} is answered with {result.status.name}", status=result.status.name)
        config = TestConfig(Executor.BURST, self.output, measure)
        answer = Answer(result.status, result.output_shapes, result.timing, "answer to a raw packet")
        if check_answer(answer, self.test, config):
            self.check_values()
        return packet

    def wipe(self) -> None:
        """Clear the outputs, so that later content must have been written meanwhile."""
        with mapped(self.packed.output_pool) as view:
            view[:] = bytes(len(view))

    def check_values(self) -> None:
        """Compare the outputs with the expected ones.

        :raises CaseFailed: an element is wrong.
        """
        precision_rules(self.test, self.packed.output_arrays(self.test.main.outputs))

    def with_prepared(self, prepared: PreparedModel) -> BurstRun:
        """Return the same request for another client's prepared model of the test."""
        return dataclasses.replace(self, prepared=prepared)

    def check_refused(self, burst: RawBurst, mutants: Iterable[tuple[str, PacketMutant]], when: str) -> int:
        """Check that each wrong packet on one burst gets an error, and that the burst then executes the valid packet.

        :returns: the number of packets sent.
        :raises CaseFailed: a packet gets no error, or the burst cannot be used any more.
        """
        datums = datums_of(self.packet(measure=True))
        count = 0
        for name, mutant in mutants:
            packet = mutant.of(datums)
            # The contract forbids clients to send a packet that is longer than the queue.
            if len(packet) <= USUAL_LENGTHS[0] * packets.DATUM_BYTES:
                count += 1
                check_error(burst.execute(packet, mutant.description), mutant.description, mutation=name)
        self.check_valid(burst, when)
        return count

    def check_lengths(self) -> dict[str, ErrorStatus]:
        """Check that request and result pass through queues in which they just fit; a longer result becomes an error.

        :returns: the statuses by the length of the queue for results.
        :raises CaseFailed: a result that fits is an error, or one that does not fit is not.
        """
        with self.open() as burst:
            result = self.check_valid(burst)
        sent, came = len(self.packet()) // packets.DATUM_BYTES, len(result) // packets.DATUM_BYTES
        statuses = {}
        for slack in (0, 1):
            with self.open((sent + slack, came + slack)) as burst:
                for number in range(_ROUNDS):
                    self.check_valid(burst, f"number {number} through queues in which it fits")
                statuses[str(came + slack)] = ErrorStatus.NONE
        for length in sorted({came - 1, _SMALL, _SHORTEST}):
            if _SHORTEST <= length < came:
                statuses[str(length)] = self._check_too_long(length, came)
        return statuses

    def _check_too_long(self, length: int, needed: int) -> ErrorStatus:
        """Check that a result that is too long for its queue becomes an error, and return the status."""
        what = f"a result of {needed} datums for a queue of {length}"
        with self.open((USUAL_LENGTHS[0], length)) as burst:
            for _ in range(_ROUNDS):
                result = burst.execute(self.packet(), what)
                check_error(result, what, "burst/length")
        return result.status

    def check_sanitized(self) -> None:
        """Check that all meaningless bytes of a result are 0, so that no memory of the service leaks out.

        :raises CaseFailed: a byte is not 0.
        """
        with self.open() as burst:
            packet = self.check_valid(burst, measure=True)
        for place, datum in enumerate(datums_of(packet)):
            leaked = [
                index
                for index, byte in enumerate(datum)
                if byte and index not in _CONTENTS[packets.ResultDatum(datum[0])]
            ]
            if leaked:
                name = packets.ResultDatum(datum[0]).name
                raise fail(
                    "burst/sanitized",
                    f"datum {place} of the result, {name}, has something at bytes {leaked}",
                    datum=datum.hex(),
                )


@contextmanager
def burst_run(
    subject: Subject,
    prepared: PreparedModel,
    test: TestModel,
    output: OutputType = OutputType.FULLY_SPECIFIED,
    *,
    with_dimensions: bool = False,
) -> Iterator[BurstRun]:
    """Open a prepared test with its request in memory; ``with_dimensions``: the request states dimensions."""
    with open_request(test) as packed:
        sent = replace(packed, request=_state_dimensions(packed.request, test)) if with_dimensions else packed
        yield BurstRun(prepared, test, sent, subject.timeout_s, output)


def _state_dimensions(request: Request, test: TestModel) -> Request:
    """Return the request with the dimensions of all arguments stated, which the model knows already."""

    def with_dimensions(
        arguments: Sequence[RequestArgument], operands: Sequence[TestOperand]
    ) -> tuple[RequestArgument, ...]:
        pairs = zip(arguments, operands, strict=True)
        return tuple(replace(argument, dimensions=operand.dimensions) for argument, operand in pairs)

    return replace(
        request,
        inputs=with_dimensions(request.inputs, test.main.inputs),
        outputs=with_dimensions(request.outputs, test.main.outputs),
    )


def check_error(result: packets.ResultPacket, what: str, rule: str = "burst/packet", **evidence: str) -> None:
    """Check that a result is an error without shapes and timing.

    :raises CaseFailed: it is another result.
    """
    status = result.status.name
    if result.status is ErrorStatus.NONE:
        raise fail(rule, f"{what}: it is executed", packet=what, **evidence)
    if result.output_shapes or result.timing != Timing():
        raise fail("burst/result", f"{what}: shapes or timing are reported with {status}", packet=what, **evidence)
