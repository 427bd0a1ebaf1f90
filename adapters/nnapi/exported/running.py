"""Functions of the exported C API that set the options of an execution and run it.

There are four kinds of runs: to the end, launched, launched after fences, and in a burst. ``FUNCTIONS`` at the end
lists the C API's functions, which :mod:`nnvet.adapters.nnapi.exported.serving` exports. The state of executions is in
:mod:`nnvet.adapters.nnapi.exported.execution`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from nnvet.adapters.nnapi.declarations import ResultCode
from nnvet.adapters.nnapi.exported.arguments import (
    ClientArgument,
    StagedRequest,
    argument_of,
    check_place,
    check_pointer,
)
from nnvet.adapters.nnapi.exported.calling import Functions, ObjectArray, bad_data, bad_state, op_failed, refusal
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation, add_hint
from nnvet.adapters.nnapi.exported.execution import ClientEvent, ClientExecution, ExecutionOutcome
from nnvet.adapters.nnapi.exported.memories import ClientMemory, DescribedMemory, DriverMemory, SharedMemory
from nnvet.driver_kit.base_prepared_model import launch
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError, failure
from nnvet.hal.fences import FenceSource, create_fence, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.operand_types import combine


class ClientBurst:
    """A burst of the C API: one execution at a time."""

    def __init__(self, compilation: ClientCompilation) -> None:
        """Open a burst of the driver.

        :raises RefusalError: BAD_STATE if the compilation is not finished.
        :raises HalError: the driver's error.
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
    """Run to the end in a burst, which has to belong to the same compilation."""
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
    """Launch an execution."""
    staged, event = execution.begin(), ClientEvent()
    _launch(execution, event, partial(_run, execution, staged), None)
    return event


def start_after(execution: ClientExecution, dependencies: ObjectArray, count: int, duration_ns: int) -> ClientEvent:
    """Launch an execution after events; for events without a fence, this call itself waits.

    A ``duration_ns`` of 0 means no limit.
    """
    if duration_ns:
        execution.compilation.check_one_device("a duration")
    if any(output is not None and not output.is_specified for output in execution.outputs):
        raise bad_data("an output has dimensions that are not fully specified")
    fences: list[hal.Handle] = []
    for event in dependencies.take(count):
        if event.fence is None or execution.device.level < hal.FeatureLevel.FL4:
            event.wait()
        else:
            fences.append(event.fence)
    if execution.device.level < hal.FeatureLevel.FL4:
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
    execution: ClientExecution, staged: StagedRequest, fences: list[hal.Handle], duration_ns: int
) -> FencedExecutionResult:
    duration_ns, deadline_ns = duration_ns or hal.NO_DEADLINE, execution.deadline_ns
    if execution.is_reusable and execution.device.level >= hal.FeatureLevel.FL8:
        return execution.create_reusable(staged).execute_fenced(fences, deadline_ns, duration_ns)
    return execution.prepared.execute_fenced(staged.request, fences, execution.config, deadline_ns, duration_ns)


def _run(execution: ClientExecution, staged: StagedRequest) -> ExecutionOutcome:
    return execution.run(staged, partial(execution.execute, staged))


def _follow(execution: ClientExecution, staged: StagedRequest, ended: FencedExecutionResult) -> ExecutionOutcome:
    """Wait for the driver's fence, and end the execution with its outcome."""
    outcome = ExecutionOutcome(ResultCode.OP_FAILED)
    try:
        launched, fenced = _wait_for_timings(ended)
        staged.collect(())
        outcome = ExecutionOutcome(ResultCode.NO_ERROR, (), launched, fenced)
    except HalError as error:
        outcome = ExecutionOutcome(refusal(error).code, reason=str(error))
    finally:
        execution.end(outcome)
    return outcome


def _wait_for_timings(ended: FencedExecutionResult) -> tuple[hal.Timing, hal.Timing]:
    """Wait for the driver's fence, and return the times that the driver then reports.

    :raises HalError: the execution has failed, or the driver's fence is invalid.
    """
    if ended.sync_fence is not None and wait_for_fence(ended.sync_fence) is hal.FenceState.UNKNOWN:
        raise failure("the driver's fence is none", "driver/reply")
    status, launched, fenced = ended.callback.get_execution_info()
    if status is not hal.ErrorStatus.NONE:
        raise HalError(status, "the fenced execution failed")
    return launched, fenced


def _launch(
    execution: ClientExecution, event: ClientEvent, task: partial[ExecutionOutcome], source: FenceSource | None
) -> None:
    """Start a thread that computes an outcome; then it ends the event and signals the fence of ``source``."""

    def finish(_status: hal.ErrorStatus, outcome: ExecutionOutcome | None) -> None:
        code = outcome.code if outcome is not None else ResultCode.OP_FAILED
        event.end(code)
        if source is not None:
            source.signal_or_fail() if code is ResultCode.NO_ERROR else source.fail()

    try:
        launch(task, finish)
    except HalError:
        execution.end(ExecutionOutcome(ResultCode.OP_FAILED))
        event.end(ResultCode.OP_FAILED)
        raise


Place = Callable[[hal.Operand], ClientArgument]
"""A function that checks a client's argument against the model's operand, and returns the argument."""


def _set(execution: ClientExecution, index: int, place: Place, *, is_input: bool) -> None:
    """Set an input or output that ``place`` makes; raises BAD_STATE if it is set already."""
    execution.check_open()
    operand = execution.compilation.operand(index, is_input=is_input)
    arguments = execution.inputs if is_input else execution.outputs
    if arguments[index] is not None:
        raise bad_state(f"{'input' if is_input else 'output'} {index} is set already")
    arguments[index] = place(operand)


def _make_setter(*, is_input: bool) -> Callable[..., None]:
    """Return the function ``setInput`` or ``setOutput``, for arguments at pointers."""

    def set_argument(execution: ClientExecution, index: int, given: Any, buffer: Any, length: int) -> None:
        def place(operand: hal.Operand) -> ClientArgument:
            check_pointer(buffer, length)
            if not buffer:
                return ClientArgument()
            argument = argument_of(operand, given, length, is_input=is_input, padded=execution.is_padded)
            return replace(argument, pointer=buffer)

        _set(execution, index, place, is_input=is_input)

    return set_argument


def _make_setter_from_memory(*, is_input: bool) -> Callable[..., None]:
    """Return the function ``setInputFromMemory`` or ``setOutputFromMemory``."""

    def set_argument(
        execution: ClientExecution, index: int, given: Any, memory: ClientMemory, offset: int, length: int
    ) -> None:
        def place(operand: hal.Operand) -> ClientArgument:
            if isinstance(memory, DriverMemory | DescribedMemory):
                if (offset, length) != (0, 0):
                    raise bad_data("memory made of a description is used whole, with offset and length 0")
                if (execution.compilation, is_input, index) not in memory.roles:
                    raise bad_data(f"the memory has no role as {'input' if is_input else 'output'} {index}")
            if isinstance(memory, DriverMemory):
                return _place_in_device_memory(operand, given, memory, is_input=is_input)
            if isinstance(memory, DescribedMemory):
                argument = argument_of(operand, given, memory.size, is_input=is_input, padded=execution.is_padded)
                return replace(argument, memory=memory)
            if not isinstance(memory, SharedMemory):
                raise bad_data("the memory is none that executions can use")
            check_place(memory, offset, length)
            argument = argument_of(operand, given, length, is_input=is_input, padded=execution.is_padded)
            return replace(argument, memory=memory, offset=offset)

        _set(execution, index, place, is_input=is_input)

    return set_argument


def _place_in_device_memory(
    operand: hal.Operand, given: Any, memory: DriverMemory, *, is_input: bool
) -> ClientArgument:
    """Return an argument that is all of a device memory; raises BAD_DATA if their dimensions do not fit."""
    # An input in device memory has the dimensions of the memory's content.
    argument = argument_of(operand, given, None, is_input=False, padded=False)
    if combine(argument.dimensions, memory.operand.dimensions) is None:
        raise bad_data(f"dimensions {list(argument.dimensions)}, the memory has {list(memory.operand.dimensions)}")
    known = combine(argument.dimensions, memory.dimensions) if is_input else None
    if known is not None:
        argument = replace(argument, dimensions=known, is_redimensioned=known != operand.dimensions)
    return replace(argument, memory=memory)


def _set_timeout(execution: ClientExecution, duration_ns: int) -> None:
    execution.check_open()
    execution.compilation.check_one_device("a time-out")
    execution.timeout_ns = duration_ns


def _set_loop_timeout(execution: ClientExecution, duration_ns: int) -> None:
    execution.check_open()
    execution.loop_timeout_ns = min(duration_ns, hal.MAXIMUM_LOOP_TIMEOUT_DURATION_NS)


def _set_measured(execution: ClientExecution, measure: bool) -> None:  # noqa: FBT001 - as C calls it
    execution.check_open()
    execution.compilation.check_one_device("measured timing")
    execution.is_measured = bool(measure)


def _set_reusable(execution: ClientExecution, reusable: bool) -> None:  # noqa: FBT001 - same
    execution.check_open()
    execution.is_reusable = bool(reusable)


def _enable_padding(execution: ClientExecution, enable: bool) -> None:  # noqa: FBT001 - same
    execution.check_open()
    if any(argument is not None for argument in (*execution.inputs, *execution.outputs)):
        raise bad_state("an input or output has been set")
    execution.is_padded = bool(enable)


def _add_attribute(execution: ClientExecution, name: Any, code: int, data: Any, length: int) -> None:
    execution.check_open()
    execution.compilation.check_one_device("an attribute of an extension")
    add_hint(execution.hints, name, code, data, length)


FUNCTIONS: Final[Functions] = {
    "Burst_create": ClientBurst,
    "Burst_free": lambda _burst: None,
    "Execution_compute": compute,
    "Execution_burstCompute": burst_compute,
    "Execution_startCompute": start_compute,
    "Execution_startComputeWithDependencies": start_after,
    "Execution_create": ClientExecution,
    # If a run is still under way, its thread ends the run.
    "Execution_free": lambda _execution: None,
    "Execution_setInput": _make_setter(is_input=True),
    "Execution_setOutput": _make_setter(is_input=False),
    "Execution_setInputFromMemory": _make_setter_from_memory(is_input=True),
    "Execution_setOutputFromMemory": _make_setter_from_memory(is_input=False),
    "Execution_setTimeout": _set_timeout,
    "Execution_setLoopTimeout": _set_loop_timeout,
    "Execution_setMeasureTiming": _set_measured,
    "Execution_setReusable": _set_reusable,
    "Execution_enableInputAndOutputPadding": _enable_padding,
    "Execution_addExtensionAttribute": _add_attribute,
}
