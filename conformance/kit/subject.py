"""Interface through which cases use the driver under test; every check gets a :class:`Subject` as first argument.

:class:`nnvet.conformance.engine.driver.DriverUnderTest` implements it, for a driver that a
:class:`nnvet.conformance.engine.target.Target` opens, and :class:`nnvet.conformance.stress.loads.ClientSubject` for
clients of stress tests.
"""

from __future__ import annotations

import socket
from contextlib import AbstractContextManager
from typing import Any, Protocol

from nnvet.adapters.driver import Driver
from nnvet.conformance.kit.outcome import unsupported
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig


class Subject(Protocol):
    """The driver under test, as a case sees it.

    ``shared`` keeps what neighbouring cases share, such as a prepared model; it is emptied when the driver is
    started anew.
    """

    shared: dict[Any, Any]

    @property
    def device(self) -> Device:
        """Return the present device, which is another object after a restart."""

    @property
    def feature_level(self) -> int:
        """Return the feature level at which the driver is tested."""

    @property
    def timeout_s(self) -> float:
        """Return the seconds after which a silent driver counts as hanging."""

    @property
    def in_process(self) -> bool:
        """Return True if the driver runs in the suite's process, where it can be neither killed nor restarted."""

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare a model, and wait for the result; raises the driver's HalError."""

    @property
    def unintended(self) -> list[HalError]:
        """Return the driver's unintended errors in this case; code that repeats an earlier answer adds its errors."""

    @property
    def process_id(self) -> int | None:
        """Return the id of the driver's process; None if that is the suite's own."""

    @property
    def reached(self) -> Driver:
        """Return the way to the driver, for facts that only one kind of driver has."""

    def another_client(self) -> AbstractContextManager[Device]:
        """Open the device as a second client of the same driver.

        :raises CaseFailed: there can be only one client.
        """

    def connection_of_client(self) -> socket.socket:
        """Open a connection to the driver's service, before any handshake on it.

        :raises CaseFailed: there can be only one client, or the driver is in no service.
        """

    def restart(self) -> None:
        """Start the driver anew; all objects of the old process are lost."""


def require_level(subject: Subject, level: int, part: str) -> None:
    """Check that the driver's level has a part of the contract.

    :raises CaseFailed: UNSUPPORTED if it lacks it.
    """
    if subject.feature_level < level:
        reason = f"feature level {level} brings {part}, the driver has {subject.feature_level}"
        raise unsupported(reason, "model/level")
