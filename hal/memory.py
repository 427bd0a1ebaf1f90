"""Creation and mapping of the shared memory of :mod:`nnvet.hal.types`: ``ashmem`` (a memfd), ``mmap_fd``, buffers.

Clients make memory with :func:`create_ashmem`; drivers and clients reach the bytes with :class:`mapped`, or with
:func:`map_memory` for longer. The creator of memory owns its descriptors and closes them with :func:`close`.
Descriptors that are dropped without a call of :func:`close`, for example after an error, are closed as well.
"""

import fcntl
import mmap
import os
from contextlib import suppress

import msgspec

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import HARDWARE_BUFFER_BLOB, Ashmem, Handle, MappableFile, Memory, OwnedHandle


class MappedHandle(Handle):
    """A handle whose memory stays mapped from its first use until the handle is dropped."""

    __slots__ = ("_end", "_views")

    def __init__(self, source: Handle) -> None:
        """Duplicate the descriptor of ``source``.

        :raises OSError: the source's descriptor is not open.
        """
        # Without a descriptor, ``__del__`` has nothing to close.
        super().__init__(-1)
        self.fd = os.dup(source.fd)
        self._end = 0
        self._views: dict[bool, memoryview] = {}

    def view(self, memory: "Memory", *, writable: bool) -> memoryview:
        """Return a view of the bytes of ``memory``, which has this handle.

        :raises HalError: GENERAL_FAILURE as for :func:`map_memory`, and for memory that has shrunk since.
        """
        view = self._views.get(writable)
        if view is None:
            size = memory_size(memory)
            self._end = 0 if _keeps_size(self.fd) else size + _find_offset(memory)
            mapping = map_memory(memory, writable=writable)
            view = self._views[writable] = memoryview(mapping)[len(mapping) - size :]
        elif self._end and os.fstat(self.fd).st_size < self._end:
            raise HalError(ErrorStatus.GENERAL_FAILURE, "memory has become shorter than its size says", "memory/map")
        return view

    @property
    def is_lasting(self) -> bool:
        """True if views stay valid once they exist, because the memory cannot shrink."""
        return not self._end

    def __del__(self) -> None:
        """Close the descriptor; the mapping lasts until the last array over it is gone."""
        self.close()


def memory_size(memory: Memory) -> int:
    """Return the number of bytes that can be addressed; 0 for a hardware buffer that is not a BLOB."""
    if isinstance(memory, Ashmem):
        return memory.size
    if isinstance(memory, MappableFile):
        return memory.length
    return memory.width if memory.format == HARDWARE_BUFFER_BLOB else 0


def create_ashmem(size: int, name: str = "nnvet") -> Ashmem:
    """Return new zeroed shared memory of ``size`` bytes (at least 1); the caller closes or drops it.

    :raises OSError: memory or descriptors are exhausted.
    """
    handle = OwnedHandle(os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
    os.ftruncate(handle.fd, size)
    # Sealed, so that everybody can trust the size: touching memory that has shrunk kills a process.
    fcntl.fcntl(handle.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return Ashmem(handle, size)


def close(memory: Memory) -> None:
    """Close the descriptor; harmless if it is closed already."""
    memory.handle.close()


def keep_mapped(memory: Memory) -> Memory:
    """Return the same memory with a handle that keeps it mapped; unchanged if its descriptor is not open."""
    try:
        return msgspec.structs.replace(memory, handle=MappedHandle(memory.handle))
    except OSError:
        return memory


def map_memory(memory: Memory, *, writable: bool = True) -> mmap.mmap:
    """Map the whole memory.

    :raises HalError: GENERAL_FAILURE if it cannot be mapped (bad descriptor, protection, opaque buffer).
    """
    size, offset = memory_size(memory), _find_offset(memory)
    prot = _find_protection(memory, writable=writable)
    if size <= 0:
        raise HalError(ErrorStatus.GENERAL_FAILURE, "opaque or empty memory cannot be mapped", "memory/map")
    try:
        # mmap wants page-aligned offsets; the slack in front is cut off by MappedMemory.
        slack = offset % mmap.ALLOCATIONGRANULARITY
        if os.fstat(memory.handle.fd).st_size < offset + size:
            raise HalError(ErrorStatus.GENERAL_FAILURE, "memory is shorter than its size says", "memory/map")
        return mmap.mmap(memory.handle.fd, size + slack, mmap.MAP_SHARED, prot, offset=offset - slack)
    except (OSError, ValueError, OverflowError) as error:
        raise HalError(ErrorStatus.GENERAL_FAILURE, f"cannot map memory: {error}", "memory/map") from error


def _find_protection(memory: Memory, *, writable: bool) -> int:
    """Return the protection for a mapping; only ``mmap_fd`` states what it allows."""
    wanted = mmap.PROT_READ | mmap.PROT_WRITE if writable else mmap.PROT_READ
    if not isinstance(memory, MappableFile):
        return wanted
    # An access that the protection forbids would kill the process.
    if not memory.prot & (mmap.PROT_WRITE if writable else mmap.PROT_READ):
        purpose = "written" if writable else "read"
        message = f"memory with protection {memory.prot:#x} cannot be {purpose}"
        raise HalError(ErrorStatus.GENERAL_FAILURE, message, "memory/map")
    return memory.prot & wanted


def _find_offset(memory: Memory) -> int:
    return memory.offset if isinstance(memory, MappableFile) else 0


def _keeps_size(fd: int) -> bool:
    """Return True if memory can never shrink."""
    try:
        return bool(fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK)
    except OSError:
        return False


class mapped:  # noqa: N801 - reads as a with statement
    """Map memory for a ``with`` block, and give a view of its bytes; see :func:`map_memory` for errors."""

    __slots__ = ("_mapping", "_memory", "_view", "_writable")

    def __init__(self, memory: Memory, *, writable: bool = True) -> None:
        """Remember the memory; the block maps it."""
        self._memory = memory
        self._writable = writable
        self._mapping: mmap.mmap | None = None

    def __enter__(self) -> memoryview:
        """Map the memory; raises as :func:`map_memory`."""
        memory = self._memory
        if isinstance(memory.handle, MappedHandle):
            return memory.handle.view(memory, writable=self._writable)
        self._mapping = map_memory(memory, writable=self._writable)
        self._view = memoryview(self._mapping)[len(self._mapping) - memory_size(memory) :]
        return self._view

    def __exit__(self, *_: object) -> None:
        """Unmap the memory, unless its handle keeps it mapped."""
        if self._mapping is None:
            return
        self._view.release()
        # An array over the mapping prevents closing; the memory is unmapped when the array is gone.
        with suppress(BufferError):
            self._mapping.close()
