"""Fenced executions: fences of the HAL as events of the library, and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from nnvet.adapters.nnapi.codes import STATUSES, DurationCode, ResultCode
from nnvet.adapters.nnapi.execution import NnapiExecution
from nnvet.driver_kit.launch import launch
from nnvet.hal.calling import calling_client
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import failure
from nnvet.hal.fences import FenceSource, create_fence, fence_state, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.memory import Handle, OwnedHandle
from nnvet.hal.types import Timing


def run_fenced(
    execution: NnapiExecution, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int
) -> FencedExecutionResult:
    """Launch an execution behind fences. The fence of its end is the library's; where it gives none, one of ours.

    :raises HalError: as the library refuses fences or execution.
    """
    library = execution.library
    awaited = [_until_client_goes(fence) for fence in wait_for]
    events = [library.create("Event_createFromSyncFenceFd", fence.fd) for fence in awaited]
    duration = 0 if duration_ns == NO_DEADLINE else max(duration_ns, 1)
    event = execution.start_after(events, deadline_ns, duration)
    if all(fence_state(fence) is not FenceState.ACTIVE for fence in wait_for):
        execution.check_taken(event)
    descriptor = library.ffi.new("int*", -1)
    code = library.result("Event_getSyncFenceFd", event, descriptor)
    fence, source = create_fence()
    if code == ResultCode.NO_ERROR and descriptor[0] >= 0:
        fence = OwnedHandle(descriptor[0])
    # An event that has not ended blocks whoever frees it: this thread has it until then, whatever the client releases.
    launch(lambda: _follow(execution, event, source), lambda *_: source.fail())
    return FencedExecutionResult(_Outcome(execution, event, fence), fence)


def _until_client_goes(fence: Handle) -> Handle:
    """A fence, or one in its place that fails when the client has gone.

    The C API can end no execution whose fence never signals, and such a client leaves nobody who would signal it.
    """
    if fence_state(fence) is not FenceState.ACTIVE:
        return fence
    # The client's descriptor is closed after the call.
    own, departure = OwnedHandle(os.dup(fence.fd)), calling_client().departure()
    relay, source = create_fence()

    def passed_on(_: ErrorStatus, state: FenceState | None) -> None:
        source.signal_or_fail() if state is FenceState.SIGNALED else source.fail()

    launch(lambda: wait_for_fence(own, until=departure), passed_on)
    return relay


def _follow(execution: NnapiExecution, event: Any, source: FenceSource) -> None:
    if execution.library.result("Event_wait", event) == ResultCode.NO_ERROR:
        source.signal_or_fail()


class _Outcome:
    """See :class:`nnvet.hal.interfaces.FencedExecutionCallback`."""

    def __init__(self, execution: NnapiExecution, event: Any, fence: Handle) -> None:
        self._execution = execution
        self._event = event
        # The client has a descriptor of its own, and so have we: this one goes over the wire.
        self._fence = fence

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """Ask the library, once the fence has signalled.

        :raises HalError: GENERAL_FAILURE as long as it has not.
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
