"""Bound rules of operations that move, cut, join, repeat or look up elements: errors move with their elements."""

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.patterns import EXACT, MOVED, alike, all_open, moved, moving, opened, reshaped, unrounded
from nnvet.oracle.bounds.precision import Estimate, both_ends
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import fixed_point_grid, stored
from nnvet.oracle.operations.invocation import Array, OperandValue


def _concatenation(call: EstimatedCall) -> list[Estimate]:
    """Estimate CONCATENATION; codes of another scale are requantised."""
    count = len(call.inputs) - 1
    if alike(call.output, [call.estimate(i) for i in range(count)]):
        # The inputs are declared as floats, so that the meaning does not requantise them.
        operands = {i: OperandValue(OperandType.TENSOR_FLOAT32, call.estimate(i).value) for i in range(count)}
        return moved(call, range(count), call.on_stored(operands))
    (value,) = call.ideal()
    (spread,) = call.ideal({i: call.error(i) for i in range(count)})
    return [stored(call, value, spread, grid=_grids(call, count))]


def _grids(call: EstimatedCall, count: int) -> Array:
    """Return the grids of requantisation by fixed-point multipliers, since no rule says how codes are requantised."""
    grids = {}
    for i in range(count):
        grid = fixed_point_grid(call.parameters.inputs[i].scale / call.output.scale)
        grids[i] = OperandValue(OperandType.TENSOR_FLOAT32, np.full(call.estimate(i).value.shape, grid))
    (found,) = call.on_stored(grids)
    return found


OPEN_INDEX: Final = "what is taken from a place that is not decided"
"""Words for the undecided elements of lookups whose index is inexact, in docs/oracle.md."""


def opened_where(estimate: Estimate, is_open: Array) -> Estimate:
    """Return an estimate whose elements in the mask ``is_open`` are undecided; the mask is broadcast."""
    if not np.count_nonzero(is_open):
        return estimate
    (nothing,) = all_open([estimate])
    value = np.where(is_open, nothing.value, estimate.value)
    return unrounded(estimate.as_operand, value, np.where(is_open, np.inf, estimate.error))


def _gather(call: EstimatedCall) -> list[Estimate]:
    """Estimate GATHER (inputs: tensor, axis, indices); undecided indices give undecided elements."""
    (found,) = moved(call, [0])
    axis, indices = call.parameters.number(1), call.estimate(2)
    rank = call.estimate(0).value.ndim
    after = rank - 1 - axis % rank
    return [opened_where(found, (indices.error > 0).reshape(*indices.value.shape, *[1] * after))]


def _topk(call: EstimatedCall) -> list[Estimate]:
    """Estimate TOPK_V2 (inputs: tensor, count). A position is certain if no other value comes near."""
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


def _rows(is_open: Array, rank: int) -> Array:
    return is_open.reshape(-1, *[1] * (rank - 1))


def _embedding_lookup(call: EstimatedCall) -> list[Estimate]:
    """Estimate EMBEDDING_LOOKUP (inputs: lookups, values)."""
    (found,) = moved(call, [1])
    return [opened_where(found, _rows(call.estimate(0).error > 0, found.value.ndim))]


def _hashtable_lookup(call: EstimatedCall) -> list[Estimate]:
    """Estimate HASHTABLE_LOOKUP (inputs: lookups, keys, values)."""
    found, hits = moved(call, [2])
    is_open = (call.estimate(0).error > 0) | (not call.estimate(1).is_exact)
    return [opened_where(found, _rows(is_open, found.value.ndim)), opened_where(hits, is_open.reshape(-1))]


def _hashed(call: EstimatedCall) -> list[Estimate]:
    """Estimate LSH_PROJECTION (inputs: seeds, tensor, weights or nothing, kind), where every bit of a number counts."""
    operands = {
        i: replace(operand, array=operand.array.astype(type_info(operand.type).dtype))
        for i, operand in enumerate(call.parameters.inputs)
        if operand.array is not None
    }
    (value,) = call.on_stored(operands)
    is_exact = all(estimate is None or estimate.is_exact for estimate in call.inputs)
    return [opened(call.output, value, np.asarray(not is_exact))]


def _drawn(call: EstimatedCall) -> list[Estimate]:
    """Estimate RANDOM_MULTINOMIAL (inputs: logits, number of samples, seeds): every result is undecided."""
    dims = call.estimate(0).value.shape[0], call.parameters.number(1)
    return [opened(call.output, np.zeros(dims), np.ones(dims))]


RULES: Final[dict[O, BoundRule]] = {
    O.CONCATENATION: BoundRule(
        _concatenation, MOVED, "codes of another scale are rounded, twice if by a fixed-point multiplier below 1/2"
    ),
    O.PACK: moving(1, last=0),
    **dict.fromkeys((O.SPLIT, O.TILE, O.REVERSE), moving(0)),
    O.FILL: moving(1),
    **dict.fromkeys(
        (O.DEPTH_TO_SPACE, O.SPACE_TO_DEPTH, O.BATCH_TO_SPACE_ND, O.SPACE_TO_BATCH_ND, O.CHANNEL_SHUFFLE), moving(0)
    ),
    **dict.fromkeys((O.PAD, O.MIRROR_PAD), moving(0)),
    O.PAD_V2: moving(0, 2),
    **dict.fromkeys((O.RESHAPE, O.SQUEEZE, O.EXPAND_DIMS), BoundRule(reshaped, MOVED, EXACT)),
    O.TRANSPOSE: moving(0),
    O.RANK: moving(),
    O.SLICE: moving(0),
    O.STRIDED_SLICE: moving(0),
    O.GATHER: BoundRule(_gather, MOVED, EXACT, OPEN_INDEX),
    O.TOPK_V2: BoundRule(
        _topk, "largest change of the sorted values", EXACT, "positions of values whose intervals meet; rows with a NaN"
    ),
    O.EMBEDDING_LOOKUP: BoundRule(_embedding_lookup, MOVED, EXACT, OPEN_INDEX),
    O.HASHTABLE_LOOKUP: BoundRule(_hashtable_lookup, MOVED, EXACT, "rows of keys that are not decided"),
    O.LSH_PROJECTION: BoundRule(_hashed, EXACT, EXACT, "hashes of anything that is not exact"),
    O.RANDOM_MULTINOMIAL: BoundRule(_drawn, EXACT, EXACT, "all: what is drawn is judged by its frequencies"),
}
