"""Fences over a link: each end has fences of its own, and tells the other end when their states change.

The link (:mod:`nnvet.adapters.remote.link`) announces fences of this end by :class:`OwnFences`, and gives its local
copies of a driver's fences their states by :func:`settle`.
"""

from __future__ import annotations

import os
import select
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from nnvet.adapters.remote.messages import U8, MessageKind, pack
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.enums import FenceState
from nnvet.hal.errors import failure
from nnvet.hal.fences import FenceSource, fence_state
from nnvet.hal.types import Handle, OwnedHandle

ACTIVE: Final = 0
_SIGNALLED: Final = 1
_STATES: Final = {FenceState.SIGNALED: _SIGNALLED, FenceState.ERROR: 2}
"""Numbers of a fence's states in messages: 0 active, 1 signalled, 2 failed (docs/remote.md)."""


class OwnFences:
    """Fences of this end that the agent has copies of.

    Only :meth:`wait_for_changes` may run on another thread than the other methods.
    """

    def __init__(self) -> None:
        """Start with no fences."""
        self._last = 0
        self._active: dict[int, tuple[int, Handle]] = {}
        self._poller = select.epoll()

    def announce(self, handle: Handle) -> tuple[int, bytes]:
        """Return the id of a fence, and the message that creates its copy.

        :raises OSError: the descriptor is not open, or the limit of open descriptors is reached.
        :raises HalError: the handle is a hardware buffer or a device, which cannot be copied to another machine.
        """
        mode = os.fstat(handle.fd).st_mode
        target = str(Path(f"/proc/self/fd/{handle.fd}").readlink())
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or "dmabuf" in target:
            raise failure(f"{target} cannot be sent to another machine", INEXPRESSIBLE)
        self._last += 1
        state = _STATES.get(fence_state(handle), ACTIVE)
        if state == ACTIVE:
            kept = OwnedHandle(os.dup(handle.fd))
            self._active[kept.fd] = self._last, kept
            self._poller.register(kept.fd, select.EPOLLIN)
        return self._last, pack(MessageKind.FENCE, self._last, U8.pack(state))

    def wait_for_changes(self, seconds: float) -> list[int] | None:
        """Wait for changes, and return the descriptors to pass to :meth:`end`; None after :meth:`close`."""
        try:
            return [descriptor for descriptor, _ in self._poller.poll(seconds)]
        except (OSError, ValueError):
            return None

    def end(self, descriptor: int) -> bytes | None:
        """Forget a fence that has ended, and return the message about it; None if it is still active."""
        fence, kept = self._active[descriptor]
        state = _STATES.get(fence_state(kept), ACTIVE)
        if state == ACTIVE:
            return None
        del self._active[descriptor]
        with suppress(OSError, ValueError):
            self._poller.unregister(descriptor)
        kept.close()
        return pack(MessageKind.FENCE, fence, U8.pack(state))

    def close(self) -> None:
        """Stop waiting."""
        self._poller.close()


def settle(source: FenceSource, state: int) -> None:
    """Bring the local copy of a driver's fence into the state that the agent reports."""
    if state == _SIGNALLED:
        source.signal_or_fail()
    else:
        source.fail()
