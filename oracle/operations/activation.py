"""RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH of single numbers.

Written from their pages in docs/contract/operations.
Functions named ``*_code`` take and give 8-bit codes; ``source`` and ``target`` are (scale, zero point) of input
and output, ``low`` and ``high`` the ends of the code range.
"""

import math

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import div, logistic, qm, rdbp, round_away, srdhm, tanh

FLT_MAX = float(np.finfo(np.float32).max)
REAL_BOUNDS = {"RELU": (0.0, FLT_MAX), "RELU1": (-1.0, 1.0), "RELU6": (0.0, 6.0)}


def relu_float(name: str, x: float) -> float:
    """min(max(low, x), high); NaN fails every comparison and so gives low."""
    low, high = REAL_BOUNDS[name]
    return min(high, max(low, x))


def relu_code(name: str, q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Clamp to the codes of the real bounds."""

    def code(real: float) -> int:
        return source[1] + round_away(float(np.float32(real) / np.float32(source[0])))

    real_low, real_high = REAL_BOUNDS[name]
    bottom = max(low, code(real_low))
    top = high if name == "RELU" else min(high, code(real_high))
    return min(max(q, bottom), top)


def logistic_float(x: float) -> float:
    """1 / (1 + e^-x)."""
    return 0.0 if x < -700 else 1 / (1 + math.exp(-x))


def _fixed(function: str, q: int, source: tuple[float, int], low: int, high: int) -> int:
    m, n = qm(float(np.float32(source[0])) * 2**27)
    r = math.floor(15 * 2**27 / 2**n)
    d = q - source[1]
    if d <= -r:
        return low
    if d >= r:
        return high
    a = srdhm(d * 2**n, m)
    # The unsigned result counts from 0 (logistic) or 128 (tanh); the signed one is 128 less.
    y = rdbp(logistic(a), 23) if function == "logistic" else rdbp(tanh(a), 24) + 128
    return min(max(y + low, low), high)


def logistic_code(q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Output scale 1/256, zero point ``low``."""
    return _fixed("logistic", q, source, low, high)


def tanh_code(q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Output scale 1/128, zero point ``low`` + 128."""
    return _fixed("tanh", q, source, low, high)


def elu_float(x: float, alpha: float) -> float:
    """max(0, x) + min(0, alpha (e^x - 1)), float32 at each step."""
    with np.errstate(all="ignore"):
        product = np.float32(alpha) * (np.exp(np.float32(x)) - np.float32(1))
    positive = np.float32(x) if x > 0 else np.float32(0)
    negative = product if product < 0 else np.float32(0)
    with np.errstate(all="ignore"):
        return float(positive + negative)


def hard_swish_float(x: float) -> float:
    """X * min(6, max(0, x + 3)) / 6, float32 at each step."""
    value = np.float32(x)
    if math.isnan(x):
        return x
    with np.errstate(all="ignore"):
        gate = min(np.float32(6), max(np.float32(0), value + np.float32(3)))
        return float(value * gate / np.float32(6))


def _srdhm16(a: int, b: int) -> int:
    if a == b == -(2**15):
        return 2**15 - 1
    p = a * b
    nudge = 2**14 if p >= 0 else 1 - 2**14
    return div(p + nudge, 2**15)


def _shift16(x: int, e: int) -> int:
    return min(max(x << e, -(2**15)), 2**15 - 1)


def _m16(m: int) -> int:
    return 32767 if m >= 2**31 - 1 - 2**15 else (m + 2**15) >> 16


def hard_swish_code(q: int, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> int:
    """Quantised form on 16-bit integers."""
    hires = np.float32(source[0]) / np.float32(128)
    mo, so = qm(float(hires / np.float32(target[0])))
    mr, sr = qm(float(hires / np.float32(3 / 32768)))
    v = (q - source[1]) * 128
    p = _srdhm16(v, _m16(mo))
    r = v
    if sr > 0:
        r = _shift16(r, sr - 1)
    r = _srdhm16(r, _m16(mr))
    if sr > 0:
        r = _shift16(r, 1)
    if sr < 0:
        r = rdbp(r, -sr)
    r = (r + 32768) >> 1
    y = div(r * p, 32768)
    y = rdbp(y, -so) + target[1]
    return min(max(y, low), high)
