"""TENSOR_QUANT8_SYMM_PER_CHANNEL: filters of convolutions, DEQUANTIZE and RANK."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.families import convolution
from nnvet.generators.random_graphs.families.values import codes
from nnvet.generators.random_graphs.operands import PLAIN, DraftOperand, float32, random_quantization
from nnvet.generators.random_graphs.shapes import Dimensions, free
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.types import SymmPerChannelQuantParams

_T = OperandType
_O = OperationType
_PER_CHANNEL: Final = _T.TENSOR_QUANT8_SYMM_PER_CHANNEL
_MOST_CODE: Final = 127
_SPREAD: Final = 8.0
"""Scales of channels differ by up to this factor."""
_LARGEST_BIAS: Final = 4096


def by_channel(draft: Draft, dimensions: Dimensions, channel: int, largest: float) -> DraftOperand:
    """An input of codes with a scale for each index along an axis, none of them above ``largest``."""
    values = codes(draft.chooser, _PER_CHANNEL, dimensions, _MOST_CODE)
    operand = draft.given(_PER_CHANNEL, values, PLAIN, is_constant=False)
    scales = [float32(draft.chooser.real(largest / _SPREAD, largest)) for _ in range(dimensions[channel])]
    operand.channel_quant = SymmPerChannelQuantParams(tuple(scales), channel)
    operand.reach = _MOST_CODE * largest
    return operand


def weighted(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias, whose scale is 0: that of each channel is the product of those of input and filter."""
    source = draft.inputs[0]
    channel = dimensions.index(channels, 3) if draft.operation == _O.DEPTHWISE_CONV_2D else 0
    weights = by_channel(draft, dimensions, channel, largest=1 / _MOST_CODE)
    bias = codes(draft.chooser, _T.TENSOR_INT32, (channels,), _LARGEST_BIAS)
    draft.given(_T.TENSOR_INT32, bias, is_constant=False)
    # So that typical sums fill the range of the output, and some saturate.
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    scale = float32(source.scale * max(1.0, np.sqrt(terms)) / 2)
    return {"quantization": (scale, zero_point), "reach": terms * source.reach * weights.reach}


def _forms() -> Iterator[OperationSignature]:
    types = {"F": _PER_CHANNEL}
    for operation, build, forms in convolution.FORMS:
        for form in forms:
            made = partial(build, form=form, weighted=weighted)
            yield from further(operation, made, (4,), variant=f"per_channel_{form.name}", since=form.since, where=types)


def _any_by_channel(draft: Draft) -> None:
    dimensions = free(draft.rank).choose(draft.chooser, draft.limits)
    by_channel(draft, dimensions, draft.chooser.integer(0, draft.rank - 1), largest=1.0)


def _dequantize(draft: Draft, target: OperandType) -> None:
    _any_by_channel(draft)
    draft.output(target, reach=draft.inputs[0].reach)


def _rank(draft: Draft) -> None:
    _any_by_channel(draft)
    draft.output(_T.INT32, reach=float(draft.rank), connects=False)


SIGNATURES: Final = (
    *_forms(),
    *(
        signature
        for name, target in (("float32", _T.TENSOR_FLOAT32), ("float16", _T.TENSOR_FLOAT16))
        for signature in further(
            _O.DEQUANTIZE,
            partial(_dequantize, target=target),
            variant=f"per_channel_{name}",
            where={"T": _PER_CHANNEL, "O": target},
        )
    ),
    *further(_O.RANK, _rank, range(1, 6), variant="per_channel", where={"T": _PER_CHANNEL}),
)
