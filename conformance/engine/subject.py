"""The driver under test: the way to reach it, and what cases see of it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from msgspec.structs import replace

from nnvet.adapters.drivers import Driver, open_device, open_driver
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
"""Seconds after which a driver that does not answer hangs."""


@dataclass(frozen=True)
class Target:
    """Driver to test and the way to reach it. ``timeout_s`` bounds every answer of the driver.

    ``memory_limit`` are the bytes that its process may have; None: all. A ``factory`` makes a device in this process;
    the selector is then only its name. ``strict``: a crossed error bound is a failure, and no matter of quality.
    ``liberties`` are those that the driver declares, which error bounds then grant it (docs/oracle.md). With a
    ``sandbox`` its services are in namespaces of their own. ``reached_by`` is another selector of the same driver, by
    which this run reaches it; empty: it is reached by its own.
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
        """The driver, for as long as the block runs; raises like :func:`nnvet.adapters.open_driver`."""
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
        """Return the driver's description of itself, as much as it gives: its faults are for cases to find.

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
    """The driver under test as cases need it.

    ``shared`` keeps what neighbouring cases share, such as a prepared model; it is emptied when the driver is
    started anew.
    """

    shared: dict[Any, Any]

    @property
    def device(self) -> Device:
        """The driver under test as it is now; another object after a restart."""

    @property
    def feature_level(self) -> int:
        """Level under which the driver is tested."""

    @property
    def timeout_s(self) -> float:
        """Seconds after which a silent driver hangs."""

    @property
    def in_process(self) -> bool:
        """True if the driver lives in the suite's process, where it can be neither killed nor restarted."""

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait; raises HalError as the driver answers."""

    @property
    def unintended(self) -> list[HalError]:
        """Errors of the case that are no decisions of the driver; what repeats an earlier answer adds its own."""

    @property
    def process_id(self) -> int | None:
        """Process that the driver lives in; None if that is the suite's own."""

    def another_client(self) -> AbstractContextManager[Device]:
        """The device as a second client of the same driver sees it.

        :raises CaseFailed: there can be only one client.
        """

    def connection_of_client(self) -> socket.socket:
        """A connection to the driver's service that nobody has spoken on yet.

        :raises CaseFailed: there can be only one client, or the driver is in no service.
        """

    def restart(self) -> None:
        """Start the driver anew; whatever was made before is dead."""


def require_level(subject: Subject, level: int, part: str) -> None:
    """The driver's level has a part of the contract.

    :raises CaseFailed: UNSUPPORTED if it lacks it.
    """
    if subject.feature_level < level:
        reason = f"feature level {level} brings {part}, the driver has {subject.feature_level}"
        raise unsupported(reason, "model/level")
