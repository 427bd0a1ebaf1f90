"""The arguments of one execution of a test, in memory of the type that the test's configuration asks for.

Shared memory of every type of the contract, as clients make it for requests (docs/contract/hal.md 9).
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.config import MemoryType, OutputType, TestConfig
from nnvet.conformance.engine.device_memory import DeviceArguments
from nnvet.conformance.engine.preparing import check_request
from nnvet.generators.graphs.hal_model import ALIGNMENT, create_pool
from nnvet.generators.graphs.hal_request import MakePool, PackedRequest, pack_request
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import Ashmem, Handle, HardwareBuffer, MappableFile, Memory, close

_READABLE: Final = mmap.PROT_READ
_WRITABLE: Final = mmap.PROT_READ | mmap.PROT_WRITE
_BEFORE: Final = b"\xa5" * mmap.PAGESIZE
"""Content of a file in front of the part that is used: no driver may look there."""


def pool_makers(memory_type: MemoryType, *, read_only_inputs: bool = False) -> tuple[MakePool, MakePool]:
    """Return the makers of the pools of inputs and outputs; for device memory, of what does not lie there."""
    make_inputs, make_outputs = _MAKERS[memory_type]
    return (partial(_read_only, make_inputs) if read_only_inputs else make_inputs), make_outputs


def as_type(pool: Ashmem, memory_type: MemoryType) -> Memory:
    """The memory behind an ``ashmem`` as memory of another type, with the same descriptor."""
    if memory_type is MemoryType.MMAP_FD:
        return MappableFile(pool.handle, pool.size, _WRITABLE)
    return HardwareBuffer(pool.handle, pool.size) if memory_type is MemoryType.BLOB_AHWB else pool


def read_only(memory: Memory) -> Memory:
    """The same memory by a descriptor that cannot be written; the other one is closed."""
    handle = Handle(os.open(f"/proc/self/fd/{memory.handle.fd}", os.O_RDONLY | os.O_CLOEXEC))
    close(memory)
    if isinstance(memory, MappableFile):
        return replace(memory, handle=handle, prot=_READABLE)
    return replace(memory, handle=handle)


def _read_only(make: MakePool, size: int, buffers: Iterable[tuple[int, bytes]]) -> Memory:
    return read_only(make(size, buffers))


def _file(protection: int, size: int, buffers: Iterable[tuple[int, bytes]]) -> MappableFile:
    start = len(_BEFORE)
    moved = [(start + offset, data) for offset, data in buffers]
    length = max(size, 1)
    pool = create_pool(start + length, [(0, _BEFORE), *moved])
    return MappableFile(pool.handle, length, protection, start)


def _hardware_buffer(size: int, buffers: Iterable[tuple[int, bytes]]) -> HardwareBuffer:
    pool = create_pool(size, buffers)
    return HardwareBuffer(pool.handle, pool.size)


_MAKERS: Final[dict[MemoryType, tuple[MakePool, MakePool]]] = {
    MemoryType.ASHMEM: (create_pool, create_pool),
    MemoryType.MMAP_FD: (partial(_file, _READABLE), partial(_file, _WRITABLE)),
    MemoryType.BLOB_AHWB: (_hardware_buffer, _hardware_buffer),
    MemoryType.DEVICE: (create_pool, create_pool),
}


_SPACING: Final = 64
"""Alignment and padding of arguments in bytes, where there is padding (docs/contract/vts-tests.md 7.4)."""

_UNWRITTEN: Final = b"\xff"
"""Content of outputs before an execution, NaN for floats: not the zeros that some of them are expected to become."""


@contextmanager
def arguments_for(
    test: TestModel, config: TestConfig, device: Device, prepared: PreparedModel
) -> Iterator[PackedRequest | DeviceArguments]:
    """The test's request, and what its outputs are, while the block runs.

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
        make_output_pool=partial(_unwritten, make_output_pool),
    )
    try:
        if config.output is not OutputType.INSUFFICIENT:
            check_request(test, packed.request)
        yield DeviceArguments(packed, test, device, prepared) if config.memory is MemoryType.DEVICE else packed
    finally:
        packed.close()


def _unwritten(make: MakePool, size: int, buffers: Iterable[tuple[int, bytes]]) -> Memory:
    return make(size, [(0, _UNWRITTEN * size), *buffers])
