"""Spec files of BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING.

Tables of scenes give sizes and settings. :func:`nnvet.generators.corpus.boxes.steady` draws the data of a scene, so
that no choice of a box changes when all numbers change a little. Examples at the thresholds have data written by hand.
The expected outputs are those of :mod:`nnvet.oracle.operations.detection`.

``corpus/boxes.py`` writes each example in all types. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from nnvet.generators.corpus.boxes import (
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
from nnvet.generators.corpus.emitter import INT32, Q8, Q16A, EmittedFile, Operand, Source, SpecTensor
from nnvet.oracle.operations import detection
from nnvet.oracle.operations.invocation import Tensor

Inputs = dict[str, Operand]
"""Operands of an example by name, in the order of the operation's inputs."""
Shake = Callable[[float], float]
"""Function that changes a number a little."""

LIMIT_ROLES = {"scores": "score", "boxes": "box", "scores_out": "score", "boxes_out": "box"}
"""Roles of operands, which decide their types and scales; see :class:`nnvet.generators.corpus.boxes.BoxFiles`."""
KERNELS = {"hard": 0, "linear": 1, "gaussian": 2}
"""Values of the scalar ``nms_kernel``."""
BASE = detection.SuppressionSettings(score_threshold=0.0625, iou_threshold=0.25, sigma=0.5, nms_score_threshold=0.0625)
"""Settings of the examples of BOX_WITH_NMS_LIMIT, from which single examples deviate; powers of two are exact."""
LIMIT_SCENES: dict[str, tuple[list[int], int, detection.SuppressionSettings]] = {
    "all_of_one_image": ([0] * 8, 3, BASE),
    "three_per_image": ([0] * 5 + [1] * 5, 3, replace(BASE, max_detections=3)),
    "indices_not_counted_up": ([4, 4, 4, 0, 0, 7], 4, replace(BASE, max_detections=5)),
    "two_classes": ([0] * 9, 2, replace(BASE, iou_threshold=0.5, score_threshold=0.25)),
    "high_drop_limit": ([0] * 6, 3, replace(BASE, nms_score_threshold=0.375, sigma=2.0)),
}
"""For each scene the image of each row, the number of classes, and the scalars other than the kernel."""


@dataclass(frozen=True)
class _LimitCase:
    """Data of a call of BOX_WITH_NMS_LIMIT."""

    scores: Tensor
    boxes: Tensor
    batches: list[int]
    limits: detection.SuppressionSettings

    def picked(self, shake: Shake = float) -> list[detection.Picked]:
        """Return the detections that are picked when ``shake`` has changed all numbers."""
        limits = replace(
            self.limits,
            score_threshold=shake(self.limits.score_threshold),
            iou_threshold=shake(self.limits.iou_threshold),
            nms_score_threshold=shake(self.limits.nms_score_threshold),
        )
        return detection.box_with_nms_limit(mapped(self.scores, shake), mapped(self.boxes, shake), self.batches, limits)


def _limit_case(batches: list[int], classes: int, limits: detection.SuppressionSettings, seed: int) -> _LimitCase:
    rows = len(batches)

    def build(source: Source) -> _LimitCase:
        corners = Tensor(boxes(source, rows * classes), (rows, 4 * classes))
        return _LimitCase(distinct_scores(source, rows, classes), corners, batches, limits)

    return steady(build, lambda case, shake: [(box.row, box.label) for box in case.picked(shake)], seed)


def _limit_inputs(case: _LimitCase) -> Inputs:
    limits = case.limits
    return {
        "scores": operand(case.scores),
        "boxes": operand(case.boxes),
        "batch_index": indices(*case.batches),
        "score_threshold": str(limits.score_threshold),
        "max_detections": str(limits.max_detections),
        "nms_kernel": str(limits.nms_kernel),
        "iou_threshold": str(limits.iou_threshold),
        "sigma": str(limits.sigma),
        "nms_score_threshold": str(limits.nms_score_threshold),
    }


def _limit_outputs(case: _LimitCase) -> dict[str, SpecTensor]:
    picked = case.picked()
    count = len(picked)
    corners = [case.boxes[(box.row, 4 * box.label + i)] for box in picked for i in range(4)]
    return {
        "scores_out": expected([box.score for box in picked], count),
        "boxes_out": expected(corners, count, 4),
        "classes_out": expected([box.label for box in picked], count, kind=INT32),
        "batch_index_out": expected([box.batch for box in picked], count, kind=INT32),
    }


def _limit_files() -> list[EmittedFile]:
    files = BoxFiles("BOX_WITH_NMS_LIMIT", LIMIT_ROLES)

    def add(name: str, case: _LimitCase, *, lifetimes: bool = False) -> None:
        files.add(name, _limit_inputs(case), _limit_outputs(case), lifetimes=lifetimes)

    for seed, (scene, (batches, classes, limits)) in enumerate(LIMIT_SCENES.items()):
        for kernel, code in KERNELS.items():
            case = _limit_case(batches, classes, replace(limits, nms_kernel=code), 10 * seed + code)
            add(f"{scene}_{kernel}", case, lifetimes=scene == "three_per_image")
    nothing = _limit_case([0, 0], 2, replace(BASE, score_threshold=1.0), 90)
    add("below_threshold", nothing)
    add("limit_of_zero", replace(nothing, limits=replace(BASE, max_detections=0)))
    single = _LimitCase(Tensor([0.75, 0.5], (1, 2)), Tensor([0, 0, 4, 4, 1, 1, 5.5, 4], (1, 8)), [3], BASE)
    add("one_box", single)
    # The first two boxes are equal, the third lies apart. The first suppresses the second, whose score becomes
    # 0 * 0.625. With a drop limit of 0 this score still counts, so the second box comes last, after the third.
    twins = Tensor([0, 0, 10, 10] * 4 + [20, 20, 30, 30] * 2, (3, 8))
    again = _LimitCase(
        Tensor([0, 0.75, 0, 0.625, 0, 0.5], (3, 2)), twins, [0] * 3, replace(BASE, nms_score_threshold=0.0)
    )
    add("suppressed_come_back", again)
    # The second box is one half of the first, so their overlap is 0.5, and the score 0.625 decays by 1 - 0.5 to 0.3125.
    half = Tensor([0, 0, 10, 10] * 2 + [0, 0, 10, 5] * 2, (2, 8))
    limits = replace(BASE, nms_kernel=1, iou_threshold=0.5)
    add("overlap_at_threshold", _LimitCase(Tensor([0, 0.75, 0, 0.625], (2, 2)), half, [0, 0], limits))
    # A score of 0.5 is not below a drop limit of 0.5, one of 0.25 is.
    apart = Tensor([0, 0, 5, 5] * 2 + [10, 0, 15, 5] * 2 + [20, 0, 25, 5] * 2, (3, 8))
    limits = replace(BASE, nms_score_threshold=0.5)
    add("score_at_drop_limit", _LimitCase(Tensor([0, 0.75, 0, 0.5, 0, 0.25], (3, 2)), apart, [0] * 3, limits))
    limits_at = {"hard": replace(BASE, iou_threshold=0.5), "gaussian": replace(BASE, nms_kernel=2, iou_threshold=0.5)}
    for name, limits in limits_at.items():
        case = _LimitCase(Tensor([0, 0.75, 0, 0.625], (2, 2)), half, [0, 0], limits)
        add(f"overlap_at_threshold_{name}", case)
    # A score equal to the threshold is not a candidate.
    limits = replace(BASE, score_threshold=0.5)
    add("score_at_threshold", _LimitCase(Tensor([0, 0.75, 0, 0.5, 0, 0.625], (3, 2)), apart, [0] * 3, limits))
    _add_limit_failures(files, single)
    return files.files


def _add_limit_failures(files: BoxFiles, case: _LimitCase) -> None:
    inputs, outputs = _limit_inputs(case), _limit_outputs(case)
    files.add_failing("kernel", inputs, outputs, nms_kernel="3")
    files.add_failing("kernel_negative", inputs, outputs, nms_kernel="-1")
    files.add_failing("one_class", inputs, outputs, scores=given([0.5], 1, 1), boxes=given([0, 0, 4, 4], 1, 4))
    files.add_failing("boxes_of_one_class", inputs, outputs, boxes=given([0, 0, 4, 4], 1, 4))
    files.add_failing("rows", inputs, outputs, batch_index=indices(0, 0))
    for name, box in {"x": [5, 0, 4, 4], "y": [0, 5, 4, 4]}.items():
        files.add_failing(f"order_of_{name}", inputs, outputs, boxes=given([*box, 0, 0, 1, 1], 1, 8))
    coded_out = {**outputs, "scores_out": SpecTensor(Q8, [1], [64], 1 / 128, 0, "Output")}
    for name, scale, zero_point in (("scale", 0.25, 0), ("zero_point", 0.125, 1)):
        coded = {
            "scores": SpecTensor(Q8, [1, 2], [96, 64], 1 / 128, 0),
            "boxes": SpecTensor(Q16A, [1, 8], [0, 0, 32, 32] * 2, scale, zero_point),
        }
        boxes_out = SpecTensor(Q16A, [1, 4], [0, 0, 32, 32], 0.125, 0, "Output")
        files.add_failing(f"boxes_{name}", inputs, {**coded_out, "boxes_out": boxes_out}, **coded)


POST_SCENES: dict[str, tuple[tuple[int, int, int], int, detection.DetectionSettings]] = {
    "regular": ((1, 6, 3), 4, detection.DetectionSettings(max_detections=3)),
    "regular_with_background": (
        (1, 6, 3),
        4,
        detection.DetectionSettings(max_detections=3, is_background_in_label=True),
    ),
    "regular_two_images": (
        (2, 5, 3),
        7,
        detection.DetectionSettings(max_detections=2, iou_threshold=0.25, max_detections_per_class=3),
    ),
    "regular_one_per_class": ((1, 6, 4), 5, detection.DetectionSettings(max_detections=3, max_detections_per_class=1)),
    "regular_two_classes": ((1, 7, 2), 4, detection.DetectionSettings(max_detections=2, scales=(1.0, 2.0, 4.0, 8.0))),
    "fast": ((1, 6, 3), 4, detection.DetectionSettings(use_regular_nms=False, max_detections=2)),
    "fast_with_background": (
        (1, 6, 3),
        4,
        detection.DetectionSettings(use_regular_nms=False, max_detections=2, is_background_in_label=True),
    ),
    "fast_two_classes_each": (
        (1, 6, 4),
        6,
        detection.DetectionSettings(use_regular_nms=False, max_detections=2, max_classes_per_detection=2),
    ),
    "fast_two_images": (
        (2, 5, 3),
        4,
        detection.DetectionSettings(
            use_regular_nms=False, max_detections=2, max_classes_per_detection=2, iou_threshold=0.25
        ),
    ),
    "fast_one_of_two_classes": (
        (1, 8, 2),
        4,
        detection.DetectionSettings(use_regular_nms=False, max_detections=3, score_threshold=0.125),
    ),
}
"""For each scene [batches, anchors, classes], the number of deltas of an anchor, and the scalars.

Every scene has as many detections as the outputs have rows, because the content of other rows is undefined.
"""


@dataclass(frozen=True)
class _PostCase:
    """Data of a call of DETECTION_POSTPROCESSING."""

    scores: Tensor
    deltas: Tensor
    anchors: Tensor
    settings: detection.DetectionSettings

    def results(self, shake: Shake = float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the outputs when ``shake`` has changed all numbers."""
        settings = replace(
            self.settings,
            score_threshold=shake(self.settings.score_threshold),
            iou_threshold=shake(self.settings.iou_threshold),
        )
        scores, deltas, anchors = (mapped(tensor, shake) for tensor in (self.scores, self.deltas, self.anchors))
        return detection.detection_postprocessing(scores, deltas, anchors, settings)

    def decisions(self, shake: Shake) -> list[object] | None:
        """Return rounded labels and boxes; None if rows are left over, because their content is undefined."""
        _, corners, labels, valid = self.results(shake)
        full = all(count == labels.dims[1] for count in valid.values)
        return [labels.values, [round(x / 2) for x in corners.values]] if full else None


def _post_case(
    dims: tuple[int, int, int], encoding: int, settings: detection.DetectionSettings, seed: int
) -> _PostCase:
    batches, anchors, _ = dims

    def build(source: Source) -> _PostCase:
        deltas = source.floats(-2, 2, batches * anchors * encoding, step=1 / 4)
        centres = [source.integers(0, 12, 2) + source.integers(6, 16, 2) for _ in range(anchors)]
        anchor_values = [float(x) for anchor in centres for x in anchor]
        scores = distinct_scores(source, *dims)
        return _PostCase(
            scores, Tensor(deltas, (batches, anchors, encoding)), Tensor(anchor_values, (anchors, 4)), settings
        )

    return steady(build, _PostCase.decisions, seed)


def _post_inputs(case: _PostCase) -> Inputs:
    settings = case.settings
    scales = {
        f"scale_{name}": str(scale) for name, scale in zip(("dy", "dx", "dh", "dw"), settings.scales, strict=True)
    }
    return {
        "scores": operand(case.scores),
        "deltas": operand(case.deltas),
        "anchors": operand(case.anchors, "Parameter"),
        **scales,
        "use_regular_nms": f'BoolScalar("use_regular_nms", {settings.use_regular_nms})',
        "max_detections": str(settings.max_detections),
        "max_classes_per_detection": str(settings.max_classes_per_detection),
        "max_detections_per_class": str(settings.max_detections_per_class),
        "score_threshold": str(settings.score_threshold),
        "iou_threshold": str(settings.iou_threshold),
        "is_background_in_label": f'BoolScalar("is_background_in_label", {settings.is_background_in_label})',
    }


def _post_outputs(case: _PostCase) -> dict[str, SpecTensor]:
    scores, corners, labels, valid = case.results()
    return {
        "scores_out": expected(scores.values, *scores.dims),
        "boxes_out": expected(corners.values, *corners.dims),
        "classes_out": expected(labels.values, *labels.dims, kind=INT32),
        "valid_out": expected(valid.values, *valid.dims, kind=INT32),
    }


def _add_at_thresholds(files: BoxFiles, name: str, *, regular: bool) -> None:
    """Add boxes with overlaps at the threshold, which are dropped, and scores at the threshold, which are ignored."""
    # The second box is one half of the first, so their overlap is 0.5; the third lies apart.
    anchors = Tensor([5, 5, 10, 10, 2.5, 5, 5, 10, 30, 30, 4, 4], (3, 4))
    deltas, settings = (
        Tensor([0.0] * 12, (1, 3, 4)),
        detection.DetectionSettings(use_regular_nms=regular, max_detections=2),
    )
    case = _PostCase(Tensor([0, 0.75, 0, 0.625, 0, 0.5], (1, 3, 2)), deltas, anchors, settings)
    files.add(f"{name}_overlap_at_threshold", _post_inputs(case), _post_outputs(case))
    case = replace(case, settings=replace(settings, score_threshold=0.5))
    outputs = _post_outputs(case)
    ignored = {name: replace(tensor, role="IgnoredOutput") for name, tensor in outputs.items() if name != "valid_out"}
    files.add(f"{name}_score_at_threshold", _post_inputs(case), {**outputs, **ignored})


def _post_files() -> list[EmittedFile]:
    files = BoxFiles("DETECTION_POSTPROCESSING", {}, codes=False)
    for seed, (scene, (dims, encoding, settings)) in enumerate(POST_SCENES.items()):
        case = _post_case(dims, encoding, settings, seed)
        files.add(scene, _post_inputs(case), _post_outputs(case), lifetimes=scene in ("regular", "fast"))
    case = _post_case(*POST_SCENES["regular"], 0)
    # Few scores lie above 0.875, and the outputs have more rows than that. What the other rows hold is undefined, so
    # only the number of detections is compared.
    few = replace(case, settings=replace(case.settings, score_threshold=0.875, max_detections=8))
    outputs = _post_outputs(few)
    ignored = {name: replace(tensor, role="IgnoredOutput") for name, tensor in outputs.items() if name != "valid_out"}
    files.add("few_candidates", _post_inputs(few), {**outputs, **ignored})
    for regular in (True, False):
        _add_at_thresholds(files, "regular" if regular else "fast", regular=regular)
    inputs, outputs = _post_inputs(case), _post_outputs(case)
    changes: dict[str, Inputs] = {
        "max_detections": {"max_detections": "0"},
        "max_detections_per_class": {"max_detections_per_class": "0"},
        "score_threshold": {"score_threshold": "-0.5"},
        "iou_threshold": {"iou_threshold": "-0.5"},
        "scale": {"scale_dh": "0.0"},
        "one_class": {"scores": given([0.5] * 6, 1, 6, 1)},
        "deltas_of_more_anchors": {"deltas": given([0.0] * 28, 1, 7, 4)},
        "three_deltas": {"deltas": given([0.0] * 18, 1, 6, 3)},
        "anchors": {"anchors": given([1.0] * 20, 5, 4)},
    }
    # With max_detections of 0 the outputs have no rows; these dimensions may be declared.
    none = {
        name: tensor if name == "valid_out" else replace(tensor, dimensions=[1, 0, *tensor.dimensions[2:]], values=[])
        for name, tensor in outputs.items()
    }
    for name, change in changes.items():
        files.add_failing(name, inputs, none if name == "max_detections" else outputs, **change)
    without = {"use_regular_nms": 'BoolScalar("use_regular_nms", False)', "max_classes_per_detection": "0"}
    files.add_failing("max_classes_per_detection", inputs, none, **without)
    return files.files


def files() -> list[EmittedFile]:
    """Return all spec files of the family."""
    return [*_limit_files(), *_post_files()]
