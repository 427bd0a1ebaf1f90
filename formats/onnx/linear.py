"""Converters of ONNX operators with weights: convolutions, batch normalisation, matrix products.

``operators.py`` lists them by operator; products of 8-bit codes are in ``codes.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nnvet.formats.onnx.context import MOST_RANK, NodeContext
from nnvet.formats.onnx.pooling import emit_image, image_of, window_of
from nnvet.hal.types import OperationType as O


def _filters(context: NodeContext, order: tuple[int, int, int, int]) -> int:
    """Return the weights of a convolution in the contract's order of dimensions; one-dimensional ones have height 1."""
    rank = len(context.shape(1)) - 2
    if rank == 2:  # noqa: PLR2004 - images
        return context.moved(1, order)
    flat = [place - (place > 2) for place in order if place != 2]  # noqa: PLR2004 - the height is added
    return context.moved(1, flat, (order.index(2),))


def conv(context: NodeContext) -> None:
    """Convolve feature maps: dense, by groups, or depthwise."""
    source, sizes = image_of(context)
    weights, channels = context.shape(1), context.shape(0)[1]
    window = window_of(context, sizes, weights[2:]).as_image()
    groups = context.attribute("group", 1)
    is_depthwise = groups == channels and weights[1] == 1 and groups > 1
    if groups > 1 and not is_depthwise and set(window.dilations) != {1}:
        context.fail("groups with dilation have no form in the contract")
    filters = _filters(context, (1, 2, 3, 0) if is_depthwise else (0, 2, 3, 1))
    bias = context.bias(2, filters, weights[0])
    pads, steps, spread = (
        list(map(context.i32, numbers)) for numbers in (window.padding(), window.strides[::-1], window.dilations[::-1])
    )
    start, ends = [source, filters, bias, *pads, *steps], [context.activation(), context.flag(True)]
    if is_depthwise:
        multiplier = context.i32(weights[0] // groups)
        emit_image(context, O.DEPTHWISE_CONV_2D, [*start, multiplier, *ends, *spread], len(sizes))
    elif groups > 1:
        emit_image(context, O.GROUPED_CONV_2D, [*start, context.i32(groups), *ends], len(sizes))
    else:
        emit_image(context, O.CONV_2D, [*start, *ends, *spread], len(sizes))


def conv_transpose(context: NodeContext) -> None:
    """Compute the gradient of a convolution."""
    source, sizes = image_of(context)
    weights = context.shape(1)
    window = window_of(context, sizes, weights[2:]).as_image()
    if context.attribute("group", 1) != 1 or set(window.dilations) != {1}:
        context.fail("groups and dilations have no form in the contract")
    filters = _filters(context, (1, 2, 3, 0))
    bias = context.bias(2, filters, weights[1])
    extra = context.attribute("output_padding") or [0] * len(sizes)
    heads, tails = list(window.heads), list(window.tails)
    shape, auto = context.attribute("output_shape"), context.attribute("auto_pad", b"NOTSET")
    for axis, more in enumerate([0] * (2 - len(sizes)) + list(extra)):
        if axis < 2 - len(sizes):
            continue
        full = window.strides[axis] * (window.sizes[axis] - 1) + window.extents[axis] + more
        if shape or auto.startswith(b"SAME"):
            last = shape[axis - 2] if shape else window.sizes[axis] * window.strides[axis]
            total = full - last
            half = total // 2
            heads[axis], tails[axis] = (half, total - half) if auto == b"SAME_UPPER" else (total - half, half)
        # Padding at the end may be negative in the contract, which makes the output longer.
        tails[axis] -= more
    pads = map(context.i32, (heads[1], tails[1], heads[0], tails[0]))
    steps = map(context.i32, window.strides[::-1])
    inputs = [source, filters, bias, *pads, *steps, context.activation(), context.flag(True)]
    emit_image(context, O.TRANSPOSE_CONV_2D, inputs, len(sizes))


def batch_normalization(context: NodeContext) -> None:
    """Normalise with given mean and variance."""
    if context.attribute("training_mode", 0):
        context.fail("training mode has no form in the contract")
    source, rank = context.input(0), context.rank_of(0)

    def by_channel(position: int) -> int:
        shape = [1, context.shape(position)[0], *([1] * (rank - 2))]
        return context.new(O.RESHAPE, [context.input(position), context.ints(shape)])

    scale, shift, mean, variance = (by_channel(position) for position in range(1, 5))
    epsilon = context.number(context.attribute("epsilon", 1e-5), source)
    root = context.new(O.SQRT, [context.new(O.ADD, [variance, epsilon])])
    alone = context.new(O.SUB, [source, mean])
    factor = context.new(O.DIV, [scale, root])
    context.emit(O.ADD, [context.new(O.MUL, [alone, factor]), shift])


def _matrices(context: NodeContext) -> tuple[list[int], list[int], list[int]]:
    """Return both factors as stacks of matrices of the same shape, and the dimensions of the stack."""
    operands = context.inputs()
    shapes = [list(context.graph.arguments[operand].dimensions) for operand in operands]
    shapes = [
        [1, *shapes[0]] if len(shapes[0]) == 1 else shapes[0],
        [*shapes[1], 1] if len(shapes[1]) == 1 else shapes[1],
    ]
    stack = list(np.broadcast_shapes(*(tuple(dimensions[:-2]) for dimensions in shapes)))
    flat = stack if len(stack) + 2 <= MOST_RANK else [math.prod(stack)]
    found = []
    for operand, shape in zip(operands, shapes, strict=True):
        lifted = [*[1] * (len(stack) + 2 - len(shape)), *shape]
        wide = context.enlarged(context.reshaped(operand, lifted), (*stack, *shape[-2:]))
        found.append(context.reshaped(wide, [*flat, *shape[-2:]]))
    return found, stack, [shapes[0][-2], shapes[1][-1]]


def matmul(context: NodeContext) -> None:
    """Multiply matrices, or batches of them, as NumPy broadcasts them."""
    ranks = context.rank_of(0), context.rank_of(1)
    flags = [context.flag(False), context.flag(False)]
    if ranks[0] > 2 == ranks[1]:  # noqa: PLR2004 - a matrix
        # Rows of all batches are multiplied with one matrix.
        *outer, inner = context.shape(0)
        rows = context.reshaped(context.input(0), [math.prod(outer), inner])
        product = context.new(O.BATCH_MATMUL, [rows, context.input(1), *flags])
        context.emit(O.RESHAPE, [product, context.ints([*outer, context.shape(1)[1]])])
        return
    factors, stack, (height, width) = _matrices(context)
    if min(ranks) > 1 and len(stack) + 2 <= MOST_RANK:
        context.emit(O.BATCH_MATMUL, [*factors, *flags])
        return
    product = context.new(O.BATCH_MATMUL, [*factors, *flags])
    wanted = [*stack, *[height] * (ranks[0] > 1), *[width] * (ranks[1] > 1)]
    context.emit(O.RESHAPE, [product, context.ints(wanted or [1])])


def matmul_integer(context: NodeContext) -> None:
    """Subtract zero points, and multiply matrices of integers."""
    factors = []
    for place in (0, 1):
        operand = context.input(place)
        factors.append(context.new(O.SUB, [operand, context.input(place + 2)]) if context.has(place + 2) else operand)
    context.emit(O.BATCH_MATMUL, [*factors, context.flag(False), context.flag(False)])


def gemm(context: NodeContext) -> None:
    """Multiply matrices, scale, and add a third."""
    source = context.input(0)
    flags = [context.flag(bool(context.attribute(name, 0))) for name in ("transA", "transB")]
    factors: Mapping[str, Any] = {name: context.attribute(name, 1.0) for name in ("alpha", "beta")}
    parts = [source, context.input(1), *flags]
    if not context.has(2) and factors["alpha"] == 1:
        context.emit(O.BATCH_MATMUL, parts)
        return
    product = context.new(O.BATCH_MATMUL, parts)
    if not context.has(2):
        context.emit(O.MUL, [product, context.number(factors["alpha"], source)])
        return
    if factors["alpha"] != 1:
        product = context.new(O.MUL, [product, context.number(factors["alpha"], source)])
    addend = context.input(2)
    if factors["beta"] != 1:
        addend = context.new(O.MUL, [addend, context.number(factors["beta"], source)])
    context.emit(O.ADD, [product, addend])
