"""The client's side of bursts and reusable executions over two message queues, one each way.

:class:`QueueBurst` implements :class:`nnvet.hal.interfaces.Burst`. The service's side is in
:mod:`nnvet.transport.burst.server`, the layout of the packets in :mod:`nnvet.transport.burst.packets`.
:mod:`nnvet.transport.wire.proxies` opens both kinds of executions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

import msgspec

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Burst
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, Request
from nnvet.transport.burst import packets
from nnvet.transport.burst.memories import SlotTable
from nnvet.transport.message_queue import QueueReader, QueueWriter
from nnvet.transport.wire.failures import Peer
from nnvet.transport.wire.limits import WaitLimit

_EXECUTE: Final = Bucket(Layer.IPC, TracePhase.EXECUTION)
_ANSWERED: Final = (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE)
"""Statuses of results; any other status is an error."""


class PacketRunner:
    """The client's ends of two queues: sends one request packet at a time, and receives the result that answers it."""

    call: ClassVar[str] = "Burst.execute_synchronously"
    """Name of the call in the evidence of a death or a hang."""

    def __init__(
        self,
        session: Peer,
        context: packets.BurstContext,
        requests: QueueWriter,
        results: QueueReader,
        polling_s: float = 0.0,
    ) -> None:
        """Take the ends of two queues; ``polling_s`` is the time to poll for a result before going to sleep.

        The code that notices the loss of the service has to call :meth:`wake`.
        """
        self.session: Final = session
        self.context: Final = context
        self._requests = requests
        self._results = results
        self._polling_s = polling_s
        self._is_broken = False

    def wake(self) -> None:
        """Have an execution in flight check whether the service still runs."""
        self._results.wake()

    def announce(self) -> None:
        """Wake the service, because an execution follows soon."""
        self._requests.announce()

    def run(self, packet: bytes) -> ExecutionResult:
        """Send a request packet and return the result; one thread at a time.

        :raises HalError: as the driver answers; GENERAL_FAILURE for a result that is ill-formed.
        """
        with span(_EXECUTE, self.call):
            result = packets.decode_result(self._exchange(packet))
        if result.status in _ANSWERED:
            return ExecutionResult(result.status is ErrorStatus.NONE, result.output_shapes, result.timing)
        raise self._explained(result)

    def _exchange(self, packet: bytes) -> bytes:
        """Return the result packet of a request packet. If none comes, the burst is broken and is not used any more."""
        session = self.session
        if not session.alive:
            raise session.crash(self.call)
        if self._is_broken:
            raise failure("the burst was given up when an execution was not answered", "burst/queue")
        if self._results.available:
            self._results.read()
            raise failure("the service has sent a result that nobody asked for", "driver/reply")
        self._is_broken = True
        limit = session.limit()
        if not self._requests.write(packet):
            raise failure("the service has left a request unread", "burst/queue")
        result = self._result(limit)
        if not result:
            raise session.hang(self.call, limit) if session.alive else session.crash(self.call)
        self._is_broken = False
        return result

    def _result(self, limit: WaitLimit) -> bytes:
        """Return the result packet; an empty one once the limit is over or the service is lost."""
        while True:
            left_s = limit.pause_s()
            deadline = None if left_s is None else time.monotonic() + left_s
            result = self._results.read_blocking(
                deadline=deadline, given_up=self._has_lost_service, polling_s=self._polling_s
            )
            if result or not self.session.alive or limit.is_over():
                return result

    def _has_lost_service(self) -> bool:
        return not self.session.alive

    def _explained(self, result: packets.ResultPacket) -> HalError:
        """Return the error of a result, with message and rule from the service if both have the same status."""
        try:
            status, message, rule = self.context.explain()
        except HalError as error:
            return HalError(result.status, f"the service does not say why: {error.message}")
        if packets.status_of_packets(status) is not result.status:
            return HalError(result.status, f"the service says of it: {status.name}, {message}")
        return HalError(status, message, rule)


class _Sent(msgspec.Struct, frozen=True):
    """The last request and its packet, which are kept because most bursts repeat one request."""

    request: Request
    tokens: tuple[int, ...]
    config: ExecutionConfig
    packet: bytes


class QueueBurst(PacketRunner):
    """A burst whose requests go through a queue, apart from those that no packet can hold.

    Device memory, deadlines, loop timeouts, hints, padding, memory without identity and bad memory identifiers
    have no place in a packet, and a packet may be too long. An ordinary burst of the same model executes these.
    """

    def __init__(
        self,
        session: Peer,
        context: packets.BurstContext,
        requests: QueueWriter,
        results: QueueReader,
        ordinary: Callable[[], Burst],
        polling_s: float = 0.0,
    ) -> None:
        """Use two queues; ``ordinary`` opens the ordinary burst when it is first needed."""
        super().__init__(session, context, requests, results, polling_s)
        self._slots = SlotTable()
        self._open_ordinary = ordinary
        self._ordinary: Burst | None = None
        self._opening = threading.Lock()
        self._in_flight = threading.Lock()
        self._last: _Sent | None = None

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Burst`.

        :raises HalError: as the driver answers; GENERAL_FAILURE for a second execution at a time, and for a result
            that is ill-formed.
        """
        if not self._in_flight.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")
        try:
            packet = self._packet(request, memory_identifier_tokens, config, deadline_ns)
            if packet is None:
                return self._burst().execute_synchronously(request, memory_identifier_tokens, config, deadline_ns)
            return self.run(packet)
        except HalError as error:
            self.session.unintended.hear(error)
            raise
        finally:
            self._in_flight.release()

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        self._last = None
        slot = self._slots.forget(memory_identifier_token)
        if slot is not None:
            self.context.free_memory(slot)
            self._slots.reuse(slot)
        if slot is None or self._ordinary is not None:
            self._burst().release_memory_resource(memory_identifier_token)

    def supply_memories(self, slots: Sequence[int]) -> None:
        """Give the service the memories that it asks for."""
        try:
            self.context.supply_memories(ErrorStatus.NONE, self._slots.memories(slots))
        except HalError as error:
            self.context.supply_memories(error.status, ())

    def _packet(
        self, request: Request, tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> bytes | None:
        if deadline_ns != NO_DEADLINE:
            return None
        last, tokens = self._last, tuple(tokens)
        if last is not None and last.request is request and last.tokens == tokens and last.config == config:
            return last.packet
        packet = self._new_packet(request, tokens, config)
        self._last = None if packet is None else _Sent(request, tokens, config, packet)
        return packet

    def _new_packet(self, request: Request, tokens: Sequence[int], config: ExecutionConfig) -> bytes | None:
        if config.loop_timeout_duration_ns != NO_DEADLINE or config.execution_hints or config.extension_name_to_prefix:
            return None
        if len(tokens) != len(request.pools) or any(token < 0 for token in tokens):
            return None
        slots = []
        for token, pool in zip(tokens, request.pools, strict=True):
            if isinstance(pool, BufferToken):
                return None
            slots.append(self._slots.slot(token, pool))
        packet = packets.encode_request(request, slots, measure_timing=config.measure_timing)
        return packet if packet is not None and len(packet) <= self._requests.capacity * packets.DATUM_BYTES else None

    def _burst(self) -> Burst:
        with self._opening:
            if self._ordinary is None:
                self._ordinary = self._open_ordinary()
            return self._ordinary
