"""HEATMAP_MAX_KEYPOINT: where in its box each heat map has its maximum.

Source: docs/contract/operations/HEATMAP_MAX_KEYPOINT.md; kernel in
``reference_driver/kernels/keypoint.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.boxes import BOX_QUANTIZATION, box_quantization_rule, box_rows, dimensions_rule
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, ZeroSized
from nnvet.hal.operations.formals import tensor
from nnvet.hal.operations.shapes import to_nhwc
from nnvet.hal.operations.shared_rules import LAYOUT, is_nchw


def _maps(call: Call) -> tuple[int, int, int, int]:
    return to_nhwc(call["heatmap"].dimensions, nchw=is_nchw(call))


def _square(call: Call) -> bool:
    _, height, width, _ = _maps(call)
    return height == width >= 2


def _keypoints(call: Call) -> tuple[OutputSpec, ...]:
    boxes, _, _, keypoints = _maps(call)
    sixteen_bit = call["boxes"].type == OperandType.TENSOR_QUANT16_ASYMM
    return (
        OutputSpec((boxes, keypoints)),
        OutputSpec((boxes, keypoints, 2), *(BOX_QUANTIZATION if sixteen_bit else (None, None))),
    )


HEATMAP_MAX_KEYPOINT = OperationDeclaration(
    type=OperationType.HEATMAP_MAX_KEYPOINT,
    summary="position and score of the maximum of each heat map, between its cells",
    rows=box_rows("B"),
    signatures=(
        Signature(
            "keypoint",
            (
                tensor("heatmap", "T", 4, "square maps; batches are boxes, channels are keypoints"),
                tensor("boxes", "B", 2, "where the maps lie: [num_boxes, 4], x1 <= x2, y1 <= y2"),
                LAYOUT,
            ),
        ),
    ),
    outputs=(
        Formal("scores_out", "T", "[num_boxes, num_keypoints]"),
        Formal("keypoints_out", "B", "x, y: [num_boxes, num_keypoints, 2]"),
    ),
    rules=(
        Rule("HEATMAP_MAX_KEYPOINT/heatmap.size", "Maps are square, of at least 2 by 2 cells.", _square),
        dimensions_rule(
            "HEATMAP_MAX_KEYPOINT",
            "boxes",
            "There is one box for each batch of maps.",
            lambda call: (call["heatmap"].dimensions[0], 4),
        ),
        box_quantization_rule("HEATMAP_MAX_KEYPOINT", "boxes"),
        Rule("HEATMAP_MAX_KEYPOINT/boxes.order", "Boxes have x1 <= x2 and y1 <= y2."),
    ),
    infer=_keypoints,
    zero_sized=ZeroSized.FAILS,
)
