"""Sums of products: how errors of the factors spread, what the sums add, and what codes are made of them.

Source: docs/contract/accuracy.md 2, mode dot product: the same sums on magnitudes bound the error, and the errors of
the elements of a tensor have a mean square that grows with the number of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.families.arithmetic import fixed_point_grid
from nnvet.oracle.bounds.precision import Precision
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.bounds.spreading import Interval, magnitudes
from nnvet.oracle.bounds.storing import NO_ERROR, LocalError, is_varied, of_sum, stored
from nnvet.oracle.operations.tensor import Array

_LARGER: Final = 2.0
"""How much larger than on random data partial sums may be on average."""
WORDS: Final = (
    "the sums of the magnitudes",
    "a unit of roundoff of it for each term but zeros, 1.3 times the root of their number on average; none in codes",
)


@dataclass(frozen=True)
class Linear:
    """A function that sums products of its arguments, ``terms`` at most for each element.

    ``counted`` counts products, given 1 for each factor and 0 for those that are zero; None: the function does.
    ``further`` is how many more roundings each sum sees.
    """

    of: Callable[..., Array]
    inputs: Sequence[Interval]
    terms: int
    counted: Callable[..., Array] | None = None
    further: int = 0

    @cached_property
    def value(self) -> Array:
        """The ideal sums."""
        return self.of(*(value for value, _ in self.inputs))

    @property
    def spread(self) -> Array:
        """What the errors of the arguments make of them."""
        return magnitudes(self.of, *self.inputs, middle=self.value)

    def local(self, precision: Precision) -> LocalError:
        """What summing adds, in any order, with or without fused operations."""
        value, terms = self.value, self.roundings
        size = self.of(*(np.abs(one) + error for one, error in self.inputs))
        found = of_sum(precision, size, terms, varied=is_varied(value))
        squares = np.abs(self.of(*(one * one for one, _ in self.inputs)))
        # Partial sums are about as large as the sum, or as the root of the sum of squares.
        partial = _LARGER * np.sqrt(terms * (value**2 / 3 + squares / 2))
        return replace(found, deviation=np.fmin(precision.sum_unit * partial, found.deviation))

    @property
    def roundings(self) -> Any:
        """Roundings that a term sees: zeros are neither multiplied nor added with any."""
        terms: Any = self.terms
        if not all(value.all() for value, _ in self.inputs):
            are_there = [((value != 0) | (error > 0)).astype(np.float64) for value, error in self.inputs]
            terms = (self.counted or self.of)(*are_there)
        return terms + self.further


def of_products(
    call: EstimatedCall, linear: Linear, activation: int | None, scales: Array, precision: Precision | None = None
) -> Estimate:
    """Sums as results: floats with the errors of summing, codes of exact sums. ``scales`` are those of the weights."""
    value, spread = linear.value, linear.spread
    if call.output.is_float:
        local = linear.local(precision or call.precision)
        return stored(call, value, spread, local, activation=activation)
    return stored(call, value, spread, NO_ERROR, activation=activation, grid=_grid(call, scales))


def _grid(call: EstimatedCall, scales: Array) -> Array:
    multipliers = scales * (call.parameters.inputs[0].scale / call.output.scale)
    grids = [fixed_point_grid(float(one)) for one in multipliers.reshape(-1)]
    return np.array(grids).reshape(multipliers.shape)


def bias_of(call: EstimatedCall, scales: Array) -> Interval:
    """The bias in real numbers; that of codes has the scale of the products, whatever is declared."""
    bias = call.estimate(2)
    if bias.as_operand.is_float:
        return bias.value, bias.error
    step = call.parameters.inputs[0].scale * scales
    return bias.value.astype(np.float64) * step, bias.error * step
