"""The connection to a service, as the objects of that service see it from the client's side."""

from __future__ import annotations

from typing import Any, Protocol

from nnvet.transport.burst.client import Peer
from nnvet.transport.wire.methods import Method


class Watcher(Protocol):
    """Waits for the service by other means than calls."""

    def wake(self) -> None:
        """Look whether the session is still alive. May be called on any thread."""


class Connection(Peer, Protocol):
    """A :class:`nnvet.transport.wire.client.Session`, as far as proxies and bursts use it."""

    def call(self, target: int, method: Method, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the service's object ``target`` and wait for the answer."""

    def release(self, identifier: int) -> None:
        """Have the service drop an object with the next call."""

    def watch(self, watcher: Watcher) -> None:
        """Have ``watcher`` woken when the service is lost."""


class Reference(Protocol):
    """A proxy of whatever interface."""

    @property
    def session(self) -> Connection:
        """The connection to the process in which the object lives."""

    @property
    def id(self) -> int:
        """Object id in the service."""
