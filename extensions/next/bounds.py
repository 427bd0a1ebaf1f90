"""Error bounds of some operations of the extension, closer than the bounds that follow from the meanings.

:data:`RULES` has three kinds: elements that are moved keep their errors and gain none; sums of products have the bounds
of :mod:`nnvet.oracle.bounds.products`, which also limit the errors on average; RESIZE_CUBIC has an analysis of its own.
All other operations have the bounds that :mod:`nnvet.oracle.bounds.following` derives from their meanings.
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

# RESIZE_CUBIC: each output row (or column) has a coordinate, a real number on the axis of the input's rows. It is a
# weighted sum of the input rows near this coordinate; a weight depends on the row's distance from the coordinate.
_PLACE_ROUNDINGS: Final = 3 * 1.5
"""Three roundings of a coordinate, times the steepest slope of a weight as a function of the distance."""
_WEIGHT_ROUNDINGS: Final = 8.0
"""Roundings of a weight itself."""
_REACH: Final = 2.5
"""Distance within which rows have a weight (2), and a little more, since coordinates are rounded."""


def _moved(mask_of: Callable[[EstimatedCall, Array], Array], *positions: int) -> BoundRule:
    """Return the rule of an operation that moves elements of the inputs at ``positions``.

    Another operand decides where the elements go. ``mask_of`` returns a mask of the output elements that are undecided,
    because that operand has an error bound and so may have other values.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        (found,) = patterns.moved(call, positions)
        return [opened_where(found, mask_of(call, found.value))]

    return BoundRule(estimate, patterns.MOVED, patterns.EXACT, OPEN_INDEX)


def _undecided_by_condition(call: EstimatedCall, result: Array) -> Array:
    """Return a mask of the elements of WHERE whose condition may have the other value."""
    return np.broadcast_to(call.estimate(0).error > 0, result.shape)


def _undecided_if_inexact(position: int) -> Callable[[EstimatedCall, Array], Array]:
    """Return the function whose mask has all elements if the indices at ``position`` are inexact, otherwise none."""
    return lambda call, result: np.full(result.shape, not call.estimate(position).is_exact)


def _matmul(call: EstimatedCall) -> list[Estimate]:
    # SUMS has no entry for MATMUL, whose meaning is in the family of transformers.
    inputs = [patterns.interval(call, place) for place in range(2)]
    terms = inputs[0][0].shape[-1]
    return [_estimate_sums(call, np.matmul, inputs, terms)]


def _summed(terms_of: Callable[[EstimatedCall], int], factors: int) -> BoundRule:
    """Return the rule of an operation whose first inputs are the ``factors`` of products that it adds up.

    ``terms_of`` returns the largest number of terms of a sum. ``SUMS`` has the operation as a function of the factors.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        inputs = [patterns.interval(call, place) for place in range(factors)]
        return [_estimate_sums(call, SUMS[call.operation](call.parameters), inputs, terms_of(call))]

    return BoundRule(estimate, *products.WORDS)


def _estimate_sums(call: EstimatedCall, of: OfFactors, inputs: Sequence[Interval], terms: int) -> Estimate:
    """Return the estimate of sums of products, which have neither a fused activation nor scales of weights.

    ``of`` computes the sums from the ``inputs``; each has at most ``terms`` terms.
    """
    return products.of_products(call, products.Linear(of, inputs, terms), None, np.ones(()))


def _filter_terms(call: EstimatedCall) -> int:
    """Return the number of terms of a sum: the weights for one output channel, and the bias.

    The first dimension of the filters is that of the output's channels.
    """
    return int(np.prod(call.value(1).shape)) // int(call.value(1).shape[0]) + 1


def _transposed_terms(call: EstimatedCall) -> int:
    """Return the number of terms of a sum if the second dimension of the filters is that of the output's channels."""
    filters = call.value(1)
    return int(filters.size) // int(filters.shape[1]) + 1


def _einsum_terms(call: EstimatedCall) -> int:
    """Return the number of terms: the product of the sizes of all labels that the output does not have."""
    labels = [call.parameters.list(place) for place in (2, 3, 4)]
    sizes = dict(zip(labels[0], call.value(0).shape, strict=True)) | dict(
        zip(labels[1], call.value(1).shape, strict=True)
    )
    return int(np.prod([size for label, size in sizes.items() if label not in labels[2]], dtype=np.int64))


def _resize(call: EstimatedCall) -> list[Estimate]:
    """Estimate RESIZE_CUBIC as a product with a matrix of weights for the rows, and with another for the columns.

    The weights have errors, because a driver rounds coordinates and weights in the type of its sums.
    """
    x, unit = Running(*patterns.interval(call, 0), call.precision.sum_unit), call.precision.sum_unit
    is_aligned = call.parameters.flag(3)
    for axis, place in ((-2, 1), (-1, 2)):
        size, target = x.value.shape[axis], call.parameters.number(place)
        weights = weights_of(size, target, aligned=is_aligned)
        places = np.abs(coordinates(size, target, aligned=is_aligned))
        by_places = _PLACE_ROUNDINGS * unit * (1 + places)[:, None] * _mask_near(weights, places)
        error = by_places + _WEIGHT_ROUNDINGS * unit * np.abs(weights)
        last = Running(x.value.swapaxes(axis, -1), x.error.swapaxes(axis, -1), unit)
        found = last.times_matrix(Running(weights, error, unit))
        x = Running(found.value.swapaxes(axis, -1), found.error.swapaxes(axis, -1), unit)
    return [stored(call, x.value, x.error)]


def _mask_near(weights: Array, places: Array) -> Array:
    """Return a mask, like ``weights``, of input rows with a weight, or that get one if a coordinate is a little off."""
    cells = np.arange(weights.shape[1])
    found: Array = np.abs(cells - np.clip(places, 0, weights.shape[1] - 1)[:, None]) <= _REACH
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
    codes.WHERE: _moved(_undecided_by_condition, 1, 2),
    codes.GATHER_ND: _moved(_undecided_if_inexact(1), 0),
    codes.SCATTER_ND: _moved(_undecided_if_inexact(1), 0, 2),
    codes.ONE_HOT: _moved(_undecided_if_inexact(0), 2),
    codes.TENSOR_SCATTER: _moved(_undecided_if_inexact(2), 0, 1),
}
"""Rules by the codes of operations; the numbers in rows of moved elements are positions of inputs."""
