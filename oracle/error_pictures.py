"""A small picture of wrong elements: the levels of a slice through an output, and the histogram of all differences.

It goes into the evidence of a failure, so it has at most some hundred small numbers, however large the output is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FEWEST: Final = 4
"""Elements of an output below which the worst one says as much as a picture."""
_MOST_SIDE: Final = 16
_MOST_LENGTH: Final = 64
"""Cells of a slice along each of two axes, and along the only one."""
_BARS: Final = 12
LEVELS: Final = 9
"""A cell's level is the share of the largest difference in so many steps; its sign is that of the difference."""
_NO_NUMBER: Final = LEVELS + 1


def draw_error(actual: Array, expected: Array, wrong: Array, worst: Sequence[int]) -> dict[str, Any]:
    """Return a picture of the elements of the mask ``wrong``; empty if the output is too small for one.

    All arrays have the shape of the output; ``worst`` is the place through which the slice is laid. ``slice`` names it
    as NumPy indexes it, and each of its ``cells`` stands for ``block`` elements, the worst of which it shows: 0 is
    right, 1 to 9 too large, -1 to -9 too small by this many ninths of ``largest``, None where one of both values is no
    number. ``histogram`` counts the differences of wrong elements in steps of equal width from ``low`` to ``high``.
    """
    if wrong.size < _FEWEST:
        return {}
    with np.errstate(all="ignore"):
        difference = np.where(wrong, actual.astype(np.float64) - expected.astype(np.float64), 0.0)
    finite = difference[wrong & np.isfinite(difference)]
    largest = float(np.abs(finite).max(initial=0.0))
    levels = _levels(difference, wrong, largest)
    axes = _telling_axes(levels)
    place = tuple(slice(None) if axis in axes else index for axis, index in enumerate(worst))
    shown = levels[place].reshape([levels.shape[axis] for axis in axes])
    block, cells = _shrunk(shown if len(axes) > 1 else shown[np.newaxis])
    picture: dict[str, Any] = {
        "slice": f"[{', '.join(':' if axis in axes else str(index) for axis, index in enumerate(worst))}]",
        "block": block[-len(axes) :],
        "largest": _short(largest),
        "cells": [[None if level == _NO_NUMBER else level for level in row] for row in cells],
    }
    return {**picture, "histogram": _histogram(finite)} if finite.size else picture


def _levels(difference: Array, wrong: Array, largest: float) -> Array:
    """Whole numbers from -9 to 9 in place of differences, 0 for right elements alone, 10 for what is no number."""
    with np.errstate(all="ignore"):
        steps = np.ceil(LEVELS * np.abs(difference) / largest) if largest else np.ones(difference.shape)
        signed = np.clip(steps, 1, LEVELS) * np.where(difference < 0, -1, 1)
        levels: Array = np.where(np.isfinite(difference), signed, _NO_NUMBER)
    return np.where(wrong, levels, 0).astype(np.int64)


def _telling_axes(levels: Array) -> list[int]:
    """Return the two axes along which the error varies most, in their order; fewer if no more have several places."""
    candidates = [axis for axis in range(levels.ndim) if levels.shape[axis] > 1] or [levels.ndim - 1]

    def varies(axis: int) -> tuple[float, int]:
        others = tuple(other for other in range(levels.ndim) if other != axis)
        return round(float(np.abs(levels).mean(axis=others).std()), 6), levels.shape[axis]

    return sorted(sorted(candidates, key=varies, reverse=True)[:2])


def _shrunk(levels: Array) -> tuple[list[int], list[list[int]]]:
    """Return numbers of elements along both axes for which a cell stands, and the worst level of each cell."""
    rows, columns = levels.shape
    most = _MOST_LENGTH if rows == 1 else _MOST_SIDE
    height, width = math.ceil(rows / _MOST_SIDE), math.ceil(columns / most)
    blocks = (
        [levels[top : top + height, left : left + width].ravel() for left in range(0, columns, width)]
        for top in range(0, rows, height)
    )
    return [height, width], [[int(block[np.abs(block).argmax()]) for block in row] for row in blocks]


def _histogram(differences: Array) -> dict[str, Any]:
    low, high = float(differences.min()), float(differences.max())
    if low == high or not math.isfinite(high - low):
        # One bar: a histogram of equal numbers has no width, and that of the largest ones an infinite one.
        return {"low": _short(low), "high": _short(high), "counts": [int(differences.size)]}
    counts, _ = np.histogram(differences, bins=_BARS, range=(low, high))
    return {"low": _short(low), "high": _short(high), "counts": counts.tolist()}


def _short(number: float) -> float:
    """Four digits are all that a picture shows."""
    return float(f"{number:.4g}")
