"""RESHAPE, TRANSPOSE, SQUEEZE, EXPAND_DIMS, FILL, RANK: elements in other dimensions."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Final

from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import DraftOperand, DraftRole, random_values, reach_of
from nnvet.generators.random_graphs.shapes import Axis, Shape, free
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperandType, OperationType

_T = OperandType
_O = OperationType
_MOST_AXES: Final = 10
_SCALARS: Final = {_T.TENSOR_FLOAT32: _T.FLOAT32, _T.TENSOR_FLOAT16: _T.FLOAT16, _T.TENSOR_INT32: _T.INT32}


def _reshape(draft: Draft) -> None:
    """Input and output have the same rank."""
    source = draft.input()
    draft.numbers(_factors(draft.chooser, prod(source.dimensions), draft.rank))
    draft.same(source)


def _factors(chooser: Chooser, product: int, count: int) -> list[int]:
    """So many numbers with a product."""
    factors = [1] * count
    divisor = 2
    while product > 1:
        if product % divisor:
            # What is left beyond its root is prime.
            divisor = divisor + 1 if divisor * divisor <= product else product
            continue
        factors[chooser.integer(0, count - 1)] *= divisor
        product //= divisor
    return factors


def _transpose(draft: Draft, *, omitted: bool) -> None:
    source = draft.input()
    if omitted:
        draft.omitted(_T.TENSOR_INT32, (draft.rank,))
    else:
        draft.numbers(shuffled(draft.chooser, range(draft.rank)))
    draft.same(source)


def _squeeze(draft: Draft, *, omitted: bool) -> None:
    rank = draft.rank
    axes = [draft.chooser.integer(0, rank - 1) for _ in range(draft.chooser.integer(1, _MOST_AXES))]
    ones = {axis for axis in range(rank) if draft.chooser.boolean()} if omitted else set(axes)
    # Where all dimensions of size 1 are dropped, the others are larger.
    others = Axis(2 if omitted else 1)
    source = draft.input(Shape(tuple(Axis(most=1) if axis in ones else others for axis in range(rank))))
    if omitted:
        draft.omitted(_T.TENSOR_INT32, (0,))
    else:
        draft.numbers(axes)
    draft.same(source)


def _expand(draft: Draft) -> None:
    source = draft.input()
    draft.integer(-draft.rank - 1, draft.rank)
    draft.same(source)


def _fill(draft: Draft) -> None:
    draft.numbers(free(draft.rank).choose(draft.chooser, draft.limits))
    kind = _SCALARS[draft.kind]
    value = DraftOperand(kind, (), role=DraftRole.INPUT, connects=False, reach=reach_of(kind, (0.0, 0)))
    value.data = random_values(draft.chooser, value)
    draft.inputs.append(value)
    draft.output()


def _rank(draft: Draft) -> None:
    draft.input()
    draft.output(_T.INT32, reach=float(draft.rank), connects=False)


_WITHOUT_FLOAT32: Final = (
    # The float32 form of a graph has no such operands.
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
)
SIGNATURES: Final = (
    *signatures(_O.RESHAPE, _reshape),
    *signatures(_O.TRANSPOSE, partial(_transpose, omitted=False)),
    *signatures(_O.TRANSPOSE, partial(_transpose, omitted=True), (2,), variant="omitted"),
    *signatures(_O.SQUEEZE, partial(_squeeze, omitted=False)),
    *signatures(_O.SQUEEZE, partial(_squeeze, omitted=True), variant="omitted"),
    *signatures(_O.EXPAND_DIMS, _expand, range(1, 6)),
    *signatures(_O.FILL, _fill, range(1, 6)),
    *signatures(_O.RANK, _rank, range(1, 6), without=_WITHOUT_FLOAT32),
)
