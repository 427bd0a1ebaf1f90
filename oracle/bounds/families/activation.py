"""Bound rules of activations: RELU, RELU1, RELU6, LOGISTIC, TANH, ELU and HARD_SWISH."""

from functools import partial
from math import exp, floor, frexp
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import ENDS, EXACT, UNDECIDED_NAN, elementwise, interval, unrounded
from nnvet.oracle.bounds.precision import Estimate, corners, lipschitz
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import LocalError, of_magnitude, stored
from nnvet.oracle.operations.activation import REAL_BOUNDS, logistic_float, relu_code, tanh_float
from nnvet.oracle.operations.invocation import Array

_SIGMOID: Final = of_magnitude(4, lambda _call, value: np.maximum(np.abs(value), 0.5), "the result, or of 1/2")
_IN_RANGE: Final = f"{ENDS}, in the range of the function"
_ABOVE: Final = 8.0
"""Results may exceed 1 by this many units of roundoff."""
_CUT: Final = 15
"""Quantised LOGISTIC and TANH saturate from this real number on, which is rounded down to a power of two first."""
_JUST: Final = 1 - 2.0**-20
"""Factor that brings a number safely below the limit ``_CUT``, however the product is rounded."""
_KNEE: Final = 3.0
"""HARD_SWISH is 0 below minus this number, and x above it."""
_SIX: Final = 6.0
"""HARD_SWISH is x * min(max(x + 3, 0), 6) / 6: a driver may multiply x by up to this number before it divides."""
_SWISH_STEPS: Final = 1.5
"""The slack of the quantised HARD_SWISH, in codes; less where the output's codes are coarse."""
_INT16: Final = 2.0**-15
"""The distance of fixed-point numbers of 16 bits between -1 and 1."""


def _relu(name: str, call: EstimatedCall) -> list[Estimate]:
    """Estimate RELU, RELU1 or RELU6; codes are clamped without requantisation."""
    source = call.estimate(0)
    if source.as_operand.is_float:
        low, high = REAL_BOUNDS[name]
        high = np.inf if name == "RELU" else high
    else:
        limits = source.as_operand.limits
        low, high = (relu_code(name, end, (source.scale, source.zero_point), *limits) for end in limits)
    clamp = partial(np.clip, a_min=low, a_max=high)
    value = clamp(source.value)
    error = np.where(np.isnan(source.value), np.inf, corners(clamp, (source.value, source.error), middle=value))
    return [unrounded(call.output, value, error)]


def _logistic_limits(call: EstimatedCall) -> tuple[float, float]:
    return 0.0, 1 + _ABOVE * call.precision.unit


def _tanh_limits(call: EstimatedCall) -> tuple[Array, Array]:
    """Return the limits of TANH: results have the sign of the argument, or are zero."""
    x, error = interval(call, 0)
    largest = 1 + _ABOVE * call.precision.unit
    return np.where(x - error > 0, 0.0, -largest), np.where(x + error < 0, 0.0, largest)


def _saturation(name: str, amplitude: float, call: EstimatedCall) -> Array | float:
    """Return the number of codes by which the fixed-point form is off for arguments at which it saturates too early.

    Source: docs/contract/operations/LOGISTIC.md, R.
    """
    scale = call.parameters.inputs[0].scale
    if call.output.is_float:
        return 0.0
    end = floor(_CUT * 2.0 ** -frexp(scale)[1]) * scale
    x, error = interval(call, 0)
    return np.where(np.abs(x) + error >= end * _JUST, amplitude * exp(-end * (1 if name == "LOGISTIC" else 2)), 0.0)


def _elu_of(x: Any, alpha: Any) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0)))


def _elu(call: EstimatedCall) -> list[Estimate]:
    """Estimate ELU; a negative alpha and a NaN have no agreed meaning."""
    x, alpha = interval(call, 0), interval(call, 1)
    value, below = _elu_of(x[0], alpha[0]), np.minimum(x[0], 0.0)
    is_open = np.isnan(x[0]) | (alpha[0] < 0)
    magnitude = np.abs(value) + np.where(below < 0, np.abs(alpha[0]) * np.exp(below) * (1 + np.abs(below)), 0.0)
    local = LocalError(shared=2 * call.precision.sum_unit * np.nan_to_num(magnitude, nan=0.0))
    return [stored(call, value, np.where(is_open, np.inf, corners(_elu_of, x, alpha, middle=value)), local)]


def _hard_swish(x: Any) -> Any:
    return x * np.clip(x / 6 + 0.5, 0, 1)


def _swish_slope(x: Array) -> Array:
    """Return the slope of HARD_SWISH. Beyond the knees it is smaller, but an interval may reach across one."""
    return np.clip(x, -_KNEE, _KNEE) / 3 + 0.5


def _hard_swish_estimate(call: EstimatedCall) -> list[Estimate]:
    """Estimate HARD_SWISH, whose quantised form is computed in 16-bit integers."""
    x, error = interval(call, 0)
    spread = lipschitz(_swish_slope)(_hard_swish, (x, error))
    # Minus infinity becomes infinity times zero, and 6 * x may overflow before it is divided.
    spread = np.where(np.isneginf(x) | (6 * np.abs(x) > call.precision.largest_step), np.inf, spread)
    if call.output.is_float:
        # A driver may compute x * 6 before it divides by 6.
        spread = np.where(_SIX * np.abs(x) > call.precision.infinite, np.inf, spread)
        # Near -3 one of the factors is a small difference of large numbers.
        magnitude = np.where(np.abs(x) <= _KNEE + 1, np.abs(x), 0.0) + np.abs(_hard_swish(x))
        return [stored(call, _hard_swish(x), spread, LocalError(shared=2 * call.precision.sum_unit * magnitude))]
    scale, target = call.parameters.inputs[0].scale, call.output.scale
    slack = _SWISH_STEPS * 2.0 ** min(frexp(scale / 128 / target)[1], 0)
    return [stored(call, _hard_swish(x), spread, LocalError(shared=2 * _INT16 * np.abs(x)), slack=slack)]


RULES: Final[dict[O, BoundRule]] = {
    **{O[name]: BoundRule(partial(_relu, name), ENDS, EXACT, UNDECIDED_NAN) for name in REAL_BOUNDS},
    O.LOGISTIC: elementwise(
        lambda _: logistic_float,
        local=_SIGMOID,
        slack=partial(_saturation, "LOGISTIC", 256.0),
        limits=_logistic_limits,
        propagation=_IN_RANGE,
    ),
    O.TANH: elementwise(
        lambda _: tanh_float,
        local=_SIGMOID,
        slack=partial(_saturation, "TANH", 256.0),
        limits=_tanh_limits,
        propagation=_IN_RANGE,
    ),
    O.ELU: BoundRule(
        _elu,
        ENDS,
        "2 units of roundoff of the result and of alpha * e^x * (1 + |x|), and rounded",
        "what becomes of a NaN; a negative alpha",
    ),
    O.HARD_SWISH: BoundRule(
        _hard_swish_estimate,
        "error of the input times the largest slope",
        "2 units of roundoff of the result and of |x| below 4, and rounded; codes: 1.5 steps of 16-bit integers",
    ),
}
