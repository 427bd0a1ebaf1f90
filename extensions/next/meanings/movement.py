"""Meanings of TRILU, WHERE, GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER: ideal results, for the oracle.

Source: ONNX operators Trilu-14, Where-16, GatherND-13, ScatterND-18, OneHot-11, TensorScatter-24. Each is written with
NumPy's indexing of its operands, so that the analysis of errors can follow each element to its position in the output.
``kernels/movement.py`` moves the elements one by one, for the bundled driver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning


def _compute_trilu(call: Invocation) -> Array:
    """Keep the triangle on one side of a diagonal, and set the rest to zero."""
    x, diagonal, is_upper = call.array(0), call.number(1), call.flag(2)
    above = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    return np.where(above >= diagonal if is_upper else above <= diagonal, x, call.inputs[0].zero_point).astype(x.dtype)


def _compute_where(call: Invocation) -> Array:
    return np.where(call.array(0) != 0, call.array(1), call.array(2))


def _read_indices(call: Invocation) -> tuple[Array, ...]:
    """Return the indices of GATHER_ND or SCATTER_ND as NumPy wants them: an array for each indexed dimension."""
    return tuple(np.moveaxis(call.array(1).astype(np.int64), -1, 0))


def _compute_gather(call: Invocation) -> Array:
    found: Array = call.array(0)[_read_indices(call)]
    return found


def _compute_scatter(call: Invocation) -> Array:
    found = call.array(0).copy()
    found[_read_indices(call)] = call.array(2)
    return found


def _compute_one_hot(call: Invocation) -> Array:
    """Return a tensor with a new axis: the value ``on`` at the position that an index names, and ``off`` elsewhere."""
    indices, depth, (off, on), axis = call.array(0), call.number(1), call.array(2), call.number(3)
    # Negative indices count from the end; an index outside of -depth to depth - 1 equals no position: all are ``off``.
    place = np.where(indices < 0, indices + depth, indices)
    is_hot = np.expand_dims(place, axis) == np.moveaxis(np.arange(depth).reshape(*[1] * indices.ndim, depth), -1, axis)
    found: Array = np.where(is_hot, on, off)
    return found


def _compute_tensor_scatter(call: Invocation) -> Array:
    """Return the cache with an update [N, heads, steps, size] written into its steps, cyclically."""
    found, update = call.array(0).copy(), call.array(1)
    batch = np.arange(found.shape[0])[:, None]
    place = (call.array(2).astype(np.int64)[:, None] + np.arange(update.shape[2])) % max(1, found.shape[2])
    found[batch, :, place] = np.moveaxis(update, 2, 1)
    return found


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.TRILU: Meaning(_compute_trilu),
    codes.WHERE: Meaning(_compute_where),
    codes.GATHER_ND: Meaning(_compute_gather),
    codes.SCATTER_ND: Meaning(_compute_scatter),
    codes.ONE_HOT: Meaning(_compute_one_hot),
    codes.TENSOR_SCATTER: Meaning(_compute_tensor_scatter),
}
