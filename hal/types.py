"""The structures of the Neural Networks HAL: each in a single form that serves every level.

Field names are the HAL's in snake case. Structures are frozen, so they can be shared, hashed and compared;
change a copy with ``msgspec.structs.replace``. Everybody who implements, calls or tests a driver uses them;
:mod:`nnvet.hal.interfaces` has the methods. What a level allows is decided in :mod:`nnvet.hal.levels`.
"""

import mmap
import os
from contextlib import suppress
from ctypes import c_float
from typing import Any

import msgspec

from nnvet.hal.enums import (
    BASE_MAX,
    BYTE_SIZE_OF_CACHE_TOKEN,
    DEFAULT_LOOP_TIMEOUT_DURATION_NS,
    EXTENSION_TYPE_LOW_BITS_TYPE,
    MAX_NUMBER_OF_CACHE_FILES,
    MAXIMUM_LOOP_TIMEOUT_DURATION_NS,
    NO_DEADLINE,
    NO_TIMING,
    DeviceStatus,
    DeviceType,
    ErrorStatus,
    ExecutionPreference,
    FeatureLevel,
    FenceState,
    FusedActivationFunc,
    OperandLifeTime,
    OperandType,
    OperationType,
    Priority,
)

__all__ = [
    "BASE_MAX",
    "BYTE_SIZE_OF_CACHE_TOKEN",
    "DEFAULT_LOOP_TIMEOUT_DURATION_NS",
    "EXTENSION_TYPE_LOW_BITS_TYPE",
    "HARDWARE_BUFFER_BLOB",
    "MAXIMUM_LOOP_TIMEOUT_DURATION_NS",
    "MAX_NUMBER_OF_CACHE_FILES",
    "NO_DEADLINE",
    "NO_TIMING",
    "Ashmem",
    "BufferDesc",
    "BufferRole",
    "BufferToken",
    "Capabilities",
    "DataLocation",
    "DeviceStatus",
    "DeviceType",
    "ErrorStatus",
    "ExecutionConfig",
    "ExecutionPreference",
    "ExecutionResult",
    "Extension",
    "ExtensionNameAndPrefix",
    "ExtensionOperandTypeInformation",
    "ExtensionParams",
    "FeatureLevel",
    "FenceState",
    "FusedActivationFunc",
    "Handle",
    "HardwareBuffer",
    "MappableFile",
    "Memory",
    "Model",
    "NumberOfCacheFiles",
    "Operand",
    "OperandLifeTime",
    "OperandPerformance",
    "OperandType",
    "Operation",
    "OperationType",
    "OutputShape",
    "OwnedHandle",
    "PerformanceInfo",
    "PrepareModelConfig",
    "Priority",
    "Request",
    "RequestArgument",
    "Subgraph",
    "SymmPerChannelQuantParams",
    "Timing",
    "TokenValuePair",
]

HARDWARE_BUFFER_BLOB = 0x21
"""AHARDWAREBUFFER_FORMAT_BLOB, the format of plain memory whose width is its size in bytes."""


class Handle:
    """A file descriptor as a distinct type, so that the transport can find and pass it."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        """Wrap ``fd``; ownership stays with the code that opened it."""
        self.fd = fd

    def __eq__(self, other: object) -> bool:
        """Handles are equal when they hold the same descriptor."""
        return isinstance(other, Handle) and other.fd == self.fd

    def __hash__(self) -> int:
        """Return the descriptor's hash, which changes when the handle is closed."""
        return hash(self.fd)

    def __repr__(self) -> str:
        """Return ``Handle(7)``, with the number of the descriptor, or -1 if it is closed."""
        return f"Handle({self.fd})"

    def close(self) -> None:
        """Close the descriptor once. Later calls do nothing, so they cannot close a reused number by mistake."""
        fd, self.fd = self.fd, -1
        with suppress(OSError):
            os.close(fd)


class OwnedHandle(Handle):
    """A handle that closes its descriptor when it is dropped; new memory and received descriptors have these."""

    __slots__ = ()

    def __del__(self) -> None:
        """Close the descriptor if it is still open."""
        self.close()


class Ashmem(msgspec.Struct, frozen=True, tag="ashmem"):
    """Anonymous shared memory of ``size`` bytes."""

    handle: Handle
    size: int


class MappableFile(msgspec.Struct, frozen=True, tag="mmap_fd"):
    """Part of a file: ``length`` bytes from ``offset`` on, to be mapped with ``prot``."""

    handle: Handle
    length: int
    prot: int = mmap.PROT_READ | mmap.PROT_WRITE
    offset: int = 0


class HardwareBuffer(msgspec.Struct, frozen=True, tag="hardware_buffer"):
    """A hardware buffer; with format BLOB it is plain memory of ``width`` bytes, else opaque."""

    handle: Handle
    width: int
    height: int = 1
    layers: int = 1
    format: int = HARDWARE_BUFFER_BLOB
    usage: int = 0
    stride: int = 0


Memory = Ashmem | MappableFile | HardwareBuffer
"""Shared memory in any of its forms; a pool of a model or request."""


def _round(structure: Any, field: str) -> None:
    """Round a field to the 32-bit float that the HAL has, so that all readers see the same number."""
    number = getattr(structure, field)
    if number and (rounded := c_float(number).value) != number:
        msgspec.structs.force_setattr(structure, field, rounded)


class DataLocation(msgspec.Struct, frozen=True):
    """A region of a pool, in bytes; ``padding`` (FL5) follows the data and is for requests only."""

    pool_index: int = 0
    offset: int = 0
    length: int = 0
    padding: int = 0


class SymmPerChannelQuantParams(msgspec.Struct, frozen=True, tag="channel_quant"):
    """One scale for each index along ``channel_dim`` of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand."""

    scales: tuple[float, ...]
    channel_dim: int

    def __post_init__(self) -> None:
        """Round the scales to 32-bit floats."""
        rounded = tuple([c_float(scale).value for scale in self.scales])
        if rounded != self.scales:
            msgspec.structs.force_setattr(self, "scales", rounded)


class ExtensionParams(msgspec.Struct, frozen=True, tag="extension"):
    """Opaque parameters of an operand whose type belongs to an extension."""

    data: bytes


class Operand(msgspec.Struct, frozen=True):
    """A value of a model. ``type`` is an OperandType or an extension's code; dimension 0 means unknown.

    ``scale`` is a 32-bit float: any other number is rounded to one, so that driver, oracle and suite see the same
    scale.
    """

    type: int
    dimensions: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    lifetime: int = OperandLifeTime.TEMPORARY_VARIABLE
    location: DataLocation = DataLocation()
    extra_params: SymmPerChannelQuantParams | ExtensionParams | None = None
    number_of_consumers: int | None = None
    """HIDL only; None if the level lacks the field, or nothing has been counted."""

    def __post_init__(self) -> None:
        """Round the scale to a 32-bit float."""
        if self.scale:
            _round(self, "scale")

    @property
    def extension_data(self) -> bytes:
        """The parameters of an operand whose type belongs to an extension; otherwise empty."""
        return self.extra_params.data if isinstance(self.extra_params, ExtensionParams) else b""


class Operation(msgspec.Struct, frozen=True):
    """One step of a subgraph; ``inputs`` and ``outputs`` are operand indexes."""

    type: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class Subgraph(msgspec.Struct, frozen=True):
    """Operands and operations in execution order."""

    operands: tuple[Operand, ...]
    operations: tuple[Operation, ...]
    input_indexes: tuple[int, ...]
    output_indexes: tuple[int, ...]


class ExtensionNameAndPrefix(msgspec.Struct, frozen=True):
    """The meaning of the high bits of extension codes, within one model or configuration: an extension."""

    name: str
    prefix: int


class Model(msgspec.Struct, frozen=True, weakref=True):
    """A model of any level; 1.0 to 1.2 have no ``referenced`` subgraphs."""

    main: Subgraph
    referenced: tuple[Subgraph, ...] = ()
    operand_values: bytes = b""
    pools: tuple[Memory, ...] = ()
    relax_computation_float32_to_float16: bool = False
    extension_name_to_prefix: tuple[ExtensionNameAndPrefix, ...] = ()


class RequestArgument(msgspec.Struct, frozen=True):
    """Position of one input or output of an execution; empty ``dimensions`` mean those of the model."""

    has_no_value: bool = False
    location: DataLocation = DataLocation()
    dimensions: tuple[int, ...] = ()


class BufferToken(msgspec.Struct, frozen=True, tag="token"):
    """Device memory from ``Device.allocate`` used as a pool of a request (FL4)."""

    token: int


class Request(msgspec.Struct, frozen=True, weakref=True):
    """Arguments of one execution, in the order of the main subgraph's inputs and outputs."""

    inputs: tuple[RequestArgument, ...]
    outputs: tuple[RequestArgument, ...]
    pools: tuple[Ashmem | MappableFile | HardwareBuffer | BufferToken, ...] = ()


class OutputShape(msgspec.Struct, frozen=True):
    """Shape of one output as far as known, and whether its buffer was large enough."""

    dimensions: tuple[int, ...]
    is_sufficient: bool = True


class Timing(msgspec.Struct, frozen=True):
    """Measured durations in nanoseconds; NO_TIMING where not measured."""

    time_on_device_ns: int = NO_TIMING
    time_in_driver_ns: int = NO_TIMING


class ExecutionResult(msgspec.Struct, frozen=True):
    """Answer of a finished execution; too small an output is reported here, every other failure by HalError."""

    output_sufficient_size: bool = True
    output_shapes: tuple[OutputShape, ...] = ()
    timing: Timing = Timing()


class PerformanceInfo(msgspec.Struct, frozen=True):
    """Execution time and power usage as ratios to those of the reference CPU; lower is better, both are above 0."""

    exec_time: float = 1.0
    power_usage: float = 1.0


class OperandPerformance(msgspec.Struct, frozen=True):
    """Performance of operations whose first operand has this type."""

    type: OperandType
    info: PerformanceInfo


class Capabilities(msgspec.Struct, frozen=True):
    """A device's statement of its speed; ``operand_performance`` ascends strictly by type."""

    relaxed_float32_to_float16_performance_scalar: PerformanceInfo = PerformanceInfo()
    relaxed_float32_to_float16_performance_tensor: PerformanceInfo = PerformanceInfo()
    operand_performance: tuple[OperandPerformance, ...] = ()
    if_performance: PerformanceInfo = PerformanceInfo()
    while_performance: PerformanceInfo = PerformanceInfo()


class ExtensionOperandTypeInformation(msgspec.Struct, frozen=True):
    """An operand type of an extension; ``type`` is the low half of the code, ``byte_size`` an element's."""

    type: int
    is_tensor: bool
    byte_size: int


class Extension(msgspec.Struct, frozen=True):
    """An extension that the device supports fully; its operations are not listed, by contract."""

    name: str
    operand_types: tuple[ExtensionOperandTypeInformation, ...] = ()


class NumberOfCacheFiles(msgspec.Struct, frozen=True):
    """Files that compilation caching needs; 0 and 0 mean that caching is not supported."""

    num_model_cache: int = 0
    num_data_cache: int = 0


class TokenValuePair(msgspec.Struct, frozen=True):
    """A hint (FL8); the token's high bits name an extension."""

    token: int
    value: bytes


class PrepareModelConfig(msgspec.Struct, frozen=True):
    """Options of a compilation (FL8 form; earlier levels pass the same values as arguments). Times in boot-clock ns."""

    preference: int = ExecutionPreference.FAST_SINGLE_ANSWER
    priority: int = Priority.MEDIUM
    deadline_ns: int = NO_DEADLINE
    model_cache: tuple[MappableFile, ...] = ()
    data_cache: tuple[MappableFile, ...] = ()
    cache_token: bytes = bytes(BYTE_SIZE_OF_CACHE_TOKEN)
    compilation_hints: tuple[TokenValuePair, ...] = ()
    extension_name_to_prefix: tuple[ExtensionNameAndPrefix, ...] = ()


class ExecutionConfig(msgspec.Struct, frozen=True):
    """Options of an execution (FL8 form); the loop timeout is NO_DEADLINE for the default of two seconds."""

    measure_timing: bool = False
    loop_timeout_duration_ns: int = NO_DEADLINE
    execution_hints: tuple[TokenValuePair, ...] = ()
    extension_name_to_prefix: tuple[ExtensionNameAndPrefix, ...] = ()


class BufferDesc(msgspec.Struct, frozen=True):
    """Shape wanted of device memory; 0 or empty where the roles decide."""

    dimensions: tuple[int, ...] = ()


class BufferRole(msgspec.Struct, frozen=True):
    """A use of device memory: input or output ``io_index`` of the ``model_index``-th prepared model."""

    model_index: int
    io_index: int
    probability: float = 1.0

    def __post_init__(self) -> None:
        """Round the probability to a 32-bit float."""
        _round(self, "probability")
