"""Running error analysis: arithmetic on numbers (:class:`Running`) that carry the largest error of a correct driver.

The rules in ``families`` of operations whose formulas have several steps use it, such as SOFTMAX and LSTM.
:mod:`nnvet.oracle.bounds.following` applies it to meanings of extensions. Each step adds the rounding
of its own result to the effect of its arguments' errors; sums may be formed in any order. Source: the standard model of
floating-point arithmetic, fl(x op y) = (x op y)(1 + d), where abs(d) is at most the unit roundoff.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import force_setattr

from nnvet.oracle.bounds.precision import FLOAT16, FLOAT32, is_any, or_infinite
from nnvet.oracle.operations.functions import erf
from nnvet.oracle.operations.invocation import Array

_FUNCTION_UNITS: Final = 4.0
"""The error of mathematical functions in libraries, in units of roundoff."""
_EXPONENTIAL_UNITS: Final = 2.0
"""The error of e^x, in units of roundoff, for each unit of 1 + abs(x)."""


def compounded(unit: float, count: Array | int) -> Any:
    """Return the relative error after ``count`` roundings: (1 + unit)^count - 1."""
    return np.expm1(np.log1p(unit) * np.maximum(count, 0))


def limits_of(unit: float) -> tuple[float, float]:
    """Return the smallest normal number and the largest number of the arithmetic with a unit roundoff."""
    form = FLOAT32 if unit <= FLOAT32.unit else FLOAT16
    return form.smallest, form.largest


class Running(msgspec.Struct, frozen=True, eq=False):
    """Values (float64), the largest error of each, and the unit roundoff of the arithmetic."""

    value: Array
    error: Array
    unit: float

    def __post_init__(self) -> None:
        """Make elements undecided whose bound is NaN, as from infinity minus infinity."""
        force_setattr(self, "error", or_infinite(self.error))

    def __neg__(self) -> Running:
        """Return the exact negative."""
        return Running(-self.value, self.error, self.unit)

    def __add__(self, other: Running | float) -> Running:
        """Add; the errors add up."""
        right = self._like(other)
        # Adding zero rounds nothing.
        roundings: Any = 1.0 if self.value.all() and right.value.all() else self.may_count & right.may_count
        return self._rounded(self.value + right.value, self.error + right.error, roundings)

    def __sub__(self, other: Running | float) -> Running:
        """Subtract; the errors add up."""
        return self + -self._like(other)

    def __mul__(self, other: Running | float) -> Running:
        """Multiply; each error is multiplied by the other magnitude."""
        right = self._like(other)
        spread = self.error * np.abs(right.value) + np.abs(self.value) * right.error + self.error * right.error
        return self._rounded(self.value * right.value, spread)

    def __truediv__(self, other: Running | float) -> Running:
        """Divide, directly or by a reciprocal; the error is infinite where the divisor may be 0."""
        right = self._like(other)
        least = np.abs(right.value) - right.error
        quotient = self.value / right.value
        spread = np.where(least > 0, (self.error + np.abs(quotient) * right.error) / least, np.inf)
        # The reciprocal of a very large number is subnormal, and may be flushed to zero.
        is_lost = np.abs(right.value) + right.error > 1 / limits_of(self.unit)[0]
        return self._rounded(quotient, spread + np.where(is_lost, np.abs(quotient), 0.0), 2.0)

    def reciprocal(self, numerator: float) -> Running:
        """Return a number over this one."""
        return exactly(np.full(self.value.shape, numerator), self.unit) / self

    def __getitem__(self, index: Any) -> Running:
        """Return some of the elements."""
        return Running(self.value[index], self.error[index], self.unit)

    def _like(self, other: Running | float) -> Running:
        return other if isinstance(other, Running) else exactly(np.float64(other), self.unit)

    @property
    def may_count(self) -> Array:
        """Mask of the elements that are not certainly zero."""
        found: Array = (self.value != 0) | (self.error > 0)
        return found

    def _rounded(self, value: Array, spread: Array, roundings: Any = 1.0) -> Running:
        """Return a rounded result. It may be flushed to zero; where it may overflow, its error is infinite."""
        spread, size = or_infinite(spread), np.abs(value)
        smallest, largest = limits_of(self.unit)
        magnitude = size + spread
        error = spread + roundings * self.unit * magnitude
        if is_any(is_tiny := size - error < smallest):
            error = error + np.where(is_tiny, np.fmin(magnitude, smallest), 0.0)
        if is_any(overflows := magnitude > largest):
            error = np.where(overflows, np.inf, error)
        return Running(value, error, self.unit)

    def sum(self, *, squares: bool = False) -> Running:
        """Return the sum along the last dimension, in any order; with ``squares``, the sum of squares."""
        terms = self * self if squares else self
        return _add_terms([terms.terms(-1)], self.unit)

    def terms(self, axis: int | None = None) -> _Terms:
        """Return the numbers as terms of a sum: each element by itself, or all along a dimension."""
        parts = (self.value, self.error, np.abs(self.value) + self.error, self.may_count.astype(np.float64))
        return _Terms(*(parts if axis is None else (part.sum(axis) for part in parts)))

    def spread_out(self) -> Running:
        """Return the numbers with a last dimension of size 1, which :meth:`sum` had removed."""
        return Running(self.value[..., None], self.error[..., None], self.unit)

    def cumulated(self, axis: int) -> Running:
        """Return the sums of all elements up to each along a dimension, in any order."""
        parts = (self.value, self.error, np.abs(self.value) + self.error, self.may_count.astype(np.float64))
        return _add_terms([_Terms(*(part.cumsum(axis) for part in parts))], self.unit)

    def times_matrix(self, weights: Running) -> Running:
        """Return products with the rows of a matrix, summed in any order; shapes ``[..., k]`` and ``[units, k]``."""
        return _add_terms([self.products(weights)], self.unit)

    def products(self, weights: Running) -> _Terms:
        """Return the terms of :meth:`times_matrix`: rounded products, for sums ``[..., units]``."""
        columns, errors = weights.value.swapaxes(-1, -2), weights.error.swapaxes(-1, -2)
        size, sizes = np.abs(self.value), np.abs(columns)
        magnitude = (size + self.error) @ (sizes + errors)
        spread = self.error @ (sizes + errors) + size @ errors + self.unit * magnitude
        counts: Any = np.full(magnitude.shape, float(self.value.shape[-1]))
        if not (self.value.all() and weights.value.all()):
            counts = self.may_count.astype(np.float64) @ weights.may_count.astype(np.float64).swapaxes(-1, -2)
        spread = spread + np.fmin(counts * limits_of(self.unit)[0], magnitude)
        return _Terms(self.value @ columns, spread, (1 + self.unit) * magnitude, counts)

    def exp(self) -> Running:
        """Return e^x. Its relative error is the argument's absolute error, plus the error of libraries; e^0 is exact.

        Source: docs/contract/accuracy.md 2, absolute error: 2 units of roundoff of 1 + abs(x).
        """
        found = np.exp(self.value)
        units = np.where(self.may_count, _EXPONENTIAL_UNITS * (1 + np.abs(self.value)), 0.0)
        return self._rounded(found, found * np.expm1(self.error), units)

    def log(self) -> Running:
        """Return the logarithm; the error is infinite where the argument may be 0."""
        found = np.log(self.value)
        least = self.value - self.error
        spread = np.where(least > 0, np.log(self.value / np.where(least > 0, least, 1.0)), np.inf)
        return self._rounded(found, spread, _FUNCTION_UNITS)

    def sqrt(self) -> Running:
        """Return the square root; its change is taken at the ends of the interval."""
        found = np.sqrt(self.value)
        spread = np.fmax(
            np.sqrt(self.value + self.error) - found, found - np.sqrt(np.fmax(self.value - self.error, 0.0))
        )
        return self._rounded(found, spread, 2.0)

    def power(self, exponent: float) -> Running:
        """Return a power of positive numbers; drivers may compute it as e^(exponent * log x)."""
        found = np.power(self.value, exponent)
        least = self.value - self.error
        ends = (np.power(np.where(least > 0, least, 1.0), exponent), np.power(self.value + self.error, exponent))
        spread = np.fmax(*(np.abs(end - found) for end in ends))
        spread = np.where(least > 0, spread, np.where(self.error > 0, np.inf, 0.0))
        steps = 1.0 + np.abs(exponent * np.log(np.where(self.value > 0, self.value, 1.0)))
        return self._rounded(found, spread, _FUNCTION_UNITS * steps)

    def tanh(self) -> Running:
        """Return the hyperbolic tangent. It never enlarges an error; libraries add an absolute one."""
        found = np.tanh(self.value)
        # The slope is largest at 0, and the interval of a large error may contain 0.
        ends = [np.abs(np.tanh(self.value + sign * self.error) - found) for sign in (-1, 1)]
        return self._bounded(found, np.fmax(*ends))

    def erf(self) -> Running:
        """Return the error function; libraries have an absolute error."""
        found = erf(self.value)
        ends = [np.abs(erf(self.value + sign * self.error) - found) for sign in (-1, 1)]
        spread = np.where(np.isinf(self.error), np.inf, np.fmin(np.fmax(*ends), 2.0))
        return Running(found, spread + _FUNCTION_UNITS * self.unit, self.unit)

    def rint(self) -> Running:
        """Return the nearest whole numbers, which are off by as much as those of the ends of the interval."""
        found = np.rint(self.value)
        ends = [np.abs(np.rint(self.value + sign * self.error) - found) for sign in (-1, 1)]
        return Running(found, np.fmax(*ends), self.unit)

    def logistic(self) -> Running:
        """Return the logistic function. It reduces errors at least to a quarter; libraries add an absolute one."""
        found = logistic(self.value)
        ends = [np.abs(logistic(self.value + sign * self.error) - found) for sign in (-1, 1)]
        return self._bounded(found, np.fmax(*ends))

    def _bounded(self, value: Array, spread: Array) -> Running:
        spread = np.fmin(or_infinite(np.fmax(spread, 0.0)), np.fmin(self.error, 2.0))
        # A sum that overflows in both directions gives NaN, and so does every function of it.
        spread = np.where(np.isinf(self.error), np.inf, spread)
        return Running(value, spread + _FUNCTION_UNITS * self.unit, self.unit)

    def clip(self, low: Any, high: Any) -> Running:
        """Clip between bounds, which cut off errors, except where the number may be NaN: no bound stops that."""
        inside = np.clip(self.value, low, high)
        ends = [np.abs(np.clip(self.value + sign * self.error, low, high) - inside) for sign in (-1, 1)]
        return Running(inside, np.where(np.isinf(self.error), np.inf, np.fmax(*ends)), self.unit)


def exactly(value: Any, unit: float) -> Running:
    """Return numbers without error."""
    numbers = np.asarray(value, np.float64)
    return Running(numbers, np.zeros(numbers.shape), unit)


class _Terms(msgspec.Struct, frozen=True, eq=False):
    """Terms of sums: their sum, its error before any addition, the sum of magnitudes, and the number of terms."""

    value: Array
    error: Array
    magnitude: Array
    count: Array


def _add_terms(parts: Sequence[_Terms], unit: float) -> Running:
    """Return the sum of all terms of all parts, added in any order.

    A partial sum and the sum of the remaining terms differ by at most the sum of magnitudes, and add up to the whole;
    so no partial sum exceeds half of (sum of magnitudes + whole), and no addition rounds more than that. Each partial
    sum may be flushed to zero.
    """
    value, error, magnitude, count = (
        sum((getattr(part, name) for part in parts[1:]), start=getattr(parts[0], name))
        for name in _Terms.__struct_fields__
    )
    largest = (magnitude + np.abs(value) + error) / 2
    additions = np.maximum(count - 1, 0)
    smallest, limit = limits_of(unit)
    found = error + compounded(unit, additions) * largest + np.fmin(additions * smallest, largest)
    return Running(value, np.where(largest > limit, np.inf, found), unit)


def sum_of(products: Sequence[tuple[Running, Running]], addends: Sequence[Running] = ()) -> Running:
    """Sum products of rows ``[batch, k]`` with matrices ``[units, k]`` and addends ``[batch, units]``, in any order.

    Drivers add a bias or a state first or last, or use one accumulator for all products.
    """
    parts = [row.products(weights) for row, weights in products] + [addend.terms() for addend in addends]
    return _add_terms(parts, products[0][0].unit)


def added(terms: Running, addends: Sequence[Running]) -> Running:
    """Return the sum of all elements along the last dimension and of the addends, in any order."""
    return _add_terms([terms.terms(-1), *(addend.terms() for addend in addends)], terms.unit)


def absolute(x: Running) -> Running:
    """Return the magnitudes."""
    return Running(np.abs(x.value), x.error, x.unit)


def choose(condition: Array, yes: Running | float, no: Running | float) -> Running:
    """Return ``yes`` where the condition holds, otherwise ``no``; at least one of them carries errors."""
    unit = next(side.unit for side in (yes, no) if isinstance(side, Running))
    first, second = (side if isinstance(side, Running) else exactly(side, unit) for side in (yes, no))
    return Running(np.where(condition, first.value, second.value), np.where(condition, first.error, second.error), unit)


def spread_of(x: Running, *, one_pass: bool) -> tuple[Running, Running]:
    """Return the deviations from the mean along the last dimension, and their mean square.

    With ``one_pass``, the variance may also be computed as mean square minus squared mean.
    """
    count = float(x.value.shape[-1])
    mean = x.sum() / count
    alone = x - exactly(mean.value, x.unit).spread_out()
    off = mean.error
    # An error of the mean shifts all deviations alike. Their sum is 0, so it changes the mean square by its square.
    squares = alone.sum(squares=True) / count
    shifted = squares.error + off * off + 2 * off * alone.error.mean(-1)
    if one_pass:
        shifted = np.fmax(shifted, (x.sum(squares=True) / count - mean * mean).error)
    return Running(alone.value, alone.error + off[..., None], x.unit), Running(squares.value, shifted, x.unit)


def logistic(x: Array) -> Array:
    """Return 1 / (1 + e^-x) without overflow."""
    found: Array = 0.5 * (1.0 + np.tanh(0.5 * x))
    return np.where(x < 0, np.exp(x) / (1.0 + np.exp(np.fmin(x, 0.0))), found)
