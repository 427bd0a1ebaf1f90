"""Drivers whose bursts are unusual, for the checks of raw packets to judge; reached by ``python:FILE:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst, Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.transport.burst.packets import ResultPacket, decode_result, encode_result
from nnvet.transport.burst.server import BurstServer


def _serving(server: type[BurstServer]) -> Device:
    class Serving(ReferencePreparedModel):
        burst_server = server

    return with_prepared_model(Serving)


def terse() -> Device:
    """Tells no shapes that the client knows, and no time: the result of most requests has two datums."""

    class Terse(ReferencePreparedModel):
        def _run(self, *arguments: Any) -> ExecutionResult:
            result = super()._run(*arguments)
            outputs = [self.model.main.operands[index] for index in self.model.main.output_indexes]
            if not result.output_sufficient_size or any(0 in output.dimensions for output in outputs):
                return result
            return ExecutionResult()

    return with_prepared_model(Terse)


def other_errors() -> Device:
    """Refuses ill-formed packets with INVALID_ARGUMENT."""

    class Blaming(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = super()._answer(packet)
            is_failure = decode_result(answer).status is ErrorStatus.GENERAL_FAILURE
            return encode_result(ResultPacket(ErrorStatus.INVALID_ARGUMENT)) if is_failure else answer

    return _serving(Blaming)


def no_bursts() -> Device:
    """Refuses bursts."""

    class Without(ReferencePreparedModel):
        def configure_execution_burst(self) -> NoReturn:
            """Refuse."""
            raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, "all bursts are taken", "driver/bursts")

    return with_prepared_model(Without)


def long_queues_only() -> Device:
    """Takes queues of the usual length alone."""

    class Demanding(BurstServer):
        def __init__(self, burst: Burst, requests: Any, results: Any, *rest: Any) -> None:
            """Look at the lengths."""
            if results.capacity < 1024:
                raise HalError(ErrorStatus.INVALID_ARGUMENT, "the queue is too short", "driver/queue")
            super().__init__(burst, requests, results, *rest)

    return _serving(Demanding)


def ill_formed() -> Device:
    """States one datum too many in the header of every result."""

    class Miscounting(BurstServer):
        def _answer(self, packet: bytes) -> bytes:
            answer = bytearray(super()._answer(packet))
            answer[8] += 1
            return bytes(answer)

    return _serving(Miscounting)


def wrong_sums() -> Device:
    """Executes rightly once for each burst, and then no more."""

    class Once(ReferencePreparedModel):
        def configure_execution_burst(self) -> Burst:
            """Wrap the burst."""
            return _OnlyOnce(super().configure_execution_burst())

    return with_prepared_model(Once)


class _OnlyOnce:
    """States that it executes every request, but executes only one."""

    def __init__(self, burst: Burst) -> None:
        self._burst = burst
        self._result: ExecutionResult | None = None

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        if self._result is None:
            self._result = self._burst.execute_synchronously(request, memory_identifier_tokens, config, deadline_ns)
        return self._result

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """See :class:`nnvet.hal.interfaces.Burst`."""
        self._burst.release_memory_resource(memory_identifier_token)
