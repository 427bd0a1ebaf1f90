"""CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.products import WORDS, Linear, bias_of, of_products
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.convolution import channel_scales, read_inputs, sums_of
from nnvet.oracle.operations.invocation import in_layout, in_nhwc
from nnvet.oracle.operations.tensor import Array, Tensor


def linear_of(call: EstimatedCall) -> Linear:
    """The sums of one of the four operations, with the bias."""
    given = read_inputs(call.parameters)
    weights = given.weights.dims

    def linear(image: Array, filters: Array, bias: Array) -> Array:
        nhwc = in_nhwc(Tensor.of(image), nchw=given.nchw)
        sums = sums_of(call.operation.name, replace(given, image=nhwc, weights=Tensor.of(filters), bias=bias))
        return in_layout(sums, nchw=given.nchw).array

    terms = prod(weights[1:3]) if call.operation == O.DEPTHWISE_CONV_2D else prod(weights[1:])
    inputs = [(call.value(0), call.error(0)), (call.value(1), call.error(1)), bias_of(call, _scales(call))]
    return Linear(linear, inputs, terms + 1)


def _scales(call: EstimatedCall) -> Array:
    return np.array(channel_scales(call.parameters.inputs[1]))


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    given = read_inputs(call.parameters)
    shape = [1] * 4
    shape[1 if given.nchw else 3] = -1
    return [of_products(call, linear_of(call), given.activation, _scales(call).reshape(shape))]


RULES: Final[dict[O, BoundRule]] = {
    O[name]: BoundRule(_estimate, *WORDS)
    for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D")
}
