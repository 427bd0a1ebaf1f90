"""Context of a call besides its arguments: the client, and the reason of a notification of failure.

A driver may want to know its client, for instance to share itself fairly between several. A notification has a status
and no words; whoever notifies :func:`because_of` an error lets the client have its message and rule all the same.
"""

from __future__ import annotations

import contextvars
import threading

from nnvet.hal.errors import HalError
from nnvet.hal.fences import FenceSource, create_fence
from nnvet.hal.types import Handle


class Client:
    """One client of a service, the same object in all its calls."""

    def __init__(self, name: str) -> None:
        """``name`` is how messages and logs call the client; nothing is decided by it."""
        self.name = name
        self.has_gone = False
        self._lock = threading.Lock()
        self._departure: tuple[Handle, FenceSource] | None = None

    def departure(self) -> Handle:
        """Return a fence that signals once the client has gone, to be waited for beside something else."""
        with self._lock:
            if self._departure is None:
                self._departure = create_fence()
                if self.has_gone:
                    self._departure[1].signal_or_fail()
            return self._departure[0]

    def leave(self) -> None:
        """The client has closed its session, or died."""
        with self._lock:
            self.has_gone = True
            if self._departure is not None:
                self._departure[1].signal_or_fail()
                # Whoever waits for the fence has it; kept here it would stay open for as long as the client is known.
                self._departure = None


_LOCAL = Client("this process")
_cause: contextvars.ContextVar[HalError | None] = contextvars.ContextVar("cause", default=None)
_calling: contextvars.ContextVar[Client] = contextvars.ContextVar("calling", default=_LOCAL)


def calling_client() -> Client:
    """Return the client whose call this thread serves; one and the same for all calls that came over no wire."""
    return _calling.get()


def serve(client: Client) -> None:
    """From now on this thread, and whatever a driver launches from it, serves ``client``."""
    _calling.set(client)


class because_of:  # noqa: N801 - reads as a with statement
    """Whatever is notified inside the block reports ``error``; None: there is nothing to say."""

    __slots__ = ("_error", "_token")

    def __init__(self, error: HalError | None) -> None:
        """Say nothing yet."""
        self._error = error

    def __enter__(self) -> None:
        """Say so from here on."""
        self._token = _cause.set(self._error)

    def __exit__(self, *_: object) -> None:
        """Say what was said before."""
        _cause.reset(self._token)


def cause_of_failure() -> HalError | None:
    """Return the error that is being notified on this thread, if the driver says."""
    return _cause.get()
