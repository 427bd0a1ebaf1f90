"""State that a service keeps for its client while a burst or a reusable execution on queues is open.

:mod:`nnvet.transport.wire.server` calls :func:`serve_burst` and :func:`serve_execution`; the thread that executes is in
:mod:`nnvet.transport.burst.server`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Burst, Execution, PreparedModel
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Memory, Request
from nnvet.transport.burst.packets import MemoriesCallback
from nnvet.transport.burst.server import BurstServer
from nnvet.transport.message_queue import QueueDescriptor


class AskedMemories:
    """Asks the client for memories by a callback, and receives them by a call."""

    def __init__(self, callback: MemoriesCallback) -> None:
        """Keep the client's callback, which is notified of the slots that are asked for."""
        self._callback = callback
        self._changed = threading.Condition()
        self._answer: HalError | tuple[Memory, ...] | None = None
        self._is_asked = False
        self._is_closed = False

    def get(self, slots: Sequence[int]) -> tuple[Memory, ...]:
        """Ask, and wait for the answer until :meth:`close`; see ``GetMemories`` in ``packets.py``."""
        with self._changed:
            self._is_asked, self._answer = True, None
        self._callback.notify(ErrorStatus.NONE, tuple(slots))
        with self._changed:
            self._changed.wait_for(lambda: self._answer is not None or self._is_closed)
            self._is_asked = False
            answer, self._answer = self._answer, None
        if isinstance(answer, tuple):
            return answer
        raise answer or failure("the client has gone", "burst/slot")

    def supply(self, status: ErrorStatus, memories: Sequence[Memory]) -> None:
        """Deliver the client's answer.

        :raises HalError: INVALID_ARGUMENT if there was no question.
        """
        with self._changed:
            if not self._is_asked or self._answer is not None:
                raise invalid("no memories were asked for", "burst/slot")
            refused = HalError(status, "the client has no such memory", "burst/slot")
            self._answer = tuple(memories) if status == ErrorStatus.NONE else refused
            self._changed.notify()

    def close(self) -> None:
        """Note that the client has gone; threads that wait for its memories get an error."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()


class ServedBurst:
    """A :class:`nnvet.transport.burst.packets.BurstContext`; dropping it ends its burst and its thread."""

    def __init__(self, server: BurstServer, memories: AskedMemories) -> None:
        """Start the server's thread, which takes requests from its queue.

        :raises HalError: GENERAL_FAILURE if the thread cannot be started.
        """
        self._server = server
        self._memories = memories
        try:
            server.start()
        except RuntimeError as error:
            raise failure(f"there is no thread for a burst: {error}", "burst/queue") from error

    def free_memory(self, slot: int) -> None:
        """Forget the memory of a slot."""
        self._server.free_memory(slot)

    def supply_memories(self, status: ErrorStatus, memories: Sequence[Memory]) -> None:
        """Receive the client's answer to the callback: memories in the order of the slots, or the reason for none."""
        self._memories.supply(status, memories)

    def explain(self) -> tuple[ErrorStatus, str, str]:
        """Return status, message and rule of the latest execution."""
        return self._server.explanation

    def __del__(self) -> None:
        """End the burst without waiting, because finalizers may run at any point."""
        self._server.stop()
        self._memories.close()


def serve_burst(
    prepared_model: PreparedModel | None,
    callback: MemoriesCallback | None,
    requests: QueueDescriptor,
    results: QueueDescriptor,
    polling_s: float = 0.0,
) -> ServedBurst:
    """Open a burst of a prepared model on queues that the client has made.

    A prepared model that reads the packets itself names a class with the interface of
    :class:`nnvet.transport.burst.server.BurstServer` in an attribute ``burst_server``.

    :raises HalError: as the driver refuses a burst; GENERAL_FAILURE without model or callback, for bad queues, and
        for a driver that returns something else.
    """
    if prepared_model is None or callback is None:
        raise failure("a burst needs a prepared model and a callback", "burst/queue")
    memories = AskedMemories(callback)
    burst = prepared_model.configure_execution_burst()
    if not isinstance(burst, Burst):
        raise failure(f"configure_execution_burst returned {type(burst).__name__}, which is no burst", "driver/reply")
    server: type[BurstServer] = getattr(prepared_model, "burst_server", BurstServer)
    return ServedBurst(server(burst, requests, results, memories.get, polling_s), memories)


class _RepeatedExecution:
    """A reusable execution as a burst; its packets only say that it has to run."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        del config, deadline_ns
        if request.inputs or request.outputs or memory_identifier_tokens:
            raise invalid("what a reusable execution runs on was said when it was created", "burst/packet")
        return self._execution.execute_synchronously(NO_DEADLINE)

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        del memory_identifier_token


class _NobodyToAsk:
    """Source of memories for executions whose packets have no slots."""

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        del status
        raise invalid(f"a reusable execution has no memory slots, but {list(slots)} are named", "burst/slot")


def serve_execution(
    execution: Execution | None, requests: QueueDescriptor, results: QueueDescriptor, polling_s: float = 0.0
) -> ServedBurst:
    """Run a reusable execution for each packet on a queue that the client has made.

    :raises HalError: GENERAL_FAILURE without execution, and for bad queues.
    """
    if execution is None:
        raise failure("there is no execution", "burst/queue")
    memories = AskedMemories(_NobodyToAsk())
    burst = _RepeatedExecution(execution)
    server = BurstServer(burst, requests, results, memories.get, polling_s, "Execution.execute_synchronously")
    return ServedBurst(server, memories)
