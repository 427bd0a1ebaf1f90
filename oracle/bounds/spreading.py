"""How errors of inputs spread to a result: (a) of a bound rule."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from nnvet.oracle.operations.tensor import Array

Interval: TypeAlias = tuple[Array, Array]
"""Values, and how far each may be off."""


def corners(of: Callable[..., Array], *inputs: Interval) -> Array:
    """Largest change of ``of`` over the ends of its arguments' intervals; infinite where one end has no result.

    That bounds the change over the whole box wherever the function is monotone in each argument.
    """
    values = [value for value, _ in inputs]
    middle = of(*values)
    worst = np.zeros(np.shape(middle))
    if not any(np.any(error) for _, error in inputs):
        return worst
    signs = [(-1, 1) if np.any(error) else (0,) for _, error in inputs]
    for corner in itertools.product(*signs):
        ends = [value + sign * error if sign else value for sign, (value, error) in zip(corner, inputs, strict=True)]
        worst = np.fmax(worst, np.nan_to_num(np.abs(of(*ends) - middle), nan=np.inf, posinf=np.inf))
    touched = np.zeros(np.shape(middle), np.bool_)
    for _, error in inputs:
        touched = touched | (error > 0)
    return np.where(touched, worst, 0.0)


def with_pole(of: Callable[..., Array], first: Interval, second: Interval) -> Array:
    """As :func:`corners`; infinite where the second interval, of divisors, holds zero and something else.

    Nobody asks for the sign of zero: a divisor of -0 is a pole of either sign.
    """
    value, error = second
    is_open = (error > 0) & (np.abs(value) <= error) | is_negative_zero(value)
    return np.where(is_open, np.inf, corners(of, first, second))


def is_negative_zero(value: Array) -> Array:
    """Where a number is -0."""
    found: Array = (value == 0) & np.signbit(value)
    return found


def lipschitz(slope: Callable[[Array], Array]) -> Callable[..., Array]:
    """Change of what is not monotone: error times the largest slope, which is that at one end of the interval."""

    def spread(_of: Callable[..., Array], one: Interval) -> Array:
        value, error = one
        if not np.any(error):
            return np.zeros(np.shape(value))
        steepest = np.fmax(np.abs(slope(value - error)), np.abs(slope(value + error)))
        change: Array = np.nan_to_num(steepest * error, nan=np.inf, posinf=np.inf)
        return change

    return spread


def magnitudes(of: Callable[..., Array], *inputs: Interval) -> Array:
    """Change of what is linear in each argument (sums of products): by the same on magnitudes."""
    if not any(np.any(error) for _, error in inputs):
        return np.zeros(np.shape(of(*(value for value, _ in inputs))))
    sizes = [np.abs(value) for value, _ in inputs]
    grown = [size + error for size, (_, error) in zip(sizes, inputs, strict=True)]
    change: Array = np.nan_to_num(of(*grown) - of(*sizes), nan=np.inf, posinf=np.inf)
    return change


def both_ends(of: Callable[..., Array], *inputs: Interval) -> Array:
    """Largest change of what grows with each argument (or falls with each): all at the upper, all at the lower end."""
    middle = of(*(value for value, _ in inputs))
    if not any(np.any(error) for _, error in inputs):
        return np.zeros(np.shape(middle))
    upper = of(*(value + error for value, error in inputs))
    lower = of(*(value - error for value, error in inputs))
    change: Array = np.nan_to_num(np.fmax(np.abs(upper - middle), np.abs(lower - middle)), nan=np.inf, posinf=np.inf)
    return change


def touched(shape: Sequence[int], *errors: Array) -> Array:
    """Where an element-wise result depends on an inexact element: booleans of the result's shape."""
    found = np.zeros(tuple(shape), np.bool_)
    for error in errors:
        found = found | (error > 0)
    return found
