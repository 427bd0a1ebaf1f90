"""Division of models between the devices of the exported library, and the switches of the environment that concern it.

Several devices together are one driver made of drivers (docs/partition.md). Operations go to the device with the best
figures; a client that lets the library choose also gets a fallback.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

from nnvet.adapters.nnapi.exported.devices import ExportedDevice
from nnvet.adapters.split.assignment import ask
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.members import SplitOptions
from nnvet.hal.enums import DeviceType
from nnvet.hal.types import Model

PARTITION_VARIABLE: Final = "NNVET_PARTITION"
"""Environment variable for compilations that name no device: 0, 1 or 2, as :class:`Partitioning` has them."""
CPU_VARIABLE: Final = "NNVET_CPU_ONLY"
"""Environment variable; unless it is unset, empty or 0, the library has only its devices of type CPU."""
STRICT_VARIABLE: Final = "NNVET_STRICT_SLICING"
"""Environment variable; unless it is unset, empty or 0, a device that does not answer what it supports is an error."""


class Partitioning(IntEnum):
    """Handling of models for which the client has named no device."""

    NEVER = 0
    """The first device that supports the whole model gets it."""
    WITH_FALLBACK = 1
    """The model is divided; if a device fails, another one takes over."""
    WITHOUT_FALLBACK = 2
    """The model is divided, and a failure is returned to the client."""


def partitioning(*, is_explicit: bool) -> Partitioning:
    """Return the handling of a compilation: no fallback if the client has named devices, else by the environment.

    An unknown value means the default.
    """
    if is_explicit:
        return Partitioning.WITHOUT_FALLBACK
    text = os.environ.get(PARTITION_VARIABLE, "")
    known = {str(int(mode)): mode for mode in Partitioning}
    return known.get(text, Partitioning.WITH_FALLBACK)


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def visible(devices: Sequence[ExportedDevice]) -> tuple[ExportedDevice, ...]:
    """Return the devices that clients see."""
    if not _is_set(CPU_VARIABLE):
        return tuple(devices)
    return tuple(device for device in devices if device.driver.get_type() is DeviceType.CPU)


def supported_by(devices: tuple[ExportedDevice, ...], model: Model) -> tuple[bool, ...]:
    """Return for each operation True if one of the devices supports it; older devices know only some operations.

    :raises HalError: a device does not answer, and slicing is strict.
    """
    if len(devices) > 1:
        return (
            _joined(devices, Partitioning.WITHOUT_FALLBACK, is_lenient=not _is_set(STRICT_VARIABLE))[1]
            .plan(model)
            .supported
        )
    drivers = [device.driver for device in devices]
    return ask(drivers, model, is_lenient=not _is_set(STRICT_VARIABLE)).supported[0]


def device_for(
    devices: tuple[ExportedDevice, ...], model: Model, preference: int, mode: Partitioning
) -> ExportedDevice | None:
    """Return the device that prepares a model: one of them or all together; None if operations are left over.

    :raises HalError: a device does not answer, and slicing is strict.
    """
    is_lenient = not _is_set(STRICT_VARIABLE)
    if len(devices) == 1 or mode is Partitioning.NEVER:
        answers = ask([device.driver for device in devices], model, is_lenient=is_lenient)
        takers = answers.takers_of_all(range(len(model.main.operations)))
        return devices[takers[0]] if takers else None
    if not devices:
        return None
    joint, driver = _joined(devices, mode, is_lenient=is_lenient)
    plan = driver.plan(model)
    if not all(plan.supported):
        return None
    steps = plan.steps(preference)
    if len(steps) == 1 and steps[0].model is model and mode is Partitioning.WITHOUT_FALLBACK:
        return devices[steps[0].device]
    return joint


@cache
def _joined(
    devices: tuple[ExportedDevice, ...], mode: Partitioning, *, is_lenient: bool
) -> tuple[ExportedDevice, SplitDevice]:
    """Return the driver that joins these devices, always the same one."""
    fallback = "partial" if mode is Partitioning.WITH_FALLBACK else "none"
    driver = SplitDevice([device.driver for device in devices], SplitOptions(fallback=fallback, is_lenient=is_lenient))
    return ExportedDevice(driver), driver
