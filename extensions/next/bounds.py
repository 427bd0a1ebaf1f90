"""Error bounds of twelve operations of the extension: how far a correct driver's results may be off.

``extensions/next/__init__.py`` hands :data:`RULES` to the oracle. There are three kinds of rules:

- operations that move elements: an element keeps its error and gains none;
- sums of products: bounds of :mod:`nnvet.oracle.bounds.products`, which also limit the errors on average;
- RESIZE_CUBIC: an error analysis of its own.

All other operations have the wider bounds that :mod:`nnvet.oracle.bounds.following` derives from their meanings.
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
_COORDINATE_ROUNDINGS: Final = 3 * 1.5
"""Error of a weight by its coordinate, in unit roundoffs: three roundings of the coordinate times a slope of 1.5.

The cubic function (coefficient -0.75) that gives the weight for a distance is nowhere steeper: its slope is up to 1.35.
"""
_WEIGHT_ROUNDINGS: Final = 8.0
"""Error of a weight by its own evaluation, in unit roundoffs: the operations of the cubic polynomial."""
_WEIGHT_RADIUS: Final = 2.5
"""Distance from the coordinate within which an input row may get a weight: 2, and a margin for rounded coordinates."""


def _build_moved_rule(mask_of: Callable[[EstimatedCall, Array], Array], *positions: int) -> BoundRule:
    """Return the rule of an operation that moves elements of the inputs at ``positions``.

    Another operand, the condition or the indices, decides which elements go where. If that operand is inexact, a
    correct driver may move other elements: ``mask_of`` returns a mask of the output elements for which this is so, and
    the rule leaves them undecided.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        (found,) = patterns.moved(call, positions)
        return [opened_where(found, mask_of(call, found.value))]

    return BoundRule(estimate, patterns.MOVED, patterns.EXACT, OPEN_INDEX)


def _mark_undecided_conditions(call: EstimatedCall, result: Array) -> Array:
    """Return a mask of the elements of WHERE's result whose condition may be true as well as false."""
    return np.broadcast_to(call.estimate(0).error > 0, result.shape)


def _make_inexact_mask(position: int) -> Callable[[EstimatedCall, Array], Array]:
    """Return a function for :func:`_build_moved_rule`: all elements are undecided if the indices are inexact.

    ``position`` is that of the indices among the inputs. One wrong index may change any element.
    """
    return lambda call, result: np.full(result.shape, not call.estimate(position).is_exact)


def _estimate_matmul(call: EstimatedCall) -> list[Estimate]:
    """Estimate the result of MATMUL.

    Its meaning is in the family of transformers, so that it has no entry in ``SUMS`` and no use for
    :func:`_build_sums_rule`.
    """
    inputs = [patterns.interval(call, position) for position in range(2)]
    terms = inputs[0][0].shape[-1]
    return [_estimate_sums(call, np.matmul, inputs, terms)]


def _build_sums_rule(terms_of: Callable[[EstimatedCall], int], factors: int) -> BoundRule:
    """Return the rule of an operation in ``SUMS``, which adds up products of its first ``factors`` inputs.

    ``terms_of`` returns the largest number of terms of a sum; errors grow with it.
    """

    def estimate(call: EstimatedCall) -> list[Estimate]:
        inputs = [patterns.interval(call, position) for position in range(factors)]
        return [_estimate_sums(call, SUMS[call.operation](call.parameters), inputs, terms_of(call))]

    return BoundRule(estimate, *products.WORDS)


def _estimate_sums(call: EstimatedCall, add_up: OfFactors, inputs: Sequence[Interval], terms: int) -> Estimate:
    """Return the estimate of sums of products, without a fused activation (None) and with weights of scale 1.

    ``add_up`` computes the sums from the ``inputs``; each sum has at most ``terms`` terms.
    """
    return products.of_products(call, products.Linear(add_up, inputs, terms), None, np.ones(()))


def _count_filter_terms(call: EstimatedCall) -> int:
    """Return the number of terms of a sum: the weights of one output channel, and the bias.

    The first dimension of the filters counts the output channels.
    """
    return int(np.prod(call.value(1).shape)) // int(call.value(1).shape[0]) + 1


def _count_transposed_terms(call: EstimatedCall) -> int:
    """Return the number of terms of a sum for filters whose second dimension counts the output channels."""
    filters = call.value(1)
    return int(filters.size) // int(filters.shape[1]) + 1


def _count_einsum_terms(call: EstimatedCall) -> int:
    """Return the number of terms of a sum of EINSUM: the product of the sizes of all labels that the output lacks."""
    labels = [call.parameters.list(position) for position in (2, 3, 4)]
    sizes = dict(zip(labels[0], call.value(0).shape, strict=True)) | dict(
        zip(labels[1], call.value(1).shape, strict=True)
    )
    return int(np.prod([size for label, size in sizes.items() if label not in labels[2]], dtype=np.int64))


def _estimate_resize(call: EstimatedCall) -> list[Estimate]:
    """Estimate the result of RESIZE_CUBIC: the image times a matrix of weights for rows, and one for columns.

    The weights have errors, because a driver rounds coordinates and weights to the type of its sums.
    """
    x, unit = Running(*patterns.interval(call, 0), call.precision.sum_unit), call.precision.sum_unit
    is_aligned = call.parameters.flag(3)
    for axis, parameter in ((-2, 1), (-1, 2)):
        size, target = x.value.shape[axis], call.parameters.number(parameter)
        weights = weights_of(size, target, aligned=is_aligned)
        at = np.abs(coordinates(size, target, aligned=is_aligned))
        # A rounding of a coordinate is off by its magnitude times the unit; 1 covers intermediate results near 0.
        by_coordinate = _COORDINATE_ROUNDINGS * unit * (1 + at)[:, None] * _mask_near(weights, at)
        error = by_coordinate + _WEIGHT_ROUNDINGS * unit * np.abs(weights)
        last = Running(x.value.swapaxes(axis, -1), x.error.swapaxes(axis, -1), unit)
        found = last.times_matrix(Running(weights, error, unit))
        x = Running(found.value.swapaxes(axis, -1), found.error.swapaxes(axis, -1), unit)
    return [stored(call, x.value, x.error)]


def _mask_near(weights: Array, at: Array) -> Array:
    """Return a mask in the shape of ``weights`` of the input rows that may have a weight in an output row.

    ``at`` are the coordinates of the output rows. Beyond an edge, the row at the edge takes all weights.
    """
    rows = np.arange(weights.shape[1])
    found: Array = np.abs(rows - np.clip(at, 0, weights.shape[1] - 1)[:, None]) <= _WEIGHT_RADIUS
    return found


RULES: Final[Mapping[int, BoundRule]] = {
    codes.MATMUL: BoundRule(_estimate_matmul, *products.WORDS),
    **dict.fromkeys((codes.CONV_1D, codes.CONV_3D), _build_sums_rule(_count_filter_terms, 3)),
    codes.CONV_TRANSPOSE: _build_sums_rule(_count_transposed_terms, 3),
    codes.EINSUM: _build_sums_rule(_count_einsum_terms, 2),
    codes.HYBRID_FULLY_CONNECTED: _build_sums_rule(_count_filter_terms, 3),
    codes.RESIZE_CUBIC: BoundRule(
        _estimate_resize, "running error analysis", "three roundings of each place, sums in any order, and rounded"
    ),
    codes.TRILU: patterns.moving(0),
    codes.WHERE: _build_moved_rule(_mark_undecided_conditions, 1, 2),
    codes.GATHER_ND: _build_moved_rule(_make_inexact_mask(1), 0),
    codes.SCATTER_ND: _build_moved_rule(_make_inexact_mask(1), 0, 2),
    codes.ONE_HOT: _build_moved_rule(_make_inexact_mask(0), 2),
    codes.TENSOR_SCATTER: _build_moved_rule(_make_inexact_mask(2), 0, 1),
}
"""Rules by operation. Numbers behind a rule of moved elements are positions of the inputs whose elements are moved."""
