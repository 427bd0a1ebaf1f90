"""AXIS_ALIGNED_BBOX_TRANSFORM and GENERATE_PROPOSALS. From their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.boxes import Real, hard_nms, quantized_like, transform
from nnvet.oracle.operations.invocation import Invocation, Meaning, in_nhwc, like
from nnvet.oracle.operations.tensor import Array, Tensor, one_by_one


def axis_aligned_bbox_transform(rois: Tensor, deltas: Tensor, batches: Sequence[int], images: Tensor) -> Tensor:
    """Boxes [rois, classes * 4] for real regions, deltas and image sizes."""

    def element(index: tuple[int, ...]) -> float:
        roi, column = index
        first = column - column % 4
        box = transform(
            [np.float32(rois[(roi, i)]) for i in range(4)],
            [np.float32(deltas[(roi, first + i)]) for i in range(4)],
            *(np.float32(images[(batches[roi], i)]) for i in range(2)),
        )
        return float(box[column % 4])

    return one_by_one(deltas.dims, element)


@dataclass(frozen=True)
class ProposalSettings:
    """The scalars of GENERATE_PROPOSALS."""

    height_stride: float = 4.0
    width_stride: float = 4.0
    pre_nms_max: int = -1
    post_nms_max: int = -1
    iou_threshold: float = 0.5
    min_size: float = 1.0


@dataclass(frozen=True)
class Proposal:
    """One output box."""

    score: float
    box: list[float]
    batch: int


def generate_proposals(
    scores: Tensor, deltas: Tensor, anchors: Tensor, images: Tensor, settings: ProposalSettings
) -> list[Proposal]:
    """Proposals of all images in order; scores and deltas are NHWC."""
    result: list[Proposal] = []
    batches, height, width, kinds = scores.dims
    for batch in range(batches):
        sizes = [np.float32(images[(batch, i)]) for i in range(2)]
        score: list[Real] = []
        boxes: list[list[Real]] = []
        for y in range(height):
            for x in range(width):
                for kind in range(kinds):
                    across = np.float32(x) * np.float32(settings.width_stride)
                    down = np.float32(y) * np.float32(settings.height_stride)
                    anchor = [
                        np.float32(anchors[(kind, i)]) + shift for i, shift in enumerate((across, down, across, down))
                    ]
                    delta = [np.float32(deltas[(batch, y, x, 4 * kind + i)]) for i in range(4)]
                    boxes.append(transform(anchor, delta, *sizes))
                    score.append(np.float32(scores[(batch, y, x, kind)]))
        picked = _pick(score, boxes, sizes, settings)
        result += [Proposal(float(score[i]), [float(x) for x in boxes[i]], batch) for i in picked]
    return result


def _pick(score: list[Real], boxes: list[list[Real]], sizes: list[Real], settings: ProposalSettings) -> list[int]:
    order = list(range(len(score)))
    if 0 < settings.pre_nms_max < len(order):
        order.sort(key=lambda i: -score[i])
        order = order[: settings.pre_nms_max]
    order = [i for i in order if _large_and_inside(boxes[i], sizes, settings.min_size)]
    return hard_nms(score, settings.iou_threshold, settings.post_nms_max, lambda i: boxes[i], order)


def _large_and_inside(box: list[Real], sizes: list[Real], smallest: float) -> bool:
    x1, y1, x2, y2 = box
    height, width = sizes
    box_width, box_height = x2 - x1, y2 - y1
    large = box_width > np.float32(smallest) and box_height > np.float32(smallest)
    inside = x1 + box_width / np.float32(2) < width and y1 + box_height / np.float32(2) < height
    return bool(large and inside)


def _bbox_transform(call: Invocation) -> Array:
    """Inputs: regions, deltas, batch indexes, image sizes."""
    result = axis_aligned_bbox_transform(call.real(0), call.real(1), call.list(2), call.real(3))
    return quantized_like(call.output, result)


def _generate_proposals(call: Invocation) -> list[Array]:
    """Inputs: scores, deltas, anchors, image sizes, strides, limits, IoU threshold, smallest size, layout."""
    nchw = call.flag(10)
    scores, deltas = (in_nhwc(call.real(i), nchw=nchw) for i in range(2))
    found = generate_proposals(scores, deltas, call.real(2), call.real(3), ProposalSettings(*call.numbers(4, 6)))
    count = len(found)
    return [
        quantized_like(call.outputs[0], Tensor([proposal.score for proposal in found], (count,))),
        quantized_like(call.outputs[1], Tensor([proposal.box for proposal in found], (count, 4))),
        np.array([proposal.batch for proposal in found], np.int64),
    ]


MEANINGS: Final = {
    O.AXIS_ALIGNED_BBOX_TRANSFORM: Meaning(_bbox_transform),
    O.GENERATE_PROPOSALS: Meaning(_generate_proposals, like(0)),
}
