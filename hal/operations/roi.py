"""Regions of feature maps and of heat maps: ROI_ALIGN, ROI_POOLING, HEATMAP_MAX_KEYPOINT.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/roi.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature, ZeroSized
from nnvet.hal.operations.detection import BOX_QUANTIZATION, box_quantization_rule, box_rows, dimensions_rule
from nnvet.hal.operations.shapes import LAYOUT, from_nhwc, is_nchw, tensor, to_nhwc

_INPUTS = (
    tensor("input", "T", 4, "feature maps"),
    tensor("rois", "B", 2, "regions in coordinates of the original image: [num_rois, 4]"),
    tensor("batch_index", OperandType.TENSOR_INT32, 1, "feature map of each region"),
    Formal("output_height", OperandType.INT32, "height of the output"),
    Formal("output_width", OperandType.INT32, "width of the output"),
    Formal("height_ratio", "S", "height of the original image / height of the feature map"),
    Formal("width_ratio", "S", "width of the original image / width of the feature map"),
)
_SAMPLING = (
    Formal("height_sampling", OperandType.INT32, "samples per output cell along the height; 0: as many as cells"),
    Formal("width_sampling", OperandType.INT32, "samples per output cell along the width; 0: as many as cells"),
)


def _regions(call: Call, parameters: tuple[float, int] | tuple[None, None]) -> tuple[OutputSpec, ...]:
    channels = to_nhwc(call["input"].dimensions, nchw=is_nchw(call))[3]
    size = call.scalar("output_height"), call.scalar("output_width")
    dimensions = from_nhwc(call["rois"].dimensions[0], *size, channels, nchw=is_nchw(call))
    return (OutputSpec(dimensions, *parameters),)


def _all_positive(call: Call, *names: str) -> bool:
    return all(call.scalar(name) > 0 for name in names)


def _rules(name: str) -> tuple[Rule, ...]:
    return (
        dimensions_rule(name, "rois", "A region has four coordinates.", lambda _call: (None, 4)),
        dimensions_rule(
            name,
            "batch_index",
            "There is one feature map index for each region.",
            lambda call: call["rois"].dimensions[:1],
        ),
        box_quantization_rule(name, "rois"),
        Rule(
            f"{name}/output.size",
            "Height and width of the output are positive.",
            lambda call: _all_positive(call, "output_height", "output_width"),
        ),
        Rule(
            f"{name}/ratios",
            "Both ratios are positive.",
            lambda call: _all_positive(call, "height_ratio", "width_ratio"),
        ),
        Rule(f"{name}/batch_index.values", "Feature map indices lie in 0 … number of feature maps - 1."),
        Rule(
            f"{name}/rois.values",
            "Regions have 0 <= x1 <= x2 and 0 <= y1 <= y2 and end inside the feature map.",
        ),
    )


ROI_ALIGN = OperationDeclaration(
    type=OperationType.ROI_ALIGN,
    free_quantization=True,
    summary="regions of feature maps, brought to one size by averages of interpolated samples",
    rows=box_rows("BS"),
    signatures=(Signature("align", (*_INPUTS, *_SAMPLING, LAYOUT)),),
    outputs=(Formal("output", "T", "one map for each region"),),
    rules=(
        Rule(
            "ROI_ALIGN/input.dimensions",
            "Batches, height, width and channels of the feature maps are positive; only regions may be missing.",
            lambda call: 0 not in call["input"].dimensions,
        ),
        *_rules("ROI_ALIGN"),
        Rule(
            "ROI_ALIGN/sampling",
            "Numbers of samples are not negative.",
            lambda call: call.scalar("height_sampling") >= 0 and call.scalar("width_sampling") >= 0,
        ),
        Rule(
            "ROI_ALIGN/multiplier",
            "The input scale divided by 255, by the output scale and by the number of samples is less than 1.",
        ),
    ),
    infer=lambda call: _regions(call, (None, None)),
)
ROI_POOLING = OperationDeclaration(
    type=OperationType.ROI_POOLING,
    summary="regions of feature maps, brought to one size by maxima",
    rows=box_rows("BS"),
    signatures=(Signature("pooling", (*_INPUTS, LAYOUT)),),
    outputs=(Formal("output", "T", "one map for each region"),),
    rules=_rules("ROI_POOLING"),
    infer=lambda call: _regions(call, (call["input"].scale, call["input"].zero_point)),
    zero_sized=ZeroSized.FAILS,
)


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
