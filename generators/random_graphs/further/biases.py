"""Convolutions and FULLY_CONNECTED of codes whose biases are far larger than the products they are added to.

What a sum is multiplied by to become a code is below 2^-13 then: kernels that shift to the right have to shift far.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from nnvet.generators.random_graphs.draft import Draft, product_scale
from nnvet.generators.random_graphs.families import convolution
from nnvet.generators.random_graphs.further.values import codes
from nnvet.generators.random_graphs.operands import float32, random_quantization
from nnvet.generators.random_graphs.shapes import Dimensions, fixed
from nnvet.generators.random_graphs.signature import OperationSignature, further
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_T = OperandType
_FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
_DIGITS: Final = (21, 25)
"""Binary digits of the largest bias: sums of all operations of random models have fewer than 31."""
_CODES: Final = 96
"""Codes of the output that the largest bias is worth."""


def weighted(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias; the output covers the biases, and products move it by a few codes."""
    del terms
    weights = draft.input(fixed(dimensions))
    scale = product_scale(draft.inputs[0], weights)
    largest = 2 ** draft.chooser.integer(*_DIGITS)
    draft.given(
        _T.TENSOR_INT32, codes(draft.chooser, _T.TENSOR_INT32, (channels,), largest), (scale, 0), is_constant=False
    )
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    return {"quantization": (float32(largest / _CODES * scale), zero_point)}


def _forms() -> Iterator[OperationSignature]:
    for operation, build, forms in convolution.FORMS:
        form = next(one for one in forms if one.layout and not one.explicit)
        made = partial(build, form=form, weighted=weighted)
        yield from further(operation, made, (4,), variant="large_bias", since=FeatureLevel.FL3, without=_FLOATS)


SIGNATURES: Final = (
    *_forms(),
    *further(
        OperationType.FULLY_CONNECTED,
        partial(convolution.fully_connected, weighted=weighted),
        (2,),
        variant="large_bias",
        since=FeatureLevel.FL3,
        without=_FLOATS,
    ),
)
