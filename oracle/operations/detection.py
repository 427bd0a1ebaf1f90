"""BOX_WITH_NMS_LIMIT and DETECTION_POSTPROCESSING. From their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.boxes import Real, by_class, hard_nms, quantized_like, soft_nms
from nnvet.oracle.operations.invocation import Invocation, Meaning, like
from nnvet.oracle.operations.tensor import Array, Tensor


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
    """One output box: where it comes from, its class and its (decayed) score."""

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


def _image(members: list[int], batch: int, scores: Tensor, boxes: Tensor, limits: SuppressionSettings) -> list[Picked]:
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
    scores: Tensor, boxes: Tensor, batches: Sequence[int], limits: SuppressionSettings
) -> list[Picked]:
    """Output boxes in order. Scores [rows, classes] and boxes [rows, classes * 4] are real numbers."""
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
    """Score, box and class of each row of one image."""
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
    scores: Tensor, deltas: Tensor, anchors: Tensor, settings: DetectionSettings
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Scores, boxes, labels and valid counts; zeros after the valid rows."""
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
        Tensor(out_scores, (batches, row_count)),
        Tensor(out_boxes, (batches, row_count, 4)),
        Tensor(out_labels, (batches, row_count)),
        Tensor(valid, (batches,)),
    )


def _box_with_nms_limit(call: Invocation) -> list[Array]:
    """Inputs: scores, boxes, batch indexes, score threshold, limit, kernel, IoU threshold, sigma, NMS threshold."""
    found = box_with_nms_limit(call.real(0), call.real(1), call.list(2), SuppressionSettings(*call.numbers(3, 6)))
    scores = Tensor([detection.score for detection in found], (len(found),))
    boxes = call.array(1).reshape(-1, call.array(0).shape[1], 4)
    rows, labels = ([detection.row for detection in found], [detection.label for detection in found])
    # Boxes are copied, to the bit.
    copied = boxes[np.array(rows, np.int64), np.array(labels, np.int64)]
    batches = np.array([detection.batch for detection in found], np.int64)
    return [quantized_like(call.output, scores), copied, np.array(labels, np.int64), batches]


def _detection_postprocessing(call: Invocation) -> tuple[Tensor, ...]:
    """Inputs: scores, deltas, anchors, four scales, regular NMS, three limits, thresholds, background in labels."""
    regular, limit, classes, per_class, score, iou, background = call.numbers(7, 7)
    settings = DetectionSettings(
        call.numbers(3, 4), bool(regular), limit, classes, per_class, score, iou, bool(background)
    )
    return detection_postprocessing(call.real(0), call.real(1), call.real(2), settings)


MEANINGS: Final = {
    O.BOX_WITH_NMS_LIMIT: Meaning(_box_with_nms_limit, like(0)),
    O.DETECTION_POSTPROCESSING: Meaning(_detection_postprocessing),
}
