"""State of the exported library's executions and events.

An execution (:class:`ClientExecution`) holds the client's arguments and options, and the outcome of the last run. An
event (:class:`ClientEvent`) stands for the end of a launched execution, or for a fence. This module has the functions
that read results; :mod:`nnvet.adapters.nnapi.exported.running` has those that start runs.
:mod:`nnvet.adapters.nnapi.exported.serving` exports both tables.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from nnvet.adapters.calls import execute
from nnvet.adapters.nnapi.declarations import NO_DURATION, DurationCode, ResultCode
from nnvet.adapters.nnapi.exported import calling
from nnvet.adapters.nnapi.exported.arguments import ClientArgument, StagedRequest
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation, Hint, deadline_after, hal_hints
from nnvet.adapters.nnapi.exported.memories import DriverMemory
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.fences import wait_for_fence
from nnvet.hal.interfaces import Execution

_NOT_MEASURED: Final = hal.Timing()
"""Times of a run that the client has not asked to measure."""


@dataclass(frozen=True)
class ExecutionOutcome:
    """Outcome of a run: result, shapes of outputs, times since the launch and since the last dependency."""

    code: ResultCode = ResultCode.NO_ERROR
    shapes: tuple[hal.OutputShape, ...] = ()
    launched: hal.Timing = _NOT_MEASURED
    fenced: hal.Timing = _NOT_MEASURED
    reason: str = ""

    def check(self) -> None:
        """Raise a RefusalError with the result code, unless the code means success."""
        if self.code is not ResultCode.NO_ERROR:
            raise calling.RefusalError(self.code, self.reason)


class ClientExecution:
    """An execution of the C API; ``outcome`` belongs to the last run that has ended, and is None before."""

    def __init__(self, compilation: ClientCompilation) -> None:
        """Start without arguments.

        :raises RefusalError: BAD_STATE if the compilation is not finished.
        """
        self.device, self.prepared = compilation.check_finished()
        self.compilation = compilation
        self.inputs: list[ClientArgument | None] = [None] * len(compilation.model.inputs)
        self.outputs: list[ClientArgument | None] = [None] * len(compilation.model.outputs)
        self.is_padded = self.is_reusable = self.is_measured = False
        self.timeout_ns = 0
        self.loop_timeout_ns = hal.NO_DEADLINE
        self.hints: list[Hint] = []
        self.outcome: ExecutionOutcome | None = None
        self._lock = threading.Lock()
        self._is_started = self._is_running = False
        self._staged: StagedRequest | None = None
        self._reusable: Execution | None = None

    def check_open(self) -> None:
        """Check that arguments may still be set; raises BAD_STATE once the execution has been started."""
        if self._is_started:
            raise calling.bad_state("the execution has been started")

    def check_completed(self) -> ExecutionOutcome:
        """Return the outcome of the last run; raises BAD_STATE before the first one."""
        if self._is_running or self.outcome is None:
            raise calling.bad_state("the execution has not completed")
        return self.outcome

    @property
    def deadline_ns(self) -> int:
        """Return the deadline of a run that begins now."""
        return deadline_after(self.timeout_ns)

    @property
    def config(self) -> hal.ExecutionConfig:
        """Return the configuration for the driver."""
        hints, names = hal_hints(self.hints)
        return hal.ExecutionConfig(self.is_measured, self.loop_timeout_ns, hints, names)

    def begin(self) -> StagedRequest:
        """Begin a run; the caller has to :meth:`end` it.

        :raises RefusalError: BAD_STATE during another run, or after a run if the execution is not reusable; BAD_DATA if
            an argument is missing; OP_FAILED for an input in device memory without content.
        """
        with self._lock:
            if self._is_running or (self._is_started and not self.is_reusable):
                raise calling.bad_state("the execution is running, or has been run and is not reusable")
            self._is_started = self._is_running = True
        try:
            staged = self._stage_request()
            staged.fill()
        except (calling.RefusalError, HalError, OSError) as error:
            refused = _to_refusal(error)
            self.end(ExecutionOutcome(refused.code, reason=str(refused)))
            raise refused from error
        return staged

    def end(self, outcome: ExecutionOutcome) -> None:
        """End the run with its outcome."""
        with self._lock:
            self.outcome = outcome
            self._is_running = False

    def run(self, staged: StagedRequest, call: Callable[[], hal.ExecutionResult]) -> ExecutionOutcome:
        """Carry out a run that has begun, by ``call``, and end it."""
        outcome = ExecutionOutcome(ResultCode.OP_FAILED)
        try:
            result = call()
            if result.output_sufficient_size:
                staged.collect(result.output_shapes)
                outcome = ExecutionOutcome(ResultCode.NO_ERROR, result.output_shapes, result.timing, result.timing)
            else:
                reason = "an output is too small"
                outcome = ExecutionOutcome(ResultCode.OUTPUT_INSUFFICIENT_SIZE, result.output_shapes, reason=reason)
        except HalError as error:
            outcome = ExecutionOutcome(calling.refusal(error).code, reason=str(error))
        finally:
            self.end(outcome)
        return outcome

    def execute(self, staged: StagedRequest) -> hal.ExecutionResult:
        """Execute on the driver, synchronously if its level allows that.

        :raises HalError: the driver's error.
        """
        if self.is_reusable and self.device.level >= hal.FeatureLevel.FL8:
            return self.create_reusable(staged).execute_synchronously(self.deadline_ns)
        if self.device.level < hal.FeatureLevel.FL3:
            return execute(self.prepared, staged.request, self.config, self.deadline_ns)
        return self.prepared.execute_synchronously(staged.request, self.config, self.deadline_ns)

    def create_reusable(self, staged: StagedRequest) -> Execution:
        """Return the driver's reusable execution, which the first run creates for all runs.

        :raises HalError: the driver's error while it creates the execution.
        """
        if self._reusable is None:
            self._reusable = self.prepared.create_reusable_execution(staged.request, self.config)
        return self._reusable

    def _stage_request(self) -> StagedRequest:
        """Return the request, which the first run lays out for all runs; raises like :meth:`begin`."""
        if self._staged is None:
            inputs = [argument for argument in self.inputs if argument is not None]
            outputs = [argument for argument in self.outputs if argument is not None]
            if len(inputs) + len(outputs) != len(self.inputs) + len(self.outputs):
                raise calling.bad_data("an input or output has not been set")
            self._staged = StagedRequest(inputs, outputs)
        for position, argument in enumerate(self.inputs):
            memory = argument.memory if argument is not None else None
            if isinstance(memory, DriverMemory) and not memory.has_content:
                raise calling.op_failed(f"the device memory of input {position} has no content")
        return self._staged


def _to_refusal(error: calling.RefusalError | HalError | OSError) -> calling.RefusalError:
    if isinstance(error, calling.RefusalError):
        return error
    return calling.refusal(error) if isinstance(error, HalError) else calling.op_failed(str(error))


class ClientEvent:
    """An event of the C API, which ends with a result; ``fence``, if any, signals at the same time."""

    def __init__(self, fence: hal.Handle | None = None) -> None:
        """Begin an event that has not ended."""
        self.fence = fence
        self._ended = threading.Event()
        self._code = ResultCode.OP_FAILED

    def end(self, code: ResultCode) -> None:
        """End the event, and wake all waiters."""
        self._code = code
        self._ended.set()

    def wait(self) -> ResultCode:
        """Wait for the end, and return its result."""
        self._ended.wait()
        return self._code

    def release(self) -> None:
        """Wait for the end when the client frees the event: the client may free the execution's memory next."""
        self._ended.wait()


class FenceEvent(ClientEvent):
    """An event for a client's own fence."""

    def __init__(self, fence: hal.Handle) -> None:
        """Wrap ``fence``, and own it."""
        super().__init__(fence)
        self._fence = fence

    def wait(self) -> ResultCode:
        """Wait for the signal."""
        return ResultCode.NO_ERROR if wait_for_fence(self._fence) is hal.FenceState.SIGNALED else ResultCode.OP_FAILED

    def release(self) -> None:
        """Return at once, because the client itself signals the fence, and may do so later."""


def _create_from_fence(descriptor: int) -> ClientEvent:
    try:
        if descriptor <= 0:
            raise calling.bad_data(f"{descriptor} is no fence")
        return FenceEvent(hal.OwnedHandle(os.dup(descriptor)))
    except OSError as error:
        raise calling.bad_data(f"fence {descriptor} cannot be duplicated: {error}") from error


def _get_fence(event: ClientEvent, place: Any) -> None:
    place[0] = -1
    if event.fence is None:
        raise calling.bad_data("the event is of an execution without a fence")
    place[0] = os.dup(event.fence.fd)


def _wait(event: ClientEvent) -> None:
    code = event.wait()
    if code is not ResultCode.NO_ERROR:
        raise calling.RefusalError(code, "so the execution ended")


_WITH_SHAPES: Final = (ResultCode.NO_ERROR, ResultCode.OUTPUT_INSUFFICIENT_SIZE)
"""Results of a run after which clients may ask for the shapes of outputs."""


def _find_shape(execution: ClientExecution, index: int) -> hal.OutputShape:
    """Return the shape that the driver has reported for an output; otherwise the shape in model and argument."""
    outcome = execution.check_completed()
    if outcome.code not in _WITH_SHAPES:
        raise calling.bad_state(f"the execution has failed with {outcome.code.name}")
    calling.check_index(index, len(execution.outputs), "output")
    if outcome.shapes:
        return outcome.shapes[index]
    argument = execution.outputs[index]
    return hal.OutputShape(argument.dimensions if argument is not None else ())


def _check_sufficient(index: int, shape: hal.OutputShape) -> None:
    if not shape.is_sufficient:
        raise calling.RefusalError(
            ResultCode.OUTPUT_INSUFFICIENT_SIZE, f"output {index} is too small for {shape.dimensions}"
        )


def _get_rank(execution: ClientExecution, index: int, place: Any) -> None:
    shape = _find_shape(execution, index)
    place[0] = len(shape.dimensions)
    _check_sufficient(index, shape)


def _get_dimensions(execution: ClientExecution, index: int, place: Any) -> None:
    shape = _find_shape(execution, index)
    if not shape.dimensions:
        raise calling.bad_data(f"output {index} has no dimensions")
    for position, dimension in enumerate(shape.dimensions):
        place[position] = dimension
    _check_sufficient(index, shape)


def _get_duration(execution: ClientExecution, code: int, place: Any) -> None:
    place[0] = NO_DURATION
    if code not in DurationCode.__members__.values():
        raise calling.bad_data(f"there is no duration {code}")
    outcome = execution.check_completed()
    if outcome.code is not ResultCode.NO_ERROR or not execution.is_measured:
        raise calling.bad_state("the execution has failed, or was not to be measured")
    is_fenced = code in (DurationCode.FENCED_ON_HARDWARE, DurationCode.FENCED_IN_DRIVER)
    timing = outcome.fenced if is_fenced else outcome.launched
    on_hardware = code in (DurationCode.ON_HARDWARE, DurationCode.FENCED_ON_HARDWARE)
    duration = timing.time_on_device_ns if on_hardware else timing.time_in_driver_ns
    place[0] = NO_DURATION if duration == hal.NO_TIMING else duration


FUNCTIONS: Final[calling.Functions] = {
    "Event_createFromSyncFenceFd": _create_from_fence,
    "Event_getSyncFenceFd": _get_fence,
    "Event_wait": _wait,
    "Event_free": lambda event: event.release(),
    "Execution_getOutputOperandRank": _get_rank,
    "Execution_getOutputOperandDimensions": _get_dimensions,
    "Execution_getDuration": _get_duration,
}
