"""Execution of a request on a prepared model, by any executor of the HAL and with bounded waits; all checks use it.

:func:`run_test` executes a test, :func:`execute` a given request. A configuration (:class:`TestConfig`, as in VTS)
chooses the executor, the types of outputs and memory, and measurement. Arguments lie in shared memory of any type of
the contract, as clients create it (docs/contract/hal.md 9). :mod:`nnvet.conformance.kit.preparing` prepares the model
before, :mod:`nnvet.conformance.kit.judging` judges the answers.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
import numpy.typing as npt

from nnvet.adapters.calls import ExecutionRecorder, execute_notified, hang_of, limit_of
from nnvet.conformance.kit.concurrent_calls import has_returned
from nnvet.conformance.kit.device_memory import DeviceArguments
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import check_request
from nnvet.conformance.kit.subject import Subject, require_level
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.graphs.hal_model import ALIGNMENT, MakePool, PackedRequest, create_pool, pack_request
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.fences import fence_state, wait_for_fence
from nnvet.hal.interfaces import Device, FencedExecutionResult, PreparedModel
from nnvet.hal.memory import close

_NS_PER_S = 1e9
_MOMENT_NS: Final = 250_000_000
"""Nanoseconds in which a wrong driver has time to do something forbidden, such as not waiting for a fence."""


class FencedEnd(NamedTuple):
    """Outcome of a fenced execution, with its times since the launch and since the last fence."""

    status: hal.ErrorStatus
    launched: hal.Timing
    fenced: hal.Timing


def check_waiting(future: Future[FencedExecutionResult]) -> None:
    """Check that an execution whose fence has not signalled waits, within the launching call or after it.

    :raises CaseFailed: it ends.
    """
    if has_returned(future):
        check_active(future.result().sync_fence, "the fence to wait for has not signalled")


def check_active(fence: hal.Handle | None, when: str) -> None:
    """Check that an execution with this fence has not ended, and does not end within a moment.

    :raises CaseFailed: it has ended, or ends.
    """
    if fence is None:
        raise fail("execution/fence.order", f"{when}: the call returns without a fence, as if all were done")
    state = wait_for_fence(fence, boot_time_ns() + _MOMENT_NS)
    if state is not hal.FenceState.ACTIVE:
        raise fail("execution/fence.order", f"{when}: the returned fence is {state.name}")


def await_fenced_end(result: FencedExecutionResult, timeout_s: float) -> FencedEnd:
    """Wait for the end of an execution; no fence means that it has ended.

    :raises CaseFailed: fence and callback contradict each other, or one of them is invalid.
    :raises DriverHang: the fence stays active for ``timeout_s`` seconds.
    """
    state = await_final_state(result.sync_fence, timeout_s, result.callback)
    try:
        end = FencedEnd(*result.callback.get_execution_info())
    except HalError as error:
        raise fail("execution/fence.info", f"the callback fails after the fence has signalled: {error}") from error
    if (state is hal.FenceState.SIGNALED) != (end.status is hal.ErrorStatus.NONE):
        raise fail("execution/fence.state", f"the fence is {state.name}, the callback says {end.status.name}")
    return end


def await_final_state(fence: hal.Handle | None, timeout_s: float, owner: object) -> hal.FenceState:
    """Wait for the fence of an execution, and return SIGNALED or ERROR; ``owner`` is an object of the driver.

    :raises CaseFailed: it is no valid descriptor.
    :raises DriverHang: it stays active for ``timeout_s`` seconds.
    """
    if fence is None:
        return hal.FenceState.SIGNALED
    limit = limit_of(owner, timeout_s)
    if not limit.wait(lambda left_s: _state_within(fence, left_s) is not hal.FenceState.ACTIVE):
        raise hang_of(owner, "fence of execute_fenced", limit)
    state = fence_state(fence)
    if state is hal.FenceState.UNKNOWN:
        raise fail("execution/fence.state", "the returned fence is no valid descriptor")
    return state


def _state_within(fence: hal.Handle, left_s: float | None) -> hal.FenceState:
    """Wait for a fence for at most ``left_s`` seconds (None: without limit), and return its state."""
    return wait_for_fence(fence, hal.NO_DEADLINE if left_s is None else boot_time_ns() + int(left_s * _NS_PER_S))


class Executor(StrEnum):
    """Methods of the HAL that execute a request. VTS has the same five, with ``reusable`` as a separate flag."""

    SYNC = "sync"
    ASYNC = "async"
    BURST = "burst"
    FENCED = "fenced"
    REUSABLE = "reusable"


EXECUTORS = {executor.value: executor for executor in Executor}
"""Every executor, by its name in case ids."""
EXECUTOR_LEVELS = {Executor.ASYNC: 1, Executor.SYNC: 3, Executor.BURST: 3, Executor.FENCED: 4, Executor.REUSABLE: 8}
"""First feature level of each executor."""


class OutputType(StrEnum):
    """Kinds of outputs in a request: complete, without dimensions, or in a buffer that is one byte too short."""

    FULLY_SPECIFIED = "fully_specified"
    UNSPECIFIED = "unspecified"
    INSUFFICIENT = "insufficient"


class MemoryType(StrEnum):
    """Types of memory for inputs and outputs: the contract's shared memories, or memory that the driver allocates."""

    ASHMEM = "ashmem"
    MMAP_FD = "mmap_fd"
    BLOB_AHWB = "blob_ahwb"
    DEVICE = "device"


MEMORY_LEVELS = {MemoryType.ASHMEM: 1, MemoryType.MMAP_FD: 1, MemoryType.BLOB_AHWB: 3, MemoryType.DEVICE: 4}
"""First feature level of each type of memory."""

_PADDING_LEVEL = 5
"""First feature level at which clients pad arguments."""


@dataclass(frozen=True, slots=True)
class TestConfig:
    """Configuration of one case's execution, as in VTS; ``loop_timeout_ns`` is passed on to the driver.

    ``padded``: arguments are aligned and padded, and the inputs' memory is read-only, like those of clients of FL5.
    ``dimensions``: the request states the dimensions of inputs, which the model may leave open.
    """

    __test__: ClassVar[bool] = False

    executor: Executor
    output: OutputType = OutputType.FULLY_SPECIFIED
    measure: bool = False
    loop_timeout_ns: int = hal.NO_DEADLINE
    memory: MemoryType = MemoryType.ASHMEM
    padded: bool = False
    dimensions: bool = False

    @property
    def name(self) -> str:
        """Return a short name for case ids, such as ``sync`` or ``async_unspecified_measured``."""
        parts = [self.executor.value]
        if self.output is not OutputType.FULLY_SPECIFIED:
            parts.append(self.output.value)
        if self.measure:
            parts.append("measured")
        if self.memory is not MemoryType.ASHMEM:
            parts.append(self.memory.value)
        if self.padded:
            parts.append("padded")
        if self.dimensions:
            parts.append("dimensions")
        return "_".join(parts)

    @property
    def level(self) -> tuple[int, str]:
        """Return the first feature level that has everything needed, and the part that needs that level."""
        return max(
            (EXECUTOR_LEVELS[self.executor], f"{self.executor.value} executions"),
            (MEMORY_LEVELS[self.memory], f"memory of type {self.memory.value}"),
            (_PADDING_LEVEL if self.padded else 1, "padding"),
        )


_READABLE: Final = mmap.PROT_READ
"""Protection of memory for inputs."""
_WRITABLE: Final = mmap.PROT_READ | mmap.PROT_WRITE
"""Protection of memory for outputs."""
_BEFORE: Final = b"\xa5" * mmap.PAGESIZE
"""Content of a file before the part that is passed to the driver; no driver may read it."""


def pool_makers(memory_type: MemoryType, *, read_only_inputs: bool = False) -> tuple[MakePool, MakePool]:
    """Return two functions that create the shared memories for inputs and for outputs.

    With device memory they serve only arguments for which the driver has none.
    """
    make_inputs, make_outputs = _MAKERS[memory_type]
    return (partial(_make_read_only, make_inputs) if read_only_inputs else make_inputs), make_outputs


def as_type(pool: hal.Ashmem, memory_type: MemoryType) -> hal.Memory:
    """Return the memory behind an ``ashmem`` as memory of another type, with the same descriptor."""
    if memory_type is MemoryType.MMAP_FD:
        return hal.MappableFile(pool.handle, pool.size, _WRITABLE)
    return hal.HardwareBuffer(pool.handle, pool.size) if memory_type is MemoryType.BLOB_AHWB else pool


def read_only(memory: hal.Memory) -> hal.Memory:
    """Return the same memory with a read-only descriptor; the writable one is closed."""
    handle = hal.Handle(os.open(f"/proc/self/fd/{memory.handle.fd}", os.O_RDONLY | os.O_CLOEXEC))
    close(memory)
    if isinstance(memory, hal.MappableFile):
        return msgspec.structs.replace(memory, handle=handle, prot=_READABLE)
    return msgspec.structs.replace(memory, handle=handle)


def _make_read_only(make: MakePool, size: int, buffers: Iterable[tuple[int, bytes]]) -> hal.Memory:
    """Create memory, and return it with a read-only descriptor."""
    return read_only(make(size, buffers))


def _make_file(protection: int, size: int, buffers: Iterable[tuple[int, bytes]]) -> hal.MappableFile:
    """Create a file with the buffers behind a page that is not the driver's."""
    start = len(_BEFORE)
    moved = [(start + offset, data) for offset, data in buffers]
    length = max(size, 1)
    pool = create_pool(start + length, [(0, _BEFORE), *moved])
    return hal.MappableFile(pool.handle, length, protection, start)


def _make_hardware_buffer(size: int, buffers: Iterable[tuple[int, bytes]]) -> hal.HardwareBuffer:
    """Create a BLOB hardware buffer with the buffers."""
    pool = create_pool(size, buffers)
    return hal.HardwareBuffer(pool.handle, pool.size)


_MAKERS: Final[dict[MemoryType, tuple[MakePool, MakePool]]] = {
    MemoryType.ASHMEM: (create_pool, create_pool),
    MemoryType.MMAP_FD: (partial(_make_file, _READABLE), partial(_make_file, _WRITABLE)),
    MemoryType.BLOB_AHWB: (_make_hardware_buffer, _make_hardware_buffer),
    MemoryType.DEVICE: (create_pool, create_pool),
}
"""Functions that create memory for inputs and for outputs, by the type of memory."""


_SPACING: Final = 64
"""Alignment and padding of arguments in bytes, if there is padding (docs/contract/vts-tests.md 7.4)."""

_UNWRITTEN: Final = b"\xff"
"""Content of outputs before an execution, NaN for floats. Zeros would hide an output that stays unwritten."""


@contextmanager
def arguments_for(
    test: TestModel, config: TestConfig, device: Device, prepared: PreparedModel
) -> Iterator[PackedRequest | DeviceArguments]:
    """Build the test's request and its outputs, for as long as the block runs.

    :raises CaseFailed: the driver has no such memory, or fails to provide it; ERROR if the request is invalid.
    """
    make_input_pool, make_output_pool = pool_makers(config.memory, read_only_inputs=config.padded)
    packed = pack_request(
        test,
        alignment=_SPACING if config.padded else ALIGNMENT,
        padding=_SPACING if config.padded else 1,
        input_dimensions=config.dimensions,
        short_output=config.output is OutputType.INSUFFICIENT,
        make_input_pool=make_input_pool,
        make_output_pool=partial(_make_unwritten, make_output_pool),
    )
    try:
        if config.output is not OutputType.INSUFFICIENT:
            check_request(test, packed.request)
        yield DeviceArguments(packed, test, device, prepared) if config.memory is MemoryType.DEVICE else packed
    finally:
        packed.close()


def _make_unwritten(make: MakePool, size: int, buffers: Iterable[tuple[int, bytes]]) -> hal.Memory:
    """Create memory for outputs that are recognised if the driver does not write them."""
    return make(size, [(0, _UNWRITTEN * size), *buffers])


_EXECUTE: Final = Bucket(Layer.APPLICATION, TracePhase.EXECUTION)
"""Bucket of the trace in which the time of executions is counted."""
_NOT_CACHED: Final = -1
"""Token of memory that a burst must not cache, by the contract."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A driver's answer to one execution, in the same form for all executors.

    ``outputs`` are the flat values that it has written, if :func:`run_test` read them. An execution that
    ``is_launched`` fails by its notification (VTS: return status), any other one by the call itself (VTS: launch
    status).
    """

    status: hal.ErrorStatus
    output_shapes: tuple[hal.OutputShape, ...] = ()
    timing: hal.Timing = field(default_factory=hal.Timing)
    message: str = ""
    rule: str = ""
    outputs: tuple[npt.NDArray[Any], ...] = ()
    is_launched: bool = True


Execution = Callable[[], Answer]
"""Function that executes each time it is called."""


@dataclass(frozen=True, slots=True)
class _Call:
    """An execution with its limits: the deadline for the driver, and the time that the suite waits."""

    prepared: PreparedModel
    request: hal.Request
    config: hal.ExecutionConfig
    deadline_ns: int
    timeout_s: float
    new_callback: Callable[[], ExecutionRecorder]


def execute(
    prepared: PreparedModel,
    request: hal.Request,
    config: TestConfig,
    timeout_s: float,
    deadline_ns: int = hal.NO_DEADLINE,
) -> list[Answer]:
    """Execute once (a reusable execution: twice), and return the answers.

    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    try:
        with open_execution(prepared, request, config, timeout_s, deadline_ns) as execution:
            return [execution() for _ in range(rounds(config))]
    except HalError as error:
        return [refusal(error)]


def run_test(
    prepared: PreparedModel, test: TestModel, config: TestConfig, device: Device, timeout_s: float, times: int = 0
) -> list[Answer]:
    """Execute a test ``times`` times (0: as often as the configuration demands), and return answers with outputs.

    If the driver refuses to execute at all, all answers are that refusal.

    :raises CaseFailed: the driver has no memory of the type that the configuration asks for, or fails to provide it.
    :raises DriverGone: the driver's process died, or gave no answer within ``timeout_s`` seconds.
    """
    answers: list[Answer] = []
    times = times or rounds(config)
    with arguments_for(test, config, device, prepared) as arguments:
        try:
            with open_execution(prepared, arguments.request, config, timeout_s) as execution:
                for _ in range(times):
                    answer = execution()
                    if answer.status is hal.ErrorStatus.NONE and config.output is not OutputType.INSUFFICIENT:
                        outputs = arguments.output_arrays(test.main.outputs)
                        answer = replace(answer, outputs=tuple(outputs))
                    answers.append(answer)
        except HalError as error:
            answers = [refusal(error)] * times
    return answers


def rounds(config: TestConfig) -> int:
    """Return the number of executions of a configuration: a reusable execution has to be reused."""
    return 2 if config.executor is Executor.REUSABLE else 1


@contextmanager
def open_execution(
    prepared: PreparedModel,
    request: hal.Request,
    config: TestConfig,
    timeout_s: float,
    deadline_ns: int = hal.NO_DEADLINE,
    *,
    new_callback: Callable[[], ExecutionRecorder] = ExecutionRecorder,
) -> Iterator[Execution]:
    """Open an execution that can be called repeatedly within the block, on one burst or reusable execution.

    Each asynchronous execution gets a new callback from ``new_callback``.

    :raises HalError: the driver refuses the burst or the reusable execution, or releasing memory of the burst.
    """
    execution_config = hal.ExecutionConfig(config.measure, config.loop_timeout_ns)
    call = _Call(prepared, request, execution_config, deadline_ns, timeout_s, new_callback)
    with span(_EXECUTE, config.executor), _EXECUTORS[config.executor](call) as execution:
        yield execution


def answer_of(run: Callable[[], hal.ExecutionResult]) -> Answer:
    """Return the answer of a synchronous execution."""
    try:
        result = run()
    except HalError as error:
        return refusal(error)
    status = hal.ErrorStatus.NONE if result.output_sufficient_size else hal.ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    return Answer(status, result.output_shapes, result.timing)


def refusal(error: HalError) -> Answer:
    """Return an error as an answer."""
    return Answer(error.status, message=error.message, rule=error.rule, is_launched=False)


@contextmanager
def _open_synchronous(call: _Call) -> Iterator[Execution]:
    yield lambda: answer_of(lambda: call.prepared.execute_synchronously(call.request, call.config, call.deadline_ns))


@contextmanager
def _open_asynchronous(call: _Call) -> Iterator[Execution]:
    yield lambda: _execute_asynchronously(call)


def _execute_asynchronously(call: _Call) -> Answer:
    """Execute once, and wait for the notification."""
    callback = call.new_callback()
    try:
        status, shapes, timing = execute_notified(
            call.prepared, call.request, call.config, call.deadline_ns, call.timeout_s, callback
        )
    except HalError as error:
        return refusal(error)
    if status in (hal.ErrorStatus.NONE, hal.ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        return Answer(status, shapes, timing)
    notified = callback.make_error("PreparedModel.execute")
    return Answer(status, shapes, timing, notified.message, notified.rule)


@contextmanager
def _open_burst(call: _Call) -> Iterator[Execution]:
    tokens = [
        _NOT_CACHED if isinstance(pool, hal.BufferToken) else index for index, pool in enumerate(call.request.pools)
    ]
    burst = call.prepared.configure_execution_burst()
    yield lambda: answer_of(lambda: burst.execute_synchronously(call.request, tokens, call.config, call.deadline_ns))
    for token in tokens:
        if token != _NOT_CACHED:
            burst.release_memory_resource(token)


@contextmanager
def _open_fenced(call: _Call) -> Iterator[Execution]:
    yield lambda: _execute_fenced(call)


def _execute_fenced(call: _Call) -> Answer:
    """Execute once without fences to wait for, and wait for the driver's fence."""
    try:
        result = call.prepared.execute_fenced(call.request, (), call.config, call.deadline_ns, hal.NO_DEADLINE)
    except HalError as error:
        return refusal(error)
    end = await_fenced_end(result, call.timeout_s)
    return Answer(end.status, (), end.launched)


@contextmanager
def _open_reusable(call: _Call) -> Iterator[Execution]:
    execution = call.prepared.create_reusable_execution(call.request, call.config)
    yield lambda: answer_of(lambda: execution.execute_synchronously(call.deadline_ns))


_EXECUTORS: Final[dict[Executor, Callable[[_Call], AbstractContextManager[Execution]]]] = {
    Executor.SYNC: _open_synchronous,
    Executor.ASYNC: _open_asynchronous,
    Executor.BURST: _open_burst,
    Executor.FENCED: _open_fenced,
    Executor.REUSABLE: _open_reusable,
}


def require(subject: Subject, *configs: TestConfig) -> None:
    """Check that the driver's level has all that the configurations need.

    :raises CaseFailed: UNSUPPORTED if it lacks one.
    """
    for config in configs:
        require_level(subject, *config.level)


def basic_config(subject: Subject) -> TestConfig:
    """Return the configuration of synchronous executions; of asynchronous ones if the driver's level has no others."""
    return TestConfig(Executor.SYNC if subject.feature_level >= EXECUTOR_LEVELS[Executor.SYNC] else Executor.ASYNC)
