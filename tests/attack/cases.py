"""The cases during which the wire is attacked; together they use every call and notification of the protocol."""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.kit.checks import Case

AFTERWARDS: Final = "GeneratedTest/sync/add_float_vectors"
"""Case that has to pass after each attack."""
_IDS: Final = (
    AFTERWARDS,
    "GeneratedTest/async/add_float_vectors",
    "GeneratedTest/burst/add_float_vectors",
    "GeneratedTest/fenced/add_float_vectors",
    "GeneratedTest/reusable/add_float_vectors",
    "GeneratedTest/sync_measured/add_float_vectors",
    "GeneratedTest/async_measured/add_float_vectors",
    "GeneratedTest/burst_measured/add_float_vectors",
    "GeneratedTest/fenced_measured/add_float_vectors",
    "DynamicOutputShapeTest/async_insufficient/add_float_vectors",
    "DynamicOutputShapeTest/burst_unspecified/add_float_vectors",
    "GeneratedValidationTest/sync/add_invalid_shapes",
    "MemoryDomainTest/sync_device/add_float_vectors",
    "MemoryDomainTest/burst_device/add_float_vectors",
    "MemoryDomainAllocateTest/UniqueTokens/TENSOR_FLOAT32",
    "MemoryDomainAllocateTest/InvalidIOIndex/TENSOR_FLOAT32",
    "MemoryDomainCopyTest/CopyFrom_InvalidMemorySize/TENSOR_FLOAT32",
    "MemoryDomainCopyTest/CopyTo_UninitializedMemory/TENSOR_FLOAT32",
    "CompilationCachingTest/CacheSavingAndRetrieval/TENSOR_FLOAT32",
    "CompilationCachingSecurityTest/WrongToken/TENSOR_FLOAT32_0",
    "BasicTest/GetCapabilitiesTest",
    "BasicTest/GetDeviceNameTest",
    "BasicTest/GetDeviceSupportedExtensionsTest",
    "BasicTest/getNumberOfCacheFilesNeeded",
    "AnswerTest/SupportedOperations",
    "AnswerTest/PreparationNotifiedOnce",
    "AnswerTest/ExecutionNotifiedOnce",
    "FenceTest/Chain",
    "FenceTest/Info/plain",
    "IsolationTest/Object/burst",
    "ValidateBurst/Slots",
    "ExtensionTest/UnknownExtension/operation",
)


def mixed_cases() -> list[Case]:
    """Them all, in the order of their ids."""
    found = {case.id: case for case in Catalogue().cases(Selection(_IDS))}
    return [found[case] for case in sorted(_IDS)]
