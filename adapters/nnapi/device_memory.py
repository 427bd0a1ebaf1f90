"""Memory objects of the library: pools of models and requests, and device memory.

The HAL names device memory by tokens, which the C API lacks; therefore the adapter itself gives out the tokens
(:class:`NnapiBuffers`, one for each :class:`nnvet.adapters.nnapi.device.NnapiDevice`). For pools, models
(:mod:`nnvet.adapters.nnapi.compilation`) and executions (:mod:`nnvet.adapters.nnapi.execution`) call
:func:`check_memory` and :func:`create_memory`.
"""

from __future__ import annotations

import fcntl
import itertools
import mmap
import os
import stat
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

from nnvet.adapters.nnapi.declarations import ResultCode, error_of
from nnvet.adapters.nnapi.inexpressible import SIZES, UINT32, Unsaid, check_range, refuse, refuse_broken
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import HalError, errors_of, failure, invalid
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem, memory_size
from nnvet.hal.operand_types import fully_known, is_extension, is_tensor
from nnvet.hal.types import Ashmem, BufferDesc, BufferRole, HardwareBuffer, MappableFile, Memory, Model, Operand
from nnvet.hal.validation.model import check_memory as check_described
from nnvet.hal.validation.operands import byte_size
from nnvet.hal.validation.request import check_allocation


def create_memory(library: NnapiLibrary, memory: Memory) -> Any:
    """Return a new memory object of the library for shared memory that has a descriptor.

    :raises HalError: the library's error if it refuses; INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for
        hardware buffers, which Linux does not have.
    """
    if isinstance(memory, HardwareBuffer):
        refuse(Unsaid.HARDWARE_BUFFERS)
    offset = memory.offset if isinstance(memory, MappableFile) else 0
    place = (memory_size(memory), _find_protection(memory), memory.handle.fd, offset)
    return library.create("Memory_createFromFd", *place)


def check_memory(memory: Memory, rule: str, *, is_read: bool = False, is_written: bool = False) -> None:
    """Refuse memory that a library could not read or write as intended.

    ``rule`` is the rule on the memory's description. The memory must allow reading only if ``is_read``, and writing
    only if ``is_written``. Raises like :func:`nnvet.adapters.nnapi.inexpressible.check_model`.
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
    if needed & ~_find_protection(memory):
        refuse(Unsaid.MEMORY, f"memory with protection {_find_protection(memory):#x} that is to have {needed:#x}")


def _find_protection(memory: Ashmem | MappableFile) -> int:
    """Return the protection of a memory; without one, the access mode of its descriptor."""
    if isinstance(memory, MappableFile):
        return memory.prot
    mode = fcntl.fcntl(memory.handle.fd, fcntl.F_GETFL) & os.O_ACCMODE
    return mmap.PROT_READ if mode == os.O_RDONLY else mmap.PROT_READ | mmap.PROT_WRITE


_COPY: Final = "Memory_copy"
"""The function that copies all of a memory, by the name in :mod:`nnvet.adapters.nnapi.declarations`."""


class NnapiBuffers:
    """The device memory of one device, by token."""

    def __init__(self, library: NnapiLibrary) -> None:
        """Begin without device memory."""
        self._library = library
        self._numbers = itertools.count(1)
        self._buffers: WeakValueDictionary[int, NnapiBuffer] = WeakValueDictionary()

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[NnapiBuffer, int]:
        """Describe a memory to the library, let it allocate the memory, and return the memory with its token.

        :raises HalError: the library's error if it refuses; GENERAL_FAILURE if it has no device memory, or for
            dimensions that are not fully known, because a copy into the memory could not state them in the C API.
        """
        library = self._library
        if not library.has("MemoryDesc_create"):
            raise failure("the library has no device memory", "allocate/supported")
        compilations = [_find_compilation(prepared) for prepared in prepared_models]
        for role in (*input_roles, *output_roles):
            if not 0 <= role.model_index < len(compilations):
                refuse(Unsaid.OBJECTS, f"a role of model {role.model_index} of {len(compilations)}")
            check_range((role.io_index,), UINT32, "a role")
        check_range(desc.dimensions, UINT32, "dimensions")
        # A wrong description is passed on, because the library has to refuse it.
        operand = _find_operand(desc, prepared_models, input_roles, output_roles)
        description = library.create("MemoryDesc_create", keeps=compilations)
        for adder, roles in (("addInputRole", input_roles), ("addOutputRole", output_roles)):
            for role in roles:
                compilation = compilations[role.model_index]
                library.call(f"MemoryDesc_{adder}", description, compilation, role.io_index, role.probability)
        if desc.dimensions:
            dimensions = library.numbers("uint32_t", desc.dimensions)
            library.call("MemoryDesc_setDimensions", description, len(dimensions), dimensions)
        library.call("MemoryDesc_finish", description)
        memory = library.create("Memory_createFromDesc", description, kind="Memory", keeps=compilations)
        if is_tensor(operand.type) and not is_extension(operand.type) and not fully_known(operand.dimensions):
            raise failure(f"{Unsaid.OPEN_BUFFERS.what}: {Unsaid.OPEN_BUFFERS.why}", "allocate/supported")
        buffer, token = NnapiBuffer(library, memory, operand, tuple(prepared_models)), next(self._numbers)
        self._buffers[token] = buffer
        return buffer, token

    def find(self, token: int) -> Any:
        """Return the library's memory behind a token.

        :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible`` if the token is unknown.
        """
        buffer = self._buffers.get(token)
        if buffer is None:
            refuse(Unsaid.OBJECTS, f"token {token}, which no buffer has")
        return buffer.pointer


class NnapiBuffer:
    """A :class:`nnvet.hal.interfaces.Buffer` of the library's device memory."""

    def __init__(
        self, library: NnapiLibrary, pointer: Any, operand: Operand, models: tuple[PreparedModel, ...]
    ) -> None:
        """Wrap memory of the library for values of ``operand``; ``models`` are the models of its roles."""
        self.pointer = pointer
        self._library = library
        self._operand = operand
        self._models = models

    def copy_to(self, destination: Memory) -> None:
        """Copy the whole content to ``destination``.

        :raises HalError: INVALID_ARGUMENT for memory that is invalid or of another size; GENERAL_FAILURE for the other
            causes of the library's BAD_DATA, such as a source without content.
        """
        check_memory(destination, "buffer/memory", is_written=True)
        self._copy(self.pointer, create_memory(self._library, destination), destination)

    def copy_from(self, source: Memory, dimensions: Sequence[int]) -> None:
        """Copy the content from ``source``; ``dimensions`` must be those of the allocation, or empty.

        :raises HalError: like :meth:`copy_to`; INVALID_ARGUMENT with the rule ``adapter/inexpressible`` for other
            dimensions.
        """
        try:
            check_memory(source, "buffer/memory", is_read=True)
            if dimensions and tuple(dimensions) != self._operand.dimensions:
                refuse(Unsaid.COPIES, f"dimensions {list(dimensions)} of a copy into {list(self._operand.dimensions)}")
            memory = create_memory(self._library, source)
        except HalError:
            self._lose_content()
            raise
        self._copy(memory, self.pointer, source)

    def _lose_content(self) -> None:
        """Make the library drop the content by a copy that fails.

        The HAL demands that a failed copy leaves no content; a copy that the adapter refuses never reaches the library.
        """
        size = byte_size(self._operand.type, self._operand.dimensions)
        self._library.result(_COPY, create_memory(self._library, create_ashmem(size + 1)), self.pointer)

    def _copy(self, source: Any, destination: Any, shared: Memory) -> None:
        """Copy between two memory objects of the library; ``shared`` is the HAL's memory behind one of them."""
        code = self._library.result(_COPY, source, destination)
        if code == ResultCode.NO_ERROR:
            return
        if code != ResultCode.BAD_DATA:
            raise error_of(code, _COPY)
        size = byte_size(self._operand.type, self._operand.dimensions)
        if memory_size(shared) != size:
            raise invalid(f"{memory_size(shared)} bytes, the device memory has {size}", "buffer/copy.size")
        raise failure("the library cannot copy: BAD_DATA", "buffer/uninitialised")


def _find_compilation(prepared: PreparedModel) -> Any:
    """Return the library's compilation behind a prepared model; refuse a prepared model of another driver."""
    pointer = getattr(prepared, "compilation_pointer", None)
    if pointer is None:
        refuse(Unsaid.OBJECTS, "a prepared model that is none of this driver")
    return pointer


def _find_operand(
    desc: BufferDesc,
    prepared_models: Sequence[PreparedModel],
    input_roles: Sequence[BufferRole],
    output_roles: Sequence[BufferRole],
) -> Operand:
    """Return the operand whose values the memory is to hold; any operand if the description is wrong."""
    try:
        return check_allocation(desc, prepared_models, input_roles, output_roles, _find_model)[0]
    except HalError:
        return Operand(OperandType.TENSOR_FLOAT32, (1,))


def _find_model(prepared: PreparedModel) -> Model | None:
    return getattr(prepared, "model", None)
