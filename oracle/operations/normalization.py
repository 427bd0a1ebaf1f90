"""Normalisations of single slices: lists of numbers in, lists of numbers out.

Written from their pages in docs/contract/operations.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import clz32, expneg, invsqrt, mbqm, qm, rdbp, recip1p, srdhm


def softmax(slice_: Sequence[float], beta: float) -> list[float]:
    """Float softmax, in double."""
    highest = max(slice_)
    powers = [math.exp((x - highest) * beta) for x in slice_]
    return [power / sum(powers) for power in powers]


def softmax_codes(slice_: Sequence[int], scale: float, beta: float, low: int, high: int) -> list[int]:
    """Quantised softmax; output scale 1/256, zero point ``low``."""
    m, n = qm(min(float(np.float32(beta)) * float(np.float32(scale)) * 2**26, 2**31 - 1))
    lowest = -math.floor(31 * 2**26 / 2**n)
    highest = max(slice_)
    powers = [expneg(srdhm((q - highest) * 2**n, m), 5) if q - highest >= lowest else None for q in slice_]
    total = sum(rdbp(power, 12) for power in powers if power is not None)
    hz = clz32(total)
    nb = 12 - hz
    r = recip1p((total << hz) - 2**31)
    result = []
    for power in powers:
        code = 0 if power is None else rdbp(srdhm(r, power), nb + 23)
        result.append(min(max(code + low, low), high))
    return result


def log_softmax(slice_: Sequence[Any], beta: float, number: Any) -> list[Any]:
    """``number`` is the element type: differences, products and the running sum are rounded to it."""
    highest = max(slice_)
    scaled = [number(number(x - highest) * number(beta)) for x in slice_]
    total = number(0)
    for x in scaled:
        total = number(float(total) + math.exp(float(x)))
    return [number(float(x) - math.log(float(total))) for x in scaled]


def l2_normalization(slice_: Sequence[float]) -> list[float]:
    """Float L2 normalisation, float32 sum in order."""
    total = np.float32(0)
    for x in slice_:
        total += np.float32(x) * np.float32(x)
    norm = max(math.sqrt(float(total)), 1e-6)
    return [x / norm for x in slice_]


def l2_normalization_codes(slice_: Sequence[int], zero_point: int, *, signed: bool, last_axis: bool) -> list[int]:
    """Quantised L2 normalisation; output scale 1/128, zero point 128 (unsigned) or 0 (signed)."""
    m, n = invsqrt(sum((q - zero_point) ** 2 for q in slice_))
    result = []
    for q in slice_:
        t = mbqm(q - zero_point, m, n + 7) if signed and last_axis else rdbp(srdhm(128 * (q - zero_point), m), -n)
        result.append(min(max(t, -128), 127) if signed else min(max(128 + t, 0), 255))
    return result


def local_response_normalization(
    slice_: Sequence[float], radius: int, bias: float, alpha: float, beta: float
) -> list[float]:
    """LRN along one slice, in double."""
    size = len(slice_)
    radius = min(radius, size)
    result = []
    for d, x in enumerate(slice_):
        total = 0.0
        for j in range(max(0, d - radius), min(size - 1, d + radius) + 1):
            total += slice_[j] * slice_[j]
        result.append(x * (bias + alpha * total) ** -beta)
    return result


def instance_normalization(image: Sequence[Any], gamma: float, beta: float, epsilon: float, number: Any) -> list[Any]:
    """One image of one channel; ``number`` is the element type in which everything but the root is computed."""
    count = number(len(image))
    total = number(0)
    for x in image:
        total = number(total + x)
    mean = number(total / count)
    squares = number(0)
    for x in image:
        deviation = number(x - mean)
        squares = number(squares + number(deviation * deviation))
    variance = number(squares / count)
    root = number(np.sqrt(np.float32(number(variance + number(epsilon)))))
    return [number(number(number(number(x - mean) * number(gamma)) / root) + number(beta)) for x in image]
