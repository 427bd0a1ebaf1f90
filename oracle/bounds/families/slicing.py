"""SLICE, STRIDED_SLICE, GATHER, TOPK_V2."""

from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import EXACT, MOVED, all_open, moved, moving, opened, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.spreading import both_ends
from nnvet.oracle.operations.tensor import Array

OPEN_INDEX: Final = "what is taken from a place that is not decided"


def opened_where(estimate: Estimate, is_open: Array) -> Estimate:
    """An estimate, of which nothing is demanded at some places, given as booleans that can be broadcast."""
    if not np.count_nonzero(is_open):
        return estimate
    (nothing,) = all_open([estimate])
    value = np.where(is_open, nothing.value, estimate.value)
    return unrounded(estimate.as_operand, value, np.where(is_open, np.inf, estimate.error))


def _gather(call: EstimatedCall) -> list[Estimate]:
    """Inputs: tensor, axis, indices."""
    (found,) = moved(call, [0])
    axis, indices = call.parameters.number(1), call.estimate(2)
    rank = call.estimate(0).value.ndim
    after = rank - 1 - axis % rank
    return [opened_where(found, (indices.error > 0).reshape(*indices.value.shape, *[1] * after))]


def _topk(call: EstimatedCall) -> list[Estimate]:
    """Inputs: tensor, number of elements. Positions are certain where no other value comes near."""
    source, count = call.estimate(0), call.parameters.number(1)
    values, positions = call.on_stored({})
    error = both_ends(lambda x: -np.sort(-x, -1)[..., :count], (source.value, source.error))
    order = np.argsort(-source.value, -1, kind="stable")
    lower = np.take_along_axis(source.value - source.error, order, -1)
    upper = np.take_along_axis(source.value + source.error, order, -1)
    edge = np.full((*lower.shape[:-1], 1), np.inf)
    lowest_before = np.concatenate([edge, np.minimum.accumulate(lower, -1)[..., :-1]], -1)
    highest_behind = np.concatenate([np.maximum.accumulate(upper[..., ::-1], -1)[..., ::-1][..., 1:], -edge], -1)
    is_open = ~((upper < lowest_before) & (lower > highest_behind))
    no_order = np.isnan(source.value).any(-1, keepdims=True)
    first, second = call.outputs[0], call.outputs[1]
    return [
        unrounded(first, values, np.where(no_order, np.inf, error)),
        opened(second, positions, is_open[..., :count] | no_order),
    ]


RULES: Final[dict[O, BoundRule]] = {
    O.SLICE: moving(0),
    O.STRIDED_SLICE: moving(0),
    O.GATHER: BoundRule(_gather, MOVED, EXACT, OPEN_INDEX),
    O.TOPK_V2: BoundRule(
        _topk, "largest change of the sorted values", EXACT, "positions of values whose intervals meet; rows with a NaN"
    ),
}
