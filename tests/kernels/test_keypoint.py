"""HEATMAP_MAX_KEYPOINT against the second implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations.detection import quantize
from nnvet.oracle.operations.invocation import to_nhwc
from nnvet.oracle.operations.roi import heatmap_max_keypoint
from tests.kernels.box_operands import BOX_KIND, KINDS, coordinates, like_boxes, numbers, random_boxes, real
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import flag
from tests.kernels.random_operands import CODES, FEW, assert_close, assert_exact, code_range
from tests.single import output, run_single, tensor

F32, Q16 = T.TENSOR_FLOAT32, T.TENSOR_QUANT16_ASYMM
SCORE_SCALES = {T.TENSOR_QUANT8_ASYMM: (0.1, 3), T.TENSOR_QUANT8_ASYMM_SIGNED: (0.05, -120)}
"""Scores may have another quantisation than the maps; the second saturates."""
NHWC, NCHW = flag(value=False), flag(value=True)


@FEW
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10**6),
    count=st.integers(1, 3),
    size=st.integers(2, 5),
    keypoints=st.integers(1, 3),
    steps=st.sampled_from((1, 3, 160)),
    nchw=st.booleans(),
)
def test_heatmap_max_keypoint(
    kind: T, seed: int, count: int, size: int, keypoints: int, steps: int, nchw: bool
) -> None:
    """Scores and positions agree; maxima at borders, plateaus and ties (few steps) are among them."""
    rng = np.random.default_rng(seed)
    shape = (count, keypoints, size, size) if nchw else (count, size, size, keypoints)
    maps = numbers(kind, rng.integers(0, steps + 1, shape) / 16)
    boxes = coordinates(BOX_KIND[kind], random_boxes(rng, count, smallest=0))
    target = SCORE_SCALES.get(kind, (0.0, 0))
    inputs = [maps, boxes, NCHW if nchw else NHWC]
    results = run_single(O.HEATMAP_MAX_KEYPOINT, inputs, [output(kind, *target), like_boxes(kind)])
    tolerance = 1e-3 if kind == T.TENSOR_FLOAT16 else 1e-5
    expected = heatmap_max_keypoint(to_nhwc(real(maps)) if nchw else real(maps), real(boxes), tolerance)
    if kind in CODES:
        assert_exact(results[0], expected[0].dims, [quantize(x, target, *code_range(kind)) for x in expected[0].values])
        codes = [quantize(x, (0.125, 0), 0, 65535) for x in expected[1].values]
        assert_exact(results[1], expected[1].dims, codes)
    else:
        for result, wanted in zip(results, expected, strict=True):
            assert_close(result, wanted.dims, wanted.values)


def _keypoint(cells: Any, kind: T = F32) -> list[Any]:
    """Score, and position in a box of 8 by 8 at (0, 0), for one map."""
    maps = tensor(kind, np.asarray(cells)[None, :, :, None])
    results = run_single(
        O.HEATMAP_MAX_KEYPOINT, [maps, tensor(kind, [[0, 0, 8, 8]]), NHWC], [output(kind), output(kind)]
    )
    return [results[0].item(), *results[1].reshape(-1).tolist()]


def test_maximum_of_a_parabola() -> None:
    """The parabola 4 - (x - 1.25)^2 - (y - 2)^2 over 4 by 4 cells has its maximum 4 at column 1.25, row 2.

    In the box that is (1.25 + 0.5) / 4 * 8 = 3.5 and (2 + 0.5) / 4 * 8 = 5.
    """
    y, x = np.mgrid[:4, :4]
    assert _keypoint(4 - (x - 1.25) ** 2 - (y - 2) ** 2) == [4.0, 3.5, 5.0]


def test_nan_never_wins() -> None:
    """NaN in the first cell is passed over; a peak in row 2, column 3 of 4 by 4 cells lies at 7, 5 of 8 by 8."""
    cells = np.zeros((4, 4))
    cells[0, 0], cells[2, 3] = np.nan, 1.0
    assert _keypoint(cells) == [1.0, 7.0, 5.0]


def test_far_offsets_are_cut() -> None:
    """A diagonal ridge puts the maximum 1 cell to the right and 2 down; both are shrunk until 2 has become 1.5.

    b = (-1/4, -1/8), A = ((-1, 3/8), (3/8, -1/4)), det = 7/64, offset (1/16 + 3/64, 1/8 + 3/32) / det = (1, 2), cut to
    (3/4, 3/2); score 1 + 3/16 + 3/16 + (-3/16 * 3/4 - 3/32 * 3/2) / 2 = 1.234375; the place in a box of 8 by 8 is
    (1 + 3/4 + 1/2) / 3 * 8 = 6 and (1 + 3/2 + 1/2) / 3 * 8 = 8. The transposed map swaps the two.
    """
    cells = np.array([[0.75, 0.75, 0.25], [0.25, 1.0, 0.75], [0.0, 1.0, 1.0]])
    assert _keypoint(cells) == [1.234375, 6.0, 8.0]
    assert _keypoint(cells.T) == [1.234375, 8.0, 6.0]


def test_half_floats_call_more_maps_flat() -> None:
    """Second derivatives of -1/64 have a determinant of 1/4096, which is flat beside 1e-3 but not beside 1e-5.

    The parabola through 1 - 1/64, 1, 1 has its maximum half a cell to the right: (1 + 1/2 + 1/2) / 3 * 8.
    """
    low = 1 - 1 / 128
    cells = [[0.0, low, 0.0], [1 - 1 / 64, 1.0, 1.0], [0.0, low, 0.0]]
    np.testing.assert_allclose(_keypoint(cells)[1:], [16 / 3, 4.0], rtol=1e-6)
    assert _keypoint(cells, T.TENSOR_FLOAT16) == [1.0, 4.0, 4.0]


def test_codes_of_negative_scores() -> None:
    """Halves are rounded after the zero point is added: -0.5 / 1 + 10 = 9.5 becomes 10, not 9."""
    maps = tensor(T.TENSOR_QUANT8_ASYMM, np.full((1, 2, 2, 1), 9), 0.5, 10)
    outputs = [output(T.TENSOR_QUANT8_ASYMM, 1.0, 10), output(Q16, 0.125, 0)]
    assert run_single(O.HEATMAP_MAX_KEYPOINT, [maps, _coded(), NHWC], outputs)[0].item() == 10


MAPS = tensor(F32, np.zeros((1, 2, 2, 1)))
BOXES = tensor(F32, [[0, 0, 4, 4]])
CODED_MAPS = tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((1, 2, 2, 1)), 0.5, 0)
CODED_SCORES = output(T.TENSOR_QUANT8_ASYMM, 0.25, 7)


def _break(rule: str, maps: Argument = MAPS, boxes: Argument = BOXES, *outputs: Argument) -> Break:
    return Break(f"HEATMAP_MAX_KEYPOINT/{rule}", [maps, boxes, NHWC], outputs or [output(F32), output(F32)])


def _coded(scale: float = 0.125, zero_point: int = 0) -> Argument:
    return tensor(Q16, [[0, 0, 4, 4]], scale, zero_point)


def _zeros(*shape: int) -> Argument:
    return tensor(F32, np.zeros(shape))


BREAKS = [
    _break("heatmap.rank", _zeros(2, 2, 1)),
    _break("boxes.rank", MAPS, _zeros(4)),
    _break("heatmap.size", _zeros(1, 2, 3, 1)),
    _break("heatmap.size", _zeros(1, 1, 1, 1)),
    _break("boxes.dimensions", MAPS, _zeros(2, 4)),
    _break("boxes.dimensions", MAPS, _zeros(1, 5)),
    _break("boxes.quantization", CODED_MAPS, _coded(0.25), CODED_SCORES, output(Q16, 0.125, 0)),
    _break("boxes.quantization", CODED_MAPS, _coded(0.125, 1), CODED_SCORES, output(Q16, 0.125, 0)),
    _break("output.quantization", CODED_MAPS, _coded(), CODED_SCORES, output(Q16, 0.25, 0)),
    _break("boxes.order", MAPS, tensor(F32, [[5, 0, 4, 4]])),
    _break("boxes.order", MAPS, tensor(F32, [[0, 5, 4, 4]])),
    _break("zero_sized", _zeros(0, 2, 2, 1), _zeros(0, 4)),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the operation out."""
    extra = {"HEATMAP_MAX_KEYPOINT/output.quantization", "HEATMAP_MAX_KEYPOINT/zero_sized"}
    assert {case.rule for case in BREAKS} == rules_to_break((O.HEATMAP_MAX_KEYPOINT,)) | extra
