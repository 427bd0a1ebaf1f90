"""Spec files of AXIS_ALIGNED_BBOX_TRANSFORM, GENERATE_PROPOSALS.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/boxes.py`` writes each example in all
types. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from nnvet.generators.corpus.boxes import (
    LAYOUT,
    BoxFiles,
    boxes,
    distinct_scores,
    expected,
    given,
    indices,
    mapped,
    operand,
    steady,
)
from nnvet.generators.corpus.emitter import INT32, EmittedFile, Operand, Source, SpecTensor
from nnvet.oracle.operations import detection
from nnvet.oracle.operations.invocation import Tensor

Inputs = dict[str, Operand]
"""Operands of an example by name, in the order of the operation's inputs."""

TRANSFORM_ROLES = {"roi": "box", "deltas": "delta", "image_info": "box", "output": "box"}
"""Kind of numbers in each operand, which decides its scale in quantised examples (``corpus/boxes.py``)."""
TRANSFORM_SCENES: dict[str, tuple[list[int], int, float]] = {
    "one_class": ([0, 0, 0], 1, 1.0),
    "three_classes": ([0, 0], 3, 1.0),
    "three_images": ([0, 0, 1, 2, 2], 2, 1.0),
    "images_left_out": ([2], 2, 0.5),
    "still": ([0, 1, 1], 1, 0.0),
    "mostly_clipped": ([0, 1], 2, 2.0),
}
"""Image of each region, number of classes, and largest delta."""


def _transform_inputs(rois: Tensor, deltas: Tensor, batches: list[int], images: Tensor) -> Inputs:
    return {
        "roi": operand(rois),
        "deltas": operand(deltas),
        "batch_index": indices(*batches),
        "image_info": operand(images, "Parameter"),
    }


def _transform_files() -> list[EmittedFile]:
    files = BoxFiles("AXIS_ALIGNED_BBOX_TRANSFORM", TRANSFORM_ROLES)

    def add(name: str, rois: Tensor, deltas: Tensor, batches: list[int], images: Tensor) -> None:
        output = detection.axis_aligned_bbox_transform(rois, deltas, batches, images)
        inputs = _transform_inputs(rois, deltas, batches, images)
        files.add(name, inputs, {"output": operand(output, "Output")}, lifetimes=name == "three_images")

    images = Tensor([16, 24, 20, 20, 10.5, 12], (3, 2))
    for seed, (scene, (batches, classes, reach)) in enumerate(TRANSFORM_SCENES.items()):
        source, count = Source(seed), len(batches)
        deltas = Tensor(source.floats(-reach, reach, count * classes * 4), (count, classes * 4))
        add(scene, Tensor(boxes(source, count), (count, 4)), deltas, batches, images)
    # A region without area stays in place: moves are counted in widths, which are 0.
    point = Tensor([3, 4, 3, 4, 3, 4, 3, 8], (2, 4))
    add("without_area", point, Tensor([1, 1, 1, 1, 1, 0.5, 0, 0], (2, 4)), [0, 0], images)
    source = Source(99)
    rois, deltas = Tensor(boxes(source, 2), (2, 4)), Tensor(source.floats(-1, 1, 16), (2, 8))
    inputs = _transform_inputs(rois, deltas, [0, 1], images)
    output = {"output": operand(detection.axis_aligned_bbox_transform(rois, deltas, [0, 1], images), "Output")}
    changes: dict[str, Inputs] = {
        "image_too_large": {"batch_index": indices(0, 3)},
        "image_negative": {"batch_index": indices(-1, 0)},
        "indices": {"batch_index": indices(0, 1, 2)},
        "order_of_x": {"roi": given([5, 0, 4, 4, *rois.values[4:]], 2, 4)},
        "order_of_y": {"roi": given([*rois.values[:4], 0, 5, 4, 4], 2, 4)},
        "five_coordinates": {"roi": given([*rois.values[:4], 0.0, *rois.values[4:], 0.0], 2, 5)},
        "deltas": {"deltas": given([0.0] * 12, 2, 6)},
        "rows_of_deltas": {"deltas": given([0.0] * 24, 3, 8)},
        "image_info": {"image_info": given([16.0] * 9, 3, 3)},
    }
    sizes = {"deltas": (2, 6), "rows_of_deltas": (3, 8)}
    for name, change in changes.items():
        dims = sizes.get(name, (2, 8))
        files.add_failing(name, inputs, {"output": expected([0.0] * (dims[0] * dims[1]), *dims)}, **change)
    for name in ("roi", "image_info"):
        files.add_wrong_scale(inputs, output, name)
    return files.files


PROPOSAL_ROLES = {
    "scores": "score",
    "deltas": "delta",
    "anchors": "anchor",
    "image_info": "box",
    "scores_out": "score",
    "boxes_out": "box",
}
"""The same for GENERATE_PROPOSALS."""
BASE = detection.ProposalSettings(height_stride=4.0, width_stride=4.0, iou_threshold=0.25, min_size=1.0)
"""Settings of the examples of GENERATE_PROPOSALS, from which single examples deviate."""
PROPOSAL_SCENES: dict[str, tuple[tuple[int, int, int, int], detection.ProposalSettings]] = {
    "one_image": ((1, 2, 3, 2), BASE),
    "two_images": ((2, 2, 2, 2), replace(BASE, iou_threshold=0.5)),
    "best_before_suppression": ((1, 3, 3, 2), replace(BASE, pre_nms_max=6)),
    "best_after_suppression": ((2, 2, 2, 3), replace(BASE, post_nms_max=2)),
    "both_limits": ((1, 3, 2, 3), replace(BASE, pre_nms_max=9, post_nms_max=3, iou_threshold=0.5)),
    "limit_before_is_large": ((1, 2, 2, 1), replace(BASE, pre_nms_max=100, post_nms_max=100)),
    "large_boxes_only": ((1, 2, 3, 2), replace(BASE, min_size=6.0)),
    "other_strides": ((1, 2, 3, 1), replace(BASE, height_stride=8.0, width_stride=5.5)),
    "one_anchor": ((2, 1, 1, 1), BASE),
    "wide_map": ((1, 1, 6, 1), replace(BASE, width_stride=3.0, iou_threshold=0.75)),
}
"""[batches, height, width, anchors], and scalars."""


@dataclass(frozen=True)
class _ProposalCase:
    """Data of a call of GENERATE_PROPOSALS; scores and deltas are NHWC."""

    scores: Tensor
    deltas: Tensor
    anchors: Tensor
    images: Tensor
    settings: detection.ProposalSettings

    def proposals(self, shake: Callable[[float], float] = float) -> list[detection.Proposal]:
        """Return the output boxes for numbers changed by ``shake``."""
        settings = replace(
            self.settings,
            iou_threshold=shake(self.settings.iou_threshold),
            min_size=shake(self.settings.min_size),
        )
        scores, deltas, images = (mapped(tensor, shake) for tensor in (self.scores, self.deltas, self.images))
        return detection.generate_proposals(scores, deltas, self.anchors, images, settings)

    def decisions(self, shake: Callable[[float], float]) -> list[object] | None:
        """Return the scores of the proposals, no two of which are close."""
        scores = self.scores.values
        found = self.proposals(shake)
        return [min(range(len(scores)), key=lambda i: abs(scores[i] - box.score)) for box in found] or None


def _proposal_case(dims: tuple[int, int, int, int], settings: detection.ProposalSettings, seed: int) -> _ProposalCase:
    batches, height, width, anchors = dims

    def build(source: Source) -> _ProposalCase:
        deltas = source.floats(-0.5, 0.5, batches * height * width * anchors * 4)
        images = [float(size) for _ in range(batches) for size in source.integers(12, 24, 2)]
        return _ProposalCase(
            distinct_scores(source, *dims),
            Tensor(deltas, (batches, height, width, anchors * 4)),
            Tensor(boxes(source, anchors, within=10), (anchors, 4)),
            Tensor(images, (batches, 2)),
            settings,
        )

    return steady(build, _ProposalCase.decisions, seed)


def _proposal_inputs(case: _ProposalCase) -> Inputs:
    settings = case.settings
    return {
        "scores": operand(case.scores),
        "deltas": operand(case.deltas),
        "anchors": operand(case.anchors, "Parameter"),
        "image_info": operand(case.images),
        "height_stride": str(settings.height_stride),
        "width_stride": str(settings.width_stride),
        "pre_nms_max": str(settings.pre_nms_max),
        "post_nms_max": str(settings.post_nms_max),
        "iou_threshold": str(settings.iou_threshold),
        "min_size": str(settings.min_size),
        "layout": LAYOUT,
    }


def _proposal_outputs(case: _ProposalCase) -> dict[str, SpecTensor]:
    found = case.proposals()
    return {
        "scores_out": expected([box.score for box in found], len(found)),
        "boxes_out": expected([x for box in found for x in box.box], len(found), 4),
        "batch_index_out": expected([box.batch for box in found], len(found), kind=INT32),
    }


def _proposal_files() -> list[EmittedFile]:
    files = BoxFiles("GENERATE_PROPOSALS", PROPOSAL_ROLES, layout=("scores", "deltas", "layout"))
    for seed, (scene, (dims, settings)) in enumerate(PROPOSAL_SCENES.items()):
        case = _proposal_case(dims, settings, seed)
        files.add(scene, _proposal_inputs(case), _proposal_outputs(case), lifetimes=scene == "one_image")
    case = _proposal_case(*PROPOSAL_SCENES["one_image"], 0)
    small = replace(case, settings=replace(BASE, min_size=100.0))
    files.add("all_too_small", _proposal_inputs(small), _proposal_outputs(small))
    # A limit of 0 after suppression leaves nothing, though one of 0 before it is none.
    without = {
        "no_box_after_suppression": replace(case.settings, post_nms_max=0),
        "no_limit_before": replace(case.settings, pre_nms_max=0),
    }
    for name, settings in without.items():
        limited = replace(case, settings=settings)
        files.add(name, _proposal_inputs(limited), _proposal_outputs(limited))
    # The second anchor is a half of the first one, the third lies apart and is as narrow as may not be.
    anchors = Tensor([0, 0, 8, 8, 0, 0, 8, 4, 10, 10, 12, 14], (3, 4))
    scores, still = Tensor([0.5, 0.625, 0.75], (1, 1, 1, 3)), Tensor([0.0] * 12, (1, 1, 1, 12))
    limits = replace(BASE, iou_threshold=0.5, min_size=2.0)
    edge = _ProposalCase(scores, still, anchors, Tensor([20.0, 20.0], (1, 2)), limits)
    files.add("at_thresholds", _proposal_inputs(edge), _proposal_outputs(edge))
    inputs, outputs = _proposal_inputs(case), _proposal_outputs(case)
    changes: dict[str, Inputs] = {
        "anchor_order": {"anchors": given([5, 0, 4, 4, 0, 0, 4, 4], 2, 4)},
        "anchors": {"anchors": given([0, 0, 4, 4], 1, 4)},
        "deltas": {"deltas": given([0.0] * 24, 1, 2, 3, 4)},
        "map_of_deltas": {"deltas": given([0.0] * 48, 1, 3, 2, 8)},
        "image_info": {"image_info": given([16.0] * 4, 2, 2)},
    }
    for name, change in changes.items():
        files.add_failing(name, inputs, outputs, **change)
    files.add_wrong_scale(inputs, outputs, "image_info")
    return files.files


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*_transform_files(), *_proposal_files()]
