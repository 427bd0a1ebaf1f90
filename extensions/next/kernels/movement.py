"""Kernels of operations that move elements: TRILU, WHERE, GATHER_ND, SCATTER_ND, ONE_HOT, TENSOR_SCATTER.

:data:`KERNELS` has them by operation, for the bundled driver. They copy rows or elements one after the other, while the
oracle's meanings (``meanings/movement.py``) index whole tensors, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, Kernel


def _compute_trilu(call: Call) -> Array:
    source = call["input"]
    found, diagonal = source.array.copy(), call.scalar("diagonal", 0)
    rows, columns = found.shape[-2:]
    for row in range(rows):
        edge = row + diagonal
        if call.scalar("upper", False):
            found[..., row, : max(0, min(edge, columns))] = source.zero_point
        else:
            found[..., row, max(0, edge + 1) :] = source.zero_point
    return found


def _compute_where(call: Call) -> Array:
    """Copy the input ``no``, and then ``yes`` over it where the condition is true."""
    found = np.empty(call.output.dimensions, call["yes"].array.dtype)
    found[...] = call["no"].array
    np.copyto(found, call["yes"].array, where=call["condition"].array.astype(np.bool_))
    return found


def _find_rows(call: Call) -> Array:
    """Return the row-major position that each index names in the first dimensions of the input."""
    indices = call["indices"].array
    sizes = call["input"].array.shape[: indices.shape[-1]]
    place = np.zeros(indices.shape[:-1], np.int64)
    for entry, size in zip(np.moveaxis(indices, -1, 0), sizes, strict=True):
        place = place * size + entry % size
    return place


def _flatten_indexed(call: Call) -> Array:
    """Return the input with the dimensions that an index names merged into the first one."""
    source = call["input"].array
    depth = call["indices"].array.shape[-1]
    return source.reshape(int(np.prod(source.shape[:depth])), *source.shape[depth:])


def _compute_gather(call: Call) -> Array:
    return np.take(_flatten_indexed(call), _find_rows(call), axis=0)


def _compute_scatter(call: Call) -> Array:
    found, updates = _flatten_indexed(call).copy(), call["updates"].array
    places = _find_rows(call)
    for number, place in np.ndenumerate(places):
        found[place] = updates[number]
    return found.reshape(call["input"].array.shape)


def _compute_one_hot(call: Call) -> Array:
    indices, depth = call["indices"].array, call.scalar("depth")
    off, on = call["values"].array
    found = np.full((*indices.shape, depth), off)
    for place, index in np.ndenumerate(indices):
        if -depth <= index < depth:
            found[(*place, index)] = on
    return np.moveaxis(found, -1, call.scalar("axis", 0))


def _compute_tensor_scatter(call: Call) -> Array:
    found, update, places = call["cache"].array.copy(), call["update"].array, call["places"].array
    for batch, first in enumerate(places):
        for number in range(update.shape[2]):
            found[batch, :, (first + number) % found.shape[2]] = update[batch, :, number]
    return found


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.TRILU: _compute_trilu,
    codes.WHERE: _compute_where,
    codes.GATHER_ND: _compute_gather,
    codes.SCATTER_ND: _compute_scatter,
    codes.ONE_HOT: _compute_one_hot,
    codes.TENSOR_SCATTER: _compute_tensor_scatter,
}
