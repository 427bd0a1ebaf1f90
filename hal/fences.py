"""Sync fences: descriptors that poll() shows as ready once they have signalled (HAL contract 6, FenceState)."""

import select
from collections.abc import Sequence

from hal.arguments import boot_time_ns
from hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from hal.errors import HalError, failure, invalid
from hal.memory import Handle

_NS_PER_MS = 1_000_000
_LONGEST_POLL_MS = 2**31 - 1


def wait_for_fence(fence: Handle, deadline_ns: int = NO_DEADLINE) -> FenceState:
    """State of a fence once it is no longer ACTIVE, or at the deadline (boot clock); waits until then."""
    if fence.fd < 0:
        return FenceState.UNKNOWN
    poller = select.poll()
    poller.register(fence.fd, select.POLLIN)
    events = poller.poll(None if deadline_ns == NO_DEADLINE else _milliseconds_until(deadline_ns))
    if not events:
        return FenceState.ACTIVE
    mask = events[0][1]
    if mask & select.POLLNVAL:
        return FenceState.UNKNOWN
    return FenceState.ERROR if mask & select.POLLERR else FenceState.SIGNALED


def wait_for_fences(fences: Sequence[Handle], deadline_ns: int = NO_DEADLINE) -> None:
    """Wait until all have signalled.

    :raises HalError: INVALID_ARGUMENT for a bad descriptor, GENERAL_FAILURE for a fence in an error state,
        MISSED_DEADLINE_TRANSIENT at the deadline.
    """
    for index, fence in enumerate(fences):
        state = wait_for_fence(fence, deadline_ns)
        if state is FenceState.UNKNOWN:
            raise invalid(f"fence {index} has no valid descriptor", "execution/fence")
        if state is FenceState.ERROR:
            raise failure(f"fence {index} is in an error state", "execution/fence")
        if state is FenceState.ACTIVE:
            message = f"fence {index} did not signal before the deadline"
            raise HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, message, "execution/deadline")


def _milliseconds_until(deadline_ns: int) -> int:
    # Rounded up, so that poll does not return just before the deadline.
    left = max(0, deadline_ns - boot_time_ns())
    return min(-(-left // _NS_PER_MS), _LONGEST_POLL_MS)
