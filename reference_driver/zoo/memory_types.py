"""Planted bugs of shared memory and its types, and of device memory that several threads use at the same time.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator. Other
bugs of device memory are in ``memory_domain.py``.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import map_memory
from nnvet.reference_driver.buffers import DeviceBuffer, DeviceMemory
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_TYPES = "MemoryTypeTest/"
"""Suite of types of shared memory."""


def _with_requests(change: Callable[[hal.Request], hal.Request]) -> Device:
    """Make a driver that changes every request before it executes it."""

    class Changing(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Execute the changed request."""
            return super().run(change(request), config, deadline_ns)

    return with_prepared_model(Changing)


@bug(
    "memory-offset-ignored",
    "Files are used from their beginning, wherever the memory begins.",
    rules=(
        "execution/output.value",
        "execution/status",
        "request/pool.valid",
    ),
    breaks=(
        f"{_TYPES}Pools/*mmap_fd*",
        f"{_TYPES}Windows",
        f"{_TYPES}SameMemory/mmap_fd",
        f"{_TYPES}InvalidPool/offset_behind_end_[io]*",
        "MemoryDomainTest/sync_mmap_fd/*",
        "TestValidation/Execution/Set*FromMemory*",
    ),
)
def memory_offset_ignored() -> Device:
    """Set the offset of every file to 0."""

    def change(request: hal.Request) -> hal.Request:
        return replace(
            request,
            pools=tuple(replace(p, offset=0) if isinstance(p, hal.MappableFile) else p for p in request.pools),
        )

    return _with_requests(change)


@bug(
    "memory-inputs-written",
    "All memory has to be writable, even that of inputs.",
    rules=(
        "execution/status",
        "memory/map",
    ),
    breaks=(
        f"{_TYPES}Pools/*",
        f"{_TYPES}UnusedPool/mmap_fd",
        "MemoryDomainTest/sync_mmap_fd/*",
        "GeneratedTest/sync_padded/*",
        "DynamicOutputShapeTest/sync_insufficient_padded/*",
        "TestValidation/Execution/Set*FromMemory*",
    ),
)
def memory_inputs_written() -> Device:
    """Map everything for writing."""

    def change(request: hal.Request) -> hal.Request:
        for pool in request.pools:
            if not isinstance(pool, hal.BufferToken):
                map_memory(pool, writable=True)
        return request

    return _with_requests(change)


@bug(
    "memory-padding-used",
    "The padding behind an output counts as a part of it.",
    rules=(),
    breaks=("DynamicOutputShapeTest/sync_insufficient_padded/*",),
)
def memory_padding_used() -> Device:
    """Add the padding of outputs to their length."""

    def longer(argument: hal.RequestArgument) -> hal.RequestArgument:
        place = argument.location
        return replace(
            argument, location=hal.DataLocation(place.pool_index, place.offset, place.length + place.padding)
        )

    return _with_requests(lambda request: replace(request, outputs=tuple(map(longer, request.outputs))))


@bug(
    "memory-unused-refused",
    "Every pool of a request has to be used.",
    rules=(
        "execution/status",
        "memory/map",
    ),
    breaks=(f"{_TYPES}UnusedPool/*", "MemoryDomainTest/*_device/*"),
    spares=("MemoryDomainTest/fenced_device/boxes_no_proposals",),
)
def memory_unused_refused() -> Device:
    """Fail if an argument uses no pool of the request."""

    def change(request: hal.Request) -> hal.Request:
        used = {argument.location.pool_index for argument in (*request.inputs, *request.outputs)}
        if used != set(range(len(request.pools))):
            raise failure("a pool is not used")
        return request

    return _with_requests(change)


@bug(
    "memory-opaque-crash",
    "A hardware buffer that is no BLOB is looked into.",
    rules=("driver/crash",),
    breaks=(f"{_TYPES}OpaqueHardwareBuffer/*", f"{_TYPES}InvalidPool/opaque_unused"),
    service=True,
)
def memory_opaque_crash() -> Device:
    """Read an address that does not exist."""

    def change(request: hal.Request) -> hal.Request:
        for pool in request.pools:
            if isinstance(pool, hal.HardwareBuffer) and pool.format != hal.HARDWARE_BUFFER_BLOB:
                signal.raise_signal(signal.SIGSEGV)
        return request

    return _with_requests(change)


@bug(
    "memory-size-believed",
    "Memory is touched without looking whether it is as long as it says.",
    rules=("driver/crash",),
    breaks=(f"{_TYPES}InvalidPool/too_*", f"{_TYPES}InvalidPool/pipe_*"),
    service=True,
)
def memory_size_believed() -> Device:
    """Read memory up to the size that the request states, without looking at the real one."""

    def change(request: hal.Request) -> hal.Request:
        for pool in request.pools:
            if isinstance(pool, hal.Ashmem) and os.fstat(pool.handle.fd).st_size < pool.size:
                signal.raise_signal(signal.SIGBUS)
        return request

    return _with_requests(change)


_CONCURRENT: Final = "MemoryDomainConcurrencyTest/ConcurrentUse/"
"""Check of device memory that several threads use at once."""
_BUSY_S: Final = 0.01
"""Duration of a use of device memory, as if there were much to move."""


class _Uses:
    """The current uses of device memory. ``conflict`` is called if two overlap and one of them writes."""

    def __init__(self, conflict: Callable[[], None]) -> None:
        self._conflict = conflict
        self._lock = threading.Lock()
        self._users: defaultdict[DeviceMemory, list[bool]] = defaultdict(list)

    @contextmanager
    def of(self, memory: DeviceMemory, *, writes: bool) -> Iterator[None]:
        with self._lock:
            others = list(self._users[memory])
            self._users[memory].append(writes)
        try:
            if others and (writes or any(others)):
                self._conflict()
            time.sleep(_BUSY_S)
            yield
        finally:
            with self._lock:
                self._users[memory].remove(writes)


def _with_conflict(conflict: Callable[[], None], *, executions: bool) -> Device:
    """Make a driver that calls ``conflict`` if two copies of one memory overlap in time and one of them writes.

    With ``executions``, an execution on the memory counts as a use, too.
    """
    uses = _Uses(conflict)

    class Watched(DeviceBuffer):
        def copy_to(self, destination: hal.Memory) -> None:
            """Copy, and count as a use."""
            with uses.of(self.memory, writes=False):
                super().copy_to(destination)

        def copy_from(self, source: hal.Memory, dimensions: Sequence[int]) -> None:
            """Copy, and count as a use."""
            with uses.of(self.memory, writes=True):
                super().copy_from(source, dimensions)

    class Executing(ReferencePreparedModel):
        def _run(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
        ) -> hal.ExecutionResult:
            """Execute, and count as a use of each device memory."""
            written: dict[DeviceMemory, bool] = {}
            for arguments, is_output in ((request.inputs, False), (request.outputs, True)):
                for pool in (
                    request.pools[argument.location.pool_index] for argument in arguments if not argument.has_no_value
                ):
                    if isinstance(pool, hal.BufferToken) and executions:
                        written[self.buffers.find(pool.token)] = is_output
            with ExitStack() as stack:
                for memory, writes in written.items():
                    stack.enter_context(uses.of(memory, writes=writes))
                return super()._run(request, config, deadline_ns, started)

    device = with_prepared_model(Executing)
    device.buffers.buffer = Watched
    return device


@bug(
    "buffer-concurrent-crash",
    "A copy of device memory that begins while another writes to it crashes the driver.",
    rules=("buffer/concurrent",),
    breaks=(f"{_CONCURRENT}CopyFrom*_Copy*",),
    service=True,
)
def buffer_concurrent_crash() -> Device:
    """Crash as if one thread freed what the other one uses."""
    return _with_conflict(lambda: os.kill(os.getpid(), signal.SIGSEGV), executions=False)


@bug(
    "buffer-concurrent-blocks",
    "A use of device memory beside one that writes to it waits for ever.",
    rules=("buffer/concurrent",),
    breaks=(f"{_CONCURRENT}*",),
    service=True,
)
def buffer_concurrent_blocks() -> Device:
    """Block as if two locks were taken in opposite orders."""
    never = threading.Event()

    def wait() -> None:
        never.wait()

    return _with_conflict(wait, executions=True)
