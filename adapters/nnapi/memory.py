"""Pools of models and requests as memory objects of the library."""

from __future__ import annotations

import fcntl
import mmap
import os
import stat
from typing import Any

from nnvet.adapters.nnapi.inexpressible import SIZES, check_range
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.adapters.nnapi.unsaid import Unsaid, refuse, refuse_broken
from nnvet.hal.errors import errors_of
from nnvet.hal.memory import Ashmem, HardwareBuffer, MappableFile, Memory, memory_size
from nnvet.hal.validation.model import check_memory as check_described


def memory_of(library: NnapiLibrary, memory: Memory) -> Any:
    """A memory object for shared memory that the library can use, which has a descriptor of its own.

    :raises HalError: as the library refuses it; INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for hardware
        buffers, which Linux does not have.
    """
    if isinstance(memory, HardwareBuffer):
        refuse(Unsaid.HARDWARE_BUFFERS)
    offset = memory.offset if isinstance(memory, MappableFile) else 0
    place = (memory_size(memory), _protection(memory), memory.handle.fd, offset)
    return library.create("Memory_createFromFd", *place)


def check_memory(memory: Memory, rule: str, *, is_read: bool = False, is_written: bool = False) -> None:
    """Refuse memory that a library could not use as it is meant to; raises as :func:`check_model`.

    ``rule`` is that of its description. Memory that nobody reads or writes need not allow it.
    """
    refuse_broken(errors_of([lambda: check_described(memory, "memory", rule)]))
    if isinstance(memory, HardwareBuffer):
        refuse(Unsaid.HARDWARE_BUFFERS)
    offset = memory.offset if isinstance(memory, MappableFile) else 0
    check_range((offset, memory_size(memory), offset + memory_size(memory)), SIZES, "memory")
    try:
        status = os.fstat(memory.handle.fd)
    except OSError as error:
        refuse(Unsaid.MEMORY, f"memory whose descriptor cannot be used ({error.strerror})")
    if stat.S_ISREG(status.st_mode) and status.st_size < offset + memory_size(memory):
        refuse(Unsaid.MEMORY, f"memory up to byte {offset + memory_size(memory)} of a file of {status.st_size}")
    needed = (mmap.PROT_READ if is_read else 0) | (mmap.PROT_WRITE if is_written else 0)
    if needed & ~_protection(memory):
        refuse(Unsaid.MEMORY, f"memory with protection {_protection(memory):#x} that is to have {needed:#x}")


def _protection(memory: Ashmem | MappableFile) -> int:
    """Return what memory allows; if it has no protection of its own, what its descriptor was opened for."""
    if isinstance(memory, MappableFile):
        return memory.prot
    mode = fcntl.fcntl(memory.handle.fd, fcntl.F_GETFL) & os.O_ACCMODE
    return mmap.PROT_READ if mode == os.O_RDONLY else mmap.PROT_READ | mmap.PROT_WRITE
