"""Converters of ONNX operators that move elements without computing with them; ``operators.py`` lists them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.onnx.context import MOST_RANK, NodeContext, along
from nnvet.hal.types import OperandType
from nnvet.hal.types import OperationType as O

_GATHERED: Final = ("edge", "wrap")
"""Modes of padding that NumPy's function has by the same names."""


def _emit_reshape(context: NodeContext, shape: Sequence[int]) -> None:
    """Give the input another shape; -1 stands for the size that is left."""
    source = context.input(0)
    if len(shape) <= MOST_RANK:
        context.emit(O.RESHAPE, [source, context.ints(shape)])
        return
    left = math.prod(context.shape(0)) // math.prod(size for size in shape if size != -1)
    name = context.output_names[0]
    context.conversion.operands[name] = source
    context.conversion.wide[name] = tuple(left if size == -1 else size for size in shape)


def reshape(context: NodeContext) -> None:
    """Change the shape; 0 keeps a size."""
    wanted, given = context.values(1, "shape") or [], context.shape(0)
    if not context.attribute("allowzero", 0):
        wanted = [given[place] if size == 0 and place < len(given) else size for place, size in enumerate(wanted)]
    _emit_reshape(context, wanted or [1])


def flatten(context: NodeContext) -> None:
    """Make a matrix."""
    shape = context.shape(0)
    axis = context.attribute("axis", 1)
    axis += len(shape) if axis < 0 else 0
    _emit_reshape(context, [math.prod(shape[:axis]), math.prod(shape[axis:])])


def squeeze(context: NodeContext) -> None:
    """Take away dimensions of size 1."""
    shape, axes = context.shape(0), context.values(1, "axes")
    gone = {context.axis(axis, len(shape)) for axis in axes} if axes is not None else set()
    kept = [size for place, size in enumerate(shape) if place not in gone and (axes is not None or size != 1)]
    _emit_reshape(context, kept or [1])


def unsqueeze(context: NodeContext) -> None:
    """Add dimensions of size 1."""
    name, axes = context.input_names[0], context.values(1, "axes") or []
    # A scalar has one element here, and no dimension there.
    shape = [] if context.conversion.shapes.get(name) == () else list(context.shape(0))
    rank = len(shape) + len(axes)
    for axis in sorted(context.axis(axis, rank) for axis in axes):
        shape.insert(axis, 1)
    _emit_reshape(context, shape)


def transpose(context: NodeContext) -> None:
    """Permute dimensions."""
    order = context.attribute("perm", list(range(context.rank_of(0)))[::-1])
    context.emit(O.TRANSPOSE, [context.input(0), context.ints(order)])


def concat(context: NodeContext) -> None:
    """Concatenate tensors along an axis."""
    axis = context.axis(context.attribute("axis"), context.rank_of(0))
    inputs = [
        context.input(place)
        for place, name in enumerate(context.input_names)
        if (array := context.conversion.constants.get(name)) is None or array.size
    ]
    if len(inputs) == 1:
        context.alias(inputs[0])
    else:
        context.emit(O.CONCATENATION, [*inputs, context.i32(axis)])


def split(context: NodeContext) -> None:
    """Split a tensor along an axis."""
    shape, count = context.shape(0), len(context.output_names)
    axis = context.axis(context.attribute("axis", 0), len(shape))
    sizes = context.values(1, "split") if context.has(1) or "split" in context.attributes else None
    if sizes is None:
        part = -(-shape[axis] // count)
        sizes = [min(part, shape[axis] - part * number) for number in range(count)]
    begin = [0] * len(shape)
    for number, size in enumerate(sizes):
        extent = [*shape[:axis], size, *shape[axis + 1 :]]
        if not size:
            context.conversion.constants[context.output_names[number]] = np.zeros(extent, context.dtype(0))
            continue
        context.emit(O.SLICE, [context.input(0), context.ints(begin), context.ints(extent)], [context.output(number)])
        begin[axis] += size


def slice_(context: NodeContext) -> None:
    """Take elements at regular steps."""
    shape = context.shape(0)
    starts, ends = context.values(1, "starts") or [], context.values(2, "ends") or []
    axes = context.values(3, "axes") or list(range(len(starts)))
    steps = context.values(4) or [1] * len(starts)
    begin, end, stride = [0] * len(shape), list(shape), [1] * len(shape)
    open_ends = 0
    for axis, first, last, step in zip(axes, starts, ends, steps, strict=True):
        place = context.axis(axis, len(shape))
        from_, to, by = slice(first, last, step).indices(shape[place])
        begin[place], end[place], stride[place] = from_, to, by
        # With a negative step the end may lie before the first element; only the end mask can express that.
        open_ends |= (1 << place) if to < 0 else 0
        end[place] = max(to, 0)
    parameters = [context.ints(values) for values in (begin, end, stride)]
    masks = [context.i32(0), context.i32(open_ends), context.i32(0)]
    context.emit(O.STRIDED_SLICE, [context.input(0), *parameters, *masks])


def _count_from_start(context: NodeContext, position: int, size: int) -> int:
    """Return an input of indices, flattened; negative ones, which count from the end, are made non-negative."""
    array = context.array(position)
    if array is not None:
        return context.ints(np.where(array < 0, array + size, array).reshape(-1).tolist())
    source = context.input(position)
    flat = context.reshaped(source, [math.prod(context.shape(position))])
    from_end = context.new(O.ADD, [flat, context.ints([size])])
    return context.new(O.SELECT, [context.truth(O.LESS, flat, context.ints([0])), from_end, flat], flat)


def gather(context: NodeContext) -> None:
    """Take slices by their indices."""
    shape = context.shape(0)
    axis = context.axis(context.attribute("axis", 0), len(shape))
    array, name = context.array(1), context.input_names[1]
    known = context.conversion.shapes.get(name)
    places = known if array is None and known is not None else array.shape if array is not None else context.shape(1)
    indices = _count_from_start(context, 1, shape[axis])
    flat = context.new(O.GATHER, [context.input(0), context.i32(axis), indices])
    wanted = (*shape[:axis], *places, *shape[axis + 1 :]) or (1,)
    context.emit(O.RESHAPE, [flat, context.ints(wanted)])


def gather_elements(context: NodeContext) -> None:
    """Take single elements, each at its own index along an axis."""
    shape, indices = context.shape(0), context.array(1)
    axis = context.axis(context.attribute("axis", 0), len(shape))
    if indices is None:
        context.fail("indices are computed")
    places: list[Any] = list(np.indices(indices.shape))
    places[axis] = np.where(indices < 0, indices + shape[axis], indices)
    flat = np.ravel_multi_index(places, shape)
    source = context.reshaped(context.input(0), [math.prod(shape)])
    found = context.new(O.GATHER, [source, context.i32(0), context.ints(flat.reshape(-1).tolist())])
    context.emit(O.RESHAPE, [found, context.ints(indices.shape)])


def gather_nd(context: NodeContext) -> None:
    """Take slices by tuples of indices."""
    shape, indices = context.shape(0), context.array(1)
    if indices is None:
        context.fail("indices are computed")
    batch = context.attribute("batch_dims", 0)
    depth = indices.shape[-1]
    counters = np.indices(indices.shape[:-1])[:batch]
    places = [*counters, *np.moveaxis(indices, -1, 0)]
    sizes = shape[: batch + depth]
    flat = np.ravel_multi_index(
        [np.where(place < 0, place + size, place) for place, size in zip(places, sizes, strict=True)], sizes
    )
    rest = shape[batch + depth :]
    source = context.reshaped(context.input(0), [math.prod(sizes), *rest])
    found = context.new(O.GATHER, [source, context.i32(0), context.ints(flat.reshape(-1).tolist())])
    context.emit(O.RESHAPE, [found, context.ints([*indices.shape[:-1], *rest] or [1])])


def _gather_along(context: NodeContext, source: int, axis: int, places: Sequence[int]) -> int:
    """Return the slices at the indices ``places`` along an axis."""
    return context.new(O.GATHER, [source, context.i32(axis), context.ints(places)])


def pad(context: NodeContext) -> None:
    """Add elements at the ends of axes; negative pads remove elements."""
    source, shape = context.input(0), context.shape(0)
    mode = context.attribute("mode", b"constant").decode()
    table = _read_pads(context, len(shape))
    for axis, (size, (head, tail)) in enumerate(zip(shape, np.minimum(table, 0).tolist(), strict=True)):
        if head or tail:
            source = _gather_along(context, source, axis, range(-head, size + tail))
    table = np.maximum(table, 0)
    if mode == "constant":
        value = (context.values(2) or [0.0])[0] if context.has(2) else context.attribute("value", 0.0)
        paddings = context.graph.constant(OperandType.TENSOR_INT32, table)
        context.emit(O.PAD_V2, [source, paddings, context.scalar(value, source)])
        return
    if mode == "reflect":
        context.emit(O.MIRROR_PAD, [source, context.graph.constant(OperandType.TENSOR_INT32, table), context.i32(0)])
        return
    if mode not in _GATHERED:
        context.fail(f"mode {mode} has no form in the contract")
    for axis, ends in enumerate(table.tolist()):
        if any(ends):
            size = context.graph.arguments[source].dimensions[axis]
            source = _gather_along(context, source, axis, np.pad(np.arange(size), ends, mode).tolist())
    context.alias(source)


def _read_pads(context: NodeContext, rank: int) -> npt.NDArray[Any]:
    """Return a table with the number of elements that each axis gets before and after its own."""
    pads = context.values(1, "pads") or []
    axes = context.values(3) if context.has(3) else None
    places = list(range(rank)) if axes is None else [context.axis(axis, rank) for axis in axes]
    table = np.zeros((rank, 2), np.int32)
    for number, place in enumerate(places):
        table[place] = pads[number], pads[number + len(places)]
    return table


def tile(context: NodeContext) -> None:
    """Repeat along axes. Neighbouring dimensions that stay are merged into one."""
    given, times = context.shape(0), context.values(1) or []
    if len(given) <= MOST_RANK:
        context.emit(O.TILE, [context.input(0), context.ints(times)])
        return
    sizes, repeats = [1], [1]
    for size, number in zip(given, times, strict=True):
        if number == repeats[-1] == 1:
            sizes[-1] *= size
        else:
            sizes, repeats = [*sizes, size], [*repeats, number]
    flat = context.reshaped(context.input(0), sizes)
    name = context.output_names[0]
    context.conversion.operands[name] = context.new(O.TILE, [flat, context.ints(repeats)])
    context.conversion.wide[name] = tuple(np.multiply(given, times).tolist())


def block(kind: O, context: NodeContext) -> None:
    """Move blocks between space and channels."""
    source, size = context.input(0), context.attribute("blocksize")
    ends = [context.i32(size), context.flag(True)]
    if context.attribute("mode", b"DCR") == b"DCR":
        context.emit(kind, [source, *ends])
        return
    # The other mode has the channels of each cell of a block in the opposite order.
    down = kind == O.SPACE_TO_DEPTH
    channels = context.shape(0)[1] * (size**2 if down else 1)
    order = np.arange(channels).reshape((size**2, -1) if down else (-1, size**2)).T.reshape(-1).tolist()
    if down:
        found = context.new(kind, [source, *ends])
        context.emit(O.GATHER, [found, context.i32(1), context.ints(order)])
    else:
        context.emit(kind, [_gather_along(context, source, 1, order), *ends])


def triangle(context: NodeContext) -> None:
    """Keep the upper or the lower triangle."""
    source, shape = context.input(0), context.shape(0)
    shift = (context.values(1) or [0])[0] if context.has(1) else 0
    whole = np.ones(shape)
    kept = np.triu(whole, shift) if context.attribute("upper", 1) else np.tril(whole, shift)
    mask = context.graph.constant(OperandType.TENSOR_BOOL8, kept)
    if context.type_of(source) == OperandType.TENSOR_BOOL8:
        context.emit(O.LOGICAL_AND, [source, mask])
    else:
        context.emit(O.SELECT, [mask, source, context.number(np.zeros(shape), source)])


def one_hot(context: NodeContext) -> None:
    """Return one value at an index, and another elsewhere."""
    (depth,), array = context.values(1) or [0], context.array(2)
    if array is None:
        context.fail("the values are computed")
    places = context.reshaped(context.input(0), context.shape(0))
    size = int(depth)
    from_end = context.new(O.ADD, [places, context.number(size, places)])
    negative = context.truth(O.LESS, places, context.number(0, places))
    places = context.new(O.SELECT, [negative, from_end, places], places)
    shape = list(context.shape(0))
    axis = context.axis(context.attribute("axis", -1), len(shape) + 1)
    lifted = context.reshaped(places, [*shape[:axis], 1, *shape[axis:]])
    steps = along(np.arange(size), axis, len(shape) + 1)
    wanted = (*shape[:axis], size, *shape[axis:])
    chosen = context.truth(O.EQUAL, lifted, context.number(steps, places))
    off, on = (context.constant(np.full(wanted, value, array.dtype)) for value in array)
    context.emit(O.SELECT, [chosen, on, off])


def top(context: NodeContext) -> None:
    """Return the largest or smallest elements in order; among equal elements the first comes first."""
    source, rank = context.input(0), context.rank_of(0)
    axis = context.axis(context.attribute("axis", -1), rank)
    (count,) = context.values(1, "k") or [0]
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    last = context.ints([rank - 1])
    if axis != rank - 1:
        source = context.new(O.TRANSPOSE, [source, context.ints(order)])
    size = context.graph.arguments[source].dimensions[-1]
    is_smallest = not context.attribute("largest", 1)
    # The contract's operation gives the last of equal elements first.
    turned = context.new(O.REVERSE, [context.new(O.NEG, [source]) if is_smallest else source, last])
    values, places = (context.graph.tensor(kind, ()) for kind in (context.type_of(source), OperandType.TENSOR_INT32))
    context.emit(O.TOPK_V2, [turned, context.i32(count)], [values, places])
    places = context.new(O.SUB, [context.ints([size - 1]), places])
    found = [context.new(O.NEG, [values]) if is_smallest else values, places]
    for number, part in enumerate(found):
        ordered = part if axis == rank - 1 else context.new(O.TRANSPOSE, [part, context.ints(order)])
        shape = context.ints(context.graph.arguments[ordered].dimensions)
        context.emit(O.RESHAPE, [ordered, shape], [context.output(number)])
