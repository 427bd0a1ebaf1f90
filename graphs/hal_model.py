"""Conversion of a test model to the HAL's model and request with their pools, and back.

:func:`build_model` and :func:`pack_request` are used wherever a test is run; :func:`read_model` is for models of the
HAL that others have made, such as mutated ones and those of model files.

Source: docs/contract/spec-format.md 11; docs/contract/vts-tests.md 7.4. Code that builds pools has to close them:
:func:`close_pools`, :meth:`PackedRequest.close`.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.graphs import model as graphs
from nnvet.graphs.editor import consumers, with_operands
from nnvet.hal import types as hal
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.extensions import known_extensions, resolved
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.operand_types import ExtensionCode

ALIGNMENT: Final = 4
"""Alignment of constants and, at HIDL levels, of request arguments, in bytes."""

_NOWHERE: Final = hal.DataLocation()
"""Location of an operand without data."""
# Constants, because looking up a member of an enumeration takes longer than most work on it.
_NO_VALUE: Final = hal.OperandLifeTime.NO_VALUE
_SUBGRAPH: Final = hal.OperandLifeTime.SUBGRAPH
_PER_CHANNEL: Final = hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL


def round_up(size: int, multiple: int) -> int:
    """Return the smallest multiple of ``multiple`` that is not below ``size``."""
    return -(-size // multiple) * multiple


class _Region:
    """Buffers laid side by side, each at a multiple of the alignment."""

    def __init__(self) -> None:
        self.buffers: list[tuple[int, bytes]] = []
        self.size = 0

    def place(self, data: bytes) -> hal.DataLocation:
        """Add a buffer and return its location."""
        location = hal.DataLocation(offset=self.size, length=len(data))
        self.buffers.append((self.size, data))
        self.size = round_up(self.size + len(data), ALIGNMENT)
        return location

    def content(self) -> bytes:
        """Return the whole region, with zeros between the buffers."""
        content = bytearray(self.size)
        for offset, data in self.buffers:
            content[offset : offset + len(data)] = data
        return bytes(content)


def build_model(test: graphs.TestModel, *, counted: bool = True) -> hal.Model:
    """Return the model of a test: constants in ``operand_values`` and, where there are references, in pool 0.

    A constant without bytes becomes NO_VALUE, as in the canonical path of the contract. Operands have numbers of
    consumers if they are ``counted``, as at HIDL levels.
    """
    regions: dict[int, _Region] = {lifetime: _Region() for lifetime in CONSTANTS}
    main, *referenced = [_build_subgraph(subgraph, regions, counted=counted) for subgraph in test.subgraphs]
    shared = regions[hal.OperandLifeTime.CONSTANT_REFERENCE]
    return hal.Model(
        main=main,
        referenced=tuple(referenced),
        operand_values=regions[hal.OperandLifeTime.CONSTANT_COPY].content(),
        pools=(create_pool(shared.size, shared.buffers),) if shared.size else (),
        relax_computation_float32_to_float16=test.is_relaxed,
        extension_name_to_prefix=_list_extensions(test),
    )


def _list_extensions(test: graphs.TestModel) -> tuple[hal.ExtensionNameAndPrefix, ...]:
    """Return the extensions that the test uses, under the prefixes of their declarations."""
    codes = {operand.type for graph in test.subgraphs for operand in graph.operands}
    codes |= {operation.type for _, operation in graphs.all_operations(test)}
    used = {code.extension: code.prefix for code in codes if isinstance(code, ExtensionCode)}
    return tuple(hal.ExtensionNameAndPrefix(name, prefix) for name, prefix in sorted(used.items()))


def _build_subgraph(subgraph: graphs.TestSubgraph, regions: dict[int, _Region], *, counted: bool) -> hal.Subgraph:
    counts = consumers(subgraph) if counted else None
    return hal.Subgraph(
        operands=tuple(
            [
                _build_operand(operand, None if counts is None else counts.get(index, 0), regions)
                for index, operand in enumerate(subgraph.operands)
            ]
        ),
        operations=tuple(
            hal.Operation(int(operation.type), operation.inputs, operation.outputs) for operation in subgraph.operations
        ),
        input_indexes=subgraph.input_indexes,
        output_indexes=subgraph.output_indexes,
    )


def _build_operand(operand: graphs.TestOperand, count: int | None, regions: dict[int, _Region]) -> hal.Operand:
    lifetime, location = operand.lifetime, _NOWHERE
    if lifetime in regions:
        data = operand_data(operand).tobytes()
        if data:
            location = regions[lifetime].place(data)
        else:
            lifetime = _NO_VALUE
    elif lifetime == _SUBGRAPH:
        location = hal.DataLocation(offset=int(operand_data(operand)[0]))
    return hal.Operand(
        int(operand.type),
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        lifetime,
        location,
        _extra_params(operand),
        count,
    )


def _extra_params(operand: graphs.TestOperand) -> hal.SymmPerChannelQuantParams | hal.ExtensionParams | None:
    if operand.extension_data is not None:
        return hal.ExtensionParams(operand.extension_data)
    return operand.channel_quant if operand.type == _PER_CHANNEL else None


def read_model(model: hal.Model, name: str, request: hal.Request | None = None) -> graphs.TestModel:
    """Return a valid HAL model as a test model; constants and, with a request, inputs are copied.

    ``data`` is None for unknown values: expected results, and inputs without a request. Codes of known extensions
    become those of their declarations.

    :raises HalError: a pool of the model or request cannot be mapped.
    """
    known = resolved(model, tuple(known_extensions().values()))
    with ExitStack() as stack:
        pools = [stack.enter_context(mapped(pool, writable=False)) for pool in model.pools]
        main, *referenced = [
            graphs.TestSubgraph(
                tuple(_read_operand(operand, model.operand_values, pools) for operand in subgraph.operands),
                tuple(
                    graphs.TestOperation(operation.type, operation.inputs, operation.outputs)
                    for operation in subgraph.operations
                ),
                subgraph.input_indexes,
                subgraph.output_indexes,
            )
            for subgraph in (known.main, *known.referenced)
        ]
    if request is not None:
        main = _read_inputs(main, request)
    return graphs.TestModel(name, main, tuple(referenced), model.relax_computation_float32_to_float16)


def _read_operand(operand: hal.Operand, copies: bytes, pools: list[memoryview]) -> graphs.TestOperand:
    place, data = operand.location, None
    if operand.lifetime == _SUBGRAPH:
        data = np.array([place.offset], np.uint32)
    elif operand.lifetime in CONSTANTS:
        source = copies if operand.lifetime == hal.OperandLifeTime.CONSTANT_COPY else pools[place.pool_index]
        data = _read_elements(operand.type, bytes(source[place.offset : place.offset + place.length]))
    params = operand.extra_params
    return graphs.TestOperand(
        type=operand.type,
        dimensions=operand.dimensions,
        scale=operand.scale,
        zero_point=operand.zero_point,
        lifetime=operand.lifetime,
        channel_quant=params if isinstance(params, hal.SymmPerChannelQuantParams) else None,
        data=data,
        extension_data=params.data if isinstance(params, hal.ExtensionParams) else None,
    )


def _read_inputs(main: graphs.TestSubgraph, request: hal.Request) -> graphs.TestSubgraph:
    """Return the inputs with their values, and with the dimensions of the arguments if these have any."""
    changed: dict[int, graphs.TestOperand | hal.Operand] = {}
    with ExitStack() as stack:
        pools = [
            None if isinstance(pool, hal.BufferToken) else stack.enter_context(mapped(pool, writable=False))
            for pool in request.pools
        ]
        for index, argument in zip(main.input_indexes, request.inputs, strict=True):
            operand, place = main.operands[index], argument.location
            pool = None if argument.has_no_value else pools[place.pool_index]
            if pool is not None:
                content = bytes(pool[place.offset : place.offset + place.length])
            elif argument.has_no_value:
                content = b""
            else:
                continue
            dimensions = argument.dimensions or operand.dimensions
            changed[index] = replace(operand, dimensions=dimensions, data=_read_elements(operand.type, content))
    return with_operands(main, changed)


def _read_elements(operand_type: int, content: bytes) -> graphs.Array:
    return np.frombuffer(content, graphs.element_type(operand_type))


def operand_data(operand: graphs.TestOperand) -> graphs.Array:
    """Return the operand's data.

    :raises ValueError: the operand has no data.
    """
    if operand.data is None:
        raise ValueError(f"an operand of lifetime {hal.OperandLifeTime(operand.lifetime).name} has no data")
    return operand.data


def create_pool(size: int, buffers: Iterable[tuple[int, bytes]]) -> hal.Ashmem:
    """Return shared memory with ``buffers``, of at least one byte, since memory of size 0 cannot be mapped."""
    pool = create_ashmem(max(size, 1))
    # Mapping the memory would take three times as long as writing a small test's values.
    for offset, data in buffers:
        written = 0
        while written < len(data):
            written += os.pwrite(pool.handle.fd, memoryview(data)[written:], offset + written)
    return pool


def close_pools(model: hal.Model | hal.Request) -> None:
    """Close the shared memory of a model or request that this module built."""
    for pool in model.pools:
        if not isinstance(pool, hal.BufferToken):
            close(pool)


MakePool = Callable[[int, Iterable[tuple[int, bytes]]], hal.Memory]
"""A function that makes memory of at least a given size, and writes buffers into it at their offsets."""


class PackedRequest(msgspec.Struct, frozen=True):
    """A request with inputs in pool 0 and outputs in pool 1; ``request.outputs`` has the place of each output."""

    request: hal.Request
    input_pool: hal.Memory
    output_pool: hal.Memory

    def output_bytes(self) -> list[bytes]:
        """Return a copy of each output buffer, whole (a zero-sized output has one byte)."""
        places = [argument.location for argument in self.request.outputs]
        if isinstance(self.output_pool, hal.Ashmem):
            # Reading the file costs half of mapping it.
            descriptor = self.output_pool.handle.fd
            return [os.pread(descriptor, place.length, place.offset) for place in places]
        with mapped(self.output_pool, writable=False) as view:
            return [bytes(view[place.offset : place.offset + place.length]) for place in places]

    def output_arrays(self, outputs: Sequence[graphs.TestOperand]) -> list[graphs.Array]:
        """Return each output as a flat array of as many elements as the expected ``data`` of ``outputs`` has."""
        return [
            np.frombuffer(data, graphs.element_type(operand.type), count=operand_data(operand).size)
            for data, operand in zip(self.output_bytes(), outputs, strict=True)
        ]

    def close(self) -> None:
        """Close the pools of inputs and outputs; the request cannot be executed after that."""
        close_pools(self.request)


def output_size(operand: graphs.TestOperand) -> int:
    """Return the number of bytes to provide for an output: that of the expected result, at least one."""
    return max(operand_data(operand).nbytes, 1)


def can_be_short(test: graphs.TestModel) -> bool:
    """Return True if output 0 has more than one byte, so that its buffer can be one byte too short."""
    return output_size(test.main.outputs[0]) > 1


def pack_request(
    test: graphs.TestModel,
    *,
    alignment: int = ALIGNMENT,
    padding: int = 1,
    short_output: bool = False,
    input_dimensions: bool = False,
    make_input_pool: MakePool = create_pool,
    make_output_pool: MakePool = create_pool,
) -> PackedRequest:
    """Return the request for a test, with the inputs written and the outputs zero.

    Arguments state no dimensions, so the model's apply; with ``input_dimensions`` the inputs state theirs.

    Offsets are multiples of ``alignment``. Each argument is padded to a multiple of ``padding``, which its location
    states (AIDL generated tests use 64 and 64, HIDL 4 and none). With ``short_output`` output 0 lacks its last byte,
    and the padding, if any, covers that byte. An input without bytes has no value.

    :raises ValueError: ``short_output`` for an output that has only one byte (see :func:`can_be_short`).
    """
    if short_output and not can_be_short(test):
        raise ValueError("an output of one byte cannot be made shorter")
    inputs, input_size = _place_arguments(
        [operand_data(operand).nbytes for operand in test.main.inputs], 0, alignment, padding
    )
    if input_dimensions:
        inputs = [
            msgspec.structs.replace(argument, dimensions=() if argument.has_no_value else operand.dimensions)
            for argument, operand in zip(inputs, test.main.inputs, strict=True)
        ]
    outputs, size = _place_arguments([output_size(operand) for operand in test.main.outputs], 1, alignment, padding)
    if short_output:
        outputs[0] = _shorten(outputs[0], has_padding=padding > 1)
    contents = zip(inputs, test.main.inputs, strict=True)
    buffers = [(argument.location.offset, operand_data(operand).tobytes()) for argument, operand in contents]
    pools = (make_input_pool(input_size, buffers), make_output_pool(size, ()))
    return PackedRequest(hal.Request(tuple(inputs), tuple(outputs), pools), *pools)


def _place_arguments(
    sizes: Sequence[int], pool: int, alignment: int, padding: int
) -> tuple[list[hal.RequestArgument], int]:
    """Return arguments of the given sizes side by side in one pool, and the size of that pool."""
    arguments, end = [], 0
    for size in sizes:
        if not size:
            arguments.append(hal.RequestArgument(has_no_value=True))
            continue
        offset, padded = round_up(end, alignment), round_up(size, padding)
        arguments.append(hal.RequestArgument(location=hal.DataLocation(pool, offset, size, padded - size)))
        end = offset + padded
    return arguments, round_up(end, alignment)


def _shorten(argument: hal.RequestArgument, *, has_padding: bool) -> hal.RequestArgument:
    place = argument.location
    shorter = hal.DataLocation(place.pool_index, place.offset, place.length - 1, place.padding + has_padding)
    return hal.RequestArgument(location=shorter)
