"""Fixed-point arithmetic of the quantised kernels, exact in every bit (docs/contract/operations/common.md 14).

Nearly all kernels use this module, and ``reference_driver/fused/machine.py`` has the same arithmetic for machine code.
``quantized_lstm.py`` has the 16-bit arithmetic.

Arrays are int64 holding int32 values; every function returns int64 unless it says otherwise. Also here: the rounding
between codes and real values (common.md 15), the fused activation of float kernels (common.md 10), and transcendental
functions (common.md 14.1). Qm is the format with m integer bits and 31 - m fraction bits; Q0 holds values below 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import FusedActivationFunc
from nnvet.hal.errors import failure
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels.registry import Array

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def quantize_multiplier(real: float) -> tuple[int, int]:
    """Return QM of a real multiplier: the pair (M, n) with real ~ M / 2^31 * 2^n.

    :raises HalError: GENERAL_FAILURE if it is infinite or no number, as quotients of infinite or tiny scales are.
    """
    if not math.isfinite(real):
        raise failure(f"a quotient of scales is {real}", "execution/status")
    fraction, exponent = math.frexp(real)
    mantissa = _nearest_integer(fraction * 2.0**31)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    if exponent < -31:
        return 0, 0
    return mantissa, exponent


def _nearest_integer(value: float) -> int:
    """Return the nearest integer, exact halves away from zero."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def srdhm(a: Any, b: Any) -> Any:
    """Return SRDHM: round(a * b / 2^31), halves toward plus infinity, saturating."""
    result = np.multiply(a, b, dtype=np.int64)
    result += 1 << 30
    result >>= 31
    # Only the product of the two lowest numbers, INT32_MIN squared, exceeds the range.
    return np.minimum(result, INT32_MAX)


def rdbp(x: Any, exponent: Any) -> Any:
    """Return RDBP: x / 2^exponent (0 to 31), halves away from zero; ``exponent`` may be an array."""
    x = np.asarray(x, dtype=np.int64)
    half = (np.int64(1) << np.asarray(exponent, dtype=np.int64)) >> 1
    # A negative x is lowered by 1, so that its exact halves round away from zero; exponent 0 rounds nothing.
    result = (x >> 63) * (half > 0)
    result += x
    result += half
    result >>= exponent
    return result


def mbqm(x: Any, multiplier: Any, exponent: Any) -> Any:
    """Return MBQM: x * multiplier / 2^31 * 2^exponent in two roundings; arguments broadcast (per channel).

    A left shift beyond the range of int32 saturates; the scalar kernels of the reference leave that case open.
    """
    x = np.asarray(x, dtype=np.int64)
    exponent = np.asarray(exponent, dtype=np.int64)
    if (exponent > 0).any():
        # Shifts by more than 31 saturate all the same.
        x = np.minimum(np.maximum(x << np.minimum(np.maximum(exponent, 0), 31), INT32_MIN), INT32_MAX)
    return rdbp(srdhm(x, multiplier), np.maximum(-exponent, 0))


_REAL_BOUNDS: dict[int, tuple[float, float | None]] = {
    FusedActivationFunc.RELU: (0.0, None),
    FusedActivationFunc.RELU1: (-1.0, 1.0),
    FusedActivationFunc.RELU6: (0.0, 6.0),
}
"""Least and largest real number behind each fused activation; None for no bound."""


def activation_codes(activation: int, output: Argument) -> tuple[int, int]:
    """Return the lowest and highest code after a fused activation, for the output's type, scale and zero point."""
    low, high = output.quantized_range
    if activation not in _REAL_BOUNDS:
        return low, high
    real_low, real_high = _REAL_BOUNDS[activation]
    return max(low, _code(real_low, output)), high if real_high is None else min(high, _code(real_high, output))


def _code(real: float, output: Argument) -> int:
    # Zero is the zero point whatever the scale, even one of 0.
    quotient = float(np.float32(real) / np.float32(output.scale)) if real else 0.0
    # With a tiny scale the quotient is infinite; any integer outside the range of codes stands for it.
    return output.zero_point + _nearest_integer(min(max(quotient, INT32_MIN), INT32_MAX))


def saturate(codes: Any, low: int, high: int, dtype: str) -> npt.NDArray[Any]:
    """Clamp int64 codes to [low, high] and store them as ``dtype``."""
    clamped: npt.NDArray[Any] = np.minimum(np.maximum(codes, low), high).astype(dtype)
    return clamped


def round_half_away(values: Any) -> Any:
    """Return nearest integers, exact halves away from zero, in the floating type given."""
    whole = np.trunc(values)
    return whole + np.where(np.abs(values - whole) >= 0.5, np.copysign(1, values), 0).astype(whole.dtype)


def dequantize(argument: Argument) -> Array:
    """Return real values (q - zero point) * scale in float32."""
    return centred(argument).astype(np.float32) * np.float32(argument.scale)


def centred(argument: Argument) -> Array:
    """Return codes less the zero point, int64."""
    return argument.array.astype(np.int64) - argument.zero_point


def quantize(values: Array, output: Argument) -> Array:
    """Return codes of float32 values for ``output``: zero point + round(x / scale), saturated; the highest for NaN."""
    low, high = output.quantized_range
    codes = round_half_away(values / np.float32(output.scale)) + np.float32(output.zero_point)
    return np.where(codes <= high, np.maximum(codes, low), high).astype(output.dtype)


def requantize(argument: Argument, output: Argument) -> Array:
    """Return codes of ``argument`` brought to scale and zero point of ``output``, saturated."""
    low, high = output.quantized_range
    real = dequantize(argument).astype(np.float64)
    codes = round_half_away(real / float(np.float32(output.scale)) + output.zero_point)
    return np.asarray(np.clip(codes, low, high), dtype=output.dtype)


def through_table(call: Call, name: str, compute: Callable[[Argument], Array]) -> Array:
    """Return the result of an 8-bit element-wise operation, looked up in a table of its results for all 256 codes.

    ``compute`` maps an argument to output codes; it sees the operand ``name`` with every code once. The table is
    kept for as long as the scales and zero points do not change.
    """
    argument, output = call[name], call.output

    def build() -> Array:
        codes = np.arange(256, dtype=np.uint8).view(argument.dtype)
        return compute(Argument(argument.type, codes.shape, argument.scale, argument.zero_point, None, codes))

    key = f"table {argument.scale} {argument.zero_point} {output.scale} {output.zero_point}"
    return call.memo(key, (), build)[argument.array.view(np.uint8)]


FLOAT_MAX = np.finfo(np.float32).max
"""Largest finite float32."""
FLOAT_BOUNDS = {
    FusedActivationFunc.NONE: (-FLOAT_MAX, FLOAT_MAX),
    FusedActivationFunc.RELU: (np.float32(0), FLOAT_MAX),
    FusedActivationFunc.RELU1: (np.float32(-1), np.float32(1)),
    FusedActivationFunc.RELU6: (np.float32(0), np.float32(6)),
}
"""Least and largest float32 behind each fused activation."""


def clamp(values: npt.NDArray[Any], activation: int) -> npt.NDArray[Any]:
    """Clamp float32 values in place; infinities become the largest finite numbers, NaN stays NaN."""
    low, high = FLOAT_BOUNDS[FusedActivationFunc(activation)]
    # np.clip costs more than these two calls for few values.
    np.maximum(values, low, out=values)
    np.minimum(values, high, out=values)
    return values


_ONE_EIGHTH = 1 << 28
"""1/8 in Q0, like the next two."""
ONE_THIRD = 715827883
"""1/3 in Q0."""
EXP_OF_MINUS_ONE_EIGHTH = 1895147668
"""exp(-1/8) in Q0."""
EXP_FACTORS = {-2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401, 4: 242}
"""Key k stands for e^-(2^k) in Q0."""
NEWTON_START = 1515870810
NEWTON_SLOPE = -1010580540
"""48/17 and -32/17 in Q2: the line that approximates 1 / d for d in [1/2, 1], from which Newton steps begin."""
_HALF_SQRT_2 = 1518500250
"""Half the square root of 2, in Q0."""


def ssl(x: Any, exponent: int) -> Any:
    """Return SSL: x * 2^exponent, saturated to int32."""
    x = np.asarray(x, dtype=np.int64)
    threshold = (1 << (31 - exponent)) - 1
    return np.where(x > threshold, INT32_MAX, np.where(x < -threshold, -INT32_MAX - 1, x << exponent))


def expneg(a: Any, integer_bits: int) -> Any:
    """Return e^a in Q0 for a <= 0 in Q ``integer_bits`` (at most 5)."""
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
    """Return e^a in Q0 for a in [-1/4, 0), by the Taylor series around -1/8."""
    x = a + _ONE_EIGHTH
    x2 = srdhm(x, x)
    x3 = srdhm(x2, x)
    x4 = srdhm(x2, x2)
    tail = rdbp(srdhm(rdbp(x4, 2) + x3, ONE_THIRD) + x2, 1)
    return EXP_OF_MINUS_ONE_EIGHTH + srdhm(EXP_OF_MINUS_ONE_EIGHTH, x + tail)


def recip1p(x: Any) -> Any:
    """Return 1 / (1 + x) in Q0 for x in [0, 1) in Q0."""
    return ssl(_half_reciprocal(x), 1)


def ratio1p(x: Any) -> Any:
    """Return (1 - x) / (1 + x) in Q0 for x in [0, 1) in Q0."""
    return ssl(_half_reciprocal(x) - (1 << 29), 2)


def _half_reciprocal(x: Any) -> Any:
    """Return 2 / (1 + x) in Q2 for x in [0, 1) in Q0, by three Newton steps for the reciprocal of (1 + x) / 2."""
    half_denominator = (np.asarray(x, dtype=np.int64) + 2**31) >> 1
    y = NEWTON_START + srdhm(half_denominator, NEWTON_SLOPE)
    for _ in range(3):
        y = y + ssl(srdhm(y, (1 << 29) - srdhm(half_denominator, y)), 2)
    return y


def logistic(a: Any) -> Any:
    """Return 1 / (1 + e^-a) in Q0 for a in Q4."""
    a = np.asarray(a, dtype=np.int64)
    positive = recip1p(expneg(-np.abs(a), 4))
    return np.where(a == 0, 1 << 30, np.where(a > 0, positive, INT32_MAX - positive))


def tanh(a: Any) -> Any:
    """Return the hyperbolic tangent in Q0 of a in Q4."""
    a = np.asarray(a, dtype=np.int64)
    # tanh(a) = (1 - e^-2a) / (1 + e^-2a), and the bits of a in Q4 are those of 2a in Q5.
    return np.sign(a) * ratio1p(expneg(-np.abs(a), 5))


def invsqrt(v: Any) -> tuple[Any, Any]:
    """Return the multiplier M and exponent n with 1 / sqrt(v) ~ M / 2^31 * 2^n, for v >= 0; 0 counts as 1."""
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
    """Return the number of bits of integers from 0 to 2^53; 32 less this is what CLZ counts."""
    return np.frexp(np.asarray(x, dtype=np.float64))[1].astype(np.int64)
