"""Bugs of shared memory and its types."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from msgspec.structs import replace

from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import HARDWARE_BUFFER_BLOB, Ashmem, HardwareBuffer, MappableFile, map_memory
from nnvet.hal.types import BufferToken, DataLocation, ExecutionConfig, ExecutionResult, Request, RequestArgument
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_TYPES = "MemoryTypeTest/"


def _with_requests(change: Callable[[Request], Request]) -> Device:
    """A driver that executes requests other than those which it gets."""

    class Changing(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
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
    """Forget the offset of every file."""

    def change(request: Request) -> Request:
        return replace(
            request,
            pools=tuple(replace(p, offset=0) if isinstance(p, MappableFile) else p for p in request.pools),
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

    def change(request: Request) -> Request:
        for pool in request.pools:
            if not isinstance(pool, BufferToken):
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
    """Take padding for length."""

    def longer(argument: RequestArgument) -> RequestArgument:
        place = argument.location
        return replace(argument, location=DataLocation(place.pool_index, place.offset, place.length + place.padding))

    return _with_requests(lambda request: replace(request, outputs=tuple(map(longer, request.outputs))))


@bug(
    "memory-unused-refused",
    "Every pool of a request has to be used.",
    rules=(
        "execution/status",
        "memory/map",
    ),
    breaks=(f"{_TYPES}UnusedPool/*", "MemoryDomainTest/*_device/*"),
)
def memory_unused_refused() -> Device:
    """Fail on a pool that nobody names."""

    def change(request: Request) -> Request:
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
    """Die of a bad address."""

    def change(request: Request) -> Request:
        for pool in request.pools:
            if isinstance(pool, HardwareBuffer) and pool.format != HARDWARE_BUFFER_BLOB:
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
    """Die where there is no memory."""

    def change(request: Request) -> Request:
        for pool in request.pools:
            if isinstance(pool, Ashmem) and os.fstat(pool.handle.fd).st_size < pool.size:
                signal.raise_signal(signal.SIGBUS)
        return request

    return _with_requests(change)
