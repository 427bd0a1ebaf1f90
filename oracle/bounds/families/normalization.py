"""Bound rules of SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.

All of them use running error analysis (:mod:`nnvet.oracle.bounds.running`) along the last dimension.
"""

from collections.abc import Callable, Sequence
from math import frexp
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, compounded, spread_of
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.invocation import Array, Tensor, in_layout, in_nhwc

_SMALLEST_NORM: Final = 1e-6
"""L2_NORMALIZATION divides by no smaller norm."""
_FLOAT32_UNIT: Final = 2.0**-24
"""Unit roundoff of float32."""
_FIXED_POINT: Final = {O.SOFTMAX: 0.01, O.L2_NORMALIZATION: 0.25}
"""Codes by which the fixed-point recipes of the contract are off before the last rounding."""
_HALF: Final = 0.5
"""Mantissa of powers of two."""
_WORDS: Final = ("running error analysis", "running error analysis, sums in any order")


def _softmax(x: Running, beta: float) -> Running:
    powers = _scaled(x, beta).exp()
    return powers / powers.sum().spread_out()


def _below_largest(x: Running) -> Running:
    """Return differences from the largest element, which all have its error, except its difference from itself."""
    shift = x.value.max(-1, keepdims=True)
    spread = x.error + x.error.max(-1, keepdims=True)
    found = x.value - shift
    is_close = found + spread >= 0
    spread = np.where(is_close & (is_close.sum(-1, keepdims=True) == 1), 0.0, spread)
    return Running(found, spread + x.unit * (np.abs(found) + spread), x.unit)


def _log_softmax(x: Running, beta: float) -> Running:
    scaled = _scaled(x, beta)
    return scaled - scaled.exp().sum().log().spread_out()


def _scaled(x: Running, beta: float) -> Running:
    """Return differences from the largest element times beta, with the errors of both orders of the two steps.

    The contract's semantics subtract first. The documentation of LOG_SOFTMAX multiplies first, and so do drivers whose
    library has no beta, such as JAX. If beta is a power of two, products are exact and both orders give the same.
    """
    found = _below_largest(x) * beta
    if abs(frexp(beta)[0]) == _HALF:
        return found
    multiplied = _below_largest(x * beta)
    return Running(found.value, np.maximum(found.error, multiplied.error), x.unit)


def _l2_normalization(x: Running) -> Running:
    norm = x.sum(squares=True).sqrt()
    return x / norm.clip(_SMALLEST_NORM, np.inf).spread_out()


def _local_response(x: Running, radius: int, bias: float, alpha: float, beta: float) -> Running:
    size = x.value.shape[-1]
    place = np.arange(size)[:, None] + np.arange(-min(radius, size), min(radius, size) + 1)
    inside, place = (place >= 0) & (place < size), np.clip(place, 0, size - 1)
    window = Running(np.where(inside, x.value[..., place], 0.0), np.where(inside, x.error[..., place], 0.0), x.unit)
    squares = window.sum(squares=True)
    slid = Running(squares.value, squares.error + _slid(squares, window, radius), x.unit)
    return x * (slid * alpha + bias).power(-beta)


def _slid(squares: Running, window: Running, radius: int) -> Array:
    """Return the further error of a running sum in float32, which takes each square in and out again.

    Source: docs/contract/operations/LOCAL_RESPONSE_NORMALIZATION.md, semantics: the reference forms a running sum.
    """
    size = squares.value.shape[-1]
    cells = np.arange(size)
    steps = np.minimum(cells + radius + 1, size) + np.maximum(cells - radius, 0)
    # The new square is added before the old one is subtracted.
    total = squares.value + squares.error + (np.abs(window.value) + window.error).max(-1) ** 2
    off: Array = compounded(_FLOAT32_UNIT, steps) * np.maximum.accumulate(total, -1)
    return off


def _instance(x: Running, gamma: float, beta: float, epsilon: float, *, one_pass: bool) -> Running:
    deviation, variance = spread_of(x, one_pass=one_pass)
    return deviation * gamma / (variance + epsilon).sqrt().spread_out() + beta


def _estimate_along(
    call: EstimatedCall, axis: int, of: Callable[[Running], Running], unit: float | None = None
) -> Sequence[Estimate]:
    """Apply ``of``, a function of the last dimension, along ``axis``, and return the estimates."""
    exact = call.precision.sum_unit if unit is None else unit
    value, error = (np.moveaxis(array, axis, -1) for array in (call.value(0), call.error(0)))
    found = of(Running(value, error, exact))
    slack = 0.0 if call.output.is_float else _FIXED_POINT[call.operation]
    value, error = (np.moveaxis(array, -1, axis) for array in (found.value, found.error))
    return [stored(call, value, error, slack=slack)]


def _axis(call: EstimatedCall, position: int) -> int:
    """Return the axis at a position, the last one where the list is shorter."""
    return int(call.parameters.number(position)) if len(call.inputs) > position else -1


def _estimate_softmax(call: EstimatedCall) -> Sequence[Estimate]:
    beta = call.parameters.number(1)
    return _estimate_along(call, _axis(call, 2), lambda x: _softmax(x, beta))


def _estimate_log_softmax(call: EstimatedCall) -> Sequence[Estimate]:
    beta = call.parameters.number(1)
    return _estimate_along(call, _axis(call, 2), lambda x: _log_softmax(x, beta), call.precision.unit)


def _estimate_l2(call: EstimatedCall) -> Sequence[Estimate]:
    return _estimate_along(call, _axis(call, 1), _l2_normalization)


def _estimate_local_response(call: EstimatedCall) -> Sequence[Estimate]:
    scalars = call.parameters.numbers(1, 4)
    return _estimate_along(call, _axis(call, 5), lambda x: _local_response(x, *scalars))


def _estimate_instance(call: EstimatedCall, *, one_pass: bool = False) -> Sequence[Estimate]:
    gamma, beta, epsilon = call.parameters.numbers(1, 3)
    nchw = call.parameters.flag(4)

    def cells(image: Array) -> Array:
        found = in_nhwc(Tensor.of(image), nchw=nchw).array
        return np.moveaxis(found, 3, 1).reshape(found.shape[0], found.shape[3], -1)

    values, errors = cells(call.value(0)), cells(call.error(0))
    found = _instance(Running(values, errors, call.precision.unit), gamma, beta, epsilon, one_pass=one_pass)
    # All steps are of the element type: of float16 the sum of the squares is soon infinite, and the results are zeros.
    sizes = np.abs(values) + errors
    largest = np.fmax(sizes.sum(-1, keepdims=True), np.square(sizes).sum(-1, keepdims=True))
    error = np.where(largest > call.precision.stepwise.largest_step, np.inf, found.error)
    n, h, w, c = in_nhwc(Tensor.of(call.value(0)), nchw=nchw).dims

    def image(rows: Array) -> Array:
        return in_layout(Tensor.of(np.moveaxis(rows.reshape(n, c, h, w), 1, 3)), nchw=nchw).array

    return [stored(call, image(found.value), image(error))]


def one_pass_error(call: EstimatedCall) -> Array:
    """Return the error of INSTANCE_NORMALIZATION where its variance is formed in one pass."""
    return _estimate_instance(call, one_pass=True)[0].error


RULES: Final[dict[O, BoundRule]] = {
    O.SOFTMAX: BoundRule(_estimate_softmax, *_WORDS),
    O.LOG_SOFTMAX: BoundRule(_estimate_log_softmax, *_WORDS),
    O.L2_NORMALIZATION: BoundRule(_estimate_l2, *_WORDS),
    O.LOCAL_RESPONSE_NORMALIZATION: BoundRule(_estimate_local_response, *_WORDS),
    O.INSTANCE_NORMALIZATION: BoundRule(_estimate_instance, *_WORDS),
}
