"""16-bit fixed-point arithmetic of the quantised LSTMs, to the bit, on whole arrays.

Source: docs/contract/operations/common.md 14.2.
``Qm`` is a 16-bit number with m integer bits and 15 - m fraction bits. Arrays are int64 holding int16 values.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from nnvet.reference_driver.kernels.fixed_point import rdbp
from nnvet.reference_driver.kernels.fixed_point_functions import (
    EXP_FACTORS,
    EXP_OF_MINUS_ONE_EIGHTH,
    NEWTON_SLOPE,
    NEWTON_START,
    ONE_THIRD,
)
from nnvet.reference_driver.kernels.registry import Array

LOW, HIGH = -(2**15), 2**15 - 1


def saturate16(values: Any) -> Any:
    """Clamp to the int16 range."""
    return np.clip(values, LOW, HIGH)


def srdhm16(a: Any, b: Any) -> Any:
    """SRDHM_16: round(a * b / 2^15), halves toward plus infinity, saturating."""
    product = np.multiply(a, b, dtype=np.int64)
    # Only the product of two minimal values exceeds the range.
    return np.minimum((product + (1 << 14)) >> 15, HIGH)


def rescale16(values: Any, exponent: int) -> Any:
    """Resc_16: values * 2^exponent, saturating (``exponent`` at least 0)."""
    return saturate16(np.asarray(values, dtype=np.int64) << exponent)


def _constant(value: int) -> int:
    """A constant of the 32-bit formulas, rounded to 16 bits."""
    return int(rdbp(value, 16))


_EXP_OF_EIGHTH = _constant(EXP_OF_MINUS_ONE_EIGHTH)
_THIRD = _constant(ONE_THIRD)
_EXP_OF_POWERS = {exponent: _constant(factor) for exponent, factor in EXP_FACTORS.items()}
_START = _constant(NEWTON_START)
_SLOPE = _constant(NEWTON_SLOPE)


def _exp_of_quarter(a: Array) -> Array:
    """exp(a) in Q0 for a in [-1/4, 0) in Q0."""
    x = a + (1 << 12)
    x2 = srdhm16(x, x)
    x3, x4 = srdhm16(x2, x), srdhm16(x2, x2)
    series = rdbp(srdhm16(rdbp(x4, 2) + x3, _THIRD) + x2, 1)
    result: Array = saturate16(_EXP_OF_EIGHTH + srdhm16(_EXP_OF_EIGHTH, x + series))
    return result


def _exp_of_negative(a: Array, integer_bits: int) -> Array:
    """exp(a) in Q0 for a <= 0 with ``integer_bits``: a quarter's series times one constant for each bit."""
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    within = (a & (quarter - 1)) - quarter
    result = _exp_of_quarter(rescale16(within, integer_bits))
    rest = within - a
    for exponent, factor in _EXP_OF_POWERS.items():
        if integer_bits > exponent:
            result = np.where(rest >> (fraction_bits + exponent) & 1, srdhm16(result, factor), result)
    if integer_bits > 5:
        result = np.where(a < -(32 << fraction_bits), 0, result)
    return np.where(a == 0, HIGH, result)


def _reciprocal(a: Array) -> Array:
    """2 / (1 + a) in Q2 for a in [0, 1] in Q0, by three Newton steps."""
    total = a + HIGH
    half = (total + np.where(total >= 0, 1, -1)) // 2
    x = _START + srdhm16(half, _SLOPE)
    for _ in range(3):
        x = x + rescale16(srdhm16(x, (1 << 13) - srdhm16(half, x)), 2)
    result: Array = x
    return result


@cache
def _sigmoid_table() -> Array:
    codes = np.arange(LOW, HIGH + 1, dtype=np.int64)
    positive = rescale16(_reciprocal(_exp_of_negative(-np.abs(codes), 3)), 1)
    return np.where(codes == 0, 1 << 14, np.where(codes > 0, positive, HIGH - positive))


@cache
def _tanh_table(integer_bits: int) -> Array:
    codes = np.arange(LOW, HIGH + 1, dtype=np.int64)
    # Reading the same bits with one integer bit more doubles the number: tanh needs exp(-2 |a|).
    magnitude = rescale16(_reciprocal(_exp_of_negative(-np.abs(codes), integer_bits + 1)) - (1 << 13), 2)
    result: Array = np.sign(codes) * magnitude
    return result


def sigmoid16(values: Array) -> Array:
    """Logistic function of Q3 in Q0."""
    result: Array = _sigmoid_table()[values - LOW]
    return result


def tanh16(values: Array, integer_bits: int) -> Array:
    """Hyperbolic tangent in Q0 of a number with 0 to 6 integer bits."""
    result: Array = _tanh_table(integer_bits)[values - LOW]
    return result
