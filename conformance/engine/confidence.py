"""Figures of a run, each with the interval in which it lies with 99 % confidence: its better end is held to a limit.

A figure of one run is what the machine did at that moment: a driver is blamed where chance does not explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final, NamedTuple

import numpy as np

_LEVEL: Final = 0.99
_DRAWN: Final = 4000
_BLOCKS: Final = 20
"""Neighbouring measurements are alike: blocks of them are what counts as independent."""
_T_99: Final = 2.878
"""Two-sided 99 % point of Student's t with 18 degrees of freedom, those of a line through 20 blocks (tables)."""


class Interval(NamedTuple):
    """A figure, and the ends of its interval."""

    value: float
    low: float
    high: float

    @property
    def rounded(self) -> list[float]:
        """For the log."""
        return [float(f"{value:.4g}") for value in self]


def median_interval(values: Sequence[float]) -> Interval:
    """The median of independent values, with the interval between two of them in their order.

    Each value lies above the true median as often as below, whatever their distribution: how many do is binomial.

    :raises ValueError: there are fewer than 8 values, which say nothing for certain.
    """
    ordered, count = sorted(values), len(values)
    below, place = 0.5**count, 0
    if below > (1 - _LEVEL) / 2:
        raise ValueError(f"a median needs 8 values, there are {count}")
    while below + comb(count, place + 1) * 0.5**count <= (1 - _LEVEL) / 2:
        place += 1
        below += comb(count, place) * 0.5**count
    return Interval(float(np.median(ordered)), float(ordered[place]), float(ordered[-1 - place]))


def quotient_of_medians(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Return the quotient of the medians of ``above`` and ``below``, by drawing from both anew."""
    random = np.random.default_rng(0)
    upper, lower = (
        np.median(random.choice(np.asarray(values, np.float64), (_DRAWN, len(values))), axis=1)
        for values in (above, below)
    )
    low, high = np.quantile(upper / lower, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(np.median(above) / np.median(below)), float(low), float(high))


def slope(values: Sequence[float], cycles: Sequence[float]) -> Interval:
    """By how much a value grows with each cycle: a line through the means of 20 blocks, with the error of its slope.

    :raises ValueError: there are fewer than 20 measurements.
    """
    if len(values) < _BLOCKS:
        raise ValueError(f"a slope needs {_BLOCKS} measurements, there are {len(values)}")
    y = np.array([part.mean() for part in np.array_split(np.asarray(values, np.float64), _BLOCKS)])
    x = np.array([part.mean() for part in np.array_split(np.asarray(cycles, np.float64), _BLOCKS)])
    centred = x - x.mean()
    spread = float((centred**2).sum())
    found = float((centred * y).sum() / spread)
    rest = y - y.mean() - found * centred
    error = _T_99 * float(np.sqrt((rest**2).sum() / (_BLOCKS - 2) / spread))
    return Interval(found, found - error, found + error)
