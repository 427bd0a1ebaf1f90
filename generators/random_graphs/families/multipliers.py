"""Convolutions and FULLY_CONNECTED of codes whose sums are multiplied by unusual numbers to become codes.

Beside biases that are far larger than all products it is a number below 2^-13: kernels that shift to the right have to
shift far. Where few weights are not zero it may be above 1: they have to shift to the left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.generators.random_graphs.draft import Draft, product_scale
from nnvet.generators.random_graphs.families import convolution
from nnvet.generators.random_graphs.families.values import codes
from nnvet.generators.random_graphs.operands import float32, random_integers, random_quantization, random_scale
from nnvet.generators.random_graphs.shapes import Dimensions, fixed
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_T = OperandType
_FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
_DIGITS: Final = (21, 25)
"""Binary digits of the largest bias: sums of all operations of random models have fewer than 31."""
_CODES: Final = 96
"""Codes of the output that the largest bias is worth."""
_FACTORS: Final = (0.5, 4.5)
"""Range of the factors for sums of few products."""
_SMALL_BIAS: Final = 16
_ZERO: Final = 100


def _large_bias(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias; the output covers the biases, and products move it by a few codes."""
    del terms
    weights = draft.input(fixed(dimensions))
    scale = product_scale(draft.inputs[0], weights)
    largest = 2 ** draft.chooser.integer(*_DIGITS)
    bias = codes(draft.chooser, _T.TENSOR_INT32, (channels,), largest)
    draft.given(_T.TENSOR_INT32, bias, (scale, 0), is_constant=False)
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    return {"quantization": (float32(largest / _CODES * scale), zero_point)}


def _small_sums(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add a filter of which about one weight of each sum is 1 or -1, all others 0, and a small bias."""
    chooser, middle = draft.chooser, 128 if draft.kind == _T.TENSOR_QUANT8_ASYMM else 0
    zero_point = middle + chooser.integer(-_ZERO, _ZERO)
    drawn = random_integers(chooser, int(np.prod(dimensions)), -1, max(2 * terms - 2, 1)).reshape(dimensions)
    weights = np.where(drawn > 1, 0, drawn) + zero_point
    draft.given(draft.kind, weights, (random_scale(chooser), zero_point), is_constant=False)
    scale = product_scale(*draft.inputs)
    bias = codes(chooser, _T.TENSOR_INT32, (channels,), _SMALL_BIAS)
    draft.given(_T.TENSOR_INT32, bias, (scale, 0), is_constant=False)
    return {"quantization": (float32(scale / chooser.real(*_FACTORS)), middle + chooser.integer(-_ZERO, _ZERO))}


def _forms() -> Iterator[OperationSignature]:
    unusual = {"large_bias": _large_bias, "small_sums": _small_sums}
    for variant, weighted in unusual.items():
        made = partial(further, variant=variant, since=FeatureLevel.FL3, without=_FLOATS)
        for operation, build, forms in convolution.FORMS:
            form = next(form for form in forms if form.layout and not form.explicit)
            yield from made(operation, partial(build, form=form, weighted=weighted), (4,))
        build = partial(convolution.fully_connected, weighted=weighted)
        yield from made(OperationType.FULLY_CONNECTED, build, (2,))


SIGNATURES: Final = tuple(_forms())
