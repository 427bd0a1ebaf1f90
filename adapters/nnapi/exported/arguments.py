"""Arguments that a client of the exported C API sets, and the HAL request that is built from them.

A client sets each input and output by a pointer or by a memory object. The HAL knows memory only, so inputs at pointers
are copied to a shared memory before the execution, and outputs are copied back after it.
:mod:`nnvet.adapters.nnapi.exported.running` checks each argument by :func:`argument_of` when the client sets it;
:mod:`nnvet.adapters.nnapi.exported.execution` makes a :class:`StagedRequest` of them when the execution begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from nnvet.adapters.nnapi.exported.calling import FFI, bad_data, unexpected_null
from nnvet.adapters.nnapi.exported.memories import DriverMemory, SharedMemory
from nnvet.adapters.nnapi.exported.model import operand_of
from nnvet.hal.enums import OperandType
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.operand_types import OPERAND_TYPES, combine, fully_known, is_extension
from nnvet.hal.types import DataLocation, Operand, OutputShape, Request, RequestArgument
from nnvet.hal.validation.operands import MAX_BYTES, byte_size

_ALIGNMENT: Final = 64
"""Alignment, in bytes, of arguments in the shared memory: that of a cache line."""
_OPAQUE: Final = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
"""Types whose sizes only the driver knows."""
NO_IDENTIFIER: Final = -1
"""The identifier with which a burst does not keep a memory."""


@dataclass(frozen=True)
class ClientArgument:
    """One input or output as the client has set it: a pointer, a part of a memory object, or neither if it is omitted.

    ``dimensions`` combine those of the model with those that the client gave. ``size`` is the number of bytes that they
    need, 0 if unknown; ``length`` is the number of bytes that the client gave.
    """

    dimensions: tuple[int, ...] = ()
    is_redimensioned: bool = False
    is_specified: bool = True
    size: int = 0
    pointer: Any = None
    memory: SharedMemory | DriverMemory | None = None
    offset: int = 0
    length: int = 0

    def place_in_pool(self, pool_index: int, offset: int) -> RequestArgument:
        """Return this argument as one of a HAL request, in which it lies in the given pool at the given offset."""
        length = self.size or self.length
        location = DataLocation(pool_index, offset, length, self.length - length)
        if isinstance(self.memory, DriverMemory):
            location = DataLocation(pool_index)
        return RequestArgument(location=location, dimensions=self.dimensions if self.is_redimensioned else ())


def argument_of(operand: Operand, given: Any, length: int | None, *, is_input: bool, padded: bool) -> ClientArgument:
    """Return an argument with its type and size, but without pointer or memory.

    ``given`` is the client's ANeuralNetworksOperandType, or null. A ``length`` of None is not checked.

    :raises RefusalError: BAD_DATA if the type or the length does not fit the model's operand.
    """
    dimensions, redimensioned = operand.dimensions, False
    if given:
        new = operand_of(given)
        if (new.type, new.scale, new.zero_point) != (operand.type, operand.scale, operand.zero_point):
            raise bad_data(f"type {new}, the model has {operand}")
        combined = combine(operand.dimensions, new.dimensions)
        # A client cannot make a known dimension unknown (docs/contract/cts-tests.md 2.6).
        if combined is None or combined != new.dimensions:
            raise bad_data(f"dimensions {list(new.dimensions)}, the model has {list(operand.dimensions)}")
        dimensions, redimensioned = combined, bool(new.dimensions)
    info = OPERAND_TYPES.get(operand.type)
    if is_extension(operand.type) or operand.type in _OPAQUE or info is None:
        return ClientArgument(dimensions, redimensioned, length=length or 0)
    is_specified = not info.is_tensor or fully_known(dimensions)
    if is_input and not is_specified:
        raise bad_data(f"an input of dimensions {list(dimensions)}")
    size = byte_size(operand.type, dimensions) if is_specified else 0
    if size > MAX_BYTES:
        raise bad_data(f"dimensions {list(dimensions)} are too large")
    if length is not None and is_specified and (length < size or (length > size and not padded)):
        raise bad_data(f"{length} bytes, type and dimensions need {size}")
    return ClientArgument(dimensions, redimensioned, is_specified, size, length=length or 0)


def check_place(memory: SharedMemory, offset: int, length: int) -> None:
    """Check that a range of bytes lies within a memory.

    :raises RefusalError: BAD_DATA, also for offset and length 0, which mean all of a device memory.
    """
    if offset + length > memory.size or (offset, length) == (0, 0):
        raise bad_data(f"bytes {offset} to {offset + length} of {memory.size}")


def check_pointer(pointer: Any, length: int) -> None:
    """Check that there is a pointer if and only if there are bytes.

    :raises RefusalError: UNEXPECTED_NULL, BAD_DATA.
    """
    if not pointer and length:
        raise unexpected_null(f"the buffer of {length} bytes is null")
    if pointer and not length:
        raise bad_data("the buffer has no bytes")


class StagedRequest:
    """A HAL request, with a staging memory for the arguments that the client holds at pointers.

    :meth:`fill` copies inputs into the staging memory, :meth:`collect` copies outputs back. ``identifiers`` name the
    pools to a burst.
    """

    def __init__(self, inputs: Sequence[ClientArgument], outputs: Sequence[ClientArgument]) -> None:
        """Lay out the request; nothing is copied yet.

        :raises OSError: there is no memory for it.
        """
        self._outputs = tuple(outputs)
        arguments = (*inputs, *outputs)
        self._memories = list(
            {id(argument.memory): argument.memory for argument in arguments if argument.memory is not None}.values()
        )
        self._places: dict[int, int] = {}
        self._size = 0
        for position, argument in enumerate(arguments):
            if argument.pointer is not None:
                self._places[position] = self._size
                self._size += -(-argument.length // _ALIGNMENT) * _ALIGNMENT
        self._from_client = [
            (arguments[position], begin) for position, begin in self._places.items() if position < len(inputs)
        ]
        self._to_client = [
            (arguments[position], begin) for position, begin in self._places.items() if position >= len(inputs)
        ]
        self._staging = create_ashmem(self._size) if self._size else None
        staged = () if self._staging is None else (self._staging,)
        placed = [self._place(argument, position) for position, argument in enumerate(arguments)]
        pools = (*(memory.pool for memory in self._memories), *staged)
        self.request = Request(tuple(placed[: len(inputs)]), tuple(placed[len(inputs) :]), pools)
        known = (memory.identifier if isinstance(memory, SharedMemory) else NO_IDENTIFIER for memory in self._memories)
        self.identifiers = (*known, *(NO_IDENTIFIER for _ in staged))

    def fill(self) -> None:
        """Copy inputs from the client's pointers to the staging memory."""
        if self._staging is not None and self._from_client:
            with mapped(self._staging) as view:
                for argument, begin in self._from_client:
                    view[begin : begin + argument.length] = FFI.buffer(argument.pointer, argument.length)

    def collect(self, shapes: Sequence[OutputShape]) -> None:
        """Copy outputs to the client's pointers, and set the shapes of device memories; ``shapes`` may be empty."""
        for position, output in enumerate(self._outputs):
            if isinstance(output.memory, DriverMemory):
                output.memory.note_content(shapes[position] if shapes else None)
        if self._staging is not None and self._to_client:
            with mapped(self._staging, writable=False) as view:
                for argument, begin in self._to_client:
                    FFI.buffer(argument.pointer, argument.length)[:] = view[begin : begin + argument.length]

    def _place(self, argument: ClientArgument, position: int) -> RequestArgument:
        """Return an argument of the request; the staging memory is the last pool."""
        if argument.memory is not None:
            return argument.place_in_pool(self._memories.index(argument.memory), argument.offset)
        if argument.pointer is not None:
            return argument.place_in_pool(len(self._memories), self._places[position])
        return RequestArgument(has_no_value=True)
