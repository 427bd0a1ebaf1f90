"""Softmax and the normalisations along an axis or over an image."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import UNBOUNDED
from nnvet.generators.random_graphs.shapes import Axis, image
from nnvet.generators.random_graphs.signature import OperationSignature, signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_O = OperationType
_UNSIGNED, _SIGNED = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED
_PROBABILITIES: Final = {_UNSIGNED: (1 / 256, 0), _SIGNED: (1 / 256, -128)}
_DIRECTIONS: Final = {_UNSIGNED: (1 / 128, 128), _SIGNED: (1 / 128, 0)}
"""Quantisation of outputs as the contract fixes it: numbers from 0 to 1, and from -1 to 1."""


def _softmax(draft: Draft, *, has_axis: bool) -> None:
    draft.input()
    draft.real(0.1, 10)
    if has_axis:
        draft.axis(draft.rank)
    draft.output(quantization=_PROBABILITIES.get(draft.kind), reach=1.0)


def _log_softmax(draft: Draft) -> None:
    source = draft.input()
    beta = draft.real(0.1, 10)
    draft.axis(draft.rank)
    # The logarithm of the number of elements is below 10.
    draft.output(reach=2 * beta * source.reach + 10)


def _l2(draft: Draft, *, has_axis: bool) -> None:
    draft.input()
    if has_axis:
        draft.axis(draft.rank)
    draft.output(quantization=_DIRECTIONS.get(draft.kind), reach=1.0, connects=False)


def _local_response(draft: Draft, *, has_axis: bool) -> None:
    source = draft.input()
    draft.integer(1, 10)
    bias = draft.real(0, 10)
    draft.real(0.1, 10)
    beta = draft.real(0.1, 1)
    if has_axis:
        draft.axis(draft.rank)
    draft.output(reach=source.reach / bias**beta if bias else UNBOUNDED)


def _instance(draft: Draft) -> None:
    nchw = draft.chooser.boolean()
    side = Axis(most=math.isqrt(draft.most_terms))
    draft.input(image(side, side, nchw=nchw))
    gamma = draft.real(0.1, 10)
    beta = draft.real(-10, 10)
    draft.real(0.01, 1)
    draft.truth(nchw)
    # No element is further from the mean than the deviation times the root of their number.
    draft.output(reach=math.sqrt(draft.most_terms) * gamma + abs(beta))


def _with_and_without_axis(
    operation: OperationType, build: Callable[..., None], old_ranks: Sequence[int]
) -> Iterator[OperationSignature]:
    """Types of HAL 1.0 in the ranks that it has, in the others and with an axis from HAL 1.2 on."""
    plain = partial(build, has_axis=False)
    later = (FeatureLevel.FL3, FeatureLevel.FL4)
    yield from signatures(operation, plain, old_ranks, only=(FeatureLevel.FL1,))
    yield from signatures(operation, plain, only=later)
    new_ranks = [rank for rank in range(1, 5) if rank not in old_ranks]
    yield from signatures(
        operation,
        plain,
        new_ranks,
        variant="new_ranks",
        since=FeatureLevel.FL3,
        only=(FeatureLevel.FL3,),
        without=_NEWER[operation],
    )
    yield from signatures(operation, partial(build, has_axis=True), variant="axis", since=FeatureLevel.FL3)


_HALF: Final = OperandType.TENSOR_FLOAT16
_NEWER: Final = {
    _O.SOFTMAX: (_HALF,),
    _O.L2_NORMALIZATION: (_HALF, _UNSIGNED),
    _O.LOCAL_RESPONSE_NORMALIZATION: (_HALF,),
}
"""Types that HAL 1.0 does not have, which HAL 1.2 brought in all ranks."""
SIGNATURES: Final = (
    *_with_and_without_axis(_O.SOFTMAX, _softmax, (2, 4)),
    *_with_and_without_axis(_O.L2_NORMALIZATION, _l2, (4,)),
    *_with_and_without_axis(_O.LOCAL_RESPONSE_NORMALIZATION, _local_response, (4,)),
    *signatures(_O.LOG_SOFTMAX, _log_softmax),
    *signatures(_O.INSTANCE_NORMALIZATION, _instance, (4,)),
)
