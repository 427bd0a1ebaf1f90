"""The floating-point arithmetic that a driver may compute in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from nnvet.hal.operand_types import type_info
from nnvet.oracle.operations.invocation import Array

_FLOAT16_MAX: Final = 65504.0
_FLOAT32_MAX: Final = float(np.finfo(np.float32).max)
_FLOAT32_UNIT: Final = 2.0**-24
_FLOAT32_SMALLEST: Final = 2.0**-126


@dataclass(frozen=True)
class Precision:
    """Formats of stored results and of sums.

    ``bits``: significant bits of stored numbers; ``sum_bits``: of intermediate results and accumulators; ``smallest``:
    the smallest normal number, below which results may be flushed to zero; ``largest``: what is larger may be infinite;
    ``infinite``: what is larger is infinite; ``code_slack``: part of a code by which codes may be off before they are
    rounded, beside what the rule of the operation grants.
    """

    bits: int
    sum_bits: int
    smallest: float
    largest: float
    infinite: float
    code_slack: float = 0.0

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
        """Unit roundoff of float32, where results may be rounded to that before they are rounded to float16."""
        return _FLOAT32_UNIT if self.unit > _FLOAT32_UNIT else 0.0

    @property
    def smallest_half(self) -> float:
        """Half of the distance between subnormal numbers."""
        return self.smallest * self.unit

    @property
    def largest_step(self) -> float:
        """Intermediate results that are larger may be infinite."""
        return self.largest if self.sum_bits == self.bits else _FLOAT32_MAX

    @property
    def smallest_step(self) -> float:
        """The smallest normal intermediate result, below which one may be flushed to zero."""
        return self.smallest if self.sum_bits == self.bits else _FLOAT32_SMALLEST

    @property
    def stepwise(self) -> Precision:
        """The same, where every step of a calculation may be rounded to the stored type."""
        return replace(self, sum_bits=self.bits)

    def half_ulp(self, magnitude: Array) -> Array:
        """Return the largest rounding error up to this magnitude; below the smallest normal number, all of it."""
        exponent = np.frexp(magnitude)[1]
        half: Array = np.ldexp(1.0, exponent - self.bits - 1)
        is_tiny = magnitude < self.smallest
        return np.where(is_tiny, magnitude, half) if np.count_nonzero(is_tiny) else half

    def off_by_conversion(self, numbers: Array) -> Array:
        """Return the errors of numbers of a wider type that are brought to this one; 0 if it has them."""
        exponent = np.frexp(numbers)[1]
        scaled = np.ldexp(numbers, self.bits - exponent)
        fits = ~np.isfinite(numbers) | (scaled == np.trunc(scaled))
        return np.where(fits, 0.0, np.where(np.abs(numbers) > self.largest, np.inf, self.half_ulp(np.abs(numbers))))


FLOAT32: Final = Precision(24, 24, _FLOAT32_SMALLEST, _FLOAT32_MAX, _FLOAT32_MAX)
FLOAT16: Final = Precision(11, 24, 2.0**-14, _FLOAT16_MAX, _FLOAT16_MAX)
"""float16 is computed in float32 and stored as float16."""
RELAXED: Final = Precision(11, 11, 2.0**-14, _FLOAT16_MAX, _FLOAT32_MAX)
"""float32 of relaxed models may be computed in the range and precision of float16, or in those of float32."""


def precision_of(kind: int, *, relaxed: bool) -> Precision:
    """Return the arithmetic of an operand type."""
    info = type_info(kind)
    if info.dtype == "float16":
        return FLOAT16
    return RELAXED if relaxed and info.is_float else FLOAT32
