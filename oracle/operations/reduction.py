"""MEAN, REDUCE_*, ARGMAX, ARGMIN: functions of the last dimension, which has the elements to reduce, row-major.

``number`` is the element type to which every step is rounded. Written from their pages in docs/contract/operations.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import div
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, Tensor, choose, like


def mean(values: Any) -> Any:
    """Return the mean of floats: a float32 sum in order, divided once."""
    reals = np.asarray(values, np.float32)
    return np.add.accumulate(reals, -1)[..., -1] / np.float32(reals.shape[-1])


def mean_code(codes: Any) -> Any:
    """Return the mean of codes, truncated toward zero."""
    whole = np.asarray(codes, np.int64)
    return div(whole.sum(-1), whole.shape[-1])


def reduce_all(values: Any) -> Any:
    """Return the logical and of bytes."""
    return choose(np.all(np.not_equal(values, 0), -1), 1, 0)


def reduce_any(values: Any) -> Any:
    """Return the logical or of bytes."""
    return choose(np.any(np.not_equal(values, 0), -1), 1, 0)


def reduce_max(values: Any, lowest: Any) -> Any:
    """Return the largest element, searched from the lowest finite number of the type on; NaN is passed over."""
    return np.fmax.reduce(np.asarray(values), -1, initial=lowest)


def reduce_min(values: Any, highest: Any) -> Any:
    """Return the smallest element, searched from the highest finite number of the type on; NaN is passed over."""
    return np.fmin.reduce(np.asarray(values), -1, initial=highest)


def reduce_prod(values: Any, number: Any) -> Any:
    """Return the product in order; once a factor or the product is zero it stays zero, whatever follows."""
    factors = np.asarray(values, number)
    with np.errstate(all="ignore"):
        products = np.multiply.accumulate(factors, -1)
    is_zero = np.any((factors == 0) | (products == 0), -1)
    return choose(is_zero, number(0), products[..., -1])


def reduce_sum(values: Any, number: Any) -> Any:
    """Return the sum in order."""
    with np.errstate(all="ignore"):
        return np.add.accumulate(np.asarray(values, number), -1)[..., -1]


def argmax(values: Any) -> Any:
    """Return the first index of the largest element; a NaN never replaces and is never replaced."""
    found = np.asarray(values)
    if found.dtype.kind == "f":
        found = np.where(np.isnan(found), np.where(np.arange(found.shape[-1]) == 0, np.inf, -np.inf), found)
    return np.argmax(found, -1)


def argmin(values: Any) -> Any:
    """Return the first index of the smallest element; a NaN never replaces and is never replaced."""
    found = np.asarray(values)
    return argmax(-(found if found.dtype.kind == "f" else found.astype(np.int64)))


def members(x: Array, axes: Sequence[int]) -> Array:
    """Return the elements that are reduced to one, row-major in the last dimension, for every element of the result."""
    reduced = sorted({axis % x.ndim for axis in axes})
    kept = [axis for axis in range(x.ndim) if axis not in reduced]
    return x.transpose(*kept, *reduced).reshape(*(x.shape[axis] for axis in kept), -1)


def _reduce(of: Callable[[Invocation, Array], Any], call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, axes, flag to keep reduced dimensions (MEAN: a number above 0)."""
    x, axes = call.array(0), call.list(1)
    dims = reduced_shape(x.shape, axes, keep=call.number(2) > 0)
    return Tensor(np.asarray(of(call, members(x, axes))), dims)


def _find_index(of: Callable[[Any], Any], call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, axis."""
    x, axis = call.array(0), call.number(1)
    return Tensor(np.asarray(of(members(x, [axis]))), reduced_shape(x.shape, [axis], keep=False))


def _bounds(values: Array) -> Any:
    return np.finfo(values.dtype) if values.dtype.kind == "f" else np.iinfo(values.dtype)


_REDUCTIONS: Final[dict[O, Callable[[Invocation, Array], Any]]] = {
    O.MEAN: lambda call, values: mean(values) if call.is_float else mean_code(values),
    O.REDUCE_ALL: lambda _, values: reduce_all(values),
    O.REDUCE_ANY: lambda _, values: reduce_any(values),
    O.REDUCE_MAX: lambda _, values: reduce_max(values, _bounds(values).min),
    O.REDUCE_MIN: lambda _, values: reduce_min(values, _bounds(values).max),
    O.REDUCE_PROD: lambda _, values: reduce_prod(values, values.dtype.type),
    O.REDUCE_SUM: lambda _, values: reduce_sum(values, values.dtype.type),
}

MEANINGS: Final = {
    **{operation: Meaning(partial(_reduce, of), like(0)) for operation, of in _REDUCTIONS.items()},
    O.ARGMAX: Meaning(partial(_find_index, argmax)),
    O.ARGMIN: Meaning(partial(_find_index, argmin)),
}
