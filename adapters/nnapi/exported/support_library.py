"""The support library's structure beside the C API: performance, extensions, cache files, diagnostics."""

from __future__ import annotations

from typing import Any, Final

from nnvet.adapters.nnapi.codes import PerformanceCode
from nnvet.adapters.nnapi.exported.calling import FFI
from nnvet.adapters.nnapi.exported.devices import ExportedDevice
from nnvet.adapters.nnapi.exported.refusals import Functions, bad_data, check_index
from nnvet.adapters.nnapi.support_library import PERFORMANCE_NAMES
from nnvet.hal.types import Extension, PerformanceInfo

_names: Final[dict[str, Any]] = {}
"""Texts that clients have pointers to."""


def support_functions(ffi: Any) -> Functions:
    """The functions; ``ffi`` has the declarations of their structures."""

    def each_operand(device: ExportedDevice, context: Any, callback: Any) -> None:
        for entry in device.driver.get_capabilities().operand_performance:
            info = ffi.new("SL_ANeuralNetworksOperandPerformanceInfo*", (int(entry.type), _pair(entry.info)))
            callback(info[0], context)

    def each_type(device: ExportedDevice, index: int, context: Any, callback: Any) -> None:
        for operand_type in _extension(device, index).operand_types:
            fields = (operand_type.byte_size, operand_type.type, operand_type.is_tensor)
            callback(ffi.new("SL_ANeuralNetworksExtensionOperandTypeInformation*", fields)[0], context)

    return {
        "Device_getNumberOfCacheFilesNeeded": _cache_files,
        "Device_getPerformanceInfo": _performance,
        "Device_forEachOperandPerformanceInfo": each_operand,
        "Device_getVendorExtensionCount": _extension_count,
        "Device_getVendorExtensionName": _extension_name,
        "Device_forEachVendorExtensionOperandTypeInformation": each_type,
    }


def _cache_files(device: ExportedDevice, models: Any, data: Any) -> None:
    models[0], data[0] = 0, 0
    needed = device.driver.get_number_of_cache_files_needed()
    models[0], data[0] = needed.num_model_cache, needed.num_data_cache


def _performance(device: ExportedDevice, code: int, place: Any) -> None:
    place[0].execTime = place[0].powerUsage = 0
    if code not in PerformanceCode.__members__.values():
        raise bad_data(f"there is no performance {code}")
    info: PerformanceInfo = getattr(device.driver.get_capabilities(), PERFORMANCE_NAMES[PerformanceCode(code)])
    place[0].execTime, place[0].powerUsage = _pair(info)


def _pair(info: PerformanceInfo) -> tuple[float, float]:
    return info.exec_time, info.power_usage


def _extension(device: ExportedDevice, index: int) -> Extension:
    extensions = device.driver.get_supported_extensions()
    check_index(index, len(extensions), "extension")
    return extensions[index]


def _extension_count(device: ExportedDevice, place: Any) -> None:
    place[0] = len(device.driver.get_supported_extensions())


def _extension_name(device: ExportedDevice, index: int, place: Any) -> None:
    place[0] = FFI.NULL
    name = _extension(device, index).name
    place[0] = _names.setdefault(name, FFI.new("char[]", name.encode()))
