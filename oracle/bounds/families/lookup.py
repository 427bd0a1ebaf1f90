"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION, RANDOM_MULTINOMIAL."""

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.families.slicing import OPEN_INDEX, opened_where
from nnvet.oracle.bounds.patterns import EXACT, MOVED, moved, opened
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.tensor import Array


def _rows(is_open: Array, rank: int) -> Array:
    return is_open.reshape(-1, *[1] * (rank - 1))


def _embedding_lookup(call: EstimatedCall) -> list[Estimate]:
    """Inputs: lookups, values."""
    (found,) = moved(call, [1])
    return [opened_where(found, _rows(call.estimate(0).error > 0, found.value.ndim))]


def _hashtable_lookup(call: EstimatedCall) -> list[Estimate]:
    """Inputs: lookups, keys, values."""
    found, hits = moved(call, [2])
    is_open = (call.estimate(0).error > 0) | (not call.estimate(1).is_exact)
    return [opened_where(found, _rows(is_open, found.value.ndim)), opened_where(hits, is_open.reshape(-1))]


def _hashed(call: EstimatedCall) -> list[Estimate]:
    """Inputs: seeds, tensor, weights or nothing, kind: every bit of the numbers counts."""
    operands = {
        i: replace(operand, array=operand.array.astype(type_info(operand.type).dtype))
        for i, operand in enumerate(call.parameters.inputs)
        if operand.array is not None
    }
    (value,) = call.on_stored(operands)
    is_exact = all(estimate is None or estimate.is_exact for estimate in call.inputs)
    return [opened(call.output, value, np.asarray(not is_exact))]


def _drawn(call: EstimatedCall) -> list[Estimate]:
    """Inputs: logits, number of samples, seeds."""
    dims = call.estimate(0).value.shape[0], call.parameters.number(1)
    return [opened(call.output, np.zeros(dims), np.ones(dims))]


RULES: Final[dict[O, BoundRule]] = {
    O.EMBEDDING_LOOKUP: BoundRule(_embedding_lookup, MOVED, EXACT, OPEN_INDEX),
    O.HASHTABLE_LOOKUP: BoundRule(_hashtable_lookup, MOVED, EXACT, "rows of keys that are not decided"),
    O.LSH_PROJECTION: BoundRule(_hashed, EXACT, EXACT, "hashes of anything that is not exact"),
    O.RANDOM_MULTINOMIAL: BoundRule(_drawn, EXACT, EXACT, "all: what is drawn is judged by its frequencies"),
}
