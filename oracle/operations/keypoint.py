"""HEATMAP_MAX_KEYPOINT on NHWC maps. Written from docs/contract/operations/HEATMAP_MAX_KEYPOINT.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.boxes import Real, quantized_like
from nnvet.oracle.operations.invocation import Invocation, Meaning, in_nhwc
from nnvet.oracle.operations.tensor import Array, Tensor

_LOWEST: Final = float(np.finfo(np.float32).min)


def _solve(g: Callable[[int, int], Real], best: Real, tolerance: float) -> tuple[Real, Real, Real]:
    """Offset in x and y and score, from the cells around the maximum (row, column from -1 to 1)."""
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
    """Score, x and y for one square map in its box."""
    size = len(cells)
    # The first maximum in row-major order; NaN is none, nor is anything below the lowest finite number.
    reals = np.nan_to_num(cells.astype(np.float32), nan=_LOWEST, posinf=np.inf, neginf=_LOWEST)
    row, column = divmod(int(np.argmax(reals)), size)
    best = reals[row, column]

    def g(down: int, across: int) -> Real:
        r, c = ({-1: 1, size: size - 2}.get(i, i) for i in (row + down, column + across))
        return np.float32(cells[r, c])

    dx, dy, score = _solve(g, best, tolerance)
    x1, y1, x2, y2 = (np.float32(value) for value in box)
    half, scale = np.float32(0.5), np.float32(size)
    x = (np.float32(column) + dx + half) / scale * (x2 - x1) + x1
    y = (np.float32(row) + dy + half) / scale * (y2 - y1) + y1
    return float(score), float(x), float(y)


def heatmap_max_keypoint(maps: Tensor, boxes: Tensor, tolerance: float = 1e-5) -> tuple[Tensor, Tensor]:
    """Scores [boxes, keypoints] and positions [boxes, keypoints, 2]."""
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
    """Inputs: heatmaps, boxes, layout."""
    tolerance = 1e-3 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else 1e-5
    maps = in_nhwc(call.real(0), nchw=call.flag(2))
    found = heatmap_max_keypoint(maps, call.real(1), tolerance)
    return [quantized_like(output, result) for output, result in zip(call.outputs, found, strict=True)]


MEANINGS: Final = {O.HEATMAP_MAX_KEYPOINT: Meaning(_heatmap)}
