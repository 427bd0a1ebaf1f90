"""MEAN, REDUCE_*, ARGMAX, ARGMIN, TOPK_V2: fewer elements along axes."""

from __future__ import annotations

from math import prod
from typing import Final

from nnvet.generators.random_graphs.draft import Draft, spread_of_sum
from nnvet.generators.random_graphs.operands import UNBOUNDED
from nnvet.generators.random_graphs.shapes import ANY, Axis, Shape
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperandType, OperationType

_T = OperandType
_O = OperationType
_MOST_AXES: Final = 10
_KEEP: Final = (-100, 100)


def _reduction(draft: Draft) -> None:
    """The axes may be named twice, and from either end."""
    rank = draft.rank
    axes = [draft.chooser.integer(-rank, rank - 1) for _ in range(draft.chooser.integer(1, _MOST_AXES))]
    reduced = {axis % rank for axis in axes}
    most = int(draft.most_terms ** (1 / len(reduced)))
    source = draft.input(Shape(tuple(Axis(most=most) if axis in reduced else ANY for axis in range(rank))))
    draft.numbers(axes)
    if draft.operation == _O.MEAN:
        # Everything up to 0 means no.
        draft.number(draft.chooser.pick(_KEEP))
    else:
        draft.truth()
    terms = prod(source.dimensions[axis] for axis in reduced)
    reach = {_O.REDUCE_SUM: terms * source.reach, _O.REDUCE_PROD: UNBOUNDED}.get(OperationType(draft.operation))
    spread = spread_of_sum(terms, source) if draft.operation == _O.REDUCE_SUM else None
    draft.same(source, reach=reach, connects=draft.operation != _O.REDUCE_PROD, spread=spread)


def _index(draft: Draft) -> None:
    source = draft.input()
    axis = draft.axis(draft.rank)
    draft.output(_T.TENSOR_INT32, reach=float(source.dimensions[axis]))


def _top(draft: Draft) -> None:
    """Leave the indices uncompared: the contract does not say which of equal values stand first."""
    source = draft.input()
    draft.number(draft.size(1, high=source.dimensions[-1]))
    draft.same(source)
    draft.output(_T.TENSOR_INT32, reach=float(source.dimensions[-1]), connects=False, is_checked=False)


SIGNATURES: Final = (
    *(
        signature
        for operation in (
            _O.MEAN,
            _O.REDUCE_ALL,
            _O.REDUCE_ANY,
            _O.REDUCE_MAX,
            _O.REDUCE_MIN,
            _O.REDUCE_PROD,
            _O.REDUCE_SUM,
        )
        for signature in signatures(operation, _reduction)
    ),
    *(signature for operation in (_O.ARGMAX, _O.ARGMIN) for signature in signatures(operation, _index, range(1, 6))),
    *signatures(_O.TOPK_V2, _top),
)
