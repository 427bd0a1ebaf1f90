"""Boxes: decoding, proposals, and non-maximum suppression step by step. From their pages in docs/contract/operations.

Numbers are np.float32 scalars, so that every step is rounded as the reference rounds it. Lists of candidates are
changed in place, swap by swap. Python's max and min keep the first of two numbers in the same cases as C++'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import invocation
from nnvet.oracle.operations.fixed_point_functions import round_away

Real: TypeAlias = Any
"""A np.float32."""
Box: TypeAlias = Sequence[Real]


def quantize(x: float, target: tuple[float, int], low: int, high: int) -> int:
    """Return the code of a real value: round(x / scale + zero point), saturated."""
    return min(max(round_away(float(np.float32(x) / np.float32(target[0]) + np.float32(target[1]))), low), high)


def quantized_like(output: invocation.OperandValue, reals: invocation.Tensor) -> invocation.Array:
    """Return real numbers as the elements of an output: floats, codes, or integers without a scale."""
    if output.is_float or not output.scale:
        return reals.array
    codes = [quantize(x, output.quantization, *output.limits) for x in reals.values]
    return np.array(codes, np.int64).reshape(reals.dims)


def iou(p: Box, q: Box) -> Real:
    """Return the intersection of two boxes over their union; NaN for two boxes without area."""
    zero = np.float32(0)
    width = max(min(p[2], q[2]) - max(p[0], q[0]), zero)
    height = max(min(p[3], q[3]) - max(p[1], q[1]), zero)
    common = width * height
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (p, q)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return common / (areas[0] + areas[1] - common)


def _position_of_best(score: Sequence[Real], order: Sequence[int], start: int, end: int) -> int:
    best = start
    for position in range(start, end):
        if score[order[best]] < score[order[position]]:
            best = position
    return best


def _suppress(
    score: list[Real], limit: int, box: Callable[[int], Box], order: list[int], drop: Callable[[int, Real], bool]
) -> list[int]:
    if limit < 0:
        limit = len(order)
    start, end, count = 0, len(order), 0
    while start < end and count < limit:
        best = _position_of_best(score, order, start, end)
        order[best], order[start] = order[start], order[best]
        i = start + 1
        while i < end:
            if drop(order[i], iou(box(order[i]), box(order[start]))):
                end -= 1
                order[i], order[end] = order[end], order[i]
            else:
                i += 1
        start += 1
        count += 1
    return order[:start]


def hard_nms(score: list[Real], threshold: float, limit: int, box: Callable[[int], Box], order: list[int]) -> list[int]:
    """Return indices in the order in which they are picked; overlaps of the threshold or more are dropped."""
    return _suppress(score, limit, box, order, lambda _index, overlap: bool(overlap >= np.float32(threshold)))


def soft_nms(
    score: list[Real],
    threshold: float,
    limit: int,
    box: Callable[[int], Box],
    order: list[int],
    kernel: Callable[[Real], Real],
) -> list[int]:
    """Return indices as :func:`hard_nms` does, but overlaps reduce scores, which are dropped below the threshold."""

    def drop(index: int, overlap: Real) -> bool:
        score[index] = score[index] * kernel(overlap)
        return bool(score[index] < np.float32(threshold))

    return _suppress(score, limit, box, order, drop)


def by_class(
    score: list[Real], classes: int, threshold: float, limit: int, single: Callable[[list[int]], list[int]]
) -> list[int]:
    """Return flat indices (row * classes + class) left by ``single`` for each class but the first, by falling score."""
    survivors: list[int] = []
    for label in range(1, classes):
        candidates = [i for i in range(label, len(score), classes) if score[i] > np.float32(threshold)]
        survivors += single(candidates)
    survivors.sort(key=lambda i: -score[i])
    return survivors if limit < 0 else survivors[:limit]


def transform(roi: Box, delta: Box, height: Real, width: Real) -> list[Real]:
    """Return a region moved and resized by [dx, dy, dw, dh], clipped to an image."""
    two, zero = np.float32(2), np.float32(0)
    x1, y1, x2, y2 = roi
    w, h = x2 - x1, y2 - y1
    centre_x, centre_y = (x1 + x2) / two, (y1 + y2) / two
    dx, dy, dw, dh = delta
    new_w, new_h = np.exp(dw) * w, np.exp(dh) * h
    centre_x, centre_y = centre_x + dx * w, centre_y + dy * h
    corners = (
        (centre_x - new_w / two, width),
        (centre_y - new_h / two, height),
        (centre_x + new_w / two, width),
        (centre_y + new_h / two, height),
    )
    return [min(max(value, zero), end) for value, end in corners]


@dataclass(frozen=True)
class SuppressionSettings:
    """The scalars of BOX_WITH_NMS_LIMIT."""

    score_threshold: float = 0.3
    max_detections: int = -1
    nms_kernel: int = 0
    iou_threshold: float = 0.4
    sigma: float = 1.0
    nms_score_threshold: float = 0.3


@dataclass(frozen=True)
class Picked:
    """An output box: its origin, its class and its (decayed) score."""

    row: int
    label: int
    score: float
    batch: int


def _kernel(limits: SuppressionSettings) -> Callable[[Real], Real]:
    one, threshold, sigma = np.float32(1), np.float32(limits.iou_threshold), np.float32(limits.sigma)
    if limits.nms_kernel == 0:
        return lambda iou: one if iou < threshold else np.float32(0)
    if limits.nms_kernel == 1:
        return lambda iou: one if iou < threshold else one - iou
    return lambda iou: np.exp(-(iou * iou) / sigma)


def _image(
    members: list[int], batch: int, scores: invocation.Tensor, boxes: invocation.Tensor, limits: SuppressionSettings
) -> list[Picked]:
    classes = scores.dims[1]
    score = [np.float32(scores[(row, label)]) for row in members for label in range(classes)]

    def box(index: int) -> list[Real]:
        row, label = members[index // classes], index % classes
        return [np.float32(boxes[(row, 4 * label + i)]) for i in range(4)]

    def single(candidates: list[int]) -> list[int]:
        limit = limits.max_detections
        return soft_nms(score, limits.nms_score_threshold, limit, box, candidates, _kernel(limits))

    best = by_class(score, classes, limits.score_threshold, limits.max_detections, single)
    best.sort(key=lambda i: (i % classes, -score[i]))
    return [Picked(members[i // classes], i % classes, float(score[i]), batch) for i in best]


def box_with_nms_limit(
    scores: invocation.Tensor, boxes: invocation.Tensor, batches: Sequence[int], limits: SuppressionSettings
) -> list[Picked]:
    """Return the output boxes in order. Scores [rows, classes] and boxes [rows, classes * 4] are real numbers."""
    groups = groupby(range(scores.dims[0]), key=lambda row: batches[row])
    return [box for batch, rows in groups for box in _image(list(rows), batch, scores, boxes, limits)]


@dataclass(frozen=True)
class DetectionSettings:
    """The scalars of DETECTION_POSTPROCESSING."""

    scales: tuple[float, float, float, float] = (10.0, 10.0, 5.0, 5.0)
    use_regular_nms: bool = True
    max_detections: int = 3
    max_classes_per_detection: int = 1
    max_detections_per_class: int = 2
    score_threshold: float = 0.0
    iou_threshold: float = 0.5
    is_background_in_label: bool = False


def _decode(anchor: Sequence[Real], delta: Sequence[Real], scales: Sequence[float]) -> list[Real]:
    centre_y, centre_x, height, width = anchor
    dy, dx, dh, dw = delta[:4]
    scale_y, scale_x, scale_h, scale_w = (np.float32(scale) for scale in scales)
    y, x = centre_y + height * dy / scale_y, centre_x + width * dx / scale_x
    half_h = height * np.exp(dh / scale_h) / np.float32(2)
    half_w = width * np.exp(dw / scale_w) / np.float32(2)
    return [y - half_h, x - half_w, y + half_h, x + half_w]


def _rows(
    scores: list[list[Real]], boxes: list[list[Real]], settings: DetectionSettings
) -> list[tuple[Real, list[Real], int]]:
    """Return score, box and class of each row of one image."""
    classes = len(scores[0])
    if settings.use_regular_nms:
        flat = [score for row in scores for score in row]

        def single(candidates: list[int]) -> list[int]:
            per_class = settings.max_detections_per_class
            return hard_nms(flat, settings.iou_threshold, per_class, lambda i: boxes[i // classes], candidates)

        best = by_class(flat, classes, settings.score_threshold, settings.max_detections, single)
        return [(flat[i], boxes[i // classes], i % classes) for i in best]
    top = [max(row[1:]) for row in scores]
    candidates = [anchor for anchor in range(len(top)) if top[anchor] > np.float32(settings.score_threshold)]
    picked = hard_nms(top, settings.iou_threshold, settings.max_detections, lambda i: boxes[i], candidates)
    rows = []
    for anchor in picked:
        labels = sorted(range(1, classes), key=lambda label, anchor=anchor: -scores[anchor][label])  # type: ignore[misc]
        labels = labels[: min(classes - 1, settings.max_classes_per_detection)]
        rows += [(scores[anchor][label], boxes[anchor], label) for label in labels]
    return rows


def detection_postprocessing(
    scores: invocation.Tensor, deltas: invocation.Tensor, anchors: invocation.Tensor, settings: DetectionSettings
) -> tuple[invocation.Tensor, invocation.Tensor, invocation.Tensor, invocation.Tensor]:
    """Return scores, boxes, labels and numbers of valid rows; zeros follow the valid rows."""
    batches, count, classes = scores.dims
    row_count = settings.max_detections * (1 if settings.use_regular_nms else settings.max_classes_per_detection)
    out_scores: list[float] = []
    out_boxes: list[float] = []
    out_labels: list[int] = []
    valid: list[int] = []
    for batch in range(batches):
        boxes = [
            _decode(
                [np.float32(anchors[(anchor, i)]) for i in range(4)],
                [np.float32(deltas[(batch, anchor, i)]) for i in range(4)],
                settings.scales,
            )
            for anchor in range(count)
        ]
        table = [[np.float32(scores[(batch, anchor, label)]) for label in range(classes)] for anchor in range(count)]
        rows = _rows(table, boxes, settings)
        empty = row_count - len(rows)
        out_scores += [float(score) for score, _, _ in rows] + [0.0] * empty
        out_boxes += [float(x) for _, box, _ in rows for x in box] + [0.0] * (4 * empty)
        shift = 0 if settings.is_background_in_label else 1
        out_labels += [label - shift for _, _, label in rows] + [0] * empty
        valid.append(len(rows))
    return (
        invocation.Tensor(out_scores, (batches, row_count)),
        invocation.Tensor(out_boxes, (batches, row_count, 4)),
        invocation.Tensor(out_labels, (batches, row_count)),
        invocation.Tensor(valid, (batches,)),
    )


def _box_with_nms_limit(call: invocation.Invocation) -> list[invocation.Array]:
    """Compute the operation.

    Inputs: scores, boxes, batch indexes, score threshold, limit, kernel, IoU threshold, sigma, NMS threshold.
    """
    found = box_with_nms_limit(call.real(0), call.real(1), call.list(2), SuppressionSettings(*call.numbers(3, 6)))
    scores = invocation.Tensor([detection.score for detection in found], (len(found),))
    boxes = call.array(1).reshape(-1, call.array(0).shape[1], 4)
    rows, labels = ([detection.row for detection in found], [detection.label for detection in found])
    # Boxes are copied, to the bit.
    copied = boxes[np.array(rows, np.int64), np.array(labels, np.int64)]
    batches = np.array([detection.batch for detection in found], np.int64)
    return [quantized_like(call.output, scores), copied, np.array(labels, np.int64), batches]


def _detection_postprocessing(call: invocation.Invocation) -> tuple[invocation.Tensor, ...]:
    """Compute the operation.

    Inputs: scores, deltas, anchors, four scales, regular NMS, three limits, thresholds, background in labels.
    """
    regular, limit, classes, per_class, score, iou, background = call.numbers(7, 7)
    settings = DetectionSettings(
        call.numbers(3, 4), bool(regular), limit, classes, per_class, score, iou, bool(background)
    )
    return detection_postprocessing(call.real(0), call.real(1), call.real(2), settings)


def axis_aligned_bbox_transform(
    rois: invocation.Tensor, deltas: invocation.Tensor, batches: Sequence[int], images: invocation.Tensor
) -> invocation.Tensor:
    """Return boxes [rois, classes * 4] for real regions, deltas and image sizes."""

    def element(index: tuple[int, ...]) -> float:
        roi, column = index
        first = column - column % 4
        box = transform(
            [np.float32(rois[(roi, i)]) for i in range(4)],
            [np.float32(deltas[(roi, first + i)]) for i in range(4)],
            *(np.float32(images[(batches[roi], i)]) for i in range(2)),
        )
        return float(box[column % 4])

    return invocation.one_by_one(deltas.dims, element)


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
    """One output box of GENERATE_PROPOSALS."""

    score: float
    box: list[float]
    batch: int


def generate_proposals(
    scores: invocation.Tensor,
    deltas: invocation.Tensor,
    anchors: invocation.Tensor,
    images: invocation.Tensor,
    settings: ProposalSettings,
) -> list[Proposal]:
    """Return proposals of all images in order; scores and deltas are NHWC."""
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
    order = [i for i in order if _is_large_and_inside(boxes[i], sizes, settings.min_size)]
    return hard_nms(score, settings.iou_threshold, settings.post_nms_max, lambda i: boxes[i], order)


def _is_large_and_inside(box: list[Real], sizes: list[Real], smallest: float) -> bool:
    x1, y1, x2, y2 = box
    height, width = sizes
    box_width, box_height = x2 - x1, y2 - y1
    large = box_width > np.float32(smallest) and box_height > np.float32(smallest)
    inside = x1 + box_width / np.float32(2) < width and y1 + box_height / np.float32(2) < height
    return bool(large and inside)


def _bbox_transform(call: invocation.Invocation) -> invocation.Array:
    """Compute the operation. Inputs: regions, deltas, batch indexes, image sizes."""
    result = axis_aligned_bbox_transform(call.real(0), call.real(1), call.list(2), call.real(3))
    return quantized_like(call.output, result)


def _generate_proposals(call: invocation.Invocation) -> list[invocation.Array]:
    """Compute the operation.

    Inputs: scores, deltas, anchors, image sizes, strides, limits, IoU threshold, smallest size, layout.
    """
    nchw = call.flag(10)
    scores, deltas = (invocation.in_nhwc(call.real(i), nchw=nchw) for i in range(2))
    found = generate_proposals(scores, deltas, call.real(2), call.real(3), ProposalSettings(*call.numbers(4, 6)))
    count = len(found)
    return [
        quantized_like(call.outputs[0], invocation.Tensor([proposal.score for proposal in found], (count,))),
        quantized_like(call.outputs[1], invocation.Tensor([proposal.box for proposal in found], (count, 4))),
        np.array([proposal.batch for proposal in found], np.int64),
    ]


MEANINGS: Final = {
    O.BOX_WITH_NMS_LIMIT: invocation.Meaning(_box_with_nms_limit, invocation.like(0)),
    O.DETECTION_POSTPROCESSING: invocation.Meaning(_detection_postprocessing),
    O.AXIS_ALIGNED_BBOX_TRANSFORM: invocation.Meaning(_bbox_transform),
    O.GENERATE_PROPOSALS: invocation.Meaning(_generate_proposals, invocation.like(0)),
}
