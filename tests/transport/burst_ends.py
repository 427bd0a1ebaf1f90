"""Both ends of a burst in this process, for tests: a driver's burst that does as it is set up, and a raw client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.errors import invalid
from nnvet.hal.interfaces import Burst
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Memory, Request
from nnvet.transport.burst.packets import DATUM_BYTES, ResultPacket, decode_result
from nnvet.transport.burst.server import BurstServer
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue

PATIENCE_S = 20.0
DATUMS = 1024
"""Size of both queues in the contract's reference client (docs/contract/hal.md 2)."""


class AddModel(BasePreparedModel):
    """Adds its two inputs."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The sum."""
        return [inputs[0] + inputs[1]]


class ScriptedBurst:
    """Keeps what it gets, and answers as it was set up to."""

    def __init__(self, answer: Callable[[], Any] = ExecutionResult) -> None:
        """Answer every execution with what ``answer`` returns or raises."""
        self.answer = answer
        self.executed: list[tuple[Request, tuple[int, ...], ExecutionConfig, int]] = []
        self.released: list[int] = []

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        self.executed.append((request, tuple(memory_identifier_tokens), config, deadline_ns))
        result: ExecutionResult = self.answer()
        return result

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        self.released.append(memory_identifier_token)


class RawClient:
    """A client of a burst that sends whatever packet it is given."""

    def __init__(self, burst: Burst, memories: Mapping[int, Memory], datums: int, polling_s: float) -> None:
        """Open a burst whose slots have ``memories``."""
        requests, results = create_queue(DATUM_BYTES, DATUMS), create_queue(DATUM_BYTES, datums)
        self.memories = memories
        self.asked: list[list[int]] = []
        self.server = BurstServer(burst, requests, results, self.get_memories, polling_s)
        self.requests = QueueWriter(requests)
        self.results = QueueReader(results)
        self.queues = requests, results
        self.thread = self.server.start()

    def get_memories(self, slots: Sequence[int]) -> Sequence[Memory]:
        """See :data:`nnvet.transport.burst.packets.GetMemories`."""
        self.asked.append(list(slots))
        if not set(slots) <= set(self.memories):
            raise invalid("no such slot")
        return [self.memories[slot] for slot in slots]

    def send(self, packet: bytes) -> bytes:
        """The bytes of the result packet for a request packet."""
        assert self.requests.write(packet)
        result = self.results.read_blocking(deadline=time.monotonic() + PATIENCE_S)
        assert result
        return result

    def execute(self, packet: bytes) -> ResultPacket:
        """The result for a request packet."""
        return decode_result(self.send(packet))


@contextmanager
def raw_client(
    burst: Burst, memories: Mapping[int, Memory] | None = None, datums: int = DATUMS, polling_s: float = 0.0
) -> Iterator[RawClient]:
    """A served burst with a queue for results of ``datums``; afterwards its thread has ended."""
    client = RawClient(burst, memories or {}, datums, polling_s)
    try:
        yield client
    finally:
        client.server.stop()
        client.thread.join(PATIENCE_S)
        assert not client.thread.is_alive()
