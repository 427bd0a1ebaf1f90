"""CONCATENATION, SPLIT, TILE, PAD, PAD_V2: tensors that grow or are taken apart along axes."""

from __future__ import annotations

from functools import partial
from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import DraftOperand
from nnvet.generators.random_graphs.shapes import Axis, Shape, fixed
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_T = OperandType
_O = OperationType
_MOST_REPEATED: Final = 5
_PAD_CODES: Final = {_T.TENSOR_QUANT8_ASYMM: (0, 255), _T.TENSOR_QUANT8_ASYMM_SIGNED: (-128, 127)}
_PAD_REACH: Final = 10.0


def _concatenation(draft: Draft, count: int) -> None:
    """The sizes along the axis differ; at HAL 1.0 all inputs and the output have one quantisation."""
    axis = draft.chooser.integer(0, draft.rank - 1)
    # Every part leaves enough for the smallest of those after it.
    first = draft.input(Shape(tuple(Axis(margin=count - 1 if i == axis else 0) for i in range(draft.rank))))
    common = first.quantization if draft.is_first_level else None
    used = first.dimensions[axis]
    for left in reversed(range(count - 1)):
        axes = list(fixed(first.dimensions).axes)
        axes[axis] = Axis(margin=used + left)
        part = draft.input(Shape(tuple(axes)), quantization=common)
        used += part.dimensions[axis]
    draft.number(axis)
    draft.output(quantization=common)


def _split(draft: Draft, count: int) -> None:
    axis = draft.chooser.integer(0, draft.rank - 1)
    source = draft.input(Shape(tuple(Axis(step=count if i == axis else 1) for i in range(draft.rank))))
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    draft.number(count)
    for _ in range(count):
        draft.same(source)


def _tile(draft: Draft) -> None:
    factors, left = [], draft.limits.elements
    for _ in range(draft.rank):
        factors.append(draft.chooser.integer(1, min(_MOST_REPEATED, left)))
        left //= factors[-1]
    source = draft.input(Shape(tuple(Axis(factor=factor) for factor in factors)))
    draft.numbers(factors)
    draft.same(source)


def padded_input(draft: Draft) -> DraftOperand:
    """An input with paddings of a few cells at each end; the second operand."""
    pairs, left = [], draft.limits.elements
    for _ in range(draft.rank):
        most = min(draft.most_padding, (left - 1) // 2)
        pair = draft.chooser.integer(0, most), draft.chooser.integer(0, most)
        pairs.append(pair)
        left //= 1 + sum(pair)
    source = draft.input_padded_with_zero(Shape(tuple(Axis(margin=sum(pair)) for pair in pairs)))
    draft.numbers(pairs)
    return source


def _pad(draft: Draft) -> None:
    draft.same(padded_input(draft))


def _pad_with(draft: Draft) -> None:
    source = padded_input(draft)
    if draft.kind in _PAD_CODES:
        draft.integer(*_PAD_CODES[draft.kind])
    else:
        draft.real(-_PAD_REACH, _PAD_REACH)
    draft.same(source, reach=max(source.reach, _PAD_REACH))


SIGNATURES: Final = (
    *(
        signature
        for count in (2, 3)
        for build, operation, again in (
            # From HAL 1.2 on unsigned codes may differ in scale and zero point.
            (_concatenation, _O.CONCATENATION, {FeatureLevel.FL3: (_T.TENSOR_QUANT8_ASYMM,)}),
            (_split, _O.SPLIT, {}),
        )
        for signature in signatures(operation, partial(build, count=count), variant=str(count), again=again)
    ),
    *signatures(_O.TILE, _tile, range(1, 6)),
    *signatures(_O.PAD, _pad),
    *signatures(_O.PAD_V2, _pad_with),
)
