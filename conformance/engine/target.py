"""The driver to test as data (:class:`Target`), and functions that open it or ask it for its description.

A target can be pickled and sent to worker processes; each of them opens the driver itself. Cases do not see targets:
:mod:`nnvet.conformance.engine.driver` opens one and hands them a :class:`nnvet.conformance.kit.subject.Subject`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.driver import Driver
from nnvet.adapters.drivers import open_device, open_driver
from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.sandbox import Sandbox
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
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


def open_target(target: Target) -> AbstractContextManager[Driver]:
    """Open the driver for as long as the block runs; raises like :func:`nnvet.adapters.open_driver`."""
    if target.factory is not None:
        return open_device(target.factory, target.selector, timeout_s=target.timeout_s)
    selector = target.reached_by or target.selector
    return open_driver(
        selector,
        in_process=target.in_process,
        timeout_s=target.timeout_s,
        memory_limit=target.memory_limit,
        sandbox=target.sandbox,
    )


def describe_target(target: Target) -> DriverFacts:
    """Return the driver's description of itself, as far as it answers; cases will report its faults.

    :raises SelectorError: there is no such driver.
    """
    facts = DriverFacts(target.selector)
    try:
        with open_target(target) as driver:
            for name, query in DRIVER_FACTS.items():
                facts = replace(facts, **{name: query(driver.device)})
    except (DriverGone, HalError):
        return facts
    return facts
