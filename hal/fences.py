"""Sync fences: descriptors that poll() shows as ready once they have signalled (docs/contract/hal.md 6.2, FenceState).

A fence made here is one end of a pair of connected sockets; a byte sent from the other end, the source, is the signal.
An unread byte waits at the source from the start. If the source is closed, on purpose or by the death of its process,
that unread byte makes the kernel reset the connection, and poll() reports POLLERR, the error state. A pipe or an
eventfd could not represent all three states. Drivers create fences with :func:`create_fence`; drivers and clients wait
with :func:`wait_for_fence` and :func:`wait_for_fences`.
"""

import os
import select
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.types import Handle, OwnedHandle

_NS_PER_MS = 1_000_000
"""Nanoseconds in a millisecond, the unit of poll()."""
_LONGEST_POLL_MS = 2**31 - 1
"""Longest wait of one call of poll(), the largest int of C; longer waits take several."""


class FenceSource:
    """The producer's end of a fence. If it is dropped without a signal, the fence enters its error state."""

    def __init__(self, end: OwnedHandle) -> None:
        """Take over a socket; see :func:`create_fence`."""
        self._end = end

    def signal(self) -> None:
        """Signal the fence if it is still active.

        :raises OSError: the system refuses to send the byte; the fence is then in its error state.
        """
        try:
            self._give()
        finally:
            self.fail()

    def signal_or_fail(self, refused: Callable[[OSError], None] = lambda _: None) -> None:
        """Signal; if that fails, put the fence into its error state, so that nobody waits forever.

        ``refused`` is called with the cause before the state changes, since a client may ask right afterwards.
        """
        try:
            self._give()
        except OSError as error:
            refused(error)
        self.fail()

    def _give(self) -> None:
        if self._end.fd >= 0:
            # The waiting end may be closed already.
            with suppress(BrokenPipeError, ConnectionResetError):
                os.write(self._end.fd, b"\0")
                # Reading the byte lets the connection end without a reset.
                os.read(self._end.fd, 1)

    def fail(self) -> None:
        """Put the fence into its error state; a fence that has signalled keeps its state."""
        self._end.close()


def create_fence() -> tuple[OwnedHandle, FenceSource]:
    """Return an active fence to wait for, and the end that signals it.

    :raises OSError: no descriptors are left.
    """
    theirs, ours = socket.socketpair()
    theirs.send(b"\0")
    theirs.shutdown(socket.SHUT_WR)
    return OwnedHandle(theirs.detach()), FenceSource(OwnedHandle(ours.detach()))


def wait_for_fence(fence: Handle, deadline_ns: int = NO_DEADLINE, until: Handle | None = None) -> FenceState:
    """Wait until a fence is no longer active, or until the deadline (boot clock), and return its state.

    The wait also ends when ``until``, another fence, is no longer active.
    """
    if fence.fd < 0:
        return FenceState.UNKNOWN
    poller = select.poll()
    if until is not None:
        poller.register(until.fd, select.POLLIN)
    poller.register(fence.fd, select.POLLIN)
    events = dict(poller.poll(None if deadline_ns == NO_DEADLINE else _milliseconds_until(deadline_ns)))
    mask = events.get(fence.fd)
    if mask is None:
        return FenceState.ACTIVE
    if mask & select.POLLNVAL:
        return FenceState.UNKNOWN
    return FenceState.ERROR if mask & select.POLLERR else FenceState.SIGNALED


def fence_state(fence: Handle) -> FenceState:
    """Return the present state of a fence."""
    return wait_for_fence(fence, 0)


def wait_for_fences(fences: Sequence[Handle], deadline_ns: int = NO_DEADLINE, until: Handle | None = None) -> None:
    """Wait until all fences have signalled; see :func:`wait_for_fence` for ``until``.

    :raises HalError: INVALID_ARGUMENT for a bad descriptor, GENERAL_FAILURE for a fence in an error state,
        MISSED_DEADLINE_TRANSIENT if the deadline passes.
    """
    for index, fence in enumerate(fences):
        state = wait_for_fence(fence, deadline_ns, until)
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
