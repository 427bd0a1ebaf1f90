"""Non-maximum suppression as the reference does it, in the order that its swaps in place leave.

Source: docs/contract/operations/common.md 18.
The reference goes through the list element by element and swaps what it drops with the last element still in.
Every element is looked at exactly once in a pass, so the decisions can be taken together and the list be put
into the same order afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nnvet.reference_driver.kernels.boxes import overlap
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.limits import check_products, check_rounds

Keep: TypeAlias = Callable[[Array, Array], Array]
"""Selects the candidates (indices) that stay after a pick that overlaps them this much; may change scores."""


def first_largest(values: Array) -> int:
    """Position of the first maximum of a list; a NaN wins only in first place."""
    return 0 if np.isnan(values[0]) else int(np.argmax(np.where(np.isnan(values), -np.inf, values)))


def falling(scores: Array) -> Array:
    """Positions by falling score, equal ones in the order given, NaN last."""
    return np.argsort(-scores, kind="stable")


def select(scores: Array, boxes: Array, candidates: Array, limit: int, keep: Keep) -> Array:
    """Candidates picked one after the other, the best first, up to ``limit`` (negative: no limit).

    ``scores`` [n] and ``boxes`` [n, 4] are float32; ``candidates`` are indices in the order to start with.
    """
    order, count, picked = candidates.copy(), len(candidates), 0
    limit = count if limit < 0 else min(limit, count)
    check_products(limit, count)
    check_rounds(limit)
    while picked < min(count, limit):
        best = picked + first_largest(scores[order[picked:count]])
        order[[best, picked]] = order[[picked, best]]
        rest = order[picked + 1 : count]
        kept = keep(rest, overlap(boxes[order[picked]], boxes[rest]))
        picked += 1
        count = picked + _compact(rest, kept)
    return order[:picked]


def _compact(rest: Array, kept: Array) -> int:
    """Fill places of dropped elements from the end, as the swaps do; number of elements kept."""
    count = int(np.count_nonzero(kept))
    rest[:count][~kept[:count]] = rest[count:][kept[count:]][::-1]
    return count


def hard(threshold: float) -> Keep:
    """Drop what overlaps by the threshold or more; NaN does not."""
    limit = np.float32(threshold)
    return lambda _candidates, overlaps: ~(overlaps >= limit)


def soft(scores: Array, decay: Callable[[Array], Array], threshold: float) -> Keep:
    """Multiply scores by the decay for the overlap, for good; drop what falls below the threshold."""
    limit = np.float32(threshold)

    def keep(candidates: Array, overlaps: Array) -> Array:
        decayed: Array = scores[candidates] * decay(overlaps)
        scores[candidates] = decayed
        return ~(decayed < limit)

    return keep
