"""Descriptions that support libraries give of their devices beyond the C API: performance and extensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nnvet.adapters.nnapi.codes import PerformanceCode
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal.enums import OperandType
from nnvet.hal.types import (
    Capabilities,
    Extension,
    ExtensionOperandTypeInformation,
    OperandPerformance,
    PerformanceInfo,
)

PERFORMANCE_NAMES: Final = {
    PerformanceCode.RELAXED_SCALAR: "relaxed_float32_to_float16_performance_scalar",
    PerformanceCode.RELAXED_TENSOR: "relaxed_float32_to_float16_performance_tensor",
    PerformanceCode.IF: "if_performance",
    PerformanceCode.WHILE: "while_performance",
}
"""The field of the HAL's capabilities of each code."""


def performance_of(library: NnapiLibrary, device: Any) -> Capabilities:
    """Return the device's statement of its speed.

    :raises HalError: as the library fails.
    """
    infos = {
        name: _info(library.value("Device_getPerformanceInfo", "SL_ANeuralNetworksPerformanceInfo", device, code))
        for code, name in PERFORMANCE_NAMES.items()
    }
    operands: list[OperandPerformance] = []

    def keep(info: Any) -> None:
        # Types that the HAL does not have belong to nobody else's interface.
        if info.operandType in OperandType.__members__.values():
            operands.append(OperandPerformance(OperandType(info.operandType), _info(info.performanceInfo)))

    _collect(library, "Device_forEachOperandPerformanceInfo", "OperandPerformanceInfo", keep, device)
    return Capabilities(operand_performance=tuple(operands), **infos)


def extensions_of(library: NnapiLibrary, device: Any) -> tuple[Extension, ...]:
    """The extensions that the device supports; raises as :func:`performance_of`."""
    count = library.value("Device_getVendorExtensionCount", "uint32_t", device)
    return tuple(_extension(library, device, index) for index in range(count))


def _extension(library: NnapiLibrary, device: Any, index: int) -> Extension:
    types: list[ExtensionOperandTypeInformation] = []

    def keep(info: Any) -> None:
        types.append(ExtensionOperandTypeInformation(info.type, info.isTensor, info.byteSize))

    walk = "Device_forEachVendorExtensionOperandTypeInformation"
    _collect(library, walk, "ExtensionOperandTypeInformation", keep, device, index)
    return Extension(library.text("Device_getVendorExtensionName", device, index), tuple(types))


def _collect(library: NnapiLibrary, walk: str, structure: str, keep: Callable[[Any], None], *arguments: Any) -> None:
    """Have the library call ``keep`` with each structure."""
    signature = f"void(SL_ANeuralNetworks{structure}, void*)"
    callback = library.ffi.callback(signature, lambda info, _context: keep(info))
    # The library refuses a null context, and does not look at another.
    library.call(walk, *arguments, library.ffi.new("int*"), callback)


def _info(info: Any) -> PerformanceInfo:
    return PerformanceInfo(info.execTime, info.powerUsage)
