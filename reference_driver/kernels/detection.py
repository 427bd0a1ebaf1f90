"""Operations on boxes, all in float32: decoding, proposals, and non-maximum suppression.

The reference goes through the list of candidates and swaps each suppressed one with the last remaining candidate.
Every candidate is visited exactly once in a pass, so these kernels decide about all of them at once, and put the list
into the same order afterwards. Source: docs/contract/operations/common.md 15 and 18, and
docs/contract/operations/AXIS_ALIGNED_BBOX_TRANSFORM.md. Declared in ``hal/operations/detection.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.detection import HARD, LINEAR, rows_per_image
from nnvet.reference_driver.kernels.fixed_point import dequantize, round_half_away
from nnvet.reference_driver.kernels.layout import channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_products, check_rounds


def real(argument: Argument) -> Array:
    """Return values of a float tensor, or real values of codes."""
    return argument.array if OPERAND_TYPES[argument.type].is_float else dequantize(argument)


def stored(values: Array, output: Argument) -> Array:
    """Convert float32 values to the type of ``output``: codes are round(x / scale + zero point), saturated."""
    if OPERAND_TYPES[output.type].is_float:
        return values
    low, high = output.quantized_range
    codes = round_half_away(values / np.float32(output.scale) + np.float32(output.zero_point))
    # The contract leaves the code of NaN open; here it is the lowest.
    return np.where(codes >= low, np.minimum(codes, high), low).astype(output.dtype)


def ordered(boxes: Array) -> bool:
    """Return True where the last two of the four coordinates of a box are nowhere below the first two, nor NaN."""
    return bool((boxes[..., :2] <= boxes[..., 2:]).all())


def overlap(box: Array, others: Array) -> Array:
    """Return the intersection over union of a box with each of ``others`` [n, 4]; NaN for two boxes without area."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    common = np.maximum(sides, 0).prod(axis=1)
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    ratios: Array = common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common)
    return ratios


def transform(regions: Array, deltas: Array, sizes: Array) -> Array:
    """Return regions [n, 4] moved by deltas [n, classes, 4], clipped to images of height and width ``sizes`` [n, 2]."""
    two = np.float32(2)
    corners = regions[:, None, :]
    sides = corners[..., 2:] - corners[..., :2]
    centres = (corners[..., :2] + corners[..., 2:]) / two
    half = np.exp(deltas[..., 2:]) * sides / two
    centres = centres + deltas[..., :2] * sides
    moved = np.concatenate([centres - half, centres + half], axis=-1)
    ends = np.tile(sizes[:, ::-1], 2)[:, None, :]
    moved = np.maximum(moved, np.float32(0))
    # np.minimum would not do: where the size of the image is NaN, the reference keeps the coordinate.
    clipped: Array = np.where(ends < moved, ends, moved)
    return clipped


Keep: TypeAlias = Callable[[Array, Array], Array]
"""Function that returns the candidates (indices) kept after a pick with given overlaps; it may change scores."""


def first_largest(values: Array) -> int:
    """Return the position of the first maximum of a list; a NaN counts as the maximum only at position 0."""
    return 0 if np.isnan(values[0]) else int(np.argmax(np.where(np.isnan(values), -np.inf, values)))


def sort_falling(scores: Array) -> Array:
    """Return positions by falling score, equal ones in the order given, NaN last."""
    return np.argsort(-scores, kind="stable")


def select(scores: Array, boxes: Array, candidates: Array, limit: int, keep: Keep) -> Array:
    """Return the candidates that non-maximum suppression picks, the best first, up to ``limit`` (negative: no limit).

    ``scores`` [n] and ``boxes`` [n, 4] are float32; ``candidates`` are indices in the order to start with.
    """
    order, count, picked = candidates.copy(), len(candidates), 0
    limit = count if limit < 0 else min(limit, count)
    check_products(limit, count)
    check_rounds(limit)
    while picked < min(count, limit):
        best = picked + first_largest(scores[order[picked:count]])
        order[[best, picked]] = order[[picked, best]]
        rest = order[picked + 1 : count]
        kept = keep(rest, overlap(boxes[order[picked]], boxes[rest]))
        picked += 1
        count = picked + _compact(rest, kept)
    return order[:picked]


def _compact(rest: Array, kept: Array) -> int:
    """Move kept elements from the end of ``rest`` to dropped ones were, as the swaps do; return their number."""
    count = int(np.count_nonzero(kept))
    rest[:count][~kept[:count]] = rest[count:][kept[count:]][::-1]
    return count


def hard(threshold: float) -> Keep:
    """Return the hard rule: it drops candidates whose overlap is at least the threshold; NaN is not."""
    limit = np.float32(threshold)
    return lambda _candidates, overlaps: ~(overlaps >= limit)


def soft(scores: Array, decay: Callable[[Array], Array], threshold: float) -> Keep:
    """Return the soft rule: it multiplies ``scores`` by the decay for their overlap, in place, and drops low ones.

    A score is low if it is then below the threshold.
    """
    limit = np.float32(threshold)

    def keep(candidates: Array, overlaps: Array) -> Array:
        decayed: Array = scores[candidates] * decay(overlaps)
        scores[candidates] = decayed
        return ~(decayed < limit)

    return keep


@kernel(OperationType.BOX_WITH_NMS_LIMIT)
def box_with_nms_limit(call: Call) -> tuple[Array, ...]:
    """Return scores, boxes, classes and batch indexes of the boxes left after suppression in each image and class.

    Boxes are copied as they are; scores have decayed if the rule is soft.
    """
    scores = real(call["scores"])
    boxes = call["boxes"].array.reshape(*scores.shape, 4)
    indices = call["batch_index"].array
    real_boxes = real(call["boxes"]).reshape(boxes.shape)
    found = []
    for group in np.split(np.arange(len(indices)), 1 + np.flatnonzero(indices[1:] != indices[:-1])):
        # The reference checks as many boxes of an image as it has rows, not all boxes of all classes.
        if not ordered(real_boxes[group].reshape(-1, 4)[: len(group)]):
            call.fail("BOX_WITH_NMS_LIMIT/boxes.order")
        rows, classes, kept = _suppress_in_image(call, scores[group], real_boxes[group])
        found.append((group[rows], classes, kept))
    if not any(len(rows) for rows, _, _ in found):
        return empty_outputs(call)
    rows, classes, kept = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return (
        stored(kept, call.outputs[0]),
        boxes[rows, classes],
        classes.astype(np.int32),
        indices[rows].astype(np.int32),
    )


def empty_outputs(call: Call) -> tuple[Array, ...]:
    """Return the outputs when no box is found: unknown dimensions become 0, known ones stay, as in the reference."""
    lasts = ((4,) if name == "boxes_out" else () for name in (f.name for f in call.declaration.outputs))
    return tuple(
        np.zeros(output.dimensions[:1] + last if output.dimensions else (0, *last), output.dtype)
        for output, last in zip(call.outputs, lasts, strict=True)
    )


def _suppress_in_image(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array, Array]:
    """Return rows, classes and scores of the boxes kept in one image, by class, then by falling score."""
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
    best = sort_falling(all_scores)[: None if limit < 0 else limit]
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
    """Detect image by image; rows from the valid count on are 0."""
    limit = rows_per_image(call)
    pick = _suppress_by_class if call.scalar("use_regular_nms") else _suppress_by_best_class
    first_label = 0 if call.scalar("is_background_in_label") else 1
    all_scores, all_boxes, labels, counts = (np.zeros(output.dimensions, output.dtype) for output in call.outputs)
    for image, (scores, deltas) in enumerate(zip(call["scores"].array, call["deltas"].array, strict=True)):
        boxes = _decode_boxes(call, deltas)
        anchors, classes = (rows[:limit] for rows in pick(call, scores, boxes))
        count = counts[image] = len(anchors)
        all_scores[image, :count] = scores[anchors, classes]
        all_boxes[image, :count] = boxes[anchors]
        labels[image, :count] = classes - first_label
    return all_scores, all_boxes, labels, counts


def _decode_boxes(call: Call, deltas: Array) -> Array:
    """Return boxes [num_anchors, 4] of deltas."""
    dy, dx, dh, dw = (np.float32(call.scalar(f"scale_{name}")) for name in ("dy", "dx", "dh", "dw"))
    centre_y, centre_x, height, width = call["anchors"].array.T
    y, x = centre_y + height * deltas[:, 0] / dy, centre_x + width * deltas[:, 1] / dx
    half_h = height * np.exp(deltas[:, 2] / dh) / np.float32(2)
    half_w = width * np.exp(deltas[:, 3] / dw) / np.float32(2)
    return np.stack([y - half_h, x - half_w, y + half_h, x + half_w], axis=1)


def _suppress_by_class(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array]:
    """Return anchors and classes of rows, after suppression within each class."""
    keep, threshold = hard(call.scalar("iou_threshold")), np.float32(call.scalar("score_threshold"))
    limit = call.scalar("max_detections_per_class")
    picked = [
        select(scores[:, label], boxes, np.flatnonzero(scores[:, label] > threshold), limit, keep)
        for label in range(1, scores.shape[1])
    ]
    anchors = np.concatenate(picked)
    classes = np.repeat(np.arange(1, scores.shape[1]), [len(part) for part in picked])
    best = sort_falling(scores[anchors, classes])
    return anchors[best], classes[best]


def _suppress_by_best_class(call: Call, scores: Array, boxes: Array) -> tuple[Array, Array]:
    """Return anchors and classes of rows, after suppression by the best class; the best classes of each anchor."""
    objects = scores[:, 1:]
    per_box = min(objects.shape[1], call.scalar("max_classes_per_detection"))
    # A NaN is the best score only if it comes first: nothing is greater than it then.
    best = np.where(np.isnan(objects[:, 0]), np.nan, np.fmax.reduce(objects, axis=1)).astype(np.float32)
    candidates = np.flatnonzero(best > np.float32(call.scalar("score_threshold")))
    anchors = select(best, boxes, candidates, call.scalar("max_detections"), hard(call.scalar("iou_threshold")))
    classes = 1 + np.argsort(-objects[anchors], axis=1, kind="stable")[:, :per_box]
    return np.repeat(anchors, per_box), classes.reshape(-1)


@kernel(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM)
def axis_aligned_bbox_transform(call: Call) -> Array:
    """Return one box for each region and class."""
    batches, images, regions = call["batch_index"].array, real(call["image_info"]), real(call["roi"])
    if (batches < 0).any() or (batches >= len(images)).any():
        call.fail("AXIS_ALIGNED_BBOX_TRANSFORM/batch_index.values", f"there are {len(images)} images")
    if not ordered(regions):
        call.fail("AXIS_ALIGNED_BBOX_TRANSFORM/roi.order")
    deltas = real(call["deltas"]).reshape(len(regions), -1, 4)
    return stored(transform(regions, deltas, images[batches]).reshape(len(regions), -1), call.output)


@kernel(OperationType.GENERATE_PROPOSALS)
def generate_proposals(call: Call) -> tuple[Array, ...]:
    """Return boxes of all images, one image after the other, the best first."""
    scores = channels_last(call, real(call["scores"]))
    deltas = channels_last(call, real(call["deltas"]))
    anchors = _anchors(call, *scores.shape[1:3])
    if not ordered(anchors):
        call.fail("GENERATE_PROPOSALS/anchors.order")
    found = [
        _propose_in_image(call, image_scores.reshape(-1), anchors, image_deltas.reshape(-1, 4), size)
        for image_scores, image_deltas, size in zip(scores, deltas, real(call["image_info"]), strict=True)
    ]
    counts = [len(image_scores) for image_scores, _ in found]
    if not sum(counts):
        return empty_outputs(call)
    all_scores, boxes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    indices = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return stored(all_scores, call.outputs[0]), stored(boxes, call.outputs[1]), indices


def _anchors(call: Call, height: int, width: int) -> Array:
    """Return the anchors at every position, row by row: [height * width * num_anchors, 4]."""
    y = np.arange(height, dtype=np.float32) * np.float32(call.scalar("height_stride"))
    x = np.arange(width, dtype=np.float32) * np.float32(call.scalar("width_stride"))
    down, across = np.meshgrid(y, x, indexing="ij")
    shifts = np.stack([across, down, across, down], axis=-1)
    moved: Array = shifts[:, :, None, :] + real(call["anchors"])
    return moved.reshape(-1, 4)


def _propose_in_image(call: Call, scores: Array, anchors: Array, deltas: Array, size: Array) -> tuple[Array, Array]:
    """Return scores and boxes proposed for one image of height and width ``size``."""
    boxes = transform(anchors, deltas[:, None, :], np.broadcast_to(size, (len(anchors), 2)))[:, 0]
    limit = call.scalar("pre_nms_max")
    candidates = sort_falling(scores)[:limit] if 0 < limit < len(scores) else np.arange(len(scores))
    sides = boxes[:, 2:] - boxes[:, :2]
    centres = boxes[:, :2] + sides / np.float32(2)
    large = (sides > np.float32(call.scalar("min_size"))).all(axis=1)
    inside = (centres < size[::-1]).all(axis=1)
    candidates = candidates[np.logical_and(large, inside)[candidates]]
    picked = select(scores, boxes, candidates, call.scalar("post_nms_max"), hard(call.scalar("iou_threshold")))
    return scores[picked], boxes[picked]
