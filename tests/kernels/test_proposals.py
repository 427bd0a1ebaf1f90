"""AXIS_ALIGNED_BBOX_TRANSFORM and GENERATE_PROPOSALS against the second implementation."""

from __future__ import annotations

from collections.abc import Sequence
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
    ProposalSettings,
    axis_aligned_bbox_transform,
    generate_proposals,
    quantize,
)
from nnvet.oracle.operations.invocation import to_nhwc
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
from tests.kernels.random_operands import CODES, FEW, assert_close, assert_exact, code_range
from tests.single import output, run_single, tensor

F32, Q16 = T.TENSOR_FLOAT32, T.TENSOR_QUANT16_ASYMM
INT32 = output(T.TENSOR_INT32)
ANCHOR_KIND = BOX_KIND | dict.fromkeys(CODES, T.TENSOR_QUANT16_SYMM)
BOX_TOLERANCES = {T.TENSOR_FLOAT32: (2e-6, 2e-5), T.TENSOR_FLOAT16: (2e-3, 2e-2)}
"""Coordinates of up to 100 are differences of larger numbers; exp may be off in the last place."""


def assert_boxes(kind: T, result: Any, shape: tuple[int, ...], expected: list[float]) -> None:
    """Real boxes agree with the result, which has their codes beside 8-bit tensors."""
    if kind in CODES:
        assert_exact(result, shape, [quantize(x, (0.125, 0), 0, 65535) for x in expected])
    else:
        assert_close(result, shape, expected, BOX_TOLERANCES[kind])


@FEW
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10**6),
    batches=st.lists(st.integers(0, 2), max_size=6),
    classes=st.integers(1, 3),
)
def test_axis_aligned_bbox_transform(kind: T, seed: int, batches: list[int], classes: int) -> None:
    """Boxes agree for every region and class, without regions too."""
    rng, count = np.random.default_rng(seed), len(batches)
    rois = coordinates(BOX_KIND[kind], random_boxes(rng, count, smallest=0))
    deltas = numbers(kind, rng.integers(-16, 17, (count, 4 * classes)) / 16)
    images = coordinates(BOX_KIND[kind], rng.integers(4, 24, (3, 2)))
    (result,) = run_single(O.AXIS_ALIGNED_BBOX_TRANSFORM, [rois, deltas, ints(*batches), images], [like_boxes(kind)])
    expected = axis_aligned_bbox_transform(real(rois), real(deltas), batches, real(images))
    assert_boxes(kind, result, expected.dims, expected.values)


def test_codes_of_boxes_round_halves_away() -> None:
    """A half width of 0.3125 = 2.5 eighths rounds up to 3; boxes larger than 16 bits hold saturate."""
    large = tensor(Q16, [[0, 0, 65535, 65535]], 0.125, 0)
    rois = tensor(Q16, [[0, 0, 10, 10]], 0.125, 0)
    still = tensor(T.TENSOR_QUANT8_ASYMM, [[128, 128, 128, 128]], 1.0, 128)
    # dx = -1/4: centre 0.625 - 0.25 * 1.25 = 0.3125; x from clipped -0.3125 to 0.9375 = 7.5 eighths.
    shifted = tensor(T.TENSOR_QUANT8_ASYMM, [[127, 128, 128, 128]], 0.25, 128)
    images = tensor(Q16, [[65535, 65535]], 0.125, 0)
    (result,) = run_single(O.AXIS_ALIGNED_BBOX_TRANSFORM, [rois, shifted, ints(0), images], [output(Q16, 0.125, 0)])
    assert result.tolist() == [[0, 0, 8, 10]]
    (result,) = run_single(O.AXIS_ALIGNED_BBOX_TRANSFORM, [large, still, ints(0), images], [output(Q16, 0.125, 0)])
    assert result.tolist() == [[0, 0, 65535, 65535]]


def test_clipping_keeps_nan() -> None:
    """A NaN is neither below 0 nor above the image, so it stays; infinite sizes are cut at the image."""
    rois = tensor(F32, [[0, 0, 4, 4]])
    deltas = tensor(F32, [[np.nan, 0, 0, 0, 0, 0, 100.0, 0]])
    images = tensor(F32, [[8, 8]])
    (result,) = run_single(O.AXIS_ALIGNED_BBOX_TRANSFORM, [rois, deltas, ints(0), images], [output(F32)])
    np.testing.assert_array_equal(result, [[np.nan, 0, np.nan, 4, 0, 0, 8, 4]])


def proposal_inputs(
    kind: T, tensors: Sequence[Argument], settings: ProposalSettings, *, nchw: bool = False
) -> list[Argument]:
    """Operands of GENERATE_PROPOSALS from scores, deltas, anchors and image sizes."""
    return [
        *tensors,
        scalar(kind, settings.height_stride),
        scalar(kind, settings.width_stride),
        number(settings.pre_nms_max),
        number(settings.post_nms_max),
        scalar(kind, settings.iou_threshold),
        scalar(kind, settings.min_size),
        flag(value=nchw),
    ]


SETTINGS = st.builds(
    ProposalSettings,
    height_stride=st.sampled_from((1.0, 4.0)),
    width_stride=st.sampled_from((2.0, 4.5)),
    pre_nms_max=st.sampled_from((-1, 0, 1, 5, 1000)),
    post_nms_max=st.sampled_from((-1, 0, 1, 4)),
    iou_threshold=st.sampled_from((0.0, 0.25, 0.5, 1.0)),
    min_size=st.sampled_from((0.0, 2.0, 8.0)),
)


@FEW
@given(
    kind=st.sampled_from(KINDS),
    settings=SETTINGS,
    seed=st.integers(0, 10**6),
    shape=st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    nchw=st.booleans(),
)
def test_generate_proposals(
    kind: T, settings: ProposalSettings, seed: int, shape: tuple[int, int, int, int], nchw: bool
) -> None:
    """Boxes, their scores and order agree in both layouts."""
    rng, (batches, height, width, anchors) = np.random.default_rng(seed), shape
    order = (0, 3, 1, 2) if nchw else (0, 1, 2, 3)
    scores = numbers(kind, random_scores(rng, *shape).transpose(order))
    # Sizes are left as they are, so that float16 boxes have no rounded exponentials in front of the decisions.
    raw = rng.integers(-16, 17, (*shape, 4)) / 16 * [1, 1, 0, 0]
    deltas = numbers(kind, raw.reshape(batches, height, width, 4 * anchors).transpose(order))
    boxes = coordinates(ANCHOR_KIND[kind], random_boxes(rng, anchors))
    images = coordinates(BOX_KIND[kind], rng.integers(8, 24, (batches, 2)))
    inputs = proposal_inputs(kind, (scores, deltas, boxes, images), settings, nchw=nchw)
    results = run_single(O.GENERATE_PROPOSALS, inputs, [like_numbers(kind), like_boxes(kind), INT32])
    grid, grid_deltas = (to_nhwc(real(grid)) if nchw else real(grid) for grid in (scores, deltas))
    expected = generate_proposals(grid, grid_deltas, real(boxes), real(images), settings)
    codes = [proposal.score for proposal in expected]
    if kind in CODES:
        codes = [quantize(x, (scores.scale, scores.zero_point), *code_range(kind)) for x in codes]
    assert_exact(results[0], [len(expected)], codes)
    assert_boxes(kind, results[1], (len(expected), 4), [x for proposal in expected for x in proposal.box])
    assert_exact(results[2], [len(expected)], [proposal.batch for proposal in expected])


ROIS = tensor(F32, [[0, 0, 4, 4]])
DELTAS = tensor(F32, np.zeros((1, 4)))
IMAGES = tensor(F32, [[8, 8]])
GRID = tensor(F32, np.ones((1, 2, 2, 1)))
GRID_DELTAS = tensor(F32, np.zeros((1, 2, 2, 4)))
GOOD = ProposalSettings()
NAN = float("nan")
CODES_OUT = output(Q16, 0.125, 0)


def _proposed(*tensors: Argument, settings: ProposalSettings = GOOD) -> list[Any]:
    return run_single(O.GENERATE_PROPOSALS, proposal_inputs(F32, tensors, settings), [output(F32), output(F32), INT32])


def test_limits_of_size_and_position_are_strict() -> None:
    """Boxes as small as the minimum, and with their centre on the border of the image, are left out."""
    exact = _proposed(GRID, GRID_DELTAS, ROIS, IMAGES, settings=replace(GOOD, min_size=4.0))
    assert exact[0].shape == (0,)
    # At column 1 the anchor [14, 0, 18, 4] is clipped to [14, 0, 14, 4], whose centre is not left of 14.
    settings = replace(GOOD, width_stride=14.0, min_size=-1.0)
    assert _proposed(GRID, GRID_DELTAS, ROIS, tensor(F32, [[8, 14]]), settings=settings)[2].tolist() == [0, 0]


def test_no_boxes_after_suppression() -> None:
    """A limit of 0 after suppression means no boxes, one of 0 before suppression means all."""
    assert _proposed(GRID, GRID_DELTAS, ROIS, IMAGES, settings=replace(GOOD, post_nms_max=0))[0].shape == (0,)
    assert _proposed(GRID, GRID_DELTAS, ROIS, IMAGES, settings=replace(GOOD, pre_nms_max=0))[0].shape == (4,)


def test_signed_scores_leave_the_quantisation_of_boxes_open() -> None:
    """With signed scores boxes may have other parameters: 4 is code 16 of scale 0.25, and 8 is code 32."""
    kind = T.TENSOR_QUANT8_ASYMM_SIGNED
    scores = tensor(kind, np.ones((1, 1, 1, 1)), 0.5, 0)
    deltas = tensor(kind, np.zeros((1, 1, 1, 4)), 0.5, 0)
    anchors = tensor(T.TENSOR_QUANT16_SYMM, [[0, 0, 8, 16]], 0.5, 0)
    images = tensor(Q16, [[101, 101]], 0.5, 1)
    inputs = proposal_inputs(kind, (scores, deltas, anchors, images), GOOD)
    results = run_single(O.GENERATE_PROPOSALS, inputs, [output(kind, 0.5, 0), output(Q16, 0.25, 0), INT32])
    assert results[1].tolist() == [[0, 0, 16, 32]]


def _transform_break(
    rule: str, *tensors: Argument, batches: tuple[int, ...] = (0,), out: Argument | None = None
) -> Break:
    rois, deltas, images = (*tensors, *(ROIS, DELTAS, IMAGES)[len(tensors) :])
    inputs = [rois, deltas, ints(*batches), images]
    return Break(f"AXIS_ALIGNED_BBOX_TRANSFORM/{rule}", inputs, [out or output(T(rois.type))])


def _proposal_break(rule: str, *tensors: Argument, outputs: list[Argument] | None = None) -> Break:
    given_tensors = (*tensors, *(GRID, GRID_DELTAS, ROIS, IMAGES)[len(tensors) :])
    inputs = proposal_inputs(F32, given_tensors, GOOD)
    return Break(f"GENERATE_PROPOSALS/{rule}", inputs, outputs or [output(F32), output(F32), INT32])


def _coded(scale: float = 0.125, zero_point: int = 0) -> Argument:
    return tensor(Q16, [[0, 0, 4, 4]], scale, zero_point)


def _coded_size(scale: float = 0.125, zero_point: int = 0) -> Argument:
    return tensor(Q16, [[8, 8]], scale, zero_point)


Q8_DELTAS = tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((1, 4)), 0.5, 0)
Q8_GRID = tensor(T.TENSOR_QUANT8_ASYMM, np.ones((1, 1, 1, 1)), 0.5, 0)
Q8_GRID_DELTAS = tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((1, 1, 1, 4)), 0.5, 0)
Q8_OUT = [output(T.TENSOR_QUANT8_ASYMM, 0.5, 0), CODES_OUT, INT32]


def _coded_anchors(scale: float = 0.125) -> Argument:
    return tensor(T.TENSOR_QUANT16_SYMM, [[0, 0, 4, 4]], scale, 0)


def _zeros(*shape: int) -> Argument:
    return tensor(F32, np.zeros(shape))


BREAKS = [
    _transform_break("roi.rank", _zeros(4)),
    _transform_break("deltas.rank", ROIS, _zeros(4)),
    _transform_break("image_info.rank", ROIS, DELTAS, _zeros(2)),
    Break(
        "AXIS_ALIGNED_BBOX_TRANSFORM/batch_index.rank",
        [ROIS, DELTAS, tensor(T.TENSOR_INT32, [[0]]), IMAGES],
        [output(F32)],
    ),
    _transform_break("roi.dimensions", _zeros(1, 5)),
    _transform_break("deltas.dimensions", ROIS, _zeros(2, 4)),
    _transform_break("deltas.classes", ROIS, _zeros(1, 6)),
    _transform_break("deltas.classes", ROIS, _zeros(1, 0)),
    _transform_break("batch_index.dimensions", batches=(0, 0)),
    _transform_break("image_info.dimensions", ROIS, DELTAS, _zeros(1, 3)),
    _transform_break("image_info.batches", ROIS, DELTAS, _zeros(0, 2)),
    _transform_break("roi.quantization", _coded(0.25), Q8_DELTAS, _coded_size(), out=CODES_OUT),
    _transform_break("roi.quantization", _coded(0.125, 1), Q8_DELTAS, _coded_size(), out=CODES_OUT),
    _transform_break("image_info.quantization", _coded(), Q8_DELTAS, _coded_size(0.25), out=CODES_OUT),
    _transform_break("image_info.quantization", _coded(), Q8_DELTAS, _coded_size(0.125, 9), out=CODES_OUT),
    _transform_break("output.quantization", _coded(), Q8_DELTAS, _coded_size(), out=output(Q16, 0.125, 1)),
    _transform_break("batch_index.values", batches=(1,)),
    _transform_break("batch_index.values", batches=(-1,)),
    _transform_break("roi.order", tensor(F32, [[4, 0, 3, 4]])),
    _transform_break("roi.order", tensor(F32, [[0, NAN, 3, 4]])),
    _proposal_break("scores.rank", _zeros(2, 2, 1)),
    _proposal_break("deltas.rank", GRID, _zeros(2, 2, 4)),
    _proposal_break("anchors.rank", GRID, GRID_DELTAS, _zeros(4)),
    _proposal_break("image_info.rank", GRID, GRID_DELTAS, ROIS, _zeros(2)),
    *(
        _proposal_break("deltas.dimensions", GRID, _zeros(*shape))
        for shape in ((2, 2, 2, 4), (1, 3, 2, 4), (1, 2, 3, 4), (1, 2, 2, 8))
    ),
    _proposal_break("anchors.dimensions", GRID, GRID_DELTAS, _zeros(2, 4)),
    _proposal_break("anchors.dimensions", GRID, GRID_DELTAS, _zeros(1, 5)),
    _proposal_break("image_info.dimensions", GRID, GRID_DELTAS, ROIS, _zeros(2, 2)),
    _proposal_break(
        "anchors.quantization", Q8_GRID, Q8_GRID_DELTAS, _coded_anchors(0.25), _coded_size(), outputs=Q8_OUT
    ),
    _proposal_break(
        "image_info.quantization", Q8_GRID, Q8_GRID_DELTAS, _coded_anchors(), _coded_size(0.125, 1), outputs=Q8_OUT
    ),
    _proposal_break(
        "output.quantization",
        Q8_GRID,
        Q8_GRID_DELTAS,
        _coded_anchors(),
        _coded_size(),
        outputs=[Q8_OUT[0], output(Q16, 0.25, 0), INT32],
    ),
    _proposal_break("anchors.order", GRID, GRID_DELTAS, tensor(F32, [[0, 4, 4, 3]])),
    _proposal_break("anchors.order", GRID, GRID_DELTAS, tensor(F32, [[0, 0, NAN, 3]])),
    _proposal_break("zero_sized", _zeros(0, 2, 2, 1), _zeros(0, 2, 2, 4), ROIS, _zeros(0, 2)),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    family = (O.AXIS_ALIGNED_BBOX_TRANSFORM, O.GENERATE_PROPOSALS)
    extra = {f"{operation.name}/output.quantization" for operation in family} | {"GENERATE_PROPOSALS/zero_sized"}
    assert {case.rule for case in BREAKS} == rules_to_break(family) | extra
