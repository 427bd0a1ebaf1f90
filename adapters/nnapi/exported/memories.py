"""Memory objects of the exported C API: a client's shared memory, or device memory of a driver.

``FUNCTIONS`` at the end lists the C API's functions on them, which :mod:`nnvet.adapters.nnapi.exported.serving`
exports. Device memory is allocated in :mod:`nnvet.adapters.nnapi.exported.descriptions`.
"""

from __future__ import annotations

import itertools
import os
from typing import Any, Final

from nnvet.adapters.nnapi.exported.calling import Functions, bad_data, op_failed, refusal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer
from nnvet.hal.memory import create_ashmem, mapped, memory_size
from nnvet.hal.operand_types import combine, type_info
from nnvet.hal.types import BufferToken, MappableFile, Memory, Operand, OutputShape, OwnedHandle
from nnvet.hal.validation.operands import byte_size

Role = tuple[object, bool, int]
"""A use of device memory: the compilation, True for an input, and the index of the input or output."""
_identifiers: Final = itertools.count(1)
"""Identifiers for memory objects of this process; bursts of the HAL know a memory by such a number."""


class ClientMemory:
    """A memory object; bursts know the memory by its ``identifier``."""

    def __init__(self) -> None:
        """Take the next identifier."""
        self.identifier = next(_identifiers)


class SharedMemory(ClientMemory):
    """Shared memory: a client's own, by its descriptor, or a replacement for device memory."""

    def __init__(self, pool: Memory) -> None:
        """Wrap ``pool``, and own it."""
        super().__init__()
        self.pool = pool

    @property
    def size(self) -> int:
        """Return the number of bytes for arguments and constants."""
        return memory_size(self.pool)


class DescribedMemory(SharedMemory):
    """Shared memory in place of a driver's device memory, for the roles that a client has described."""

    def __init__(self, pool: Memory, roles: frozenset[Role]) -> None:
        """Stand for ``pool``, in these roles alone."""
        super().__init__(pool)
        self.roles = roles


class DriverMemory(ClientMemory):
    """Device memory of a driver, for the roles of the description that it was made from.

    ``operand`` has the type, quantization and dimensions on which all roles agree; ``dimensions`` are those of the
    content.
    """

    def __init__(self, buffer: Buffer, token: int, operand: Operand, roles: frozenset[Role]) -> None:
        """Wrap ``buffer``, and own it."""
        super().__init__()
        self.buffer = buffer
        self.pool = BufferToken(token)
        self.operand = operand
        self.roles = roles
        self.has_content = False
        self.dimensions = operand.dimensions

    @property
    def size(self) -> int:
        """Return the size of the content in bytes; 0 as long as the dimensions are unknown."""
        return byte_size(self.operand.type, self.dimensions)

    def note_content(self, shape: OutputShape | None = None) -> None:
        """Note that an execution or a copy has written content of these dimensions."""
        self.has_content = True
        if shape is not None and type_info(self.operand.type).is_tensor:
            self.dimensions = combine(self.operand.dimensions, shape.dimensions) or self.operand.dimensions


def create_from_descriptor(size: int, protection: int, descriptor: int, offset: int) -> SharedMemory:
    """Return memory with a duplicate of the descriptor; a wrong size or offset only fails when the memory is used.

    :raises RefusalError: OP_FAILED if the descriptor cannot be duplicated.
    """
    try:
        owned = OwnedHandle(os.dup(descriptor))
    except (OSError, OverflowError) as error:
        raise op_failed(f"descriptor {descriptor} cannot be duplicated: {error}") from error
    return SharedMemory(MappableFile(owned, size, protection, offset))


def copy(source: ClientMemory, destination: ClientMemory) -> None:
    """Copy all of a memory object.

    :raises RefusalError: BAD_DATA for a source without content or of another size; the driver's error if it fails.
    """
    if source is destination:
        return
    if isinstance(source, DriverMemory) and not source.has_content:
        raise bad_data("the source has no content")
    try:
        if isinstance(source, DriverMemory) and isinstance(destination, DriverMemory):
            _copy_through(source, destination)
        elif isinstance(source, DriverMemory):
            source.buffer.copy_to(_require_pool(destination))
        elif isinstance(destination, DriverMemory):
            _fill(destination, _require_pool(source), ())
        else:
            _copy_shared(_require_pool(source), _require_pool(destination))
    except HalError as error:
        raise refusal(error) from error


def _copy_through(source: DriverMemory, destination: DriverMemory) -> None:
    """Copy from one driver's memory to another's by way of shared memory, because no driver reads another's memory."""
    if not source.size:
        raise bad_data("the source has dimensions that are not known")
    between = create_ashmem(source.size)
    source.buffer.copy_to(between)
    _fill(destination, between, source.dimensions)


def _fill(destination: DriverMemory, pool: Memory, dimensions: tuple[int, ...]) -> None:
    """Copy ``pool`` into device memory, which has no content any more if that fails."""
    destination.has_content = False
    destination.buffer.copy_from(pool, dimensions)
    destination.note_content(OutputShape(dimensions) if dimensions else None)


def _copy_shared(source: Memory, destination: Memory) -> None:
    if memory_size(source) != memory_size(destination):
        raise bad_data(f"{memory_size(source)} bytes do not fit {memory_size(destination)}")
    with mapped(source, writable=False) as read, mapped(destination) as written:
        written[:] = read


def _require_pool(memory: ClientMemory) -> Memory:
    """Return the HAL's memory behind shared memory; refuse all other memory objects."""
    if not isinstance(memory, SharedMemory):
        raise bad_data("the memory is none that can be mapped")
    return memory.pool


def _refuse_hardware_buffer(_buffer: Any) -> ClientMemory:
    raise op_failed("there is no AHardwareBuffer on this system")


FUNCTIONS: Final[Functions] = {
    "Memory_createFromFd": create_from_descriptor,
    "Memory_createFromAHardwareBuffer": _refuse_hardware_buffer,
    "Memory_copy": copy,
    "Memory_free": lambda _memory: None,
}
