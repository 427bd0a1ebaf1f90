"""Fused activation, and codes of the sums of convolutions. Source: docs/contract/operations/common.md 10 and 16."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import mbqm, qms, round_away

FLT_MAX = float(np.finfo(np.float32).max)
BOUNDS = {0: (-FLT_MAX, FLT_MAX), 1: (0.0, FLT_MAX), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
"""NONE, RELU, RELU1, RELU6: infinite results become finite even without activation."""


def activate(value: Any, code: int) -> Any:
    """Clamp real numbers; NaN stays."""
    return np.clip(value, *BOUNDS[code])


def code_bounds(code: int, scale: float, zero_point: int, low: int, high: int) -> tuple[int, int]:
    """Return the lowest and highest output code."""

    def q(real: float) -> int:
        return zero_point + round_away(float(np.float32(real) / np.float32(scale)))

    if code == 1:
        return max(low, q(0)), high
    if code == 2:
        return max(low, q(-1)), min(high, q(1))
    if code == 3:
        return max(low, q(0)), min(high, q(6))
    return low, high


def wrap(value: Any) -> Any:
    """Return integers as int32 keeps them."""
    return (value + 2**31) % 2**32 - 2**31


def requantized(
    sums: Any,
    scales: tuple[float, Sequence[float]],
    target: tuple[float, int],
    code: int,
    limits: tuple[int, int],
) -> Any:
    """Return codes of int32 sums, whose channels are the last dimension (or vary fastest in a list).

    ``scales`` are that of the input and those of the weights (one, or one for each channel), ``target`` scale and
    zero point of the output, ``limits`` its lowest and highest code.
    """
    s_in, weight_scales = scales
    s_out, z_out = target
    low, high = code_bounds(code, s_out, z_out, *limits)
    multipliers = [float(np.float32(s_in) * np.float32(s)) / float(np.float32(s_out)) for s in weight_scales]
    m, n = qms(multipliers)
    whole = np.asarray(sums, np.int64)
    by_channel = wrap(whole).reshape(-1, len(multipliers))
    return np.clip(z_out + mbqm(by_channel, m, n), low, high).reshape(whole.shape)
