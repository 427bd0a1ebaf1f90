"""Ends of fenced executions: the fence, the callback, and their agreement."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final, NamedTuple

from nnvet.adapters.calls import hang_of, limit_of
from nnvet.conformance.engine.concurrent_calls import has_returned
from nnvet.conformance.engine.outcome import fail
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import fence_state, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.memory import Handle
from nnvet.hal.types import Timing

_NS_PER_S = 1e9
_MOMENT_NS: Final = 250_000_000
"""Time to see if a driver does something that it must not do."""


class FencedEnd(NamedTuple):
    """Outcome of a fenced execution, with its times since the launch and since the last fence."""

    status: ErrorStatus
    launched: Timing
    fenced: Timing


def check_waiting(future: Future[FencedExecutionResult]) -> None:
    """Check that an execution whose fence has not signalled waits, within the call that launches it or after it.

    :raises CaseFailed: it ends.
    """
    if has_returned(future):
        check_active(future.result().sync_fence, "the fence to wait for has not signalled")


def check_active(fence: Handle | None, when: str) -> None:
    """Check that an execution with this fence has not ended, and does not within a moment.

    :raises CaseFailed: it has, or does.
    """
    if fence is None:
        raise fail("execution/fence.order", f"{when}: the call returns without a fence, as if all were done")
    state = wait_for_fence(fence, boot_time_ns() + _MOMENT_NS)
    if state is not FenceState.ACTIVE:
        raise fail("execution/fence.order", f"{when}: the returned fence is {state.name}")


def end_of_fenced(result: FencedExecutionResult, timeout_s: float) -> FencedEnd:
    """Wait for the end of an execution; no fence means that it has ended.

    :raises CaseFailed: fence and callback contradict each other, or one of them is no good.
    :raises DriverHang: the fence stays active for ``timeout_s`` seconds.
    """
    state = final_state(result.sync_fence, timeout_s, result.callback)
    try:
        end = FencedEnd(*result.callback.get_execution_info())
    except HalError as error:
        raise fail("execution/fence.info", f"the callback fails after the fence has signalled: {error}") from error
    if (state is FenceState.SIGNALED) != (end.status is ErrorStatus.NONE):
        raise fail("execution/fence.state", f"the fence is {state.name}, the callback says {end.status.name}")
    return end


def final_state(fence: Handle | None, timeout_s: float, owner: object) -> FenceState:
    """SIGNALED or ERROR, once the fence of an execution is either; ``owner`` is an object of the driver.

    :raises CaseFailed: it is no valid descriptor.
    :raises DriverHang: it stays active for ``timeout_s`` seconds.
    """
    if fence is None:
        return FenceState.SIGNALED
    limit = limit_of(owner, timeout_s)
    if not limit.wait(lambda left_s: _state_within(fence, left_s) is not FenceState.ACTIVE):
        raise hang_of(owner, "fence of execute_fenced", limit)
    state = fence_state(fence)
    if state is FenceState.UNKNOWN:
        raise fail("execution/fence.state", "the returned fence is no valid descriptor")
    return state


def _state_within(fence: Handle, left_s: float | None) -> FenceState:
    return wait_for_fence(fence, NO_DEADLINE if left_s is None else boot_time_ns() + int(left_s * _NS_PER_S))
