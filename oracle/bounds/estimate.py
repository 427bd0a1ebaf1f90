"""Estimate of an operand's value: its ideal value, and the largest distance of an honest driver's value from it."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import force_setattr, replace

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.bounds.precision import RELAXED, Precision
from nnvet.oracle.bounds.spreading import or_infinite
from nnvet.oracle.operations.invocation import Array, OperandValue

# Looking up a member of an enumeration takes longer than most operations on it.
_INT32: Final = OperandType.TENSOR_INT32


class Estimate(msgspec.Struct, frozen=True, eq=False):
    """An operand's ideal value without rounding, and the error of its stored value; all arrays have its shape.

    ``value``: for floats the ideal real numbers (float64); for quantised types the ideal codes before rounding
    (float64), within the range of the type, or the code itself if only one is right; for integers and truth values
    exact int64.

    ``error``: |stored - value| of an honest driver is at most this (float64, at least 0, in units of the operand: codes
    for quantised types). It includes the rounding to the stored type. Infinite where nothing is demanded: the element
    is *undecided*. Two cases are special: an infinite ``value`` of infinite error wants an infinity of that sign, or
    the largest finite number; a NaN of error 0 wants a NaN.

    ``shared``: the part of the error that many elements may have in common (None: all of it). ``deviation``: root of
    the mean square of the rest, which is independent from element to element (None: there is none).

    ``limits``: the lowest and the highest number that a function may be, however far its argument is off (None: there
    are none). ``may_be_nan``: where a NaN is right, too (None: nowhere); the next operation takes it for undecided.

    ``is_carried``: the error holds tolerances of the contract, of the operation that made it or of earlier ones.
    """

    type: int
    value: Array
    error: Array
    shared: Array | None = None
    deviation: Array | None = None
    scale: float = 0.0
    zero_point: int = 0
    channel_quant: SymmPerChannelQuantParams | None = None
    limits: tuple[Array | float, Array | float] | None = None
    may_be_nan: Array | None = None
    is_carried: bool = False

    def __post_init__(self) -> None:
        """Make elements undecided whose bound is NaN, as from infinity times zero, because nothing is known there.

        Every estimate is made here, whatever rule it comes from, so no bound that is compared is ever a NaN.
        """
        error = or_infinite(self.error)
        if error is not self.error:
            # An infinite value would still demand an infinity.
            is_unknown = np.isnan(self.error) & np.isinf(self.value)
            force_setattr(self, "value", np.where(is_unknown, np.nan, self.value))
            force_setattr(self, "error", error)
        for name in ("shared", "deviation"):
            part = getattr(self, name)
            if part is not None and np.count_nonzero(is_none := np.isnan(part)):
                force_setattr(self, name, np.where(is_none, error, part))

    @property
    def decided(self) -> Array | None:
        """Return a mask of elements that are compared; None: all are."""
        open_ones = np.isinf(self.error)
        if not np.count_nonzero(open_ones):
            return None
        open_ones &= ~np.isinf(self.value)
        return ~open_ones if np.count_nonzero(open_ones) else None

    @property
    def as_input(self) -> Estimate:
        """Return the estimate for an operation that reads it: undecided where it may be NaN."""
        if self.may_be_nan is None:
            return self if self.limits is None else replace(self, limits=None)
        error = np.where(self.may_be_nan, np.inf, self.error)
        return replace(self, error=error, shared=None, deviation=None, limits=None, may_be_nan=None)

    @property
    def undecided_share(self) -> float:
        """Return the share of undecided elements."""
        decided = self.decided
        return 0.0 if decided is None else float(np.mean(~decided))

    @property
    def is_exact(self) -> bool:
        """Return True if every driver has exactly these values."""
        return not np.count_nonzero(self.error)

    @property
    def step(self) -> Any:
        """Return the real number that one code stands for, or an array for channels; None for floats and integers."""
        if self.channel_quant is None:
            has_codes = self.scale > 0 and self.type != _INT32 and not type_info(self.type).is_float
            return self.scale if has_codes else None
        shape = [1] * self.value.ndim
        shape[self.channel_quant.channel_dim] = -1
        return np.array(self.channel_quant.scales, np.float32).astype(np.float64).reshape(shape)

    @property
    def as_operand(self) -> OperandValue:
        """Return the operand with its ideal value."""
        return OperandValue(self.type, self.value, self.scale, self.zero_point, self.channel_quant)


def is_real(value: OperandValue) -> bool:
    """Return True if elements stand for real numbers: floats, and codes with a scale.

    TENSOR_INT32 does not: its scale only matters if it is the bias of a sum of products.
    """
    if value.type == _INT32:
        return False
    return value.is_float or value.scale > 0 or value.channel_quant is not None


def given(value: OperandValue, precision: Precision) -> Estimate | None:
    """Return the estimate of a value of the caller or the model; None if it is omitted.

    Drivers may flush subnormal numbers to zero, and round the inputs of relaxed models to float16.
    """
    if value.array is None:
        return None
    if not type_info(value.type).is_float:
        whole = value.array.astype(np.float64 if is_real(value) else np.int64)
        return estimate_of(value, whole, np.zeros(whole.shape))
    numbers = value.array.astype(np.float64)
    magnitude = np.abs(numbers)
    is_tiny = magnitude < precision.smallest
    error = np.where(is_tiny, magnitude, 0.0) if np.count_nonzero(is_tiny) else np.zeros(numbers.shape)
    if precision is RELAXED:
        error = np.maximum(error, precision.off_by_conversion(numbers))
    return estimate_of(value, numbers, error)


def estimate_of(
    operand: OperandValue, value: Array, error: Array, shared: Array | None = None, deviation: Array | None = None
) -> Estimate:
    """Return the estimate of an operand of these ideal values, whose shape the others can be broadcast to."""
    shape = value.shape
    return Estimate(
        operand.type,
        value,
        error if error.shape == shape else _spread_over(error, shape),
        shared if shared is None or shared.shape == shape else np.broadcast_to(shared, shape),
        deviation if deviation is None or deviation.shape == shape else np.broadcast_to(deviation, shape),
        operand.scale,
        operand.zero_point,
        operand.channel_quant,
    )


def _spread_over(error: Array, shape: tuple[int, ...]) -> Array:
    """Return an error of fewer dimensions for each element."""
    # Most errors are those of exact values, and NumPy's broadcast_to takes longer than making zeros.
    return np.full(shape, error) if not error.ndim else np.broadcast_to(error, shape)
