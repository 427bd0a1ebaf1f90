"""Who is calling: a driver may want to know, for instance to share itself fairly between its clients."""

from __future__ import annotations

import contextvars
import threading

from nnvet.hal.fences import FenceSource, create_fence
from nnvet.hal.memory import Handle


class Client:
    """One client of a service, the same object in all its calls."""

    def __init__(self, name: str) -> None:
        """``name`` is for people."""
        self.name = name
        self.has_gone = False
        self._lock = threading.Lock()
        self._departure: tuple[Handle, FenceSource] | None = None

    def departure(self) -> Handle:
        """A fence that signals once the client has gone, to be waited for beside something else."""
        with self._lock:
            if self._departure is None:
                self._departure = create_fence()
                if self.has_gone:
                    self._departure[1].signal()
            return self._departure[0]

    def leave(self) -> None:
        """The client has closed its session, or died."""
        with self._lock:
            self.has_gone = True
            if self._departure is not None:
                self._departure[1].signal()


_LOCAL = Client("this process")
_calling: contextvars.ContextVar[Client] = contextvars.ContextVar("calling", default=_LOCAL)


def calling_client() -> Client:
    """The client whose call this thread serves; one and the same for all calls that came over no wire."""
    return _calling.get()


def serve(client: Client) -> None:
    """From now on this thread, and whatever a driver launches from it, serves ``client``."""
    _calling.set(client)
