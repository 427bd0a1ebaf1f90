"""BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING. Declared in ``hal/operations/detection.py``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.detection import HARD, LINEAR, rows_per_image
from nnvet.reference_driver.kernels.boxes import ordered, real, stored
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.suppression import falling, hard, select, soft


@kernel(OperationType.BOX_WITH_NMS_LIMIT)
def box_with_nms_limit(call: Call) -> tuple[Array, ...]:
    """Image by image and class by class; boxes are copied, scores may have decayed."""
    scores = real(call["scores"])
    boxes = call["boxes"].array.reshape(*scores.shape, 4)
    indices = call["batch_index"].array
    real_boxes = real(call["boxes"]).reshape(boxes.shape)
    found = []
    for group in np.split(np.arange(len(indices)), 1 + np.flatnonzero(indices[1:] != indices[:-1])):
        # The reference checks as many boxes of an image as it has rows, not all boxes of all classes.
        if not ordered(real_boxes[group].reshape(-1, 4)[: len(group)]):
            call.fail("BOX_WITH_NMS_LIMIT/boxes.order")
        rows, classes, kept = _image(call, scores[group], real_boxes[group])
        found.append((group[rows], classes, kept))
    if not any(len(rows) for rows, _, _ in found):
        return nothing(call)
    rows, classes, kept = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return (
        stored(kept, call.outputs[0]),
        boxes[rows, classes],
        classes.astype(np.int32),
        indices[rows].astype(np.int32),
    )


def nothing(call: Call) -> tuple[Array, ...]:
    """Outputs when no box is found: unknown dimensions become 0, known ones stay, as in the reference."""
    lasts = ((4,) if name == "boxes_out" else () for name in (f.name for f in call.declaration.outputs))
    return tuple(
        np.zeros(output.dimensions[:1] + last if output.dimensions else (0, *last), output.dtype)
        for output, last in zip(call.outputs, lasts, strict=True)
    )


def _image(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array, Array]:
    """Rows, classes and scores of the boxes of one image, by class, then by falling score."""
    limit = call.scalar("max_detections")
    threshold = np.float32(call.scalar("score_threshold"))
    rows, classes, kept = [], [], []
    for label in range(1, scores.shape[1]):
        decaying = scores[:, label].copy()
        keep = soft(decaying, _decay(call), call.scalar("nms_score_threshold"))
        picked = select(decaying, boxes[:, label], np.flatnonzero(decaying > threshold), limit, keep)
        rows.append(picked)
        classes.append(np.full(len(picked), label))
        kept.append(decaying[picked])
    all_rows, all_classes, all_scores = (np.concatenate(parts) for parts in (rows, classes, kept))
    best = falling(all_scores)[: None if limit < 0 else limit]
    best = best[np.lexsort((-all_scores[best], all_classes[best]))]
    return all_rows[best], all_classes[best], all_scores[best]


def _decay(call: Call) -> Callable[[Array], Array]:
    threshold, sigma = (np.float32(call.scalar(name)) for name in ("iou_threshold", "sigma"))
    code = call.scalar("nms_kernel")
    one, zero = np.float32(1), np.float32(0)
    if code == HARD:
        return lambda overlaps: np.where(overlaps < threshold, one, zero)
    if code == LINEAR:
        return lambda overlaps: np.where(overlaps < threshold, one, one - overlaps)
    return lambda overlaps: np.exp(-(overlaps * overlaps) / sigma)


@kernel(OperationType.DETECTION_POSTPROCESSING)
def detection_postprocessing(call: Call) -> tuple[Array, ...]:
    """Image by image; rows from the valid count on are 0."""
    limit = rows_per_image(call)
    pick = _regular if call.scalar("use_regular_nms") else _fast
    first_label = 0 if call.scalar("is_background_in_label") else 1
    all_scores, all_boxes, labels, counts = (np.zeros(output.dimensions, output.dtype) for output in call.outputs)
    for image, (scores, deltas) in enumerate(zip(call["scores"].array, call["deltas"].array, strict=True)):
        boxes = _decoded(call, deltas)
        anchors, classes = (rows[:limit] for rows in pick(call, scores, boxes))
        count = counts[image] = len(anchors)
        all_scores[image, :count] = scores[anchors, classes]
        all_boxes[image, :count] = boxes[anchors]
        labels[image, :count] = classes - first_label
    return all_scores, all_boxes, labels, counts


def _decoded(call: Call, deltas: Array) -> Array:
    """Boxes [num_anchors, 4] of deltas."""
    dy, dx, dh, dw = (np.float32(call.scalar(f"scale_{name}")) for name in ("dy", "dx", "dh", "dw"))
    centre_y, centre_x, height, width = call["anchors"].array.T
    y, x = centre_y + height * deltas[:, 0] / dy, centre_x + width * deltas[:, 1] / dx
    half_h = height * np.exp(deltas[:, 2] / dh) / np.float32(2)
    half_w = width * np.exp(deltas[:, 3] / dw) / np.float32(2)
    return np.stack([y - half_h, x - half_w, y + half_h, x + half_w], axis=1)


def _regular(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array]:
    """Anchors and classes of rows, after suppression within each class."""
    keep, threshold = hard(call.scalar("iou_threshold")), np.float32(call.scalar("score_threshold"))
    limit = call.scalar("max_detections_per_class")
    picked = [
        select(scores[:, label], boxes, np.flatnonzero(scores[:, label] > threshold), limit, keep)
        for label in range(1, scores.shape[1])
    ]
    anchors = np.concatenate(picked)
    classes = np.repeat(np.arange(1, scores.shape[1]), [len(part) for part in picked])
    best = falling(scores[anchors, classes])
    return anchors[best], classes[best]


def _fast(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array]:
    """Anchors and classes of rows, after suppression by the best class; the best classes of each anchor."""
    objects = scores[:, 1:]
    per_box = min(objects.shape[1], call.scalar("max_classes_per_detection"))
    # A NaN is the best score only if it comes first: nothing is greater than it then.
    best = np.where(np.isnan(objects[:, 0]), np.nan, np.fmax.reduce(objects, axis=1)).astype(np.float32)
    candidates = np.flatnonzero(best > np.float32(call.scalar("score_threshold")))
    anchors = select(best, boxes, candidates, call.scalar("max_detections"), hard(call.scalar("iou_threshold")))
    classes = 1 + np.argsort(-objects[anchors], axis=1, kind="stable")[:, :per_box]
    return np.repeat(anchors, per_box), classes.reshape(-1)
