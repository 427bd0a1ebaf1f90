"""AXIS_ALIGNED_BBOX_TRANSFORM, GENERATE_PROPOSALS. Declared in ``hal/operations/proposals.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.boxes import ordered, real, stored, transform
from nnvet.reference_driver.kernels.detection import nothing
from nnvet.reference_driver.kernels.layout import channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.suppression import falling, hard, select


@kernel(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM)
def axis_aligned_bbox_transform(call: Call) -> Array:
    """One box for each region and class."""
    batches, images, regions = call["batch_index"].array, real(call["image_info"]), real(call["roi"])
    if (batches < 0).any() or (batches >= len(images)).any():
        call.fail("AXIS_ALIGNED_BBOX_TRANSFORM/batch_index.values", f"there are {len(images)} images")
    if not ordered(regions):
        call.fail("AXIS_ALIGNED_BBOX_TRANSFORM/roi.order")
    deltas = real(call["deltas"]).reshape(len(regions), -1, 4)
    return stored(transform(regions, deltas, images[batches]).reshape(len(regions), -1), call.output)


@kernel(OperationType.GENERATE_PROPOSALS)
def generate_proposals(call: Call) -> tuple[Array, ...]:
    """Boxes of all images, one image after the other, the best first."""
    scores = channels_last(call, real(call["scores"]))
    deltas = channels_last(call, real(call["deltas"]))
    anchors = _anchors(call, *scores.shape[1:3])
    if not ordered(anchors):
        call.fail("GENERATE_PROPOSALS/anchors.order")
    found = [
        _image(call, image_scores.reshape(-1), anchors, image_deltas.reshape(-1, 4), size)
        for image_scores, image_deltas, size in zip(scores, deltas, real(call["image_info"]), strict=True)
    ]
    counts = [len(image_scores) for image_scores, _ in found]
    if not sum(counts):
        return nothing(call)
    all_scores, boxes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    indices = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return stored(all_scores, call.outputs[0]), stored(boxes, call.outputs[1]), indices


def _anchors(call: Call, height: int, width: int) -> Array:
    """The anchors at every position, row by row: [height * width * num_anchors, 4]."""
    y = np.arange(height, dtype=np.float32) * np.float32(call.scalar("height_stride"))
    x = np.arange(width, dtype=np.float32) * np.float32(call.scalar("width_stride"))
    down, across = np.meshgrid(y, x, indexing="ij")
    shifts = np.stack([across, down, across, down], axis=-1)
    moved: Array = shifts[:, :, None, :] + real(call["anchors"])
    return moved.reshape(-1, 4)


def _image(call: Call, scores: Array, anchors: Array, deltas: Array, size: Array) -> tuple[Array, Array]:
    """Scores and boxes proposed for one image of height and width ``size``."""
    boxes = transform(anchors, deltas[:, None, :], np.broadcast_to(size, (len(anchors), 2)))[:, 0]
    limit = call.scalar("pre_nms_max")
    candidates = falling(scores)[:limit] if 0 < limit < len(scores) else np.arange(len(scores))
    sides = boxes[:, 2:] - boxes[:, :2]
    centres = boxes[:, :2] + sides / np.float32(2)
    large = (sides > np.float32(call.scalar("min_size"))).all(axis=1)
    inside = (centres < size[::-1]).all(axis=1)
    candidates = candidates[np.logical_and(large, inside)[candidates]]
    picked = select(scores, boxes, candidates, call.scalar("post_nms_max"), hard(call.scalar("iou_threshold")))
    return scores[picked], boxes[picked]
