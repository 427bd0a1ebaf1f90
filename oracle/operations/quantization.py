"""QUANTIZE, DEQUANTIZE, CAST of single numbers, from their pages in docs/contract/operations."""

import math
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import round_away


def quantize(x: float, target: tuple[float, int], low: int, high: int) -> int:
    """Code of a real value for (scale, zero point) ``target``; NaN gives the highest code."""
    if math.isnan(x):
        return high
    with np.errstate(over="ignore"):
        quotient = float(np.float32(x) / np.float32(target[0]))
    if math.isinf(quotient):
        return high if quotient > 0 else low
    return min(max(target[1] + round_away(quotient), low), high)


def dequantize(q: int, scale: float, zero_point: int) -> float:
    """Real value of a code, float32."""
    return float(np.float32(scale) * np.float32(q - zero_point))


def cast(x: float, target: str) -> Any:
    """A number as ``float32``, ``float16``, ``int32`` or ``uint8``; NaN and what int32 cannot hold are undefined."""
    if target in ("float32", "float16"):
        with np.errstate(over="ignore"):
            return np.dtype(target).type(x)
    if target == "uint8":
        return 0 if x < 0 else 255 if x > 255 else math.trunc(x)
    return math.trunc(x)
