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
"""Environment variable; set to anything but nothing or 0, the library has its devices of type CPU alone."""
STRICT_VARIABLE: Final = "NNVET_STRICT_SLICING"
"""Environment variable; set to anything but nothing or 0, a device that does not say what it supports is an error."""


class Partitioning(IntEnum):
    """Handling of a model that a client names no device for."""

    NEVER = 0
    """One device gets all of it: the first one that supports it."""
    WITH_FALLBACK = 1
    """It is divided; where a device fails another one takes over."""
    WITHOUT_FALLBACK = 2
    """It is divided, and a failure is the client's."""


def partitioning(*, is_explicit: bool) -> Partitioning:
    """The handling of a compilation: no fallback if the client has named the devices, else as the environment says.

    Anything but a known number is the default.
    """
    if is_explicit:
        return Partitioning.WITHOUT_FALLBACK
    text = os.environ.get(PARTITION_VARIABLE, "")
    known = {str(int(mode)): mode for mode in Partitioning}
    return known.get(text, Partitioning.WITH_FALLBACK)


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def visible(devices: Sequence[ExportedDevice]) -> tuple[ExportedDevice, ...]:
    """The devices that clients see."""
    if not _is_set(CPU_VARIABLE):
        return tuple(devices)
    return tuple(device for device in devices if device.driver.get_type() is DeviceType.CPU)


def supported_by(devices: tuple[ExportedDevice, ...], model: Model) -> tuple[bool, ...]:
    """For each operation whether one of the devices can be given it; a device of an older level knows only a part.

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
    """The device that prepares a model: one of them, or all together; None if operations are left over.

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
    """The driver made of these, always the same one."""
    fallback = "partial" if mode is Partitioning.WITH_FALLBACK else "none"
    driver = SplitDevice([device.driver for device in devices], SplitOptions(fallback=fallback, is_lenient=is_lenient))
    return ExportedDevice(driver), driver
