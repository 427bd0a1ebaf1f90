"""ROI_ALIGN and ROI_POOLING."""

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import interval, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import LocalError, stored
from nnvet.oracle.operations.invocation import in_layout, in_nhwc
from nnvet.oracle.operations.roi import Bins, RoiSettings, bins_of, largest_of_bins
from nnvet.oracle.operations.tensor import Array, Tensor

_COORDINATE: Final = 8.0
"""Units of roundoff of a coordinate, of the largest one."""
_NEAR: Final = 2.0**-20
"""Relative error of what decides on whole cells; 2^-8 where coordinates are or may be float16."""
_NEAR_HALF: Final = 2.0**-8
_PARTS: Final = 2.0 / 255.0
"""Error of four weights that are whole parts of 255, relative to the largest feature."""
_TWICE: Final = 0.25
"""Codes that the second rounding of a multiplier may add."""


def _near(call: EstimatedCall) -> float:
    # Relaxed models may have the scale of coordinates in float16.
    return _NEAR_HALF if call.precision.unit > _NEAR else _NEAR


def _align(call: EstimatedCall) -> Sequence[Estimate]:
    nchw, settings = call.parameters.flag(9), RoiSettings(*call.parameters.numbers(3, 6))
    value, error = interval(call, 0)
    regions, batches = call.value(1), np.array(call.parameters.list(2), np.int64)
    (found,) = call.ideal()
    spread = call.ideal({0: error})[0] if error.any() else np.zeros(found.shape)
    unit = call.precision.unit if call.output.type == OperandType.TENSOR_FLOAT16 else call.precision.sum_unit
    features = in_nhwc(Tensor.of(np.abs(value) + error), nchw=nchw).array
    largest = features.max((1, 2))[batches][:, None, None, :]
    ratios = np.array([settings.width_ratio, settings.height_ratio] * 2, np.float64)
    corners, doubt = regions / ratios, call.error(1) / ratios
    samples = max(settings.height_samples, features.shape[1] + 1) * max(settings.width_samples, features.shape[2] + 1)
    reach = (np.abs(corners).max(1) + 1)[:, None, None, None]
    moved = 4.0 * (_COORDINATE * unit * reach + doubt.max(1)[:, None, None, None])
    local = (moved + (samples + _COORDINATE) * unit) * largest
    local = in_layout(Tensor.of(np.broadcast_to(local, in_nhwc(Tensor.of(found), nchw=nchw).dims)), nchw=nchw).array
    if not call.output.is_float:
        local = local + _of_parts(call, found, in_layout(Tensor.of(largest + 0.0 * reach), nchw=nchw).array)
    result = stored(call, found, spread, LocalError(local), slack=0.0 if call.output.is_float else _TWICE)
    is_open = _counts_open(corners, settings, _near(call) + (doubt / np.fmax(np.abs(corners), 1.0)).max(1))
    return [_with_open(result, np.broadcast_to(is_open[:, None, None, None], result.value.shape))]


def _of_parts(call: EstimatedCall, ideal: Array, largest: Array) -> Array:
    """Return the effect of the contract's weights, whole parts of 255: for exact codes the contract's own result."""
    if not call.estimate(0).is_exact:
        return _PARTS * largest
    codes = replace(call.parameters.inputs[0], array=call.estimate(0).value.astype(np.int64))
    (found,) = call.on_stored({0: codes})
    off: Array = np.abs((found - call.output.zero_point) * call.output.scale - ideal)
    return off


def _counts_open(corners: Array, settings: RoiSettings, near: Array) -> Array:
    """For each region whether rounding decides how many samples there are."""
    found = np.zeros(len(corners), np.bool_)
    for axis, cells, samples in (
        (0, settings.output_width, settings.width_samples),
        (1, settings.output_height, settings.height_samples),
    ):
        step = np.maximum(corners[:, axis + 2] - corners[:, axis], 1.0) / cells
        is_short = np.float32(step) == step
        is_near = np.ceil(step * (1 - near)) != np.ceil(step * (1 + near))
        found |= (samples == 0) & is_near & ~(is_short & (np.float32(corners) == corners).all(1))
    return found


def _with_open(estimate: Estimate, is_open: Array) -> Estimate:
    return (
        unrounded(estimate.as_operand, estimate.value, np.where(is_open, np.inf, estimate.error))
        if is_open.any()
        else estimate
    )


def _pooling(call: EstimatedCall) -> Sequence[Estimate]:
    nchw, settings = call.parameters.flag(7), RoiSettings(*call.parameters.numbers(3, 4))
    one, regions, batches = call.estimate(0), call.value(1), call.parameters.list(2)

    doubt = call.error(1) + _near(call) * np.abs(regions)
    is_unknown = np.asarray(~np.isfinite(doubt).all(1))
    doubt = np.where(is_unknown[:, None], 0.0, doubt)

    def bins(sides: tuple[int, int], number: Any) -> Bins:
        corners = Tensor.of(regions + np.repeat(sides, 2) * doubt)
        return bins_of(in_nhwc(Tensor.of(one.value), nchw=nchw), corners, settings, number)

    def pooled(features: Array, cells: Bins, of: Sequence[int] = batches) -> Array:
        image = in_nhwc(Tensor.of(features), nchw=nchw)
        return in_layout(largest_of_bins(image, cells, of, float(one.zero_point)), nchw=nchw).array

    own = bins((0, 0), np.float64)
    value = pooled(one.value, own)
    error = np.zeros(value.shape)
    if not one.is_exact:
        error = np.fmax(pooled(one.value + one.error, own) - value, value - pooled(one.value - one.error, own))
    is_open = np.isnan(value) | is_unknown[:, None, None, None]
    for sides, number in itertools.product(((-1, -1), (-1, 1), (1, -1), (1, 1)), (np.float64, np.float32)):
        others = bins(sides, number)
        moved = [region for region, cells in enumerate(others) if cells != own[region]]
        if moved:
            found = pooled(one.value, [others[region] for region in moved], [batches[region] for region in moved])
            is_open[moved] |= found != value[moved]
    return [unrounded(call.output, value, np.where(is_open, np.inf, error))]


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
}
