"""AXIS_ALIGNED_BBOX_TRANSFORM, GENERATE_PROPOSALS: boxes from anchors or regions and predicted deltas.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 18; kernels in
``reference_driver/kernels/proposals.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.boxes import BOX_QUANTIZATION, box_quantization_rule, box_rows, dimensions_rule
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, ZeroSized
from nnvet.hal.operations.formals import tensor
from nnvet.hal.operations.shapes import to_nhwc
from nnvet.hal.operations.shared_rules import LAYOUT, is_nchw


def _box_parameters(call: Call) -> tuple[float, int] | tuple[None, None]:
    """Scale and zero point that boxes must have; none for floats."""
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
