"""HEATMAP_MAX_KEYPOINT. Declared in ``hal/operations/keypoint.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.activation_bounds import FLOAT_MAX
from nnvet.reference_driver.kernels.boxes import ordered, real, stored
from nnvet.reference_driver.kernels.layout import channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel

_FARTHEST = np.float32(1.5)


@kernel(OperationType.HEATMAP_MAX_KEYPOINT)
def heatmap_max_keypoint(call: Call) -> tuple[Array, Array]:
    """Scores and positions of the maxima, refined by a parabola through the cells around each."""
    maps = np.moveaxis(channels_last(call, real(call["heatmap"])), 3, 1)
    boxes = real(call["boxes"])
    if not ordered(boxes):
        call.fail("HEATMAP_MAX_KEYPOINT/boxes.order")
    size = maps.shape[2]
    # Only what is greater than the lowest number counts, and NaN is not.
    flat = maps.reshape(*maps.shape[:2], -1)
    flat = np.where(flat > -FLOAT_MAX, flat, -FLOAT_MAX)
    places = flat.argmax(axis=2)
    row, column = np.divmod(places, size)
    tolerance = 1e-3 if call.row.types["T"] == OperandType.TENSOR_FLOAT16 else 1e-5
    dx, dy, score = _refined(_neighbours(maps, row, column), flat.max(axis=2), np.float32(tolerance))
    half, sides = np.float32(0.5), boxes[:, 2:] - boxes[:, :2]
    offsets = [(cell.astype(np.float32) + delta + half) / np.float32(size) for cell, delta in ((column, dx), (row, dy))]
    keypoints = np.stack(offsets, axis=-1) * sides[:, None, :] + boxes[:, None, :2]
    return stored(score, call.outputs[0]), stored(keypoints, call.outputs[1])


def _neighbours(maps: Array, row: Array, column: Array) -> Array:
    """The 3 by 3 cells around a cell of each map, as [3, 3, boxes, keypoints]; mirrored at the borders."""
    size = maps.shape[2]
    steps = np.arange(-1, 2)[:, None, None]
    # Cells -1 and size mirror to 1 and size - 2.
    rows, columns = ((size - 1) - np.abs((size - 1) - np.abs(cell + steps)) for cell in (row, column))
    box, keypoint = np.ogrid[: maps.shape[0], : maps.shape[1]]
    around: Array = maps[box, keypoint, rows[:, None], columns[None, :]]
    return around


def _refined(g: Array, largest: Array, tolerance: np.float32) -> tuple[Array, Array, Array]:
    """Offset of the maximum from the cell's centre, in x and y, and the value there."""
    half, two, quarter = np.float32(0.5), np.float32(2), np.float32(0.25)
    b0, b1 = -(g[1, 2] - g[1, 0]) * half, -(g[2, 1] - g[0, 1]) * half
    axx, ayy = g[1, 0] - two * g[1, 1] + g[1, 2], g[0, 1] - two * g[1, 1] + g[2, 1]
    axy = (g[2, 2] - g[2, 0] - g[0, 2] + g[0, 0]) * quarter
    det = axx * ayy - axy * axy
    flat = np.abs(det) < tolerance + tolerance * (axx * ayy)
    dx, dy = (ayy * b0 - axy * b1) / det, (axx * b1 - axy * b0) / det
    farthest = np.maximum(np.abs(dx), np.abs(dy))
    far = (np.abs(dx) > _FARTHEST) | (np.abs(dy) > _FARTHEST)
    shrink = _FARTHEST / farthest
    dx, dy = np.where(far, dx * shrink, dx), np.where(far, dy * shrink, dy)
    score = g[1, 1] - b0 * dx - b1 * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) * half
    zero = np.float32(0)
    return np.where(flat, zero, dx), np.where(flat, zero, dy), np.where(flat, largest, score)
