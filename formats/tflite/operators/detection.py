"""The detection head that TFLite has as a custom operator: boxes out of anchors, the best of them kept."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from nnvet.formats.tflite.context import Context
from nnvet.formats.tflite.schema import custom_operator
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM

try:
    from flatbuffers import flexbuffers
except ImportError:  # pragma: no cover - depends on what is installed
    flexbuffers = None

_O, _T = OperationType, OperandType
_PER_CLASS: Final = 100
"""TFLite's limit of boxes of a class where the options have none."""


class _Options(NamedTuple):
    """The head's options; scales divide what the network says of a box."""

    scales: tuple[float, ...]
    is_regular: bool
    most: int
    classes_of_box: int
    most_of_class: int
    score: float
    overlap: float
    classes: int


def detection_postprocess(context: Context) -> None:
    """TFLite_Detection_PostProcess: boxes, classes and scores, all of them float, and their number.

    NNAPI names scores first, wants a background class before the others, and counts in integers.
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
    """The number of boxes as a float: NNAPI counts rows, of which a box has one for each of its classes."""
    if rows_of_box == 1:
        context.emit(_O.CAST, [rows], [count])
        return
    in_float = context.graph.tensor(_T.TENSOR_FLOAT32, ())
    context.emit(_O.CAST, [rows], [in_float])
    divisor = context.graph.constant(_T.TENSOR_FLOAT32, [rows_of_box])
    context.emit(_O.DIV, [in_float, divisor, context.i32(0)], [count])


def _in_float(context: Context, position: int) -> int:
    """An input, of codes as the numbers they stand for."""
    operand = context.input(position)
    if context.type(position) not in QUANT8_ASYMM:
        return operand
    wide = context.graph.tensor(_T.TENSOR_FLOAT32, ())
    context.emit(_O.DEQUANTIZE, [operand], [wide])
    return wide


def _options(context: Context) -> _Options:
    """The options, which are a map of FlexBuffers.

    :raises ModelFileError: they are not whole.
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


FUNCTIONS: Final = {custom_operator("TFLite_Detection_PostProcess"): detection_postprocess}
