"""Part (a) of a rule: the spread of the inputs' errors to the result.

Part (b) is :mod:`nnvet.oracle.bounds.storing`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from nnvet.oracle.operations.invocation import Array

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
