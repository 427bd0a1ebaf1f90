"""Comparing one output with what was expected.

Statistical check of RANDOM_MULTINOMIAL: class frequencies against the softmax of the logits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nnvet.oracle.tolerance import Tolerance


def worst_frequency(
    samples: npt.NDArray[Any], logits: npt.NDArray[Any], tolerance: float
) -> tuple[int, int, float, float] | None:
    """The worst (batch, class, expected, actual) whose frequency is off by more than ``tolerance``.

    ``samples`` is [batches, draws], ``logits`` [batches, classes]. A sample that is no class has an expected
    frequency of 0. None if all agree.
    """
    worst: tuple[int, int, float, float] | None = None
    for batch, (row, drawn) in enumerate(zip(logits.astype(np.float64), samples, strict=True)):
        weights = np.exp(row - row.max())
        expected = dict(enumerate((weights / weights.sum()).tolist()))
        values, counts = np.unique(drawn, return_counts=True)
        actual = dict(zip(values.tolist(), (counts / max(drawn.size, 1)).tolist(), strict=True))
        for label in expected.keys() | actual.keys():
            pair = expected.get(label, 0.0), actual.get(label, 0.0)
            off = abs(pair[0] - pair[1]) > tolerance or label not in expected
            if off and (worst is None or abs(pair[0] - pair[1]) > abs(worst[2] - worst[3])):
                worst = (batch, int(label), *pair)
    return worst


Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Elements that differ by more than the tolerance, with the worst of them (index in the tensor)."""

    count: int
    total: int
    index: tuple[int, ...]
    expected: float
    actual: float
    allowed: float
    source: str

    def __str__(self) -> str:
        """One sentence."""
        place = ", ".join(map(str, self.index))
        return (
            f"{self.count} of {self.total} elements differ; worst at [{place}]: expected {self.expected:g}, "
            f"got {self.actual:g}, allowed difference {self.allowed:g} ({self.source})"
        )


def compare(actual: Array, expected: Array, tolerance: Tolerance) -> Mismatch | None:
    """Compare element by element in double precision; None if all agree.

    ``actual`` and ``expected`` have the same shape. A NaN on either side is a mismatch.
    """
    found = examine(actual, expected, tolerance)
    return found if isinstance(found, Mismatch) else None


def examine(actual: Array, expected: Array, tolerance: Tolerance) -> Mismatch | float:
    """As :func:`compare`; where all elements agree, the largest share of the tolerance that one of them uses."""
    if np.array_equal(actual, expected):
        # Most outputs are; NaN is equal to nothing.
        return 0.0
    if tolerance.is_truth:
        actual, expected = actual != 0, expected != 0
    got, wanted = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(got - wanted)
        allowed = tolerance.absolute + tolerance.relative * np.abs(wanted)
        # Written so that NaN counts as wrong; the difference of equal infinities is NaN, but they agree.
        wrong = ~((difference <= allowed) & np.isfinite(wanted)) & ~(got == wanted)
        if tolerance.is_exact:
            # A double cannot tell all integers of 64 bits from each other.
            wrong = actual != expected
        beyond = difference - allowed
    if not wrong.any():
        return _share(difference, allowed)
    excess = np.where(wrong, np.nan_to_num(beyond, nan=np.inf, posinf=np.inf), -np.inf)
    index = np.unravel_index(int(np.argmax(excess)), wrong.shape)
    place = tuple(int(i) for i in index)
    return Mismatch(
        int(wrong.sum()),
        int(wrong.size),
        place,
        float(wanted[index]),
        float(got[index]),
        float(allowed[index]),
        tolerance.source,
    )


def _share(difference: Array, allowed: Array) -> float:
    """The largest part of what is allowed; the difference of equal infinities is NaN, and uses nothing."""
    counted = (allowed > 0) & np.isfinite(difference)
    return float(np.max(difference[counted] / allowed[counted], initial=0.0))
