"""Drivers that differ from the bundled one, as the contract lets them; reached by ``python:FILE:NAME``."""

from collections.abc import Callable
from typing import Any

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.calling import Client
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Buffer, Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request, Timing
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line, Scheduler
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.transport.burst.packets import ResultPacket, decode_result, encode_result
from nnvet.transport.burst.server import BurstServer


def blocking() -> Device:
    """Fenced executions are done when the call returns; there are no fences."""

    class Blocking(ReferencePreparedModel):
        execute_fenced = BasePreparedModel.execute_fenced  # type: ignore[assignment]
        create_reusable_execution = BasePreparedModel.create_reusable_execution  # type: ignore[assignment]

    return with_prepared_model(Blocking)


def serial() -> Device:
    """One execution after the other."""
    device = FullDevice()
    device.scheduler = Scheduler(slots=1)
    return device


def queueing() -> Device:
    """One queue for all clients, in the order of requests; what has begun runs to its end, whoever has gone."""
    everybody = Client("everybody")

    class Queue(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            prepared = super().build(model, config)
            prepared.line = Line(self.scheduler, everybody, 0)
            return prepared

    device = Queue()
    device.scheduler = Scheduler(slots=1)
    return device


def crowded() -> Device:
    """All executions at once."""
    device = FullDevice()
    device.scheduler = Scheduler(slots=1000)
    return device


def timeless() -> Device:
    """Deadlines and durations are looked at by nobody, and times are never known."""

    class Timeless(ReferencePreparedModel):
        def _run(self, request: Request, config: ExecutionConfig, deadline_ns: int, started: int) -> ExecutionResult:
            result = self.run(request, config, NO_DEADLINE)
            return ExecutionResult(result.output_sufficient_size, result.output_shapes, Timing())

    return with_prepared_model(Timeless)


def microseconds() -> Device:
    """Times are rounded up to microseconds, as those of HIDL are."""

    class Rounded(ReferencePreparedModel):
        def _run(self, *arguments: Any) -> ExecutionResult:
            result = super()._run(*arguments)
            times = (result.timing.time_on_device_ns, result.timing.time_in_driver_ns)
            rounded = Timing(*(-(-time // 1000) * 1000 if time > 0 else time for time in times))
            return ExecutionResult(result.output_sufficient_size, result.output_shapes, rounded)

    return with_prepared_model(Rounded)


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


Allocated = tuple[Buffer, int]


def _with_allocate(answer: Callable[[Callable[..., Allocated], tuple[Any, ...]], Any]) -> Device:
    """A driver whose allocations are answered by a function of the right method and its arguments."""

    class Answering(FullDevice):
        def allocate(self, *arguments: Any, **named: Any) -> Allocated:
            """Answer."""
            assert not named
            allocated: Allocated = answer(super().allocate, arguments)
            return allocated

    return Answering()


def no_device_memory() -> Device:
    """No device memory at all; bad arguments are mostly not looked at."""

    class Without(FullDevice):
        allocate = BaseDevice.allocate  # type: ignore[assignment]

    return Without()


def inputs_only() -> Device:
    """No device memory for outputs."""

    def answer(right: Callable[..., Allocated], arguments: tuple[Any, ...]) -> Allocated:
        buffer, token = right(*arguments)
        if arguments[3]:
            raise failure("no outputs", "allocate/supported")
        return buffer, token

    return _with_allocate(answer)


def known_shapes() -> Device:
    """No device memory of unknown shape, like the sample drivers."""

    def answer(right: Callable[..., Allocated], arguments: tuple[Any, ...]) -> Allocated:
        buffer, token = right(*arguments)
        if 0 in buffer.memory.operand.dimensions:  # type: ignore[attr-defined]
            raise failure("unknown size", "allocate/supported")
        return buffer, token

    return _with_allocate(answer)
