"""Values that an honest driver may have: its arithmetic, the estimate of an operand's value, and the spread of errors.

An estimate is the ideal value of an operand and the largest distance of an honest driver's value from it. A rule has
two parts: (a), here, spreads the errors of the inputs to the result; (b), in :mod:`nnvet.oracle.bounds.storing`, adds
what storing the result costs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import force_setattr
from msgspec.structs import replace as replace_field

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.operations.invocation import Array, OperandValue

_FLOAT16_MAX: Final = 65504.0
_FLOAT32_MAX: Final = float(np.finfo(np.float32).max)
_FLOAT32_UNIT: Final = 2.0**-24
_FLOAT32_SMALLEST: Final = 2.0**-126


@dataclass(frozen=True)
class Precision:
    """Formats of stored results and of sums.

    ``bits``: significant bits of stored numbers; ``sum_bits``: of intermediate results and accumulators; ``smallest``:
    the smallest normal number, below which results may be flushed to zero; ``largest``: what is larger may be infinite;
    ``infinite``: what is larger is infinite; ``code_slack``: part of a code by which codes may be off before they are
    rounded, beside what the rule of the operation grants.
    """

    bits: int
    sum_bits: int
    smallest: float
    largest: float
    infinite: float
    code_slack: float = 0.0

    @property
    def unit(self) -> float:
        """Unit roundoff of stored numbers."""
        return float(2.0**-self.bits)

    @property
    def sum_unit(self) -> float:
        """Unit roundoff of intermediate results."""
        return float(2.0**-self.sum_bits)

    @property
    def first_rounding(self) -> float:
        """Unit roundoff of float32, where results may be rounded to that before they are rounded to float16."""
        return _FLOAT32_UNIT if self.unit > _FLOAT32_UNIT else 0.0

    @property
    def smallest_half(self) -> float:
        """Half of the distance between subnormal numbers."""
        return self.smallest * self.unit

    @property
    def largest_step(self) -> float:
        """Intermediate results that are larger may be infinite."""
        return self.largest if self.sum_bits == self.bits else _FLOAT32_MAX

    @property
    def smallest_step(self) -> float:
        """The smallest normal intermediate result, below which one may be flushed to zero."""
        return self.smallest if self.sum_bits == self.bits else _FLOAT32_SMALLEST

    @property
    def stepwise(self) -> Precision:
        """The same, where every step of a calculation may be rounded to the stored type."""
        return replace(self, sum_bits=self.bits)

    def half_ulp(self, magnitude: Array) -> Array:
        """Return the largest rounding error up to this magnitude; below the smallest normal number, all of it."""
        exponent = np.frexp(magnitude)[1]
        half: Array = np.ldexp(1.0, exponent - self.bits - 1)
        is_tiny = magnitude < self.smallest
        return np.where(is_tiny, magnitude, half) if np.count_nonzero(is_tiny) else half

    def off_by_conversion(self, numbers: Array) -> Array:
        """Return the errors of numbers of a wider type that are brought to this one; 0 if it has them."""
        exponent = np.frexp(numbers)[1]
        scaled = np.ldexp(numbers, self.bits - exponent)
        fits = ~np.isfinite(numbers) | (scaled == np.trunc(scaled))
        return np.where(fits, 0.0, np.where(np.abs(numbers) > self.largest, np.inf, self.half_ulp(np.abs(numbers))))


FLOAT32: Final = Precision(24, 24, _FLOAT32_SMALLEST, _FLOAT32_MAX, _FLOAT32_MAX)
FLOAT16: Final = Precision(11, 24, 2.0**-14, _FLOAT16_MAX, _FLOAT16_MAX)
"""float16 is computed in float32 and stored as float16."""
RELAXED: Final = Precision(11, 11, 2.0**-14, _FLOAT16_MAX, _FLOAT32_MAX)
"""float32 of relaxed models may be computed in the range and precision of float16, or in those of float32."""


def precision_of(kind: int, *, relaxed: bool) -> Precision:
    """Return the arithmetic of an operand type."""
    info = type_info(kind)
    if info.dtype == "float16":
        return FLOAT16
    return RELAXED if relaxed and info.is_float else FLOAT32


Interval: TypeAlias = tuple[Array, Array]
"""Values, with the largest error of each."""


def is_any(array: Array) -> bool:
    """Return True if an element is not zero: much faster than ``any`` on the small arrays of models."""
    return bool(np.count_nonzero(array))


def or_infinite(change: Array) -> Array:
    """Magnitudes, infinite where there is no number."""
    is_none = np.isnan(change)
    return np.where(is_none, np.inf, change) if is_any(is_none) else change


def corners(of: Callable[..., Array], *inputs: Interval, middle: Array | None = None) -> Array:
    """Return the largest change of ``of`` over the ends of its arguments' intervals; infinite if an end has no result.

    That bounds the change over the whole box wherever the function is monotone in each argument. ``middle`` is what
    ``of`` gives for the values themselves, if that is known.
    """
    moved = [is_any(error) for _, error in inputs]
    if middle is None:
        middle = of(*(value for value, _ in inputs))
    if not any(moved):
        return np.zeros(np.shape(middle))
    ends = [
        (value - error, value + error) if is_moved else (value,)
        for is_moved, (value, error) in zip(moved, inputs, strict=True)
    ]
    changes = [np.abs(of(*corner) - middle) for corner in itertools.product(*ends)]
    # Where there is no number, maximum gives none either.
    worst = or_infinite(functools.reduce(np.maximum, changes))
    affected = [error > 0 for is_moved, (_, error) in zip(moved, inputs, strict=True) if is_moved]
    anywhere = functools.reduce(np.logical_or, affected)
    return worst if anywhere.all() and anywhere.shape == worst.shape else np.where(anywhere, worst, 0.0)


def with_pole(of: Callable[..., Array], first: Interval, second: Interval, middle: Array | None = None) -> Array:
    """As :func:`corners`; infinite where the second interval, of divisors, holds zero and something else.

    Nobody asks for the sign of zero: a divisor of -0 is a pole of either sign.
    """
    value, error = second
    is_open = (error > 0) & (np.abs(value) <= error) | is_negative_zero(value)
    return np.where(is_open, np.inf, corners(of, first, second, middle=middle))


def is_negative_zero(value: Array) -> Array:
    """Return a mask of numbers that are -0."""
    found: Array = (value == 0) & np.signbit(value)
    return found


def lipschitz(slope: Callable[[Array], Array]) -> Callable[..., Array]:
    """Change of what is not monotone: error times the largest slope, which is that at one end of the interval."""

    def spread(_of: Callable[..., Array], interval: Interval, middle: Array | None = None) -> Array:
        del middle
        value, error = interval
        if not is_any(error):
            return np.zeros(np.shape(value))
        steepest = np.fmax(np.abs(slope(value - error)), np.abs(slope(value + error)))
        return or_infinite(steepest * error)

    return spread


def magnitudes(of: Callable[..., Array], *inputs: Interval, middle: Array) -> Array:
    """Change of what is linear in each argument (sums of products): by the same on magnitudes.

    ``middle`` is what ``of`` gives for the values themselves.
    """
    if not any(is_any(error) for _, error in inputs):
        return np.zeros(np.shape(middle))
    sizes = [np.abs(value) for value, _ in inputs]
    grown = [size + error for size, (_, error) in zip(sizes, inputs, strict=True)]
    return or_infinite(of(*grown) - of(*sizes))


def both_ends(of: Callable[..., Array], *inputs: Interval) -> Array:
    """Largest change of what grows with each argument (or falls with each): all at the upper, all at the lower end."""
    middle = of(*(value for value, _ in inputs))
    if not any(is_any(error) for _, error in inputs):
        return np.zeros(np.shape(middle))
    upper = of(*(value + error for value, error in inputs))
    lower = of(*(value - error for value, error in inputs))
    return or_infinite(np.fmax(np.abs(upper - middle), np.abs(lower - middle)))


def touched(shape: Sequence[int], *errors: Array) -> Array:
    """Return a mask, of the result's shape, of elements that depend on an inexact element."""
    found = np.zeros(tuple(shape), np.bool_)
    for error in errors:
        found = found | (error > 0)
    return found


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
            return self if self.limits is None else replace_field(self, limits=None)
        error = np.where(self.may_be_nan, np.inf, self.error)
        return replace_field(self, error=error, shared=None, deviation=None, limits=None, may_be_nan=None)

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
