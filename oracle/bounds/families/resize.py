"""Bound rules of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: pixels mixed or chosen at rounded coordinates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import MOVED, interval, moved
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import LocalError, stored
from nnvet.oracle.operations.invocation import Array

_MIXING: Final = 8.0
"""The error of a mixture and of its four weights, in units of roundoff."""
_COORDINATES: Final = 4.0 * 2.0**-24
"""The relative error of coordinates, which are float32 in every model."""
_WEIGHTS: Final = 2.0**-3
"""The error, in codes, of 11-bit weights along both axes: twice 255 * 2^-12."""
_RANK: Final = 4


@dataclass(frozen=True)
class _Axis:
    """The coordinates of new pixels among the ``size`` old ones along a dimension, and the error of each."""

    number: int
    size: int
    places: Array
    off: Array

    def beside(self, sign: int) -> _Axis:
        """Return the axis with every coordinate moved to one end of its error."""
        return dataclasses.replace(self, places=self.places + sign * self.off)

    @property
    def is_between(self) -> Array:
        """Mask of new pixels that do not coincide with old ones."""
        found: Array = (self.places != np.floor(self.places)) | (self.places < 0) | (self.off > 0)
        return found

    def spread_out(self, numbers: Array) -> Array:
        """Reshape one number for each new pixel, so that it broadcasts over the image."""
        shape = [1] * _RANK
        shape[self.number] = -1
        return numbers.reshape(shape)

    def neighbours(self, image: Array) -> tuple[Array, Array]:
        """Return the old pixels on both sides."""
        ends = (np.clip(of(self.places), 0, self.size - 1).astype(np.intp) for of in (np.floor, np.ceil))
        low, high = (image.take(end, self.number) for end in ends)
        return low, high

    def mixed(self, image: Array) -> Array:
        """Return an image with new pixels along the dimension."""
        low, high = self.neighbours(image)
        share = self.spread_out(self.places - np.floor(self.places))
        return np.where(share == 0, low, low + share * (high - low))


def _mixed(image: Array, axes: Sequence[_Axis]) -> Array:
    for axis in axes:
        image = axis.mixed(image)
    return image


def _bilinear(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate a mixture of pixels.

    If a coordinate is rounded, the image is sampled slightly beside the right place.
    """
    value, error = interval(call, 0)
    dims = call.ideal()[0].shape
    axes = [_axis(call, number, dims[number]) for number in _spatial(call)]
    found, spread = _mixed(value, axes), _mixed(error, axes)
    largest = np.abs(value) + error
    is_mixed = np.zeros((1,) * value.ndim, np.bool_)
    for axis in axes:
        largest, is_mixed = np.fmax(*axis.neighbours(largest)), is_mixed | axis.spread_out(axis.is_between)
    local = _MIXING * call.precision.sum_unit * np.where(is_mixed, largest, 0.0)
    for number in range(len(axes)):
        ends = ([axis.beside(sign) if place == number else axis for place, axis in enumerate(axes)] for sign in (-1, 1))
        local = local + np.fmax(*(np.abs(_mixed(value, end) - found) for end in ends))
    # An infinity times a weight of zero, or minus itself, is NaN.
    spread = np.where(np.isfinite(largest), spread, np.inf)
    slack: Any = 0.0 if call.output.is_float else _WEIGHTS
    if call.output.type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED:
        # The contract adds a half to a code and cuts toward zero, which moves negative codes up by one.
        lowest = (found - spread - local) / call.output.scale + call.output.zero_point
        slack = slack + np.where(lowest < 0, 1.0, 0.0)
    return [stored(call, found, spread, LocalError(local), slack=slack)]


def _axis(call: EstimatedCall, number: int, new: int) -> _Axis:
    align, half = (call.parameters.flag(position) for position in (4, 5))
    size = call.value(0).shape[number]
    ratio = _ratio(size, new, align=align)
    places = (np.arange(new) + 0.5) * ratio - 0.5 if half else np.arange(new) * ratio
    # If the ratio and its reciprocal are float32 numbers, all coordinates are exact.
    is_exact = all(float(np.float32(factor)) == factor for factor in (ratio, 1 / ratio)) if ratio else True
    off = np.zeros(new) if is_exact else _COORDINATES * (np.abs(places) + 1.0)
    return _Axis(number, size, places, off)


def _ratio(size: int, new: int, *, align: bool) -> float:
    """Return the distance between neighbouring new pixels, in old pixels."""
    return (size - 1) / (new - 1) if align and new > 1 else size / new


def _spatial(call: EstimatedCall) -> tuple[int, int]:
    """Return the dimensions of height and width."""
    return (2, 3) if call.parameters.flag(3) else (1, 2)


def _nearest(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate chosen pixels. A pixel is undecided if the rounding of its coordinate decides which old pixel it is."""
    (found,) = moved(call, [0])
    align, half = (call.parameters.flag(position) for position in (4, 5))
    error = np.array(found.error)
    for axis in _spatial(call):
        old, new = call.estimate(0).value.shape[axis], found.value.shape[axis]
        is_open = _is_open(old, new, align=align, half=half)
        error[(slice(None),) * axis + (is_open,)] = np.inf
    return [replace(found, error=error)]


def _is_open(size: int, new: int, *, align: bool, half: bool) -> Array:
    """Return a mask of new pixels for which another rounding of the coordinate selects another old pixel."""
    ratio = _ratio(size, new, align=align)
    # Drivers multiply by the ratio, or by its float32 reciprocal.
    if all(float(np.float32(factor)) == factor for factor in (ratio, 1 / ratio if ratio else ratio)):
        return np.zeros(new, np.bool_)
    place = (np.arange(new) + (0.5 if half else 0.0)) * ratio + (0.5 if align else 0.0)
    found: Array = np.floor(place * (1 - _COORDINATES)) != np.floor(place * (1 + _COORDINATES))
    return found


RULES: Final[dict[O, BoundRule]] = {
    O.RESIZE_BILINEAR: BoundRule(
        _bilinear,
        "the mixture of the errors",
        "8 units of roundoff of the largest of the four pixels, unless one of them stays as it is, and what "
        "coordinates change that are off by 4 of float32; codes: an eighth, for weights of 11 bits",
    ),
    O.RESIZE_NEAREST_NEIGHBOR: BoundRule(_nearest, MOVED, "none", "pixels at whose coordinate rounding decides"),
}
