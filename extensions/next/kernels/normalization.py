"""Kernels of LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION.

Sums are formed in float64, so that the variance may be the difference of the mean square and the squared mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, Kernel


def _factors(x: Array, axes: tuple[int, ...], epsilon: float, *, centred: bool) -> tuple[Any, Any]:
    """Return the mean along axes (0 unless ``centred``), and the reciprocal root of the variance."""
    wide = x.astype(np.float64)
    # NumPy warns of the mean of nothing.
    count = max(1, prod(x.shape[axis] for axis in axes))
    mean: Any = wide.sum(axis=axes, keepdims=True) / count if centred else 0.0
    square = np.square(wide).sum(axis=axes, keepdims=True) / count
    return mean, 1 / np.sqrt(np.maximum(square - mean * mean, 0) + epsilon)


def _over_last(call: Call, *, centred: bool) -> Array:
    x = call["input"].array
    axes = tuple(range(call.scalar("axis", 0) % x.ndim, x.ndim))
    mean, factor = _factors(x, axes, call.scalar("epsilon"), centred=centred)
    found = (x - mean) * factor * call["scale"].array
    if call.has("bias"):
        found = found + call["bias"].array
    return np.asarray(found, np.float32)


def _group(call: Call) -> Array:
    x = call["input"].array
    parts = np.split(x, call.scalar("groups"), axis=1)
    axes = tuple(range(1, x.ndim))
    epsilon = call.scalar("epsilon")
    rows = []
    for part in parts:
        mean, factor = _factors(part, axes, epsilon, centred=True)
        rows.append((part - mean) * factor)
    shape = (1, -1, *[1] * (x.ndim - 2))
    scale, bias = call["scale"].array.reshape(shape), call["bias"].array.reshape(shape)
    return np.asarray(np.concatenate(rows, axis=1) * scale + bias, np.float32)


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.LAYER_NORMALIZATION: lambda call: _over_last(call, centred=True),
    codes.RMS_NORMALIZATION: lambda call: _over_last(call, centred=False),
    codes.GROUP_NORMALIZATION: _group,
}
