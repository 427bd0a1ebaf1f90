"""Functions that run executions: to the end, launched, behind fences, in bursts."""

from __future__ import annotations

import threading
from functools import partial
from typing import Final

from nnvet.adapters.nnapi.codes import ResultCode
from nnvet.adapters.nnapi.exported.arguments import StagedRequest
from nnvet.adapters.nnapi.exported.calling import ObjectArray
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation
from nnvet.adapters.nnapi.exported.events import ClientEvent
from nnvet.adapters.nnapi.exported.execution import ClientExecution, ExecutionOutcome
from nnvet.adapters.nnapi.exported.refusals import Functions, bad_data, bad_state, op_failed, refusal
from nnvet.driver_kit.launch import launch
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FeatureLevel, FenceState
from nnvet.hal.errors import HalError, failure
from nnvet.hal.fences import FenceSource, create_fence, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.memory import Handle
from nnvet.hal.types import Timing


class ClientBurst:
    """A burst of the C API: one execution at a time."""

    def __init__(self, compilation: ClientCompilation) -> None:
        """Open a burst of the driver.

        :raises RefusalError: BAD_STATE if the compilation is not finished.
        :raises HalError: as the driver fails.
        """
        self.compilation = compilation
        _, prepared = compilation.check_finished()
        self.burst = prepared.configure_execution_burst()
        self.busy = threading.Lock()


def compute(execution: ClientExecution) -> None:
    """Run to the end."""
    staged = execution.begin()
    execution.run(staged, partial(execution.execute, staged)).check()


def burst_compute(execution: ClientExecution, burst: ClientBurst) -> None:
    """Run to the end, in a burst of the same compilation."""
    if burst.compilation is not execution.compilation:
        raise bad_data("the burst is of another compilation")
    if not burst.busy.acquire(blocking=False):
        raise bad_state("another execution runs in the burst")
    try:
        staged = execution.begin()
        execution.run(
            staged,
            lambda: burst.burst.execute_synchronously(
                staged.request, staged.identifiers, execution.config, execution.deadline_ns
            ),
        ).check()
    finally:
        burst.busy.release()


def start_compute(execution: ClientExecution) -> ClientEvent:
    """Launch."""
    staged, event = execution.begin(), ClientEvent()
    _launch(execution, event, partial(_run, execution, staged), None)
    return event


def start_after(execution: ClientExecution, dependencies: ObjectArray, count: int, duration_ns: int) -> ClientEvent:
    """Launch behind events; those without a fence are waited for here. ``duration_ns`` 0: no limit."""
    if duration_ns:
        execution.compilation.check_one_device("a duration")
    if any(output is not None and not output.is_specified for output in execution.outputs):
        raise bad_data("an output has dimensions that are not fully specified")
    fences: list[Handle] = []
    for event in dependencies.take(count):
        if event.fence is None or execution.device.level < FeatureLevel.FL4:
            event.wait()
        else:
            fences.append(event.fence)
    if execution.device.level < FeatureLevel.FL4:
        return start_compute(execution)
    staged = execution.begin()
    try:
        ended = _execute_fenced(execution, staged, fences, duration_ns)
        fence, source = create_fence()
    except (HalError, OSError) as error:
        refused = refusal(error) if isinstance(error, HalError) else op_failed(str(error))
        execution.end(ExecutionOutcome(refused.code, reason=str(refused)))
        raise refused from error
    launched = ClientEvent(fence)
    _launch(execution, launched, partial(_follow, execution, staged, ended), source)
    return launched


def _execute_fenced(
    execution: ClientExecution, staged: StagedRequest, fences: list[Handle], duration_ns: int
) -> FencedExecutionResult:
    duration_ns, deadline_ns = duration_ns or NO_DEADLINE, execution.deadline_ns
    if execution.is_reusable and execution.device.level >= FeatureLevel.FL8:
        return execution.reused(staged).execute_fenced(fences, deadline_ns, duration_ns)
    return execution.prepared.execute_fenced(staged.request, fences, execution.config, deadline_ns, duration_ns)


def _run(execution: ClientExecution, staged: StagedRequest) -> ExecutionOutcome:
    return execution.run(staged, partial(execution.execute, staged))


def _follow(execution: ClientExecution, staged: StagedRequest, ended: FencedExecutionResult) -> ExecutionOutcome:
    """Wait for the driver's fence, and take over what has come of the execution."""
    outcome = ExecutionOutcome(ResultCode.OP_FAILED)
    try:
        launched, fenced = _timings(ended)
        staged.collect(())
        outcome = ExecutionOutcome(ResultCode.NO_ERROR, (), launched, fenced)
    except HalError as error:
        outcome = ExecutionOutcome(refusal(error).code, reason=str(error))
    finally:
        execution.end(outcome)
    return outcome


def _timings(ended: FencedExecutionResult) -> tuple[Timing, Timing]:
    """Wait for the driver's fence; returns the timings that it then tells.

    :raises HalError: the execution has failed, or the fence is none.
    """
    if ended.sync_fence is not None and wait_for_fence(ended.sync_fence) is FenceState.UNKNOWN:
        raise failure("the driver's fence is none", "driver/reply")
    status, launched, fenced = ended.callback.get_execution_info()
    if status is not ErrorStatus.NONE:
        raise HalError(status, "the fenced execution failed")
    return launched, fenced


def _launch(
    execution: ClientExecution, event: ClientEvent, task: partial[ExecutionOutcome], source: FenceSource | None
) -> None:
    """Have a thread do what ends with an outcome; then the event ends, and the fence of ``source`` signals."""

    def done(_status: ErrorStatus, outcome: ExecutionOutcome | None) -> None:
        code = outcome.code if outcome is not None else ResultCode.OP_FAILED
        event.end(code)
        if source is not None:
            source.signal_or_fail() if code is ResultCode.NO_ERROR else source.fail()

    try:
        launch(task, done)
    except HalError:
        execution.end(ExecutionOutcome(ResultCode.OP_FAILED))
        event.end(ResultCode.OP_FAILED)
        raise


FUNCTIONS: Final[Functions] = {
    "Burst_create": ClientBurst,
    "Burst_free": lambda _burst: None,
    "Execution_compute": compute,
    "Execution_burstCompute": burst_compute,
    "Execution_startCompute": start_compute,
    "Execution_startComputeWithDependencies": start_after,
}
