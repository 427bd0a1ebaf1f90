"""Convolutions and matrix products: weights, the bias and its scale, and layouts that differ from TFLite's."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from nnvet.formats.tflite.context import Context
from nnvet.formats.tflite.graph import Quantization
from nnvet.formats.tflite.schema import TensorType
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM

_T = OperandType
_LARGEST_ZERO_BIAS: Final = 2**20
_VALID: Final = 2


def bias(context: Context, position: int, data: int, weights: int, units: int) -> int:
    """The bias operand, zeros where the operator has none.

    NNAPI wants the scale to be exactly input scale times weight scale (0 for per-channel weights); runtimes of
    TFLite add the integers as if it were, whatever the file declares.
    """
    graph = context.graph
    left, right = graph.arguments[data], graph.arguments[weights]
    quantized = left.type in QUANT8_ASYMM
    kind = _T.TENSOR_INT32 if quantized else _T.TENSOR_FLOAT32
    scale = float(np.float32(left.scale) * np.float32(right.scale)) if quantized else 0.0
    if not context.has(position):
        if units > _LARGEST_ZERO_BIAS:
            context.fail(f"{units} output channels without a bias", "convert the model with a bias")
        return graph.constant(kind, np.zeros(units), Quantization(scale))
    tensor = context.tensor(position)
    if tensor.value is None or not quantized:
        return context.input(position)
    if tensor.type != TensorType.INT32:
        context.fail(f"the bias is {tensor.type.name}", "NNAPI wants INT32 beside 8-bit data: quantise the model again")
    return graph.constant(kind, tensor.value, Quantization(scale))


def conv_2d(context: Context) -> None:
    """CONV_2D; a filter of fewer channels than the input is NNAPI's GROUPED_CONV_2D."""
    data, weights = context.input(0), context.input(1)
    operands = [data, weights, bias(context, 2, data, weights, context.shape(1)[0]), context.padding()]
    strides = [context.i32(context.option("stride_w")), context.i32(context.option("stride_h"))]
    dilation = (context.option("dilation_w_factor"), context.option("dilation_h_factor"))
    channels, group = context.shape(0)[-1], context.shape(1)[-1]
    if channels == group:
        operands += [*strides, context.activation(), *_dilation(context, dilation)]
        context.emit(OperationType.CONV_2D, operands)
        return
    if channels % group or dilation != (1, 1):
        context.fail(
            f"{channels} input channels, {group} filter channels, dilation {dilation}",
            "NNAPI groups only whole channels without dilation: convert the model in another way",
        )
    operands += [*strides, context.i32(channels // group), context.activation(), context.flag(False)]
    context.emit(OperationType.GROUPED_CONV_2D, operands)


def depthwise_conv_2d(context: Context) -> None:
    """DEPTHWISE_CONV_2D; the depth multiplier follows from the shapes."""
    data, weights = context.input(0), context.input(1)
    channels, out = context.shape(0)[-1], context.shape(1)[-1]
    operands = [data, weights, bias(context, 2, data, weights, out), context.padding()]
    operands += [context.i32(context.option("stride_w")), context.i32(context.option("stride_h"))]
    operands += [context.i32(out // channels), context.activation()]
    dilation = (context.option("dilation_w_factor"), context.option("dilation_h_factor"))
    context.emit(OperationType.DEPTHWISE_CONV_2D, [*operands, *_dilation(context, dilation)])


def transpose_conv(context: Context) -> None:
    """TRANSPOSE_CONV: TFLite's order is output shape, weights, data, bias."""
    data, weights = context.input(2), context.input(1)
    operands = [data, weights, bias(context, 3, data, weights, context.shape(1)[0]), context.ints(context.values(0))]
    operands += [context.padding(), context.i32(context.option("stride_w")), context.i32(context.option("stride_h"))]
    context.emit(OperationType.TRANSPOSE_CONV_2D, [*operands, context.activation(), context.flag(False)])


def fully_connected(context: Context) -> None:
    """FULLY_CONNECTED; NNAPI's output is always [batch, units], another shape needs a RESHAPE."""
    if context.option("weights_format"):
        context.fail("the weights are shuffled for one processor", "convert the model with the default weights format")
    if context.hal_quantization(context.tensor(1)).channel:
        _fully_connected_per_channel(context)
        return
    data, weights, shape = context.input(0), context.input(1), context.shape(0)
    units, size = context.shape(1)
    operands = [data, weights, bias(context, 2, data, weights, units), context.activation()]
    if not context.option("keep_num_dims") or len(shape) == 2:  # noqa: PLR2004 - [batch, size]
        context.emit(OperationType.FULLY_CONNECTED, operands)
        return
    if shape[-1] != size:
        context.fail(f"input of shape {shape} against weights of {size} columns", "convert the model again")
    output = context.output()
    flat = context.like(output)
    context.emit(OperationType.FULLY_CONNECTED, operands, [flat])
    context.emit(OperationType.RESHAPE, [flat, context.ints([*shape[:-1], units])], [output])


def _fully_connected_per_channel(context: Context) -> None:
    """Weights with a scale for each unit: NNAPI has them in convolutions only, of which this is one of 1 by 1."""
    data, shape, output = context.input(0), context.shape(0), context.output()
    units, size = context.tensor(1).shape
    filters = context.constant(context.tensor(1), (units, 1, 1, size))
    batch = math.prod(shape) // size
    pixels, result = context.like(data), context.like(output)
    context.emit(OperationType.RESHAPE, [data, context.ints([batch, 1, 1, size])], [pixels])
    operands = [pixels, filters, bias(context, 2, data, filters, units), context.i32(_VALID)]
    operands += [context.i32(1), context.i32(1), context.activation()]
    context.emit(OperationType.CONV_2D, operands, [result])
    kept = shape[:-1] if context.option("keep_num_dims") else (batch,)
    context.emit(OperationType.RESHAPE, [result, context.ints([*kept, units])], [output])


def batch_matmul(context: Context) -> None:
    """BATCH_MATMUL; NNAPI does not broadcast the batch dimensions."""
    if context.shape(0)[:-2] != context.shape(1)[:-2]:
        context.fail(
            f"batch dimensions of {context.shape(0)} and {context.shape(1)} differ",
            "NNAPI does not broadcast them: convert the model with equal ones",
        )
    flags = [context.flag(context.option("adj_x")), context.flag(context.option("adj_y"))]
    context.emit(OperationType.BATCH_MATMUL, [context.input(0), context.input(1), *flags])


def _dilation(context: Context, factors: tuple[int, int]) -> list[int]:
    """The optional trailing operands layout and dilation (level 1.2), left out where they have no effect."""
    return [] if factors == (1, 1) else [context.flag(False), *map(context.i32, factors)]


FUNCTIONS: Final = {
    "BATCH_MATMUL": batch_matmul,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "TRANSPOSE_CONV": transpose_conv,
}
