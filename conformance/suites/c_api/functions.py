"""Functions of the C API by the feature level that brings them, less those of extensions, which not all libraries have.

Source: docs/contract/c-api.md 1.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_INTRODUCED: Final = {
    1: """Memory_createFromFd Memory_free Model_create Model_free Model_finish Model_addOperand Model_setOperandValue
        Model_setOperandValueFromMemory Model_addOperation Model_identifyInputsAndOutputs Compilation_create
        Compilation_free Compilation_setPreference Compilation_finish Execution_create Execution_free Execution_setInput
        Execution_setInputFromMemory Execution_setOutput Execution_setOutputFromMemory Execution_startCompute Event_wait
        Event_free""",
    2: "Model_relaxComputationFloat32toFloat16",
    3: """_getDeviceCount _getDevice Device_getName Device_getType Device_getVersion Device_getFeatureLevel
        Memory_createFromAHardwareBuffer Model_setOperandSymmPerChannelQuantParams
        Model_getSupportedOperationsForDevices Compilation_createForDevices Compilation_setCaching Burst_create
        Burst_free Execution_burstCompute Execution_compute Execution_getDuration Execution_setMeasureTiming
        Execution_getOutputOperandDimensions Execution_getOutputOperandRank""",
    4: """_getDefaultLoopTimeout _getMaximumLoopTimeout Device_wait Memory_createFromDesc Memory_copy MemoryDesc_create
        MemoryDesc_free MemoryDesc_addInputRole MemoryDesc_addOutputRole MemoryDesc_setDimensions MemoryDesc_finish
        Model_setOperandValueFromModel Compilation_setPriority Compilation_setTimeout
        Execution_startComputeWithDependencies Execution_setTimeout Execution_setLoopTimeout
        Event_createFromSyncFenceFd Event_getSyncFenceFd""",
    5: """_getRuntimeFeatureLevel Compilation_getPreferredMemoryAlignmentForInput
        Compilation_getPreferredMemoryAlignmentForOutput Compilation_getPreferredMemoryPaddingForInput
        Compilation_getPreferredMemoryPaddingForOutput Execution_enableInputAndOutputPadding Execution_setReusable""",
}


def introduced() -> Mapping[str, tuple[int, tuple[str, ...]]]:
    """Level and functions by the name of the level."""
    return {f"level_{level}": (level, tuple(names.split())) for level, names in _INTRODUCED.items()}
