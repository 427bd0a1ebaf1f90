"""A shared library of the C API, or a support library: its functions by name, with error codes raised as exceptions.

Support libraries also describe the performance and the extensions of their devices, beyond the C API
(:func:`performance_of`, :func:`extensions_of`). All other modules of this package call a library by
:class:`NnapiLibrary`; the prototypes are in :mod:`nnvet.adapters.nnapi.declarations`.
"""

from __future__ import annotations

import atexit
import itertools
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import cffi

from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.declarations import PerformanceCode, ResultCode, error_of, feature_level
from nnvet.adapters.selector import INEXPRESSIBLE, SelectorError
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError, invalid

_PREFIX: Final = "ANeuralNetworks"
"""Beginning of the names of the C API's functions and types."""
_LEVEL_OF_DEVICES: Final = hal.FeatureLevel.FL3
"""First level whose C API has devices (docs/contract/c-api.md)."""


@cache
def parse_declarations() -> Any:
    """Return cffi's interface with all declarations, which are parsed once."""
    parsed = cffi.FFI()
    parsed.cdef(declarations.objects() + declarations.functions() + declarations.structure())
    return parsed


_alive: Final[dict[int, tuple[Callable[[Any], None], object]]] = {}
"""Finalizers of all living objects of libraries, each with the objects that it keeps alive.

The garbage collector frees the members of a reference cycle in any order. An object to which this table refers is in
use, so the collector does not free it before the entry is removed, that is before the object that needs it is freed.
"""
_numbers: Final = itertools.count()
"""Numbers of the entries in :data:`_alive`."""
_is_ending: Final = threading.Event()
"""Set while the interpreter exits."""
# While the interpreter exits, objects disappear in any order. So nothing is freed then; the system frees all memory.
atexit.register(_is_ending.set)


def _add_finalizer(ffi: Any, pointer: Any, free: Callable[[Any], None] | None, keeps: object) -> Any:
    """Return the pointer with a finalizer that calls ``free``; the objects in ``keeps`` are freed after it."""
    number = next(_numbers)

    def forget(pointer: Any) -> None:
        if free is not None and not _is_ending.is_set():
            free(pointer)
        _alive.pop(number, None)

    _alive[number] = forget, keeps
    return ffi.gc(pointer, forget)


class NnapiLibrary:
    """A library, whose functions are called by name without the prefix ``ANeuralNetworks``; threads may share it."""

    def __init__(self, path: str, *, is_support_library: bool) -> None:
        """Load the library, which stays loaded.

        :raises SelectorError: the library cannot be loaded, or lacks functions of the expected kind.
        """
        self.ffi: Any = parse_declarations()
        self.is_support_library = is_support_library
        self._absent: frozenset[str] = frozenset()
        flags = self.ffi.RTLD_LAZY | self.ffi.RTLD_LOCAL | self.ffi.RTLD_NODELETE
        try:
            # The loader would search a name without a slash among the system's libraries only.
            self._loaded = self.ffi.dlopen(str(Path(path).absolute()) if Path(path).exists() else path, flags)
        except OSError as error:
            raise SelectorError(f"the library cannot be loaded: {_extract_reason(error)}") from error
        self._functions = self._open_structure(path) if is_support_library else self._loaded
        self._check_complete(path)

    def has(self, name: str) -> bool:
        """Return True if the library has a function; older libraries and support libraries lack some."""
        return self._find(name) is not None

    def function(self, name: str) -> Any | None:
        """Return the function itself, for sequences of calls that test the C API; None if the library lacks it."""
        return self._find(name)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that returns a result code.

        :raises HalError: the error that the code means; INVALID_ARGUMENT with the rule ``adapter/inexpressible`` if the
            library lacks the function, or an argument is no number of the parameter's C type.
        """
        code = self.result(name, *arguments)
        if code != ResultCode.NO_ERROR:
            raise error_of(code, _PREFIX + name)

    def result(self, name: str, *arguments: Any) -> int:
        """Return the result code of a function; raises like :meth:`call` if it cannot be called."""
        function = self._find(name)
        if function is None:
            raise invalid(f"the library has no {_PREFIX}{name}", INEXPRESSIBLE)
        try:
            returned: int = function(*arguments)
        except OverflowError as error:
            raise invalid(f"{_PREFIX}{name}: {error}", INEXPRESSIBLE) from error
        return returned

    def create(self, name: str, *arguments: Any, kind: str = "", keeps: object = None) -> Any:
        """Return the object that a function creates by its last parameter; it is freed when it is garbage.

        Its type is ``kind``, by default the beginning of the function's name. The objects that it ``keeps`` are freed
        after it, because a client has to free an object before those that it was made from. Raises like :meth:`call`.
        """
        kind = kind or name.partition("_")[0]
        place = self.ffi.new(f"{_PREFIX}{kind}**")
        self.call(name, *arguments, place)
        if place[0] == self.ffi.NULL:
            raise HalError(error_of(ResultCode.OP_FAILED, name).status, f"{name} makes nothing", "driver/reply")
        return _add_finalizer(self.ffi, place[0], self._find(f"{kind}_free"), keeps)

    def value(self, name: str, ctype: str, *arguments: Any) -> Any:
        """Return the number or text that a function writes by its last parameter; raises like :meth:`call`."""
        place = self.ffi.new(f"{ctype}*")
        self.call(name, *arguments, place)
        return place[0]

    def text(self, name: str, *arguments: Any) -> str:
        """Return the text that a function writes by its last parameter, empty for a null pointer.

        Raises like :meth:`call`.
        """
        found = self.value(name, "const char*", *arguments)
        return str(self.ffi.string(found).decode(errors="replace")) if found != self.ffi.NULL else ""

    def numbers(self, ctype: str, values: Sequence[Any]) -> Any:
        """Return an array for a function to read.

        :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for numbers that ``ctype`` lacks.
        """
        try:
            return self.ffi.new(f"{ctype}[]", list(values))
        except OverflowError as error:
            raise invalid(str(error), INEXPRESSIBLE) from error

    def structure(self, name: str, *fields: Any) -> Any:
        """Return a structure for a function to read; raises like :meth:`numbers`.

        The caller keeps the memory that the structure points to.
        """
        try:
            return self.ffi.new(f"{_PREFIX}{name}*", fields)
        except OverflowError as error:
            raise invalid(str(error), INEXPRESSIBLE) from error

    def runtime_level(self) -> hal.FeatureLevel:
        """Return the level that the library states, or else the newest level of which it has a characteristic function.

        :raises HalError: GENERAL_FAILURE if the library states an impossible level.
        """
        getter = self._find("_getRuntimeFeatureLevel")
        if getter is not None:
            return feature_level(getter())
        introduced = {
            hal.FeatureLevel.FL4: "Model_setOperandValueFromModel",
            _LEVEL_OF_DEVICES: "_getDeviceCount",
            hal.FeatureLevel.FL2: "Model_relaxComputationFloat32toFloat16",
        }
        return next((level for level, name in introduced.items() if self.has(name)), hal.FeatureLevel.FL1)

    def devices(self) -> list[Any]:
        """Return the pointers of all devices; raises like :meth:`call`."""
        count = self.value("_getDeviceCount", "uint32_t")
        return [self.value("_getDevice", "ANeuralNetworksDevice*", index) for index in range(count)]

    def knows_extension(self, name: str) -> bool:
        """Return True if a device has an extension; raises like :meth:`call`."""
        getter = "Device_getExtensionSupport"
        return self.has(getter) and any(self.value(getter, "bool", device, name.encode()) for device in self.devices())

    def _find(self, name: str) -> Any | None:
        """Return a function; None if the library does not export it, or its structure has no such field or a null."""
        if name in self._absent:
            return None
        try:
            found = getattr(self._functions, declarations.names()[name])
        except AttributeError:
            return None
        return found if found != self.ffi.NULL else None

    def _check_complete(self, path: str) -> None:
        """Check that there are all functions that a model or, for a support library, the structure needs.

        :raises SelectorError: some are missing.
        """
        expected = declarations.fields_to_fill() if self.is_support_library else declarations.NEEDED
        missing = [name for name in expected if name not in self._absent and not self.has(name)]
        if not missing:
            return
        if self.is_support_library:
            fields = ", ".join(declarations.names()[name] for name in missing)
            raise SelectorError(f"{path}: null pointers in the NnApiSLDriverImpl that it returns: {fields}")
        if len(missing) == len(expected):
            raise SelectorError(f"{path} exports no function of the NNAPI's C API; is it a support library (sl:)?")
        functions = ", ".join(declarations.names()[name] for name in missing)
        raise SelectorError(f"{path} lacks functions of the NNAPI's C API that every model needs: {functions}")

    def _open_structure(self, path: str) -> Any:
        """Return the structure of function pointers that a support library exports instead of functions.

        :raises SelectorError: the library exports none, or one of an impossible level.
        """
        try:
            entry = getattr(self._loaded, declarations.ENTRY_OF_SUPPORT_LIBRARIES)
        except AttributeError as error:
            name = declarations.ENTRY_OF_SUPPORT_LIBRARIES
            raise SelectorError(f"{path} is no support library: it does not export {name}") from error
        structure = entry()
        if structure == self.ffi.NULL:
            raise SelectorError(f"{path}: {declarations.ENTRY_OF_SUPPORT_LIBRARIES} returns a null pointer")
        level = feature_level(structure.implFeatureLevel)
        if level < hal.FeatureLevel.FL5:
            raise SelectorError(f"{path} is a support library of level {level}; there are none below 5")
        if level < hal.FeatureLevel.FL8:
            # The structure of a lower level ends before these fields.
            self._absent = declarations.fields_of_level_8()
        return structure


def _extract_reason(error: OSError) -> str:
    """Return the loader's own message, such as an undefined symbol, without the text that cffi puts around it."""
    message = str(error).partition(".  Additionally, ctypes")[0]
    return message.partition(": ")[2] or message


PERFORMANCE_NAMES: Final = {
    PerformanceCode.RELAXED_SCALAR: "relaxed_float32_to_float16_performance_scalar",
    PerformanceCode.RELAXED_TENSOR: "relaxed_float32_to_float16_performance_tensor",
    PerformanceCode.IF: "if_performance",
    PerformanceCode.WHILE: "while_performance",
}
"""For each code of the C API the field of the HAL's capabilities."""


def performance_of(library: NnapiLibrary, device: Any) -> hal.Capabilities:
    """Return the device's own statement of its performance.

    :raises HalError: the library's error.
    """
    infos = {
        name: _to_hal(library.value("Device_getPerformanceInfo", "SL_ANeuralNetworksPerformanceInfo", device, code))
        for code, name in PERFORMANCE_NAMES.items()
    }
    operands: list[hal.OperandPerformance] = []

    def keep(info: Any) -> None:
        # The HAL's interface cannot state the performance of types that it lacks.
        if info.operandType in hal.OperandType.__members__.values():
            operands.append(hal.OperandPerformance(hal.OperandType(info.operandType), _to_hal(info.performanceInfo)))

    _collect(library, "Device_forEachOperandPerformanceInfo", "OperandPerformanceInfo", keep, device)
    return hal.Capabilities(operand_performance=tuple(operands), **infos)


def extensions_of(library: NnapiLibrary, device: Any) -> tuple[hal.Extension, ...]:
    """Return the extensions that the device supports; raises like :func:`performance_of`."""
    count = library.value("Device_getVendorExtensionCount", "uint32_t", device)
    return tuple(_read_extension(library, device, index) for index in range(count))


def _read_extension(library: NnapiLibrary, device: Any, index: int) -> hal.Extension:
    types: list[hal.ExtensionOperandTypeInformation] = []

    def keep(info: Any) -> None:
        types.append(hal.ExtensionOperandTypeInformation(info.type, info.isTensor, info.byteSize))

    walk = "Device_forEachVendorExtensionOperandTypeInformation"
    _collect(library, walk, "ExtensionOperandTypeInformation", keep, device, index)
    return hal.Extension(library.text("Device_getVendorExtensionName", device, index), tuple(types))


def _collect(library: NnapiLibrary, walk: str, structure: str, keep: Callable[[Any], None], *arguments: Any) -> None:
    """Call the library's function ``walk``, which calls ``keep`` with each structure."""
    signature = f"void(SL_ANeuralNetworks{structure}, void*)"
    callback = library.ffi.callback(signature, lambda info, _context: keep(info))
    # The library refuses a null context, and ignores any other.
    library.call(walk, *arguments, library.ffi.new("int*"), callback)


def _to_hal(info: Any) -> hal.PerformanceInfo:
    """Return the HAL's form of a ``SL_ANeuralNetworksPerformanceInfo``."""
    return hal.PerformanceInfo(info.execTime, info.powerUsage)
