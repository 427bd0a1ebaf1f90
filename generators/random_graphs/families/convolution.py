"""Signatures of convolutions, pooling and products of matrices: the table :data:`SIGNATURES`.

``catalogue.py`` collects the table. Windows fit into the image, and :class:`RandomWindow` draws their sizes, strides,
paddings and dilations.

Some signatures requantise sums with unusual multipliers. Beside biases that are far larger than all products the
multiplier is below 2^-13, so that kernels have to shift far to the right. With few weights other than zero it may be
above 1, so that kernels have to shift to the left.

Builders add an operation's operands to a draft in the order of its signature, and the output last. An operand's
``reach`` bounds the magnitude of its values (:mod:`nnvet.generators.random_graphs.draft`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import (
    Draft,
    Quantization,
    float32,
    product_scale,
    random_integers,
    random_quantization,
    random_scale,
    spread_of_sum,
)
from nnvet.generators.random_graphs.families.values import codes
from nnvet.generators.random_graphs.shapes import Axis, Dimensions, Shape, fixed, image, sized
from nnvet.generators.random_graphs.signature import OperationSignature, further, signatures
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.operations.shapes import Window as DeclaredWindow
from nnvet.hal.operations.shapes import from_nhwc, implicit_window, to_nhwc

_MOST_FACTOR: Final = 64
"""Largest height and width of the first factor of BATCH_MATMUL."""


def _products(draft: Draft) -> None:
    """Build BATCH_MATMUL: ``adjoint`` says for each factor whether it is stored transposed."""
    adjoint = [draft.chooser.boolean() for _ in range(2)]
    most = min(_MOST_FACTOR, draft.most_terms)
    first = draft.input(Shape((*((Axis(),) * (draft.rank - 2)), Axis(most=most), Axis(most=most))))
    *batches, height, inner = first.dimensions
    if adjoint[0]:
        height, inner = inner, height
    width = draft.size(prod(batches) * max(height, inner))
    matrix = (width, inner) if adjoint[1] else (inner, width)
    second = draft.input(fixed((*batches, *matrix)))
    for flag in adjoint:
        draft.truth(flag)
    draft.output(reach=inner * first.reach * second.reach)


_SAME: Final = 1
_SCHEMES: Final = (1, 2)
"""Implicit padding schemes: 1 is SAME, 2 is VALID."""
_MOST_PADDING = _MOST_STRIDE = _MOST_DILATION = 3
"""Largest padding at one end, stride and dilation of a window."""
_BEYOND: Final = 2
"""Elements by which a filter may be larger than an image with the padding SAME."""


@dataclass(frozen=True, slots=True)
class Side:
    """Window along one spatial axis, before the sizes of image and filter are chosen; all numbers count elements.

    ``head`` and ``tail`` are the paddings before and behind the image. ``is_same`` means the implicit padding SAME,
    with which the output is as large as the input for a stride of 1.
    """

    head: int
    tail: int
    stride: int
    dilation: int
    is_same: bool

    @property
    def smallest(self) -> int:
        """Return the size of the smallest filter with which no window lies only in the padding."""
        return -(-max(self.head, self.tail) // self.dilation) + 1

    def largest(self, size: int) -> int:
        """Return the size of the largest filter that fits into the padded image of ``size`` elements."""
        if self.is_same:
            return size + _BEYOND
        return (size + self.head + self.tail - 1) // self.dilation + 1

    @property
    def axis(self) -> Axis:
        """Return the conditions on the image's size with which the smallest filter fits, and the output's size."""
        extent = (self.smallest - 1) * self.dilation + 1
        return Axis(max(1, extent - self.head - self.tail), margin=min(self.head, self.tail))

    def cells(self, chooser: Chooser, size: int, most: int) -> int:
        """Return a random size of the filter for an image of ``size`` elements, at most ``most`` if possible."""
        return sized(chooser, self.smallest, max(self.smallest, min(self.largest(size), most)))


@dataclass(frozen=True, slots=True)
class RandomWindow:
    """Both spatial axes, and the padding scheme, which is 0 for explicit paddings."""

    scheme: int
    height: Side
    width: Side

    def parameters(self, draft: Draft) -> None:
        """Add paddings or scheme, and the strides."""
        if self.scheme:
            draft.number(self.scheme)
        else:
            for padding in (self.width.head, self.width.tail, self.height.head, self.height.tail):
                draft.number(padding)
        draft.number(self.width.stride)
        draft.number(self.height.stride)


def window(draft: Draft, *, explicit: bool, dilated: bool = False) -> RandomWindow:
    """Return a random window; only explicit ones have paddings, only ``dilated`` ones dilations above 1."""
    chooser = draft.chooser
    scheme = 0 if explicit else chooser.pick(_SCHEMES)

    def sides() -> Iterator[Side]:
        for _ in range(2):
            head, tail = (chooser.integer(1, _MOST_PADDING) if explicit else 0 for _ in range(2))
            dilation = chooser.integer(1, _MOST_DILATION) if dilated else 1
            yield Side(head, tail, chooser.integer(1, _MOST_STRIDE), dilation, scheme == _SAME)

    return RandomWindow(scheme, *sides())


_T = OperandType
_O = OperationType
_MOST_GROUPS = _MOST_MULTIPLIED = 5
"""Most groups of a grouped convolution, and largest channel multiplier of a depthwise one."""
_MORE_CELLS: Final = 4
"""Elements by which a transposed convolution's filter may exceed its smallest possible size along an axis."""
_LARGEST_TRANSPOSED: Final = 7 + _MORE_CELLS
"""Largest size of that filter along an axis; the smallest possible size is seven at most."""
_BELOW_ONE: Final = 0.999
"""Largest scale of a filter at HAL 1.0."""


@dataclass(frozen=True)
class _Form:
    """A convolution's list of operands: explicit or implicit padding, with or without layout and dilations."""

    explicit: bool
    layout: bool = False
    dilation: bool = False

    @property
    def since(self) -> int:
        """Return the feature level that introduced the list of operands."""
        return FeatureLevel.FL3 if self.layout else FeatureLevel.FL1

    @property
    def name(self) -> str:
        """Return the part of signatures' names that identifies the list of operands."""
        extra = "_dilation" if self.dilation else "_layout" if self.layout else ""
        return ("explicit" if self.explicit else "implicit") + extra


def weighted(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias; return the arguments of :meth:`Draft.output`, whose sums have ``terms`` products."""
    source = draft.inputs[0]
    weights = draft.input(fixed(dimensions), quantization=_weight_quantization(draft))
    bias_type = _T.TENSOR_INT32 if draft.is_quantized else draft.kind
    bias = draft.input(fixed((channels,)), bias_type, quantization=(product_scale(source, weights), 0))
    # HAL 1.0 demands an output scale above that of the sums.
    quantization = draft.scale_above(bias.scale) if draft.is_first_level else None
    reach = terms * source.reach * weights.reach + bias.reach
    return {"quantization": quantization, "reach": reach, "spread": spread_of_sum(terms, source, weights)}


Weighted = Callable[[Draft, Dimensions, int, int], dict[str, Any]]
"""Function that adds filter and bias, like :func:`weighted`.

It takes the filter's dimensions, the output channels and the number of products in each sum.
"""


def _weight_quantization(draft: Draft) -> Quantization | None:
    """Return the quantisation of a filter; at HAL 1.0 its scale is below 1."""
    if not draft.is_quantized or not draft.is_first_level:
        return None
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    return random_scale(draft.chooser, high=_BELOW_ONE), zero_point


def _filter_cells(draft: Draft, frame: RandomWindow, size: tuple[int, int], depth: int) -> tuple[int, int]:
    """Return the height and width of a filter that has ``depth`` weights at each of its positions."""
    most = draft.limits.elements // depth
    height = frame.height.cells(draft.chooser, size[0], most // frame.width.smallest)
    return height, frame.width.cells(draft.chooser, size[1], most // height)


def _most_channels(draft: Draft, frame: RandomWindow) -> int:
    """Return the number of input channels with which the smallest filter still fits."""
    return draft.limits.elements // (frame.height.smallest * frame.width.smallest)


def _positions(frame: RandomWindow, size: tuple[int, int], cells: tuple[int, int]) -> int:
    """Return the number of positions that a filter of the size ``cells`` takes in an image of this size."""
    result = 1
    for side, length, cell in zip((frame.height, frame.width), size, cells, strict=True):
        if frame.scheme:
            result *= implicit_window(length, cell, side.stride, side.dilation, frame.scheme).out
        else:
            result *= DeclaredWindow(length, cell, side.stride, side.dilation, side.head, side.tail).out
    return result


def _finish(draft: Draft, form: _Form, frame: RandomWindow, *, nchw: bool) -> None:
    """Add the operands after the activation."""
    draft.activation()
    if form.layout:
        draft.truth(nchw)
    if form.dilation:
        draft.number(frame.width.dilation)
        draft.number(frame.height.dilation)


def _convolution(draft: Draft, form: _Form, weighted: Weighted = weighted, *, grouped: bool = False) -> None:
    """Build CONV_2D or GROUPED_CONV_2D. In all builders of this module, ``made`` is the number of output channels."""
    nchw = form.layout and draft.chooser.boolean()
    frame = window(draft, explicit=form.explicit, dilated=form.dilation)
    groups = draft.chooser.integer(1, _MOST_GROUPS) if grouped else 1
    channels = Axis(step=groups, most=max(groups, min(draft.limits.most, _most_channels(draft, frame))))
    source = draft.input(image(frame.height.axis, frame.width.axis, channels, nchw=nchw))
    batches, *size, depth = to_nhwc(source.dimensions, nchw=nchw)
    cells = _filter_cells(draft, frame, (size[0], size[1]), depth)
    terms = prod(cells) * depth // groups
    used = max(terms, batches * _positions(frame, (size[0], size[1]), cells))
    made = groups * draft.size(used * groups)
    output = weighted(draft, (made, *cells, depth // groups), made, terms)
    frame.parameters(draft)
    if grouped:
        draft.number(groups)
    _finish(draft, form, frame, nchw=nchw)
    draft.output(**output)


def _depthwise(draft: Draft, form: _Form, weighted: Weighted = weighted) -> None:
    """Build DEPTHWISE_CONV_2D."""
    nchw = form.layout and draft.chooser.boolean()
    frame = window(draft, explicit=form.explicit, dilated=form.dilation)
    multiplier = draft.chooser.integer(1, _MOST_MULTIPLIED)
    channels = Axis(most=max(1, min(draft.limits.most, _most_channels(draft, frame) // multiplier)))
    source = draft.input(image(frame.height.axis, frame.width.axis, channels, nchw=nchw, times=multiplier))
    _, *size, depth = to_nhwc(source.dimensions, nchw=nchw)
    made = multiplier * depth
    cells = _filter_cells(draft, frame, (size[0], size[1]), made)
    output = weighted(draft, (1, *cells, made), made, prod(cells))
    frame.parameters(draft)
    draft.number(multiplier)
    _finish(draft, form, frame, nchw=nchw)
    draft.output(**output)


def _transposed(draft: Draft, form: _Form, weighted: Weighted = weighted) -> None:
    """Build TRANSPOSE_CONV_2D; with implicit padding it has an operand for the shape of its output."""
    nchw = form.layout and draft.chooser.boolean()
    frame = window(draft, explicit=form.explicit)
    high, wide = (Axis(factor=side.stride, margin=_MORE_CELLS + 1) for side in (frame.height, frame.width))
    channels = Axis(most=max(1, min(draft.limits.most, draft.limits.elements // _LARGEST_TRANSPOSED**2)))
    source = draft.input(image(high, wide, channels, nchw=nchw))
    batches, height, width, depth = to_nhwc(source.dimensions, nchw=nchw)
    rows, made_height = _transposed_span(draft, frame.height, height)
    columns, made_width = _transposed_span(draft, frame.width, width)
    terms = rows * columns * depth
    made = draft.size(max(terms, batches * made_height * made_width))
    output = weighted(draft, (made, rows, columns, depth), made, terms)
    if frame.scheme:
        draft.numbers(from_nhwc(batches, made_height, made_width, made, nchw=nchw))
    frame.parameters(draft)
    _finish(draft, form, frame, nchw=nchw)
    draft.output(**output)


def _transposed_span(draft: Draft, side: Side, size: int) -> tuple[int, int]:
    """Return the size of the filter along an axis, and that of the output."""
    # The least that the filter has to contribute so that something remains after the paddings are cut off.
    least = max(1, side.head + side.tail + 1 - side.stride * (size - 1))
    cells = draft.chooser.integer(least, least + _MORE_CELLS)
    if side.is_same:
        return cells, size * side.stride
    return cells, side.stride * (size - 1) + cells - side.head - side.tail


def fully_connected(draft: Draft, weighted: Weighted = weighted) -> None:
    """Build FULLY_CONNECTED; the input has any rank, and is read as rows whose length divides its size."""
    source = draft.input()
    elements = prod(source.dimensions)
    divisors = [size for size in range(1, elements + 1) if elements % size == 0 and size <= draft.limits.elements]
    depth = source.dimensions[-1] if draft.chooser.boolean() else draft.chooser.pick(divisors)
    units = draft.size(max(depth, elements // depth))
    output = weighted(draft, (units, depth), units, depth)
    draft.activation()
    draft.output(**output)


def _forms(*extra: str) -> list[_Form]:
    """Return the plain forms, and those with the ``extra`` operands: ``layout``, or ``layout dilation``."""
    return [
        _Form(explicit, "layout" in names, "dilation" in names) for names in ("", *extra) for explicit in (True, False)
    ]


def _all(operation: OperationType, build: Callable[..., None], forms: list[_Form]) -> Iterator[OperationSignature]:
    """Yield the signatures of a convolution in all its forms."""
    for form in forms:
        again = {} if form.layout else {FeatureLevel.FL3: (_T.TENSOR_QUANT8_ASYMM,)}
        yield from signatures(
            operation, partial(build, form=form), (4,), variant=form.name, since=form.since, again=again
        )


_PLAIN_AND_MORE: Final = _forms("layout", "layout dilation")
_WITH_LAYOUT: Final = [_Form(explicit, layout=True) for explicit in (True, False)]
FORMS: Final[tuple[tuple[OperationType, Callable[..., None], list[_Form]], ...]] = (
    (_O.CONV_2D, _convolution, _PLAIN_AND_MORE),
    (_O.DEPTHWISE_CONV_2D, _depthwise, _PLAIN_AND_MORE),
    (_O.GROUPED_CONV_2D, partial(_convolution, grouped=True), _WITH_LAYOUT),
    (_O.TRANSPOSE_CONV_2D, _transposed, _WITH_LAYOUT),
)
"""The convolutions, how they are built, and their lists of operands."""


_FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
_DIGITS: Final = (21, 25)
"""Binary digits of the largest bias: sums of all operations of random models have fewer than 31."""
_CODES: Final = 96
"""Number of output codes that the largest bias makes."""
_FACTORS: Final = (0.5, 4.5)
"""Range of the factors for sums of few products."""
_SMALL_BIAS: Final = 16
"""Largest bias beside sums of few products."""
_ZERO: Final = 100
"""Largest distance of a zero point from the middle of the codes."""


def _large_bias(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add filter and bias; the output covers the biases, and products move it by a few codes."""
    del terms
    weights = draft.input(fixed(dimensions))
    scale = product_scale(draft.inputs[0], weights)
    largest = 2 ** draft.chooser.integer(*_DIGITS)
    bias = codes(draft.chooser, _T.TENSOR_INT32, (channels,), largest)
    draft.given(_T.TENSOR_INT32, bias, (scale, 0), is_constant=False)
    _, zero_point = random_quantization(draft.chooser, draft.kind)
    return {"quantization": (float32(largest / _CODES * scale), zero_point)}


def _small_sums(draft: Draft, dimensions: Dimensions, channels: int, terms: int) -> dict[str, Any]:
    """Add a filter with about one weight of 1 or -1 in each sum, all others 0, and a small bias."""
    chooser, middle = draft.chooser, 128 if draft.kind == _T.TENSOR_QUANT8_ASYMM else 0
    zero_point = middle + chooser.integer(-_ZERO, _ZERO)
    drawn = random_integers(chooser, int(np.prod(dimensions)), -1, max(2 * terms - 2, 1)).reshape(dimensions)
    weights = np.where(drawn > 1, 0, drawn) + zero_point
    draft.given(draft.kind, weights, (random_scale(chooser), zero_point), is_constant=False)
    scale = product_scale(*draft.inputs)
    bias = codes(chooser, _T.TENSOR_INT32, (channels,), _SMALL_BIAS)
    draft.given(_T.TENSOR_INT32, bias, (scale, 0), is_constant=False)
    return {"quantization": (float32(scale / chooser.real(*_FACTORS)), middle + chooser.integer(-_ZERO, _ZERO))}


def _forms_above_one() -> Iterator[OperationSignature]:
    """Yield the signatures with unusual multipliers, far below 1 or above 1; see the top of the module."""
    unusual = {"large_bias": _large_bias, "small_sums": _small_sums}
    for variant, weighted in unusual.items():
        made = partial(further, variant=variant, since=FeatureLevel.FL3, without=_FLOATS)
        for operation, build, forms in FORMS:
            form = next(form for form in forms if form.layout and not form.explicit)
            yield from made(operation, partial(build, form=form, weighted=weighted), (4,))
        build = partial(fully_connected, weighted=weighted)
        yield from made(OperationType.FULLY_CONNECTED, build, (2,))


_MOST_CELLS: Final = 4
"""Largest height and width of the windows of pooling."""


def _pool(draft: Draft, *, explicit: bool, has_layout: bool) -> None:
    """Build a pooling operation, whose output has the quantisation of its input."""
    nchw = has_layout and draft.chooser.boolean()
    frame = window(draft, explicit=explicit)
    source = draft.input(image(frame.height.axis, frame.width.axis, nchw=nchw))
    _, height, width, _ = to_nhwc(source.dimensions, nchw=nchw)
    frame.parameters(draft)
    draft.number(frame.width.cells(draft.chooser, width, _MOST_CELLS))
    draft.number(frame.height.cells(draft.chooser, height, _MOST_CELLS))
    draft.activation()
    if has_layout:
        draft.truth(nchw)
    draft.same(source)


SIGNATURES: Final = (
    *tuple(further(OperationType.BATCH_MATMUL, _products, range(2, 5))),
    *(signature for operation, build, forms in FORMS for signature in _all(operation, build, forms)),
    *signatures(_O.FULLY_CONNECTED, fully_connected, (2, 3, 4), again={FeatureLevel.FL3: (_T.TENSOR_QUANT8_ASYMM,)}),
    *tuple(_forms_above_one()),
    *tuple(
        signature
        for operation in (OperationType.AVERAGE_POOL_2D, OperationType.L2_POOL_2D, OperationType.MAX_POOL_2D)
        for has_layout, since in ((False, FeatureLevel.FL1), (True, FeatureLevel.FL3))
        for explicit in (True, False)
        for signature in signatures(
            operation,
            partial(_pool, explicit=explicit, has_layout=has_layout),
            (4,),
            variant=("explicit" if explicit else "implicit") + ("_layout" if has_layout else ""),
            since=since,
        )
    ),
)
