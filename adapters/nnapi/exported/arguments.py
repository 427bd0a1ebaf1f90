"""Arguments of executions: what a client sets, and the request that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from nnvet.adapters.nnapi.exported.calling import FFI
from nnvet.adapters.nnapi.exported.memories import DriverMemory, SharedMemory
from nnvet.adapters.nnapi.exported.model import operand_of
from nnvet.adapters.nnapi.exported.refusals import bad_data, unexpected_null
from nnvet.hal.enums import OperandType
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.operand_types import OPERAND_TYPES, combine, fully_known, is_extension
from nnvet.hal.types import DataLocation, Operand, OutputShape, Request, RequestArgument
from nnvet.hal.validation.operands import MAX_BYTES, byte_size

_ALIGNMENT: Final = 64
_OPAQUE: Final = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
NO_IDENTIFIER: Final = -1
"""Identifier for bursts of memory that they must not keep."""


@dataclass(frozen=True)
class ClientArgument:
    """One input or output: bytes at a pointer, a place in memory, or neither of them if it is left out.

    ``dimensions`` are those of the model and the client together, ``size`` the bytes that they need, 0 if unknown.
    """

    dimensions: tuple[int, ...] = ()
    is_redimensioned: bool = False
    is_specified: bool = True
    size: int = 0
    pointer: Any = None
    memory: SharedMemory | DriverMemory | None = None
    offset: int = 0
    length: int = 0

    def in_pool(self, pool_index: int, offset: int) -> RequestArgument:
        """Return the request's argument for it, where it lies in a pool."""
        length = self.size or self.length
        location = DataLocation(pool_index, offset, length, self.length - length)
        if isinstance(self.memory, DriverMemory):
            location = DataLocation(pool_index)
        return RequestArgument(location=location, dimensions=self.dimensions if self.is_redimensioned else ())


def argument_of(operand: Operand, given: Any, length: int | None, *, is_input: bool, padded: bool) -> ClientArgument:
    """An argument without its place. ``given`` is the structure of a type, or null; ``length`` None is not checked.

    :raises RefusalError: BAD_DATA for a type or a length that do not fit.
    """
    dimensions, redimensioned = operand.dimensions, False
    if given:
        new = operand_of(given)
        if (new.type, new.scale, new.zero_point) != (operand.type, operand.scale, operand.zero_point):
            raise bad_data(f"type {new}, the model has {operand}")
        combined = combine(operand.dimensions, new.dimensions)
        # What the model knows cannot be taken back (docs/contract/cts-tests.md 2.6).
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
    """Check that bytes lie in memory.

    :raises RefusalError: BAD_DATA.
    """
    if offset + length > memory.size or (offset, length) == (0, 0):
        raise bad_data(f"bytes {offset} to {offset + length} of {memory.size}")


def check_pointer(pointer: Any, length: int) -> None:
    """Check that a pointer and the bytes behind it are both there, or both not.

    :raises RefusalError: UNEXPECTED_NULL, BAD_DATA.
    """
    if not pointer and length:
        raise unexpected_null(f"the buffer of {length} bytes is null")
    if pointer and not length:
        raise bad_data("the buffer has no bytes")


class StagedRequest:
    """A request of the HAL. What a client has at pointers is copied to shared memory, and back from there.

    ``identifiers`` are those of the pools, for bursts.
    """

    def __init__(self, inputs: Sequence[ClientArgument], outputs: Sequence[ClientArgument]) -> None:
        """Make the request, without content.

        :raises OSError: there is no memory for it.
        """
        self._outputs = tuple(outputs)
        both = (*inputs, *outputs)
        self._memories = list(
            {id(argument.memory): argument.memory for argument in both if argument.memory is not None}.values()
        )
        self._places: dict[int, int] = {}
        self._size = 0
        for position, argument in enumerate(both):
            if argument.pointer is not None:
                self._places[position] = self._size
                self._size += -(-argument.length // _ALIGNMENT) * _ALIGNMENT
        self._from_client = [
            (both[position], begin) for position, begin in self._places.items() if position < len(inputs)
        ]
        self._to_client = [
            (both[position], begin) for position, begin in self._places.items() if position >= len(inputs)
        ]
        self._staging = create_ashmem(self._size) if self._size else None
        staged = () if self._staging is None else (self._staging,)
        made = [self._placed(argument, position) for position, argument in enumerate(both)]
        pools = (*(memory.pool for memory in self._memories), *staged)
        self.request = Request(tuple(made[: len(inputs)]), tuple(made[len(inputs) :]), pools)
        kept = (memory.identifier if isinstance(memory, SharedMemory) else NO_IDENTIFIER for memory in self._memories)
        self.identifiers = (*kept, *(NO_IDENTIFIER for _ in staged))

    def fill(self) -> None:
        """Copy what the client has at pointers of inputs."""
        if self._staging is not None and self._from_client:
            with mapped(self._staging) as view:
                for argument, begin in self._from_client:
                    view[begin : begin + argument.length] = FFI.buffer(argument.pointer, argument.length)

    def collect(self, shapes: Sequence[OutputShape]) -> None:
        """Copy outputs to the client's pointers, and note what device memory has got; ``shapes`` may be empty."""
        for position, output in enumerate(self._outputs):
            if isinstance(output.memory, DriverMemory):
                output.memory.filled(shapes[position] if shapes else None)
        if self._staging is not None and self._to_client:
            with mapped(self._staging, writable=False) as view:
                for argument, begin in self._to_client:
                    FFI.buffer(argument.pointer, argument.length)[:] = view[begin : begin + argument.length]

    def _placed(self, argument: ClientArgument, position: int) -> RequestArgument:
        if argument.memory is not None:
            return argument.in_pool(self._memories.index(argument.memory), argument.offset)
        if argument.pointer is not None:
            return argument.in_pool(len(self._memories), self._places[position])
        return RequestArgument(has_no_value=True)
