"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import MOVED, interval, moved
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import LocalError, stored
from nnvet.oracle.operations.tensor import Array

_MIXING: Final = 16.0
"""Units of roundoff of a mixture and of its four weights."""
_COORDINATES: Final = 4.0 * 2.0**-24
"""Relative error of coordinates, which are float32 in every model."""

_WEIGHTS: Final = 2.0**-3
"""Codes by which weights of 11 bits along both axes may be off: twice 255 * 2^-12."""


def _bilinear(call: EstimatedCall) -> Sequence[Estimate]:
    """A mixture with weights of sum 1, at coordinates that are rounded."""
    value, error = interval(call, 0)
    (found,) = call.ideal()
    spread = call.ideal({0: error})[0] if error.any() else np.zeros(found.shape)
    spatial = _spatial(call)
    largest = (np.abs(value) + error).max(spatial, keepdims=True)
    pixels = sum(max(value.shape[axis], found.shape[axis]) for axis in spatial)
    local = LocalError((_MIXING * call.precision.sum_unit * _is_mixed(call, found) + _COORDINATES * pixels) * largest)
    slack: Any = 0.0 if call.output.is_float else _WEIGHTS
    if call.output.type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED:
        # The contract cuts codes toward zero after it has added a half, which moves negative ones by one.
        lowest = (found - spread - local.shared) / call.output.scale + call.output.zero_point
        slack = slack + np.where(lowest < 0, 1.0, 0.0)
    return [stored(call, found, spread, local, slack=slack)]


def _is_mixed(call: EstimatedCall, found: Array) -> Array:
    """1 where a new pixel lies between old ones, 0 where it is one of them, to any precision; broadcasts."""
    align, half = (call.parameters.flag(position) for position in (4, 5))
    mixed = np.zeros((1,) * found.ndim)
    for axis in _spatial(call):
        ratio, new = _ratio(call.value(0).shape[axis], found.shape[axis], align=align), found.shape[axis]
        place = (np.arange(new) + 0.5) * ratio - 0.5 if half else np.arange(new) * ratio
        between = np.ones(new) if float(np.float32(ratio)) != ratio else (place != np.floor(place)) | (place < 0)
        mixed = np.fmax(mixed, between.reshape([-1 if i == axis else 1 for i in range(found.ndim)]))
    return mixed


def _ratio(size: int, new: int, *, align: bool) -> float:
    """How many old pixels a new one is apart from the next."""
    return (size - 1) / (new - 1) if align and new > 1 else size / new


def _spatial(call: EstimatedCall) -> tuple[int, int]:
    """The dimensions of height and width."""
    return (2, 3) if call.parameters.flag(3) else (1, 2)


def _nearest(call: EstimatedCall) -> Sequence[Estimate]:
    """Left open are pixels at whose coordinate rounding decides."""
    (found,) = moved(call, [0])
    align, half = (call.parameters.flag(position) for position in (4, 5))
    error = np.array(found.error)
    for axis in _spatial(call):
        old, new = call.estimate(0).value.shape[axis], found.value.shape[axis]
        is_open = _is_open(old, new, align=align, half=half)
        error[(slice(None),) * axis + (is_open,)] = np.inf
    return [replace(found, error=error)]


def _is_open(size: int, new: int, *, align: bool, half: bool) -> Array:
    """At which of the new places another rounding of the coordinate meets another pixel."""
    ratio = _ratio(size, new, align=align)
    # Drivers multiply by the ratio, or divide by its reciprocal.
    if all(float(np.float32(one)) == one for one in (ratio, 1 / ratio if ratio else ratio)):
        return np.zeros(new, np.bool_)
    place = (np.arange(new) + (0.5 if half else 0.0)) * ratio + (0.5 if align else 0.0)
    found: Array = np.floor(place * (1 - _COORDINATES)) != np.floor(place * (1 + _COORDINATES))
    return found


RULES: Final[dict[O, BoundRule]] = {
    O.RESIZE_BILINEAR: BoundRule(
        _bilinear,
        "the mixture of the errors",
        "16 units of roundoff of the largest pixel, unless the place is that of a pixel; "
        "and 4 of float32 for each pixel of the larger sides; codes: an eighth, for weights of 11 bits",
    ),
    O.RESIZE_NEAREST_NEIGHBOR: BoundRule(_nearest, MOVED, "none", "pixels at whose coordinate rounding decides"),
}
