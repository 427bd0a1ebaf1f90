"""Meanings of RESIZE_CUBIC and DYNAMIC_QUANTIZE.

Source: ONNX operators Resize-19, DynamicQuantizeLinear-11. A resized image is a product of matrices, which the error
bounds use, too: one for the rows, one for the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning

_A: Final = -0.75
_MOST_CODE: Final = 255.0


def _cubic(distance: Array) -> Array:
    """Return the weight of a cell at a distance: the piecewise cubic of Keys."""
    t = np.abs(distance)
    near = ((_A + 2) * t - (_A + 3)) * t * t + 1
    far = _A * (((t - 5) * t + 8) * t - 4)
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def coordinates(size: int, target: int, *, aligned: bool) -> Array:
    """Return the places of the output's cells among those of the input."""
    cells = np.arange(target, dtype=np.float64)
    if aligned:
        return cells * (size - 1) / max(1, target - 1)
    return (cells + 0.5) * size / target - 0.5


def weights_of(size: int, target: int, *, aligned: bool) -> Array:
    """Return the part that each cell of the input has in each of the output: ``[target, size]``.

    Cells beyond an edge are that of the edge.
    """
    places = coordinates(size, target, aligned=aligned)
    found = np.zeros((target, size))
    for tap in range(-1, 3):
        cell = np.floor(places) + tap
        inside = np.clip(cell, 0, size - 1).astype(np.int64)
        np.add.at(found, (np.arange(target), inside), _cubic(places - cell))
    return found


def _resize(call: Invocation) -> Any:
    x, is_aligned = reals(call), call.flag(3)
    rows, columns = (
        weights_of(size, call.number(place), aligned=is_aligned)
        for size, place in zip(x.shape[2:], (1, 2), strict=True)
    )
    return np.matmul(np.matmul(rows, x), columns.T)


def _quantize(call: Invocation) -> list[Any]:
    x = reals(call)
    flat = x.reshape(-1)
    high, low = np.maximum(flat.max(0, keepdims=True), 0.0), -np.maximum((-flat).max(0, keepdims=True), 0.0)
    span = high - low
    scale = np.where(span > 0, span / _MOST_CODE, 1.0)
    zero_point = np.clip(np.rint(-low / scale), 0.0, _MOST_CODE)
    shifted = np.rint(flat / scale) + zero_point
    return [np.clip(shifted, 0.0, _MOST_CODE).reshape(*x.shape), scale, zero_point]


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.RESIZE_CUBIC: Meaning(_resize),
    codes.DYNAMIC_QUANTIZE: Meaning(_quantize),
}
