"""Devices of the exported library: the drivers that a client may choose from.

:mod:`nnvet.adapters.nnapi.exported.serving` makes an :class:`ExportedDevice` of each driver, and takes the table of
functions on them from :func:`device_functions`. The module also gives out the prefixes of extension names
(:func:`code_of`); there is one table of them for the whole process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from nnvet.adapters.nnapi.declarations import LEVELS
from nnvet.adapters.nnapi.exported.calling import FFI, Functions, bad_data, check_index
from nnvet.hal import types as hal
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import is_extension

NUMBERS_OF_LEVELS: Final = {level: number for number, level in LEVELS.items()}
"""The C API's number for each feature level of the HAL."""
LEVEL_VARIABLE: Final = "NNVET_FEATURE_LEVEL"
"""Environment variable; a number from 1 to 8 is the level that the library reports, and the devices' highest."""


class ExportedDevice:
    """A driver, with the C texts that clients have pointers to."""

    def __init__(self, driver: Device) -> None:
        """Wrap a driver, which is asked only once for properties that never change, when they are first needed."""
        self.driver = driver

    @cached_property
    def name(self) -> Any:
        """Return the driver's name as a C text."""
        return FFI.new("char[]", self.driver.name.encode())

    @cached_property
    def version(self) -> Any:
        """Return the driver's version as a C text."""
        return FFI.new("char[]", self.driver.get_version_string().encode())

    @cached_property
    def level(self) -> hal.FeatureLevel:
        """Return the driver's feature level."""
        return hal.FeatureLevel(self.driver.get_feature_level())

    def has_extension(self, name: str) -> bool:
        """Return True if the driver supports an extension."""
        return any(extension.name == name for extension in self.driver.get_supported_extensions())


def device_functions(devices: tuple[ExportedDevice, ...]) -> Functions:
    """Return the functions that query the library itself and its devices."""

    def get_device(index: int) -> ExportedDevice:
        check_index(index, len(devices), "device")
        return devices[index]

    newest = _read_forced_level() or max((device.level for device in devices), default=hal.FeatureLevel.FL1)
    return {
        "_getDeviceCount": lambda place: _write(place, len(devices)),
        "_getDevice": get_device,
        "_getRuntimeFeatureLevel": lambda: NUMBERS_OF_LEVELS[newest],
        "_getDefaultLoopTimeout": lambda: hal.DEFAULT_LOOP_TIMEOUT_DURATION_NS,
        "_getMaximumLoopTimeout": lambda: hal.MAXIMUM_LOOP_TIMEOUT_DURATION_NS,
        "Device_getName": _make_getter(lambda device: device.name),
        "Device_getVersion": _make_getter(lambda device: device.version),
        "Device_getType": _make_getter(lambda device: int(device.driver.get_type())),
        "Device_getFeatureLevel": _make_getter(lambda device: NUMBERS_OF_LEVELS[min(device.level, newest)]),
        "Device_wait": lambda _device: None,
        "Device_getExtensionSupport": _get_extension_support,
    }


def _read_forced_level() -> hal.FeatureLevel | None:
    """Return the level that the environment gives the library; None unless it is a known number."""
    known = {str(int(level)): level for level in hal.FeatureLevel}
    return known.get(os.environ.get(LEVEL_VARIABLE, ""))


def check_usable(device: ExportedDevice) -> None:
    """Check a driver by the calls that a runtime makes before it lists the driver, and note its extensions' types.

    :raises HalError: the driver does not answer, or asks for too many cache files.
    """
    driver = device.driver
    needed = driver.get_number_of_cache_files_needed()
    if max(needed.num_model_cache, needed.num_data_cache) > hal.MAX_NUMBER_OF_CACHE_FILES:
        raise failure(
            f"{driver.name} wants {needed.num_model_cache} and {needed.num_data_cache} cache files",
            "device/cache_files",
        )
    for extension in driver.get_supported_extensions():
        for operand_type in extension.operand_types:
            _types[code_of(extension.name, operand_type.type)] = operand_type


def _get_extension_support(device: ExportedDevice, name: Any, place: Any) -> None:
    place[0] = device.has_extension(FFI.string(name).decode(errors="replace"))


def _make_getter(ask: Callable[[ExportedDevice], Any]) -> Callable[[ExportedDevice, Any], None]:
    """Return a function of the C API that writes what ``ask`` returns for a device."""
    return lambda device, place: _write(place, ask(device))


def _write(place: Any, value: Any) -> None:
    place[0] = value


_LAST_PREFIX: Final = 0x7FFF
"""Largest prefix of an extension: prefix and number together make a non-negative code of 32 bits."""
_prefixes: Final[dict[str, int]] = {}
"""Prefixes given out so far, by the extension's name; the first one is 1."""
_types: Final[dict[int, hal.ExtensionOperandTypeInformation]] = {}
"""Types of the extensions of all devices, by their codes."""


def code_of(name: str, number: int) -> int:
    """Return the code of type or operation ``number`` of an extension; unknown names of extensions get a prefix, too.

    :raises RefusalError: BAD_DATA if there are no prefixes left.
    """
    prefix = _prefixes.setdefault(name, len(_prefixes) + 1)
    if prefix > _LAST_PREFIX:
        raise bad_data(f"there are no prefixes left for extension {name!r}")
    return prefix << hal.EXTENSION_TYPE_LOW_BITS_TYPE | number


def is_registered(code: int) -> bool:
    """Return True if a code belongs to the contract itself, or has a prefix that has been given out."""
    return not is_extension(code) or code >> hal.EXTENSION_TYPE_LOW_BITS_TYPE in _prefixes.values()


def type_of_extension(code: int) -> hal.ExtensionOperandTypeInformation | None:
    """Return the type that a code stands for; None if the code is the contract's own, or no device has such a type."""
    return _types.get(code)


def names_of(codes: set[int]) -> tuple[hal.ExtensionNameAndPrefix, ...]:
    """Return the extensions that these codes belong to."""
    used = {code >> hal.EXTENSION_TYPE_LOW_BITS_TYPE for code in codes if is_extension(code)}
    return tuple(hal.ExtensionNameAndPrefix(name, prefix) for name, prefix in _prefixes.items() if prefix in used)
