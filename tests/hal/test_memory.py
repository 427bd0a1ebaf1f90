"""Mapping shared memory: what can be mapped, how, and what is refused instead of touched.

Source: docs/contract/hal.md 9.
"""

import mmap
import os

import pytest

from nnvet.driver_kit.arrays import mapped_pools
from nnvet.hal.errors import HalError
from nnvet.hal.memory import close, create_ashmem, keep_mapped, map_memory, mapped
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    ErrorStatus,
    Handle,
    HardwareBuffer,
    MappableFile,
    Memory,
    Request,
    RequestArgument,
)

READ, WRITE = mmap.PROT_READ, mmap.PROT_WRITE
PAGE = mmap.PAGESIZE


def file_of(size: int, protection: int = READ | WRITE, offset: int = 0, length: int = 16) -> MappableFile:
    """Part of a file of ``size`` bytes, each of which is its own number modulo 251."""
    pool = create_ashmem(size)
    with mapped(pool) as view:
        view[:] = bytes(index % 251 for index in range(size))
    return MappableFile(pool.handle, length, protection, offset)


def read_only_ashmem() -> Ashmem:
    """Memory by a descriptor that cannot be written."""
    pool = create_ashmem(16)
    handle = Handle(os.open(f"/proc/self/fd/{pool.handle.fd}", os.O_RDONLY))
    close(pool)
    return Ashmem(handle, 16)


@pytest.mark.parametrize("offset", [0, 20, PAGE, PAGE + 200])
def test_offsets_of_files(offset: int) -> None:
    """A file is mapped from its offset on, also within a page."""
    memory = file_of(2 * PAGE, READ, offset)
    with mapped(memory, writable=False) as view:
        assert bytes(view) == bytes(index % 251 for index in range(offset, offset + 16))
        assert view.readonly
    close(memory)


@pytest.mark.parametrize(
    ("memory", "writable", "readable"),
    [
        (file_of(16), True, True),
        (file_of(16, READ), False, True),
        (file_of(16, WRITE), True, False),
        (file_of(16, 0), False, False),
        (file_of(16, offset=8), False, False),
        (file_of(16, offset=-PAGE), False, False),
        (file_of(16, length=0), False, False),
        (read_only_ashmem(), False, True),
        (Ashmem(Handle(-1), 16), False, False),
        (Ashmem(create_ashmem(16).handle, 17), False, False),
        (Ashmem(create_ashmem(16).handle, 2**63), False, False),
        (Ashmem(create_ashmem(16).handle, -1), False, False),
        (HardwareBuffer(create_ashmem(16).handle, 16), True, True),
        (HardwareBuffer(create_ashmem(16).handle, 16, format=1), False, False),
    ],
)
def test_protection_and_size(memory: Memory, writable: bool, readable: bool) -> None:
    """Memory is mapped for what it allows, if it is as long as it says; anything else is GENERAL_FAILURE."""
    for purpose, possible in ((True, writable), (False, readable)):
        if possible:
            map_memory(memory, writable=purpose).close()
            continue
        with pytest.raises(HalError) as refused:
            map_memory(memory, writable=purpose)
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "memory/map")


def argument(pool: int) -> RequestArgument:
    """An argument in a pool."""
    return RequestArgument(location=DataLocation(pool, 0, 16))


@pytest.mark.parametrize("kept", [False, True])
def test_only_pools_of_outputs_are_writable(kept: bool) -> None:
    """Memory of inputs may be such that it cannot be written; that of outputs may not, and gets what is written."""
    inputs, outputs = read_only_ashmem(), create_ashmem(16)
    pools = tuple(keep_mapped(pool) if kept else pool for pool in (inputs, outputs))
    unwanted = RequestArgument(has_no_value=True)
    with mapped_pools(Request((argument(0),), (unwanted, argument(1)), pools)) as views:
        assert [view.readonly for view in views] == [True, False]
        views[1][:2] = b"ok"
    with mapped(outputs) as view:
        assert bytes(view[:3]) == b"ok\0"
    with pytest.raises(HalError) as refused, mapped_pools(Request((argument(1),), (argument(0),), pools)):
        pass
    assert refused.value.rule == "memory/map"
    close(inputs)
    close(outputs)


def test_device_memory_has_views() -> None:
    """Views of device memory stand in for its pools; a token without a view is INVALID_ARGUMENT."""
    outputs = create_ashmem(16)
    request = Request((argument(0),), (argument(1),), (BufferToken(7), outputs))
    with mapped_pools(request, {0: memoryview(b"data")}) as views:
        assert bytes(views[0]) == b"data"
    with pytest.raises(HalError) as refused, mapped_pools(request):
        pass
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "buffer/token")
    close(outputs)
