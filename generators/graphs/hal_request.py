"""A test model's inputs and outputs as a HAL request with its pools; :meth:`PackedRequest.close` closes them.

Source: docs/contract/spec-format.md 11; docs/contract/vts-tests.md 7.4.
"""

import os
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np

from nnvet.generators.graphs.hal_model import ALIGNMENT, close_pools, create_pool, operand_data, round_up
from nnvet.generators.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.hal.memory import Ashmem, Memory, mapped
from nnvet.hal.types import DataLocation, Request, RequestArgument

MakePool = Callable[[int, Iterable[tuple[int, bytes]]], Memory]
"""Makes memory of at least so many bytes and writes buffers, each given with its offset."""


class PackedRequest(msgspec.Struct, frozen=True):
    """A request with inputs in pool 0 and outputs in pool 1; ``request.outputs`` says where each output lies."""

    request: Request
    input_pool: Memory
    output_pool: Memory

    def output_bytes(self) -> list[bytes]:
        """A copy of each output buffer, whole (a zero-sized output has one byte)."""
        places = [argument.location for argument in self.request.outputs]
        if isinstance(self.output_pool, Ashmem):
            # Reading the file costs half of mapping it.
            descriptor = self.output_pool.handle.fd
            return [os.pread(descriptor, place.length, place.offset) for place in places]
        with mapped(self.output_pool, writable=False) as view:
            return [bytes(view[place.offset : place.offset + place.length]) for place in places]

    def output_arrays(self, outputs: Sequence[TestOperand]) -> list[Array]:
        """Each output as a flat array of as many elements as the expected ``data`` of ``outputs`` has."""
        return [
            np.frombuffer(data, element_type(operand.type), count=operand_data(operand).size)
            for data, operand in zip(self.output_bytes(), outputs, strict=True)
        ]

    def close(self) -> None:
        """Close the pools of inputs and outputs; the request cannot be executed after that."""
        close_pools(self.request)


def output_size(operand: TestOperand) -> int:
    """Bytes to provide for an output: those of the expected result, but at least one."""
    return max(operand_data(operand).nbytes, 1)


def can_be_short(test: TestModel) -> bool:
    """Return True if output 0 is large enough for the test of a buffer too short by one byte."""
    return output_size(test.main.outputs[0]) > 1


def pack_request(
    test: TestModel,
    *,
    alignment: int = ALIGNMENT,
    padding: int = 1,
    short_output: bool = False,
    input_dimensions: bool = False,
    make_input_pool: MakePool = create_pool,
    make_output_pool: MakePool = create_pool,
) -> PackedRequest:
    """Request for a test, inputs written, outputs zero.

    Arguments carry no dimensions, so that the model's hold; with ``input_dimensions`` those of the inputs do.

    Offsets are multiples of ``alignment``; each argument is padded to a multiple of ``padding`` and says so in its
    location (AIDL generated tests use 64 and 64, HIDL 4 and none). With ``short_output`` output 0 lacks its last
    byte, which the padding then covers where there is any. An input without bytes has no value.

    :raises ValueError: ``short_output`` for an output that has only one byte (see :func:`can_be_short`).
    """
    if short_output and not can_be_short(test):
        raise ValueError("an output of one byte cannot be made shorter")
    inputs, input_size = _arguments(
        [operand_data(operand).nbytes for operand in test.main.inputs], 0, alignment, padding
    )
    if input_dimensions:
        inputs = [
            msgspec.structs.replace(argument, dimensions=() if argument.has_no_value else operand.dimensions)
            for argument, operand in zip(inputs, test.main.inputs, strict=True)
        ]
    outputs, size = _arguments([output_size(operand) for operand in test.main.outputs], 1, alignment, padding)
    if short_output:
        outputs[0] = _shortened(outputs[0], has_padding=padding > 1)
    contents = zip(inputs, test.main.inputs, strict=True)
    buffers = [(argument.location.offset, operand_data(operand).tobytes()) for argument, operand in contents]
    pools = (make_input_pool(input_size, buffers), make_output_pool(size, ()))
    return PackedRequest(Request(tuple(inputs), tuple(outputs), pools), *pools)


def _arguments(sizes: Sequence[int], pool: int, alignment: int, padding: int) -> tuple[list[RequestArgument], int]:
    """Arguments of the given sizes side by side in one pool, and the size of that pool."""
    arguments, end = [], 0
    for size in sizes:
        if not size:
            arguments.append(RequestArgument(has_no_value=True))
            continue
        offset, padded = round_up(end, alignment), round_up(size, padding)
        arguments.append(RequestArgument(location=DataLocation(pool, offset, size, padded - size)))
        end = offset + padded
    return arguments, round_up(end, alignment)


def _shortened(argument: RequestArgument, *, has_padding: bool) -> RequestArgument:
    place = argument.location
    shorter = DataLocation(place.pool_index, place.offset, place.length - 1, place.padding + has_padding)
    return RequestArgument(location=shorter)
