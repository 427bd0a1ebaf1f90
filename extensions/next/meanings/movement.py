"""Meanings of TRILU, WHERE, GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER.

Source: ONNX operators Trilu-14, Where-16, GatherND-13, ScatterND-18, OneHot-11, TensorScatter-24. Each is written with
NumPy's indexing of its operands, so that the analysis of errors can follow each element to its position in the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning


def _trilu(call: Invocation) -> Array:
    """Keep the triangle on one side of a diagonal, and set the rest to zero."""
    x, diagonal, is_upper = call.array(0), call.number(1), call.flag(2)
    above = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    return np.where(above >= diagonal if is_upper else above <= diagonal, x, call.inputs[0].zero_point).astype(x.dtype)


def _where(call: Invocation) -> Array:
    return np.where(call.array(0) != 0, call.array(1), call.array(2))


def _places(call: Invocation) -> tuple[Array, ...]:
    """Return the indices as one array for each dimension that they name."""
    return tuple(np.moveaxis(call.array(1).astype(np.int64), -1, 0))


def _gather(call: Invocation) -> Array:
    found: Array = call.array(0)[_places(call)]
    return found


def _scatter(call: Invocation) -> Array:
    found = call.array(0).copy()
    found[_places(call)] = call.array(2)
    return found


def _one_hot(call: Invocation) -> Array:
    """Return a tensor with a new axis: the value ``on`` at the position that an index names, and ``off`` elsewhere."""
    indices, depth, (off, on), axis = call.array(0), call.number(1), call.array(2), call.number(3)
    # Negative indices count from the end; an index outside of -depth ... depth - 1 equals no place, so all are off.
    place = np.where(indices < 0, indices + depth, indices)
    is_hot = np.expand_dims(place, axis) == np.moveaxis(np.arange(depth).reshape(*[1] * indices.ndim, depth), -1, axis)
    found: Array = np.where(is_hot, on, off)
    return found


def _tensor_scatter(call: Invocation) -> Array:
    """Return the cache with an update [N, heads, steps, size] written into its steps, cyclically."""
    found, update = call.array(0).copy(), call.array(1)
    batch = np.arange(found.shape[0])[:, None]
    place = (call.array(2).astype(np.int64)[:, None] + np.arange(update.shape[2])) % max(1, found.shape[2])
    found[batch, :, place] = np.moveaxis(update, 2, 1)
    return found


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.TRILU: Meaning(_trilu),
    codes.WHERE: Meaning(_where),
    codes.GATHER_ND: Meaning(_gather),
    codes.SCATTER_ND: Meaning(_scatter),
    codes.ONE_HOT: Meaning(_one_hot),
    codes.TENSOR_SCATTER: Meaning(_tensor_scatter),
}
