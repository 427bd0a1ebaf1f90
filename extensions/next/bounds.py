"""Rules of error bounds that are closer than those that follow from the meanings.

Elements that are moved keep their errors, and gain none. Products of matrices have the bounds of sums, which also limit
errors on average.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.oracle.bounds import patterns, products
from nnvet.oracle.bounds.families.movement import OPEN_INDEX, opened_where
from nnvet.oracle.bounds.precision import Estimate
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.invocation import Array


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


RULES: Final[Mapping[int, BoundRule]] = {
    codes.MATMUL: BoundRule(_matmul, *products.WORDS),
    codes.TRILU: patterns.moving(0),
    codes.WHERE: _moved(_by_condition, 1, 2),
    codes.GATHER_ND: _moved(_everywhere(1), 0),
    codes.SCATTER_ND: _moved(_everywhere(1), 0, 2),
    codes.ONE_HOT: _moved(_everywhere(0), 2),
    codes.TENSOR_SCATTER: _moved(_everywhere(2), 0, 1),
}
"""All other operations follow from their meanings."""
