"""HEATMAP_MAX_KEYPOINT on NHWC maps in plain Python, from its page in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nnvet.oracle.operations.boxes import Real
from nnvet.oracle.operations.tensor import Tensor


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


def keypoint(cells: Sequence[Sequence[float]], box: Sequence[float], tolerance: float) -> tuple[float, float, float]:
    """Score, x and y for one square map in its box."""
    size = len(cells)
    best, row, column = -np.finfo(np.float32).max, 0, 0
    for r in range(size):
        for c in range(size):
            if np.float32(cells[r][c]) > best:
                best, row, column = np.float32(cells[r][c]), r, c

    def g(down: int, across: int) -> Real:
        r, c = ({-1: 1, size: size - 2}.get(i, i) for i in (row + down, column + across))
        return np.float32(cells[r][c])

    dx, dy, score = _solve(g, best, tolerance)
    x1, y1, x2, y2 = (np.float32(value) for value in box)
    half, scale = np.float32(0.5), np.float32(size)
    x = (np.float32(column) + dx + half) / scale * (x2 - x1) + x1
    y = (np.float32(row) + dy + half) / scale * (y2 - y1) + y1
    return float(score), float(x), float(y)


def heatmap_max_keypoint(maps: Tensor, boxes: Tensor, tolerance: float = 1e-5) -> tuple[Tensor, Tensor]:
    """Scores [boxes, keypoints] and positions [boxes, keypoints, 2]."""
    count, size, _, kinds = maps.dims
    scores: list[float] = []
    places: list[float] = []
    for box in range(count):
        for kind in range(kinds):
            cells = [[maps[(box, r, c, kind)] for c in range(size)] for r in range(size)]
            score, x, y = keypoint(cells, [boxes[(box, i)] for i in range(4)], tolerance)
            scores.append(score)
            places += [x, y]
    return Tensor(scores, (count, kinds)), Tensor(places, (count, kinds, 2))
