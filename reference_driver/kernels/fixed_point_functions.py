"""Transcendental functions in fixed point, to the bit, on whole arrays (docs/contract/operations/common.md 14.1).

As in :mod:`nnvet.reference_driver.kernels.fixed_point`, arrays are int64 holding int32 values. Qm is the format with m
integer bits and 31 - m fraction bits; Q0 holds values below 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.reference_driver.kernels.fixed_point import INT32_MAX, rdbp, srdhm

_ONE_EIGHTH = 1 << 28
ONE_THIRD = 715827883
EXP_OF_MINUS_ONE_EIGHTH = 1895147668
EXP_FACTORS = {-2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401, 4: 242}
"""e^-(2^key) in Q0."""
NEWTON_START = 1515870810
NEWTON_SLOPE = -1010580540
_HALF_SQRT_2 = 1518500250


def ssl(x: Any, exponent: int) -> Any:
    """SSL: x * 2^exponent, saturated to int32."""
    x = np.asarray(x, dtype=np.int64)
    threshold = (1 << (31 - exponent)) - 1
    return np.where(x > threshold, INT32_MAX, np.where(x < -threshold, -INT32_MAX - 1, x << exponent))


def expneg(a: Any, integer_bits: int) -> Any:
    """e^a in Q0 for a <= 0 in Q ``integer_bits`` (at most 5)."""
    a = np.asarray(a, dtype=np.int64)
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    reduced = (a & (quarter - 1)) - quarter
    remainder = reduced - a
    result = _exp_of_quarter(ssl(reduced, integer_bits))
    for exponent, factor in EXP_FACTORS.items():
        if integer_bits > exponent:
            is_set = (remainder >> (fraction_bits + exponent)) & 1
            result = np.where(is_set == 1, srdhm(result, factor), result)
    return np.where(a == 0, INT32_MAX, result)


def _exp_of_quarter(a: Any) -> Any:
    """e^a in Q0 for a in [-1/4, 0), by the Taylor series around -1/8."""
    x = a + _ONE_EIGHTH
    x2 = srdhm(x, x)
    x3 = srdhm(x2, x)
    x4 = srdhm(x2, x2)
    tail = rdbp(srdhm(rdbp(x4, 2) + x3, ONE_THIRD) + x2, 1)
    return EXP_OF_MINUS_ONE_EIGHTH + srdhm(EXP_OF_MINUS_ONE_EIGHTH, x + tail)


def recip1p(x: Any) -> Any:
    """1 / (1 + x) in Q0 for x in [0, 1) in Q0."""
    return ssl(_half_reciprocal(x), 1)


def ratio1p(x: Any) -> Any:
    """(1 - x) / (1 + x) in Q0 for x in [0, 1) in Q0."""
    return ssl(_half_reciprocal(x) - (1 << 29), 2)


def _half_reciprocal(x: Any) -> Any:
    """2 / (1 + x) in Q2, halved by the reader's choice of format: three Newton steps."""
    half_denominator = (np.asarray(x, dtype=np.int64) + 2**31) >> 1
    y = NEWTON_START + srdhm(half_denominator, NEWTON_SLOPE)
    for _ in range(3):
        y = y + ssl(srdhm(y, (1 << 29) - srdhm(half_denominator, y)), 2)
    return y


def logistic(a: Any) -> Any:
    """1 / (1 + e^-a) in Q0 for a in Q4."""
    a = np.asarray(a, dtype=np.int64)
    positive = recip1p(expneg(-np.abs(a), 4))
    return np.where(a == 0, 1 << 30, np.where(a > 0, positive, INT32_MAX - positive))


def tanh(a: Any) -> Any:
    """Hyperbolic tangent in Q0 of a in Q4."""
    a = np.asarray(a, dtype=np.int64)
    # Read as Q5 the same bits mean twice the value: tanh(a) = (1 - e^-2a) / (1 + e^-2a).
    return np.sign(a) * ratio1p(expneg(-np.abs(a), 5))


def invsqrt(v: Any) -> tuple[Any, Any]:
    """Multiplier M and exponent n with 1 / sqrt(v) ~ M / 2^31 * 2^n, for v >= 0; 0 counts as 1."""
    original = np.minimum(np.asarray(v, dtype=np.int64), INT32_MAX)
    v, k = np.maximum(original, 2), np.full(original.shape, 11, dtype=np.int64)
    while np.any(large := v >= 1 << 29):
        v, k = np.where(large, v // 4, v), k + large
    pairs = (31 - bit_length(v)) // 2 - 1
    k = k - pairs
    half = rdbp((v << (2 * pairs)) >> 1, 1)
    y = np.full_like(v, 1 << 28)
    for _ in range(5):
        cube = ssl(srdhm(srdhm(y, y), y), 6)
        y = ssl(srdhm((1 << 28) + (1 << 27), y) - srdhm(half, cube), 3)
    multiplier = srdhm(y, _HALF_SQRT_2) << np.maximum(-k, 0)
    trivial = original <= 1
    return np.where(trivial, INT32_MAX, multiplier), np.where(trivial, 0, -np.maximum(k, 0))


def bit_length(x: Any) -> Any:
    """Number of bits of integers from 0 to 2^53; 32 less this is what CLZ counts."""
    return np.frexp(np.asarray(x, dtype=np.float64))[1].astype(np.int64)
