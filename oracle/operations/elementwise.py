"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT of single numbers.

Written from their pages in docs/contract/operations.
"""

import math
from collections.abc import Callable

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import round_away


def _floor(x: float) -> float:
    return x if not math.isfinite(x) or x == 0 else float(math.floor(x))


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log(x)


def _sqrt(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


def _rsqrt(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0 else 1 / math.sqrt(x)


def _sin(x: float) -> float:
    return math.sin(x) if math.isfinite(x) else math.nan


FLOAT: dict[str, Callable[[float], float]] = {
    "FLOOR": _floor,
    "ABS": abs,
    "EXP": _exp,
    "LOG": _log,
    "NEG": lambda x: -x,
    "RSQRT": _rsqrt,
    "SIN": _sin,
    "SQRT": _sqrt,
}


def rsqrt_code(q: int, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> int:
    """Quantised RSQRT; ``source`` and ``target`` are (scale, zero point)."""
    x = np.float32(q - source[1]) * np.float32(source[0])
    if x <= 0:
        # Plus infinity and NaN both end at the highest code.
        return high
    r = np.float32(1) / np.sqrt(x)
    code = target[1] + round_away(float(r / np.float32(target[0])))
    return min(max(code, low), high)
