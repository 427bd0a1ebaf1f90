"""Converters of ONNX operators that reduce or normalise along axes; ``operators.py`` lists them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.formats.onnx.context import MOST_RANK, NodeContext
from nnvet.hal.types import OperandType
from nnvet.hal.types import OperationType as O

_SINGLE_AXES: Final = 13
"""Opset from which on softmax normalises one axis."""
_EXTREMES: Final = {O.REDUCE_MAX: O.REDUCE_ANY, O.REDUCE_MIN: O.REDUCE_ALL}
"""Reductions that find an extreme, and the form of each for truth values."""


def softmax(kind: O, context: NodeContext) -> None:
    """Normalise exponentials along an axis; before opset 13 over all axes from this one on together."""
    source, rank = context.input(0), context.rank_of(0)
    is_old = context.conversion.opset < _SINGLE_AXES
    axis = context.axis(context.attribute("axis", 1 if is_old else -1), rank)
    if is_old and axis != rank - 1:
        shape = context.shape(0)
        flat = context.reshaped(source, [int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))])
        found = context.new(kind, [flat, context.scalar(1.0, source), context.i32(1)])
        context.emit(O.RESHAPE, [found, context.ints(shape)])
        return
    context.emit(kind, [source, context.scalar(1.0, source), context.i32(axis)])


def hardmax(context: NodeContext) -> None:
    """Return 1 for the first of the largest elements along an axis, and 0 elsewhere."""
    source, shape = context.input(0), context.shape(0)
    axis = context.axis(context.attribute("axis", -1), len(shape))
    place = context.new(O.ARGMAX, [source, context.i32(axis)], context.ints([0]))
    lifted = context.reshaped(place, [1 if number == axis else size for number, size in enumerate(shape)])
    steps = np.arange(shape[axis]).reshape([-1 if number == axis else 1 for number in range(len(shape))])
    chosen = context.truth(O.EQUAL, lifted, context.ints(steps))  # type: ignore[arg-type]
    ends = [context.number(np.full(shape, value), source) for value in (1, 0)]
    context.emit(O.SELECT, [chosen, *ends])


def _axes(context: NodeContext) -> list[int]:
    """Return the axes to reduce; an empty list if the node changes nothing."""
    rank = context.rank_of(0)
    axes = context.values(1, "axes") if context.has(1) or "axes" in context.attributes else None
    if not axes:
        return [] if context.attribute("noop_with_empty_axes", 0) else list(range(rank))
    return [context.axis(axis, rank) for axis in axes]


def _emit_reduction(kind: O, context: NodeContext, source: int, outputs: list[int] | None = None) -> None:
    axes, keeps = _axes(context), context.attribute("keepdims", 1)
    if not axes:
        context.emit(O.RESHAPE, [source, context.ints(context.shape(0))], outputs)
        return
    if context.type_of(source) == OperandType.TENSOR_BOOL8 and kind in _EXTREMES:
        kind = _EXTREMES[kind]
    flag = context.i32(keeps) if kind == O.MEAN else context.flag(bool(keeps))
    if kind not in _EXTREMES or context.input_names[0] not in context.conversion.infinite:
        context.emit(kind, [source, context.ints(axes), flag], outputs)
        return
    # The contract's reductions to extremes start from the largest finite number.
    end = -math.inf if kind == O.REDUCE_MAX else math.inf
    found = context.new(kind, [source, context.ints(axes), flag])
    is_end = context.truth(O.EQUAL, source, context.number(end, source))
    is_all = context.truth(O.REDUCE_ALL, is_end, context.ints(axes), flag)
    ends = context.number(np.full(context.graph.arguments[found].dimensions, end), source)
    context.emit(O.SELECT, [is_all, ends, found], outputs)


def reduce(kind: O, context: NodeContext, before: O | None = None, after: O | None = None) -> None:
    """Apply ``before`` to the input (MUL: square it), reduce, and apply ``after`` to the result."""
    source = context.input(0)
    if before == O.MUL:
        source = context.new(O.MUL, [source, source])
    elif before is not None:
        source = context.new(before, [source])
    if after is None:
        _emit_reduction(kind, context, source)
        return
    between = context.graph.tensor(context.type_of(source), ())
    _emit_reduction(kind, context, source, [between])
    context.emit(after, [between])


def argument(kind: O, context: NodeContext) -> None:
    """Return the index of the extreme along an axis: the first, or the last, of equal extremes."""
    source, shape = context.input(0), list(context.shape(0))
    axis = context.axis(context.attribute("axis", 0), len(shape))
    integers = context.ints([0])
    if context.attribute("select_last_index", 0):
        turned = context.new(O.REVERSE, [source, context.ints([axis])])
        found = context.new(kind, [turned, context.i32(axis)], integers)
        found = context.new(O.SUB, [context.ints([shape[axis] - 1]), found])
    else:
        found = context.new(kind, [source, context.i32(axis)], integers)
    if context.attribute("keepdims", 1):
        shape[axis] = 1
    else:
        del shape[axis]
    context.emit(O.RESHAPE, [found, context.ints(shape or [1])])


def cumulate(context: NodeContext) -> None:
    """Sum up along an axis: a product with a triangular matrix of ones."""
    source, shape = context.input(0), context.shape(0)
    axis = context.axis((context.values(1) or [0])[0], len(shape))
    ones = np.tril(np.ones((shape[axis], shape[axis])), -1 if context.attribute("exclusive", 0) else 0)
    matrix = ones.T if context.attribute("reverse", 0) else ones
    outer, inner = int(np.prod(shape[:axis])), int(np.prod(shape[axis + 1 :]))
    batches = context.reshaped(source, [outer, shape[axis], inner])
    many = context.number(np.broadcast_to(matrix, (outer, *matrix.shape)), source)
    total = context.new(O.BATCH_MATMUL, [many, batches, context.flag(False), context.flag(False)])
    context.emit(O.RESHAPE, [total, context.ints(shape)])


def normalize_by_length(context: NodeContext) -> None:
    """Divide by the sum of magnitudes, or by the root of the sum of squares, along an axis."""
    source, keeps = context.input(0), context.flag(True)
    axis = context.ints([context.axis(context.attribute("axis", -1), context.rank_of(0))])
    if context.attribute("p", 2) == 1:
        length = context.new(O.REDUCE_SUM, [context.new(O.ABS, [source]), axis, keeps])
    else:
        squares = context.new(O.MUL, [source, source])
        length = context.new(O.SQRT, [context.new(O.REDUCE_SUM, [squares, axis, keeps])])
    # Only zeros have the length 0, and stay zeros.
    tiny = np.finfo(context.dtype(0)).tiny
    context.emit(O.DIV, [source, context.new(O.MAXIMUM, [length, context.number(tiny, source)])])


def instance_normalization(context: NodeContext) -> None:
    """Normalise each channel of each example by its own mean and variance."""
    rank = context.rank_of(0)
    if not 2 < rank <= MOST_RANK:  # noqa: PLR2004 - batches, channels and something else
        context.fail("only one or two spatial dimensions have a form in the contract")
    normal = _normalize(context, context.input(0), range(2, rank))
    scale, shift = (_by_channel(context, place) for place in (1, 2))
    context.emit(O.ADD, [context.new(O.MUL, [normal, scale]), shift])


def _by_channel(context: NodeContext, position: int) -> int:
    """Return an input with a factor for each channel, reshaped so that it broadcasts."""
    shape = [1, context.shape(position)[0], *[1] * (context.rank_of(0) - 2)]
    return context.reshaped(context.input(position), shape)


def mean_variance(context: NodeContext) -> None:
    """Normalise by mean and variance along axes; epsilon is that of the operator's definition."""
    normal = _normalize(context, context.input(0), context.attribute("axes", [0, 2, 3]), 1e-9)
    context.alias(normal)


def group_normalization(context: NodeContext) -> None:
    """Normalise groups of channels of each example by their own mean and variance."""
    shape, groups = context.shape(0), context.attribute("num_groups")
    flat = context.reshaped(context.input(0), [shape[0], groups, math.prod(shape[1:]) // groups])
    normal = context.reshaped(_normalize(context, flat, [2]), shape)
    if context.shape(1)[0] != shape[1]:
        context.fail("factors by group, of opset 18, have no form in the contract")
    scale, shift = (_by_channel(context, place) for place in (1, 2))
    context.emit(O.ADD, [context.new(O.MUL, [normal, scale]), shift])


def _normalize(context: NodeContext, source: int, dimensions: Sequence[int], default: float = 1e-5) -> int:
    """Return an operand with mean 0 and variance 1 along dimensions."""
    axes, keeps = context.ints(dimensions), context.i32(1)
    alone = context.new(O.SUB, [source, context.new(O.MEAN, [source, axes, keeps])])
    variance = context.new(O.MEAN, [context.new(O.MUL, [alone, alone]), axes, keeps])
    epsilon = context.number(context.attribute("epsilon", default), source)
    root = context.new(O.SQRT, [context.new(O.ADD, [variance, epsilon])])
    return context.new(O.DIV, [alone, root])
