"""MemoryDomainCopyTest: copies to and from device memory.

Cases named DynamicShape have device memory whose batch is not known when it is allocated.

Source: docs/contract/vts-tests.md 6.3; docs/contract/cts-tests.md 2.7 and 4.4.
"""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.arguments import pool_makers
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import MemoryType
from nnvet.conformance.engine.device_memory import read, write
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.memory.device_copies import FAILED, Copies, closing, must_fail
from nnvet.conformance.suites.memory.domain import (
    LEVEL,
    OTHER_BATCH,
    ROLE,
    SHAPE,
    UNKNOWN_BATCH,
    by_type,
    convolution,
    data,
    device_memory,
    sum_of_two,
)
from nnvet.conformance.suites.memory.invalid import INVALID_MEMORIES, InvalidMemory
from nnvet.hal.types import BufferRole, OperandType

_SUITE: Final = "MemoryDomainCopyTest"
_SHARED: Final = {memory_type.value: memory_type for memory_type in MemoryType if memory_type is not MemoryType.DEVICE}
_UNREADABLE: Final = {name: memory for name, memory in INVALID_MEMORIES.items() if not memory.readable}
_FLOAT32: Final = OperandType.TENSOR_FLOAT32


def _copies(subject: Subject, operand_type: OperandType, dimensions: tuple[int, ...] = SHAPE) -> Copies:
    """Device memory for an input and an output."""
    prepared = convolution(subject, operand_type, dimensions=dimensions)
    buffer, _ = device_memory(subject, (prepared,), ROLE, ROLE)
    return Copies(buffer, data(operand_type))


@check(_SUITE, "CopyFrom_InvalidMemorySize", rules=("buffer/copy.size",), level=LEVEL, parameters=by_type)
def copy_from_invalid_memory_size(subject: Subject, operand_type: OperandType) -> None:
    """Memory of half and of double the size is refused."""
    copies = _copies(subject, operand_type)
    for size in (copies.size // 2, copies.size * 2):
        copies.refuses_from("buffer/copy.size", size)
    copies.fill()
    copies.check()


@check(_SUITE, "CopyFrom_InvalidMemorySize_DynamicShape", rules=("buffer/copy.size",), level=LEVEL, parameters=by_type)
def copy_from_invalid_memory_size_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """Memory has to be of the size that follows from the dimensions given."""
    copies = _copies(subject, operand_type, UNKNOWN_BATCH)
    for size in (copies.size // 2, copies.size * 2):
        copies.refuses_from("buffer/copy.size", size, SHAPE)
    copies.fill(SHAPE)
    copies.check()
    copies.refuses_from("buffer/copy.size", copies.size, OTHER_BATCH)


@check(_SUITE, "CopyFrom_InvalidDimensions", rules=("buffer/copy.dimensions",), level=LEVEL, parameters=by_type)
def copy_from_invalid_dimensions(subject: Subject, operand_type: OperandType) -> None:
    """Dimensions have to be known, and those of the allocation; without any they are those of the allocation."""
    copies = _copies(subject, operand_type)
    for dimensions in (SHAPE[1:], OTHER_BATCH, UNKNOWN_BATCH, (-1, *SHAPE[1:])):
        copies.refuses_from("buffer/copy.dimensions", copies.size, dimensions)
    copies.fill(())
    copies.check()
    copies.fill(SHAPE)
    copies.check()


@check(
    _SUITE,
    "CopyFrom_InvalidDimensions_DynamicShape",
    rules=("buffer/copy.dimensions",),
    level=LEVEL,
    parameters=by_type,
)
def copy_from_invalid_dimensions_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """Dimensions have to be known and agree with the allocation as far as that is known."""
    copies = _copies(subject, operand_type, UNKNOWN_BATCH)
    for dimensions in (SHAPE[1:], (2, *SHAPE[1:3], SHAPE[3] // 2), (*SHAPE[:3], 0), ()):
        copies.refuses_from("buffer/copy.dimensions", copies.size, dimensions)
    copies.fill(SHAPE)
    copies.check()


@check(
    _SUITE,
    "CopyFrom_InvalidDimensions_Scalar",
    rules=("buffer/copy.dimensions",),
    level=LEVEL,
    parameters=lambda: {"INT32": None},
)
def copy_from_invalid_dimensions_scalar(subject: Subject, _: None) -> None:
    """A scalar is copied without dimensions; not in VTS."""
    buffer, _token = device_memory(subject, (sum_of_two(subject, _FLOAT32),), (BufferRole(0, 2),))
    copies = Copies(buffer, b"\1\0\0\0")
    copies.refuses_from("buffer/copy.dimensions", copies.size, (1,))
    copies.fill()
    copies.check()


@check(_SUITE, "CopyTo_UninitializedMemory", rules=("buffer/uninitialised",), level=LEVEL, parameters=by_type)
def copy_to_uninitialized_memory(subject: Subject, operand_type: OperandType) -> None:
    """Nothing can be copied from fresh device memory."""
    copies = _copies(subject, operand_type)
    copies.refuses_to("buffer/uninitialised", copies.size, FAILED)
    copies.fill()
    copies.check()


@check(_SUITE, "CopyTo_InvalidMemorySize", rules=("buffer/copy.size",), level=LEVEL, parameters=by_type)
def copy_to_invalid_memory_size(subject: Subject, operand_type: OperandType) -> None:
    """Memory of half and of double the size is refused, and the content is still there."""
    _copy_to(_copies(subject, operand_type))


@check(_SUITE, "CopyTo_InvalidMemorySize_DynamicShape", rules=("buffer/copy.size",), level=LEVEL, parameters=by_type)
def copy_to_invalid_memory_size_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """The size is that of the content."""
    _copy_to(_copies(subject, operand_type, UNKNOWN_BATCH))


def _copy_to(copies: Copies) -> None:
    copies.fill(SHAPE)
    for size in (copies.size // 2, copies.size * 2):
        copies.refuses_to("buffer/copy.size", size)
    copies.check()


@check(_SUITE, "CopyFrom_FailureUninitializes", rules=("buffer/failed",), level=LEVEL, parameters=by_type)
def copy_from_failure_uninitializes(subject: Subject, operand_type: OperandType) -> None:
    """After a copy that fails there is no content, whatever there was; CTS has it, VTS has not."""
    copies = _copies(subject, operand_type)
    for size, dimensions in ((copies.size // 2, ()), (copies.size, OTHER_BATCH)):
        copies.fill()
        copies.refuses_from("buffer/failed", size, dimensions)
        copies.refuses_to("buffer/failed", copies.size, FAILED)
    copies.fill()
    copies.check()


@check(_SUITE, "Content", rules=("buffer/content",), level=LEVEL, parameters=lambda: _SHARED)
def content(subject: Subject, memory_type: MemoryType) -> None:
    """Content that is copied in from shared memory of each type comes out again, as often as wanted; not in VTS."""
    make_source, make_destination = pool_makers(memory_type, read_only_inputs=True)
    buffers = {data(_FLOAT32, seed): _copies(subject, _FLOAT32).buffer for seed in (1, 2)}
    for expected, buffer in buffers.items():
        write(buffer, expected, make=make_source)
    for expected, buffer in (*buffers.items(), *buffers.items()):
        if read(buffer, len(expected), make_destination) != expected:
            raise fail("buffer/content", f"copyTo {memory_type.value} does not yield what was copied before")


@check(
    _SUITE,
    "CopyFrom_InvalidMemory",
    rules=(
        "buffer/failed",
        "buffer/memory",
    ),
    level=LEVEL,
    parameters=lambda: _UNREADABLE,
)
def copy_from_invalid_memory(subject: Subject, wrong: InvalidMemory) -> None:
    """Memory that cannot be read is refused, and leaves no content; not in VTS."""
    copies = _copies(subject, _FLOAT32)
    copies.fill()
    with closing(wrong.make(copies.size)) as memory:
        must_fail(lambda: copies.buffer.copy_from(memory, ()), "buffer/memory", "copyFrom", wrong.statuses)
    copies.refuses_to("buffer/failed", copies.size, FAILED)


@check(_SUITE, "CopyTo_InvalidMemory", rules=("buffer/memory",), level=LEVEL, parameters=lambda: INVALID_MEMORIES)
def copy_to_invalid_memory(subject: Subject, wrong: InvalidMemory) -> None:
    """Memory that cannot be written is refused, and the content stays; not in VTS."""
    copies = _copies(subject, _FLOAT32)
    copies.fill()
    with closing(wrong.make(copies.size)) as memory:
        must_fail(lambda: copies.buffer.copy_to(memory), "buffer/memory", "copyTo", wrong.statuses)
    copies.check()
