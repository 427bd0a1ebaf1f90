"""Converters of operators that only move or relabel elements.

Converters of operators whose parameters need a translation are functions. The others map their inputs one to one: a
table says where each NNAPI input comes from.

The other modules of this folder have the other operators; ``FUNCTIONS`` of :mod:`nnvet.formats.tflite.importer` lists
them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from nnvet.formats.tflite.context import Context
from nnvet.hal.enums import OperationType

_O = OperationType


def reshape(context: Context) -> None:
    """Emit RESHAPE to the shape in the constant second input, else in the option, else of the output tensor."""
    if context.has(1) and context.tensor(1).value is not None:
        shape = context.values(1)
    else:
        shape = list(map(int, context.operator.options.get("new_shape", ()))) or list(context.output_tensor().shape)
    context.emit(_O.RESHAPE, [context.input(0), context.ints(shape or [1])])


def squeeze(context: Context) -> None:
    """SQUEEZE with the dimensions spelled out; a squeeze that drops nothing is a RESHAPE to the same shape."""
    shape = context.shape(0)
    listed = [context.axis(int(axis), len(shape)) for axis in context.option("squeeze_dims")]
    dims = listed or [index for index, size in enumerate(shape) if size == 1]
    kind, parameter = (_O.SQUEEZE, dims) if dims else (_O.RESHAPE, list(shape))
    context.emit(kind, [context.input(0), context.ints(parameter)])


def strided_slice(context: Context) -> None:
    """STRIDED_SLICE; NNAPI has no ellipsis and no new axis, and wants shrunk axes to have exactly one element."""
    if context.option("ellipsis_mask") or context.option("new_axis_mask") or context.option("offset"):
        context.fail("it uses an ellipsis, a new axis or offsets", "convert the model with plain ranges")
    begin, end, strides = (context.values(position) for position in (1, 2, 3))
    masks = {name: context.option(f"{name}_mask") for name in ("begin", "end", "shrink_axis")}
    shape = context.shape(0)
    if not len(begin) == len(end) == len(strides) <= len(shape):
        context.fail(f"{len(begin)} begins, {len(end)} ends, {len(strides)} strides", "convert the model again")
    for index, size in enumerate(shape):
        bit = 1 << index
        if index >= len(begin):
            # TFLite leaves trailing dimensions whole; NNAPI wants them named.
            begin, end, strides = [*begin, 0], [*end, size], [*strides, 1]
        elif masks["shrink_axis"] & bit:
            first = 0 if masks["begin"] & bit else begin[index]
            begin[index] = first + size if first < 0 else first
            end[index], strides[index] = begin[index] + 1, 1
            masks["end"] &= ~bit
            masks["begin"] &= ~bit
    vectors = [context.ints(values) for values in (begin, end, strides)]
    context.emit(_O.STRIDED_SLICE, [context.input(0), *vectors, *map(context.i32, masks.values())])


def split_v(context: Context) -> None:
    """SPLIT_V: one SLICE for each output."""
    shape, sizes = context.shape(0), context.values(1)
    axis = context.axis(context.values(2)[0], len(shape))
    if len(sizes) != len(context.operator.outputs) or sizes.count(-1) > 1:
        context.fail(f"{len(sizes)} sizes for {len(context.operator.outputs)} outputs", "convert the model again")
    known = sum(size for size in sizes if size >= 0)
    _slices(context, axis, [shape[axis] - known if size == -1 else size for size in sizes], context.outputs())


def unpack(context: Context) -> None:
    """UNPACK: a SLICE of one and a RESHAPE without the axis for each output."""
    shape = context.shape(0)
    axis = context.axis(context.option("axis"), len(shape))
    outputs = context.outputs()
    if len(outputs) != shape[axis]:
        context.fail(f"{len(outputs)} outputs for {shape[axis]} slices", "convert the model again")
    parts = [context.like(output) for output in outputs]
    _slices(context, axis, [1] * len(parts), parts)
    rest = [*shape[:axis], *shape[axis + 1 :]] or [1]
    for part, output in zip(parts, outputs, strict=True):
        context.emit(_O.RESHAPE, [part, context.ints(rest)], [output])


def pack(context: Context) -> None:
    """PACK: NNAPI takes the axis first."""
    axis = context.axis(context.option("axis"), len(context.shape(0)) + 1)
    context.emit(_O.PACK, [context.i32(axis), *context.inputs()])


def gather(context: Context) -> None:
    """GATHER; a scalar index drops the axis, which takes a RESHAPE."""
    shape = context.shape(0)
    axis = context.axis(context.option("axis"), len(shape))
    if context.option("batch_dims"):
        context.fail(f"batch_dims is {context.option('batch_dims')}", "NNAPI gathers without batch dimensions")
    operands = [context.input(0), context.i32(axis), context.input(1)]
    if context.tensor(1).shape:
        context.emit(_O.GATHER, operands)
        return
    output = context.output()
    part = context.like(output)
    context.emit(_O.GATHER, operands, [part])
    rest = [*shape[:axis], *shape[axis + 1 :]] or [1]
    context.emit(_O.RESHAPE, [part, context.ints(rest)], [output])


def concatenation(context: Context) -> None:
    """CONCATENATION; NNAPI's axis is never negative, and nothing is fused into it."""
    if context.option("activation"):
        context.fail("it has a fused activation", "convert the model with the activation as an operator of its own")
    axis = context.axis(context.option("axis"), len(context.shape(0)))
    context.emit(_O.CONCATENATION, [*context.inputs(), context.i32(axis)])


def batch_to_space_nd(context: Context) -> None:
    """BATCH_TO_SPACE_ND; NNAPI does not crop, so crops take a SLICE."""
    operands = [context.input(0), context.ints(context.values(1))]
    crops = context.values(2)
    if not any(crops):
        context.emit(_O.BATCH_TO_SPACE_ND, operands)
        return
    output = context.output()
    whole = context.like(output)
    context.emit(_O.BATCH_TO_SPACE_ND, operands, [whole])
    batch, height, width, channels = context.graph.arguments[whole].dimensions
    top, bottom, left, right = crops
    sizes = [batch, height - top - bottom, width - left - right, channels]
    context.emit(_O.SLICE, [whole, context.ints([0, top, left, 0]), context.ints(sizes)], [output])


def resize(kind: OperationType, needed: int) -> Callable[[Context], None]:
    """Return a resize: TFLite names height first, NNAPI width; flags without effect after ``needed`` inputs go."""

    def convert(context: Context) -> None:
        height, width = context.values(1)
        # Layout, align corners, half pixel centres.
        flags = [False, context.option("align_corners"), context.option("half_pixel_centers")]
        given = flags if any(flags) else flags[: needed - 3]
        context.emit(kind, [context.input(0), context.i32(width), context.i32(height), *map(context.flag, given)])

    return convert


def _slices(context: Context, axis: int, sizes: Sequence[int], outputs: Sequence[int]) -> None:
    """Cut the first input along ``axis`` into consecutive parts."""
    shape, start = list(context.shape(0)), 0
    for size, output in zip(sizes, outputs, strict=True):
        begin = [start if index == axis else 0 for index in range(len(shape))]
        extent = [size if index == axis else whole for index, whole in enumerate(shape)]
        context.emit(_O.SLICE, [context.input(0), context.ints(begin), context.ints(extent)], [output])
        start += size


Piece = Callable[[Context], int]
"""Function that returns the operand for one NNAPI input."""


def _input(position: int) -> Piece:
    """Return the operator's input at ``position``."""
    return lambda context: context.input(position)


def _i32(option: str) -> Piece:
    """Return an option as INT32."""
    return lambda context: context.i32(context.option(option))


def _f32(option: str) -> Piece:
    """Return an option as FLOAT32."""
    return lambda context: context.f32(context.option(option))


def _flag(option: str) -> Piece:
    """Return an option as BOOL."""
    return lambda context: context.flag(context.option(option))


def _number(value: float) -> Piece:
    """Return a fixed FLOAT32."""
    return lambda context: context.f32(value)


def _axes(position: int) -> Piece:
    """Return a constant input of axes, none of them negative, as TENSOR_INT32."""

    def axes(context: Context) -> int:
        rank = len(context.shape(0))
        return context.ints([context.axis(axis, rank) for axis in context.values(position)])

    return axes


def _scalar(position: int) -> Piece:
    """Return the single element of a constant input as INT32."""

    def scalar(context: Context) -> int:
        values = context.values(position)
        if len(values) != 1:
            context.fail(f"input {position} has {len(values)} elements", "NNAPI takes exactly one: convert again")
        return context.i32(values[0])

    return scalar


def _table(position: int, columns: int) -> Piece:
    """Return a constant input of ``columns`` integers a row (paddings) as TENSOR_INT32."""

    def table(context: Context) -> int:
        values = context.values(position)
        if len(values) % columns:
            context.fail(f"input {position} has {len(values)} elements", "convert the model again")
        return context.ints([values[row : row + columns] for row in range(0, len(values), columns)])

    return table


def _ints(position: int) -> Piece:
    """Return a constant input of integers as TENSOR_INT32."""
    return lambda context: context.ints(context.values(position))


_ACTIVATION = Context.activation
_PADDING = Context.padding
_ONE, _TWO, _THREE = (tuple(_input(position) for position in range(count)) for count in (1, 2, 3))
_POOL = (*_ONE, _PADDING, _i32("stride_w"), _i32("stride_h"), _i32("filter_width"), _i32("filter_height"), _ACTIVATION)
_REDUCE = (*_ONE, _axes(1), _flag("keep_dims"))

LAYOUTS: Final[dict[str, tuple[OperationType, tuple[Piece, ...]]]] = {
    "ABS": (_O.ABS, _ONE),
    "ADD": (_O.ADD, (*_TWO, _ACTIVATION)),
    "ARG_MAX": (_O.ARGMAX, (*_ONE, _scalar(1))),
    "ARG_MIN": (_O.ARGMIN, (*_ONE, _scalar(1))),
    "AVERAGE_POOL_2D": (_O.AVERAGE_POOL_2D, _POOL),
    "CAST": (_O.CAST, _ONE),
    "DEPTH_TO_SPACE": (_O.DEPTH_TO_SPACE, (*_ONE, _i32("block_size"))),
    "DIV": (_O.DIV, (*_TWO, _ACTIVATION)),
    "ELU": (_O.ELU, (*_ONE, _number(1.0))),
    "EMBEDDING_LOOKUP": (_O.EMBEDDING_LOOKUP, _TWO),
    "EQUAL": (_O.EQUAL, _TWO),
    "EXP": (_O.EXP, _ONE),
    "EXPAND_DIMS": (_O.EXPAND_DIMS, (*_ONE, _scalar(1))),
    "FLOOR": (_O.FLOOR, _ONE),
    "GREATER": (_O.GREATER, _TWO),
    "GREATER_EQUAL": (_O.GREATER_EQUAL, _TWO),
    "HARD_SWISH": (_O.HARD_SWISH, _ONE),
    "HASHTABLE_LOOKUP": (_O.HASHTABLE_LOOKUP, _THREE),
    "L2_POOL_2D": (_O.L2_POOL_2D, _POOL),
    "LESS": (_O.LESS, _TWO),
    "LESS_EQUAL": (_O.LESS_EQUAL, _TWO),
    "LOCAL_RESPONSE_NORMALIZATION": (
        _O.LOCAL_RESPONSE_NORMALIZATION,
        (*_ONE, _i32("radius"), _f32("bias"), _f32("alpha"), _f32("beta")),
    ),
    "LOG": (_O.LOG, _ONE),
    "LOGICAL_AND": (_O.LOGICAL_AND, _TWO),
    "LOGICAL_NOT": (_O.LOGICAL_NOT, _ONE),
    "LOGICAL_OR": (_O.LOGICAL_OR, _TWO),
    "LOGISTIC": (_O.LOGISTIC, _ONE),
    "LOG_SOFTMAX": (_O.LOG_SOFTMAX, (*_ONE, _number(1.0), lambda context: context.i32(-1))),
    "MAXIMUM": (_O.MAXIMUM, _TWO),
    "MAX_POOL_2D": (_O.MAX_POOL_2D, _POOL),
    "MEAN": (_O.MEAN, (*_ONE, _axes(1), _i32("keep_dims"))),
    "MINIMUM": (_O.MINIMUM, _TWO),
    "MIRROR_PAD": (_O.MIRROR_PAD, (*_ONE, _table(1, 2), _i32("mode"))),
    "MUL": (_O.MUL, (*_TWO, _ACTIVATION)),
    "NEG": (_O.NEG, _ONE),
    "NOT_EQUAL": (_O.NOT_EQUAL, _TWO),
    "PAD": (_O.PAD, (*_ONE, _table(1, 2))),
    "POW": (_O.POW, _TWO),
    "PRELU": (_O.PRELU, _TWO),
    "REDUCE_ALL": (_O.REDUCE_ALL, _REDUCE),
    "REDUCE_ANY": (_O.REDUCE_ANY, _REDUCE),
    "REDUCE_MAX": (_O.REDUCE_MAX, _REDUCE),
    "REDUCE_MIN": (_O.REDUCE_MIN, _REDUCE),
    "REDUCE_PROD": (_O.REDUCE_PROD, _REDUCE),
    "RELU": (_O.RELU, _ONE),
    "RELU6": (_O.RELU6, _ONE),
    "RELU_N1_TO_1": (_O.RELU1, _ONE),
    "REVERSE_V2": (_O.REVERSE, (*_ONE, _axes(1))),
    "RSQRT": (_O.RSQRT, _ONE),
    "SELECT": (_O.SELECT, _THREE),
    "SELECT_V2": (_O.SELECT, _THREE),
    "SIN": (_O.SIN, _ONE),
    "SLICE": (_O.SLICE, (*_ONE, _ints(1), _ints(2))),
    "SOFTMAX": (_O.SOFTMAX, (*_ONE, _f32("beta"))),
    "SPACE_TO_BATCH_ND": (_O.SPACE_TO_BATCH_ND, (*_ONE, _ints(1), _table(2, 2))),
    "SPACE_TO_DEPTH": (_O.SPACE_TO_DEPTH, (*_ONE, _i32("block_size"))),
    "SPLIT": (_O.SPLIT, (_input(1), _scalar(0), _i32("num_splits"))),
    "SQRT": (_O.SQRT, _ONE),
    "SUB": (_O.SUB, (*_TWO, _ACTIVATION)),
    "SUM": (_O.REDUCE_SUM, _REDUCE),
    "TANH": (_O.TANH, _ONE),
    "TILE": (_O.TILE, (*_ONE, _ints(1))),
    "TOPK_V2": (_O.TOPK_V2, (*_ONE, _scalar(1))),
    "TRANSPOSE": (_O.TRANSPOSE, (*_ONE, _axes(1))),
}


def convert(context: Context) -> None:
    """Emit the operation that the table names, all of the operator's outputs in order."""
    kind, pieces = LAYOUTS[context.operator.name]
    context.emit(kind, [piece(context) for piece in pieces])


FUNCTIONS: Final = {
    "BATCH_TO_SPACE_ND": batch_to_space_nd,
    "CONCATENATION": concatenation,
    "GATHER": gather,
    "PACK": pack,
    "RESHAPE": reshape,
    "RESIZE_BILINEAR": resize(_O.RESIZE_BILINEAR, 3),
    "RESIZE_NEAREST_NEIGHBOR": resize(_O.RESIZE_NEAREST_NEIGHBOR, 4),
    "SPLIT_V": split_v,
    "SQUEEZE": squeeze,
    "STRIDED_SLICE": strided_slice,
    "UNPACK": unpack,
}
