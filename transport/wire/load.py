"""Limits shared by all sessions of a service, so that no client can lock the others out."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.transport.wire.framing import WireError


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of a service: clients at once, lanes of each, and bytes of long messages that it works on."""

    clients: int = 64
    lanes: int = 128
    bytes_at_work: int = 2 << 30


class Load:
    """The part of its limits that a service is using."""

    def __init__(self, limits: ServiceLimits = ServiceLimits()) -> None:
        """Nothing is in use yet; each service has one object, shared by its sessions."""
        self.limits = limits
        self._lock = threading.Lock()
        self._clients = 0
        self._bytes = 0

    def enter(self) -> None:
        """One more client, until :meth:`leave`.

        :raises HalError: there are too many.
        """
        with self._lock:
            if self._clients >= self.limits.clients:
                raise exhausted(f"this service has {self._clients} clients, which is all that it takes at once")
            self._clients += 1

    def leave(self) -> None:
        """A client that has entered is gone; call once for each :meth:`enter`."""
        with self._lock:
            self._clients -= 1

    def take(self, size: int) -> None:
        """That many bytes more of messages, until :meth:`give_back`.

        :raises WireError: they are too many.
        """
        with self._lock:
            if self._bytes + size > self.limits.bytes_at_work:
                raise WireError(f"this service works on messages of at most {self.limits.bytes_at_work} bytes at once")
            self._bytes += size

    def give_back(self, size: int) -> None:
        """Those bytes of messages are worked through; ``size`` as in :meth:`take`."""
        with self._lock:
            self._bytes -= size


def exhausted(message: str) -> HalError:
    """The refusal of a service that has reached a limit of its own: another time it may be different."""
    return HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, message, "wire/limits")
