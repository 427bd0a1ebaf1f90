"""BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING: the boxes that stand for objects, chosen by score and overlap.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 18; kernels in
``reference_driver/kernels/detection.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.boxes import (
    BOX_QUANTIZATION,
    FLOATS,
    box_quantization_rule,
    box_rows,
    dimensions_rule,
)
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, ZeroSized
from nnvet.hal.operations.formals import tensor

HARD, LINEAR, GAUSSIAN = 0, 1, 2
"""Methods by which the scores of overlapping boxes decay."""


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
    """Rule that a count is above 0; with ``regular`` only if suppression is of that kind."""
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
