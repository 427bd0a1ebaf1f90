"""Sums of products in the arithmetics that drivers have: number formats, orders of summation, fused operations.

Numbers are float64 arrays whose elements are numbers of the format. Products of two float32 are exact in float64, and
a sum that is rounded twice differs from one rounded once in nothing that a bound would see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Rounding: TypeAlias = Callable[[Any], Array]
"""Numbers in float64, rounded to a format."""

_LANES: Final = 8
_BFLOAT16_BITS: Final = 16


def to_float64(values: Any) -> Array:
    """As they are."""
    return np.asarray(values, np.float64)


def to_float32(values: Any) -> Array:
    """The nearest float32."""
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def to_float16(values: Any) -> Array:
    """The nearest float16."""
    return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def to_bfloat16(values: Any) -> Array:
    """The upper half of the nearest float32, halves away from zero."""
    words = np.asarray(values, np.float64).astype(np.float32).view(np.uint32)
    half = np.uint32(1 << (_BFLOAT16_BITS - 1))
    kept = (words + half) >> np.uint32(_BFLOAT16_BITS) << np.uint32(_BFLOAT16_BITS)
    return kept.view(np.float32).astype(np.float64)


def truncated(values: Any, dtype: Any) -> Array:
    """The nearest number of a type that is not further from zero; of the type."""
    exact = np.asarray(values, np.float64)
    found: Array = exact.astype(dtype)
    return np.where(np.abs(found.astype(np.float64)) > np.abs(exact), np.nextafter(found, dtype(0)), found)


def cut_to_float32(values: Any) -> Array:
    """Float32, what does not fit cut off."""
    return truncated(values, np.float32).astype(np.float64)


class Order(Enum):
    """Orders in which terms are added."""

    FORWARD = "forward"
    BACKWARD = "backward"
    PAIRWISE = "pairwise"
    LANES = "lanes"


@dataclass(frozen=True)
class Arithmetic:
    """Arithmetic of a driver's sums: each partial sum is ``number``, products are rounded unless they are ``fused``."""

    number: Rounding = to_float32
    order: Order = Order.FORWARD
    fused: bool = False

    def total(self, terms: Sequence[tuple[Array, Any]], start: Any = 0.0) -> Array:
        """The sum of products, begun with ``start``; without terms that is all."""
        initial = self.number(start)
        if self.order is Order.PAIRWISE:
            return self.number(initial + self._pairwise(terms)) if terms else initial
        if self.order is Order.LANES:
            whole = replace(self, order=Order.FORWARD)
            lanes = [whole.total(terms[i::_LANES]) for i in range(min(_LANES, len(terms)))]
            return whole.total([(lane, 1.0) for lane in lanes], initial)
        found = initial
        for left, right in terms if self.order is Order.FORWARD else reversed(terms):
            product = left * right
            found = self.number(found + (product if self.fused else self.number(product)))
        return found

    def _pairwise(self, terms: Sequence[tuple[Array, Any]]) -> Array:
        if len(terms) == 1:
            return self.number(terms[0][0] * terms[0][1])
        middle = len(terms) // 2
        return self.number(self._pairwise(terms[:middle]) + self._pairwise(terms[middle:]))
