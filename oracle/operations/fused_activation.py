"""Fused activation and requantisation of sums, on Python numbers only.

Written from docs/contract/operations/common.md 10 and 16.
"""

import struct
from collections.abc import Sequence

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, round_away

FLT_MAX = float(np.finfo(np.float32).max)
BOUNDS = {0: (-FLT_MAX, FLT_MAX), 1: (0.0, FLT_MAX), 2: (-1.0, 1.0), 3: (0.0, 6.0)}


def activate(value: float, code: int) -> float:
    """Clamp a real number; NaN stays."""
    low, high = BOUNDS[code]
    if value < low:
        return low
    return min(value, high)


def code_bounds(code: int, scale: float, zero_point: int, low: int, high: int) -> tuple[int, int]:
    """Lowest and highest output code."""

    def q(real: float) -> int:
        return zero_point + round_away(float(np.float32(real) / np.float32(scale)))

    if code == 1:
        return max(low, q(0)), high
    if code == 2:
        return max(low, q(-1)), min(high, q(1))
    if code == 3:
        return max(low, q(0)), min(high, q(6))
    return low, high


def wrap(value: int) -> int:
    """An integer as int32 keeps it."""
    return int(struct.unpack("<i", struct.pack("<I", value % 2**32))[0])


def requantized(
    sums: Sequence[int],
    scales: tuple[float, Sequence[float]],
    target: tuple[float, int],
    code: int,
    limits: tuple[int, int],
) -> list[int]:
    """Codes of int32 sums, whose channels vary fastest.

    ``scales`` are that of the input and those of the weights (one, or one for each channel), ``target`` scale and
    zero point of the output, ``limits`` its lowest and highest code.
    """
    s_in, weight_scales = scales
    s_out, z_out = target
    low, high = code_bounds(code, s_out, z_out, *limits)
    multipliers = [qm(float(np.float32(s_in) * np.float32(s)) / float(np.float32(s_out))) for s in weight_scales]
    result = []
    for index, total in enumerate(sums):
        m, n = multipliers[index % len(multipliers)]
        result.append(min(max(z_out + mbqm(wrap(total), m, n), low), high))
    return result
