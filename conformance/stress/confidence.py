"""Figures of a run, each with the interval in which it lies with 99 % confidence: its better end is held to a limit.

A figure of one run is what the machine did at that moment: a driver is blamed where chance does not explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

_RESAMPLED: Final = 2000
_LEVEL: Final = 0.99
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
        return [float(f"{one:.4g}") for one in self]


def ratio_of_medians(loaded: Sequence[float], idle: Sequence[float]) -> Interval:
    """How many times as long the median of ``loaded`` is as that of ``idle``, by resampling blocks of both."""
    random = np.random.default_rng(0)
    above, below = _blocks(loaded), _blocks(idle)
    ratios = np.array(
        [_median(above, random) / _median(below, random) for _ in range(_RESAMPLED)],
    )
    low, high = np.quantile(ratios, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(np.median(np.concatenate(above)) / np.median(np.concatenate(below))), float(low), float(high))


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


def _blocks(values: Sequence[float]) -> list[npt.NDArray[Any]]:
    return [part for part in np.array_split(np.asarray(values, np.float64), _BLOCKS) if part.size]


def _median(blocks: list[npt.NDArray[Any]], random: np.random.Generator) -> float:
    picked = random.integers(0, len(blocks), len(blocks))
    return float(np.median(np.concatenate([blocks[index] for index in picked])))
