"""Reductions in index order: every partial result is rounded to the element type, as a plain loop does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.reference_driver.kernels.registry import Array


def axes_last(values: Array, axes: Sequence[int]) -> Array:
    """``axes`` (ascending) flattened, in row-major order, into one last dimension."""
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    return values.transpose(*kept, *axes).reshape(*(values.shape[axis] for axis in kept), -1)


def ordered_sum(values: Array, axis: int, *, keepdims: bool = False) -> Array:
    """Sum along ``axis`` from the first element to the last in the element type."""
    return _last(np.add.accumulate(values, axis=axis, dtype=values.dtype), axis, keepdims=keepdims)


def ordered_product(values: Array, axis: int) -> Array:
    """Product along ``axis`` from the first element to the last; a zero on the way makes it zero, NaN or not."""
    partial = np.multiply.accumulate(values, axis=axis, dtype=values.dtype)
    meets_zero = np.any(values == 0, axis=axis) | np.any(partial == 0, axis=axis)
    return np.where(meets_zero, values.dtype.type(0), _last(partial, axis, keepdims=False))


def _last(values: Any, axis: int, *, keepdims: bool) -> Array:
    result: Array = np.take(values, [-1], axis=axis)
    return result if keepdims else np.squeeze(result, axis=axis)
