"""The driver as one client of a stress test sees it: the engine's ways of preparing and judging work on it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from nnvet.adapters import Driver, prepare
from nnvet.conformance.engine.driver import client_of, connection_to
from nnvet.conformance.engine.outcome import unsupported
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig


class ClientSubject:
    """One client; see :class:`nnvet.conformance.engine.subject.Subject`. Nothing is shared between its models."""

    in_process = False

    def __init__(
        self, device: Callable[[], Device], feature_level: int, timeout_s: float, driver: Driver | None = None
    ) -> None:
        """``device`` gives the device as it is now; ``driver`` is known to the client that has started it."""
        self._device = device
        self._driver = driver
        self.feature_level = feature_level
        self.timeout_s = timeout_s
        self.shared: dict[Any, Any] = {}

    @property
    def device(self) -> Device:
        """The device."""
        return self._device()

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait; raises HalError as the driver answers."""
        return prepare(self.device, model, config, self.timeout_s)

    @property
    def unintended(self) -> list[HalError]:
        """Errors that the driver has given without deciding to."""
        return [] if self._driver is None else self._driver.unintended.errors

    @property
    def process_id(self) -> int | None:
        """The driver's process, where this client knows it."""
        return None if self._driver is None else self._driver.pid

    def another_client(self) -> AbstractContextManager[Device]:
        """A second client in this process.

        :raises CaseFailed: UNSUPPORTED, if there can be only one.
        """
        return client_of(self._started())

    def connection_of_client(self) -> socket.socket:
        """A connection to the driver's service; raises like :meth:`another_client`."""
        return connection_to(self._started())

    def restart(self) -> None:
        """Start the driver anew."""
        driver = self._started()
        self.shared.clear()
        driver.restart()

    def _started(self) -> Driver:
        if self._driver is None:
            raise unsupported(
                "only the client that has started the driver can start it anew, or give it another client"
            )
        return self._driver
