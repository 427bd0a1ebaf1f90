"""Operators that compute and have no counterpart of the same form."""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.formats.tflite.context import Context
from nnvet.formats.tflite.graph import Quantization
from nnvet.formats.tflite.schema import TensorType
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM

_O, _T = OperationType, OperandType


def dequantize(context: Context) -> None:
    """DEQUANTIZE: float16 constants are widened here, computed float16 tensors take a CAST."""
    tensor = context.tensor(0)
    if tensor.type != TensorType.FLOAT16:
        context.emit(_O.DEQUANTIZE, [context.input(0)])
    elif tensor.value is None:
        context.emit(_O.CAST, [context.input(0)])
    else:
        wide = context.graph.constant(_T.TENSOR_FLOAT32, tensor.value)
        context.conversion.operands[context.output_tensor().index] = wide


def quantize(context: Context) -> None:
    """QUANTIZE; from one 8-bit form to another NNAPI goes by way of float."""
    if context.type(0) not in QUANT8_ASYMM:
        context.emit(_O.QUANTIZE, [context.input(0)])
        return
    middle = context.graph.tensor(_T.TENSOR_FLOAT32, ())
    context.emit(_O.DEQUANTIZE, [context.input(0)], [middle])
    context.emit(_O.QUANTIZE, [middle])


def leaky_relu(context: Context) -> None:
    """LEAKY_RELU is PRELU with one constant slope; a quantised slope is code 1 with the slope as its scale."""
    alpha = context.option("alpha")
    kind = OperandType(context.type(0))
    if kind not in QUANT8_ASYMM:
        slope = context.graph.constant(_T.TENSOR_FLOAT32, [alpha])
    elif alpha > 0:
        slope = context.graph.constant(kind, [1], Quantization(alpha))
    else:
        context.fail(f"the slope {alpha} is not positive", "quantise the model with a positive slope")
    context.emit(_O.PRELU, [context.input(0), slope])


def square(context: Context) -> None:
    """SQUARE is a product with itself."""
    context.emit(_O.MUL, [context.input(0), context.input(0), context.i32(0)])


def squared_difference(context: Context) -> None:
    """SQUARED_DIFFERENCE is a difference and a product; quantised ones would be rounded twice."""
    if context.type(0) in QUANT8_ASYMM:
        context.fail("it is quantised", "NNAPI would round between difference and square: keep it in float")
    output = context.output()
    difference = context.like(output)
    none = context.i32(0)
    context.emit(_O.SUB, [context.input(0), context.input(1), none], [difference])
    context.emit(_O.MUL, [difference, difference, none], [output])


def add_n(context: Context) -> None:
    """ADD_N is a chain of sums, in order."""
    first, *rest = context.inputs()
    output = context.output()
    if not rest or context.graph.arguments[first].type in QUANT8_ASYMM:
        context.fail("it is quantised or has a single input", "convert the model with ADD")
    for other in rest[:-1]:
        partial = context.like(output)
        context.emit(_O.ADD, [first, other, context.i32(0)], [partial])
        first = partial
    context.emit(_O.ADD, [first, rest[-1], context.i32(0)], [output])


def floor_div(context: Context) -> None:
    """FLOOR_DIV: NNAPI's integer DIV rounds down, a float one takes a FLOOR."""
    operands = [context.input(0), context.input(1), context.i32(0)]
    if context.type(0) == _T.TENSOR_INT32:
        context.emit(_O.DIV, operands)
        return
    output = context.output()
    quotient = context.like(output)
    context.emit(_O.DIV, operands, [quotient])
    context.emit(_O.FLOOR, [quotient], [output])


def pad_v2(context: Context) -> None:
    """PADV2: the value is FLOAT32 for float data and a raw code for quantised data."""
    value, quantized = context.tensor(2).value, context.type(0) in QUANT8_ASYMM
    if value is None or value.size != 1:
        context.fail("the padding value is not one constant", "convert the model with a constant padding value")
    number = value.reshape(-1)[0]
    pads = np.asarray(context.values(1)).reshape(-1, 2).tolist()
    if quantized and context.quantization(0) != context.hal_quantization(context.tensor(2)):
        context.fail("data and padding value have different scales", "quantise the model with equal ones")
    scalar = context.i32(int(number)) if quantized else context.f32(float(number))
    context.emit(_O.PAD_V2, [context.input(0), context.ints(pads), scalar])


def fill(context: Context) -> None:
    """FILL of a constant shape with a constant."""
    value = context.tensor(1).value
    if value is None or value.size != 1:
        context.fail("the value is not one constant", "convert the model with a constant value")
    number = value.reshape(-1)[0]
    integer = context.hal_type(context.tensor(1)) == _T.TENSOR_INT32
    scalar = context.i32(int(number)) if integer else context.f32(float(number))
    context.emit(_O.FILL, [context.ints(context.values(0)), scalar])


def l2_normalization(context: Context) -> None:
    """L2_NORMALIZATION along the last dimension; nothing is fused into it."""
    if context.option("activation"):
        context.fail("it has a fused activation", "convert the model with the activation as an operator of its own")
    context.emit(_O.L2_NORMALIZATION, [context.input(0)])


FUNCTIONS: Final = {
    "ADD_N": add_n,
    "DEQUANTIZE": dequantize,
    "FILL": fill,
    "FLOOR_DIV": floor_div,
    "L2_NORMALIZATION": l2_normalization,
    "LEAKY_RELU": leaky_relu,
    "PADV2": pad_v2,
    "QUANTIZE": quantize,
    "SQUARE": square,
    "SQUARED_DIFFERENCE": squared_difference,
}
