"""Values that an honest driver may have: its arithmetic, the estimate of an operand, and the spread of errors.

An estimate is the ideal value of an operand with the largest distance of an honest driver's value from it. A rule has
two parts: this module has the functions of part (a), which spread the errors of the inputs to the result;
:mod:`nnvet.oracle.bounds.storing` has part (b), the cost of storing the result.
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
from nnvet.hal.operand_types import ExtensionType, float_format, type_info
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.operations.invocation import Array, OperandValue

_FLOAT16_MAX: Final = 65504.0
_FLOAT32_MAX: Final = float(np.finfo(np.float32).max)
_FLOAT32_UNIT: Final = 2.0**-24
_FLOAT32_SMALLEST: Final = 2.0**-126
"""The smallest normal number of float32."""


@dataclass(frozen=True)
class Precision:
    """Formats of stored results and of sums.

    ``bits``: significant bits of stored numbers; ``sum_bits``: those of intermediate results and accumulators.
    ``smallest``: the smallest normal number; anything below may be flushed to zero. ``largest``: anything larger may be
    infinite. ``infinite``: anything larger is infinite. ``code_slack``: part of a code by which codes may be off before
    rounding, in addition to the rule of the operation. Without ``flushes`` numbers below ``smallest`` are kept.
    """

    bits: int
    sum_bits: int
    smallest: float
    largest: float
    infinite: float
    code_slack: float = 0.0
    flushes: bool = True

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
        """Unit roundoff of float32, if results may be rounded to float32 before they are rounded to float16; else 0."""
        return _FLOAT32_UNIT if self.unit > _FLOAT32_UNIT else 0.0

    @property
    def smallest_half(self) -> float:
        """Half the distance between subnormal numbers."""
        return self.smallest * self.unit

    @property
    def largest_step(self) -> float:
        """The largest intermediate result; a larger one may be infinite."""
        return self.largest if self.sum_bits == self.bits else _FLOAT32_MAX

    @property
    def smallest_step(self) -> float:
        """The smallest normal intermediate result; a smaller one may be flushed to zero."""
        return self.smallest if self.sum_bits == self.bits else _FLOAT32_SMALLEST

    @property
    def stepwise(self) -> Precision:
        """The same arithmetic, if every step of a calculation may be rounded to the stored type."""
        return replace(self, sum_bits=self.bits)

    def half_ulp(self, magnitude: Array) -> Array:
        """Return the largest rounding error up to a magnitude; if numbers are flushed, a subnormal one may be lost."""
        exponent = np.frexp(magnitude)[1]
        half: Array = np.ldexp(1.0, exponent - self.bits - 1)
        is_tiny = magnitude < self.smallest
        lost = magnitude if self.flushes else self.smallest_half
        return np.where(is_tiny, lost, half) if np.count_nonzero(is_tiny) else half

    def off_by_conversion(self, numbers: Array) -> Array:
        """Return the errors of converting numbers of a wider type to this one; 0 for numbers that it can represent."""
        exponent = np.frexp(numbers)[1]
        scaled = np.ldexp(numbers, self.bits - exponent)
        fits = ~np.isfinite(numbers) | (scaled == np.trunc(scaled))
        return np.where(fits, 0.0, np.where(np.abs(numbers) > self.largest, np.inf, self.half_ulp(np.abs(numbers))))


# Significant bits of results and of sums, smallest normal number, largest number, limit of infinity.
FLOAT32: Final = Precision(24, 24, _FLOAT32_SMALLEST, _FLOAT32_MAX, _FLOAT32_MAX)
FLOAT16: Final = Precision(11, 24, 2.0**-14, _FLOAT16_MAX, _FLOAT16_MAX)
"""float16 is computed in float32 and stored as float16."""
RELAXED: Final = Precision(11, 11, 2.0**-14, _FLOAT16_MAX, _FLOAT32_MAX)
"""float32 of relaxed models may be computed in the range and precision of float16, or in those of float32."""
ESTIMATE_NOISE: Final = 2.0**-46
"""Relative error of ideal results and estimates themselves, which are computed in float64."""


def precision_of(kind: int, *, relaxed: bool) -> Precision:
    """Return the arithmetic of an operand type."""
    info = type_info(kind)
    if info.dtype == "float16":
        return FLOAT16
    if isinstance(kind, ExtensionType) and info.is_float:
        return _precision_of_format(info.dtype, kind.steps, flushes=kind.flushes)
    return RELAXED if relaxed and info.is_float else FLOAT32


@functools.cache
def _precision_of_format(dtype: str, steps: str, *, flushes: bool) -> Precision:
    """Return the arithmetic of a float type of an extension, whose steps may be rounded to the type ``steps``."""
    form, limit = float_format(dtype), np.inf
    if form.has_infinity:
        limit = form.largest
    sum_bits = max(form.bits, float_format(steps).bits)
    return Precision(form.bits, sum_bits, form.smallest, form.largest, limit, flushes=flushes)


Interval: TypeAlias = tuple[Array, Array]
"""Values, with the largest error of each."""


def is_any(array: Array) -> bool:
    """Return True if an element is not zero. This is much faster than ``any`` on the small arrays of models."""
    return bool(np.count_nonzero(array))


def or_infinite(change: Array) -> Array:
    """Return the magnitudes with NaN replaced by infinity, because nothing is known about the change there."""
    is_none = np.isnan(change)
    return np.where(is_none, np.inf, change) if is_any(is_none) else change


def corners(of: Callable[..., Array], *inputs: Interval, middle: Array | None = None) -> Array:
    """Return the largest change of ``of`` over the ends of its arguments' intervals; infinity if an end is NaN.

    Wherever the function is monotone in each argument, this bounds the change over the whole box. ``middle`` is the
    function's value without errors, if known.
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
    # A NaN at any corner passes through maximum, and makes the change infinite.
    worst = or_infinite(functools.reduce(np.maximum, changes))
    affected = [error > 0 for is_moved, (_, error) in zip(moved, inputs, strict=True) if is_moved]
    anywhere = functools.reduce(np.logical_or, affected)
    return worst if anywhere.all() and anywhere.shape == worst.shape else np.where(anywhere, worst, 0.0)


def with_pole(of: Callable[..., Array], first: Interval, second: Interval, middle: Array | None = None) -> Array:
    """Return :func:`corners`, but infinity where the divisor's interval contains a zero and is not just +0.

    Nothing defines the sign of a zero: a divisor of -0 is a pole of either sign.
    """
    value, error = second
    is_open = (error > 0) & (np.abs(value) <= error) | is_negative_zero(value)
    return np.where(is_open, np.inf, corners(of, first, second, middle=middle))


def is_negative_zero(value: Array) -> Array:
    """Return a mask of numbers that are -0."""
    found: Array = (value == 0) & np.signbit(value)
    return found


def lipschitz(slope: Callable[[Array], Array]) -> Callable[..., Array]:
    """Return a spread for functions that are not monotone: error times the steepest slope at the interval's ends."""

    def spread(_of: Callable[..., Array], interval: Interval, middle: Array | None = None) -> Array:
        del middle
        value, error = interval
        if not is_any(error):
            return np.zeros(np.shape(value))
        steepest = np.fmax(np.abs(slope(value - error)), np.abs(slope(value + error)))
        return or_infinite(steepest * error)

    return spread


def magnitudes(of: Callable[..., Array], *inputs: Interval, middle: Array) -> Array:
    """Return the spread of a function that is linear in each argument, computed on magnitudes.

    ``middle`` is the function's value without errors.
    """
    if not any(is_any(error) for _, error in inputs):
        return np.zeros(np.shape(middle))
    sizes = [np.abs(value) for value, _ in inputs]
    grown = [size + error for size, (_, error) in zip(sizes, inputs, strict=True)]
    return or_infinite(of(*grown) - of(*sizes))


def both_ends(of: Callable[..., Array], *inputs: Interval) -> Array:
    """Return the largest change of a function that grows with all arguments, or falls with all: only two corners."""
    middle = of(*(value for value, _ in inputs))
    if not any(is_any(error) for _, error in inputs):
        return np.zeros(np.shape(middle))
    upper = of(*(value + error for value, error in inputs))
    lower = of(*(value - error for value, error in inputs))
    return or_infinite(np.fmax(np.abs(upper - middle), np.abs(lower - middle)))


def touched(shape: Sequence[int], *errors: Array) -> Array:
    """Return a mask, in the result's shape, of elements that depend on an inexact element."""
    found = np.zeros(tuple(shape), np.bool_)
    for error in errors:
        found = found | (error > 0)
    return found


# A constant, because looking up a member of an enumeration takes longer than most operations on it.
_INT32: Final = OperandType.TENSOR_INT32


class Estimate(msgspec.Struct, frozen=True, eq=False):
    """The ideal value of an operand without rounding, and the error of its stored value; all arrays have its shape.

    ``value``: for floats the ideal real numbers (float64); for quantised types the ideal codes before rounding
    (float64), within the range of the type, or the code itself if only one is right; for integers and truth values
    exact int64.

    ``error``: the largest |stored - value| of an honest driver (float64, at least 0, in units of the operand: codes for
    quantised types), including the rounding to the stored type. It is infinite where nothing is demanded: the element
    is *undecided*. Two special cases: an infinite ``value`` with infinite error demands an infinity of that sign, or
    the largest finite number; a NaN with error 0 demands a NaN.

    ``shared``: the part of the error that many elements may have in common (None: all of it). ``deviation``: the root
    mean square of the rest, which is independent from element to element (None: there is no rest).

    ``limits``: the lowest and the highest value of a function, however far its argument is off (None: no limits).
    ``may_be_nan``: elements for which a NaN is right, too (None: none); to the next operation they are undecided.

    ``is_carried``: the error contains tolerances of the contract, of this operation or of earlier ones.
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
        """Make elements undecided whose bound is NaN (as from infinity times zero), because nothing is known there.

        Every rule makes its estimates here, so no bound that is compared can be NaN.
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
        """Mask of the elements that are compared; None if all are."""
        open_ones = np.isinf(self.error)
        if not np.count_nonzero(open_ones):
            return None
        open_ones &= ~np.isinf(self.value)
        return ~open_ones if np.count_nonzero(open_ones) else None

    @property
    def as_input(self) -> Estimate:
        """The estimate for an operation that reads it: undecided where the element may be NaN."""
        if self.may_be_nan is None:
            return self if self.limits is None else replace_field(self, limits=None)
        error = np.where(self.may_be_nan, np.inf, self.error)
        return replace_field(self, error=error, shared=None, deviation=None, limits=None, may_be_nan=None)

    @property
    def undecided_share(self) -> float:
        """Share of undecided elements."""
        decided = self.decided
        return 0.0 if decided is None else float(np.mean(~decided))

    @property
    def is_exact(self) -> bool:
        """True if every driver has exactly these values."""
        return not np.count_nonzero(self.error)

    @property
    def step(self) -> Any:
        """The real number that one code stands for, or an array for channels; None for floats and integers."""
        if self.channel_quant is None:
            has_codes = self.scale > 0 and self.type != _INT32 and not type_info(self.type).is_float
            return self.scale if has_codes else None
        shape = [1] * self.value.ndim
        shape[self.channel_quant.channel_dim] = -1
        return np.array(self.channel_quant.scales, np.float32).astype(np.float64).reshape(shape)

    @property
    def as_operand(self) -> OperandValue:
        """The operand with its ideal value."""
        return OperandValue(self.type, self.value, self.scale, self.zero_point, self.channel_quant)


def is_real(value: OperandValue) -> bool:
    """Return True if elements stand for real numbers: floats, and codes with a scale.

    Elements of TENSOR_INT32 do not: the scale of such a tensor matters only if it is a bias.
    """
    if value.type == _INT32:
        return False
    return value.is_float or value.scale > 0 or value.channel_quant is not None


def given(value: OperandValue, precision: Precision) -> Estimate | None:
    """Return the estimate of an input or constant; None if it is omitted.

    Drivers may flush subnormal numbers to zero, and round the inputs of relaxed models to float16.
    """
    if value.array is None:
        return None
    if not type_info(value.type).is_float:
        whole = value.array.astype(np.float64 if is_real(value) else np.int64)
        return estimate_of(value, whole, np.zeros(whole.shape))
    numbers = value.array.astype(np.float64)
    magnitude = np.abs(numbers)
    is_tiny = (magnitude < precision.smallest) & precision.flushes
    error = np.where(is_tiny, magnitude, 0.0) if np.count_nonzero(is_tiny) else np.zeros(numbers.shape)
    if precision is RELAXED:
        error = np.maximum(error, precision.off_by_conversion(numbers))
    return estimate_of(value, numbers, error)


def estimate_of(
    operand: OperandValue, value: Array, error: Array, shared: Array | None = None, deviation: Array | None = None
) -> Estimate:
    """Return the estimate of an operand with these ideal values; the other arrays are broadcast to their shape."""
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
    """Repeat an error of fewer dimensions for each element."""
    # Most errors are those of exact values, and NumPy's broadcast_to takes longer than making zeros.
    return np.full(shape, error) if not error.ndim else np.broadcast_to(error, shape)
