"""Boxes and non-maximum suppression, step by step. Source: docs/contract/operations/common.md 15 and 18.

Numbers are np.float32 scalars, so that every step is rounded as the reference rounds it. Lists of candidates are
changed in place, swap by swap. Python's max and min keep the first of two numbers in the same cases as C++'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from nnvet.oracle.operations.fixed_point_functions import round_away
from nnvet.oracle.operations.invocation import OperandValue
from nnvet.oracle.operations.tensor import Array, Tensor

Real: TypeAlias = Any
"""A np.float32."""
Box: TypeAlias = Sequence[Real]


def quantize(x: float, target: tuple[float, int], low: int, high: int) -> int:
    """Code of a real value: round(x / scale + zero point), saturated."""
    return min(max(round_away(float(np.float32(x) / np.float32(target[0]) + np.float32(target[1]))), low), high)


def quantized_like(output: OperandValue, reals: Tensor) -> Array:
    """Real numbers as an output holds them: floats, codes, or integers that are no numbers of anything."""
    if output.is_float or not output.scale:
        return reals.array
    codes = [quantize(x, output.quantization, *output.limits) for x in reals.values]
    return np.array(codes, np.int64).reshape(reals.dims)


def iou(p: Box, q: Box) -> Real:
    """Intersection over union; NaN for two boxes without area."""
    zero = np.float32(0)
    width = max(min(p[2], q[2]) - max(p[0], q[0]), zero)
    height = max(min(p[3], q[3]) - max(p[1], q[1]), zero)
    common = width * height
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (p, q)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return common / (areas[0] + areas[1] - common)


def _position_of_best(score: Sequence[Real], order: Sequence[int], start: int, end: int) -> int:
    best = start
    for position in range(start, end):
        if score[order[best]] < score[order[position]]:
            best = position
    return best


def _nms(
    score: list[Real], limit: int, box: Callable[[int], Box], order: list[int], drop: Callable[[int, Real], bool]
) -> list[int]:
    if limit < 0:
        limit = len(order)
    start, end, count = 0, len(order), 0
    while start < end and count < limit:
        best = _position_of_best(score, order, start, end)
        order[best], order[start] = order[start], order[best]
        i = start + 1
        while i < end:
            if drop(order[i], iou(box(order[i]), box(order[start]))):
                end -= 1
                order[i], order[end] = order[end], order[i]
            else:
                i += 1
        start += 1
        count += 1
    return order[:start]


def hard_nms(score: list[Real], threshold: float, limit: int, box: Callable[[int], Box], order: list[int]) -> list[int]:
    """Indices in the order in which they are picked; overlaps of the threshold or more are dropped."""
    return _nms(score, limit, box, order, lambda _index, overlap: bool(overlap >= np.float32(threshold)))


def soft_nms(
    score: list[Real],
    threshold: float,
    limit: int,
    box: Callable[[int], Box],
    order: list[int],
    kernel: Callable[[Real], Real],
) -> list[int]:
    """The same, but scores are multiplied by a function of the overlap and dropped below the threshold."""

    def drop(index: int, overlap: Real) -> bool:
        score[index] = score[index] * kernel(overlap)
        return bool(score[index] < np.float32(threshold))

    return _nms(score, limit, box, order, drop)


def by_class(
    score: list[Real], classes: int, threshold: float, limit: int, single: Callable[[list[int]], list[int]]
) -> list[int]:
    """Flat indices (row * classes + class) left by ``single`` for each class but the first, by falling score."""
    survivors: list[int] = []
    for label in range(1, classes):
        candidates = [i for i in range(label, len(score), classes) if score[i] > np.float32(threshold)]
        survivors += single(candidates)
    survivors.sort(key=lambda i: -score[i])
    return survivors if limit < 0 else survivors[:limit]


def transform(roi: Box, delta: Box, height: Real, width: Real) -> list[Real]:
    """A region moved and resized by [dx, dy, dw, dh], clipped to an image."""
    two, zero = np.float32(2), np.float32(0)
    x1, y1, x2, y2 = roi
    w, h = x2 - x1, y2 - y1
    centre_x, centre_y = (x1 + x2) / two, (y1 + y2) / two
    dx, dy, dw, dh = delta
    new_w, new_h = np.exp(dw) * w, np.exp(dh) * h
    centre_x, centre_y = centre_x + dx * w, centre_y + dy * h
    corners = (
        (centre_x - new_w / two, width),
        (centre_y - new_h / two, height),
        (centre_x + new_w / two, width),
        (centre_y + new_h / two, height),
    )
    return [min(max(value, zero), end) for value, end in corners]
