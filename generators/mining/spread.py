"""Distributions of values, and others that are distributed alike: files hold few numbers, not all weights."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt


class Spread(msgspec.Struct, frozen=True):
    """Range, mean and standard deviation of values: numbers of floats, codes of everything else."""

    low: float
    high: float
    mean: float
    deviation: float


def spread_of(values: npt.NDArray[Any]) -> Spread | None:
    """The distribution of values, of which infinite ones and what is no number do not count; None: there is none."""
    finite = values[np.isfinite(values)].astype(np.float64)
    if not finite.size:
        return None
    return Spread(float(finite.min()), float(finite.max()), float(finite.mean()), float(finite.std()))


def combined(spreads: Sequence[Spread]) -> Spread:
    """The distribution of values of which equal shares come from each of some distributions."""
    mean = math.fsum(spread.mean for spread in spreads) / len(spreads)
    square = math.fsum(spread.deviation**2 + (spread.mean - mean) ** 2 for spread in spreads) / len(spreads)
    low, high = min(spread.low for spread in spreads), max(spread.high for spread in spreads)
    return Spread(low, high, mean, math.sqrt(square))


def drawn(seed: int, count: int, low: float, high: float, mean: float, deviation: float, *, whole: bool) -> list[float]:
    """Normally distributed values, those outside of the range put at its ends; equal seeds give equal values.

    NumPy promises the numbers of RandomState for all its releases.
    """
    values = np.random.RandomState(seed).normal(mean, deviation, count)
    limited = np.clip(np.rint(values) if whole else values, low, high)
    numbers: list[float] = limited.tolist()
    return numbers


PROGRAM: Final = f"import numpy as np\n\n{inspect.getsource(drawn)}\n"
"""Program with which a spec draws values as this module does."""
