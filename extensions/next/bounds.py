"""Rules of error bounds that are closer than those that follow from the meanings.

Elements that are moved keep their errors, and gain none. Products of matrices have the bounds of sums, which also limit
errors on average.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.sums import SUMS, OfFactors, coordinates, weights_of
from nnvet.oracle.bounds import patterns, products
from nnvet.oracle.bounds.families.movement import OPEN_INDEX, opened_where
from nnvet.oracle.bounds.precision import Estimate, Interval
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import Running
from nnvet.oracle.bounds.storing import stored
from nnvet.oracle.operations.invocation import Array

_PLACES: Final = 3 * 1.5
"""Roundings of a place among the cells, times the steepest slope of a part."""
_PARTS: Final = 8.0
"""Roundings of a part itself."""
_REACH: Final = 2.5
"""Distance of the cells that have a part, and a little more."""


def _moved(open_of: Callable[[EstimatedCall, Array], Array], *positions: int) -> BoundRule:
    """Return the rule of elements moved to places that an operand decides; open where that is not decided."""

    def estimate(call: EstimatedCall) -> list[Estimate]:
        (found,) = patterns.moved(call, positions)
        return [opened_where(found, open_of(call, found.value))]

    return BoundRule(estimate, patterns.MOVED, patterns.EXACT, OPEN_INDEX)


def _by_condition(call: EstimatedCall, result: Array) -> Array:
    return np.broadcast_to(call.estimate(0).error > 0, result.shape)


def _everywhere(position: int) -> Callable[[EstimatedCall, Array], Array]:
    """Return a mask of all elements if an operand of indices is not exact."""
    return lambda call, result: np.full(result.shape, not call.estimate(position).is_exact)


def _matmul(call: EstimatedCall) -> list[Estimate]:
    inputs = [patterns.interval(call, place) for place in range(2)]
    terms = inputs[0][0].shape[-1]
    return [products.of_products(call, products.Linear(np.matmul, inputs, terms), None, np.ones(()))]


def _summed(terms_of: Callable[[EstimatedCall], int], factors: int) -> BoundRule:
    """Return the rule of sums of so many products, by the meaning as a function of its factors."""

    def estimate(call: EstimatedCall) -> list[Estimate]:
        inputs = [patterns.interval(call, place) for place in range(factors)]
        return [_of(call, SUMS[call.operation](call.parameters), inputs, terms_of(call))]

    return BoundRule(estimate, *products.WORDS)


def _of(call: EstimatedCall, of: OfFactors, inputs: Sequence[Interval], terms: int) -> Estimate:
    return products.of_products(call, products.Linear(of, inputs, terms), None, np.ones(()))


def _filter_terms(call: EstimatedCall) -> int:
    """Return the most terms of a sum: those of all taps and channels, and the bias."""
    return int(np.prod(call.value(1).shape)) // int(call.value(1).shape[0]) + 1


def _transposed_terms(call: EstimatedCall) -> int:
    filters = call.value(1)
    return int(filters.size) // int(filters.shape[1]) + 1


def _einsum_terms(call: EstimatedCall) -> int:
    labels = [call.parameters.list(place) for place in (2, 3, 4)]
    sizes = dict(zip(labels[0], call.value(0).shape, strict=True)) | dict(
        zip(labels[1], call.value(1).shape, strict=True)
    )
    return int(np.prod([size for label, size in sizes.items() if label not in labels[2]], dtype=np.int64))


def _resize(call: EstimatedCall) -> list[Estimate]:
    """Estimate products with the parts of cells, which are off by as much as places rounded to the type of sums are."""
    x, unit = Running(*patterns.interval(call, 0), call.precision.sum_unit), call.precision.sum_unit
    is_aligned = call.parameters.flag(3)
    for axis, place in ((-2, 1), (-1, 2)):
        size, target = x.value.shape[axis], call.parameters.number(place)
        parts = weights_of(size, target, aligned=is_aligned)
        places = np.abs(coordinates(size, target, aligned=is_aligned))
        error = _PLACES * unit * (1 + places)[:, None] * _near(parts, places) + _PARTS * unit * np.abs(parts)
        last = Running(x.value.swapaxes(axis, -1), x.error.swapaxes(axis, -1), unit)
        found = last.times_matrix(Running(parts, error, unit))
        x = Running(found.value.swapaxes(axis, -1), found.error.swapaxes(axis, -1), unit)
    return [stored(call, x.value, x.error)]


def _near(parts: Array, places: Array) -> Array:
    """Return a mask of cells that have a part, or would have one if places were a little off."""
    cells = np.arange(parts.shape[1])
    found: Array = np.abs(cells - np.clip(places, 0, parts.shape[1] - 1)[:, None]) <= _REACH
    return found


RULES: Final[Mapping[int, BoundRule]] = {
    codes.MATMUL: BoundRule(_matmul, *products.WORDS),
    **dict.fromkeys((codes.CONV_1D, codes.CONV_3D), _summed(_filter_terms, 3)),
    codes.CONV_TRANSPOSE: _summed(_transposed_terms, 3),
    codes.EINSUM: _summed(_einsum_terms, 2),
    codes.HYBRID_FULLY_CONNECTED: _summed(_filter_terms, 3),
    codes.RESIZE_CUBIC: BoundRule(
        _resize, "running error analysis", "three roundings of each place, sums in any order, and rounded"
    ),
    codes.TRILU: patterns.moving(0),
    codes.WHERE: _moved(_by_condition, 1, 2),
    codes.GATHER_ND: _moved(_everywhere(1), 0),
    codes.SCATTER_ND: _moved(_everywhere(1), 0, 2),
    codes.ONE_HOT: _moved(_everywhere(0), 2),
    codes.TENSOR_SCATTER: _moved(_everywhere(2), 0, 1),
}
"""All other operations follow from their meanings."""
