"""Forms of ONNX operators in the contract: :data:`FUNCTIONS` has a function for each, which emits HAL operations.

Source: the operators' own pages, https://onnx.ai/onnx/operators; feature maps are NCHW, which the contract has as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from nnvet.formats.onnx.context import NodeContext
from nnvet.formats.onnx.linear import batch_normalization, conv, gemm, global_pool, matmul, pool, response
from nnvet.hal.types import OperandType
from nnvet.hal.types import OperationType as O

Function = Callable[[NodeContext], None]


def _unary(kind: O, context: NodeContext) -> None:
    context.emit(kind, [context.input(0)])


def _binary(kind: O, context: NodeContext) -> None:
    """Broadcast two inputs; the operations of the contract with a fused activation have none here."""
    fused = [context.i32(0)] if kind in (O.ADD, O.SUB, O.MUL, O.DIV) else []
    context.emit(kind, [context.input(0), context.input(1), *fused])


def _division(context: NodeContext) -> None:
    if context.type_of(context.input(0)) == OperandType.TENSOR_INT32:
        context.fail("quotients of integers are rounded toward zero, the contract's down")
    _binary(O.DIV, context)


def _chained(kind: O, context: NodeContext) -> None:
    """Fold any number of inputs from the left."""
    fused = [context.i32(0)] if kind == O.ADD else []
    total = context.input(0)
    count = len(context.input_names)
    for position in range(1, count - 1):
        total = context.new(kind, [total, context.input(position), *fused])
    if count == 1:
        context.alias(total)
    else:
        context.emit(kind, [total, context.input(count - 1), *fused])


def _mean_of_inputs(context: NodeContext) -> None:
    total = context.input(0)
    for position in range(1, len(context.input_names)):
        total = context.new(O.ADD, [total, context.input(position), context.i32(0)])
    context.emit(O.MUL, [total, context.number(1 / len(context.input_names), total), context.i32(0)])


def _identity(context: NodeContext) -> None:
    context.alias(context.input(0))


def _dropout(context: NodeContext) -> None:
    training = context.values(2) if context.has(2) else None
    if training and training[0]:
        context.fail("training mode has no form in the contract")
    _identity(context)


def _elu(context: NodeContext) -> None:
    source = context.input(0)
    context.emit(O.ELU, [source, context.scalar(context.attribute("alpha", 1.0), source)])


def _leaky_relu(context: NodeContext) -> None:
    source = context.input(0)
    context.emit(O.PRELU, [source, context.number(context.attribute("alpha", 0.01), source)])


def _clip(context: NodeContext) -> None:
    source = context.input(0)
    ends = [(O.MAXIMUM, "min", 1), (O.MINIMUM, "max", 2)]
    given = [(kind, place, name) for kind, name, place in ends if name in context.attributes or context.has(place)]
    if not given:
        context.alias(source)
    for number, (kind, place, name) in enumerate(given):
        is_old = name in context.attributes
        bound = context.number(context.attribute(name), source) if is_old else context.input(place)
        if number == len(given) - 1:
            context.emit(kind, [source, bound])
        else:
            source = context.new(kind, [source, bound])


def _hard_sigmoid(context: NodeContext) -> None:
    source = context.input(0)
    alpha, beta = context.attribute("alpha", 0.2), context.attribute("beta", 0.5)
    scaled = context.new(O.MUL, [source, context.number(alpha, source), context.i32(0)])
    line = context.new(O.ADD, [scaled, context.number(beta, source), context.i32(0)])
    context.emit(O.MINIMUM, [context.new(O.MAXIMUM, [line, context.number(0.0, source)]), context.number(1.0, source)])


def _reciprocal(context: NodeContext) -> None:
    source = context.input(0)
    context.emit(O.DIV, [context.number(1.0, source), source, context.i32(0)])


def _softsign(context: NodeContext) -> None:
    source = context.input(0)
    below = context.new(O.ADD, [context.new(O.ABS, [source]), context.number(1.0, source), context.i32(0)])
    context.emit(O.DIV, [source, below, context.i32(0)])


def _gelu(context: NodeContext) -> None:
    if context.attribute("approximate", b"none") != b"tanh":
        context.fail("the form with the error function has no form in the contract")
    source = context.input(0)

    def times(first: int, second: int) -> int:
        return context.new(O.MUL, [first, second, context.i32(0)])

    cube = times(times(source, source), source)
    inner = context.new(O.ADD, [source, times(cube, context.number(0.044715, source)), context.i32(0)])
    bent = context.new(O.TANH, [times(inner, context.number(math.sqrt(2 / math.pi), source))])
    gate = context.new(O.ADD, [bent, context.number(1.0, source), context.i32(0)])
    context.emit(O.MUL, [times(source, context.number(0.5, source)), gate, context.i32(0)])


def _softmax(kind: O, context: NodeContext) -> None:
    source, rank = context.input(0), context.rank_of(0)
    is_old = context.conversion.opset < 13  # noqa: PLR2004 - the version that brought single axes
    axis = context.axis(context.attribute("axis", 1 if is_old else -1), rank)
    if is_old and axis != rank - 1:
        context.fail("before opset 13 it is over several axes at once")
    context.emit(kind, [source, context.scalar(1.0, source), context.i32(axis)])


def _where(context: NodeContext) -> None:
    wanted = np.broadcast_shapes(*(context.shape(position) for position in range(3)))
    context.emit(O.SELECT, [_as_large(context, position, wanted) for position in range(3)])


def _as_large(context: NodeContext, position: int, wanted: tuple[int, ...]) -> int:
    """Return an input broadcast to a shape, since the contract's SELECT does not broadcast."""
    source = context.input(position)
    if context.shape(position) == wanted:
        return source
    zeros = context.number(np.zeros(wanted), source)
    if context.type_of(source) == OperandType.TENSOR_BOOL8:
        return context.new(O.LOGICAL_OR, [source, zeros])
    return context.new(O.ADD, [source, zeros, context.i32(0)])


def _reshaped(context: NodeContext, shape: Sequence[int]) -> None:
    context.emit(O.RESHAPE, [context.input(0), context.ints(shape)])


def _reshape(context: NodeContext) -> None:
    wanted, given = context.values(1, "shape") or [], context.shape(0)
    if not context.attribute("allowzero", 0):
        wanted = [given[place] if size == 0 and place < len(given) else size for place, size in enumerate(wanted)]
    _reshaped(context, wanted or [1])


def _flatten(context: NodeContext) -> None:
    shape = context.shape(0)
    axis = context.attribute("axis", 1)
    axis += len(shape) if axis < 0 else 0
    _reshaped(context, [math.prod(shape[:axis]), math.prod(shape[axis:])])


def _squeeze(context: NodeContext) -> None:
    shape, axes = context.shape(0), context.values(1, "axes")
    gone = {context.axis(axis, len(shape)) for axis in axes} if axes is not None else set()
    kept = [size for place, size in enumerate(shape) if place not in gone and (axes is not None or size != 1)]
    _reshaped(context, kept or [1])


def _unsqueeze(context: NodeContext) -> None:
    shape, axes = list(context.shape(0)), context.values(1, "axes") or []
    rank = len(shape) + len(axes)
    for axis in sorted(context.axis(axis, rank) for axis in axes):
        shape.insert(axis, 1)
    _reshaped(context, shape)


def _transpose(context: NodeContext) -> None:
    order = context.attribute("perm", list(range(context.rank_of(0)))[::-1])
    context.emit(O.TRANSPOSE, [context.input(0), context.ints(order)])


def _concat(context: NodeContext) -> None:
    axis = context.axis(context.attribute("axis"), context.rank_of(0))
    inputs = [context.input(position) for position in range(len(context.input_names))]
    if len(inputs) == 1:
        context.alias(inputs[0])
    else:
        context.emit(O.CONCATENATION, [*inputs, context.i32(axis)])


def _split(context: NodeContext) -> None:
    shape, count = context.shape(0), len(context.output_names)
    axis = context.axis(context.attribute("axis", 0), len(shape))
    sizes = context.values(1, "split") if context.has(1) or "split" in context.attributes else None
    if sizes is None:
        part = -(-shape[axis] // count)
        sizes = [min(part, shape[axis] - part * number) for number in range(count)]
    begin = [0] * len(shape)
    for number, size in enumerate(sizes):
        extent = [*shape[:axis], size, *shape[axis + 1 :]]
        context.emit(O.SLICE, [context.input(0), context.ints(begin), context.ints(extent)], [context.output(number)])
        begin[axis] += size


def _slice(context: NodeContext) -> None:
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
        # Downwards the end may be before the first element, which only an open end can say.
        open_ends |= (1 << place) if to < 0 else 0
        end[place] = max(to, 0)
    parameters = [context.ints(values) for values in (begin, end, stride)]
    masks = [context.i32(0), context.i32(open_ends), context.i32(0)]
    context.emit(O.STRIDED_SLICE, [context.input(0), *parameters, *masks])


def _gather(context: NodeContext) -> None:
    axis, size = context.axis(context.attribute("axis", 0), context.rank_of(0)), None
    size = context.shape(0)[axis]
    indices = context.array(1)
    if indices is None:
        context.fail("indices are computed, and may be negative, which the contract's GATHER does not take")
    places = np.where(indices < 0, indices + size, indices).astype(np.int32)
    if places.ndim != 1:
        shape = context.shape(0)
        flat = context.new(O.GATHER, [context.input(0), context.i32(axis), context.constant(places.reshape(-1))])
        wanted = (*shape[:axis], *places.shape, *shape[axis + 1 :]) or (1,)
        context.emit(O.RESHAPE, [flat, context.ints(wanted)])
        return
    context.emit(O.GATHER, [context.input(0), context.i32(axis), context.constant(places)])


def _pad(context: NodeContext) -> None:
    source, rank = context.input(0), context.rank_of(0)
    pads = context.values(1, "pads") or []
    axes = context.values(3) if context.has(3) else None
    places = list(range(rank)) if axes is None else [context.axis(axis, rank) for axis in axes]
    table = np.zeros((rank, 2), np.int32)
    for number, place in enumerate(places):
        table[place] = pads[number], pads[number + len(places)]
    if (table < 0).any():
        context.fail("negative pads cut off, which the contract's PAD does not")
    mode = context.attribute("mode", b"constant")
    paddings = context.graph.constant(context.hal_type("int32"), table)
    if mode == b"reflect":
        context.emit(O.MIRROR_PAD, [source, paddings, context.i32(0)])
    elif mode == b"constant":
        value = (context.values(2) or [0.0])[0] if context.has(2) else context.attribute("value", 0.0)
        context.emit(O.PAD_V2, [source, paddings, context.scalar(value, source)])
    else:
        context.fail(f"mode {mode.decode()} has no form in the contract")


def _tile(context: NodeContext) -> None:
    context.emit(O.TILE, [context.input(0), context.ints(context.values(1) or [])])


def _expand(context: NodeContext) -> None:
    source, shape = context.input(0), context.values(1) or []
    wanted = np.broadcast_shapes(context.shape(0), tuple(shape))
    context.emit(O.ADD, [source, context.number(np.zeros(wanted), source), context.i32(0)])


def _block(kind: O, context: NodeContext) -> None:
    if context.attribute("mode", b"DCR") != b"DCR":
        context.fail("mode CRD has no form in the contract")
    context.emit(kind, [context.input(0), context.i32(context.attribute("blocksize")), context.flag(True)])


def _cast(context: NodeContext) -> None:
    target = context.conversion.types.get(context.output_names[0], "")
    if {target, _dtype(context)} & {"int64"}:
        context.fail("64-bit integers are not computed with")
    context.emit(O.CAST, [context.input(0)])


def _dtype(context: NodeContext) -> str:
    return context.conversion.types.get(context.input_names[0], "")


def _axes(context: NodeContext) -> list[int]:
    rank = context.rank_of(0)
    axes = context.values(1, "axes") if context.has(1) or "axes" in context.attributes else None
    if not axes:
        if context.attribute("noop_with_empty_axes", 0):
            context.fail("no axes at all are nothing to reduce")
        axes = list(range(rank))
    return [context.axis(axis, rank) for axis in axes]


def _reduced(kind: O, context: NodeContext, source: int, outputs: list[int] | None = None) -> None:
    keeps = context.attribute("keepdims", 1)
    flag = context.i32(keeps) if kind == O.MEAN else context.flag(bool(keeps))
    context.emit(kind, [source, context.ints(_axes(context)), flag], outputs)


def _reduce(kind: O, context: NodeContext, before: O | None = None, after: O | None = None) -> None:
    """Reduce what ``before`` makes of the input (MUL: its square), and apply ``after`` to the result."""
    source = context.input(0)
    if before == O.MUL:
        source = context.new(O.MUL, [source, source, context.i32(0)])
    elif before is not None:
        source = context.new(before, [source])
    if after is None:
        _reduced(kind, context, source)
        return
    between = context.graph.tensor(context.type_of(source), ())
    _reduced(kind, context, source, [between])
    context.emit(after, [between])


def _arg(kind: O, context: NodeContext) -> None:
    if context.attribute("select_last_index", 0):
        context.fail("the last of equal elements has no form in the contract")
    axis = context.axis(context.attribute("axis", 0), context.rank_of(0))
    source = context.input(0)
    if not context.attribute("keepdims", 1):
        context.emit(kind, [source, context.i32(axis)])
        return
    found = context.new(kind, [source, context.i32(axis)], context.graph.constant(context.hal_type("int32"), [0]))
    shape = list(context.shape(0))
    shape[axis] = 1
    context.emit(O.RESHAPE, [found, context.ints(shape)])


FUNCTIONS: Final[Mapping[str, Function]] = {
    **{
        name: partial(_unary, O[kind or name.upper()])
        for name, kind in {
            **dict.fromkeys(("Abs", "Exp", "Floor", "Log", "Neg", "Sqrt", "Sin", "Relu", "Tanh"), ""),
            "HardSwish": "HARD_SWISH",
            "Not": "LOGICAL_NOT",
            "Sigmoid": "LOGISTIC",
        }.items()
    },
    **{
        name: partial(_binary, O[kind or name.upper()])
        for name, kind in {
            **dict.fromkeys(("Add", "Equal", "Greater", "Less", "Mul", "PRelu", "Pow", "Sub"), ""),
            "And": "LOGICAL_AND",
            "GreaterOrEqual": "GREATER_EQUAL",
            "LessOrEqual": "LESS_EQUAL",
            "Or": "LOGICAL_OR",
        }.items()
    },
    "ArgMax": partial(_arg, O.ARGMAX),
    "ArgMin": partial(_arg, O.ARGMIN),
    "AveragePool": partial(pool, O.AVERAGE_POOL_2D),
    "BatchNormalization": batch_normalization,
    "Cast": _cast,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": conv,
    "DepthToSpace": partial(_block, O.DEPTH_TO_SPACE),
    "Div": _division,
    "Dropout": _dropout,
    "Elu": _elu,
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "Gelu": _gelu,
    "Gemm": gemm,
    "GlobalAveragePool": partial(global_pool, O.MEAN),
    "GlobalMaxPool": partial(global_pool, O.REDUCE_MAX),
    "HardSigmoid": _hard_sigmoid,
    "Identity": _identity,
    "LRN": response,
    "LeakyRelu": _leaky_relu,
    "LogSoftmax": partial(_softmax, O.LOG_SOFTMAX),
    "MatMul": matmul,
    "Max": partial(_chained, O.MAXIMUM),
    "MaxPool": partial(pool, O.MAX_POOL_2D),
    "Mean": _mean_of_inputs,
    "Min": partial(_chained, O.MINIMUM),
    "Pad": _pad,
    "Reciprocal": _reciprocal,
    "ReduceL1": partial(_reduce, O.REDUCE_SUM, before=O.ABS),
    "ReduceL2": partial(_reduce, O.REDUCE_SUM, before=O.MUL, after=O.SQRT),
    "ReduceLogSum": partial(_reduce, O.REDUCE_SUM, after=O.LOG),
    "ReduceLogSumExp": partial(_reduce, O.REDUCE_SUM, before=O.EXP, after=O.LOG),
    "ReduceMax": partial(_reduce, O.REDUCE_MAX),
    "ReduceMean": partial(_reduce, O.MEAN),
    "ReduceMin": partial(_reduce, O.REDUCE_MIN),
    "ReduceProd": partial(_reduce, O.REDUCE_PROD),
    "ReduceSum": partial(_reduce, O.REDUCE_SUM),
    "ReduceSumSquare": partial(_reduce, O.REDUCE_SUM, before=O.MUL),
    "Reshape": _reshape,
    "Slice": _slice,
    "Softmax": partial(_softmax, O.SOFTMAX),
    "Softsign": _softsign,
    "SpaceToDepth": partial(_block, O.SPACE_TO_DEPTH),
    "Split": _split,
    "Squeeze": _squeeze,
    "Sum": partial(_chained, O.ADD),
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
    "Where": _where,
}
"""The functions by operator."""
