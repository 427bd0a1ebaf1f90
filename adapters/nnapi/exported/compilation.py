"""Compilations of the exported C API: options of preparation, compilation caching, and the prepared model.

A client sets options on a :class:`ClientCompilation`; finishing it prepares the model on a driver
(:mod:`nnvet.adapters.nnapi.exported.finishing` chooses the driver). With caching, the driver gets a token that is
derived from the client's; cache files lie in a folder or are given by descriptors (sample-driver.md 7.1). The module
also has the functions that only a support library's structure has, on performance, extensions and cache files.
:mod:`nnvet.adapters.nnapi.exported.serving` exports both tables.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nnvet.adapters.calls import prepare, prepare_from_cache
from nnvet.adapters.nnapi.declarations import PRIORITIES, PerformanceCode
from nnvet.adapters.nnapi.exported.calling import FFI, Functions, ObjectArray, bad_data, bad_state, check_index
from nnvet.adapters.nnapi.exported.devices import ExportedDevice, code_of, names_of
from nnvet.adapters.nnapi.exported.finishing import choose_device, choose_partitioning, take_devices
from nnvet.adapters.nnapi.exported.model import ClientModel
from nnvet.adapters.nnapi.library import PERFORMANCE_NAMES
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel

_OWNER_ONLY: Final = 0o600
"""Permissions of cache files: a compiled model must not be replaced by other users."""


@dataclass(frozen=True)
class Hint:
    """An attribute of an extension that a client has set."""

    extension: str
    code: int
    value: bytes


@dataclass(frozen=True)
class OpenCacheFiles:
    """Open cache files of one compilation."""

    token: bytes
    models: tuple[hal.MappableFile, ...]
    data: tuple[hal.MappableFile, ...]


@dataclass(frozen=True)
class Folder:
    """A client's folder for cache files, with the application's token."""

    path: str
    token: bytes

    @contextmanager
    def open_files(self, device: ExportedDevice, token: bytes, *, create: bool) -> Iterator[OpenCacheFiles | None]:
        """Open the files that ``device`` needs for its own ``token``, for as long as the block runs.

        Yield None if the device needs no files, or if a file is missing and cannot be created.
        """
        needed = device.driver.get_number_of_cache_files_needed()
        counts = (needed.num_model_cache, needed.num_data_cache)
        with ExitStack() as stack:
            try:
                files = [self._open(f"{token.hex()}{index}", stack, create=create) for index in range(sum(counts))]
            except OSError:
                files = []
            if not files:
                yield None
                return
            yield OpenCacheFiles(token, tuple(files[: counts[0]]), tuple(files[counts[0] :]))

    def _open(self, name: str, stack: ExitStack, *, create: bool) -> hal.MappableFile:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        handle = hal.OwnedHandle(os.open(Path(self.path) / name, flags, _OWNER_ONLY))
        stack.callback(handle.close)
        return hal.MappableFile(handle, os.fstat(handle.fd).st_size)


@dataclass(frozen=True)
class Descriptors:
    """Cache files that a client of the support library has opened; the library has to close them."""

    models: tuple[hal.Handle, ...]
    data: tuple[hal.Handle, ...]
    token: bytes

    @contextmanager
    def open_files(self, device: ExportedDevice, token: bytes, *, create: bool) -> Iterator[OpenCacheFiles | None]:
        """Yield the files like :meth:`Folder.open_files`, or None if the device needs another number of files.

        The driver gets the client's own token, not a derived one.
        """
        del token, create
        needed = device.driver.get_number_of_cache_files_needed()
        fits = (len(self.models), len(self.data)) == (needed.num_model_cache, needed.num_data_cache)
        yield (
            OpenCacheFiles(self.token, _to_files(self.models), _to_files(self.data))
            if fits and self.models + self.data
            else None
        )


def _to_files(handles: Sequence[hal.Handle]) -> tuple[hal.MappableFile, ...]:
    return tuple(hal.MappableFile(handle, os.fstat(handle.fd).st_size) for handle in handles)


def derive_token(token: bytes, name: str, version: str, preference: int, priority: int, hints: Sequence[Hint]) -> bytes:
    """Return the driver's token: 32 bytes that depend on the client's token, the driver, and all options.

    So a compilation with other options, or by another driver, never finds these cache files. ``priority`` is a number
    of the C API.
    """
    digest = hashlib.sha256(token)
    digest.update(name.encode())
    digest.update(version.encode())
    digest.update(struct.pack("=ii", preference, priority))
    for hint in sorted(hints, key=lambda given: (given.extension, given.code)):
        digest.update(hint.extension.encode())
        digest.update(struct.pack("=H", hint.code))
        digest.update(hint.value)
    return digest.digest()


_LONGEST: Final = 2**62
"""Longest limit in nanoseconds; a later deadline counts as no deadline."""
_HAL_PRIORITIES: Final = {number: priority for priority, number in PRIORITIES.items()}
"""The HAL's priority for each number of the C API."""
_PREFERRED: Final = 64
"""Alignment and padding, in bytes, that the library recommends to clients."""


@dataclass(eq=False)
class ClientCompilation:
    """A compilation of the C API. ``is_explicit`` is True if the client itself has listed the devices.

    ``device`` and ``prepared`` are set once the compilation has been finished successfully.
    """

    model: ClientModel
    devices: tuple[ExportedDevice, ...]
    is_explicit: bool
    preference: int = hal.ExecutionPreference.FAST_SINGLE_ANSWER
    priority: int = PRIORITIES[hal.Priority.MEDIUM]
    timeout_ns: int = 0
    cache: Folder | Descriptors | None = None
    hints: list[Hint] = field(default_factory=list)
    is_closed: bool = False
    device: ExportedDevice | None = None
    prepared: PreparedModel | None = None

    def check_open(self) -> None:
        """Check that options may still be set; raises BAD_STATE after an attempt to finish the compilation."""
        if self.is_closed:
            raise bad_state("the compilation has been finished")

    def check_one_device(self, what: str) -> None:
        """Check that the client itself has listed exactly one device; raises BAD_DATA if not."""
        if not self.is_explicit or len(self.devices) != 1:
            raise bad_data(f"{what} needs a compilation for one device that is named")

    def check_finished(self) -> tuple[ExportedDevice, PreparedModel]:
        """Return device and prepared model; raises BAD_STATE if there are none."""
        if self.device is None or self.prepared is None:
            raise bad_state("the compilation is not finished")
        return self.device, self.prepared

    def operand(self, index: int, *, is_input: bool) -> hal.Operand:
        """Return the operand of an input or output; raises BAD_DATA."""
        indexes = self.model.inputs if is_input else self.model.outputs
        check_index(index, len(indexes), "input" if is_input else "output")
        return self.model.operands[indexes[index]]


def deadline_after(duration_ns: int) -> int:
    """Return the deadline, on the boot clock, for a duration that begins now; 0 is no limit."""
    return hal.NO_DEADLINE if not 0 < duration_ns < _LONGEST else boot_time_ns() + duration_ns


def hal_hints(hints: Sequence[Hint]) -> tuple[tuple[hal.TokenValuePair, ...], tuple[hal.ExtensionNameAndPrefix, ...]]:
    """Return the hints of the HAL, and the names of their extensions."""
    pairs = tuple(hal.TokenValuePair(code_of(hint.extension, hint.code), hint.value) for hint in hints)
    return pairs, names_of({pair.token for pair in pairs})


def add_hint(hints: list[Hint], name: Any, code: int, data: Any, length: int) -> None:
    """Add an attribute of an extension; raises BAD_DATA if it was added before."""
    hint = Hint(FFI.string(name).decode(errors="replace"), code, bytes(FFI.buffer(data, length)) if length else b"")
    if any((hint.extension, hint.code) == (earlier.extension, earlier.code) for earlier in hints):
        raise bad_data(f"attribute {code} of {hint.extension} is set already")
    hints.append(hint)


def compilation_functions(devices: tuple[ExportedDevice, ...]) -> Functions:
    """Return the functions that make compilations for these devices, and work on them."""

    def create(model: ClientModel) -> ClientCompilation:
        model.check_finished()
        return ClientCompilation(model, devices, is_explicit=False)

    return {"Compilation_create": create, **_FUNCTIONS}


def _create_for_devices(model: ClientModel, devices: ObjectArray, count: int) -> ClientCompilation:
    model.check_finished()
    return ClientCompilation(model, take_devices(devices, count), is_explicit=True)


def _set_preference(compilation: ClientCompilation, preference: int) -> None:
    compilation.check_open()
    if preference not in hal.ExecutionPreference.__members__.values():
        raise bad_data(f"preference {preference}")
    compilation.preference = preference


def _set_priority(compilation: ClientCompilation, priority: int) -> None:
    compilation.check_open()
    if priority not in _HAL_PRIORITIES:
        raise bad_data(f"priority {priority}")
    compilation.priority = priority


def _set_timeout(compilation: ClientCompilation, duration_ns: int) -> None:
    compilation.check_open()
    compilation.check_one_device("a time-out")
    compilation.timeout_ns = duration_ns


def _set_caching(compilation: ClientCompilation, folder: Any, token: Any) -> None:
    compilation.check_open()
    compilation.cache = Folder(os.fsdecode(FFI.string(folder)), _read_token(token))


def _set_caching_from_descriptors(
    compilation: ClientCompilation, models: Any, model_count: int, data: Any, data_count: int, token: Any
) -> None:
    compilation.check_open()
    try:
        handles = [
            tuple(hal.OwnedHandle(os.dup(descriptor)) for descriptor in (FFI.unpack(given, count) if count else ()))
            for given, count in ((models, model_count), (data, data_count))
        ]
    except (OSError, OverflowError) as error:
        raise bad_data(f"a descriptor cannot be duplicated: {error}") from error
    compilation.cache = Descriptors(handles[0], handles[1], _read_token(token))


def _read_token(pointer: Any) -> bytes:
    return bytes(FFI.buffer(pointer, hal.BYTE_SIZE_OF_CACHE_TOKEN))


def _add_attribute(compilation: ClientCompilation, name: Any, code: int, data: Any, length: int) -> None:
    compilation.check_open()
    compilation.check_one_device("an attribute of an extension")
    add_hint(compilation.hints, name, code, data, length)


def _finish(compilation: ClientCompilation) -> None:
    """Prepare the model on one device, or divided between several."""
    compilation.check_open()
    compilation.is_closed = True
    deadline_ns = deadline_after(compilation.timeout_ns)
    model = compilation.model
    mode = choose_partitioning(is_explicit=compilation.is_explicit)
    device = choose_device(compilation.devices, model.check_finished(), compilation.preference, mode)
    if device is None:
        raise bad_data("there are operations that no device supports")
    prepared = _prepare_from_cache(compilation, device, deadline_ns) or _prepare(compilation, device, deadline_ns)
    compilation.device, compilation.prepared = device, prepared


def _derive_own_token(compilation: ClientCompilation, device: ExportedDevice) -> bytes:
    cache, driver = compilation.cache, device.driver
    token = cache.token if cache is not None else b""
    return derive_token(
        token,
        driver.name,
        driver.get_version_string(),
        compilation.preference,
        compilation.priority,
        compilation.hints,
    )


def _prepare_from_cache(
    compilation: ClientCompilation, device: ExportedDevice, deadline_ns: int
) -> PreparedModel | None:
    """Return the model from the driver's cache; None if that fails for any reason."""
    if compilation.cache is None:
        return None
    token = _derive_own_token(compilation, device)
    with compilation.cache.open_files(device, token, create=False) as files:
        if files is None:
            return None
        try:
            return prepare_from_cache(device.driver, files.models, files.data, files.token, deadline_ns)
        except HalError:
            return None


def _prepare(compilation: ClientCompilation, device: ExportedDevice, deadline_ns: int) -> PreparedModel:
    """Let the driver compile the model, and fill the cache files if there are any."""
    if compilation.cache is None:
        return _prepare_with_files(compilation, device, deadline_ns, None)
    token = _derive_own_token(compilation, device)
    with compilation.cache.open_files(device, token, create=True) as files:
        return _prepare_with_files(compilation, device, deadline_ns, files)


def _prepare_with_files(
    compilation: ClientCompilation, device: ExportedDevice, deadline_ns: int, files: OpenCacheFiles | None
) -> PreparedModel:
    hints, names = hal_hints(compilation.hints)
    files = files or OpenCacheFiles(bytes(hal.BYTE_SIZE_OF_CACHE_TOKEN), (), ())
    config = hal.PrepareModelConfig(
        compilation.preference,
        _HAL_PRIORITIES[compilation.priority],
        deadline_ns,
        files.models,
        files.data,
        files.token,
        hints,
        names,
    )
    return prepare(device.driver, compilation.model.check_finished(), config)


def _get_preferred(compilation: ClientCompilation, index: int, place: Any, *, is_input: bool, is_padding: bool) -> None:
    """Write the recommended alignment or padding of an argument; 1, that is no padding, for drivers below level 5."""
    device, _ = compilation.check_finished()
    compilation.operand(index, is_input=is_input)
    place[0] = 1 if is_padding and device.level < hal.FeatureLevel.FL5 else _PREFERRED


_FUNCTIONS: Final[Functions] = {
    "Compilation_free": lambda _compilation: None,
    "Compilation_createForDevices": _create_for_devices,
    "Compilation_setPreference": _set_preference,
    "Compilation_setPriority": _set_priority,
    "Compilation_setTimeout": _set_timeout,
    "Compilation_setCaching": _set_caching,
    "Compilation_setCachingFromFds": _set_caching_from_descriptors,
    "Compilation_addExtensionAttribute": _add_attribute,
    "Compilation_finish": _finish,
    **{
        f"Compilation_getPreferredMemory{what}For{side}": (
            lambda compilation, index, place, is_input=side == "Input", is_padding=what == "Padding": _get_preferred(
                compilation, index, place, is_input=is_input, is_padding=is_padding
            )
        )
        for what in ("Alignment", "Padding")
        for side in ("Input", "Output")
    },
}


_names: Final[dict[str, Any]] = {}
"""Texts that clients have pointers to, and that have to stay alive."""


def support_functions(ffi: Any) -> Functions:
    """Return the functions of the support library's structure; ``ffi`` has the declarations of their structures."""

    def report_operands(device: ExportedDevice, context: Any, callback: Any) -> None:
        for performance in device.driver.get_capabilities().operand_performance:
            fields = (int(performance.type), _to_fields(performance.info))
            callback(ffi.new("SL_ANeuralNetworksOperandPerformanceInfo*", fields)[0], context)

    def report_types(device: ExportedDevice, index: int, context: Any, callback: Any) -> None:
        for operand_type in _find_extension(device, index).operand_types:
            fields = (operand_type.byte_size, operand_type.type, operand_type.is_tensor)
            callback(ffi.new("SL_ANeuralNetworksExtensionOperandTypeInformation*", fields)[0], context)

    return {
        "Device_getNumberOfCacheFilesNeeded": _get_cache_file_counts,
        "Device_getPerformanceInfo": _get_performance,
        "Device_forEachOperandPerformanceInfo": report_operands,
        "Device_getVendorExtensionCount": _get_extension_count,
        "Device_getVendorExtensionName": _get_extension_name,
        "Device_forEachVendorExtensionOperandTypeInformation": report_types,
    }


def _get_cache_file_counts(device: ExportedDevice, models: Any, data: Any) -> None:
    # Clients must not read old numbers if the driver fails.
    models[0], data[0] = 0, 0
    needed = device.driver.get_number_of_cache_files_needed()
    models[0], data[0] = needed.num_model_cache, needed.num_data_cache


def _get_performance(device: ExportedDevice, code: int, place: Any) -> None:
    place[0].execTime = place[0].powerUsage = 0
    if code not in PerformanceCode.__members__.values():
        raise bad_data(f"there is no performance {code}")
    info: hal.PerformanceInfo = getattr(device.driver.get_capabilities(), PERFORMANCE_NAMES[PerformanceCode(code)])
    place[0].execTime, place[0].powerUsage = _to_fields(info)


def _to_fields(info: hal.PerformanceInfo) -> tuple[float, float]:
    """Return the members of ``SL_ANeuralNetworksPerformanceInfo``."""
    return info.exec_time, info.power_usage


def _find_extension(device: ExportedDevice, index: int) -> hal.Extension:
    extensions = device.driver.get_supported_extensions()
    check_index(index, len(extensions), "extension")
    return extensions[index]


def _get_extension_count(device: ExportedDevice, place: Any) -> None:
    place[0] = len(device.driver.get_supported_extensions())


def _get_extension_name(device: ExportedDevice, index: int, place: Any) -> None:
    place[0] = FFI.NULL
    name = _find_extension(device, index).name
    place[0] = _names.setdefault(name, FFI.new("char[]", name.encode()))
