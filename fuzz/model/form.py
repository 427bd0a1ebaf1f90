"""A model as bytes: msgpack of the HAL's structures as the wire has them, with the bytes of its pools in place."""

from __future__ import annotations

from typing import Final

import msgspec

from nnvet.generators.graphs.hal_model import build_model, close_pools, create_pool
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import ExtensionNameAndPrefix, Model, Subgraph

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


def encoded(model: FuzzedModel) -> bytes:
    """The bytes of a model.

    :raises OverflowError: a number has more than 64 bits.
    """
    return _encoder.encode(model)


def decoded(data: bytes) -> FuzzedModel | None:
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
