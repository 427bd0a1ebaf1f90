"""ONNX operators on images and matrices: convolution, pooling, normalisation, products; ``operators.py`` lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from nnvet.formats.onnx.context import NodeContext
from nnvet.hal.types import OperationType as O

_AUTO_PADS: Final = (b"NOTSET", b"VALID", b"SAME_UPPER")
_IMAGE_RANK: Final = 4
_MOST_RANK: Final = 4


def _image(context: NodeContext) -> tuple[int, int]:
    """Return height and width of an image.

    :raises ModelFileError: the input is none.
    """
    if context.rank_of(0) != _IMAGE_RANK:
        context.fail("only two spatial dimensions have a form in the contract")
    height, width = context.shape(0)[2:]
    return height, width


def _pads(context: NodeContext, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> list[int]:
    """Return the explicit padding: left, right, top, bottom."""
    size, auto = _image(context), context.attribute("auto_pad", b"NOTSET")
    if auto not in _AUTO_PADS:
        context.fail(f"auto_pad {auto.decode()} has no form in the contract")
    if auto == b"SAME_UPPER":
        pads = []
        for extent, window, stride, dilation in zip(size, kernel, strides, dilations, strict=True):
            whole = max((-(-extent // stride) - 1) * stride + (window - 1) * dilation + 1 - extent, 0)
            pads.append((whole // 2, whole - whole // 2))
        (top, bottom), (left, right) = pads
        return [left, right, top, bottom]
    top, left, bottom, right = context.attribute("pads", [0, 0, 0, 0]) if auto == b"NOTSET" else [0, 0, 0, 0]
    return [left, right, top, bottom]


def conv(context: NodeContext) -> None:
    """Convolve an image: dense, by groups, or depthwise."""
    _image(context)
    source, weights = context.input(0), context.shape(1)
    strides = context.attribute("strides", [1, 1])
    dilations = context.attribute("dilations", [1, 1])
    groups, channels = context.attribute("group", 1), context.shape(0)[1]
    pads = [context.i32(pad) for pad in _pads(context, weights[2:], strides, dilations)]
    steps = [context.i32(strides[1]), context.i32(strides[0])]
    is_depthwise = groups == channels and weights[1] == 1 and groups > 1
    if groups > 1 and not is_depthwise and dilations != [1, 1]:
        context.fail("groups with dilation have no form in the contract")
    filters = _moved(context, 1, (1, 2, 3, 0) if is_depthwise else (0, 2, 3, 1))
    bias = context.input(2) if context.has(2) else context.number(np.zeros(weights[0]), source)
    ends = [context.i32(0), context.flag(True)]
    spread = [context.i32(dilations[1]), context.i32(dilations[0])]
    if is_depthwise:
        multiplier = [context.i32(weights[0] // groups)]
        context.emit(O.DEPTHWISE_CONV_2D, [source, filters, bias, *pads, *steps, *multiplier, *ends, *spread])
    elif groups > 1:
        context.emit(O.GROUPED_CONV_2D, [source, filters, bias, *pads, *steps, context.i32(groups), *ends])
    else:
        context.emit(O.CONV_2D, [source, filters, bias, *pads, *steps, *ends, *spread])


def _moved(context: NodeContext, position: int, order: Sequence[int]) -> int:
    """Return an input with its dimensions in another order: a constant in that order, else by a TRANSPOSE."""
    array = context.array(position)
    if array is not None:
        return context.constant(np.ascontiguousarray(array.transpose(order)))
    return context.new(O.TRANSPOSE, [context.input(position), context.ints(order)])


def pool(kind: O, context: NodeContext) -> None:
    """Pool an image by windows."""
    _image(context)
    kernel = context.attribute("kernel_shape")
    strides = context.attribute("strides", [1, 1])
    pads = _pads(context, kernel, strides, [1, 1])
    if context.attribute("ceil_mode", 0) or context.attribute("dilations", [1, 1]) != [1, 1]:
        context.fail("ceil_mode and dilations have no form in the contract")
    if kind == O.AVERAGE_POOL_2D and context.attribute("count_include_pad", 0) and any(pads):
        context.fail("padding that counts has no form in the contract")
    numbers = [*pads, strides[1], strides[0], kernel[1], kernel[0], 0]
    context.emit(kind, [context.input(0), *map(context.i32, numbers), context.flag(True)])


def global_pool(kind: O, context: NodeContext) -> None:
    """Pool all of an image."""
    axes = context.ints(range(2, context.rank_of(0)))
    keeps = context.i32(1) if kind == O.MEAN else context.flag(True)
    context.emit(kind, [context.input(0), axes, keeps])


def response(context: NodeContext) -> None:
    """Normalise over neighbouring channels."""
    _image(context)
    source, size = context.input(0), context.attribute("size")
    if size % 2 == 0:
        context.fail("an even size has no form in the contract")
    alpha = context.attribute("alpha", 1e-4) / size
    reals = [context.scalar(factor, source) for factor in (context.attribute("bias", 1.0), alpha)]
    beta = context.scalar(context.attribute("beta", 0.75), source)
    context.emit(O.LOCAL_RESPONSE_NORMALIZATION, [source, context.i32(size // 2), *reals, beta, context.i32(1)])


def batch_normalization(context: NodeContext) -> None:
    """Normalise with given mean and variance."""
    if context.attribute("training_mode", 0):
        context.fail("training mode has no form in the contract")
    source, rank = context.input(0), context.rank_of(0)
    none = context.i32(0)

    def by_channel(position: int) -> int:
        shape = [1, context.shape(position)[0], *([1] * (rank - 2))]
        return context.new(O.RESHAPE, [context.input(position), context.ints(shape)])

    scale, shift, mean, variance = (by_channel(position) for position in range(1, 5))
    epsilon = context.number(context.attribute("epsilon", 1e-5), source)
    root = context.new(O.SQRT, [context.new(O.ADD, [variance, epsilon, none])])
    alone = context.new(O.SUB, [source, mean, none])
    factor = context.new(O.DIV, [scale, root, none])
    context.emit(O.ADD, [context.new(O.MUL, [alone, factor, none]), shift, none])


def matmul(context: NodeContext) -> None:
    """Multiply matrices, or batches of them."""
    ranks = context.rank_of(0), context.rank_of(1)
    same = context.shape(0)[:-2] == context.shape(1)[:-2]
    if ranks[0] != ranks[1] or not 2 <= ranks[0] <= _MOST_RANK or not same:  # noqa: PLR2004 - matrices
        context.fail("only matrices, and batches of the same shape, have a form in the contract")
    context.emit(O.BATCH_MATMUL, [context.input(0), context.input(1), context.flag(False), context.flag(False)])


def gemm(context: NodeContext) -> None:
    """Multiply matrices, scale, and add a third."""
    none, source = context.i32(0), context.input(0)
    flags = [context.flag(bool(context.attribute(name, 0))) for name in ("transA", "transB")]
    factors: Mapping[str, Any] = {name: context.attribute(name, 1.0) for name in ("alpha", "beta")}
    parts = [source, context.input(1), *flags]
    if not context.has(2) and factors["alpha"] == 1:
        context.emit(O.BATCH_MATMUL, parts)
        return
    product = context.new(O.BATCH_MATMUL, parts)
    scaled = [context.number(factors["alpha"], source), none]
    if not context.has(2):
        context.emit(O.MUL, [product, *scaled])
        return
    if factors["alpha"] != 1:
        product = context.new(O.MUL, [product, *scaled])
    addend = context.input(2)
    if factors["beta"] != 1:
        addend = context.new(O.MUL, [addend, context.number(factors["beta"], source), none])
    context.emit(O.ADD, [product, addend, none])
