"""Kernels of ROI_ALIGN, ROI_POOLING and HEATMAP_MAX_KEYPOINT.

Declarations: ``hal/operations/roi.py``. Coordinates are computed in the precision of the tensors: float16 for float16
features, otherwise float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.detection import ordered, real, stored
from nnvet.reference_driver.kernels.layout import as_laid_out, channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds

_CELLS_AT_ONCE = 1 << 20
"""Number of output values to compute at a time, which limits memory."""


def _locate(call: Call, images: Array) -> tuple[Array, Array]:
    """Return the batch index of each region, and regions [num_rois, 4] in the coordinates of the feature maps."""
    name = call.declaration.name
    batches, rois = call["batch_index"].array, real(call["rois"])
    if (batches < 0).any() or (batches >= len(images)).any():
        call.fail(f"{name}/batch_index.values", f"there are {len(images)} feature maps")
    number = rois.dtype.type
    scales = np.array([number(1) / number(call.scalar(f"{axis}_ratio")) for axis in ("width", "height")])
    located = rois * np.tile(scales, 2)
    ends = np.array(images.shape[2:0:-1]).astype(rois.dtype)
    if not ((rois >= 0).all() and ordered(rois) and (located[:, 2:] <= ends).all()):
        call.fail(f"{name}/rois.values")
    return batches, located


@dataclass
class _Axis:
    """Sampling along one axis of feature maps with ``size`` pixels, for an output with ``cells`` pixels.

    Each region has a start, a step from one output pixel to the next, and a number of samples in each output pixel.
    """

    size: int
    cells: int
    starts: Array
    steps: Array
    samples: Array

    def taps(self, regions: Array, sample: int) -> tuple[Array, Array, Array]:
        """Return, for a sample of each output pixel, the pixels below and above it, and the weight of the upper one."""
        number = self.starts.dtype.type
        starts, steps = self.starts[regions, None], self.steps[regions, None]
        bins = steps / self.samples[regions, None].astype(self.starts.dtype)
        cells = np.arange(self.cells).astype(self.starts.dtype)
        positions = starts + steps * cells + bins / number(2) + bins * number(sample)
        below = np.floor(positions)
        above = below + number(1)
        weight = positions - below
        last = number(self.size - 1)
        outside = below >= last
        below, above = np.where(outside, last, below), np.where(outside, last, above)
        return below.astype(np.intp), above.astype(np.intp), np.where(outside, number(0), weight)


def _axis(call: Call, name: str, size: int, starts: Array, ends: Array) -> _Axis:
    cells = call.scalar(f"output_{name}")
    number = starts.dtype.type
    steps = np.maximum(ends - starts, number(1)) / number(cells)
    given = call.scalar(f"{name}_sampling")
    samples = np.full(len(starts), given) if given else np.ceil(steps).astype(np.int64)
    return _Axis(size, cells, starts, steps, samples)


def _group_alike(vertical: _Axis, horizontal: _Axis, channels: int) -> Iterator[tuple[Array, int, int]]:
    """Yield regions that have the same number of samples on both axes, in portions that fit into memory."""
    counts = np.stack([vertical.samples, horizontal.samples], axis=1)
    cells = vertical.cells * horizontal.cells * channels
    portion = max(_CELLS_AT_ONCE // cells, 1)
    pairs = np.unique(counts, axis=0).tolist()
    check_rounds(sum(down * across for down, across in pairs))
    for down, across in pairs:
        regions = np.flatnonzero((counts == (down, across)).all(axis=1))
        check_products(len(regions), cells, down, across)
        for start in range(0, len(regions), portion):
            yield regions[start : start + portion], down, across


@kernel(OperationType.ROI_ALIGN, native_float16=True)
def roi_align(call: Call) -> Array:
    """Return the mean of the samples of each output pixel, each interpolated between four pixels of the feature map."""
    source, is_float = call["input"], OPERAND_TYPES[call["input"].type].is_float
    images = channels_last(call, source.array if is_float else fixed_point.centred(source))
    batches, rois = _locate(call, images)
    vertical = _axis(call, "height", images.shape[1], rois[:, 1], rois[:, 3])
    horizontal = _axis(call, "width", images.shape[2], rois[:, 0], rois[:, 2])
    result = np.empty((len(rois), vertical.cells, horizontal.cells, images.shape[3]), call.output.dtype)
    weigh = _exact if is_float else _in_255ths
    for regions, down, across in _group_alike(vertical, horizontal, images.shape[3]):
        total = np.zeros((len(regions), *result.shape[1:]), images.dtype)
        columns = [horizontal.taps(regions, sample) for sample in range(across)]
        for row in (vertical.taps(regions, sample) for sample in range(down)):
            for column in columns:
                total += _sample(images, batches[regions], row, column, weigh)
        result[regions] = (
            total / total.dtype.type(down * across) if is_float else _requantize(call, total, down * across)
        )
    return as_laid_out(call, result)


Taps = tuple[Array, Array, Array]


def _sample(images: Array, batches: Array, row: Taps, column: Taps, weigh: Callable[[Array], Array]) -> Any:
    """Return one interpolated sample for each output pixel: [regions, height, width, channels]."""
    image = batches[:, None, None]
    (top, bottom, dy), (left, right, dx) = row, column
    top, bottom, dy = (part[:, :, None] for part in (top, bottom, dy))
    left, right, dx = (part[:, None, :] for part in (left, right, dx))
    one = dy.dtype.type(1)
    corners = (
        (top, left, (one - dx) * (one - dy)),
        (top, right, dx * (one - dy)),
        (bottom, left, (one - dx) * dy),
        (bottom, right, dx * dy),
    )
    first, *others = (weigh(weight)[..., None] * images[image, y, x] for y, x, weight in corners)
    return sum(others, first)


def _exact(weight: Array) -> Array:
    return weight


def _in_255ths(weight: Array) -> Array:
    """Return weights rounded to whole multiples of 1/255, as those multiples."""
    return np.asarray(fixed_point.round_half_away(weight / (np.float32(1) / np.float32(255))), dtype=np.int64)


def _requantize(call: Call, total: Array, samples: int) -> Array:
    source, output = call["input"], call.output
    scale = np.float32(source.scale) * (np.float32(1) / np.float32(255)) / np.float32(output.scale)
    real_multiplier = float(scale / np.float32(samples))
    if not 0 <= real_multiplier < 1:
        call.fail("ROI_ALIGN/multiplier", f"it is {real_multiplier:.6g}")
    # The reference adds in 32 bits, so the sum wraps around.
    wrapped = total.astype(np.int32).astype(np.int64)
    codes = fixed_point.mbqm(wrapped, *fixed_point.quantize_multiplier(real_multiplier)) + output.zero_point
    return fixed_point.saturate(codes, *output.quantized_range, output.dtype)


@kernel(OperationType.ROI_POOLING, native_float16=True)
def roi_pooling(call: Call) -> Array:
    """Return the maximum of each bin, the pixels of the region that share an output pixel; an empty bin gives 0."""
    images = channels_last(call, call["input"].array)
    batches, rois = _locate(call, images)
    height, width = call.scalar("output_height"), call.scalar("output_width")
    # Along an axis the feature map has at most two different bins for each pixel.
    check_rounds(
        len(rois), *(min(cells, 2 * size) for cells, size in zip((height, width), images.shape[1:3], strict=True))
    )
    check_products(len(rois), *images.shape[1:])
    result = np.empty((len(rois), height, width, images.shape[3]), images.dtype)
    empty = np.full(images.shape[3], call["input"].zero_point, images.dtype)
    corners = fixed_point.round_half_away(rois)
    for region, batch in enumerate(batches):
        left, top, right, bottom = corners[region]
        rows, row_places = _bins(top, bottom, height, images.shape[1])
        columns, column_places = _bins(left, right, width, images.shape[2])
        maxima = np.array([[_maximum(images[batch], row, column, empty) for column in columns] for row in rows])
        result[region] = maxima[row_places[:, None], column_places]
    return as_laid_out(call, result)


def _bins(start: Any, end: Any, cells: int, size: int) -> tuple[Array, Array]:
    """Return the different bins along an axis as (first pixel, end), and the number of the bin of each output pixel.

    ``start`` and ``end`` are the region's rounded coordinates, ``cells`` and ``size`` as in ``_Axis``.
    """
    number = type(start)
    step = number(max(int(end) - int(start) + 1, 1)) / number(cells)
    index = np.arange(cells + 1).astype(number)
    low, high = np.floor(step * index[:-1] + start), np.ceil(step * index[1:] + start)
    clamped = np.clip(np.stack([low, high], axis=1), 0, size).astype(np.int64)
    bins, places = np.unique(clamped, axis=0, return_inverse=True)
    return bins, places.reshape(-1)


def _maximum(image: Array, row: Array, column: Array, empty: Array) -> Array:
    """Return the maximum of each channel over a bin."""
    cells = image[row[0] : row[1], column[0] : column[1]].reshape(-1, image.shape[2])
    return cells.max(axis=0) if len(cells) else empty


_FARTHEST = np.float32(1.5)
"""Largest distance, in pixels, of a refined maximum from the pixel of the maximum."""


@kernel(OperationType.HEATMAP_MAX_KEYPOINT)
def heatmap_max_keypoint(call: Call) -> tuple[Array, Array]:
    """Return scores and positions of the maxima, refined by a parabola through the pixels around each."""
    maps = np.moveaxis(channels_last(call, real(call["heatmap"])), 3, 1)
    boxes = real(call["boxes"])
    if not ordered(boxes):
        call.fail("HEATMAP_MAX_KEYPOINT/boxes.order")
    size = maps.shape[2]
    # Only numbers above the lowest one count; NaN is not among them.
    flat = maps.reshape(*maps.shape[:2], -1)
    flat = np.where(flat > -fixed_point.FLOAT_MAX, flat, -fixed_point.FLOAT_MAX)
    places = flat.argmax(axis=2)
    row, column = np.divmod(places, size)
    tolerance = 1e-3 if call.row.types["T"] == OperandType.TENSOR_FLOAT16 else 1e-5
    dx, dy, score = _refine(_gather_neighbours(maps, row, column), flat.max(axis=2), np.float32(tolerance))
    half, sides = np.float32(0.5), boxes[:, 2:] - boxes[:, :2]
    offsets = [(cell.astype(np.float32) + delta + half) / np.float32(size) for cell, delta in ((column, dx), (row, dy))]
    keypoints = np.stack(offsets, axis=-1) * sides[:, None, :] + boxes[:, None, :2]
    return stored(score, call.outputs[0]), stored(keypoints, call.outputs[1])


def _gather_neighbours(maps: Array, row: Array, column: Array) -> Array:
    """Return the 3 by 3 pixels around one pixel of each map, as [3, 3, boxes, keypoints]; mirrored at the borders."""
    size = maps.shape[2]
    steps = np.arange(-1, 2)[:, None, None]
    # The indexes -1 and size mirror to 1 and size - 2.
    rows, columns = ((size - 1) - np.abs((size - 1) - np.abs(cell + steps)) for cell in (row, column))
    box, keypoint = np.ogrid[: maps.shape[0], : maps.shape[1]]
    around: Array = maps[box, keypoint, rows[:, None], columns[None, :]]
    return around


def _refine(g: Array, largest: Array, tolerance: np.float32) -> tuple[Array, Array, Array]:
    """Return the offset of the maximum from the cell's centre, in x and y, and the value there."""
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
