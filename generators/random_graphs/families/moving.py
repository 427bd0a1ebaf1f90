"""PACK, MIRROR_PAD, REVERSE, and what HAL 1.3 and later levels brought to RESHAPE, RANK and RSQRT."""

from __future__ import annotations

from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.families.reshaping import SIGNATURES as RESHAPING
from nnvet.generators.random_graphs.families.values import coded
from nnvet.generators.random_graphs.operands import random_scale, reach_of
from nnvet.generators.random_graphs.shapes import Axis, Shape, fixed, free
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.padding import REFLECT, SYMMETRIC

_T = OperandType
_O = OperationType
_MOST_PACKED: Final = 4
_MOST_PADDING: Final = 5
_MOST_RANK_REVERSED: Final = 8
_MOST_NEGATIVE: Final = 48
"""Codes below zero."""


def _pack(draft: Draft) -> None:
    count = draft.chooser.integer(1, _MOST_PACKED)
    draft.integer(0, draft.rank)
    first = draft.input(free(draft.rank, times=count))
    for _ in range(count - 1):
        draft.input(fixed(first.dimensions), quantization=first.quantization if draft.is_quantized else None)
    draft.same(first)


def _mirror(draft: Draft) -> None:
    """Paddings are at most as large as the dimension, without its edge where that is not repeated."""
    mode = draft.chooser.pick((REFLECT, SYMMETRIC))
    edge = 1 if mode == REFLECT else 0
    pairs, left = [], draft.limits.elements
    for _ in range(draft.rank):
        # The smallest dimension is as large as the paddings at both ends, and the edge.
        most = min(_MOST_PADDING, (left - 1) // 3)
        pair = draft.chooser.integer(0, most), draft.chooser.integer(0, most)
        pairs.append(pair)
        left //= max(1, max(pair) + edge) + sum(pair)
    axes = tuple(Axis(least=max(1, max(pair) + edge), margin=sum(pair)) for pair in pairs)
    source = draft.input(Shape(axes))
    draft.numbers(pairs)
    draft.number(mode)
    draft.same(source)


def _reverse(draft: Draft) -> None:
    source = draft.input()
    draft.numbers([draft.chooser.integer(0, draft.rank - 1)])
    draft.same(source)


def _rank(draft: Draft) -> None:
    dimensions = free(draft.rank).choose(draft.chooser, draft.limits)
    coded(draft, draft.kind, dimensions, (random_scale(draft.chooser), 0))
    draft.output(_T.INT32, reach=float(draft.rank), connects=False)


def _inverse_root(draft: Draft) -> None:
    """Codes from the zero point down give the highest code, so that most codes of a new tensor lie above it."""
    source = draft.input()
    lowest_code = -128 if draft.kind == _T.TENSOR_QUANT8_ASYMM_SIGNED else 0
    # An operand of an earlier operation has the quantisation that this one has decided on.
    if source.is_new:
        source.zero_point = lowest_code + draft.chooser.integer(0, _MOST_NEGATIVE)
        source.reach = reach_of(source.type, source.quantization)
    largest = 1 / source.scale**0.5
    draft.output(quantization=(random_scale(draft.chooser, largest / 255, largest / 100), lowest_code))


_RESHAPE: Final = next(signature.build for signature in RESHAPING if signature.operation == _O.RESHAPE)
SIGNATURES: Final[tuple[OperationSignature, ...]] = (
    *further(_O.PACK, _pack),
    *further(_O.MIRROR_PAD, _mirror),
    *further(_O.REVERSE, _reverse, range(1, _MOST_RANK_REVERSED + 1)),
    *further(_O.RESHAPE, _RESHAPE, only=(FeatureLevel.FL6,)),
    *further(_O.RANK, _rank, range(1, 6), variant="symmetric", where={"T": _T.TENSOR_QUANT8_SYMM}),
    *further(_O.RSQRT, _inverse_root, range(1, 6), only=(FeatureLevel.FL7,)),
)
