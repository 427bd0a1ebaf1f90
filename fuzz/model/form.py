"""A model as bytes: msgpack of the HAL's structures as the wire has them, with the bytes of its pools in place.

Changes of parts of a model: one operand, operation or subgraph for another.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.hal_model import build_model, close_pools, create_pool
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import ExtensionNameAndPrefix, Model, Operand, Operation, Subgraph

T = TypeVar("T")
MOST_PARTS: Final = 2000
"""Operands or operations of a subgraph: a model with more is not made larger."""


class NotApplicableError(Exception):
    """A mutation finds nothing to change in a model."""


def with_item(items: Sequence[T], position: int, value: T) -> tuple[T, ...]:
    """The items with one of them exchanged."""
    return (*items[:position], value, *items[position + 1 :])


def some(draw: random.Random, items: Sequence[T]) -> tuple[int, T]:
    """One of the items, with its position.

    :raises NotApplicableError: there is none.
    """
    if not items:
        raise NotApplicableError
    # A third of the time of randrange; of each input a dozen parts are picked.
    position = int(draw.random() * len(items))
    return position, items[position]


def pick_graph(draw: random.Random, model: FuzzedModel) -> tuple[int, Subgraph]:
    """A subgraph with its number; -1 is the main one, which is taken three times of four."""
    if model.referenced and not draw.randrange(4):
        return some(draw, model.referenced)
    return -1, model.main


def with_graph(model: FuzzedModel, number: int, graph: Subgraph) -> FuzzedModel:
    """The model with a subgraph exchanged."""
    if number < 0:
        return replace(model, main=graph)
    return replace(model, referenced=with_item(model.referenced, number, graph))


def with_operand(model: FuzzedModel, number: int, index: int, operand: Operand) -> FuzzedModel:
    """The model with an operand of a subgraph exchanged."""
    graph = model.main if number < 0 else model.referenced[number]
    return with_graph(model, number, replace(graph, operands=with_item(graph.operands, index, operand)))


def with_operation(model: FuzzedModel, number: int, index: int, operation: Operation) -> FuzzedModel:
    """The model with an operation of a subgraph exchanged."""
    graph = model.main if number < 0 else model.referenced[number]
    return with_graph(model, number, replace(graph, operations=with_item(graph.operations, index, operation)))


def written(model: FuzzedModel, operand: Operand, data: bytes) -> FuzzedModel:
    """The model with other bytes at the beginning of a constant.

    :raises NotApplicableError: its location is not within what the model has.
    """
    place = operand.location
    begin, end = place.offset, place.offset + len(data)
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        source = model.operand_values
    elif 0 <= place.pool_index < len(model.pools):
        source = model.pools[place.pool_index]
    else:
        raise NotApplicableError
    if len(data) > place.length or not 0 <= begin <= end <= len(source):
        raise NotApplicableError
    content = source[:begin] + data + source[end:]
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        return replace(model, operand_values=content)
    return replace(model, pools=with_item(model.pools, place.pool_index, content))


def element(operand_type: int, value: float) -> bytes:
    """A number as an element of a type, cut to its range.

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
"""A model with more is no input: descriptors are not what is tested."""


class FuzzedModel(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model that need not be valid. ``pools`` are the contents of its pools; inputs are made from ``seed``."""

    main: Subgraph
    referenced: tuple[Subgraph, ...] = ()
    operand_values: bytes = b""
    pools: tuple[bytes, ...] = ()
    relaxed: bool = False
    extensions: tuple[ExtensionNameAndPrefix, ...] = ()
    seed: int = 0


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(FuzzedModel)


def encode_model(model: FuzzedModel) -> bytes:
    """The bytes of a model.

    :raises OverflowError: a number has more than 64 bits.
    """
    return _encoder.encode(model)


def decode_model(data: bytes) -> FuzzedModel | None:
    """The model of some bytes; None: they are none."""
    try:
        model = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return model if len(model.pools) <= MOST_POOLS else None


class hal_model:  # noqa: N801 - reads as a with statement
    """The model as the HAL has it, with its pools for as long as the block runs."""

    __slots__ = ("_built",)

    def __init__(self, model: FuzzedModel) -> None:
        """Make its pools."""
        pools = tuple([create_pool(len(content), ((0, content),)) for content in model.pools])
        relaxed = bool(model.relaxed)
        self._built = Model(model.main, model.referenced, model.operand_values, pools, relaxed, model.extensions)

    def __enter__(self) -> Model:
        """The model."""
        return self._built

    def __exit__(self, *_: object) -> None:
        """Close its pools."""
        close_pools(self._built)


def of_test(test: TestModel, seed: int = 0) -> FuzzedModel:
    """A test's model; its inputs are not kept, nor numbers of consumers, which every change would make wrong."""
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


def _uncounted(graph: Subgraph) -> Subgraph:
    operands = tuple(msgspec.structs.replace(operand, number_of_consumers=None) for operand in graph.operands)
    return msgspec.structs.replace(graph, operands=operands)
