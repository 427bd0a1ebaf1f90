"""Operations on boxes: decoding them, proposing them, and selecting the boxes that stand for objects.

Boxes are [x1, y1, x2, y2] (DETECTION_POSTPROCESSING: [y1, x1, y2, x2]) in image coordinates. With 8-bit scores
or features they are TENSOR_QUANT16_ASYMM with scale 0.125 and zero point 0.
Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 18; kernels in
``reference_driver/kernels/detection.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    TypeRow,
    ZeroSized,
)
from nnvet.hal.operations.shapes import LAYOUT, is_nchw, tensor, to_nhwc

BOX_QUANTIZATION = (0.125, 0)
"""Scale and zero point of 16-bit boxes."""

_BESIDE: dict[OperandType, tuple[int, dict[str, OperandType]]] = {
    OperandType.TENSOR_FLOAT32: (
        3,
        {"B": OperandType.TENSOR_FLOAT32, "A": OperandType.TENSOR_FLOAT32, "S": OperandType.FLOAT32},
    ),
    OperandType.TENSOR_FLOAT16: (
        3,
        {"B": OperandType.TENSOR_FLOAT16, "A": OperandType.TENSOR_FLOAT16, "S": OperandType.FLOAT16},
    ),
    OperandType.TENSOR_QUANT8_ASYMM: (
        3,
        {"B": OperandType.TENSOR_QUANT16_ASYMM, "A": OperandType.TENSOR_QUANT16_SYMM, "S": OperandType.FLOAT32},
    ),
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (
        4,
        {"B": OperandType.TENSOR_QUANT16_ASYMM, "A": OperandType.TENSOR_QUANT16_SYMM, "S": OperandType.FLOAT32},
    ),
}
"""For each type of scores or features: its first level, and the types that go with it."""
FLOATS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
"""The floating types of tensors."""


def box_rows(variables: str, types: Sequence[OperandType] = (*FLOATS, *QUANT8_ASYMM)) -> tuple[TypeRow, ...]:
    """Return type rows for scores or features (T) and those of ``variables``: boxes (B), anchors (A), scalars (S)."""
    return tuple(
        TypeRow(level, {"T": main} | {variable: beside[variable] for variable in variables})
        for main, (level, beside) in ((main, _BESIDE[main]) for main in types)
    )


def box_quantization_rule(name: str, operand: str, *, only: Sequence[OperandType] = QUANT8_ASYMM) -> Rule:
    """Return the rule that a 16-bit operand has the fixed quantisation, in type rows of the main types ``only``."""
    return Rule(
        f"{name}/{operand}.quantization",
        "16-bit coordinates have scale 0.125 and zero point 0.",
        lambda call: (
            call.row.types["T"] not in only or (call[operand].scale, call[operand].zero_point) == BOX_QUANTIZATION
        ),
    )


def dimensions_rule(name: str, operand: str, sentence: str, expected: Callable[[Call], tuple[int | None, ...]]) -> Rule:
    """Return the rule ``NAME/OPERAND.dimensions``; None in the expected dimensions stands for any size."""
    return Rule(
        f"{name}/{operand}.dimensions",
        sentence,
        lambda call: all(
            wanted in (None, size) for wanted, size in zip(expected(call), call[operand].dimensions, strict=True)
        ),
    )


HARD, LINEAR, GAUSSIAN = 0, 1, 2
"""Methods of decaying the scores of overlapping boxes."""


def _limited(call: Call) -> tuple[OutputSpec, ...]:
    scores = call["scores"]
    sixteen_bit = call["boxes"].type == OperandType.TENSOR_QUANT16_ASYMM
    return (
        OutputSpec(None, scores.scale, scores.zero_point),
        OutputSpec(None, *(BOX_QUANTIZATION if sixteen_bit else (None, None))),
        OutputSpec(None),
        OutputSpec(None),
    )


BOX_WITH_NMS_LIMIT = OperationDeclaration(
    type=OperationType.BOX_WITH_NMS_LIMIT,
    summary="boxes whose scores survive the decay by better boxes of their class that overlap them",
    rows=box_rows("BS"),
    signatures=(
        Signature(
            "limit",
            (
                tensor("scores", "T", 2, "score of each class; class 0 is background: [num_rois, num_classes]"),
                tensor("boxes", "B", 2, "a box for each class: [num_rois, num_classes * 4]"),
                tensor("batch_index", OperandType.TENSOR_INT32, 1, "image of each row; equal ones are adjacent"),
                Formal("score_threshold", "S", "score that candidates exceed"),
                Formal("max_detections", OperandType.INT32, "boxes per image; less than 0: all"),
                Formal(
                    "nms_kernel", OperandType.INT32, "0 hard, 1 linear, 2 gaussian", values=(HARD, LINEAR, GAUSSIAN)
                ),
                Formal("iou_threshold", "S", "overlap from which scores decay; kernels 0 and 1"),
                Formal("sigma", "S", "width of the gaussian; kernel 2"),
                Formal("nms_score_threshold", "S", "score below which decaying boxes are dropped"),
            ),
        ),
    ),
    outputs=(
        Formal("scores_out", "T", "decayed scores: [num_output_rois]"),
        Formal("boxes_out", "B", "boxes: [num_output_rois, 4]"),
        Formal("classes_out", OperandType.TENSOR_INT32, "class of each box"),
        Formal("batch_index_out", OperandType.TENSOR_INT32, "image of each box"),
    ),
    rules=(
        dimensions_rule(
            "BOX_WITH_NMS_LIMIT",
            "boxes",
            "There is one box for each score.",
            lambda call: (call["scores"].dimensions[0], 4 * call["scores"].dimensions[1]),
        ),
        dimensions_rule(
            "BOX_WITH_NMS_LIMIT",
            "batch_index",
            "There is one image index for each row of scores.",
            lambda call: call["scores"].dimensions[:1],
        ),
        Rule(
            "BOX_WITH_NMS_LIMIT/scores.classes",
            "There are at least two classes, background included.",
            lambda call: call["scores"].dimensions[1] > 1,
        ),
        box_quantization_rule("BOX_WITH_NMS_LIMIT", "boxes"),
        Rule(
            "BOX_WITH_NMS_LIMIT/nms_kernel",
            "The kernel is 0 (hard), 1 (linear) or 2 (gaussian) unless there are no boxes at all.",
            lambda call: call["scores"].dimensions[0] == 0 or call.scalar("nms_kernel") in (HARD, LINEAR, GAUSSIAN),
        ),
        Rule(
            "BOX_WITH_NMS_LIMIT/boxes.order",
            "Boxes have x1 <= x2 and y1 <= y2; checked for the first n boxes of the n rows of an image.",
        ),
    ),
    infer=_limited,
)


def rows_per_image(call: Call) -> int:
    """Return the number of detections per image that the outputs hold."""
    limit: int = call.scalar("max_detections")
    return limit if call.scalar("use_regular_nms") else limit * int(call.scalar("max_classes_per_detection"))


def _detections(call: Call) -> tuple[OutputSpec, ...]:
    batches, count = call["scores"].dimensions[0], rows_per_image(call)
    return (
        OutputSpec((batches, count)),
        OutputSpec((batches, count, 4)),
        OutputSpec((batches, count)),
        OutputSpec((batches,)),
    )


def _positive(operand: str, sentence: str, *, regular: bool | None = None) -> Rule:
    """Return the rule that a count is above 0; with ``regular`` it holds only for regular suppression."""
    return Rule(
        f"DETECTION_POSTPROCESSING/{operand}",
        sentence,
        lambda call: (
            (regular is not None and bool(call.scalar("use_regular_nms")) != regular) or call.scalar(operand) > 0
        ),
    )


_SCALES = ("scale_dy", "scale_dx", "scale_dh", "scale_dw")
_THRESHOLDS = ("score_threshold", "iou_threshold")

DETECTION_POSTPROCESSING = OperationDeclaration(
    type=OperationType.DETECTION_POSTPROCESSING,
    summary="boxes decoded from anchors, with scores and classes, best first",
    rows=box_rows("S", FLOATS),
    signatures=(
        Signature(
            "detections",
            (
                tensor("scores", "T", 3, "[batches, num_anchors, num_classes]; class 0 is background"),
                tensor("deltas", "T", 3, "dy, dx, dh, dw, then ignored: [batches, num_anchors, 4 or more]"),
                tensor("anchors", "T", 2, "centre y, centre x, height, width: [num_anchors, 4]"),
                *(Formal(name, "S", f"divisor of delta {name[-2:]}") for name in _SCALES),
                Formal("use_regular_nms", OperandType.BOOL, "suppression class by class, not by best score"),
                Formal("max_detections", OperandType.INT32, "boxes selected per image"),
                Formal("max_classes_per_detection", OperandType.INT32, "rows per box; not with regular suppression"),
                Formal("max_detections_per_class", OperandType.INT32, "boxes per class; only with regular suppression"),
                Formal("score_threshold", "S", "score that candidates exceed"),
                Formal("iou_threshold", "S", "overlap from which a box is suppressed"),
                Formal("is_background_in_label", OperandType.BOOL, "whether labels start at 1, not 0"),
            ),
        ),
    ),
    outputs=(
        Formal("scores_out", "T", "[batches, rows]; 0 from the valid count on, in all outputs"),
        Formal("boxes_out", "T", "y1, x1, y2, x2: [batches, rows, 4]"),
        Formal("classes_out", OperandType.TENSOR_INT32, "[batches, rows]"),
        Formal("valid_out", OperandType.TENSOR_INT32, "number of valid rows: [batches]"),
    ),
    rules=(
        dimensions_rule(
            "DETECTION_POSTPROCESSING",
            "deltas",
            "Deltas have batches and anchors of the scores.",
            lambda call: (*call["scores"].dimensions[:2], None),
        ),
        Rule(
            "DETECTION_POSTPROCESSING/deltas.encoding",
            "There are at least four deltas for each anchor.",
            lambda call: call["deltas"].dimensions[2] >= 4,
        ),
        dimensions_rule(
            "DETECTION_POSTPROCESSING",
            "anchors",
            "There are four numbers for each anchor of the scores.",
            lambda call: (call["scores"].dimensions[1], 4),
        ),
        Rule(
            "DETECTION_POSTPROCESSING/scores.classes",
            "There are at least two classes, background included.",
            lambda call: call["scores"].dimensions[2] > 1,
        ),
        Rule(
            "DETECTION_POSTPROCESSING/scales",
            "Divisors of deltas are greater than 0.",
            lambda call: all(call.scalar(name) > 0 for name in _SCALES),
        ),
        _positive("max_detections", "At least one detection per image is allowed."),
        _positive(
            "max_classes_per_detection",
            "Without regular suppression a detection has at least one class.",
            regular=False,
        ),
        _positive(
            "max_detections_per_class",
            "With regular suppression at least one detection per class is allowed.",
            regular=True,
        ),
        Rule(
            "DETECTION_POSTPROCESSING/thresholds",
            "Thresholds of score and overlap are not negative.",
            lambda call: all(call.scalar(name) >= 0 for name in _THRESHOLDS),
        ),
    ),
    infer=_detections,
    zero_sized=ZeroSized.FAILS,
)


def _box_parameters(call: Call) -> tuple[float, int] | tuple[None, None]:
    """Return the scale and zero point that boxes must have; none for floats."""
    return BOX_QUANTIZATION if call.row.types["B"] == OperandType.TENSOR_QUANT16_ASYMM else (None, None)


def _transformed(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec(call["deltas"].dimensions, *_box_parameters(call)),)


AXIS_ALIGNED_BBOX_TRANSFORM = OperationDeclaration(
    type=OperationType.AXIS_ALIGNED_BBOX_TRANSFORM,
    summary="regions moved and resized by the deltas of each class, clipped to the image",
    rows=box_rows("B"),
    signatures=(
        Signature(
            "transform",
            (
                tensor("roi", "B", 2, "regions: [num_rois, 4], x1 <= x2, y1 <= y2"),
                tensor("deltas", "T", 2, "dx, dy, dw, dh for each class: [num_rois, num_classes * 4]"),
                tensor("batch_index", OperandType.TENSOR_INT32, 1, "image of each region"),
                tensor("image_info", "B", 2, "height and width of each image: [batches, 2]"),
            ),
        ),
    ),
    outputs=(Formal("output", "B", "boxes for each class: [num_rois, num_classes * 4]"),),
    rules=(
        dimensions_rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM", "roi", "A region has four coordinates.", lambda _call: (None, 4)
        ),
        dimensions_rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM",
            "deltas",
            "Deltas have one row for each region.",
            lambda call: (call["roi"].dimensions[0], None),
        ),
        Rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM/deltas.classes",
            "Deltas have four numbers for each class, and there is at least one class.",
            lambda call: call["deltas"].dimensions[1] > 0 and call["deltas"].dimensions[1] % 4 == 0,
        ),
        dimensions_rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM",
            "batch_index",
            "There is one image index for each region.",
            lambda call: call["roi"].dimensions[:1],
        ),
        dimensions_rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM", "image_info", "An image has a height and a width.", lambda _call: (None, 2)
        ),
        Rule(
            "AXIS_ALIGNED_BBOX_TRANSFORM/image_info.batches",
            "There is at least one image.",
            lambda call: call["image_info"].dimensions[0] > 0,
        ),
        box_quantization_rule("AXIS_ALIGNED_BBOX_TRANSFORM", "roi"),
        box_quantization_rule("AXIS_ALIGNED_BBOX_TRANSFORM", "image_info"),
        Rule("AXIS_ALIGNED_BBOX_TRANSFORM/batch_index.values", "Image indices lie in 0 … number of images - 1."),
        Rule("AXIS_ALIGNED_BBOX_TRANSFORM/roi.order", "Regions have x1 <= x2 and y1 <= y2."),
    ),
    infer=_transformed,
)


def _grid(call: Call, operand: str) -> tuple[int, int, int, int]:
    return to_nhwc(call[operand].dimensions, nchw=is_nchw(call))


def _deltas_fit(call: Call) -> bool:
    *places, anchors = _grid(call, "scores")
    return _grid(call, "deltas") == (*places, 4 * anchors)


def _proposed(call: Call) -> tuple[OutputSpec, ...]:
    scores = call["scores"]
    # Nothing is demanded of boxes that go with signed scores.
    signed = scores.type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED
    boxes = (None, None) if signed else _box_parameters(call)
    return OutputSpec(None, scores.scale, scores.zero_point), OutputSpec(None, *boxes), OutputSpec(None)


GENERATE_PROPOSALS = OperationDeclaration(
    type=OperationType.GENERATE_PROPOSALS,
    summary="the best boxes that anchors at every position of a feature map turn into",
    rows=box_rows("BAS"),
    signatures=(
        Signature(
            "proposals",
            (
                tensor("scores", "T", 4, "score of each anchor at each position; channels are anchors"),
                tensor("deltas", "T", 4, "dx, dy, dw, dh of each anchor at each position; channels are anchors * 4"),
                tensor("anchors", "A", 2, "boxes at position (0, 0): [num_anchors, 4]"),
                tensor("image_info", "B", 2, "height and width of each image: [batches, 2]"),
                Formal("height_stride", "S", "image height / feature map height"),
                Formal("width_stride", "S", "image width / feature map width"),
                Formal("pre_nms_max", OperandType.INT32, "boxes before suppression; 0 or less: all"),
                Formal("post_nms_max", OperandType.INT32, "boxes after suppression; less than 0: all"),
                Formal("iou_threshold", "S", "overlap from which a box is suppressed"),
                Formal("min_size", "S", "width and height that boxes exceed, in pixels"),
                LAYOUT,
            ),
        ),
    ),
    outputs=(
        Formal("scores_out", "T", "scores of the boxes, falling within an image"),
        Formal("boxes_out", "B", "boxes: [num_output_rois, 4]"),
        Formal("batch_index_out", OperandType.TENSOR_INT32, "image of each box, ascending"),
    ),
    rules=(
        Rule(
            "GENERATE_PROPOSALS/deltas.dimensions",
            "Deltas have batches, height and width of the scores, and four channels for each anchor.",
            _deltas_fit,
        ),
        dimensions_rule(
            "GENERATE_PROPOSALS",
            "anchors",
            "There is one box for each anchor.",
            lambda call: (_grid(call, "scores")[3], 4),
        ),
        dimensions_rule(
            "GENERATE_PROPOSALS",
            "image_info",
            "There are a height and a width for each image.",
            lambda call: (call["scores"].dimensions[0], 2),
        ),
        box_quantization_rule("GENERATE_PROPOSALS", "anchors", only=(OperandType.TENSOR_QUANT8_ASYMM,)),
        box_quantization_rule("GENERATE_PROPOSALS", "image_info", only=(OperandType.TENSOR_QUANT8_ASYMM,)),
        Rule("GENERATE_PROPOSALS/anchors.order", "Anchors have x1 <= x2 and y1 <= y2 at every position."),
    ),
    infer=_proposed,
    zero_sized=ZeroSized.FAILS,
)
