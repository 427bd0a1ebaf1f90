"""Suites ``MemoryTest`` and ``MemoryLeakTest``: constants and arguments anywhere in memory of every type.

All checks run the sum of :data:`_TEST`, whose constants are moved to other offsets and other memory. Pools of requests
are in :mod:`nnvet.conformance.suites.memory.types`. Source: docs/contract/cts-tests.md 2.2.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.calls import session_of
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import EXECUTORS, Executor, TestConfig, basic_config, execute, require
from nnvet.conformance.kit.handmade import check_exactly, check_execution
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import create_pool, operand_data
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import close, mapped

SUITE: Final = "MemoryTest"
LEAK_SUITE: Final = "MemoryLeakTest"
_RULES: Final = ("execution/output.value",)
"""Rule that a driver breaks which looks for a constant in the wrong place."""

_FLOAT: Final = hal.OperandType.TENSOR_FLOAT32
_SHAPE: Final = (3, 4)
"""Dimensions of all matrices."""
_BYTES: Final = 48
"""Size of a matrix of :data:`_SHAPE` in floats."""
_FILLER: Final = b"\xa5"
"""Content around the values; as a float it is a small negative number."""
_OFFSETS: Final = {"multiples_of_4": (20, 200), "odd": (21, 203)}
"""Offsets of constants. The contract demands no alignment; those of CTS are multiples of 4, but not of 64."""
_GAP: Final = 30
"""Bytes between the constants, as in CTS."""
_END: Final = 60
"""Bytes after the last constant, as in CTS."""

MakeMemory = Callable[[bytes], AbstractContextManager[hal.Memory]]
"""Function that opens memory with the given content."""


def _build_sum_with_constants() -> TestModel:
    """Return A + first + second, where both constants are in a pool."""
    graph = GraphBuilder()
    a = np.arange(12, dtype=np.float32).reshape(_SHAPE)
    first, second = 100 * a + 1, -3 * a
    total = graph.input(_FLOAT, _SHAPE, a)
    none = graph.scalar(hal.OperandType.INT32, 0)
    constants = [graph.shared(_FLOAT, _SHAPE, value) for value in (first, second)]
    partial = graph.operation(hal.OperationType.ADD, (total, constants[0], none), graph.temporary(_FLOAT, _SHAPE))
    graph.operation(
        hal.OperationType.ADD, (partial, constants[1], none), graph.output(_FLOAT, _SHAPE, a + first + second)
    )
    return graph.finish("sum_with_constants")


_TEST: Final = _build_sum_with_constants()
"""The sum of an input and two constants, which all checks run."""


@contextmanager
def _open_file(content: bytes) -> Iterator[hal.Memory]:
    """Open a file on disk that can only be read."""
    with tempfile.NamedTemporaryFile(prefix="nnvet-constants-") as written:
        written.write(content)
        written.flush()
        with Path(written.name).open("rb") as opened:
            yield hal.MappableFile(hal.Handle(opened.fileno()), len(content), mmap.PROT_READ)


@contextmanager
def _open_hardware_buffer(content: bytes) -> Iterator[hal.Memory]:
    """Open a BLOB hardware buffer with the content."""
    with _open_ashmem(content) as pool:
        yield hal.HardwareBuffer(pool.handle, len(content))


@contextmanager
def _open_ashmem(content: bytes) -> Iterator[hal.Ashmem]:
    """Open shared memory with the content."""
    pool = create_pool(len(content), ((0, content),))
    try:
        yield pool
    finally:
        close(pool)


@check(SUITE, "TestFd", rules=_RULES, parameters=lambda: _OFFSETS)
def constants_in_file(subject: Subject, offsets: Sequence[int]) -> None:
    """Constants in a read-only file are found at any offset."""
    _check_constants(subject, offsets, _open_file)


@check(SUITE, "TestAHardwareBuffer", rules=_RULES, level=3, parameters=lambda: _OFFSETS)
def constants_in_hardware_buffer(subject: Subject, offsets: Sequence[int]) -> None:
    """Constants in a BLOB hardware buffer are found at any offset."""
    _check_constants(subject, offsets, _open_hardware_buffer)


def _check_constants(subject: Subject, offsets: Sequence[int], make: MakeMemory) -> None:
    """Prepare and execute the test with its constants at offsets of the given memory."""
    with _prepare_moved(subject, offsets, make) as (prepared, _):
        check_execution(subject, prepared, _TEST, basic_config(subject))


@contextmanager
def _prepare_moved(
    subject: Subject, offsets: Sequence[int], make: MakeMemory
) -> Iterator[tuple[PreparedModel, hal.Memory]]:
    """Prepare the test with constants at offsets of memory that exists for as long as the block runs."""
    constants = [o for o in _TEST.main.operands if o.lifetime == OperandLifeTime.CONSTANT_REFERENCE]
    values = [operand_data(operand).tobytes() for operand in constants]
    content = bytearray(_FILLER * (offsets[-1] + _BYTES + _END))
    for offset, value in zip(offsets, values, strict=True):
        content[offset : offset + _BYTES] = value
    with built_model(_TEST, subject.feature_level) as model, make(bytes(content)) as memory:
        yield prepare_valid(subject, _move_constants(model, offsets, memory)), memory


def _move_constants(model: hal.Model, offsets: Sequence[int], memory: hal.Memory) -> hal.Model:
    """Return the model with its constants at other offsets, in other memory."""
    rest = iter(offsets)
    operands = tuple(
        replace(operand, location=replace(operand.location, offset=next(rest)))
        if operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE
        else operand
        for operand in model.main.operands
    )
    return replace(model, main=replace(model.main, operands=operands), pools=(memory,))


@check(LEAK_SUITE, "TestASharedMemory", rules=(*_RULES, "client/leak"), parameters=lambda: EXECUTORS)
def shared_memory(subject: Subject, executor: Executor) -> None:
    """Constants, input and output are found at their offsets; the driver unmaps all memory with the prepared model."""
    config = TestConfig(executor)
    require(subject, config)
    offsets = (20, 20 + _BYTES + _GAP)
    value = operand_data(_TEST.main.inputs[0]).tobytes()
    with (
        _open_ashmem(_FILLER * 20 + value) as input_pool,
        _open_ashmem(_FILLER * (32 + _BYTES)) as output_pool,
        _prepare_moved(subject, offsets, _open_ashmem) as (prepared, constants),
    ):
        request = hal.Request(
            (hal.RequestArgument(location=hal.DataLocation(0, 20, _BYTES)),),
            (hal.RequestArgument(location=hal.DataLocation(1, 32, _BYTES)),),
            (input_pool, output_pool),
        )
        for answer in execute(prepared, request, config, subject.timeout_s):
            check_answer(answer, _TEST, config)
            _check_output(output_pool)
        del prepared
        for what, pool in (("constants", constants), ("the input", input_pool), ("the output", output_pool)):
            _check_unmapped(subject, pool, what)


def _check_output(pool: hal.Memory) -> None:
    """Check that the output is right, and that the bytes in front of it are untouched."""
    with mapped(pool, writable=False) as view:
        before, output = bytes(view[:32]), bytes(view[32:])
    check_exactly([np.frombuffer(output, np.float32)], _TEST)
    if before != _FILLER * len(before):
        raise fail("execution/output.value", "bytes in front of the output have been overwritten")


def _check_unmapped(subject: Subject, pool: hal.Memory, what: str) -> None:
    """Check that no process has the memory mapped any more: only then can it be sealed against writing."""
    deadline = time.monotonic() + subject.timeout_s
    while not _is_sealed(pool):
        # Released objects are reported with the next call; the driver may need a moment to free their memory.
        subject.device.get_version_string()
        session = session_of(subject.device)
        if session is not None:
            session.settle()
        if time.monotonic() > deadline:
            reason = f"memory of {what} is still mapped {subject.timeout_s} s after its prepared model was given up"
            raise fail("client/leak", reason)


def _is_sealed(pool: hal.Memory) -> bool:
    """Try to seal memory against writing; return False if a process has it mapped for writing."""
    try:
        fcntl.fcntl(pool.handle.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True
