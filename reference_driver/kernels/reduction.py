"""Kernels of MEAN, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM, ARGMAX and ARGMIN.

Declarations: ``hal/operations/reduction.py``. Sums and products go in the order of indexes and round every partial
result to the element type, as a plain loop does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.reduction import reduced_axes
from nnvet.reference_driver.kernels.registry import Array, kernel


def axes_last(values: Array, axes: Sequence[int]) -> Array:
    """Return the values with ``axes`` (ascending) moved to the end and flattened into one dimension, row-major."""
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    return values.transpose(*kept, *axes).reshape(*(values.shape[axis] for axis in kept), -1)


def ordered_sum(values: Array, axis: int, *, keepdims: bool = False) -> Array:
    """Return the sum along ``axis`` from the first element to the last in the element type."""
    return _last(np.add.accumulate(values, axis=axis, dtype=values.dtype), axis, keepdims=keepdims)


def ordered_product(values: Array, axis: int) -> Array:
    """Product along ``axis`` from the first element to the last; a zero on the way makes it zero, NaN or not."""
    partial = np.multiply.accumulate(values, axis=axis, dtype=values.dtype)
    meets_zero = np.any(values == 0, axis=axis) | np.any(partial == 0, axis=axis)
    return np.where(meets_zero, values.dtype.type(0), _last(partial, axis, keepdims=False))


def _last(values: Any, axis: int, *, keepdims: bool) -> Array:
    result: Array = np.take(values, [-1], axis=axis)
    return result if keepdims else np.squeeze(result, axis=axis)


def _mean(values: Array) -> Array:
    if values.dtype == np.float32:
        return ordered_sum(values, -1) / np.float32(values.shape[-1])
    # The codes are averaged, not their real values; the quotient is rounded toward zero, as C does.
    return np.asarray(np.trunc(values.sum(axis=-1, dtype=np.int64) / values.shape[-1]), dtype=values.dtype)


def _largest(values: Array) -> Array:
    """Return the maximum of the elements that are not NaN, starting from the lowest finite number."""
    return np.asarray(np.fmax.reduce(values, axis=-1, initial=_limits(values.dtype).min))


def _smallest(values: Array) -> Array:
    """Return the minimum of the elements that are not NaN, starting from the highest finite number."""
    return np.asarray(np.fmin.reduce(values, axis=-1, initial=_limits(values.dtype).max))


def _limits(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


_FOLDS: dict[int, Callable[[Array], Array]] = {
    OperationType.REDUCE_ALL: lambda values: np.all(values, axis=-1).astype(np.uint8),
    OperationType.REDUCE_ANY: lambda values: np.any(values, axis=-1).astype(np.uint8),
    OperationType.REDUCE_MAX: _largest,
    OperationType.REDUCE_MIN: _smallest,
    OperationType.REDUCE_PROD: lambda values: ordered_product(values, -1),
    OperationType.REDUCE_SUM: lambda values: ordered_sum(values, -1),
}
"""Function that folds the last axis, for each reduction."""


@kernel(*_FOLDS, native_float16=True)
def reduction(call: Call) -> Array:
    """Return the reduction along the axes, in row-major order, with every partial result in the element type."""
    return _reduce(call, _FOLDS[call.declaration.type])


@kernel(OperationType.MEAN)
def mean(call: Call) -> Array:
    """Return the mean along the axes."""
    return _reduce(call, _mean)


def _reduce(call: Call, fold: Callable[[Array], Array]) -> Array:
    return np.asarray(fold(axes_last(call["input"].array, reduced_axes(call)))).reshape(call.output.dimensions)


_SEARCHES: dict[int, tuple[Callable[..., Any], float]] = {
    OperationType.ARGMAX: (np.argmax, -np.inf),
    OperationType.ARGMIN: (np.argmin, np.inf),
}
"""For each operation, the function that finds the first extreme, and a number that it never prefers to another."""


@kernel(*_SEARCHES, native_float16=True)
def index_of_extreme(call: Call) -> Array:
    """Return the lowest index of the extreme along the axis. A NaN counts as the extreme only at index 0, as in C."""
    x, axis = call["input"].array, call.scalar("axis")
    search, loser = _SEARCHES[call.declaration.type]
    if x.dtype.kind != "f":
        found = search(x, axis=axis)
    else:
        found = search(np.where(np.isnan(x), x.dtype.type(loser), x), axis=axis)
        found = np.where(np.isnan(np.take(x, 0, axis=axis)), 0, found)
    return np.asarray(found, dtype=np.int32).reshape(call.output.dimensions)
