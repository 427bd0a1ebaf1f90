"""ROI_ALIGN and ROI_POOLING against the second implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations.invocation import Tensor, to_nchw, to_nhwc
from nnvet.oracle.operations.roi import Codes, RoiSettings, roi_align, roi_pooling
from tests.kernels.box_operands import BOX_KIND, KINDS, coordinates, real, scalar
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import flag, ints, like, number, whole
from tests.kernels.random_operands import (
    CODES,
    FEW,
    assert_close,
    assert_exact,
    assert_fails,
    code_range,
    operands,
    quantizations,
)
from tests.single import output, run_single, tensor

F32, Q8, Q16 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT16_ASYMM
PRECISION = {T.TENSOR_FLOAT16: np.float16}
"""Type of coordinates, float32 where not given."""


def roi_inputs(
    operation: O,
    features: Argument,
    rois: Argument,
    batches: list[int],
    settings: RoiSettings,
    *,
    nchw: bool = False,
) -> list[Argument]:
    """Operands of either operation."""
    kind = T(features.type)
    sampling = [number(settings.height_samples), number(settings.width_samples)]
    return [
        features,
        rois,
        ints(*batches),
        number(settings.output_height),
        number(settings.output_width),
        scalar(kind, settings.height_ratio),
        scalar(kind, settings.width_ratio),
        *(sampling if operation == O.ROI_ALIGN else []),
        flag(value=nchw),
    ]


SETTINGS = st.builds(
    RoiSettings,
    output_height=st.integers(1, 3),
    output_width=st.integers(1, 4),
    height_ratio=st.sampled_from((0.5, 1.0, 3.0)),
    width_ratio=st.sampled_from((1.0, 2.0, 2.5)),
    height_samples=st.integers(0, 3),
    width_samples=st.integers(0, 3),
)


@st.composite
def regions(draw: st.DrawFn, height: int, width: int, settings: RoiSettings) -> list[float]:
    """Regions inside the feature map, in eighths; single points, full height and width are among them."""
    sides: list[list[float]] = []
    for size, ratio in ((width, settings.width_ratio), (height, settings.height_ratio)):
        ends = st.integers(0, int(size * ratio * 8)).map(lambda n: n / 8)
        sides.append(sorted(draw(st.lists(ends, min_size=2, max_size=2) | st.just([0.0, int(size * ratio * 8) / 8]))))
    (x1, x2), (y1, y2) = sides
    return [x1, y1, x2, y2]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Argument, Argument, list[int], RoiSettings, bool]:
    """Features, regions, their feature maps, settings and layout."""
    kind, settings, nchw = draw(st.sampled_from(KINDS)), draw(SETTINGS), draw(st.booleans())
    count, height, width, depth = (draw(st.integers(1, most)) for most in (2, 5, 5, 3))
    shape = (count, depth, height, width) if nchw else (count, height, width, depth)
    batches = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=4))
    rois = [draw(regions(height, width, settings)) for _ in batches]
    return draw(operands(kind, shape)), coordinates(BOX_KIND[kind], rois), batches, settings, nchw


def _laid_out(expected: Tensor, nchw: bool) -> Tensor:
    return to_nchw(expected) if nchw else expected


def _features(argument: Argument, nchw: bool) -> Tensor:
    return to_nhwc(whole(argument)) if nchw else whole(argument)


@FEW
@given(data=st.data(), case=cases())
def test_roi_align(data: st.DataObject, case: tuple[Argument, Argument, list[int], RoiSettings, bool]) -> None:
    """Codes agree to the bit, float16 in its own arithmetic, with given and adaptive numbers of samples."""
    features, rois, batches, settings, nchw = case
    kind = T(features.type)
    inputs = roi_inputs(O.ROI_ALIGN, features, rois, batches, settings, nchw=nchw)
    if kind not in CODES:
        (result,) = run_single(O.ROI_ALIGN, inputs, [output(kind)])
        precision = PRECISION.get(kind, np.float32)
        expected = _laid_out(roi_align(_features(features, nchw), real(rois), batches, settings, precision), nchw)
        assert_close(result, expected.dims, expected.values, (1e-5, 1e-5) if kind == F32 else (0, 0))
        return
    # An output scale of at least the input scale over 255 keeps the multiplier below 1.
    scale, zero_point = data.draw(quantizations(kind))
    target = max(scale, features.scale / 200), zero_point
    codes = Codes((features.scale, features.zero_point), target, *code_range(kind))
    (result,) = run_single(O.ROI_ALIGN, inputs, [output(kind, *target)])
    expected = _laid_out(roi_align(_features(features, nchw), real(rois), batches, settings, codes=codes), nchw)
    assert_exact(result, expected.dims, expected.values)


@FEW
@given(case=cases())
def test_roi_pooling(case: tuple[Argument, Argument, list[int], RoiSettings, bool]) -> None:
    """Maxima agree exactly, with codes, and in both layouts."""
    features, rois, batches, settings, nchw = case
    kind = T(features.type)
    inputs = roi_inputs(O.ROI_POOLING, features, rois, batches, settings, nchw=nchw)
    (result,) = run_single(O.ROI_POOLING, inputs, [like(features)])
    precision = PRECISION.get(kind, np.float32)
    expected = roi_pooling(_features(features, nchw), real(rois), batches, settings, precision, features.zero_point)
    expected = _laid_out(expected, nchw)
    assert_exact(result, expected.dims, expected.values)


RAMP = tensor(F32, np.arange(16).reshape(1, 4, 4, 1))
ROIS = tensor(F32, [[0, 0, 4, 4]])
GOOD = RoiSettings(height_ratio=1.0, width_ratio=1.0)
ONE_CELL = replace(GOOD, output_height=1, output_width=1)


def _align(features: Argument, rois: Any, settings: RoiSettings) -> Any:
    inputs = roi_inputs(O.ROI_ALIGN, features, tensor(F32, rois), [0] * len(rois), settings)
    return run_single(O.ROI_ALIGN, inputs, [output(F32)])[0].reshape(-1).tolist()


def test_align_by_hand() -> None:
    """On the ramp 4 y + x one sample at the middle (2, 2) is 10; beyond the last cell it is that cell.

    The region [3, 3, 4, 4] is sampled at (3.5, 3.5), which counts as (3, 3): 15. A single point at (1, 2) is a
    region of one by one cell, sampled at (1.5, 2.5): 4 * 2.5 + 1.5 = 11.5.
    """
    single = replace(ONE_CELL, height_samples=1, width_samples=1)
    assert _align(RAMP, [[0, 0, 4, 4], [3, 3, 4, 4], [1, 2, 1, 2]], single) == [10.0, 15.0, 11.5]
    # Adaptive: 4 by 4 samples at 0.5, 1.5, 2.5, 3.5; the last counts as 3: mean (0.5 + 1.5 + 2.5 + 3) / 4 = 1.875.
    assert _align(RAMP, [[0, 0, 4, 4]], ONE_CELL) == [5 * 1.875]


def test_pooling_by_hand() -> None:
    """Corners round to whole cells, both ends belong to the region, and what is left of the map is empty.

    [0.5, 0.5, 1.4, 1.4] is columns and rows 1 to 1: cell (1, 1) = 5. The region [4, 4, 4, 4] rounds to cell (4, 4),
    which does not exist: 0.
    """
    rois = tensor(F32, [[0.5, 0.5, 1.4, 1.4], [4, 4, 4, 4], [0, 0, 4, 4]])
    inputs = roi_inputs(O.ROI_POOLING, RAMP, rois, [0, 0, 0], ONE_CELL)
    assert run_single(O.ROI_POOLING, inputs, [output(F32)])[0].reshape(-1).tolist() == [5.0, 0.0, 15.0]


@pytest.mark.parametrize(("nchw", "shape"), [(False, (0, 2, 2, 3)), (True, (0, 3, 2, 2))])
def test_no_regions(nchw: bool, shape: tuple[int, ...]) -> None:
    """Without regions ROI_ALIGN gives a map without batches; the multiplier does not matter then."""
    features = tensor(Q8, np.zeros((1, 3, 3, 3)), 1000.0, 0)
    rois = tensor(Q16, np.zeros((0, 4)), 0.125, 0)
    inputs = roi_inputs(O.ROI_ALIGN, features, rois, [], GOOD, nchw=nchw)
    assert run_single(O.ROI_ALIGN, inputs, [output(Q8, 0.001, 0)])[0].shape == shape


def test_too_many_samples() -> None:
    """A number of samples that would take minutes is refused."""
    inputs = roi_inputs(O.ROI_ALIGN, RAMP, ROIS, [0], replace(GOOD, height_samples=2**31 - 1))
    status = ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT
    assert_fails("execution/memory", status, O.ROI_ALIGN, inputs, [output(F32)])


def _zeros(*shape: int) -> Argument:
    return tensor(F32, np.zeros(shape))


def _codes(scale: float = 0.5) -> Argument:
    return tensor(Q8, np.zeros((1, 4, 4, 1)), scale, 3)


def _coded(scale: float = 0.125, zero_point: int = 0) -> Argument:
    return tensor(Q16, [[0, 0, 4, 4]], scale, zero_point)


BROKEN_ROIS = (
    [-1, 0, 4, 4],
    [0, -1, 4, 4],
    [0, 0, 5, 4],
    [0, 0, 4, 4.25],
    [3, 0, 2, 4],
    [0, 3, 4, 2],
    [0, 0, np.nan, 4],
)


def _breaks(operation: O) -> list[Break]:
    out = [output(F32)]

    def broken(
        rule: str,
        features: Argument = RAMP,
        rois: Argument = ROIS,
        batches: tuple[int, ...] = (0,),
        outputs: list[Argument] = out,
        settings: RoiSettings = GOOD,
    ) -> Break:
        inputs = roi_inputs(operation, features, rois, list(batches), settings)
        return Break(f"{operation.name}/{rule}", inputs, outputs)

    coded_out = [output(Q8, 0.5, 3)]
    whole_call = roi_inputs(operation, RAMP, ROIS, [0], GOOD)
    return [
        broken("input.rank", _zeros(4, 4, 1)),
        broken("rois.rank", RAMP, _zeros(4)),
        Break(
            f"{operation.name}/batch_index.rank", [*whole_call[:2], tensor(T.TENSOR_INT32, [[0]]), *whole_call[3:]], out
        ),
        broken("rois.dimensions", RAMP, _zeros(1, 5)),
        broken("batch_index.dimensions", batches=(0, 0)),
        broken("rois.quantization", _codes(), _coded(0.25), outputs=coded_out),
        broken("rois.quantization", _codes(), _coded(0.125, 1), outputs=coded_out),
        broken("output.size", settings=replace(GOOD, output_height=0)),
        broken("output.size", settings=replace(GOOD, output_width=-1)),
        broken("ratios", settings=replace(GOOD, height_ratio=0.0)),
        broken("ratios", settings=replace(GOOD, width_ratio=-1.0)),
        broken("ratios", settings=replace(GOOD, width_ratio=np.nan)),
        broken("batch_index.values", batches=(1,)),
        broken("batch_index.values", batches=(-1,)),
        *(broken("rois.values", RAMP, tensor(F32, [roi])) for roi in BROKEN_ROIS),
    ]


def _align_break(rule: str, settings: RoiSettings, features: Argument, rois: Argument, out: Argument) -> Break:
    return Break(f"ROI_ALIGN/{rule}", roi_inputs(O.ROI_ALIGN, features, rois, [0], settings), [out])


BREAKS = [
    *_breaks(O.ROI_ALIGN),
    *_breaks(O.ROI_POOLING),
    *(
        _align_break("input.dimensions", GOOD, _zeros(*shape), ROIS, output(F32))
        for shape in ((0, 4, 4, 1), (1, 0, 4, 1), (1, 4, 0, 1), (1, 4, 4, 0))
    ),
    _align_break("sampling", replace(GOOD, height_samples=-1), RAMP, ROIS, output(F32)),
    _align_break("sampling", replace(GOOD, width_samples=-1), RAMP, ROIS, output(F32)),
    # One sample: 255 / 255 / 1 = 1 is no longer less than 1.
    _align_break(
        "multiplier",
        replace(GOOD, height_samples=1, width_samples=1),
        tensor(Q8, np.ones((1, 4, 4, 1)), 256.0, 0),
        _coded(),
        output(Q8, 1.0, 0),
    ),
    Break("ROI_POOLING/zero_sized", roi_inputs(O.ROI_POOLING, RAMP, _zeros(0, 4), [], GOOD), [output(F32)]),
    Break(
        "ROI_POOLING/output.quantization",
        roi_inputs(O.ROI_POOLING, _codes(), _coded(), [0], GOOD),
        [output(Q8, 0.5, 4)],
    ),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out."""
    extra = {"ROI_POOLING/zero_sized", "ROI_POOLING/output.quantization"}
    assert {case.rule for case in BREAKS} == rules_to_break((O.ROI_ALIGN, O.ROI_POOLING)) | extra
