"""Suites ``MemoryDomainCopyTest`` and ``MemoryDomainConcurrencyTest``: copies to and from device memory.

MemoryDomainCopyTest: in cases named DynamicShape the batch of the device memory is unknown when it is allocated.
Source: docs/contract/vts-tests.md 6.3; docs/contract/cts-tests.md 2.7 and 4.4.

MemoryDomainConcurrencyTest: two threads use one device memory at the same time, and at least one of them writes. The
values and statuses are then unspecified, but the driver must neither crash nor block its caller for ever, and
afterwards the memory can be filled and read as before. Not in VTS. Source: docs/contract/hal.md 11.3.

Device memory as an argument of requests is in :mod:`nnvet.conformance.suites.memory.execution`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.conformance.kit.device_memory import read, write
from nnvet.conformance.kit.executing import MemoryType, pool_makers
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.memory import domain
from nnvet.conformance.suites.memory.request_runner import RequestRunner, request_runner
from nnvet.conformance.suites.memory.types import INVALID_MEMORIES, InvalidMemory
from nnvet.graphs.hal_model import create_pool
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.types import BufferRole, OperandType, RequestArgument
from nnvet.transport.wire.failures import DriverGone

_SUITE: Final = "MemoryDomainCopyTest"
_SHARED: Final = {memory_type.value: memory_type for memory_type in MemoryType if memory_type is not MemoryType.DEVICE}
"""Types of shared memory, by the arguments of the cases."""
_UNREADABLE: Final = {name: memory for name, memory in INVALID_MEMORIES.items() if not memory.readable}
"""Invalid memory from which nothing can be copied."""
_FLOAT32: Final = OperandType.TENSOR_FLOAT32


def _allocate_copies(
    subject: Subject, operand_type: OperandType, dimensions: tuple[int, ...] = domain.SHAPE
) -> domain.Copies:
    """Allocate device memory for an input and for an output, and return it with content of its size."""
    prepared = domain.prepare_convolution(subject, operand_type, dimensions=dimensions)
    buffer, _ = domain.allocate_memory(subject, (prepared,), domain.ROLE, domain.ROLE)
    return domain.Copies(buffer, domain.data(operand_type))


@check(_SUITE, "CopyFrom_InvalidMemorySize", rules=("buffer/copy.size",), level=domain.LEVEL, parameters=domain.by_type)
def copy_from_invalid_memory_size(subject: Subject, operand_type: OperandType) -> None:
    """Memory of half and of double the size is refused."""
    copies = _allocate_copies(subject, operand_type)
    for size in (copies.size // 2, copies.size * 2):
        copies.check_refused_from("buffer/copy.size", size)
    copies.fill()
    copies.check()


@check(
    _SUITE,
    "CopyFrom_InvalidMemorySize_DynamicShape",
    rules=("buffer/copy.size",),
    level=domain.LEVEL,
    parameters=domain.by_type,
)
def copy_from_invalid_memory_size_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """Memory has to have the size that follows from the given dimensions."""
    copies = _allocate_copies(subject, operand_type, domain.UNKNOWN_BATCH)
    for size in (copies.size // 2, copies.size * 2):
        copies.check_refused_from("buffer/copy.size", size, domain.SHAPE)
    copies.fill(domain.SHAPE)
    copies.check()
    copies.check_refused_from("buffer/copy.size", copies.size, domain.OTHER_BATCH)


@check(
    _SUITE,
    "CopyFrom_InvalidDimensions",
    rules=("buffer/copy.dimensions",),
    level=domain.LEVEL,
    parameters=domain.by_type,
)
def copy_from_invalid_dimensions(subject: Subject, operand_type: OperandType) -> None:
    """Dimensions have to be those of the allocation; without dimensions these are used."""
    copies = _allocate_copies(subject, operand_type)
    for dimensions in (domain.SHAPE[1:], domain.OTHER_BATCH, domain.UNKNOWN_BATCH, (-1, *domain.SHAPE[1:])):
        copies.check_refused_from("buffer/copy.dimensions", copies.size, dimensions)
    copies.fill(())
    copies.check()
    copies.fill(domain.SHAPE)
    copies.check()


@check(
    _SUITE,
    "CopyFrom_InvalidDimensions_DynamicShape",
    rules=("buffer/copy.dimensions",),
    level=domain.LEVEL,
    parameters=domain.by_type,
)
def copy_from_invalid_dimensions_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """Dimensions have to be known, and to agree with the allocation as far as its dimensions are known."""
    copies = _allocate_copies(subject, operand_type, domain.UNKNOWN_BATCH)
    for dimensions in (domain.SHAPE[1:], (2, *domain.SHAPE[1:3], domain.SHAPE[3] // 2), (*domain.SHAPE[:3], 0), ()):
        copies.check_refused_from("buffer/copy.dimensions", copies.size, dimensions)
    copies.fill(domain.SHAPE)
    copies.check()


@check(
    _SUITE,
    "CopyFrom_InvalidDimensions_Scalar",
    rules=("buffer/copy.dimensions",),
    level=domain.LEVEL,
    parameters=lambda: {"INT32": None},
)
def copy_from_invalid_dimensions_scalar(subject: Subject, _: None) -> None:
    """A scalar is copied without dimensions; not in VTS."""
    buffer, _token = domain.allocate_memory(subject, (domain.prepare_sum(subject, _FLOAT32),), (BufferRole(0, 2),))
    copies = domain.Copies(buffer, b"\1\0\0\0")
    copies.check_refused_from("buffer/copy.dimensions", copies.size, (1,))
    copies.fill()
    copies.check()


@check(
    _SUITE, "CopyTo_UninitializedMemory", rules=("buffer/uninitialised",), level=domain.LEVEL, parameters=domain.by_type
)
def copy_to_uninitialized_memory(subject: Subject, operand_type: OperandType) -> None:
    """A copy from fresh device memory, which has no content, is refused."""
    copies = _allocate_copies(subject, operand_type)
    copies.check_refused_to("buffer/uninitialised", copies.size, domain.FAILED)
    copies.fill()
    copies.check()


@check(_SUITE, "CopyTo_InvalidMemorySize", rules=("buffer/copy.size",), level=domain.LEVEL, parameters=domain.by_type)
def copy_to_invalid_memory_size(subject: Subject, operand_type: OperandType) -> None:
    """Memory of half and of double the size is refused, and the content is still there."""
    _check_copy_to(_allocate_copies(subject, operand_type))


@check(
    _SUITE,
    "CopyTo_InvalidMemorySize_DynamicShape",
    rules=("buffer/copy.size",),
    level=domain.LEVEL,
    parameters=domain.by_type,
)
def copy_to_invalid_memory_size_dynamic_shape(subject: Subject, operand_type: OperandType) -> None:
    """Memory has to have the size of the content."""
    _check_copy_to(_allocate_copies(subject, operand_type, domain.UNKNOWN_BATCH))


def _check_copy_to(copies: domain.Copies) -> None:
    """Check that copies to memory of another size are refused, and harm nothing."""
    copies.fill(domain.SHAPE)
    for size in (copies.size // 2, copies.size * 2):
        copies.check_refused_to("buffer/copy.size", size)
    copies.check()


@check(_SUITE, "CopyFrom_FailureUninitializes", rules=("buffer/failed",), level=domain.LEVEL, parameters=domain.by_type)
def copy_from_failure_uninitializes(subject: Subject, operand_type: OperandType) -> None:
    """After a failed copy the memory has no content, even if it had some before; in CTS, but not in VTS."""
    copies = _allocate_copies(subject, operand_type)
    for size, dimensions in ((copies.size // 2, ()), (copies.size, domain.OTHER_BATCH)):
        copies.fill()
        copies.check_refused_from("buffer/failed", size, dimensions)
        copies.check_refused_to("buffer/failed", copies.size, domain.FAILED)
    copies.fill()
    copies.check()


@check(_SUITE, "Content", rules=("buffer/content",), level=domain.LEVEL, parameters=lambda: _SHARED)
def content(subject: Subject, memory_type: MemoryType) -> None:
    """Content that was copied in from shared memory of each type can be copied out repeatedly; not in VTS."""
    make_source, make_destination = pool_makers(memory_type, read_only_inputs=True)
    buffers = {domain.data(_FLOAT32, seed): _allocate_copies(subject, _FLOAT32).buffer for seed in (1, 2)}
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
    level=domain.LEVEL,
    parameters=lambda: _UNREADABLE,
)
def copy_from_invalid_memory(subject: Subject, wrong: InvalidMemory) -> None:
    """Memory that cannot be read is refused, and leaves no content; not in VTS."""
    copies = _allocate_copies(subject, _FLOAT32)
    copies.fill()
    with domain.closing(wrong.make(copies.size)) as memory:
        domain.check_fails(lambda: copies.buffer.copy_from(memory, ()), "buffer/memory", "copyFrom", wrong.statuses)
    copies.check_refused_to("buffer/failed", copies.size, domain.FAILED)


@check(
    _SUITE, "CopyTo_InvalidMemory", rules=("buffer/memory",), level=domain.LEVEL, parameters=lambda: INVALID_MEMORIES
)
def copy_to_invalid_memory(subject: Subject, wrong: InvalidMemory) -> None:
    """Memory that cannot be written is refused, and the content stays; not in VTS."""
    copies = _allocate_copies(subject, _FLOAT32)
    copies.fill()
    with domain.closing(wrong.make(copies.size)) as memory:
        domain.check_fails(lambda: copies.buffer.copy_to(memory), "buffer/memory", "copyTo", wrong.statuses)
    copies.check()


RULE: Final = "buffer/concurrent"
"""Rule that a driver breaks which dies of concurrent uses."""
_CONCURRENCY_SUITE: Final = "MemoryDomainConcurrencyTest"
_TYPE: Final = OperandType.TENSOR_FLOAT32
"""Type of the data; the way of copying does not depend on it."""
_ROUNDS: Final = 8
"""Repetitions of each pair of uses."""
_REPEATS: Final = 4
"""Uses by each thread in a round, enough to overlap although the threads do not begin at the same instant."""

_PAIRS: Final = {
    "CopyFrom_CopyFrom": ("copy_from", "copy_from"),
    "CopyFrom_CopyTo": ("copy_from", "copy_to"),
    "CopyFromOtherShape_CopyTo": ("copy_from_other_shape", "copy_to"),
    "CopyFrom_ExecutionInput": ("copy_from", "execution_input"),
    "CopyFrom_ExecutionOutput": ("copy_from", "execution_output"),
    "CopyTo_ExecutionOutput": ("copy_to", "execution_output"),
    "ExecutionInput_ExecutionOutput": ("execution_input", "execution_output"),
    "ExecutionOutput_ExecutionOutput": ("execution_output", "execution_output"),
}
"""Pairs of uses, by name; at least one writes. ConcurrencyTest checks concurrent readers."""


@dataclass(frozen=True)
class _Uses:
    """A device memory that is an input and an output of a convolution, and the possible uses of it."""

    fixture: domain.Fixture
    prepared: PreparedModel
    buffer: Buffer
    token: int

    @contextmanager
    def use(self, name: str) -> Iterator[Callable[[], None]]:
        """Open what a use needs, and yield a function that uses the device memory once."""
        if name.startswith("execution"):
            with request_runner(self.fixture.subject) as runner:
                yield partial(self._execute, runner, name)
            return
        batch, dimensions = (
            (domain.OTHER_BATCH[0], domain.OTHER_BATCH) if name == "copy_from_other_shape" else (1, domain.SHAPE)
        )
        content = self.fixture.data(seed=2, batch=batch)
        with domain.closing(create_pool(len(content), ((0, content),))) as memory:
            copies = name == "copy_to"
            yield partial(self.buffer.copy_to, memory) if copies else partial(self.buffer.copy_from, memory, dimensions)

    def _execute(self, runner: RequestRunner, name: str) -> None:
        """Execute a convolution with the device memory as its input or output, as ``name`` says."""
        size, device = self.fixture.size, runner.device(self.token, domain.SHAPE)
        shared = runner.shared(self.fixture.data(seed=3)) if name == "execution_output" else runner.output(size)
        arguments: tuple[list[RequestArgument], list[RequestArgument]] = [shared], [device]
        runner.run(self.prepared, *(arguments if name == "execution_output" else arguments[::-1]))


@check(
    _CONCURRENCY_SUITE,
    "ConcurrentUse",
    rules=(RULE, "buffer/content"),
    level=domain.LEVEL,
    parameters=lambda: _PAIRS,
)
def concurrent_use(subject: Subject, pair: tuple[str, str]) -> None:
    """Each use works alone; then both at the same time may end in any way; then each works alone again."""
    is_dynamic = "copy_from_other_shape" in pair
    prepared = domain.prepare_convolution(
        subject, _TYPE, dimensions=domain.UNKNOWN_BATCH if is_dynamic else domain.SHAPE
    )
    with request_runner(subject) as runner:
        fixture = domain.Fixture(subject, _TYPE, runner)
        buffer, token = domain.allocate_memory(subject, (prepared,), domain.ROLE, domain.ROLE)
        uses = _Uses(fixture, prepared, buffer, token)
        if any(name.startswith("execution") for name in pair):
            fixture.check_device_memory(prepared)
        _check_alone(uses)
        try:
            for _ in range(_ROUNDS):
                _use_both(uses, pair)
        except DriverGone as death:
            death.rule = RULE
            death.circumstances = {"change": f"{pair[0]} beside {pair[1]} of one device memory", **death.circumstances}
            raise
        _check_alone(uses)


def _use_both(uses: _Uses, pair: tuple[str, str]) -> None:
    """Carry out both uses repeatedly at the same time; any status is allowed.

    :raises DriverGone: the driver dies, or one of the two gets no answer.
    """
    timeout_s = uses.fixture.subject.timeout_s
    with uses.use(pair[0]) as first, uses.use(pair[1]) as second:
        call_together([partial(_repeat_use, first), partial(_repeat_use, second)], timeout_s, " beside ".join(pair))


def _repeat_use(use: Callable[[], None]) -> None:
    """Use the device memory repeatedly, whatever the driver answers."""
    for _ in range(_REPEATS):
        try:
            use()
        except HalError:
            # Any intended status is allowed; unintended errors are still recorded.
            continue


def _check_alone(uses: _Uses) -> None:
    """Fill the memory and read it, without a concurrent use.

    :raises CaseFailed: a copy fails, or the content is another one.
    """
    content = uses.fixture.data(seed=1)
    write(uses.buffer, content, domain.SHAPE)
    if read(uses.buffer, len(content)) != content:
        raise fail("buffer/content", "the device memory does not hold what was copied to it")
