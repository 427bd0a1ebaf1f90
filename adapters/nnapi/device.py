"""A device of an NNAPI library as a driver of the HAL: the kinds ``ndk`` and ``sl``.

:class:`NnapiDevice` answers queries and prepares models; :mod:`nnvet.adapters.nnapi.prepared_model` executes them. The
table of selectors (:mod:`nnvet.adapters.selector`) names :func:`create_ndk` and :func:`create_sl`, which the service
process calls. The opposite direction, a library made of drivers, is :mod:`nnvet.adapters.nnapi.exported`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from nnvet.adapters.nnapi.compilation import BuiltModel, NnapiCompilation
from nnvet.adapters.nnapi.declarations import feature_level
from nnvet.adapters.nnapi.device_memory import NnapiBuffers
from nnvet.adapters.nnapi.inexpressible import Unsaid
from nnvet.adapters.nnapi.library import NnapiLibrary, extensions_of, performance_of
from nnvet.adapters.nnapi.prepared_model import NnapiPreparedModel
from nnvet.adapters.selector import INEXPRESSIBLE, SelectorError
from nnvet.driver_kit.base_device import LIKE_THE_CPU, BaseDevice
from nnvet.driver_kit.base_prepared_model import perform
from nnvet.hal import types as hal
from nnvet.hal.enums import DeviceType, ErrorStatus, FeatureLevel
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Buffer, PreparedModel, PreparedModelCallback

_CACHE_FILES: Final = "Device_getNumberOfCacheFilesNeeded"
"""Function of support libraries, by the name in :mod:`nnvet.adapters.nnapi.declarations`."""


def create_ndk(arguments: str) -> NnapiDevice:
    """Open the device of ``LIBRARY.so[#DEVICE]``, a library that exports the NNAPI's C API; by default its first one.

    :raises SelectorError: there is no such library or device.
    """
    return _create(arguments, is_support_library=False)


def create_sl(arguments: str) -> NnapiDevice:
    """Open the device of ``LIBRARY.so[#DEVICE]``, a support library; raises like :func:`create_ndk`."""
    return _create(arguments, is_support_library=True)


class NnapiDevice(BaseDevice):
    """A :class:`nnvet.hal.interfaces.Device`. It passes models to the library whether they are valid or not."""

    def __init__(self, library: NnapiLibrary, pointer: Any | None, name: str) -> None:
        """Wrap a device; ``pointer`` is None for old libraries, whose C API has no devices."""
        self.name = name
        self._library = library
        self._pointer = pointer
        self._buffers = NnapiBuffers(library)

    def get_feature_level(self) -> FeatureLevel:
        """Return the lower one of the device's and the library's level, because a client needs both."""
        if self._pointer is None:
            return self._library.runtime_level()
        number = self._library.value("Device_getFeatureLevel", "int64_t", self._pointer)
        return min(feature_level(number), self._library.runtime_level())

    def get_version_string(self) -> str:
        """Return the version that the library states."""
        return self._library.text("Device_getVersion", self._pointer) if self._pointer is not None else "unknown"

    def get_type(self) -> DeviceType:
        """Return the type that the library states.

        :raises HalError: GENERAL_FAILURE for a number that is no type.
        """
        if self._pointer is None:
            return DeviceType.OTHER
        number = self._library.value("Device_getType", "int32_t", self._pointer)
        if number not in DeviceType.__members__.values():
            raise failure(f"{number} is no device type", "driver/reply")
        return DeviceType(number)

    def get_capabilities(self) -> hal.Capabilities:
        """Return a support library's capabilities; clients of the C API do not see a device's performance."""
        return performance_of(self._library, self._pointer) if self._library.is_support_library else LIKE_THE_CPU

    def get_supported_extensions(self) -> tuple[hal.Extension, ...]:
        """Return a support library's extensions; the C API has no list of extensions."""
        return extensions_of(self._library, self._pointer) if self._library.is_support_library else ()

    def get_number_of_cache_files_needed(self) -> hal.NumberOfCacheFiles:
        """Return a support library's number of files; the C API takes a folder, which the HAL does not have."""
        if not self._library.has(_CACHE_FILES):
            return hal.NumberOfCacheFiles()
        models, data = (self._library.ffi.new("uint32_t*") for _ in range(2))
        self._library.call(_CACHE_FILES, self._pointer, models, data)
        return hal.NumberOfCacheFiles(models[0], data[0])

    def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
        """Build the model, and ask the library; if the library has no devices, try to compile the model.

        :raises HalError: the library's error if it refuses the model.
        """
        library, count = self._library, len(model.main.operations)
        if self._pointer is None:
            compilation = NnapiCompilation(library, None, model, hal.PrepareModelConfig())
            with suppress(HalError):
                compilation.finish()
                return (True,) * count
            return (False,) * count
        built = BuiltModel(library, model)
        answers = library.ffi.new("bool[]", count)
        devices = library.ffi.new("ANeuralNetworksDevice*[]", [self._pointer])
        library.call("Model_getSupportedOperationsForDevices", built.pointer, devices, 1, answers)
        return tuple(answers)

    def prepare_model(self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Build, configure and compile the model, and notify once, before this call returns.

        :raises HalError: the library refuses model or configuration; the callback is notified, too.
        """
        if callback is None:
            raise invalid("the callback is null", "prepare/notified_once")
        try:
            compilation = NnapiCompilation(self._library, self._pointer, model, config)
        except HalError as error:
            callback.notify(error.status, None)
            raise

        def finish() -> PreparedModel:
            compilation.finish()
            return NnapiPreparedModel(compilation, self._buffers)

        perform(finish, callback.notify)

    def prepare_model_from_cache(
        self,
        deadline_ns: int,
        model_cache: Sequence[hal.MappableFile],
        data_cache: Sequence[hal.MappableFile],
        token: bytes,
        callback: PreparedModelCallback,
    ) -> None:
        """Refuse, because the C API needs the model, too, to compile from a cache.

        :raises HalError: GENERAL_FAILURE with the rule ``adapter/inexpressible``; the callback is notified, too.
        """
        del deadline_ns, model_cache, data_cache, token
        if callback is None:
            raise invalid("the callback is null", "prepare/notified_once")
        callback.notify(ErrorStatus.GENERAL_FAILURE, None)
        raise failure(f"{Unsaid.CACHES.what}: {Unsaid.CACHES.why}", INEXPRESSIBLE)

    def allocate(
        self,
        desc: hal.BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[hal.BufferRole],
        output_roles: Sequence[hal.BufferRole],
    ) -> tuple[Buffer, int]:
        """Allocate device memory of the library.

        :raises HalError: the library's error if it refuses; GENERAL_FAILURE for dimensions that are not fully known.
        """
        return self._buffers.allocate(desc, prepared_models, input_roles, output_roles)


def _create(arguments: str, *, is_support_library: bool) -> NnapiDevice:
    """Open the device that the arguments of a selector name, or the library's first one."""
    path, _, wanted = arguments.partition("#")
    library = NnapiLibrary(path, is_support_library=is_support_library)
    if not library.has("_getDeviceCount"):
        if wanted:
            raise SelectorError(
                f"{path} is older than devices, there is no {wanted!r}; leave out what stands after '#'"
            )
        return NnapiDevice(library, None, Path(path).stem)
    devices = _list_devices(library)
    named = [(name, pointer) for name, pointer in devices if not wanted or name == wanted]
    if not named:
        names = ", ".join(name for name, _ in devices) or "none"
        raise SelectorError(f"{path} has no device {wanted!r}; its devices: {names}")
    name, pointer = named[0]
    return NnapiDevice(library, pointer, name)


def _list_devices(library: NnapiLibrary) -> list[tuple[str, Any]]:
    """Return names and pointers of all devices.

    :raises SelectorError: the library fails to list them.
    """
    try:
        return [(library.text("Device_getName", pointer), pointer) for pointer in library.devices()]
    except HalError as error:
        raise SelectorError(f"the library does not list its devices: {error}") from error
