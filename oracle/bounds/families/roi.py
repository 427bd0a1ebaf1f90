"""Bound rules of operations on regions of interest: ROI_ALIGN, ROI_POOLING and HEATMAP_MAX_KEYPOINT.

Each bounds the errors of correct drivers around the ideal results; :mod:`nnvet.oracle.operations.roi` has the formulas.
Coordinates are rounded to whole cells: where an error may change a cell or a number of samples, results jump. Such
elements are *open*, with an infinite error.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import interval, unrounded
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running, absolute, choose, limits_of
from nnvet.oracle.bounds.storing import LocalError, stored
from nnvet.oracle.operations.invocation import Array, Tensor, in_layout, in_nhwc
from nnvet.oracle.operations.roi import Bins, RoiSettings, bins_of, largest_of_bins

_COORDINATE: Final = 8.0
"""The error of a coordinate, in units of roundoff of the largest one."""
_NEAR: Final = 2.0**-20
"""The relative error of float32 numbers that decide about whole cells of the feature map."""
_NEAR_HALF: Final = 2.0**-8
"""The same relative error, if coordinates may be float16."""
_PARTS: Final = 2.0 / 255.0
"""The error of four weights that are whole parts of 255, relative to the largest feature."""
_TWICE: Final = 0.25
"""The codes that the second rounding of a multiplier may add."""


def _near(call: EstimatedCall) -> float:
    """Return the relative error of decisive numbers: drivers may compute relaxed models' coordinates in float16."""
    return _NEAR_HALF if call.precision.unit > _NEAR else _NEAR


def _align(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate ROI_ALIGN: interpolated errors of the features, and the effect of rounded coordinates and sums."""
    nchw, settings = call.parameters.flag(9), RoiSettings(*call.parameters.numbers(3, 6))
    value, error = interval(call, 0)
    regions, batches = call.value(1), np.array(call.parameters.list(2), np.int64)
    (found,) = call.ideal()
    # Weights are not negative, so errors are interpolated like features.
    spread = call.ideal({0: error})[0] if error.any() else np.zeros(found.shape)
    unit = call.precision.unit if call.output.type == OperandType.TENSOR_FLOAT16 else call.precision.sum_unit
    features = in_nhwc(Tensor.of(np.abs(value) + error), nchw=nchw).array
    largest = features.max((1, 2))[batches][:, None, None, :]
    ratios = np.array([settings.width_ratio, settings.height_ratio] * 2, np.float64)
    corners, doubt = regions / ratios, call.error(1) / ratios
    # At most this many samples are added for an output cell.
    samples = max(settings.height_samples, features.shape[1] + 1) * max(settings.width_samples, features.shape[2] + 1)
    reach = (np.abs(corners).max(1) + 1)[:, None, None, None]
    # A moved coordinate changes each of four weights by as much.
    moved = 4.0 * (_COORDINATE * unit * reach + doubt.max(1)[:, None, None, None])
    local = (moved + (samples + _COORDINATE) * unit) * largest
    local = in_layout(Tensor.of(np.broadcast_to(local, in_nhwc(Tensor.of(found), nchw=nchw).dims)), nchw=nchw).array
    if not call.output.is_float:
        local = local + _of_parts(call, found, in_layout(Tensor.of(largest + 0.0 * reach), nchw=nchw).array)
    result = stored(call, found, spread, LocalError(local), slack=0.0 if call.output.is_float else _TWICE)
    is_open = _counts_open(corners, settings, _near(call) + (doubt / np.fmax(np.abs(corners), 1.0)).max(1))
    # Pixels that are infinite or NaN may enter with a weight of zero, or not at all.
    odd = ~np.isfinite(largest)
    if call.output.is_float:
        # Samples are summed in the type of the features before they are divided by their number.
        odd = odd | (_most_samples(corners, settings, _near(call)) * largest > limits_of(unit)[1])
    odd = in_layout(Tensor.of(np.broadcast_to(odd, in_nhwc(Tensor.of(found), nchw=nchw).dims)), nchw=nchw).array
    return [_with_open(result, odd | is_open[:, None, None, None])]


def _of_parts(call: EstimatedCall, ideal: Array, largest: Array) -> Array:
    """Return the effect of weights that the contract rounds to parts of 255.

    For exact codes it is the difference from the contract's own result, otherwise a bound by the largest feature.
    """
    if not call.estimate(0).is_exact:
        return _PARTS * largest
    codes = replace(call.parameters.inputs[0], array=call.estimate(0).value.astype(np.int64))
    (found,) = call.on_stored({0: codes})
    off: Array = np.abs((found - call.output.zero_point) * call.output.scale - ideal)
    return off


def _steps(corners: Array, settings: RoiSettings) -> tuple[Array, Array]:
    """Return widths and heights of the output cells of each region, in pixels; a region has at least one pixel."""
    sizes = np.maximum(corners[:, 2:] - corners[:, :2], 1.0)
    return sizes[:, 0] / settings.output_width, sizes[:, 1] / settings.output_height


def _most_samples(corners: Array, settings: RoiSettings, near: Array | float) -> Array:
    """Return the most samples that a cell of each region may have, shape ``[regions, 1, 1, 1]``."""
    wide, high = (np.ceil(step * (1 + near)) for step in _steps(corners, settings))
    found: Array = (settings.width_samples or wide) * (settings.height_samples or high) * np.ones(len(corners))
    return found[:, None, None, None]


def _counts_open(corners: Array, settings: RoiSettings, near: Array) -> Array:
    """Return a mask of regions for which rounding decides how many samples they have."""
    found = np.zeros(len(corners), np.bool_)
    for step, samples in zip(_steps(corners, settings), (settings.width_samples, settings.height_samples), strict=True):
        is_short = np.float32(step) == step
        is_near = np.ceil(step * (1 - near)) != np.ceil(step * (1 + near))
        found |= (samples == 0) & is_near & ~(is_short & (np.float32(corners) == corners).all(1))
    return found


def _with_open(estimate: Estimate, is_open: Array) -> Estimate:
    """Return an estimate with an infinite error where ``is_open``; not even an infinite value is demanded there."""
    if not is_open.any():
        return estimate
    value = np.where(is_open & np.isinf(estimate.value), np.nan, estimate.value)
    return unrounded(estimate.as_operand, value, np.where(is_open, np.inf, estimate.error))


def _pooling(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate ROI_POOLING: maxima of the bins for the features' largest and smallest values.

    Bins are also formed with the regions' starts and ends moved by their errors, in float64 and float32. A maximum
    that is different in any of these is open.
    """
    nchw, settings = call.parameters.flag(7), RoiSettings(*call.parameters.numbers(3, 4))
    source, regions, batches = call.estimate(0), call.value(1), call.parameters.list(2)

    doubt = call.error(1) + _near(call) * np.abs(regions)
    is_unknown = np.asarray(~np.isfinite(doubt).all(1))
    doubt = np.where(is_unknown[:, None], 0.0, doubt)

    def bins(sides: tuple[int, int], number: Any) -> Bins:
        # ``sides``: the direction in which the starts and the ends of regions are moved.
        corners = Tensor.of(regions + np.repeat(sides, 2) * doubt)
        return bins_of(in_nhwc(Tensor.of(source.value), nchw=nchw), corners, settings, number)

    def pooled(features: Array, cells: Bins, of: Sequence[int] = batches) -> Array:
        image = in_nhwc(Tensor.of(features), nchw=nchw)
        return in_layout(largest_of_bins(image, cells, of, float(source.zero_point)), nchw=nchw).array

    own = bins((0, 0), np.float64)
    value = pooled(source.value, own)
    error = np.zeros(value.shape)
    if not source.is_exact:
        error = np.fmax(
            pooled(source.value + source.error, own) - value, value - pooled(source.value - source.error, own)
        )
    is_open = np.isnan(value) | is_unknown[:, None, None, None]
    for sides, number in itertools.product(((-1, -1), (-1, 1), (1, -1), (1, 1)), (np.float64, np.float32)):
        others = bins(sides, number)
        moved = [region for region, cells in enumerate(others) if cells != own[region]]
        if moved:
            found = pooled(source.value, [others[region] for region in moved], [batches[region] for region in moved])
            is_open[moved] |= found != value[moved]
    return [unrounded(call.output, value, np.where(is_open, np.inf, error))]


_LIMIT: Final = 1.5
"""Largest offset of a keypoint from the largest cell, in cells."""
_BOXES: Final = 1
"""Position of the boxes among the inputs."""


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate HEATMAP_MAX_KEYPOINT: the formulas of its meaning on numbers that carry their errors."""
    nchw = call.parameters.flag(2)
    maps = [
        in_nhwc(Tensor.of(array), nchw=nchw).array.transpose(0, 3, 1, 2) for array in (call.value(0), call.error(0))
    ]
    unit = call.precision.sum_unit
    boxes = Running(call.value(_BOXES)[:, None], call.error(_BOXES)[:, None], unit)
    size = maps[0].shape[-1]
    flat, errors = (array.reshape(*array.shape[:2], -1) for array in maps)
    best = flat.argmax(-1)
    row, column = np.divmod(best, size)
    around = _neighbourhood(maps, row, column, unit)
    dx, dy, score, is_open = _refined(around, 1e-3 if call.inputs[0].type == OperandType.TENSOR_FLOAT16 else 1e-5)  # type: ignore[union-attr]
    is_open = is_open | _is_open_maximum(flat, errors, best)
    x1, y1, x2, y2 = (boxes[..., side] for side in range(4))
    x = (dx + column + 0.5) / float(size) * (x2 - x1) + x1
    y = (dy + row + 0.5) / float(size) * (y2 - y1) + y1
    places = [np.stack(pair, -1) for pair in ((x.value, y.value), (x.error, y.error))]
    spread = np.where(is_open, np.inf, score.error), np.where(is_open[..., None], np.inf, places[1])
    return [
        stored(call, score.value, spread[0]),
        stored(call, places[0], spread[1], output=call.outputs[1]),
    ]


def _neighbourhood(maps: Sequence[Array], row: Array, column: Array, unit: float) -> Callable[[int, int], Running]:
    """Return a function of row and column offsets: the cells at them from the largest one, mirrored at the edges."""
    size = maps[0].shape[-1]
    box, kind = np.ogrid[: row.shape[0], : row.shape[1]]

    def cell(down: int, across: int) -> Running:
        at = [np.abs(np.where(i == size, size - 2, i)) for i in (row + down, column + across)]
        value, error = (array[box, kind, at[0], at[1]] for array in maps)
        return Running(value, error, unit)

    return cell


def _is_open_maximum(flat: Array, errors: Array, best: Array) -> Array:
    """Return a mask of maps in which another cell may be the largest; of exact equal cells the first is right."""
    lowest = np.take_along_axis(flat - errors, best[..., None], -1)
    may_be = (flat + errors >= lowest) & (errors + np.take_along_axis(errors, best[..., None], -1) > 0)
    np.put_along_axis(may_be, best[..., None], values=False, axis=-1)
    found: Array = may_be.any(-1)
    return found


def _refined(g: Callable[[int, int], Running], tolerance: float) -> tuple[Running, Running, Running, Array]:
    """Return offsets in x and y, score, and a mask of maps for which rounding decides whether there are offsets."""
    b0, b1 = -(g(0, 1) - g(0, -1)) / 2.0, -(g(1, 0) - g(-1, 0)) / 2.0
    axx = g(0, -1) - g(0, 0) * 2.0 + g(0, 1)
    ayy = g(-1, 0) - g(0, 0) * 2.0 + g(1, 0)
    axy = (g(1, 1) - g(1, -1) - g(-1, 1) + g(-1, -1)) / 4.0
    det = axx * ayy - axy * axy
    above = absolute(det) - (axx * ayy * tolerance + tolerance)
    is_flat = above.value < 0
    divisor = choose(is_flat, 1.0, det)
    dx, dy = (ayy * b0 - axy * b1) / divisor, (axx * b1 - axy * b0) / divisor
    far = np.fmax(np.abs(dx.value), np.abs(dy.value))
    farthest = choose(np.abs(dx.value) >= np.abs(dy.value), absolute(dx), absolute(dy))
    factor = choose(far > _LIMIT, farthest.reciprocal(_LIMIT), 1.0)
    # Just below the limit, a driver may already apply the factor that it has just above.
    factor = Running(factor.value, np.where(far + farthest.error > _LIMIT, farthest.error, factor.error), dx.unit)
    dx, dy = (choose(is_flat, 0.0, shift * factor) for shift in (dx, dy))
    score = g(0, 0) - b0 * dx - b1 * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) / 2.0
    return dx, dy, choose(is_flat, g(0, 0), score), np.abs(above.value) <= above.error


RULES: Final[dict[O, BoundRule]] = {
    O.ROI_ALIGN: BoundRule(
        _align,
        "the interpolation of the errors",
        "32 units of roundoff for each cell of the largest coordinate, and one for each sample",
        "regions at whose number of samples rounding decides",
    ),
    O.ROI_POOLING: BoundRule(
        _pooling,
        "largest change over the ends of the features' intervals",
        "none",
        "regions at whose cells rounding decides",
    ),
    O.HEATMAP_MAX_KEYPOINT: BoundRule(
        _estimate,
        "running error analysis",
        "running error analysis",
        "maps whose largest cell, or whose determinant beside its threshold, is within the errors",
    ),
}
