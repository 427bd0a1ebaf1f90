"""The C API as declarations: types, functions, and the structure that support libraries return.

This is the one table of the C API. :mod:`nnvet.adapters.nnapi.library` calls libraries by it,
:mod:`nnvet.adapters.nnapi.header` prints it for C programs, and :mod:`nnvet.adapters.nnapi.exported` implements it. The
functions have the order of the support library's structure (docs/contract/c-api.md 2.3); those of the runtime's library
have the same names and signatures. Prototypes are written without the prefix ``ANeuralNetworks``, and a single capital
letter stands for a type (``_ABBREVIATIONS``); :func:`_spell_out` completes them. Numbers of the C API that differ from
the HAL's, or that the HAL lacks, are here as well (docs/contract/c-api.md 1.1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Final

from nnvet.hal.enums import ErrorStatus, FeatureLevel, Priority
from nnvet.hal.errors import HalError

OBJECTS: Final = ("Model", "Compilation", "Execution", "Event", "Memory", "MemoryDesc", "Burst", "Device")
"""Opaque types, without their prefix ``ANeuralNetworks``."""

STRUCTURES: Final = """
typedef int32_t ANeuralNetworksOperationType;
typedef struct AHardwareBuffer AHardwareBuffer;
typedef struct ANeuralNetworksOperandType {
    int32_t type;
    uint32_t dimensionCount;
    const uint32_t* dimensions;
    float scale;
    int32_t zeroPoint;
} ANeuralNetworksOperandType;
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
    uint32_t channelDim;
    uint32_t scaleCount;
    const float* scales;
} ANeuralNetworksSymmPerChannelQuantParams;
typedef struct SL_ANeuralNetworksPerformanceInfo {
    float execTime;
    float powerUsage;
} SL_ANeuralNetworksPerformanceInfo;
typedef struct SL_ANeuralNetworksOperandPerformanceInfo {
    int32_t operandType;
    SL_ANeuralNetworksPerformanceInfo performanceInfo;
} SL_ANeuralNetworksOperandPerformanceInfo;
typedef struct SL_ANeuralNetworksExtensionOperandTypeInformation {
    uint32_t byteSize;
    uint16_t type;
    bool isTensor;
} SL_ANeuralNetworksExtensionOperandTypeInformation;
typedef struct ANeuralNetworksDiagnosticCompilationInfo ANeuralNetworksDiagnosticCompilationInfo;
typedef struct ANeuralNetworksDiagnosticExecutionInfo ANeuralNetworksDiagnosticExecutionInfo;
"""
"""Types whose members clients see, and opaque types that only support libraries use."""

# Functions that the runtime's library exports and the structure of support libraries has.
_SHARED: Final = """
int Burst_create(C* compilation, B** burst);
void Burst_free(B* burst);
int Compilation_createForDevices(M* model, const D* const* devices, uint32_t count, C** compilation);
int Compilation_finish(C* compilation);
void Compilation_free(C* compilation);
int Compilation_getPreferredMemoryAlignmentForInput(const C* compilation, uint32_t index, uint32_t* alignment);
int Compilation_getPreferredMemoryAlignmentForOutput(const C* compilation, uint32_t index, uint32_t* alignment);
int Compilation_getPreferredMemoryPaddingForInput(const C* compilation, uint32_t index, uint32_t* padding);
int Compilation_getPreferredMemoryPaddingForOutput(const C* compilation, uint32_t index, uint32_t* padding);
int Compilation_setCaching(C* compilation, const char* folder, const uint8_t* token);
int Compilation_setPreference(C* compilation, int32_t preference);
int Compilation_setPriority(C* compilation, int priority);
int Compilation_setTimeout(C* compilation, uint64_t duration);
int Device_getExtensionSupport(const D* device, const char* name, bool* supported);
int Device_getFeatureLevel(const D* device, int64_t* level);
int Device_getName(const D* device, const char** name);
int Device_getType(const D* device, int32_t* type);
int Device_getVersion(const D* device, const char** version);
int Device_wait(const D* device);
int Event_createFromSyncFenceFd(int fence, E** event);
void Event_free(E* event);
int Event_getSyncFenceFd(const E* event, int* fence);
int Event_wait(E* event);
int Execution_burstCompute(X* execution, B* burst);
int Execution_compute(X* execution);
int Execution_create(C* compilation, X** execution);
int Execution_enableInputAndOutputPadding(X* execution, bool enable);
void Execution_free(X* execution);
int Execution_getDuration(const X* execution, int32_t code, uint64_t* duration);
int Execution_getOutputOperandDimensions(X* execution, int32_t index, uint32_t* dimensions);
int Execution_getOutputOperandRank(X* execution, int32_t index, uint32_t* rank);
int Execution_setInput(X* execution, int32_t index, const T* type, const void* buffer, size_t length);
int Execution_setInputFromMemory(X* execution, int32_t index, const T* type, const Y* memory, size_t offset, size_t length);
int Execution_setLoopTimeout(X* execution, uint64_t duration);
int Execution_setMeasureTiming(X* execution, bool measure);
int Execution_setOutput(X* execution, int32_t index, const T* type, void* buffer, size_t length);
int Execution_setOutputFromMemory(X* execution, int32_t index, const T* type, const Y* memory, size_t offset, size_t length);
int Execution_setReusable(X* execution, bool reusable);
int Execution_setTimeout(X* execution, uint64_t duration);
int Execution_startComputeWithDependencies(X* execution, const E* const* dependencies, uint32_t count, uint64_t duration, E** event);
int MemoryDesc_addInputRole(Q* desc, const C* compilation, uint32_t index, float frequency);
int MemoryDesc_addOutputRole(Q* desc, const C* compilation, uint32_t index, float frequency);
int MemoryDesc_create(Q** desc);
int MemoryDesc_finish(Q* desc);
void MemoryDesc_free(Q* desc);
int MemoryDesc_setDimensions(Q* desc, uint32_t rank, const uint32_t* dimensions);
int Memory_copy(const Y* source, const Y* destination);
int Memory_createFromAHardwareBuffer(const AHardwareBuffer* buffer, Y** memory);
int Memory_createFromDesc(const Q* desc, Y** memory);
int Memory_createFromFd(size_t size, int protection, int descriptor, size_t offset, Y** memory);
void Memory_free(Y* memory);
int Model_addOperand(M* model, const T* type);
int Model_addOperation(M* model, int32_t type, uint32_t inputCount, const uint32_t* inputs, uint32_t outputCount, const uint32_t* outputs);
int Model_create(M** model);
int Model_finish(M* model);
void Model_free(M* model);
int Model_getExtensionOperandType(M* model, const char* extension, uint16_t code, int32_t* type);
int Model_getExtensionOperationType(M* model, const char* extension, uint16_t code, int32_t* type);
int Model_getSupportedOperationsForDevices(const M* model, const D* const* devices, uint32_t count, bool* supported);
int Model_identifyInputsAndOutputs(M* model, uint32_t inputCount, const uint32_t* inputs, uint32_t outputCount, const uint32_t* outputs);
int Model_relaxComputationFloat32toFloat16(M* model, bool allow);
int Model_setOperandExtensionData(M* model, int32_t index, const void* data, size_t length);
int Model_setOperandSymmPerChannelQuantParams(M* model, int32_t index, const P* params);
int Model_setOperandValue(M* model, int32_t index, const void* buffer, size_t length);
int Model_setOperandValueFromMemory(M* model, int32_t index, const Y* memory, size_t offset, size_t length);
int Model_setOperandValueFromModel(M* model, int32_t index, const M* value);
uint64_t _getDefaultLoopTimeout(void);
int _getDevice(uint32_t index, D** device);
int _getDeviceCount(uint32_t* count);
uint64_t _getMaximumLoopTimeout(void);
int64_t _getRuntimeFeatureLevel(void);
"""  # noqa: E501 - one prototype a line

# Functions that only the structure has; their prefix is SL_ANeuralNetworks.
_OF_SUPPORT_LIBRARIES: Final = """
int Compilation_setCachingFromFds(C* compilation, const int* models, uint32_t modelCount, const int* data, uint32_t dataCount, const uint8_t* token);
int Device_getNumberOfCacheFilesNeeded(const D* device, uint32_t* models, uint32_t* data);
int Device_getPerformanceInfo(const D* device, int32_t code, SL_ANeuralNetworksPerformanceInfo* info);
int Device_forEachOperandPerformanceInfo(const D* device, void* context, void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*));
int Device_getVendorExtensionCount(const D* device, uint32_t* count);
int Device_getVendorExtensionName(const D* device, uint32_t index, const char** name);
int Device_forEachVendorExtensionOperandTypeInformation(const D* device, uint32_t index, void* context, void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*));
int32_t DiagnosticCompilationInfo_getSessionId(const I* info);
int64_t DiagnosticCompilationInfo_getNnApiVersion(const I* info);
const uint8_t* DiagnosticCompilationInfo_getModelArchHash(const I* info);
const char* DiagnosticCompilationInfo_getDeviceIds(const I* info);
int32_t DiagnosticCompilationInfo_getErrorCode(const I* info);
int DiagnosticCompilationInfo_getInputDataClass(const I* info);
int DiagnosticCompilationInfo_getOutputDataClass(const I* info);
uint64_t DiagnosticCompilationInfo_getCompilationTimeNanos(const I* info);
bool DiagnosticCompilationInfo_isCachingEnabled(const I* info);
bool DiagnosticCompilationInfo_isControlFlowUsed(const I* info);
bool DiagnosticCompilationInfo_areDynamicTensorsUsed(const I* info);
int32_t DiagnosticExecutionInfo_getSessionId(const J* info);
int64_t DiagnosticExecutionInfo_getNnApiVersion(const J* info);
const uint8_t* DiagnosticExecutionInfo_getModelArchHash(const J* info);
const char* DiagnosticExecutionInfo_getDeviceIds(const J* info);
int DiagnosticExecutionInfo_getExecutionMode(const J* info);
int DiagnosticExecutionInfo_getInputDataClass(const J* info);
int DiagnosticExecutionInfo_getOutputDataClass(const J* info);
uint32_t DiagnosticExecutionInfo_getErrorCode(const J* info);
uint64_t DiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(const J* info);
uint64_t DiagnosticExecutionInfo_getDriverExecutionTimeNanos(const J* info);
uint64_t DiagnosticExecutionInfo_getHardwareExecutionTimeNanos(const J* info);
bool DiagnosticExecutionInfo_isCachingEnabled(const J* info);
bool DiagnosticExecutionInfo_isControlFlowUsed(const J* info);
bool DiagnosticExecutionInfo_areDynamicTensorsUsed(const J* info);
void Diagnostic_registerCallbacks(void (*compiled)(const void*, const I*), void (*executed)(const void*, const J*), void* context);
"""  # noqa: E501 - one prototype a line

# Functions of both from feature level 8 on; they are the last fields of the structure.
_OF_LEVEL_8: Final = """
int Compilation_addExtensionAttribute(C* compilation, const char* extension, uint16_t code, const void* data, size_t length);
int Execution_addExtensionAttribute(X* execution, const char* extension, uint16_t code, const void* data, size_t length);
"""  # noqa: E501 - one prototype a line

# Functions that only the runtime's library exports.
_OF_THE_RUNTIME: Final = """
int Compilation_create(M* model, C** compilation);
int Execution_startCompute(X* execution, E** event);
"""

_ABBREVIATIONS: Final = {
    "M": "Model",
    "C": "Compilation",
    "X": "Execution",
    "E": "Event",
    "Y": "Memory",
    "Q": "MemoryDesc",
    "B": "Burst",
    "D": "Device",
    "T": "OperandType",
    "P": "SymmPerChannelQuantParams",
    "I": "DiagnosticCompilationInfo",
    "J": "DiagnosticExecutionInfo",
}
"""Types by the letters that stand for them in the prototypes above."""
NEEDED: Final = (
    *("Model_create", "Model_free", "Model_addOperand", "Model_setOperandValue", "Model_addOperation"),
    *("Model_identifyInputsAndOutputs", "Model_finish", "Compilation_finish", "Compilation_free"),
    *("Execution_create", "Execution_free", "Execution_setInput", "Execution_setOutput"),
)
"""Functions of level 1, as in :func:`names`, that a library needs to run any model at all."""
_DIAGNOSTIC: Final = "Diagnostic"
"""Beginning of the names of functions on diagnostics, which nnvet neither calls nor implements."""
_FUNCTION: Final = re.compile(r"(?<=[ *])(\w+)(?=\()")
"""The name of the function in a prototype."""
ENTRY_OF_SUPPORT_LIBRARIES: Final = "ANeuralNetworks_getSLDriverImpl"
"""The one function that a support library exports; it returns the structure (docs/contract/c-api.md 2)."""


def objects() -> str:
    """Return the declarations of all types."""
    opaque = (f"typedef struct ANeuralNetworks{name} ANeuralNetworks{name};" for name in OBJECTS)
    return "\n".join(opaque) + STRUCTURES


def functions() -> str:
    """Return the prototypes of all functions that a runtime's library exports."""
    return "\n".join(_spelt_out(_SHARED) + _spelt_out(_OF_LEVEL_8) + _spelt_out(_OF_THE_RUNTIME))


def structure() -> str:
    """Return the structure that support libraries return; its last fields exist from level 8 on."""
    prototypes = [*_spelt_out(_SHARED), *_spelt_out(_OF_SUPPORT_LIBRARIES, "SL_"), *_spelt_out(_OF_LEVEL_8)]
    fields = "\n".join("    " + _FUNCTION.sub(r"(*\1)", prototype, count=1) for prototype in prototypes)
    return (
        f"typedef struct NnApiSLDriverImpl {{\n    int64_t implFeatureLevel;\n{fields}\n}} NnApiSLDriverImpl;\n"
        f"NnApiSLDriverImpl* {ENTRY_OF_SUPPORT_LIBRARIES}(void);"
    )


@cache
def names() -> Mapping[str, str]:
    """Return the full names of all functions, by their names without the prefix ``ANeuralNetworks``."""
    plain = _SHARED + _OF_LEVEL_8 + _OF_THE_RUNTIME
    return {name: f"ANeuralNetworks{name}" for name in _FUNCTION.findall(plain)} | {
        name: f"SL_ANeuralNetworks{name}" for name in _FUNCTION.findall(_OF_SUPPORT_LIBRARIES)
    }


def functions_of_support_libraries() -> str:
    """Return the prototypes of the functions that only the structure has, without those on diagnostics."""
    lines = _spelt_out(_OF_SUPPORT_LIBRARIES, "SL_")
    return "\n".join(line for line in lines if _DIAGNOSTIC not in line)


def structure_fields() -> tuple[str, ...]:
    """Return the full names of the functions in the structure, without those on diagnostics."""
    return tuple(names()[name] for name in fields_to_fill())


def fields_to_fill() -> tuple[str, ...]:
    """Return the functions, as in :func:`names`, whose pointers a support library must set (c-api.md 2.1)."""
    fields = _FUNCTION.findall(_SHARED + _OF_SUPPORT_LIBRARIES + _OF_LEVEL_8)
    return tuple(name for name in fields if not name.startswith(_DIAGNOSTIC))


def shared_functions() -> tuple[str, ...]:
    """Return the full names of functions that the runtime exports and the structure has, in the structure's order."""
    return tuple(names()[name] for name in _FUNCTION.findall(_SHARED + _OF_LEVEL_8))


def fields_of_level_8() -> frozenset[str]:
    """Return the functions, as in :func:`names`, that are missing at the end of structures of lower levels."""
    return frozenset(_FUNCTION.findall(_OF_LEVEL_8))


def _spelt_out(prototypes: str, prefix: str = "") -> list[str]:
    """Return prototypes with full names of functions and types, one for each line."""

    def spell(match: re.Match[str]) -> str:
        return f"ANeuralNetworks{_ABBREVIATIONS[match[1]]}{match[2]}"

    lines = (line for line in prototypes.splitlines() if line)
    return [
        re.sub(r"\b([A-Z])(\b)", spell, _FUNCTION.sub(rf"{prefix}ANeuralNetworks\1", line, count=1)) for line in lines
    ]


class ResultCode(IntEnum):
    """Result codes of the C API's functions."""

    NO_ERROR = 0
    OUT_OF_MEMORY = 1
    INCOMPLETE = 2
    UNEXPECTED_NULL = 3
    BAD_DATA = 4
    OP_FAILED = 5
    BAD_STATE = 6
    UNMAPPABLE = 7
    OUTPUT_INSUFFICIENT_SIZE = 8
    UNAVAILABLE_DEVICE = 9
    MISSED_DEADLINE_TRANSIENT = 10
    MISSED_DEADLINE_PERSISTENT = 11
    RESOURCE_EXHAUSTED_TRANSIENT = 12
    RESOURCE_EXHAUSTED_PERSISTENT = 13
    DEAD_OBJECT = 14


class DurationCode(IntEnum):
    """Kinds of durations of ``ANeuralNetworksExecution_getDuration``; fenced ones begin at the last signal."""

    ON_HARDWARE = 0
    IN_DRIVER = 1
    FENCED_ON_HARDWARE = 2
    FENCED_IN_DRIVER = 3


class PerformanceCode(IntEnum):
    """Cases of ``SL_ANeuralNetworksDevice_getPerformanceInfo``."""

    RELAXED_SCALAR = 0
    RELAXED_TENSOR = 1
    IF = 2
    WHILE = 3


STATUSES: Final = {
    ResultCode.UNEXPECTED_NULL: ErrorStatus.INVALID_ARGUMENT,
    ResultCode.BAD_DATA: ErrorStatus.INVALID_ARGUMENT,
    ResultCode.OUTPUT_INSUFFICIENT_SIZE: ErrorStatus.OUTPUT_INSUFFICIENT_SIZE,
    ResultCode.UNAVAILABLE_DEVICE: ErrorStatus.DEVICE_UNAVAILABLE,
    ResultCode.MISSED_DEADLINE_TRANSIENT: ErrorStatus.MISSED_DEADLINE_TRANSIENT,
    ResultCode.MISSED_DEADLINE_PERSISTENT: ErrorStatus.MISSED_DEADLINE_PERSISTENT,
    ResultCode.RESOURCE_EXHAUSTED_TRANSIENT: ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT,
    ResultCode.RESOURCE_EXHAUSTED_PERSISTENT: ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
}
"""The HAL's status for each result code; all others mean GENERAL_FAILURE (docs/contract/sample-driver.md 4)."""

RESULTS: Final = {
    ErrorStatus.NONE: ResultCode.NO_ERROR,
    ErrorStatus.DEVICE_UNAVAILABLE: ResultCode.UNAVAILABLE_DEVICE,
    ErrorStatus.GENERAL_FAILURE: ResultCode.OP_FAILED,
    ErrorStatus.OUTPUT_INSUFFICIENT_SIZE: ResultCode.OUTPUT_INSUFFICIENT_SIZE,
    ErrorStatus.INVALID_ARGUMENT: ResultCode.BAD_DATA,
    ErrorStatus.MISSED_DEADLINE_TRANSIENT: ResultCode.MISSED_DEADLINE_TRANSIENT,
    ErrorStatus.MISSED_DEADLINE_PERSISTENT: ResultCode.MISSED_DEADLINE_PERSISTENT,
    ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT: ResultCode.RESOURCE_EXHAUSTED_TRANSIENT,
    ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT: ResultCode.RESOURCE_EXHAUSTED_PERSISTENT,
    ErrorStatus.DEAD_OBJECT: ResultCode.DEAD_OBJECT,
}
"""The result code for each status of the HAL (docs/contract/sample-driver.md 4)."""

PRIORITIES: Final = {Priority.LOW: 90, Priority.MEDIUM: 100, Priority.HIGH: 110}
"""The C API's number for each priority of the HAL."""

LEVELS: Final = {
    **{26 + level: level for level in FeatureLevel if level <= FeatureLevel.FL5},
    **{1_000_000 + level: level for level in FeatureLevel if level > FeatureLevel.FL5},
}
"""The HAL's feature level for each level of the C API: 27 to 31 are Android's API levels."""

MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES: Final = 128
"""Largest constant, in bytes, that ``setOperandValue`` copies; the client has to keep longer ones until the end."""

NO_DURATION: Final = 2**64 - 1
"""Duration that stands for one that was not measured."""


def result_name(code: int) -> str:
    """Return the C API's name of a result, or its number if it has no name."""
    return ResultCode(code).name if code in ResultCode.__members__.values() else f"result {code}"


def error_of(code: int, function: str) -> HalError:
    """Return the HAL's error for the result of a function."""
    status = STATUSES.get(code, ErrorStatus.GENERAL_FAILURE)  # type: ignore[call-overload]
    rule = "" if code in ResultCode.__members__.values() else "driver/reply"
    return HalError(status, f"{function} returns {result_name(code)}", rule)


def feature_level(number: int) -> FeatureLevel:
    """Return the HAL's level for a level of the C API; for an unknown newer one, the highest.

    :raises HalError: GENERAL_FAILURE for a number that is no level.
    """
    if number >= max(LEVELS):
        return FeatureLevel.FL8
    if number not in LEVELS:
        raise HalError(ErrorStatus.GENERAL_FAILURE, f"{number} is no feature level of the C API", "driver/reply")
    return LEVELS[number]
