"""BOX_WITH_NMS_LIMIT and DETECTION_POSTPROCESSING against the second implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations.detection import (
    DetectionSettings,
    SuppressionSettings,
    box_with_nms_limit,
    detection_postprocessing,
    quantize,
)
from tests.kernels.box_operands import (
    BOX_KIND,
    KINDS,
    coordinates,
    like_boxes,
    like_numbers,
    numbers,
    random_boxes,
    random_scores,
    real,
    scalar,
)
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import flag, ints, number
from tests.kernels.random_operands import CODES, FEW, FLOATS, assert_close, assert_exact, code_range
from tests.single import output, run_single, tensor

F32 = T.TENSOR_FLOAT32
INT32 = output(T.TENSOR_INT32)


def limit_inputs(
    kind: T, scores: Argument, boxes: Argument, batches: list[int], limits: SuppressionSettings
) -> list[Argument]:
    """Operands of BOX_WITH_NMS_LIMIT."""
    return [
        scores,
        boxes,
        ints(*batches),
        scalar(kind, limits.score_threshold),
        number(limits.max_detections),
        number(limits.nms_kernel),
        scalar(kind, limits.iou_threshold),
        scalar(kind, limits.sigma),
        scalar(kind, limits.nms_score_threshold),
    ]


def limit_outputs(kind: T) -> list[Argument]:
    """Outputs of BOX_WITH_NMS_LIMIT, of unknown dimensions."""
    return [like_numbers(kind), like_boxes(kind), INT32, INT32]


LIMITS = st.builds(
    SuppressionSettings,
    score_threshold=st.sampled_from((-1.0, 0.0, 0.25, 0.5)),
    max_detections=st.sampled_from((-1, 0, 1, 3, 100)),
    nms_kernel=st.sampled_from((0, 1, 2)),
    iou_threshold=st.sampled_from((0.0, 0.25, 0.5)),
    sigma=st.sampled_from((0.5, 2.0)),
    nms_score_threshold=st.sampled_from((-1.0, 0.0, 0.25)),
)


@FEW
@given(
    kind=st.sampled_from(KINDS),
    limits=LIMITS,
    seed=st.integers(0, 10**6),
    classes=st.integers(2, 4),
    batches=st.lists(st.integers(0, 2), max_size=12),
)
def test_box_with_nms_limit(kind: T, limits: SuppressionSettings, seed: int, classes: int, batches: list[int]) -> None:
    """Boxes, their order and decayed scores follow the recipe, groups of equal indices one by one."""
    rng, rows = np.random.default_rng(seed), len(batches)
    scores = numbers(kind, random_scores(rng, rows, classes))
    boxes = coordinates(BOX_KIND[kind], random_boxes(rng, rows, classes).reshape(rows, 4 * classes))
    results = run_single(O.BOX_WITH_NMS_LIMIT, limit_inputs(kind, scores, boxes, batches, limits), limit_outputs(kind))
    picked = box_with_nms_limit(real(scores), real(boxes), batches, limits)
    expected = [box.score for box in picked]
    if kind in CODES:
        target = scores.scale, scores.zero_point
        assert_exact(results[0], [len(picked)], [quantize(x, target, *code_range(kind)) for x in expected])
    else:
        assert_close(results[0], [len(picked)], expected)
    corners = [boxes.array[box.row, 4 * box.label + i].item() for box in picked for i in range(4)]
    assert_exact(results[1], (len(picked), 4), corners)
    assert_exact(results[2], [len(picked)], [box.label for box in picked])
    assert_exact(results[3], [len(picked)], [box.batch for box in picked])


@pytest.mark.parametrize("seed", range(8))
def test_order_of_many_equal_scores(seed: int) -> None:
    """Among many equal scores the boxes come in the order that the swaps leave, limited per class and per image."""
    rng, rows = np.random.default_rng(seed), 60
    scores = tensor(F32, rng.integers(1, 4, (rows, 3)) / 4)
    boxes = tensor(F32, random_boxes(rng, rows, 3, within=60).reshape(rows, 12))
    limits = SuppressionSettings(max_detections=(-1, 25)[seed % 2], nms_kernel=seed % 3, iou_threshold=0.1)
    results = run_single(O.BOX_WITH_NMS_LIMIT, limit_inputs(F32, scores, boxes, [0] * rows, limits), limit_outputs(F32))
    picked = box_with_nms_limit(real(scores), real(boxes), [0] * rows, limits)
    assert results[1].tolist() == [boxes.array[box.row, 4 * box.label :][:4].tolist() for box in picked]
    assert len(picked) > 16


def _limited(scores: Any, boxes: Any, limits: SuppressionSettings, outputs: list[Argument] | None = None) -> list[Any]:
    inputs = limit_inputs(F32, tensor(F32, scores), tensor(F32, boxes), [0] * len(scores), limits)
    return run_single(O.BOX_WITH_NMS_LIMIT, inputs, outputs or limit_outputs(F32))


SQUARE = [0, 0, 10, 10] * 2
FAR = [20, 20, 30, 30] * 2


def test_suppressed_boxes_come_back_without_a_threshold() -> None:
    """Hard suppression multiplies by 0: with a drop limit of 0 such boxes are emitted with score 0."""
    limits = SuppressionSettings(nms_score_threshold=0.0)
    scores, boxes, _, _ = _limited([[0, 0.9], [0, 0.8], [0, 0.7]], [SQUARE, SQUARE, FAR], limits)
    np.testing.assert_allclose(scores, [0.9, 0.7, 0.0], rtol=1e-6)
    assert boxes[:, 0].tolist() == [0, 20, 0]


def test_an_undecayed_survivor_below_the_drop_limit_goes_after_another_pick() -> None:
    """The first pick of a class is never held against the drop limit, later ones are, overlapping or not."""
    limits = SuppressionSettings(score_threshold=0.1, nms_score_threshold=0.5)
    assert _limited([[0, 0.3]], [SQUARE], limits)[0].shape == (1,)
    scores = _limited([[0, 0.9], [0, 0.3]], [SQUARE, FAR], limits)[0]
    np.testing.assert_allclose(scores, [0.9], rtol=1e-6)


def test_order_among_equals_after_swaps() -> None:
    """Dropping row 1 moves the last row into its place, so of the equal ones row 3 is picked before row 2."""
    scores = [[0, 0.9], [0, 0.8], [0, 0.5], [0, 0.5]]
    boxes = [SQUARE, SQUARE, FAR, [40, 40, 50, 50] * 2]
    assert _limited(scores, boxes, SuppressionSettings())[1][:, 0].tolist() == [0, 40, 20]


def test_thresholds_are_strict_for_scores_and_not_for_overlap() -> None:
    """A score at the threshold is no candidate; an overlap at the threshold decays (5 of 10 by 10 is half)."""
    half = [0, 0, 10, 5] * 2
    scores = [[0, 0.75], [0, 0.5], [0, 0.25]]
    limits = SuppressionSettings(score_threshold=0.25, iou_threshold=0.5, nms_score_threshold=0.1)
    assert _limited(scores, [SQUARE, half, FAR], limits)[0].tolist() == [0.75]
    scores_at_limit = _limited(scores, [SQUARE, FAR, FAR], replace(limits, nms_score_threshold=0.5))[0]
    assert scores_at_limit.tolist() == [0.75, 0.5]


@pytest.mark.parametrize(("kernel", "expected"), [(0, [0.75, 0.5]), (1, [0.75, np.nan, 0.5])])
def test_boxes_without_area(kernel: int, expected: list[float]) -> None:
    """Two points in one place overlap by 0/0: hard suppression drops the second, a linear decay makes it NaN."""
    point = [5, 5, 5, 5] * 2
    limits = SuppressionSettings(score_threshold=0.0, nms_kernel=kernel)
    scores = _limited([[0, 0.75], [0, 0.625], [0, 0.5]], [point, point, FAR], limits)[0]
    np.testing.assert_array_equal(np.sort(scores), np.sort(expected))


def test_declared_sizes_when_nothing_is_found() -> None:
    """Unknown sizes are reported as 0, known ones stay as they are."""
    declared = [Argument(F32, (3,)), Argument(F32, (0, 4)), INT32, Argument(T.TENSOR_INT32, (2,))]
    results = _limited([[0.9, 0.1]], [SQUARE], SuppressionSettings(), declared)
    assert [result.shape for result in results] == [(3,), (0, 4), (0,), (2,)]
    empty = _limited(np.zeros((0, 3)), np.zeros((0, 12)), SuppressionSettings(nms_kernel=7))
    assert [result.shape for result in empty] == [(0,), (0, 4), (0,), (0,)]


def test_malformed_boxes_are_noticed_only_at_the_head_of_an_image() -> None:
    """With two rows the first two boxes of the image are checked: both of row 0, none of row 1."""
    bad = [10, 0, 0, 10]
    assert _limited([[0, 0.9], [0, 0.8]], [SQUARE, [*bad, 0, 0, 1, 1]], SuppressionSettings())[0].shape == (2,)


def post_inputs(
    kind: T, scores: Argument, deltas: Argument, anchors: Argument, settings: DetectionSettings
) -> list[Argument]:
    """Operands of DETECTION_POSTPROCESSING."""
    return [
        scores,
        deltas,
        anchors,
        *(scalar(kind, value) for value in settings.scales),
        flag(value=settings.use_regular_nms),
        number(settings.max_detections),
        number(settings.max_classes_per_detection),
        number(settings.max_detections_per_class),
        scalar(kind, settings.score_threshold),
        scalar(kind, settings.iou_threshold),
        flag(value=settings.is_background_in_label),
    ]


SETTINGS = st.builds(
    DetectionSettings,
    scales=st.sampled_from(((10.0, 10.0, 5.0, 5.0), (1.0, 2.0, 4.0, 8.0))),
    use_regular_nms=st.booleans(),
    max_detections=st.integers(1, 6),
    max_classes_per_detection=st.integers(1, 4),
    max_detections_per_class=st.integers(1, 3),
    score_threshold=st.sampled_from((0.0, 0.5)),
    iou_threshold=st.sampled_from((0.0, 0.25, 0.5, 1.0)),
    is_background_in_label=st.booleans(),
)


@FEW
@given(
    kind=st.sampled_from(FLOATS),
    settings=SETTINGS,
    seed=st.integers(0, 10**6),
    shape=st.tuples(st.integers(1, 2), st.integers(1, 8), st.integers(2, 4)),
    encoding=st.integers(4, 6),
)
def test_detection_postprocessing(
    kind: T, settings: DetectionSettings, seed: int, shape: tuple[int, int, int], encoding: int
) -> None:
    """Rows, their order and what follows them agree, with suppression of both kinds."""
    rng = np.random.default_rng(seed)
    scores = tensor(kind, random_scores(rng, *shape))
    deltas = tensor(kind, rng.integers(-8, 9, (*shape[:2], encoding)) / 4)
    anchors = tensor(kind, np.concatenate([rng.integers(0, 8, (shape[1], 2)), rng.integers(1, 9, (shape[1], 2))], 1))
    results = run_single(
        O.DETECTION_POSTPROCESSING,
        post_inputs(kind, scores, deltas, anchors, settings),
        [output(kind), output(kind), INT32, INT32],
    )
    expected = detection_postprocessing(real(scores), real(deltas), real(anchors), settings)
    assert_exact(results[0], expected[0].dims, expected[0].values)
    assert_close(results[1], expected[1].dims, expected[1].values, (1e-3, 1e-3) if kind != F32 else (1e-6, 1e-6))
    for result, wanted in zip(results[2:], expected[2:], strict=True):
        assert_exact(result, wanted.dims, wanted.values)


SCORES = tensor(F32, [[0.0, 0.9]])
BOXES = tensor(F32, [SQUARE])
GOOD = SuppressionSettings()
CODED = tensor(T.TENSOR_QUANT8_ASYMM, [[0, 9]], 0.1, 0)
POST_SCORES = tensor(F32, np.zeros((1, 2, 3)))
DELTAS = tensor(F32, np.zeros((1, 2, 4)))
ANCHORS = tensor(F32, np.ones((2, 4)))
POST = DetectionSettings()


def _limit_break(
    rule: str,
    scores: Argument = SCORES,
    boxes: Argument = BOXES,
    batches: int = 1,
    limits: SuppressionSettings = GOOD,
    outputs: list[Argument] | None = None,
) -> Break:
    kind = T(scores.type)
    inputs = limit_inputs(kind, scores, boxes, [0] * batches, limits)
    return Break(f"BOX_WITH_NMS_LIMIT/{rule}", inputs, outputs or [output(kind), output(F32), INT32, INT32])


def _post_break(
    rule: str,
    scores: Argument = POST_SCORES,
    deltas: Argument = DELTAS,
    anchors: Argument = ANCHORS,
    settings: DetectionSettings = POST,
) -> Break:
    inputs = post_inputs(F32, scores, deltas, anchors, settings)
    return Break(f"DETECTION_POSTPROCESSING/{rule}", inputs, [output(F32), output(F32), INT32, INT32])


def _sixteen_bit(scale: float, zero_point: int) -> Argument:
    return tensor(T.TENSOR_QUANT16_ASYMM, [SQUARE], scale, zero_point)


_CODED_OUT = [output(T.TENSOR_QUANT8_ASYMM, 0.1, 0), output(T.TENSOR_QUANT16_ASYMM, 0.125, 0), INT32, INT32]
_CODED_OTHER = [output(T.TENSOR_QUANT8_ASYMM, 0.2, 0), output(T.TENSOR_QUANT16_ASYMM, 0.125, 0), INT32, INT32]
_BOXES_OTHER = [output(T.TENSOR_QUANT8_ASYMM, 0.1, 0), output(T.TENSOR_QUANT16_ASYMM, 0.25, 0), INT32, INT32]
NAN = float("nan")

BREAKS = [
    _limit_break("scores.rank", scores=tensor(F32, [0.0, 0.9])),
    _limit_break("boxes.rank", boxes=tensor(F32, [[SQUARE]])),
    Break(
        "BOX_WITH_NMS_LIMIT/batch_index.rank",
        [SCORES, BOXES, tensor(T.TENSOR_INT32, [[0]]), *limit_inputs(F32, SCORES, BOXES, [0], GOOD)[3:]],
        limit_outputs(F32),
    ),
    _limit_break("boxes.dimensions", boxes=tensor(F32, [SQUARE, SQUARE])),
    _limit_break("boxes.dimensions", boxes=tensor(F32, [SQUARE[:4]])),
    _limit_break("batch_index.dimensions", batches=2),
    _limit_break("scores.classes", scores=tensor(F32, [[0.9]]), boxes=tensor(F32, [SQUARE[:4]])),
    _limit_break("boxes.quantization", CODED, _sixteen_bit(0.25, 0), outputs=_CODED_OUT),
    _limit_break("boxes.quantization", CODED, _sixteen_bit(0.125, 1), outputs=_CODED_OUT),
    _limit_break("output.quantization", CODED, _sixteen_bit(0.125, 0), outputs=_CODED_OTHER),
    _limit_break("output.quantization", CODED, _sixteen_bit(0.125, 0), outputs=_BOXES_OTHER),
    _limit_break("nms_kernel", limits=replace(GOOD, nms_kernel=3)),
    _limit_break("nms_kernel", limits=replace(GOOD, nms_kernel=-1)),
    _limit_break("boxes.order", boxes=tensor(F32, [[1, 0, 0, 1, *SQUARE[:4]]])),
    _limit_break("boxes.order", boxes=tensor(F32, [[0, 1, 1, 0, *SQUARE[:4]]])),
    _limit_break("boxes.order", boxes=tensor(F32, [[0, 0, NAN, 1, *SQUARE[:4]]])),
    _post_break("scores.rank", scores=tensor(F32, [[0.0, 1.0]])),
    _post_break("deltas.rank", deltas=tensor(F32, np.zeros((2, 4)))),
    _post_break("anchors.rank", anchors=tensor(F32, np.zeros((1, 2, 4)))),
    _post_break("deltas.dimensions", deltas=tensor(F32, np.zeros((2, 2, 4)))),
    _post_break("deltas.dimensions", deltas=tensor(F32, np.zeros((1, 3, 4)))),
    _post_break("deltas.encoding", deltas=tensor(F32, np.zeros((1, 2, 3)))),
    _post_break("anchors.dimensions", anchors=tensor(F32, np.ones((3, 4)))),
    _post_break("anchors.dimensions", anchors=tensor(F32, np.ones((2, 5)))),
    _post_break("scores.classes", scores=tensor(F32, np.zeros((1, 2, 1)))),
    _post_break("scales", settings=replace(POST, scales=(0.0, 1.0, 1.0, 1.0))),
    _post_break("scales", settings=replace(POST, scales=(1.0, 1.0, 1.0, NAN))),
    _post_break("max_detections", settings=replace(POST, max_detections=0)),
    _post_break("max_detections", settings=replace(POST, max_detections=-1)),
    _post_break(
        "max_classes_per_detection", settings=replace(POST, use_regular_nms=False, max_classes_per_detection=0)
    ),
    _post_break("max_detections_per_class", settings=replace(POST, max_detections_per_class=0)),
    _post_break("thresholds", settings=replace(POST, score_threshold=-0.5)),
    _post_break("thresholds", settings=replace(POST, iou_threshold=NAN)),
    _post_break("zero_sized", scores=tensor(F32, np.zeros((0, 2, 3)))),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    family = (O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING)
    extra = {"BOX_WITH_NMS_LIMIT/output.quantization", "DETECTION_POSTPROCESSING/zero_sized"}
    assert {case.rule for case in BREAKS} == rules_to_break(family) | extra


def test_counts_of_the_other_kind_of_suppression_do_not_matter() -> None:
    """Classes per detection are not looked at with regular suppression, detections per class not without."""
    for settings in (
        replace(POST, max_classes_per_detection=0),
        replace(POST, use_regular_nms=False, max_detections_per_class=-1),
    ):
        inputs = post_inputs(F32, POST_SCORES, DELTAS, ANCHORS, settings)
        outputs = [output(F32), output(F32), INT32, INT32]
        assert run_single(O.DETECTION_POSTPROCESSING, inputs, outputs)[3].tolist() == [0]
