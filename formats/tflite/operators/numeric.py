"""Converters of operators that compute: convolutions, matrix products, the detection head, and composite operators.

NNAPI orders weights and scales biases in another way than TFLite. The detection head is a custom operator of TFLite
that decodes boxes from anchors and keeps the best.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.formats.tflite.context import Context, Quantization
from nnvet.formats.tflite.schema import TensorType, custom_operator
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM

_O = OperationType
_T = OperandType


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


try:
    from flatbuffers import flexbuffers
except ImportError:  # pragma: no cover - depends on what is installed
    flexbuffers = None

_PER_CLASS: Final = 100
"""TFLite's limit of boxes of a class where the options have none."""


class _Options(NamedTuple):
    """The options of the detection head; its ``scales`` divide the box coordinates that the network computes."""

    scales: tuple[float, ...]
    is_regular: bool
    most: int
    classes_of_box: int
    most_of_class: int
    score: float
    overlap: float
    classes: int


def detection_postprocess(context: Context) -> None:
    """Convert TFLite_Detection_PostProcess: boxes, classes, scores and their number, all of them floats.

    NNAPI returns scores first, expects a background class before the others, and counts in integers.
    """
    options = _options(context)
    deltas, scores, anchors = (_in_float(context, position) for position in range(3))
    classes = context.graph.arguments[scores].dimensions[-1]
    if classes != options.classes + 1:
        context.fail(f"{classes} scores for {options.classes} classes", "NNAPI wants a background class before them")
    if options.classes_of_box > options.classes and not options.is_regular:
        context.fail(f"{options.classes_of_box} of {options.classes} classes for each box", "convert the model again")
    boxes, labels, best, count = context.outputs()
    labels_int, count_int = (context.graph.tensor(_T.TENSOR_INT32, ()) for _ in range(2))
    operands = [scores, deltas, anchors, *map(context.f32, options.scales), context.flag(options.is_regular)]
    operands += map(context.i32, (options.most, options.classes_of_box, options.most_of_class))
    operands += [context.f32(options.score), context.f32(options.overlap), context.flag(False)]
    context.emit(_O.DETECTION_POSTPROCESSING, operands, [best, boxes, labels_int, count_int])
    context.emit(_O.CAST, [labels_int], [labels])
    _count(context, count_int, count, 1 if options.is_regular else options.classes_of_box)


def _count(context: Context, rows: int, count: int, rows_of_box: int) -> None:
    """Return the number of boxes as a float: NNAPI counts rows, of which a box has one for each of its classes."""
    if rows_of_box == 1:
        context.emit(_O.CAST, [rows], [count])
        return
    in_float = context.graph.tensor(_T.TENSOR_FLOAT32, ())
    context.emit(_O.CAST, [rows], [in_float])
    divisor = context.graph.constant(_T.TENSOR_FLOAT32, [rows_of_box])
    context.emit(_O.DIV, [in_float, divisor, context.i32(0)], [count])


def _in_float(context: Context, position: int) -> int:
    """Return an input, of codes as the numbers they stand for."""
    operand = context.input(position)
    if context.type(position) not in QUANT8_ASYMM:
        return operand
    wide = context.graph.tensor(_T.TENSOR_FLOAT32, ())
    context.emit(_O.DEQUANTIZE, [operand], [wide])
    return wide


def _options(context: Context) -> _Options:
    """Return the options, which are a map of FlexBuffers.

    :raises ModelFileError: they are damaged.
    """
    if flexbuffers is None:
        context.fail("its options need the package flatbuffers", "install it with pip install 'nnvet[models]'")
    try:
        known: Any = flexbuffers.GetRoot(context.operator.custom_options).AsMap
        scales = tuple(float(known[f"{name}_scale"].AsFloat) for name in "yxhw")
        numbers = [int(known[name].AsInt) for name in ("max_detections", "max_classes_per_detection", "num_classes")]
        limits = [float(known[f"nms_{name}_threshold"].AsFloat) for name in ("score", "iou")]
        is_regular = bool(_optional(known, "use_regular_nms", 0))
        of_class = int(_optional(known, "detections_per_class", _PER_CLASS))
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        context.fail(f"its options cannot be read ({error})", "convert the model again")
    most, classes_of_box, classes = numbers
    return _Options(scales, is_regular, most, classes_of_box, of_class, limits[0], limits[1], classes)


def _optional(known: Any, name: str, default: int) -> int:
    try:
        return int(known[name].AsInt)
    except KeyError:
        return default


_LARGEST_ZERO_BIAS: Final = 2**20
"""Largest number of elements of a bias of zeros that is made for an operator without one."""
_VALID: Final = 2
"""NNAPI's code of the implicit padding VALID."""


def bias(context: Context, position: int, data: int, weights: int, units: int) -> int:
    """Return the bias operand, zeros where the operator has none.

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
    """Convert weights with a scale for each unit to a 1 x 1 convolution, the only such form that NNAPI has."""
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
    """Return the optional trailing operands layout and dilation (level 1.2), omitted where they have no effect."""
    return [] if factors == (1, 1) else [context.flag(False), *map(context.i32, factors)]


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
    custom_operator("TFLite_Detection_PostProcess"): detection_postprocess,
    "BATCH_MATMUL": batch_matmul,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "TRANSPOSE_CONV": transpose_conv,
}
