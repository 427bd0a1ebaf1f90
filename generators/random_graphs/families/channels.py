"""Signatures of softmax, normalisations and reductions, and of operations on filters with a scale for each channel.

``catalogue.py`` collects the table :data:`SIGNATURES`. The convolutions with such filters are those of
``convolution.py``, with :func:`weighted` in place of its function for filter and bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.generators.random_graphs.draft import (
    PLAIN,
    UNBOUNDED,
    Draft,
    DraftOperand,
    float32,
    random_quantization,
    spread_of_sum,
)
from nnvet.generators.random_graphs.families import convolution
from nnvet.generators.random_graphs.families.values import codes
from nnvet.generators.random_graphs.shapes import ANY, Axis, Dimensions, Shape, free, image
from nnvet.generators.random_graphs.signature import OperationSignature, further, signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.types import SymmPerChannelQuantParams

_T = OperandType
_O = OperationType
_PER_CHANNEL: Final = _T.TENSOR_QUANT8_SYMM_PER_CHANNEL
_MOST_CODE: Final = 127
"""Largest magnitude of the codes of a filter."""
_SPREAD: Final = 8.0
"""Largest factor between the scales of channels."""
_LARGEST_BIAS: Final = 4096
"""Largest magnitude of the codes of a bias."""


def by_channel(draft: Draft, dimensions: Dimensions, channel: int, largest: float) -> DraftOperand:
    """Add an input of codes with a scale for each index along an axis, at most ``largest``, and return it."""
    values = codes(draft.chooser, _PER_CHANNEL, dimensions, _MOST_CODE)
    operand = draft.given(_PER_CHANNEL, values, PLAIN, is_constant=False)
    scales = [float32(draft.chooser.real(largest / _SPREAD, largest)) for _ in range(dimensions[channel])]
    operand.channel_quant = SymmPerChannelQuantParams(tuple(scales), channel)
    operand.reach = _MOST_CODE * largest
    return operand


def weighted(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias; return the arguments of :meth:`Draft.output`.

    The scale of the bias is 0: that of each channel follows from the scales of input and filter.
    """
    source = draft.inputs[0]
    channel = dimensions.index(channels, 3) if draft.operation == _O.DEPTHWISE_CONV_2D else 0
    weights = by_channel(draft, dimensions, channel, largest=1 / _MOST_CODE)
    bias = codes(draft.chooser, _T.TENSOR_INT32, (channels,), _LARGEST_BIAS)
    draft.given(_T.TENSOR_INT32, bias, is_constant=False)
    # This scale lets typical sums fill the range of the output, and some of them saturate.
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    scale = float32(source.scale * max(1.0, np.sqrt(terms)) / 2)
    return {"quantization": (scale, zero_point), "reach": terms * source.reach * weights.reach}


def _forms() -> Iterator[OperationSignature]:
    types = {"F": _PER_CHANNEL}
    for operation, build, forms in convolution.FORMS:
        for form in forms:
            made = partial(build, form=form, weighted=weighted)
            yield from further(operation, made, (4,), variant=f"per_channel_{form.name}", since=form.since, where=types)


def _any_by_channel(draft: Draft) -> None:
    dimensions = free(draft.rank).choose(draft.chooser, draft.limits)
    by_channel(draft, dimensions, draft.chooser.integer(0, draft.rank - 1), largest=1.0)


def _dequantize(draft: Draft, target: OperandType) -> None:
    _any_by_channel(draft)
    draft.output(target, reach=draft.inputs[0].reach)


def _rank(draft: Draft) -> None:
    _any_by_channel(draft)
    draft.output(_T.INT32, reach=float(draft.rank), connects=False)


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
    """Yield types of HAL 1.0 in the ranks that it has, in the others and with an axis from HAL 1.2 on."""
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
"""Types that HAL 1.2 added, in all ranks."""


_MOST_AXES: Final = 10
_KEEP: Final = (-100, 100)


def _reduction(draft: Draft) -> None:
    """Build a reduction whose axes may be named twice, and counted from either end."""
    rank = draft.rank
    axes = [draft.chooser.integer(-rank, rank - 1) for _ in range(draft.chooser.integer(1, _MOST_AXES))]
    reduced = {axis % rank for axis in axes}
    most = int(draft.most_terms ** (1 / len(reduced)))
    source = draft.input(Shape(tuple(Axis(most=most) if axis in reduced else ANY for axis in range(rank))))
    draft.numbers(axes)
    if draft.operation == _O.MEAN:
        # 0 and negative numbers mean False.
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
    *_forms(),
    *(
        signature
        for name, target in (("float32", _T.TENSOR_FLOAT32), ("float16", _T.TENSOR_FLOAT16))
        for signature in further(
            _O.DEQUANTIZE,
            partial(_dequantize, target=target),
            variant=f"per_channel_{name}",
            where={"T": _PER_CHANNEL, "O": target},
        )
    ),
    *further(_O.RANK, _rank, range(1, 6), variant="per_channel", where={"T": _PER_CHANNEL}),
    *_with_and_without_axis(_O.SOFTMAX, _softmax, (2, 4)),
    *_with_and_without_axis(_O.L2_NORMALIZATION, _l2, (4,)),
    *_with_and_without_axis(_O.LOCAL_RESPONSE_NORMALIZATION, _local_response, (4,)),
    *signatures(_O.LOG_SOFTMAX, _log_softmax),
    *signatures(_O.INSTANCE_NORMALIZATION, _instance, (4,)),
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
