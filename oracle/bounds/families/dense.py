"""FULLY_CONNECTED and BATCH_MATMUL."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import interval
from nnvet.oracle.bounds.products import WORDS, Linear, bias_of, of_products
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.fused_activation import wrap
from nnvet.oracle.operations.tensor import Array


def fully_connected(call: EstimatedCall) -> Linear:
    """The sums of FULLY_CONNECTED, with the bias."""

    def linear(x: Array, weights: Array, bias: Array) -> Array:
        found: Array = x.reshape(-1, weights.shape[1]) @ weights.T + bias
        return found

    inputs = [interval(call, 0), interval(call, 1), bias_of(call, np.array(call.parameters.inputs[1].scale))]
    return Linear(linear, inputs, inputs[1][0].shape[1] + 1)


def _fully_connected(call: EstimatedCall) -> Sequence[Estimate]:
    scales = np.array(call.parameters.inputs[1].scale)
    return [of_products(call, fully_connected(call), call.parameters.number(3), scales)]


def batch_matmul(call: EstimatedCall) -> Linear:
    """The sums of BATCH_MATMUL."""
    flags = [call.parameters.flag(position) for position in (2, 3)]

    def linear(*factors: Array) -> Array:
        x, y = (factor.swapaxes(-1, -2) if adjoint else factor for factor, adjoint in zip(factors, flags, strict=True))
        found: Array = x @ y
        return found

    inputs = [interval(call, 0), interval(call, 1)]
    return Linear(linear, inputs, inputs[0][0].shape[-2 if flags[0] else -1])


def _batch_matmul(call: EstimatedCall) -> Sequence[Estimate]:
    made = batch_matmul(call)
    if call.output.type == OperandType.TENSOR_INT32:
        x, y = (call.estimate(position).value for position in range(2))
        return [stored(call, wrap(made.of(x, y)), made.spread)]
    # The contract rounds every step to the element type.
    precision = replace(call.precision, sum_bits=call.precision.bits)
    return [of_products(call, made, None, np.array(call.parameters.inputs[1].scale), precision)]


RULES: Final[dict[O, BoundRule]] = {
    O.FULLY_CONNECTED: BoundRule(_fully_connected, *WORDS),
    O.BATCH_MATMUL: BoundRule(_batch_matmul, *WORDS),
}
