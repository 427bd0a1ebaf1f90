"""Fixed-point arithmetic of the quantised kernels, to the bit, on whole arrays (docs/contract/operations/common.md 14).

Arrays are int64 holding int32 values; every function returns int64 unless it says otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import FusedActivationFunc
from nnvet.hal.errors import failure
from nnvet.hal.operations.declaration import Argument

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def quantize_multiplier(real: float) -> tuple[int, int]:
    """QM: real multiplier to (M, n) with real ~ M / 2^31 * 2^n.

    :raises HalError: GENERAL_FAILURE if it is infinite or no number, as quotients of infinite or tiny scales are.
    """
    if not math.isfinite(real):
        raise failure(f"a quotient of scales is {real}", "execution/status")
    fraction, exponent = math.frexp(real)
    mantissa = round_half_away(fraction * 2.0**31)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    if exponent < -31:
        return 0, 0
    return mantissa, exponent


def round_half_away(value: float) -> int:
    """Nearest integer, exact halves away from zero."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def srdhm(a: Any, b: Any) -> Any:
    """SRDHM: round(a * b / 2^31), halves toward plus infinity, saturating."""
    result = np.multiply(a, b, dtype=np.int64)
    result += 1 << 30
    result >>= 31
    # Only the product of two minimal values exceeds the range.
    return np.minimum(result, INT32_MAX)


def rdbp(x: Any, exponent: Any) -> Any:
    """RDBP: x / 2^exponent (0 to 31), halves away from zero; ``exponent`` may be an array."""
    x = np.asarray(x, dtype=np.int64)
    half = (np.int64(1) << np.asarray(exponent, dtype=np.int64)) >> 1
    # A negative x loses one so that its exact halves round away from zero; nothing to lose with exponent 0.
    result = (x >> 63) * (half > 0)
    result += x
    result += half
    result >>= exponent
    return result


def mbqm(x: Any, multiplier: Any, exponent: Any) -> Any:
    """MBQM: x * multiplier / 2^31 * 2^exponent in two roundings; arguments broadcast (per channel).

    Where the left shift leaves the range of int32, which the scalar kernels of the reference leave open, it saturates.
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


def activation_codes(activation: int, output: Argument) -> tuple[int, int]:
    """Lowest and highest code after a fused activation, for the output's type, scale and zero point."""
    low, high = output.quantized_range
    if activation not in _REAL_BOUNDS:
        return low, high
    real_low, real_high = _REAL_BOUNDS[activation]
    return max(low, _code(real_low, output)), high if real_high is None else min(high, _code(real_high, output))


def _code(real: float, output: Argument) -> int:
    # Zero is the zero point whatever the scale, even one of 0.
    quotient = float(np.float32(real) / np.float32(output.scale)) if real else 0.0
    # The quotient of a tiny scale is infinite; any integer beyond the codes will do.
    return output.zero_point + round_half_away(min(max(quotient, INT32_MIN), INT32_MAX))


def saturate(codes: Any, low: int, high: int, dtype: str) -> npt.NDArray[Any]:
    """Clamp int64 codes to [low, high] and store them as ``dtype``."""
    clamped: npt.NDArray[Any] = np.minimum(np.maximum(codes, low), high).astype(dtype)
    return clamped
