"""Models as inputs of the fuzzer: their form in bytes, helpers that change them, and requests for them.

An input is msgpack of the HAL's structures as on the wire, and includes the content of pools. A helper replaces one
operand, operation or subgraph. A request can be made for any model, however odd: input data come from a seed, and
outputs of unknown size get a fixed size. The mutations are in ``attributes.py``,
``detecting.py``, ``growing.py`` and ``mutating.py``.
"""

from __future__ import annotations

import mmap
import os
import random
from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.fuzz.extremes import INT32_MAX, INT32_MIN
from nnvet.graphs.hal_model import build_model, close_pools, create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.validation.operands import byte_size

T = TypeVar("T")
MOST_PARTS: Final = 2000
"""Operands or operations of a subgraph: a model with more is not made larger."""


class NotApplicableError(Exception):
    """A mutation finds nothing to change in a model."""


def with_item(items: Sequence[T], position: int, value: T) -> tuple[T, ...]:
    """Return the items with one of them replaced."""
    return (*items[:position], value, *items[position + 1 :])


def pick_part(draw: random.Random, items: Sequence[T]) -> tuple[int, T]:
    """Pick one of the items, and return it with its position.

    :raises NotApplicableError: there are no items.
    """
    if not items:
        raise NotApplicableError
    # This takes a third of the time of randrange, and a dozen parts are picked for each input.
    position = int(draw.random() * len(items))
    return position, items[position]


def pick_graph(draw: random.Random, model: FuzzedModel) -> tuple[int, hal.Subgraph]:
    """Pick a subgraph, and return it with its number; -1 is the main one, which is picked three times of four."""
    if model.referenced and not draw.randrange(4):
        return pick_part(draw, model.referenced)
    return -1, model.main


def with_graph(model: FuzzedModel, number: int, graph: hal.Subgraph) -> FuzzedModel:
    """Return the model with a subgraph replaced."""
    if number < 0:
        return replace(model, main=graph)
    return replace(model, referenced=with_item(model.referenced, number, graph))


def with_operand(model: FuzzedModel, number: int, index: int, operand: hal.Operand) -> FuzzedModel:
    """Return the model with an operand of a subgraph replaced."""
    graph = model.main if number < 0 else model.referenced[number]
    return with_graph(model, number, replace(graph, operands=with_item(graph.operands, index, operand)))


def with_operation(model: FuzzedModel, number: int, index: int, operation: hal.Operation) -> FuzzedModel:
    """Return the model with an operation of a subgraph replaced."""
    graph = model.main if number < 0 else model.referenced[number]
    return with_graph(model, number, replace(graph, operations=with_item(graph.operations, index, operation)))


def write_constant(model: FuzzedModel, operand: hal.Operand, data: bytes) -> FuzzedModel:
    """Return the model with other bytes at the beginning of a constant.

    :raises NotApplicableError: its location is not within the model's values or pools.
    """
    place = operand.location
    begin, end = place.offset, place.offset + len(data)
    if operand.lifetime == hal.OperandLifeTime.CONSTANT_COPY:
        source = model.operand_values
    elif 0 <= place.pool_index < len(model.pools):
        source = model.pools[place.pool_index]
    else:
        raise NotApplicableError
    if len(data) > place.length or not 0 <= begin <= end <= len(source):
        raise NotApplicableError
    content = source[:begin] + data + source[end:]
    if operand.lifetime == hal.OperandLifeTime.CONSTANT_COPY:
        return replace(model, operand_values=content)
    return replace(model, pools=with_item(model.pools, place.pool_index, content))


def element(operand_type: int, value: float) -> bytes:
    """Return a number as an element of a type, cut to its range.

    :raises NotApplicableError: the type has no elements.
    """
    info = OPERAND_TYPES.get(operand_type)
    if info is None or not info.size:
        raise NotApplicableError
    dtype = np.dtype(info.dtype)
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(value).astype(dtype).tobytes()
    return (int(value) & ((1 << 8 * dtype.itemsize) - 1)).to_bytes(dtype.itemsize, "little")


MOST_POOLS: Final = 8
"""A model with more pools is no input, because the harness does not test limits of descriptors."""


class FuzzedModel(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model that need not be valid. ``pools`` are the contents of its pools; inputs are made from ``seed``."""

    main: hal.Subgraph
    referenced: tuple[hal.Subgraph, ...] = ()
    operand_values: bytes = b""
    pools: tuple[bytes, ...] = ()
    relaxed: bool = False
    extensions: tuple[hal.ExtensionNameAndPrefix, ...] = ()
    seed: int = 0


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(FuzzedModel)


def encode_model(model: FuzzedModel) -> bytes:
    """Return the bytes of a model.

    :raises OverflowError: a number has more than 64 bits.
    """
    return _encoder.encode(model)


def decode_model(data: bytes) -> FuzzedModel | None:
    """Return the model that bytes stand for; None: they stand for none."""
    try:
        model = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return model if len(model.pools) <= MOST_POOLS else None


class hal_model:  # noqa: N801 - reads as a with statement
    """A model in the form of the HAL; its pools exist for as long as the block runs."""

    __slots__ = ("_built",)

    def __init__(self, model: FuzzedModel) -> None:
        """Create the pools."""
        pools = tuple([create_pool(len(content), ((0, content),)) for content in model.pools])
        relaxed = bool(model.relaxed)
        self._built = hal.Model(model.main, model.referenced, model.operand_values, pools, relaxed, model.extensions)

    def __enter__(self) -> hal.Model:
        """Return the model."""
        return self._built

    def __exit__(self, *_: object) -> None:
        """Close the pools."""
        close_pools(self._built)


def model_of_test(test: TestModel, seed: int = 0) -> FuzzedModel:
    """Return a test's model, without inputs and without numbers of consumers, which every mutation would make wrong."""
    built = build_model(test)
    try:
        contents = []
        for pool in built.pools:
            with mapped(pool, writable=False) as view:
                contents.append(bytes(view))
    finally:
        close_pools(built)
    relaxed = built.relax_computation_float32_to_float16
    extensions = built.extension_name_to_prefix
    main, *referenced = map(_uncounted, (built.main, *built.referenced))
    values = built.operand_values
    return FuzzedModel(main, tuple(referenced), values, tuple(contents), relaxed, extensions, seed)


def _uncounted(graph: hal.Subgraph) -> hal.Subgraph:
    operands = tuple(msgspec.structs.replace(operand, number_of_consumers=None) for operand in graph.operands)
    return msgspec.structs.replace(graph, operands=operands)


MOST_BYTES: Final = 1 << 16
"""Most bytes of all inputs, and of all outputs; a model that needs more is not executed."""
_UNKNOWN: Final = 2
"""Size in a request of a dimension that the model leaves open."""
_OUTPUT_BYTES: Final = 256
"""Bytes of an output whose size is not known."""
_ALIGNMENT: Final = 64
"""Offsets of arguments in the memory are multiples of this."""
_TRUTH: Final = bytes(code & 1 for code in range(256))
"""Table that maps any byte to 0 or 1, for values of BOOL8."""
_SMALL: Final = (0, 1, 2, 3, -1)
"""Ordinary values of integer inputs."""
_EXTREME: Final = (0, 1, -1, 5, 1000, INT32_MAX, INT32_MIN)
"""Extreme values of integer inputs, such as indexes, lengths and keys; one seed of four uses them."""


class RequestMemory:
    """Memory that requests use one after the other: outputs behind inputs, in as few pages as they need."""

    def __init__(self) -> None:
        """Create the memory; it is closed when this object is garbage."""
        self.pool: hal.Ashmem = create_ashmem(2 * MOST_BYTES)

    def request(self, model: hal.Model, seed: int) -> hal.Request | None:
        """Return a request and write its inputs; None: they are too large, or an operand does not exist."""
        main = model.main
        indexes = (*main.input_indexes, *main.output_indexes)
        if indexes and not 0 <= min(indexes) <= max(indexes) < len(main.operands):
            return None
        inputs, used = _arguments([main.operands[index] for index in main.input_indexes], 0, are_outputs=False)
        outputs, end = _arguments([main.operands[index] for index in main.output_indexes], used, are_outputs=True)
        if max(used, end - used) > MOST_BYTES:
            return None
        self._write(main.input_indexes, inputs, model, seed)
        # A driver maps all of the memory. Less memory is faster, and an access behind it faults earlier.
        pages = max(-(-end // mmap.PAGESIZE), 1)
        return hal.Request(tuple(inputs), tuple(outputs), (hal.Ashmem(self.pool.handle, pages * mmap.PAGESIZE),))

    def _write(
        self, indexes: tuple[int, ...], arguments: list[hal.RequestArgument], model: hal.Model, seed: int
    ) -> None:
        source = random.Random(seed)  # noqa: S311 - no secret
        for index, argument in zip(indexes, arguments, strict=True):
            data = _content(model.main.operands[index].type, argument.location.length, source)
            os.pwrite(self.pool.handle.fd, data, argument.location.offset)


def _content(operand_type: int, size: int, source: random.Random) -> bytes:
    """Return values of an input: small integers, reals around zero, or any codes."""
    if operand_type in (hal.OperandType.TENSOR_INT32, hal.OperandType.INT32, hal.OperandType.UINT32):
        palette = _SMALL if source.randrange(4) else _EXTREME
        return np.array(source.choices(palette, k=-(-size // 4)), np.int32).tobytes()[:size]
    content = source.randbytes(size)
    if operand_type in (hal.OperandType.TENSOR_FLOAT32, hal.OperandType.FLOAT32):
        codes = np.frombuffer(content[: size // 4 * 4], np.int32)
        return (codes / np.float32(2**30)).astype(np.float32).tobytes()
    if operand_type in (hal.OperandType.TENSOR_BOOL8, hal.OperandType.BOOL):
        return content.translate(_TRUTH)
    return content


def _arguments(operands: list[hal.Operand], begin: int, *, are_outputs: bool) -> tuple[list[hal.RequestArgument], int]:
    """Return arguments that lie side by side from an offset on, and the offset of their end."""
    found, offset = [], begin
    for operand in operands:
        info = OPERAND_TYPES.get(operand.type)
        dimensions: tuple[int, ...] = ()
        if info is not None and not info.is_tensor:
            size = info.size
        else:
            if 0 in operand.dimensions and not are_outputs:
                dimensions = tuple(dimension or _UNKNOWN for dimension in operand.dimensions)
            size = byte_size(operand.type, dimensions or operand.dimensions) if info is not None else _OUTPUT_BYTES
            is_open = not operand.dimensions or (0 in operand.dimensions and are_outputs)
            size = _OUTPUT_BYTES if is_open and are_outputs else size
        found.append(hal.RequestArgument(location=hal.DataLocation(0, offset, size), dimensions=dimensions))
        offset += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
    return found, offset
