"""Bounds where sums overflow on their way, or meet what is not finite: each case blamed an honest driver."""

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.families.recurrent import ACTIVATIONS
from nnvet.oracle.bounds.running import Running
from tests.oracle.bounds.calls import codes, estimated, floats, number, single

f32 = np.float32
VALID, ONE, TWO, NONE, RELU6 = number(2), number(1), number(2), number(0), number(3)


def test_tanh_of_a_large_error_may_cross_zero() -> None:
    """Of 0.5, off by 2: as low as tanh(-1.5); the slope away from zero is smaller."""
    found = ACTIVATIONS[4](Running(np.array([0.5, -0.5]), np.array([2.0, 2.0]), 2.0**-24))
    assert (found.error >= np.tanh(0.5) + np.tanh(1.5)).all()
    assert (found.error < np.tanh(0.5) + np.tanh(1.5) + 1e-6).all()


def test_an_activation_keeps_what_is_no_number() -> None:
    """Infinity from one lane and minus infinity from the other: NaN is right, 7 is not."""
    rows, weights = np.full((1, 4), 3e19, f32), np.array([[2e19, 2e19, -2e19, -2e19]], f32)
    (bound,) = estimated(O.FULLY_CONNECTED, [floats(rows), floats(weights), floats(np.zeros(1)), RELU6])
    with np.errstate(all="ignore"):
        lanes = (rows * weights).reshape(2, 2).sum(1, dtype=f32).sum(dtype=f32)
    assert np.isnan(lanes)
    assert compare_estimate(np.array([[lanes]]), bound) is None
    assert compare_estimate(np.array([[7]], f32), bound) is not None


def test_a_clip_keeps_what_is_no_number() -> None:
    """A cell state that is the difference of infinities stays NaN where it is clipped; other errors end at the clip."""
    found = Running(np.array([0.5, 0.5]), np.array([np.inf, 9.0]), 2.0**-24).clip(-1, 1)
    assert (found.value == 0.5).all()
    assert found.error.tolist() == [np.inf, 1.5]


def test_the_largest_float32_is_infinite_in_float16() -> None:
    """MAX_POOL_2D clamps an infinity to the largest float32, which float16 has not; 1 is wrong."""
    image = np.array([np.inf, 1, 2, 3], np.float16).reshape(1, 2, 2, 1)
    (bound,) = estimated(O.MAX_POOL_2D, [floats(image, T.TENSOR_FLOAT16), VALID, TWO, TWO, TWO, TWO, NONE])
    for right in (np.inf, 65504):
        assert compare_estimate(np.full((1, 1, 1, 1), right, np.float16), bound) is None
    assert compare_estimate(np.ones((1, 1, 1, 1), np.float16), bound) is not None


def test_zeros_between_pixels_meet_infinite_weights() -> None:
    """TRANSPOSE_CONV_2D of two pixels with a stride of two: 0 times infinity, or nothing."""
    image, weights = np.ones((1, 1, 2, 1), f32), np.array([1, np.inf], f32).reshape(1, 1, 2, 1)
    scalars = [*[number(0)] * 4, TWO, ONE, NONE, number(0, T.BOOL)]
    (bound,) = estimated(O.TRANSPOSE_CONV_2D, [floats(image), floats(weights), floats(np.zeros(1)), *scalars])
    scattered = np.array([1, np.inf, 1, np.inf], f32).reshape(bound.value.shape)
    assert compare_estimate(scattered, bound) is None
    assert compare_estimate(np.full(scattered.shape, np.nan, f32), bound) is None
    assert compare_estimate(scattered + f32(1), bound) is not None


def test_narrow_multipliers_are_granted_where_they_are_declared() -> None:
    """A sum that lies 1/64 of a code from the middle of two may go either way, and by no more than that."""
    kind = T.TENSOR_QUANT8_ASYMM
    given = [codes(np.array([[16]]), 1.0, 0), codes(np.array([[1]]), 1.0, 0)]
    model, arrays = single(
        O.FULLY_CONNECTED, [*given, (T.TENSOR_INT32, np.zeros(1, np.int32), 1.0, 0), NONE], [(kind, None, 64 / 47, 0)]
    )
    # 16 * 47 / 64 = 11.75: one code alone is right. 17 * 47 / 64 = 12.48: 13 with a slack of 1/32.
    for code, right in ((16, {12}), (17, {12, 13})):
        arrays[0][...] = code
        (tight,), (wide,) = estimate(model, arrays), estimate(model, arrays, liberties=["narrow-codes"])
        found = {made for made in range(8, 20) if compare_estimate(np.array([[made]], np.uint8), wide) is None}
        assert found == right
        assert compare_estimate(np.array([[13]], np.uint8), tight) is not None


def test_functions_of_sleef_are_granted_where_they_are_declared() -> None:
    """3.5 units in the last place of SQRT; 6 are not."""
    x = np.geomspace(1e-3, 1e3, 500).astype(f32)
    model, arrays = single(O.SQRT, [floats(x)], [(T.TENSOR_FLOAT32, None, 0.0, 0)])
    (tight,), (wide,) = estimate(model, arrays), estimate(model, arrays, liberties=["sleef-functions"])
    exact = np.sqrt(x.astype(np.float64))
    ulp = np.ldexp(1.0, np.frexp(exact)[1] - 24)
    assert compare_estimate((exact + 3 * ulp).astype(f32), wide) is None
    assert compare_estimate((exact + 3 * ulp).astype(f32), tight) is not None
    assert compare_estimate((exact + 6 * ulp).astype(f32), wide) is not None


@pytest.mark.parametrize(("size", "overflows"), [(5466, True), (5000, False)])
def test_sums_of_pools_may_overflow_before_they_are_divided(size: float, overflows: bool) -> None:
    """Twelve cells of a relaxed model, added up in float16, which ends at 65,504; their mean is far below that."""
    image = np.full((1, 3, 4, 1), size, f32)
    window = [VALID, ONE, ONE, number(4), number(3), NONE]
    (bound,) = estimated(O.AVERAGE_POOL_2D, [floats(image), *window], relaxed=True)
    with np.errstate(over="ignore"):
        total = image.astype(np.float16).sum(dtype=np.float16)
    assert bool(np.isinf(total)) is overflows
    for right in (size, total / np.float16(12)):
        assert compare_estimate(np.full((1, 1, 1, 1), right, f32), bound) is None
    if not overflows:
        assert compare_estimate(np.full((1, 1, 1, 1), np.inf, f32), bound) is not None
