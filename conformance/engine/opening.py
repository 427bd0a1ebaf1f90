"""Opening of the driver that a target names, in a service or in this process, and its description of itself."""

from __future__ import annotations

from contextlib import AbstractContextManager

from msgspec.structs import replace

from nnvet.adapters.driver import Driver
from nnvet.adapters.drivers import open_device, open_driver
from nnvet.conformance.engine.target import Target
from nnvet.hal.errors import HalError
from nnvet.reports.events import DriverFacts
from nnvet.reports.facts import DRIVER_FACTS
from nnvet.transport.wire.failures import DriverGone


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
