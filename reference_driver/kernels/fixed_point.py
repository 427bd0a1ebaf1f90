"""Fixed-point arithmetic of the quantised kernels, to the bit, on whole arrays (docs/contract/operations/common.md 14).

Arrays are int64 holding int32 values; every function returns int64 unless it says otherwise. Also the rounding between
codes and real values (common.md 15), and the fused activation of float kernels (common.md 10).
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
    """QM: real multiplier to (M, n) with real ~ M / 2^31 * 2^n.

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
    return output.zero_point + _nearest_integer(min(max(quotient, INT32_MIN), INT32_MAX))


def saturate(codes: Any, low: int, high: int, dtype: str) -> npt.NDArray[Any]:
    """Clamp int64 codes to [low, high] and store them as ``dtype``."""
    clamped: npt.NDArray[Any] = np.minimum(np.maximum(codes, low), high).astype(dtype)
    return clamped


def round_half_away(values: Any) -> Any:
    """Nearest integers, exact halves away from zero, in the floating type given."""
    whole = np.trunc(values)
    return whole + np.where(np.abs(values - whole) >= 0.5, np.copysign(1, values), 0).astype(whole.dtype)


def dequantize(argument: Argument) -> Array:
    """Real values (q - zero point) * scale in float32."""
    return centred(argument).astype(np.float32) * np.float32(argument.scale)


def centred(argument: Argument) -> Array:
    """Codes less the zero point, int64."""
    return argument.array.astype(np.int64) - argument.zero_point


def quantize(values: Array, output: Argument) -> Array:
    """Codes of float32 values for ``output``: zero point + round(x / scale), saturated; NaN gives the highest."""
    low, high = output.quantized_range
    codes = round_half_away(values / np.float32(output.scale)) + np.float32(output.zero_point)
    return np.where(codes <= high, np.maximum(codes, low), high).astype(output.dtype)


def requantize(argument: Argument, output: Argument) -> Array:
    """Codes of ``argument`` brought to scale and zero point of ``output``, saturated."""
    low, high = output.quantized_range
    real = dequantize(argument).astype(np.float64)
    codes = round_half_away(real / float(np.float32(output.scale)) + output.zero_point)
    return np.asarray(np.clip(codes, low, high), dtype=output.dtype)


def through_table(call: Call, name: str, compute: Callable[[Argument], Array]) -> Array:
    """An 8-bit operation on single codes, looked up in the table of its results for all 256 codes.

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
FLOAT_BOUNDS = {
    FusedActivationFunc.NONE: (-FLOAT_MAX, FLOAT_MAX),
    FusedActivationFunc.RELU: (np.float32(0), FLOAT_MAX),
    FusedActivationFunc.RELU1: (np.float32(-1), np.float32(1)),
    FusedActivationFunc.RELU6: (np.float32(0), np.float32(6)),
}


def clamp(values: npt.NDArray[Any], activation: int) -> npt.NDArray[Any]:
    """Clamp float32 values in place; infinities become the largest finite numbers, NaN stays NaN."""
    low, high = FLOAT_BOUNDS[FusedActivationFunc(activation)]
    # np.clip costs more than these two where there are few values.
    np.maximum(values, low, out=values)
    np.minimum(values, high, out=values)
    return values
