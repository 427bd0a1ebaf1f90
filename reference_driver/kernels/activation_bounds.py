"""Fused activation of float kernels (docs/contract/operations/common.md 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import FusedActivationFunc

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
