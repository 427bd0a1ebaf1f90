"""A small picture of wrong elements: levels in a slice through an output, and a histogram of all differences.

:func:`draw_error` makes it for a :class:`~nnvet.oracle.comparison.Mismatch`; :mod:`nnvet.oracle.error_shapes` describes
the same elements in words. The picture is a part of a failure's evidence, so it has at most a few hundred small
numbers, however large the output is. :mod:`nnvet.reports.pictures` prints it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FEWEST: Final = 4
"""Fewest elements of an output that gets a picture; for smaller outputs, the worst element says as much."""
_MOST_SIDE: Final = 16
"""The most cells of a slice with two axes along each of them; a cell shows the worst of a block of elements."""
_MOST_LENGTH: Final = 64
"""The most cells of a slice with one axis."""
_BARS: Final = 12
"""The number of bars of the histogram."""
LEVELS: Final = 9
"""The number of levels: a cell shows the share of the largest difference, with the sign of the difference."""
_NO_NUMBER: Final = LEVELS + 1
"""The level of elements whose difference is NaN or infinite; the picture has None there."""


def draw_error(actual: Array, expected: Array, wrong: Array, worst: Sequence[int]) -> dict[str, Any]:
    """Return a picture of the elements of the mask ``wrong``; empty if the output is too small.

    All arrays have the shape of the output; the slice goes through the position ``worst``. ``slice`` is its index in
    NumPy's notation. Each of its ``cells`` shows the worst of ``block`` elements: 0 is right, 1 to 9 too large, -1 to
    -9 too small by so many ninths of ``largest``, None if one of the two values is NaN. ``histogram`` counts the
    differences of wrong elements in steps of equal width from ``low`` to ``high``.
    """
    if wrong.size < _FEWEST:
        return {}
    with np.errstate(all="ignore"):
        difference = np.where(wrong, actual.astype(np.float64) - expected.astype(np.float64), 0.0)
    finite = difference[wrong & np.isfinite(difference)]
    largest = float(np.abs(finite).max(initial=0.0))
    levels = _to_levels(difference, wrong, largest)
    axes = _find_axes(levels)
    place = tuple(slice(None) if axis in axes else index for axis, index in enumerate(worst))
    shown = levels[place].reshape([levels.shape[axis] for axis in axes])
    block, cells = _shrink(shown if len(axes) > 1 else shown[np.newaxis])
    picture: dict[str, Any] = {
        "slice": f"[{', '.join(':' if axis in axes else str(index) for axis, index in enumerate(worst))}]",
        "block": block[-len(axes) :],
        "largest": _shorten(largest),
        "cells": [[None if level == _NO_NUMBER else level for level in row] for row in cells],
    }
    return {**picture, "histogram": _count_differences(finite)} if finite.size else picture


def _to_levels(difference: Array, wrong: Array, largest: float) -> Array:
    """Return levels from -9 to 9 for the differences; 0 only for right elements, 10 for NaN."""
    with np.errstate(all="ignore"):
        steps = np.ceil(LEVELS * np.abs(difference) / largest) if largest else np.ones(difference.shape)
        signed = np.clip(steps, 1, LEVELS) * np.where(difference < 0, -1, 1)
        levels: Array = np.where(np.isfinite(difference), signed, _NO_NUMBER)
    return np.where(wrong, levels, 0).astype(np.int64)


def _find_axes(levels: Array) -> list[int]:
    """Return the two axes along which the error varies most, in order; fewer if fewer have more than one position."""
    candidates = [axis for axis in range(levels.ndim) if levels.shape[axis] > 1] or [levels.ndim - 1]

    def varies(axis: int) -> tuple[float, int]:
        others = tuple(other for other in range(levels.ndim) if other != axis)
        return round(float(np.abs(levels).mean(axis=others).std()), 6), levels.shape[axis]

    return sorted(sorted(candidates, key=varies, reverse=True)[:2])


def _shrink(levels: Array) -> tuple[list[int], list[list[int]]]:
    """Return how many elements a cell covers along both axes, and the worst level of each cell."""
    rows, columns = levels.shape
    most = _MOST_LENGTH if rows == 1 else _MOST_SIDE
    height, width = math.ceil(rows / _MOST_SIDE), math.ceil(columns / most)
    blocks = (
        [levels[top : top + height, left : left + width].ravel() for left in range(0, columns, width)]
        for top in range(0, rows, height)
    )
    return [height, width], [[int(block[np.abs(block).argmax()]) for block in row] for row in blocks]


def _count_differences(differences: Array) -> dict[str, Any]:
    low, high = float(differences.min()), float(differences.max())
    if low == high or not math.isfinite(high - low):
        # A single bar: equal numbers have no width, and the width of huge ones overflows.
        return {"low": _shorten(low), "high": _shorten(high), "counts": [int(differences.size)]}
    counts, _ = np.histogram(differences, bins=_BARS, range=(low, high))
    return {"low": _shorten(low), "high": _shorten(high), "counts": counts.tolist()}


def _shorten(number: float) -> float:
    """Return a number with the four digits that a picture needs."""
    return float(f"{number:.4g}")
