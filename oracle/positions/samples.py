"""Floating-point formats (:class:`Format`), and ideal results of element-wise operations in a format (:class:`Sample`).

The limits in :mod:`nnvet.oracle.positions.elementwise` are functions of a sample; ``sums.py`` uses the formats, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.hal.operand_types import type_info
from nnvet.oracle.operations.invocation import Array


@dataclass(frozen=True)
class Format:
    """A floating-point format: number of fraction bits, smallest normal number, largest number."""

    fraction: int
    smallest: float
    largest: float

    @property
    def step(self) -> float:
        """Distance between 1 and the next number."""
        return float(2.0**-self.fraction)

    @property
    def unit(self) -> float:
        """Unit roundoff of rounding to the nearest number."""
        return self.step / 2

    def ulp(self, value: Array) -> Array:
        """Return the distance of neighbours at each number; below the smallest normal number it remains the same."""
        exponent = np.frexp(np.maximum(np.abs(value), self.smallest))[1]
        found: Array = np.ldexp(1.0, exponent - 1 - self.fraction)
        return found

    def flushed(self, value: Array) -> Array:
        """Return the numbers with zero instead of subnormal ones."""
        return np.where(np.abs(value) < self.smallest, 0.0, value)


SINGLE: Final = Format(23, 2.0**-126, float(np.finfo(np.float32).max))
"""The format float32 of IEEE 754."""
HALF: Final = Format(10, 2.0**-14, 65504.0)
"""The format float16 of IEEE 754."""


def format_of(kind: int) -> Format | None:
    """Return the format of an operand type; None if it is not one of floats."""
    info = type_info(kind)
    if not info.is_float:
        return None
    return HALF if info.dtype == "float16" else SINGLE


@dataclass(frozen=True)
class Sample:
    """Ideal results (``value``) of an element-wise operation, its arguments in the same shape, and their format."""

    value: Array
    arguments: Sequence[Array]
    format: Format

    @property
    def ulp(self) -> Array:
        """Distance between neighbours at the ideal results."""
        return self.format.ulp(self.value)

    @property
    def size(self) -> Array:
        """Magnitudes of the first argument."""
        return np.abs(self.arguments[0])
