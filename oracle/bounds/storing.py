"""Part (b) of a rule: the error that an operation itself adds, and the storage of its result in the output's type.

Rules call :func:`stored` with their ideal result, the spread of the inputs' errors, and a :class:`LocalError`, and get
the estimate. Part (a) is :mod:`nnvet.oracle.bounds.precision`. The constants have their sources in
docs/contract/accuracy.md; a change of one changes verdicts, so ``tests/oracle/bounds`` must show that honest
arithmetics stay within the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.oracle.bounds.precision import Estimate, Precision, estimate_of, is_any, is_real
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.bounds.running import compounded
from nnvet.oracle.operations.activation import BOUNDS, code_bounds
from nnvet.oracle.operations.invocation import Array, OperandValue

_HALF: Final = 0.5
_RELU: Final = 1
"""Code of the activation that has no upper bound."""
_FUZZ: Final = 2.0**-20
"""The error of this module's own computation in float64, as a part of the distance between two codes."""
_SQUARES: Final = 0.4 * 4
"""The mean square error of a sum, in units of roundoff squared, for each of its terms."""
_CODE_NOISE: Final = 2.0**-19
"""The relative error of a code before rounding, from the float32 or fixed-point factors that compute it."""
_CODE_SLACK: Final = 2.0**-10
"""The same error as a number of codes, for codes near the zero point."""


class LocalError(msgspec.Struct, frozen=True, eq=False):
    """The error that an operation adds before its result is stored, in real numbers.

    ``shared`` may be the same for all elements (a formula that errs to one side); ``independent`` differs from element
    to element, with the root mean square ``deviation``. ``is_last``: it already includes the rounding to the stored
    type.
    """

    shared: Array | float = 0.0
    independent: Array | float = 0.0
    deviation: Array | float = 0.0
    is_last: bool = False


NO_ERROR: Final = LocalError()
"""No error: the result is only rounded once, when it is stored."""


@dataclass(frozen=True)
class Local:
    """A local error as a function of the call and of the ideal result, with a description in words."""

    of: Callable[[EstimatedCall, Array], LocalError]
    words: str


CORRECTLY_ROUNDED: Final = Local(lambda _call, _value: NO_ERROR, "rounded once, as it is stored")


def roundings(count: float) -> Local:
    """Return a local error of ``count`` roundings of the result before it is stored."""
    return Local(
        lambda call, value: LocalError(shared=count * call.precision.sum_unit * np.abs(value)),
        f"{count:g} units of roundoff of the result, and rounded",
    )


SELECTED: Final = Local(lambda _call, _value: NO_ERROR, "none")
"""No error: the result is one of the inputs, or a bound."""


def of_magnitude(count: float, magnitude: Callable[[EstimatedCall, Array], Array], words: str) -> Local:
    """Return a local error of ``count`` units of roundoff of a magnitude, which depends on the call and the result."""
    return Local(
        lambda call, value: LocalError(
            # A result of zero for an infinite argument has no error.
            shared=count * call.precision.sum_unit * np.nan_to_num(magnitude(call, value), nan=0.0)
        ),
        f"{count:g} units of roundoff of {words}, and rounded",
    )


def growing(count: float, slope: float, size: Callable[[EstimatedCall], Array], words: str) -> Local:
    """Return a local error in units of roundoff that grows with a size, as that of e^x grows with abs(x).

    The size is rounded once for each element before the function is computed. Constants of the formula contribute at
    most an eighth of the error, which is the same for all elements.
    """

    def of(call: EstimatedCall, value: Array) -> LocalError:
        unit = call.precision.sum_unit * np.nan_to_num(np.abs(value), nan=0.0)
        rounded = np.nan_to_num(slope * size(call), nan=0.0)
        return LocalError(
            shared=unit * (count + rounded / 8),
            independent=unit * rounded * 7 / 8,
            deviation=unit * rounded / 2,
        )

    return Local(of, f"{words}, and rounded")


def of_sum(
    precision: Precision, magnitude: Array, count: Array | int, *, varied: bool = True, lost: Array | float = 0.0
) -> LocalError:
    """Return the error of a sum in any order, in which each term is rounded at most ``count`` times.

    ``count`` is one for each product, and one less than the number of terms for the additions. Terms that are zero do
    not count, because 0 * x and 0 + x are exact. ``magnitude`` is the sum of magnitudes, and ``lost`` the loss by
    flushing intermediate results to zero. ``varied``: the terms differ from one another; equal terms are rounded alike,
    so that the mean square error means nothing.
    Source: docs/contract/accuracy.md 2, dot product: 2 * KS units of roundoff, and 0.4 of its mean square.
    """
    may_overflow = magnitude > precision.largest_step
    bound = compounded(precision.sum_unit, count) * magnitude + lost
    worst, is_last = np.where(may_overflow, np.inf, bound), precision.sum_bits == precision.bits
    if not varied:
        return LocalError(shared=worst, is_last=is_last)
    deviation = np.minimum(np.sqrt(_SQUARES * count) * precision.sum_unit * magnitude, bound)
    return LocalError(independent=worst, deviation=deviation, is_last=is_last)


def is_varied(array: Array) -> bool:
    """Return True if a tensor has many different elements: at least half of them occur once."""
    ordered = np.sort(array, axis=None)
    if not ordered.size:
        return False
    # NumPy's unique takes twice as long for the small tensors of models. Sorting puts NaN last.
    if ordered.dtype.kind == "f" and np.isnan(ordered[-1]):
        return bool(np.unique(ordered).size * 2 > ordered.size)
    return bool((1 + np.count_nonzero(ordered[1:] != ordered[:-1])) * 2 > ordered.size)


def stored(
    call: EstimatedCall,
    value: Array,
    spread: Array,
    local: LocalError = NO_ERROR,
    *,
    output: OperandValue | None = None,
    activation: int | None = None,
    slack: Array | float = 0.0,
    grid: Array | float = 0.0,
) -> Estimate:
    """Return a result in the type of the output: floats are rounded, codes requantised, integers kept.

    ``value`` are ideal real numbers, and ``spread`` is the effect of the inputs' errors. ``slack`` is the number of
    codes that another recipe of requantisation may add. If ``grid`` is not 0, the result is first rounded to multiples
    of this part of a code, and then to codes. ``activation`` is the code of a fused activation.
    """
    target = call.output if output is None else output
    spread = np.where(np.isnan(spread), np.inf, spread)
    with np.errstate(all="ignore"):
        if target.is_float:
            return _store_floats(call, target, value.astype(np.float64, copy=False), spread, local, activation)
        if is_real(target):
            return _store_codes(target, value, spread, local, activation, slack + call.precision.code_slack, grid)
    return estimate_of(target, value.astype(np.int64), spread, spread, None)


def within(estimate: Estimate, low: Array | float, high: Array | float) -> Estimate:
    """Return an estimate limited to the range of a function, which no driver leaves, however large the error is."""
    reach = np.maximum(estimate.value - low, high - estimate.value)
    error = np.where(np.isfinite(estimate.error), np.fmin(estimate.error, reach), estimate.error)
    shared, deviation = (
        None if part is None else np.minimum(part, error) for part in (estimate.shared, estimate.deviation)
    )
    return replace(estimate, error=error, shared=shared, deviation=deviation, limits=(low, high))


def _store_floats(
    call: EstimatedCall, target: OperandValue, value: Array, spread: Array, local: LocalError, activation: int | None
) -> Estimate:
    precision, size = call.precision, np.abs(value)
    is_finite = np.isfinite(value)
    # Most tensors have no infinities and no tiny numbers, and then much work can be skipped.
    some_infinite = np.count_nonzero(is_finite) < is_finite.size
    independent = local.independent + precision.first_rounding * size
    if some_infinite:
        shared = spread + np.where(is_finite, local.shared, 0.0)
        before = shared + np.where(is_finite, independent, 0.0)
    else:
        shared = spread + local.shared
        before = shared + independent
    # A subnormal result may be flushed to zero, which loses less than the smallest normal number.
    is_tiny = size - before < precision.smallest
    some_tiny = is_any(is_tiny)
    magnitude = size + before
    half = precision.half_ulp(magnitude)
    flushed = np.zeros(())
    if some_tiny:
        lost = np.minimum(np.maximum(size, precision.smallest_half), np.minimum(magnitude, precision.smallest))
        flushed = np.where(is_tiny, lost if precision.flushes else precision.smallest_half, 0.0)
        half = np.maximum(half, flushed)
    if some_infinite:
        half = np.where(is_finite, half, 0.0)
    if local.is_last:
        # Either every step was rounded to the stored type, or only the result is.
        left = np.fmax(half - (local.shared + local.independent), 0.0)
        half = np.maximum(flushed, left)
    error = before + half
    if some_tiny:
        shared = shared + flushed
    deviation = np.hypot(local.deviation, np.where(magnitude < precision.smallest, 0.0, half) if some_tiny else half)
    # Partial sums that overflow in both directions give NaN, and an activation keeps NaN.
    overflows = np.isinf(local.independent + np.asarray(local.shared)) if activation else np.zeros((), np.bool_)
    value, error = _limit_floats(value, error, spread, precision, activation)
    found = estimate_of(target, value, error, np.minimum(shared, error), np.minimum(deviation, error))
    if not np.count_nonzero(overflows):
        return found
    return replace(found, may_be_nan=np.broadcast_to(overflows, value.shape))


def _limit_floats(
    value: Array, error: Array, spread: Array, precision: Precision, activation: int | None
) -> tuple[Array, Array]:
    """Return floats and errors after a fused activation, with elements that may or must be infinite or NaN."""
    size = np.abs(value)
    if np.count_nonzero(size + error <= precision.largest) == value.size:
        if not activation:
            return value, error
        is_doubtful = np.zeros(value.shape, np.bool_)
    else:
        is_infinite = size - error > precision.infinite
        # Without infinity, what is too large becomes NaN, or the largest number.
        is_open = np.isinf(precision.infinite) & (size + error > precision.largest)
        is_doubtful = (~np.isfinite(value) & (spread > 0)) | is_open
        error = np.where(size + error > precision.largest, np.inf, error)
        value = np.where(is_infinite, np.copysign(np.inf, value), value)
        # An element that is certainly infinite or NaN has no error.
        error = np.where(is_infinite | (np.isnan(value) & ~is_doubtful), 0.0, error)
    if activation:
        is_doubtful = is_doubtful | np.isnan(value)
        low, high = BOUNDS[activation]
        value, error = _clamp(value, error, low, np.inf if activation == _RELU else high)
    value = np.where(is_doubtful, np.nan, value)
    return value, np.where(is_doubtful | np.isinf(value), np.inf, error)


def _store_codes(
    target: OperandValue,
    value: Array,
    spread: Array,
    local: LocalError,
    activation: int | None,
    slack: Array | float,
    grid: Array | float,
) -> Estimate:
    # A NaN may become any code, and so may a number that is infinite in some drivers only.
    code = value / target.scale
    is_finite = bool(np.isfinite(code).all())
    some_doubtful = not is_finite or is_any(np.isinf(spread))
    is_doubtful = np.isnan(value) | (np.isinf(value) & (spread > 0)) | np.isinf(spread) if some_doubtful else None
    centred = code if is_finite else np.nan_to_num(code, nan=0.0)
    sure = spread if is_doubtful is None else np.where(is_doubtful, 0.0, spread)
    before = (sure + local.shared + local.independent) / target.scale
    before = before + slack + _CODE_SLACK + _CODE_NOISE * np.abs(centred)
    low, high = target.limits
    if activation:
        low, high = code_bounds(activation, target.scale, target.zero_point, low, high)
    ends = _round_to_codes(centred - before, centred + before, np.asarray(grid, np.float64))
    lowest, highest = (np.clip(end + target.zero_point, low, high) for end in ends)
    is_single, inside = lowest == highest, np.clip(centred + target.zero_point, low, high)
    # The distance to the farthest code that is right.
    error = np.where(is_single, 0.0, np.maximum(inside - lowest, highest - inside))
    is_open = (lowest <= target.limits[0]) & (highest >= target.limits[1])
    if is_doubtful is not None:
        is_open = is_open | is_doubtful
    code = np.where(is_single, lowest, inside)
    # Codes have no shared error: either only one code is right, or the right codes lie on both sides of a tie.
    return estimate_of(target, code, np.where(is_open, np.inf, error), None, None)


def _round_to_codes(low: Array, high: Array, grid: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest code for numbers between two limits, rounded once, or first to a grid.

    Rounding preserves order. Ties may go either way, except in the second rounding of positive numbers, which goes away
    from zero. Source: docs/contract/operations/common.md 14, RDBP; processors' instructions round halves up.
    """
    lowest, highest = _nearest(low, high)
    if not np.count_nonzero(grid):
        return lowest, highest
    step = np.where(grid > 0, grid, 1.0)
    first, last = (step * count for count in _nearest(low / step, high / step))
    again = np.where(first > 0, np.floor(first + _HALF), np.ceil(first - _HALF))
    return np.fmin(lowest, again), np.fmax(highest, np.floor(last + _HALF))


def _nearest(low: Array, high: Array) -> tuple[Array, Array]:
    return np.ceil(low - _HALF - _FUZZ), np.floor(high + _HALF + _FUZZ)


def _clamp(value: Array, error: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return values and errors clamped between two bounds."""
    inside = value.clip(low, high)
    above = (value + error).clip(low, high) - inside
    below = inside - (value - error).clip(low, high)
    return inside, np.fmax(above, below)


def fixed_point_grid(multiplier: float) -> float:
    """Return the grid, as a part of a code, to which a fixed-point multiplier first rounds; 0 if it rounds once.

    A multiplier below 1/2 is followed by a shift to the right. Source: docs/contract/operations/common.md 14, MBQM.
    """
    return float(2.0 ** frexp(multiplier)[1]) if frexp(multiplier)[1] < 0 else 0.0
