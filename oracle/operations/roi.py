"""ROI_ALIGN and ROI_POOLING on NHWC features in plain Python.

Written from their pages in docs/contract/operations.
``number`` is the type in which coordinates (and, in ROI_ALIGN, everything) are rounded: np.float32 or np.float16.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, round_away
from nnvet.oracle.operations.tensor import Tensor, build


@dataclass(frozen=True)
class RoiSettings:
    """The scalars; samples 0: as many as there are cells."""

    output_height: int = 2
    output_width: int = 2
    height_ratio: float = 2.0
    width_ratio: float = 2.0
    height_samples: int = 0
    width_samples: int = 0


@dataclass(frozen=True)
class Codes:
    """Quantisation of features and output: (scale, zero point), and the range of codes."""

    source: tuple[float, int]
    target: tuple[float, int]
    low: int
    high: int


def _region(rois: Tensor, roi: int, settings: RoiSettings, number: Any) -> tuple[Any, Any, Any, Any]:
    across, down = (number(1) / number(ratio) for ratio in (settings.width_ratio, settings.height_ratio))
    x1, y1, x2, y2 = (number(rois[(roi, i)]) for i in range(4))
    return x1 * across, y1 * down, x2 * across, y2 * down


def _positions(start: Any, end: Any, cells: int, samples: int, number: Any) -> list[list[Any]]:
    """For each output cell, where its samples lie on the axis."""
    length = max(end - start, number(1))
    step = length / number(cells)
    count = samples if samples > 0 else math.ceil(step)
    part = step / number(count)
    return [
        [start + step * number(cell) + part / number(2) + part * number(i) for i in range(count)]
        for cell in range(cells)
    ]


def _neighbours(position: Any, size: int, number: Any) -> tuple[int, int, Any]:
    low = math.floor(position)
    if low >= size - 1:
        return size - 1, size - 1, number(0)
    return low, low + 1, position - number(low)


def roi_align(
    features: Tensor,
    rois: Tensor,
    batches: Sequence[int],
    settings: RoiSettings,
    number: Any = np.float32,
    codes: Codes | None = None,
) -> Tensor:
    """Means of interpolated samples. With ``codes`` features are codes, else real numbers."""
    _, height, width, depth = features.dims

    def element(index: tuple[int, ...]) -> Any:
        roi, i, j, channel = index
        x1, y1, x2, y2 = _region(rois, roi, settings, number)
        rows = _positions(y1, y2, settings.output_height, settings.height_samples, number)[i]
        columns = _positions(x1, x2, settings.output_width, settings.width_samples, number)[j]
        total: Any = number(0) if codes is None else 0
        for y in rows:
            for x in columns:
                top, bottom, dy = _neighbours(y, height, number)
                left, right, dx = _neighbours(x, width, number)
                one = number(1)
                corners = (
                    (top, left, (one - dx) * (one - dy)),
                    (top, right, dx * (one - dy)),
                    (bottom, left, (one - dx) * dy),
                    (bottom, right, dx * dy),
                )
                total += _mixed([(w, features[(batches[roi], r, c, channel)]) for r, c, w in corners], number, codes)
        count = len(rows) * len(columns)
        return total / number(count) if codes is None else _finish(total, count, codes)

    return build((rois.dims[0], settings.output_height, settings.output_width, depth), element)


def _mixed(corners: list[tuple[Any, Any]], number: Any, codes: Codes | None) -> Any:
    if codes is None:
        first, second, third, fourth = (weight * number(value) for weight, value in corners)
        return first + second + third + fourth
    unit = np.float32(1) / np.float32(255)
    return sum(round_away(float(weight / unit)) * (value - codes.source[1]) for weight, value in corners)


def _finish(total: int, count: int, codes: Codes) -> int:
    scale = np.float32(codes.source[0]) * (np.float32(1) / np.float32(255)) / np.float32(codes.target[0])
    code = mbqm(total, *qm(float(scale / np.float32(count)))) + codes.target[1]
    return min(max(code, codes.low), codes.high)


def roi_pooling(
    features: Tensor,
    rois: Tensor,
    batches: Sequence[int],
    settings: RoiSettings,
    number: Any = np.float32,
    empty: float = 0,
) -> Tensor:
    """Maxima of bins; bins that lie outside of the features have the value ``empty``."""
    _, height, width, depth = features.dims

    def element(index: tuple[int, ...]) -> Any:
        roi, i, j, channel = index
        x1, y1, x2, y2 = (round_away(float(value)) for value in _region(rois, roi, settings, number))
        rows = _bin(y1, y2, settings.output_height, i, height, number)
        columns = _bin(x1, x2, settings.output_width, j, width, number)
        return max((features[(batches[roi], r, c, channel)] for r in rows for c in columns), default=empty)

    return build((rois.dims[0], settings.output_height, settings.output_width, depth), element)


def _bin(start: int, end: int, cells: int, cell: int, size: int, number: Callable[[Any], Any]) -> range:
    step = number(max(end - start + 1, 1)) / number(cells)
    first = math.floor(step * number(cell) + number(start))
    stop = math.ceil(step * number(cell + 1) + number(start))
    return range(min(max(first, 0), size), min(max(stop, 0), size))
