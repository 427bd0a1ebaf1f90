"""The driver under test: the options to open it (:class:`Target`), and its interface for cases (:class:`Subject`).

:class:`nnvet.conformance.engine.driver.DriverUnderTest` implements that interface.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from msgspec.structs import replace

from nnvet.adapters.driver import Driver
from nnvet.adapters.drivers import open_device, open_driver
from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.sandbox import Sandbox
from nnvet.conformance.engine.outcome import unsupported
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reports.events import DriverFacts
from nnvet.reports.facts import DRIVER_FACTS
from nnvet.transport.wire.failures import DriverGone

DEFAULT_TIMEOUT_S: Final = 20.0
"""Seconds after which a driver without an answer counts as hanging."""


@dataclass(frozen=True)
class Target:
    """A driver to test, and the options to open it. ``timeout_s`` bounds every answer of the driver.

    ``memory_limit`` is the limit of its process in bytes; None: no limit. A ``factory`` makes a device in this process,
    and the selector is then only its name. ``strict``: a crossed error bound is a failure, not a remark about quality.
    ``liberties`` are those that the driver declares; error bounds then allow them (docs/oracle.md). With ``sandbox``
    its services are in namespaces of their own. ``reached_by`` is another selector by which this run reaches the same
    driver; empty: it is reached by its own selector.
    """

    selector: str
    in_process: bool = False
    timeout_s: float = DEFAULT_TIMEOUT_S
    level: int | None = None
    memory_limit: int | None = DEFAULT_LIMIT
    factory: Callable[[], Device] | None = None
    strict: bool = False
    liberties: tuple[str, ...] = ()
    sandbox: Sandbox | None = None
    reached_by: str = ""

    def open(self) -> AbstractContextManager[Driver]:
        """Open the driver for as long as the block runs; raises like :func:`nnvet.adapters.open_driver`."""
        if self.factory is not None:
            return open_device(self.factory, self.selector, timeout_s=self.timeout_s)
        selector = self.reached_by or self.selector
        return open_driver(
            selector,
            in_process=self.in_process,
            timeout_s=self.timeout_s,
            memory_limit=self.memory_limit,
            sandbox=self.sandbox,
        )

    def describe(self) -> DriverFacts:
        """Return the driver's description of itself, as far as it answers; cases will report its faults.

        :raises SelectorError: there is no such driver.
        """
        facts = DriverFacts(self.selector)
        try:
            with self.open() as driver:
                for name, query in DRIVER_FACTS.items():
                    facts = replace(facts, **{name: query(driver.device)})
        except (DriverGone, HalError):
            return facts
        return facts


class Subject(Protocol):
    """Interface of the driver under test for cases.

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
        """Return True if the driver lives in the suite's process, where it can be neither killed nor restarted."""

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare a model, and wait for the result; raises the driver's HalError."""

    @property
    def unintended(self) -> list[HalError]:
        """Return the driver's unintended errors in this case; whoever repeats an earlier answer adds its errors."""

    @property
    def process_id(self) -> int | None:
        """Return the id of the driver's process; None if that is the suite's own."""

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
