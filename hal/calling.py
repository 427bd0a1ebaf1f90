"""Context of a call beyond its arguments: the client, and the error behind a notification of failure.

A driver may want to know its client (:func:`calling_client`), for example to divide its time fairly; the service sets
it for each thread (:func:`serve`). A notification carries only a status; inside a block :class:`because_of`, the client
also receives the error's message and rule.
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
        """Name the client for messages and logs; nothing else depends on the name."""
        self.name = name
        self.has_gone = False
        self._lock = threading.Lock()
        self._departure: tuple[Handle, FenceSource] | None = None

    def departure(self) -> Handle:
        """Return a fence that signals once the client has gone, so that waits on its behalf can end early."""
        with self._lock:
            if self._departure is None:
                self._departure = create_fence()
                if self.has_gone:
                    self._departure[1].signal_or_fail()
            return self._departure[0]

    def leave(self) -> None:
        """Note that the client has closed its session, or has died."""
        with self._lock:
            self.has_gone = True
            if self._departure is not None:
                self._departure[1].signal_or_fail()
                # The waiting callers hold the fence; a reference here would only keep its descriptor open longer.
                self._departure = None


_LOCAL = Client("this process")
"""The client of all calls within one process."""
_cause: contextvars.ContextVar[HalError | None] = contextvars.ContextVar("cause", default=None)
"""The error behind the notifications of this thread."""
_calling: contextvars.ContextVar[Client] = contextvars.ContextVar("calling", default=_LOCAL)
"""The client whose call this thread serves."""


def calling_client() -> Client:
    """Return the client whose call this thread serves; calls within one process all have the same client."""
    return _calling.get()


def serve(client: Client) -> None:
    """Note that this thread, and the work that a driver launches from it, serves ``client`` from now on."""
    _calling.set(client)


class because_of:  # noqa: N801 - reads as a with statement
    """Attach ``error``, if it is not None, to all notifications made inside the block."""

    __slots__ = ("_error", "_token")

    def __init__(self, error: HalError | None) -> None:
        """Keep the error."""
        self._error = error

    def __enter__(self) -> None:
        """Attach the error from here on."""
        self._token = _cause.set(self._error)

    def __exit__(self, *_: object) -> None:
        """Restore the error that was attached before."""
        _cause.reset(self._token)


def cause_of_failure() -> HalError | None:
    """Return the error attached to the notification on this thread; None if the driver attached none."""
    return _cause.get()
