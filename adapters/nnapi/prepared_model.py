"""Prepared models of the library: they implement each executor of the HAL by executions of the library.

:mod:`nnvet.adapters.nnapi.device` returns an :class:`NnapiPreparedModel` for each model that the library has compiled;
:mod:`nnvet.adapters.nnapi.execution` sets the arguments of a single execution and reads its results. In fenced
executions, fences of the HAL become events of the library, and events become fences.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from nnvet.adapters.nnapi.compilation import NnapiCompilation
from nnvet.adapters.nnapi.declarations import STATUSES, DurationCode, ResultCode
from nnvet.adapters.nnapi.device_memory import NnapiBuffers
from nnvet.adapters.nnapi.execution import NnapiExecution
from nnvet.adapters.nnapi.inexpressible import Unsaid, check_duration, refuse
from nnvet.driver_kit.base_prepared_model import launch
from nnvet.hal.calling import calling_client
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.fences import FenceSource, create_fence, fence_state, wait_for_fence
from nnvet.hal.interfaces import Burst, Execution, ExecutionCallback, FencedExecutionResult
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Handle, OwnedHandle, Request, Timing


def run_fenced(
    execution: NnapiExecution, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int
) -> FencedExecutionResult:
    """Launch an execution after fences; if the library returns no fence for the end, create one.

    :raises HalError: the library's error if it refuses fences or execution.
    """
    library = execution.library
    awaited = [_relay_until_client_goes(fence) for fence in wait_for]
    events = [library.create("Event_createFromSyncFenceFd", fence.fd) for fence in awaited]
    duration = 0 if duration_ns == NO_DEADLINE else max(duration_ns, 1)
    event = execution.start_after(events, deadline_ns, duration)
    if all(fence_state(fence) is not FenceState.ACTIVE for fence in wait_for):
        execution.check_accepted(event)
    descriptor = library.ffi.new("int*", -1)
    code = library.result("Event_getSyncFenceFd", event, descriptor)
    fence, source = create_fence()
    if code == ResultCode.NO_ERROR and descriptor[0] >= 0:
        fence = OwnedHandle(descriptor[0])
    # Freeing an event blocks until the event has ended, so this thread keeps it until then, even if the client releases
    # the execution.
    # A source that has signalled already does not fail any more.
    launch(lambda: _follow(execution, event, source), lambda *_: source.fail())
    return FencedExecutionResult(_Outcome(execution, event, fence), fence)


def _relay_until_client_goes(fence: Handle) -> Handle:
    """Return a fence that signals like the given one, and fails once the client is gone.

    The C API cannot end an execution whose fence never signals, and the fence of a dead client never does.
    """
    if fence_state(fence) is not FenceState.ACTIVE:
        return fence
    # The client's descriptor is closed after the call, so the thread needs a duplicate.
    own, departure = OwnedHandle(os.dup(fence.fd)), calling_client().departure()
    relay, source = create_fence()

    def pass_on(_: ErrorStatus, state: FenceState | None) -> None:
        source.signal_or_fail() if state is FenceState.SIGNALED else source.fail()

    launch(lambda: wait_for_fence(own, until=departure), pass_on)
    return relay


def _follow(execution: NnapiExecution, event: Any, source: FenceSource) -> None:
    """Wait for the end of an execution, and signal ``source`` if the execution has succeeded."""
    if execution.library.result("Event_wait", event) == ResultCode.NO_ERROR:
        source.signal_or_fail()


class _Outcome:
    """A :class:`nnvet.hal.interfaces.FencedExecutionCallback` that asks the library."""

    def __init__(self, execution: NnapiExecution, event: Any, fence: Handle) -> None:
        self._execution = execution
        self._event = event
        # The descriptor that goes over the wire is closed there, so this object keeps a duplicate.
        self._fence = fence

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """Ask the library, once the fence has signalled.

        :raises HalError: GENERAL_FAILURE as long as the fence has not signalled.
        """
        if fence_state(self._fence) is FenceState.ACTIVE:
            raise failure("the execution has not ended", "execution/fence.info")
        execution = self._execution
        code = execution.library.result("Event_wait", self._event)
        if code != ResultCode.NO_ERROR:
            return STATUSES.get(ResultCode(code), ErrorStatus.GENERAL_FAILURE), Timing(), Timing()
        launched = execution.timing(DurationCode.ON_HARDWARE, DurationCode.IN_DRIVER)
        fenced = execution.timing(DurationCode.FENCED_ON_HARDWARE, DurationCode.FENCED_IN_DRIVER)
        return ErrorStatus.NONE, launched, fenced


class NnapiPreparedModel:
    """A :class:`nnvet.hal.interfaces.PreparedModel` of the library."""

    def __init__(self, compilation: NnapiCompilation, buffers: NnapiBuffers) -> None:
        """Wrap a finished compilation; ``buffers`` has the device memory that requests may name."""
        self.model = compilation.built.model
        self._compilation = compilation
        self._buffers = buffers

    @property
    def compilation_pointer(self) -> Any:
        """Return the library's object."""
        return self._compilation.pointer

    def execute(self, request: Request, config: ExecutionConfig, deadline_ns: int, callback: ExecutionCallback) -> None:
        """Set the arguments and launch; a thread waits for the end, and notifies once.

        :raises HalError: the library refuses the request; the callback is notified, too.
        """
        if callback is None:
            raise invalid("the callback is null", "execution/notified_once")
        try:
            execution = self.execution(request, config, deadline_ns)
            wait_for_end = _launch(execution, deadline_ns)
        except HalError as error:
            callback.notify(error.status, (), Timing())
            if error.status is ErrorStatus.INVALID_ARGUMENT:
                raise
            # From here on the request counts as launched, so a later failure has to be notified, not raised.
            return
        launch(wait_for_end, lambda *end: _notify(callback, *end))

    def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Run to the end.

        :raises HalError: the library's error.
        """
        return self.execution(request, config, deadline_ns).compute(deadline_ns)

    def execute_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Launch an execution after fences.

        :raises HalError: the library's error if it refuses the request.
        """
        check_duration(duration_ns, "duration", "execution/duration")
        execution = self.execution(request, config, deadline_ns, unspecified_outputs=False)
        return run_fenced(execution, wait_for, deadline_ns, duration_ns)

    def create_reusable_execution(self, request: Request, config: ExecutionConfig) -> Execution:
        """Set the arguments once, for many runs.

        :raises HalError: the library's error if it refuses the request.
        """
        return _ReusableExecution(self, request, config)

    def configure_execution_burst(self) -> Burst:
        """Create a burst of the library.

        :raises HalError: the library's error.
        """
        return _NnapiBurst(self, self._compilation)

    def execution(
        self,
        request: Request,
        config: ExecutionConfig,
        deadline_ns: int = NO_DEADLINE,
        *,
        unspecified_outputs: bool = True,
        reusable: bool = False,
    ) -> NnapiExecution:
        """Return an execution of the library with all its arguments set; see :class:`NnapiExecution` for errors."""
        check_duration(deadline_ns, "deadline", "execution/deadline")
        return NnapiExecution(
            self._compilation,
            self._buffers,
            request,
            config,
            unspecified_outputs=unspecified_outputs,
            reusable=reusable,
        )


class _ReusableExecution:
    """A :class:`nnvet.hal.interfaces.Execution` of the library.

    The library's execution has one time limit, which is set once. So each run with a deadline takes an execution of its
    own, and so does each run on a library without reusable executions.
    """

    def __init__(self, prepared: NnapiPreparedModel, request: Request, config: ExecutionConfig) -> None:
        self._prepared = prepared
        self._request = request
        self._config = config
        self._busy = threading.Lock()
        self._reusable = prepared.execution(request, config, reusable=True)

    def execute_synchronously(self, deadline_ns: int) -> ExecutionResult:
        """Run with the arguments given at creation."""
        # The library answers questions about its last run, so no other run may begin before they are asked.
        if not self._busy.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")
        try:
            return self._choose_execution(deadline_ns).compute(deadline_ns)
        finally:
            self._busy.release()

    def execute_fenced(self, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int) -> FencedExecutionResult:
        """Run after fences with the arguments given at creation."""
        check_duration(duration_ns, "duration", "execution/duration")
        return run_fenced(self._choose_execution(deadline_ns), wait_for, deadline_ns, duration_ns)

    def _choose_execution(self, deadline_ns: int) -> NnapiExecution:
        """Return the reusable execution, or a new one for a run that cannot use it."""
        if not self._reusable.is_reusable or deadline_ns != NO_DEADLINE:
            return self._prepared.execution(self._request, self._config, deadline_ns)
        return self._reusable


class _NnapiBurst:
    """A :class:`nnvet.hal.interfaces.Burst` of the library. The C API has no identifiers of memories."""

    def __init__(self, prepared: NnapiPreparedModel, compilation: NnapiCompilation) -> None:
        self._prepared = prepared
        self._burst = _create_burst(compilation) if compilation.library.has("Burst_create") else None

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """Run in the library's burst; a burst runs one execution at a time."""
        tokens = memory_identifier_tokens
        if len(tokens) != len(request.pools) or min(tokens, default=0) < -1:
            refuse(Unsaid.OBJECTS, f"memory identifiers {list(tokens)}")
        execution = self._prepared.execution(request, config, deadline_ns)
        if self._burst is None:
            return execution.compute(deadline_ns)
        return execution.compute_in(self._burst, deadline_ns)

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Do nothing, because nothing is kept for an identifier."""
        if memory_identifier_token < -1:
            refuse(Unsaid.OBJECTS, f"memory identifier {memory_identifier_token}")


def _launch(execution: NnapiExecution, deadline_ns: int) -> Callable[[], ExecutionResult]:
    """Launch an execution, and return a function that waits for its end.

    :raises HalError: the library refuses it.
    """
    event = execution.start(deadline_ns)
    if event is None:
        if not execution.is_valid:
            # Without an event, the end of the run can only be waited for in this call.
            result = execution.compute(deadline_ns)
            return lambda: result
        return lambda: execution.compute(deadline_ns)
    execution.check_accepted(event)
    return lambda: execution.result(execution.library.result("Event_wait", event))


def _create_burst(compilation: NnapiCompilation) -> Any:
    return compilation.library.create("Burst_create", compilation.pointer, keeps=compilation)


def _notify(callback: ExecutionCallback, status: ErrorStatus, result: ExecutionResult | None) -> None:
    """Notify the end of an asynchronous execution; outputs that are too small are an error there, not in ``result``."""
    end = result or ExecutionResult()
    if not end.output_sufficient_size:
        status = ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    callback.notify(status, end.output_shapes, end.timing)
