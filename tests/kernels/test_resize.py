"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR against the second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import resize as golden
from nnvet.oracle.operations.invocation import Tensor, to_nchw, to_nhwc
from tests.kernels.declared import Break, rules_to_break
from tests.kernels.movement import KINDS, check, flag, number, whole
from tests.kernels.random_operands import CODES, FEW, operands
from tests.single import output, run_single, tensor

SIZES = st.integers(1, 4)
FLAGS = st.sampled_from(((), (False,), (True,), (False, True), (True, False, True), (False, False, False)))
"""Layout, align corners, half pixel centres: as many as are given."""
Flags = tuple[bool, ...]


def given_flags(flags: Flags) -> tuple[bool, bool, bool]:
    """All three flags; those not given are off."""
    nchw, align, half = (*flags, False, False, False)[:3]
    return nchw, align, half


def resized(data: st.DataObject, kind: T, flags: Flags, least: int) -> tuple[list[Argument], Tensor, int, int]:
    """Inputs of a resize, its images as NHWC, and the new height and width."""
    flags = (*flags, False)[: max(len(flags), least)]
    n, h, w, c = (data.draw(SIZES) for _ in range(4))
    argument = data.draw(operands(kind, (n, c, h, w) if given_flags(flags)[0] else (n, h, w, c)))
    source = to_nhwc(whole(argument)) if given_flags(flags)[0] else whole(argument)
    operands_ = [flag(value=value) for value in flags]
    if data.draw(st.booleans()):
        height, width = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
        return [argument, number(width), number(height), *operands_], source, height, width
    scalar = T.FLOAT16 if kind == T.TENSOR_FLOAT16 else T.FLOAT32
    # At least one cell is left of four.
    scales = [tensor(scalar, data.draw(st.floats(1, 4)) / data.draw(st.integers(1, size))) for size in (w, h)]
    width, height = (golden.scaled_size(size, s.array.item()) for size, s in zip((w, h), scales, strict=True))
    return [argument, *scales, *operands_], source, max(height, 1), max(width, 1)


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), flags=FLAGS)
def test_bilinear(data: st.DataObject, kind: T, flags: Flags) -> None:
    """Floats and codes agree to the bit, in every form and layout."""
    inputs, source, height, width = resized(data, kind, flags, 0)
    nchw, align, half = given_flags(flags)
    expected = golden.bilinear(source, height, width, align=align, half=half, codes=kind in CODES)
    expected = to_nchw(expected) if nchw else expected
    check(O.RESIZE_BILINEAR, inputs, expected)


@FEW
@given(data=st.data(), kind=st.sampled_from(KINDS), flags=FLAGS)
def test_nearest(data: st.DataObject, kind: T, flags: Flags) -> None:
    """Pixels are copied exactly, in every form and layout."""
    inputs, source, height, width = resized(data, kind, flags, 1)
    nchw, align, half = given_flags(flags)
    expected = golden.nearest(source, height, width, align=align, half=half)
    check(O.RESIZE_NEAREST_NEIGHBOR, inputs, to_nchw(expected) if nchw else expected)


def column(kind: T, *values: float) -> Argument:
    """One row of pixels with one channel."""
    return tensor(kind, np.reshape(values, (1, 1, -1, 1)), 0.5 if kind in CODES else 0.0)


@pytest.mark.parametrize(
    ("align", "half", "expected"),
    [
        # Positions x * 2/4: 0, 0.5, 1, 1.5 (upper neighbour stays inside).
        (False, False, [0, 5, 10, 10]),
        # Positions x * 1/3.
        (True, False, [0, 10 / 3, 20 / 3, 10]),
        # Positions (x + 0.5) / 2 - 0.5: -0.25, 0.25, 0.75, 1.25; outside both neighbours are the border.
        (False, True, [0, 2.5, 7.5, 10]),
    ],
)
def test_bilinear_by_hand(*, align: bool, half: bool, expected: list[float]) -> None:
    """Pixels 0 and 10 stretched to four."""
    inputs = [column(T.TENSOR_FLOAT32, 0, 10), number(4), number(1), *(flag(value=v) for v in (False, align, half))]
    (result,) = run_single(O.RESIZE_BILINEAR, inputs, [output(T.TENSOR_FLOAT32)])
    np.testing.assert_allclose(result.reshape(-1), expected, rtol=1e-6)


def test_bilinear_codes_by_hand() -> None:
    """A half is added and the fraction cut: 2.5 becomes 3, -2.5 becomes -2, -3 becomes -2.5 and then -2."""
    out = [output(T.TENSOR_QUANT8_ASYMM, 0.5)]
    (result,) = run_single(O.RESIZE_BILINEAR, [column(T.TENSOR_QUANT8_ASYMM, 0, 5), number(4), number(1)], out)
    assert result.reshape(-1).tolist() == [0, 3, 5, 5]
    out = [output(T.TENSOR_QUANT8_ASYMM_SIGNED, 0.5)]
    (result,) = run_single(O.RESIZE_BILINEAR, [column(T.TENSOR_QUANT8_ASYMM_SIGNED, -3, -2), number(4), number(1)], out)
    assert result.reshape(-1).tolist() == [-2, -2, -1, -1]


@pytest.mark.parametrize("operation", [O.RESIZE_BILINEAR, O.RESIZE_NEAREST_NEIGHBOR])
def test_no_images(operation: O) -> None:
    """A batch of none is resized to a batch of none."""
    inputs = [tensor(T.TENSOR_FLOAT32, np.zeros((0, 2, 3, 4))), number(5), number(6), flag(value=False)]
    (result,) = run_single(operation, inputs, [output(T.TENSOR_FLOAT32)])
    assert result.shape == (0, 6, 5, 4)


def breaks(operation: O) -> list[Break]:
    """Calls that break each rule of one of the two operations."""
    name, out = operation.name, [output(T.TENSOR_FLOAT32)]
    image = tensor(T.TENSOR_FLOAT32, np.zeros((1, 2, 2, 1)))
    coded = tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((1, 2, 2, 1)), 0.5, 3)
    nhwc, on = flag(value=False), flag(value=True)
    two, infinite = tensor(T.FLOAT32, 2), tensor(T.FLOAT32, float("inf"))
    return [
        Break(f"{name}/input.rank", [tensor(T.TENSOR_FLOAT32, np.zeros((2, 2, 1))), number(2), number(2), nhwc], out),
        Break(f"{name}/half_pixel_centers.exclusive", [image, number(2), number(2), nhwc, on, on], out),
        *(
            Break(f"{name}/input.dimensions", [tensor(T.TENSOR_FLOAT32, np.zeros(d)), number(2), number(2), nhwc], out)
            for d in ((1, 0, 2, 1), (1, 2, 0, 1), (1, 2, 2, 0))
        ),
        Break(f"{name}/output.size", [image, number(0), number(2), nhwc], out),
        Break(f"{name}/output.size", [image, number(2), number(-1), nhwc], out),
        Break(f"{name}/output.size", [image, two, tensor(T.FLOAT32, 0.25), nhwc], out),
        Break(f"{name}/output.size", [image, infinite, two, nhwc], out),
        Break(f"{name}/output.quantization", [coded, two, two, nhwc], [output(T.TENSOR_QUANT8_ASYMM, 0.5, 4)]),
    ]


BREAKS = [*breaks(O.RESIZE_BILINEAR), *breaks(O.RESIZE_NEAREST_NEIGHBOR)]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.rule)
def test_broken_rule(case: Break) -> None:
    """Breaking a rule is answered with that rule and its status."""
    case.check()


def test_every_rule_is_broken() -> None:
    """The table above leaves no rule of the family out, nor the quantisation that outputs take from inputs."""
    family = (O.RESIZE_BILINEAR, O.RESIZE_NEAREST_NEIGHBOR)
    inferred = {f"{operation.name}/output.quantization" for operation in family}
    assert {case.rule for case in BREAKS} == rules_to_break(family) | inferred
