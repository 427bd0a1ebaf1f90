"""ROI_ALIGN, ROI_POOLING and HEATMAP_MAX_KEYPOINT on NHWC features. From their pages in docs/contract/operations.

``number`` is the type in which coordinates (and, in ROI_ALIGN, everything) are rounded: np.float32 or np.float16.
Bounds of the same operations: :mod:`nnvet.oracle.bounds.families.roi`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.detection import Real, quantized_like
from nnvet.oracle.operations.fixed_point_functions import mbqm, qm, rounded
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning, Tensor, in_layout, in_nhwc, like

Bins: TypeAlias = list[tuple[list[slice], list[slice]]]
"""For each region, the rows and the columns of its bins."""


@dataclass(frozen=True)
class RoiSettings:
    """Scalar operands. Ratios are image pixels for a feature cell; samples are for an output cell along an axis.

    0 samples mean one for each feature cell that an output cell covers, rounded up.
    """

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


def _regions(rois: Tensor, settings: RoiSettings, number: Any) -> Array:
    """Return corners x1, y1, x2, y2 of each region on the features; nothing is rounded to whole cells."""
    across, down = (number(1) / number(ratio) for ratio in (settings.width_ratio, settings.height_ratio))
    found: Array = rois.array.astype(number) * np.array([across, down, across, down])
    return found


def _positions(start: Any, end: Any, cells: int, samples: int, number: Any) -> Array:
    """Return the positions of each output cell's samples on an axis: [cells, samples]."""
    length = max(end - start, number(1))
    step = length / number(cells)
    count = samples if samples > 0 else math.ceil(step)
    part = step / number(count)
    corner = start + step * np.arange(cells).astype(number)[:, None]
    found: Array = corner + part / number(2) + part * np.arange(count).astype(number)
    return found


def _neighbours(positions: Array, size: int, number: Any) -> tuple[Array, Array, Array]:
    """Return the cells before and behind each position, and how far it is from the former."""
    low = np.floor(positions).astype(np.int64)
    last = low >= size - 1
    first = np.where(last, size - 1, low)
    return first, np.where(last, size - 1, low + 1), np.where(last, number(0), positions - low.astype(number))


def roi_align(
    features: Tensor,
    rois: Tensor,
    batches: Sequence[int],
    settings: RoiSettings,
    number: Any = np.float32,
    codes: Codes | None = None,
) -> Tensor:
    """Return means of interpolated samples. With ``codes`` features are codes, else real numbers."""
    size = settings.output_height, settings.output_width
    results = np.zeros((rois.dims[0], *size, features.dims[3]), number if codes is None else np.int64)
    for roi, (x1, y1, x2, y2) in enumerate(_regions(rois, settings, number)):
        image = features.array[batches[roi]]
        rows = _positions(y1, y2, size[0], settings.height_samples, number)
        columns = _positions(x1, x2, size[1], settings.width_samples, number)
        samples = _interpolate(image, rows.reshape(-1), columns.reshape(-1), number, codes)
        # The samples of an output cell come last, row by row: they are added in this order.
        by_cell = samples.reshape(*rows.shape, *columns.shape, -1).transpose(0, 2, 4, 1, 3)
        count = rows.shape[1] * columns.shape[1]
        total = np.add.accumulate(by_cell.reshape(*results[roi].shape, count), -1)[..., -1]
        results[roi] = total / number(count) if codes is None else _finish(total, count, codes)
    return Tensor.of(results)


def _interpolate(image: Array, y: Array, x: Array, number: Any, codes: Codes | None) -> Array:
    """Return interpolated samples at all rows and columns, [rows, columns, depth].

    Codes less the zero point, times 255.
    """
    top, bottom, dy = (part[:, None] for part in _neighbours(y, image.shape[0], number))
    left, right, dx = (part[None, :] for part in _neighbours(x, image.shape[1], number))
    one = number(1)
    corners = (
        (top, left, (one - dx) * (one - dy)),
        (top, right, dx * (one - dy)),
        (bottom, left, (one - dx) * dy),
        (bottom, right, dx * dy),
    )
    total: Any = number(0) if codes is None else 0
    for row, column, weight in corners:
        cells = image[row, column]
        if codes is None:
            total = total + weight[..., None] * cells.astype(number)
        else:
            parts = rounded((weight / (np.float32(1) / np.float32(255))).astype(np.float64))
            total = total + parts[..., None] * (cells.astype(np.int64) - codes.source[1])
    found: Array = total
    return found


def _finish(total: Array, count: int, codes: Codes) -> Any:
    """Return output codes for sums of ``count`` samples in units of 1/255 of an input code."""
    scale = np.float32(codes.source[0]) * (np.float32(1) / np.float32(255)) / np.float32(codes.target[0])
    return np.clip(mbqm(total, *qm(float(scale / np.float32(count)))) + codes.target[1], codes.low, codes.high)


def roi_pooling(
    features: Tensor,
    rois: Tensor,
    batches: Sequence[int],
    settings: RoiSettings,
    number: Any = np.float32,
    empty: float = 0,
) -> Tensor:
    """Return maxima of bins; bins that lie outside of the features have the value ``empty``."""
    return largest_of_bins(features, bins_of(features, rois, settings, number), batches, empty)


def bins_of(features: Tensor, rois: Tensor, settings: RoiSettings, number: Any) -> Bins:
    """Return the bins of each region."""
    x1, y1, x2, y2 = rounded(_regions(rois, settings, number).astype(np.float64)).T
    rows = _bins_along(y1, y2, settings.output_height, features.dims[1], number)
    columns = _bins_along(x1, x2, settings.output_width, features.dims[2], number)
    return list(zip(rows, columns, strict=True))


def largest_of_bins(features: Tensor, bins: Bins, batches: Sequence[int], empty: float) -> Tensor:
    """Return maxima of the bins of all regions."""
    size = [len(spans) for spans in bins[0]] if bins else [0, 0]
    results = np.full((len(bins), *size, features.dims[3]), empty, features.array.dtype)
    for roi, (rows, columns) in enumerate(bins):
        image = features.array[batches[roi]]
        for i, j in itertools.product(range(size[0]), range(size[1])):
            cells = image[rows[i], columns[j]]
            if cells.size:
                results[roi, i, j] = cells.max((0, 1))
    return Tensor.of(results)


def _bins_along(starts: Array, ends: Array, cells: int, size: int, number: Any) -> list[list[slice]]:
    """Return the bins of each region along an axis with the given number of output cells and feature cells."""
    steps = (np.maximum(ends - starts + 1, 1).astype(number) / number(cells))[:, None]
    cell, corner = np.arange(cells + 1).astype(number), starts.astype(number)[:, None]
    first = np.clip(np.floor(steps * cell[:-1] + corner), 0, size).astype(np.int64)
    stop = np.clip(np.ceil(steps * cell[1:] + corner), 0, size).astype(np.int64)
    return [
        [slice(*ends) for ends in zip(*both, strict=True)] for both in zip(first.tolist(), stop.tolist(), strict=True)
    ]


def _settings(call: Invocation, samples: int) -> RoiSettings:
    """Return the scalars from the output height on, with the given numbers of samples."""
    return RoiSettings(*call.numbers(3, 4 + samples))


def _roi_align(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: features, regions, batch indexes, output size, ratios, samples, layout."""
    nchw, settings = call.flag(9), _settings(call, 2)
    features, source, target = in_nhwc(call.raw(0), nchw=nchw), call.inputs[0], call.output
    if call.is_float:
        kind = features.array.dtype.type
        result = roi_align(features, call.raw(1), call.list(2), settings, kind)
    else:
        codes = Codes(source.quantization, target.quantization, *target.limits)
        result = roi_align(features, call.real(1), call.list(2), settings, codes=codes)
    return in_layout(result, nchw=nchw)


def _roi_pooling(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: features, regions, batch indexes, output size, ratios, layout."""
    nchw = call.flag(7)
    features = in_nhwc(call.raw(0), nchw=nchw)
    number: Any = features.array.dtype.type if call.is_float else np.float32
    regions = call.raw(1) if call.is_float else call.real(1)
    empty = call.inputs[0].zero_point
    return in_layout(roi_pooling(features, regions, call.list(2), _settings(call, 0), number, empty), nchw=nchw)


_LOWEST: Final = float(np.finfo(np.float32).min)
"""Lowest finite number, from which the search for a maximum starts."""


def _solve(g: Callable[[int, int], Real], best: Real, tolerance: float) -> tuple[Real, Real, Real]:
    """Return the offset in x and y and the score at the peak of a parabola through the cells around the maximum.

    ``g(row, column)`` is a cell, -1 to 1 from the maximum. Without a clear peak the maximum itself and ``best`` stay.
    """
    two, four = np.float32(2), np.float32(4)
    b0, b1 = -(g(0, 1) - g(0, -1)) / two, -(g(1, 0) - g(-1, 0)) / two
    axx = g(0, -1) - two * g(0, 0) + g(0, 1)
    ayy = g(-1, 0) - two * g(0, 0) + g(1, 0)
    axy = (g(1, 1) - g(1, -1) - g(-1, 1) + g(-1, -1)) / four
    det = axx * ayy - axy * axy
    if abs(det) < np.float32(tolerance) + np.float32(tolerance) * (axx * ayy):
        return np.float32(0), np.float32(0), best
    dx, dy = (ayy * b0 - axy * b1) / det, (axx * b1 - axy * b0) / det
    limit = np.float32(1.5)
    if abs(dx) > limit or abs(dy) > limit:
        factor = limit / max(abs(dx), abs(dy))
        dx, dy = dx * factor, dy * factor
    score = g(0, 0) - b0 * dx - b1 * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) / two
    return dx, dy, score


def keypoint(cells: Array, box: Sequence[float], tolerance: float) -> tuple[float, float, float]:
    """Return score, x and y of the keypoint of one square map in its box."""
    size = len(cells)
    # The first maximum in row-major order; NaN is none, nor is anything below the lowest finite number.
    reals = np.nan_to_num(cells.astype(np.float32), nan=_LOWEST, posinf=np.inf, neginf=_LOWEST)
    row, column = divmod(int(np.argmax(reals)), size)
    best = reals[row, column]

    def g(down: int, across: int) -> Real:
        # The map is mirrored at its edges.
        r, c = ({-1: 1, size: size - 2}.get(i, i) for i in (row + down, column + across))
        return np.float32(cells[r, c])

    dx, dy, score = _solve(g, best, tolerance)
    x1, y1, x2, y2 = (np.float32(value) for value in box)
    half, scale = np.float32(0.5), np.float32(size)
    x = (np.float32(column) + dx + half) / scale * (x2 - x1) + x1
    y = (np.float32(row) + dy + half) / scale * (y2 - y1) + y1
    return float(score), float(x), float(y)


def heatmap_max_keypoint(maps: Tensor, boxes: Tensor, tolerance: float = 1e-5) -> tuple[Tensor, Tensor]:
    """Return scores [boxes, keypoints] and positions [boxes, keypoints, 2]."""
    count, _, _, kinds = maps.dims
    scores: list[float] = []
    places: list[float] = []
    for box in range(count):
        for kind in range(kinds):
            score, x, y = keypoint(maps.array[box, :, :, kind], boxes.array[box], tolerance)
            scores.append(score)
            places += [x, y]
    return Tensor(scores, (count, kinds)), Tensor(places, (count, kinds, 2))


def _heatmap(call: Invocation) -> list[Array]:
    """Compute the operation. Inputs: heatmaps, boxes, layout."""
    tolerance = 1e-3 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else 1e-5
    maps = in_nhwc(call.real(0), nchw=call.flag(2))
    found = heatmap_max_keypoint(maps, call.real(1), tolerance)
    return [quantized_like(output, result) for output, result in zip(call.outputs, found, strict=True)]


MEANINGS: Final = {
    O.ROI_ALIGN: Meaning(_roi_align),
    O.ROI_POOLING: Meaning(_roi_pooling, like(0)),
    O.HEATMAP_MAX_KEYPOINT: Meaning(_heatmap),
}
