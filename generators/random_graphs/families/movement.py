"""Signatures of operations that move elements, or cut, join and repeat tensors: the table :data:`SIGNATURES`.

``catalogue.py`` collects the table. Each private function here is a builder: it adds the operands of its operation to a
draft in the order of the declaration, and the output last. Shapes are restricted beforehand so that the output keeps
within the limit of elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Final, NamedTuple

from nnvet.generators.random_graphs.chooser import Chooser, shuffled
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, DraftRole, random_scale, random_values, reach_of
from nnvet.generators.random_graphs.families.values import coded
from nnvet.generators.random_graphs.shapes import Axis, Shape, fixed, free, image
from nnvet.generators.random_graphs.signature import OperationSignature, further, signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.padding import REFLECT, SYMMETRIC

_T = OperandType
_O = OperationType
_MOST_REPEATED: Final = 5
"""Most repetitions along an axis by TILE."""
_PAD_CODES: Final = {_T.TENSOR_QUANT8_ASYMM: (0, 255), _T.TENSOR_QUANT8_ASYMM_SIGNED: (-128, 127)}
"""Range of the padding value's code, by type."""
_PAD_REACH: Final = 10.0
"""Largest magnitude of a real padding value."""


def _concatenation(draft: Draft, count: int) -> None:
    """Build CONCATENATION of different sizes along the axis; at HAL 1.0 all operands have one quantisation."""
    axis = draft.chooser.integer(0, draft.rank - 1)
    # Every input leaves enough elements for the smallest possible inputs after it.
    first = draft.input(Shape(tuple(Axis(margin=count - 1 if i == axis else 0) for i in range(draft.rank))))
    common = first.quantization if draft.is_first_level else None
    used = first.dimensions[axis]
    for left in reversed(range(count - 1)):
        axes = list(fixed(first.dimensions).axes)
        axes[axis] = Axis(margin=used + left)
        part = draft.input(Shape(tuple(axes)), quantization=common)
        used += part.dimensions[axis]
    draft.number(axis)
    draft.output(quantization=common)


def _split(draft: Draft, count: int) -> None:
    axis = draft.chooser.integer(0, draft.rank - 1)
    source = draft.input(Shape(tuple(Axis(step=count if i == axis else 1) for i in range(draft.rank))))
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    draft.number(count)
    for _ in range(count):
        draft.same(source)


def _tile(draft: Draft) -> None:
    factors, left = [], draft.limits.elements
    for _ in range(draft.rank):
        factors.append(draft.chooser.integer(1, min(_MOST_REPEATED, left)))
        left //= factors[-1]
    source = draft.input(Shape(tuple(Axis(factor=factor) for factor in factors)))
    draft.numbers(factors)
    draft.same(source)


def padded_input(draft: Draft) -> DraftOperand:
    """Add an input and the operand of paddings, a few elements at each end of each axis; return the input."""
    pairs, left = [], draft.limits.elements
    for _ in range(draft.rank):
        most = min(draft.most_padding, (left - 1) // 2)
        pair = draft.chooser.integer(0, most), draft.chooser.integer(0, most)
        pairs.append(pair)
        left //= 1 + sum(pair)
    source = draft.input_padded_with_zero(Shape(tuple(Axis(margin=sum(pair)) for pair in pairs)))
    draft.numbers(pairs)
    return source


def _pad(draft: Draft) -> None:
    draft.same(padded_input(draft))


def _pad_with(draft: Draft) -> None:
    source = padded_input(draft)
    if draft.kind in _PAD_CODES:
        draft.integer(*_PAD_CODES[draft.kind])
    else:
        draft.real(-_PAD_REACH, _PAD_REACH)
    draft.same(source, reach=max(source.reach, _PAD_REACH))


_MOST_AXES: Final = 10
"""Most axes that SQUEEZE lists; some occur twice."""
_SCALARS: Final = {_T.TENSOR_FLOAT32: _T.FLOAT32, _T.TENSOR_FLOAT16: _T.FLOAT16, _T.TENSOR_INT32: _T.INT32}


def _reshape(draft: Draft) -> None:
    """Build RESHAPE, whose input and output have the same rank."""
    source = draft.input()
    draft.numbers(_factors(draft.chooser, prod(source.dimensions), draft.rank))
    draft.same(source)


def _factors(chooser: Chooser, product: int, count: int) -> list[int]:
    """Return ``count`` random factors of a number."""
    factors = [1] * count
    divisor = 2
    while product > 1:
        if product % divisor:
            # The factor that remains beyond the root is prime.
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
    # If all dimensions of size 1 are dropped, the others have to be larger.
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


_MOST_PACKED: Final = 4
"""Most tensors that PACK joins."""
_MOST_PADDING: Final = 5
"""Most elements that MIRROR_PAD adds at one end of a dimension."""
_MOST_RANK_REVERSED: Final = 8
"""Largest rank of the input of REVERSE."""
_MOST_NEGATIVE: Final = 48
"""Most codes of RSQRT's input that stand for negative numbers."""


def _pack(draft: Draft) -> None:
    count = draft.chooser.integer(1, _MOST_PACKED)
    draft.integer(0, draft.rank)
    first = draft.input(free(draft.rank, times=count))
    for _ in range(count - 1):
        draft.input(fixed(first.dimensions), quantization=first.quantization if draft.is_quantized else None)
    draft.same(first)


def _mirror(draft: Draft) -> None:
    """Build MIRROR_PAD; a padding is at most as large as the dimension, less the edge if that is not repeated."""
    mode = draft.chooser.pick((REFLECT, SYMMETRIC))
    edge = 1 if mode == REFLECT else 0
    pairs, left = [], draft.limits.elements
    for _ in range(draft.rank):
        # The smallest dimension is as large as the paddings at both ends, and the edge.
        most = min(_MOST_PADDING, (left - 1) // 3)
        pair = draft.chooser.integer(0, most), draft.chooser.integer(0, most)
        pairs.append(pair)
        left //= max(1, max(pair) + edge) + sum(pair)
    axes = tuple(Axis(least=max(1, max(pair) + edge), margin=sum(pair)) for pair in pairs)
    source = draft.input(Shape(axes))
    draft.numbers(pairs)
    draft.number(mode)
    draft.same(source)


def _reverse(draft: Draft) -> None:
    source = draft.input()
    draft.numbers([draft.chooser.integer(0, draft.rank - 1)])
    draft.same(source)


def _symmetric_rank(draft: Draft) -> None:
    dimensions = free(draft.rank).choose(draft.chooser, draft.limits)
    coded(draft, draft.kind, dimensions, (random_scale(draft.chooser), 0))
    draft.output(_T.INT32, reach=float(draft.rank), connects=False)


def _inverse_root(draft: Draft) -> None:
    """Build RSQRT of codes, most of which lie above the zero point, since all others give the highest code."""
    source = draft.input()
    lowest_code = -128 if draft.kind == _T.TENSOR_QUANT8_ASYMM_SIGNED else 0
    # An operand of an earlier operation has the quantisation that this one has decided on.
    if source.is_new:
        source.zero_point = lowest_code + draft.chooser.integer(0, _MOST_NEGATIVE)
        source.reach = reach_of(source.type, source.quantization)
    largest = 1 / source.scale**0.5
    draft.output(quantization=(random_scale(draft.chooser, largest / 255, largest / 100), lowest_code))


_RARELY: Final = 0.2
"""Probability of each special case of a strided slice: a single index, a masked end, a negative stride."""
_MOST_STRIDE: Final = 3
"""Largest stride of a strided slice."""


def _slice(draft: Draft) -> None:
    source = draft.input()
    sizes = [draft.chooser.integer(1, size) for size in source.dimensions]
    begins = [draft.chooser.integer(0, size - taken) for size, taken in zip(source.dimensions, sizes, strict=True)]
    draft.numbers(begins)
    draft.numbers(sizes)
    draft.same(source)


class _Cut(NamedTuple):
    """One dimension of a strided slice; masked ends stand for the ends of the dimension."""

    begin: int
    end: int
    stride: int
    begin_masked: bool = False
    end_masked: bool = False
    shrinks: bool = False


def _cut(chooser: Chooser, size: int) -> _Cut:
    """Return a random slice of a dimension of ``size`` elements; it takes at least one of them."""
    if chooser.boolean(_RARELY):
        place = chooser.integer(0, size - 1)
        return _Cut(place, place + 1, chooser.integer(1, _MOST_STRIDE), shrinks=True)
    stride = chooser.integer(1, _MOST_STRIDE)
    count = chooser.integer(1, -(-size // stride))
    begin = chooser.integer(0, size - (count - 1) * stride - 1)
    end = chooser.integer(begin + (count - 1) * stride + 1, min(begin + count * stride, size))
    masked = begin == 0 and chooser.boolean(_RARELY), end == size and chooser.boolean(_RARELY)
    if chooser.boolean(_RARELY):
        # The same elements in the same steps, beginning with the last one.
        last = begin + (count - 1) * stride
        return _masked(chooser, size, _Cut(last, begin - 1, -stride, last == size - 1 and masked[1], begin == 0))
    return _masked(chooser, size, _Cut(begin, end, stride, *masked))


def _masked(chooser: Chooser, size: int, cut: _Cut) -> _Cut:
    """Return the slice with random numbers instead of the ends that a mask tells the driver to ignore."""
    if cut.begin_masked:
        cut = cut._replace(begin=chooser.integer(-size, size - 1))
    return cut._replace(end=chooser.integer(-size, size - 1)) if cut.end_masked else cut


def _strided(draft: Draft) -> None:
    source = draft.input()
    cuts = [_cut(draft.chooser, size) for size in source.dimensions]
    draft.numbers([cut.begin for cut in cuts])
    draft.numbers([cut.end for cut in cuts])
    draft.numbers([cut.stride for cut in cuts])
    for marks in zip(*((cut.begin_masked, cut.end_masked, cut.shrinks) for cut in cuts), strict=True):
        draft.number(sum(1 << place for place, mark in enumerate(marks) if mark))
    draft.same(source)


_MOST_EDGE: Final = 6
"""Most elements of padding drawn for SPACE_TO_BATCH_ND.

The second padding of an axis then grows by at most four, until the block size (five at most) divides the dimension.
"""


def _space_to_depth(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    block = draft.chooser.integer(1, 5)
    source = draft.input(image(Axis(step=block), Axis(step=block), nchw=nchw))
    draft.number(block)
    _add_layout(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _depth_to_space(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    block = draft.chooser.integer(1, 3)
    source = draft.input(image(channels=Axis(step=block**2), nchw=nchw))
    draft.number(block)
    _add_layout(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _batch_to_space(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    blocks = [draft.chooser.integer(1, 3) for _ in range(2)]
    source = draft.input(image(batches=Axis(step=blocks[0] * blocks[1]), nchw=nchw))
    draft.numbers(blocks)
    _add_layout(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _space_to_batch(draft: Draft, *, has_layout: bool) -> None:
    nchw = has_layout and draft.chooser.boolean()
    blocks = [draft.chooser.integer(1, 5) for _ in range(2)]
    edges = [[draft.chooser.integer(0, _MOST_EDGE) for _ in range(2)] for _ in blocks]
    axes = [Axis(margin=sum(edge) + block - 1) for edge, block in zip(edges, blocks, strict=True)]
    source = draft.input_padded_with_zero(image(*axes, nchw=nchw))
    spatial = source.dimensions[2:] if nchw else source.dimensions[1:3]
    for size, edge, block in zip(spatial, edges, blocks, strict=True):
        edge[1] += -(size + sum(edge)) % block
    draft.numbers(blocks)
    draft.numbers(edges)
    _add_layout(draft, has_layout=has_layout, nchw=nchw)
    draft.same(source)


def _add_layout(draft: Draft, *, has_layout: bool, nchw: bool) -> None:
    """Add the operand that chooses the layout, if the signature has it."""
    if has_layout:
        draft.truth(nchw)


def _shuffle(draft: Draft) -> None:
    axis, groups = draft.chooser.integer(0, draft.rank - 1), draft.chooser.integer(1, 5)
    source = draft.input(Shape(tuple(Axis(step=groups if i == axis else 1) for i in range(draft.rank))))
    draft.number(groups)
    draft.number(axis if draft.chooser.boolean() else axis - draft.rank)
    draft.same(source)


def _both(operation: OperationType, build: Callable[..., None]) -> tuple[OperationSignature, ...]:
    """Return the signatures of an operation on images: without the operand that chooses the layout, and with it."""
    return (
        *signatures(operation, partial(build, has_layout=False), (4,)),
        *signatures(operation, partial(build, has_layout=True), (4,), variant="layout", since=FeatureLevel.FL3),
    )


SIGNATURES: Final[tuple[OperationSignature, ...]] = (
    *(
        signature
        for count in (2, 3)
        for build, operation, again in (
            # From HAL 1.2 on unsigned codes may differ in scale and zero point.
            (_concatenation, _O.CONCATENATION, {FeatureLevel.FL3: (_T.TENSOR_QUANT8_ASYMM,)}),
            (_split, _O.SPLIT, {}),
        )
        for signature in signatures(operation, partial(build, count=count), variant=str(count), again=again)
    ),
    *signatures(_O.TILE, _tile, range(1, 6)),
    *signatures(_O.PAD, _pad),
    *signatures(_O.PAD_V2, _pad_with),
    *signatures(_O.RESHAPE, _reshape),
    *signatures(_O.TRANSPOSE, partial(_transpose, omitted=False)),
    *signatures(_O.TRANSPOSE, partial(_transpose, omitted=True), (2,), variant="omitted"),
    *signatures(_O.SQUEEZE, partial(_squeeze, omitted=False)),
    *signatures(_O.SQUEEZE, partial(_squeeze, omitted=True), variant="omitted"),
    *signatures(_O.EXPAND_DIMS, _expand, range(1, 6)),
    *signatures(_O.FILL, _fill, range(1, 6)),
    *signatures(_O.RANK, _rank, range(1, 6), without=_WITHOUT_FLOAT32),
    *further(_O.PACK, _pack),
    *further(_O.MIRROR_PAD, _mirror),
    *further(_O.REVERSE, _reverse, range(1, _MOST_RANK_REVERSED + 1)),
    *further(_O.RESHAPE, _reshape, only=(FeatureLevel.FL6,)),
    *further(_O.RANK, _symmetric_rank, range(1, 6), variant="symmetric", where={"T": _T.TENSOR_QUANT8_SYMM}),
    *further(_O.RSQRT, _inverse_root, range(1, 6), only=(FeatureLevel.FL7,)),
    *signatures(_O.SLICE, _slice),
    *signatures(_O.STRIDED_SLICE, _strided),
    *_both(_O.SPACE_TO_DEPTH, _space_to_depth),
    *_both(_O.DEPTH_TO_SPACE, _depth_to_space),
    *_both(_O.BATCH_TO_SPACE_ND, _batch_to_space),
    *_both(_O.SPACE_TO_BATCH_ND, _space_to_batch),
    *signatures(_O.CHANNEL_SHUFFLE, _shuffle),
)
