"""The service's side of a burst: a thread that takes requests out of a queue, executes them and writes the results.

The client's side is :mod:`nnvet.transport.burst.client`; :mod:`nnvet.transport.burst.context` starts and ends it.
"""

from __future__ import annotations

import logging
import struct
import threading
import traceback
from typing import Final

import msgspec

from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Burst
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Request
from nnvet.transport.burst import packets
from nnvet.transport.burst.memories import MemoryCache
from nnvet.transport.message_queue import QueueDescriptor, QueueReader, QueueWriter

_log = logging.getLogger("nnvet.burst")
_CALL: Final = "Burst.execute_synchronously"
_KNOWN_PACKETS: Final = 32
"""Most request packets whose decoded forms are kept for repetitions."""
# The result without details, and the explanation, of an execution of which nothing else is known.
_REFUSAL: Final = packets.encode_result(packets.ResultPacket(ErrorStatus.GENERAL_FAILURE))
_NO_EXPLANATION: Final = (ErrorStatus.NONE, "", "")


class _Task(msgspec.Struct, frozen=True):
    """A decoded request packet with the memories that it names, valid for one version of the memory cache."""

    request: Request
    slots: tuple[int, ...]
    config: ExecutionConfig
    memories: int


class BurstServer:
    """Executes requests with a driver's burst. The slots of the queue are the burst's memory identifiers.

    A burst is served from :meth:`start` to :meth:`stop`. One thread does so: the result of a request is sent
    before the next request is read.
    """

    def __init__(
        self,
        burst: Burst,
        requests: QueueDescriptor,
        results: QueueDescriptor,
        get_memories: packets.GetMemories,
        polling_s: float = 0.0,
        call: str = _CALL,
    ) -> None:
        """Map the queues; ``polling_s`` is the time to poll for a request before going to sleep.

        ``call`` is the name of the call in messages about exceptions of the driver.

        :raises HalError: GENERAL_FAILURE for what are no queues of datums to wait on.
        """
        for queue in (requests, results):
            if queue.element_size != packets.DATUM_BYTES or not queue.event_flag:
                raise failure("the queues of a burst have datums as elements, and an event flag", "burst/queue")
        if results.capacity * packets.DATUM_BYTES < len(_REFUSAL):
            raise failure(f"no result fits in a queue of {results.capacity} datums", "burst/queue")
        self._requests = QueueReader(requests)
        self._results = QueueWriter(results)
        self._burst = burst
        self._memories = MemoryCache(get_memories)
        self._polling_s = polling_s
        self._name = call
        self._known: dict[bytes, _Task] = {}
        self._stopped = False
        self.explanation: tuple[ErrorStatus, str, str] = _NO_EXPLANATION

    def start(self) -> threading.Thread:
        """Start a thread that serves the burst."""
        thread = threading.Thread(target=self._serve, name="nnvet-burst", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End the thread after its current execution."""
        # The queue has one writer, and that is the client: the thread is woken by the event flag alone.
        self._stopped = True
        self._requests.wake()
        self._results.wake()

    def free_memory(self, slot: int) -> None:
        """Forget the memory of a slot, and have the driver drop its data about that memory."""
        self._memories.free(slot)
        self._known.clear()
        if slot >= 0:
            self._burst.release_memory_resource(slot)

    def _serve(self) -> None:
        try:
            while not self._stopped:
                packet = self._requests.read_blocking(given_up=self._is_stopped, polling_s=self._polling_s)
                if packet and not self._stopped:
                    self._send(self._answer(packet))
        except HalError as error:
            _log.error("a burst ends, because its client has corrupted the queue: %s", error)

    def _is_stopped(self) -> bool:
        return self._stopped

    def _answer(self, packet: bytes) -> bytes:
        """Return the result packet; a minimal one if the execution fails."""
        self.explanation = _NO_EXPLANATION
        try:
            return packets.encode_result(self._execute(packet))
        except HalError as error:
            return self._refusal(error)
        except (AttributeError, TypeError, ValueError, struct.error) as error:
            return self._refusal(failure(f"the result cannot be sent: {error}", "driver/reply"))

    def _send(self, answer: bytes) -> None:
        if not self._results.write(answer):
            size = len(answer) // packets.DATUM_BYTES
            refusal = self._refusal(failure(f"the result has {size} datums, too many for the queue", "burst/queue"))
            self._results.write_blocking(refusal, given_up=self._is_stopped)

    def _refusal(self, error: HalError) -> bytes:
        known = isinstance(error.status, ErrorStatus) and error.status is not ErrorStatus.NONE
        status = error.status if known else ErrorStatus.GENERAL_FAILURE
        self.explanation = (status, str(error.message), str(error.rule))
        return packets.encode_result(packets.ResultPacket(status))

    def _execute(self, packet: bytes) -> packets.ResultPacket:
        task = self._known.get(packet)
        if task is None or task.memories != self._memories.version:
            task = self._learn(packet)
        result = self._call(task)
        status = ErrorStatus.NONE if result.output_sufficient_size else ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
        return packets.ResultPacket(status, result.output_shapes, result.timing)

    def _learn(self, packet: bytes) -> _Task:
        content = packets.decode_request(packet)
        version = self._memories.version
        request = Request(content.inputs, content.outputs, self._memories.resolve(content.slots))
        task = _Task(request, content.slots, ExecutionConfig(measure_timing=content.measure_timing), version)
        # Requests repeat. A driver that is given the very same object need not check it again.
        if len(self._known) >= _KNOWN_PACKETS:
            self._known.clear()
        self._known[packet] = task
        return task

    def _call(self, task: _Task) -> ExecutionResult:
        try:
            return self._burst.execute_synchronously(task.request, task.slots, task.config, NO_DEADLINE)
        except HalError:
            raise
        except BaseException as error:
            _log.error("%s raised:\n%s", self._name, "".join(traceback.format_exception(error)).rstrip())
            text = "".join(traceback.format_exception_only(error)).strip()
            raise failure(f"{self._name} raised {text}", "driver/exception") from error
