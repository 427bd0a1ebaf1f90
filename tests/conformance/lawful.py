"""Drivers that differ from the bundled one in ways that the contract allows; reached by ``python:FILE:NAME``."""

from typing import Any

from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.calling import Client
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.interfaces import Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request, Timing
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line, Scheduler
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model


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
    """Ignores deadlines and durations, and reports no times."""

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
