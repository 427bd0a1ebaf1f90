"""Pools of models and requests as memory objects of the library."""

from __future__ import annotations

import fcntl
import mmap
import os
from typing import Any, Final

from nnvet.adapters.nnapi.inexpressible import refuse
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal.memory import Ashmem, MappableFile, Memory

_READ_AND_WRITE: Final = mmap.PROT_READ | mmap.PROT_WRITE


def memory_of(library: NnapiLibrary, memory: Memory) -> Any:
    """A memory object for shared memory, of which the library has a descriptor of its own.

    :raises HalError: as the library refuses it; INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for hardware
        buffers, which Linux does not have.
    """
    if isinstance(memory, Ashmem):
        place = (memory.size, _protection(memory.handle.fd), memory.handle.fd, 0)
    elif isinstance(memory, MappableFile):
        place = (memory.length, memory.prot, memory.handle.fd, memory.offset)
    else:
        refuse("a hardware buffer: there is no AHardwareBuffer on this system")
    return library.create("Memory_createFromFd", *place)


def _protection(descriptor: int) -> int:
    """What memory allows that has no protection of its own: what its descriptor was opened for."""
    try:
        mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError:
        # The library is the one to refuse it.
        return _READ_AND_WRITE
    return mmap.PROT_READ if mode == os.O_RDONLY else _READ_AND_WRITE
