"""Bounds of sums and products, against exact fractions and what drivers do honestly and wrongly."""

from fractions import Fraction

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.comparison import Mismatch
from nnvet.oracle.random_graphs import Drift
from tests.oracle.bounds.calls import codes, estimated, floats, integers, number

FLOAT16 = OperandType.TENSOR_FLOAT16
NONE, RELU6 = number(0), number(3)


@pytest.fixture
def pairs() -> tuple[np.ndarray, np.ndarray]:
    """Two rows of float32."""
    random = np.random.default_rng(7)
    return random.uniform(-2, 2, 500).astype(np.float32), random.uniform(-2, 2, 500).astype(np.float32)


def test_the_ideal_value_is_the_exact_sum(pairs: tuple[np.ndarray, np.ndarray]) -> None:
    """Within what float64 leaves, and the bound of a float32 is half a unit in the last place."""
    (found,) = estimated(O.ADD, [floats(pairs[0]), floats(pairs[1]), NONE])
    for x, y, value, error in zip(*pairs, found.value, found.error, strict=True):
        assert abs(Fraction(float(value)) - Fraction(float(x)) - Fraction(float(y))) < Fraction(1, 2**50)
        assert error == np.spacing(np.float32(abs(value))) / 2


@pytest.mark.parametrize("operation", [O.ADD, O.SUB, O.MUL])
def test_one_rounding_is_right_and_truncation_is_wrong(operation: O, pairs: tuple[np.ndarray, np.ndarray]) -> None:
    """IEEE arithmetic is within the bound; cutting bits off is not."""
    (found,) = estimated(operation, [floats(pairs[0]), floats(pairs[1]), NONE])
    of = {O.ADD: np.add, O.SUB: np.subtract, O.MUL: np.multiply}[operation]
    assert compare_estimate(of(*pairs), found) is None
    exact = of(pairs[0].astype(np.float64), pairs[1].astype(np.float64))
    nearest = exact.astype(np.float32)
    cut = np.where(np.abs(nearest) > np.abs(exact), np.nextafter(nearest, np.float32(0)), nearest)
    assert isinstance(compare_estimate(cut, found), Mismatch)


def test_float16_is_rounded_once(pairs: tuple[np.ndarray, np.ndarray]) -> None:
    """A sum of float16 is rounded to float16; one that drops a bit more is wrong."""
    x, y = (side.astype(np.float16) for side in pairs)
    (found,) = estimated(O.MUL, [floats(x, FLOAT16), floats(y, FLOAT16), NONE])
    exact = x.astype(np.float64) * y.astype(np.float64)
    assert compare_estimate(exact.astype(np.float16), found) is None
    mantissa, exponent = np.frexp(exact)
    coarse = np.ldexp(np.round(mantissa * 2**10) / 2**10, exponent).astype(np.float16)
    assert compare_estimate(coarse, found) is not None


def test_relaxed_models_may_be_computed_in_float16(pairs: tuple[np.ndarray, np.ndarray]) -> None:
    """float16 storage of inputs and results is right where the model is relaxed, and wrong elsewhere."""
    inputs = [floats(pairs[0]), floats(pairs[1]), NONE]
    x, y = (side.astype(np.float16) for side in pairs)
    coarse = (x * y).astype(np.float32)
    (relaxed,) = estimated(O.MUL, inputs, relaxed=True)
    (strict,) = estimated(O.MUL, inputs)
    assert compare_estimate(coarse, relaxed) is None
    assert compare_estimate(coarse, strict) is not None
    assert compare_estimate(pairs[0] * pairs[1], relaxed) is None


def test_a_missing_clamp_is_found(pairs: tuple[np.ndarray, np.ndarray]) -> None:
    """RELU6 leaves nothing below 0, to the bit."""
    (found,) = estimated(O.ADD, [floats(pairs[0]), floats(pairs[1]), RELU6])
    total = pairs[0] + pairs[1]
    assert compare_estimate(np.clip(total, 0, 6), found) is None
    assert compare_estimate(total, found) is not None
    assert not found.error[total < -1e-3].any()


def test_sums_of_codes_are_rounded_in_either_direction_and_no_further() -> None:
    """The code is that of the exact sum, rounded; a zero point that is off by one and truncation are found."""
    random = np.random.default_rng(3)
    x, y = random.integers(0, 256, 400), random.integers(0, 256, 400)
    inputs = [codes(x, 0.25, 3), codes(y, 0.5, 130), NONE]
    (found,) = estimated(O.ADD, inputs, codes([], 0.7, 100))
    scale = float(np.float32(0.7))
    exact = ((x - 3) * 0.25 + (y - 130) * 0.5) / scale + 100
    right = np.clip(np.round(exact), 0, 255).astype(np.uint8)
    assert compare_estimate(right, found) is None
    assert compare_estimate(np.clip(np.floor(exact), 0, 255).astype(np.uint8), found) is not None
    assert compare_estimate(np.clip(right.astype(int) + 1, 0, 255).astype(np.uint8), found) is not None


def test_a_systematic_half_unit_is_found() -> None:
    """Errors that are each allowed but all on one side are no rounding."""
    random = np.random.default_rng(5)
    x, y = random.uniform(1, 2, (2, 1000)).astype(np.float32)
    (found,) = estimated(O.DIV, [floats(x), floats(y), NONE])
    quotient = x.astype(np.float64) / y.astype(np.float64)
    assert compare_estimate(quotient.astype(np.float32), found) is None
    assert isinstance(compare_estimate((quotient * (1 + 2.0**-22.5)).astype(np.float32), found), Mismatch | Drift)


def test_integers_wrap_around() -> None:
    """Overflow of TENSOR_INT32 is exact arithmetic modulo 2^32."""
    (found,) = estimated(O.ADD, [integers([2**31 - 1, 5]), integers([1, -7]), NONE])
    assert found.value.tolist() == [-(2**31), -2]
    assert compare_estimate(np.array([-(2**31), -2], np.int32), found) is None
    assert compare_estimate(np.array([-(2**31), -3], np.int32), found) is not None


def test_infinities_may_be_the_largest_finite_number() -> None:
    """Overflow, poles and NaN keep their class; a zero may change its sign."""
    x = np.array([3e38, -3e38, 1, 0, 0], np.float32)
    y = np.array([10, 10, 0, 0, 5], np.float32)
    (product,) = estimated(O.MUL, [floats(x), floats(y), NONE])
    (quotient,) = estimated(O.DIV, [floats(x), floats(y), NONE])
    big = np.finfo(np.float32).max
    assert compare_estimate(np.array([np.inf, -np.inf, 0, 0, -0.0], np.float32), product) is None
    assert compare_estimate(np.array([big, -big, -0.0, 0, 0], np.float32), product) is None
    assert compare_estimate(np.array([3e38, -big, 0, 0, 0], np.float32), product) is not None
    assert compare_estimate(np.array([-np.inf, -big, 0, 0, 0], np.float32), product) is not None
    with np.errstate(all="ignore"):
        assert compare_estimate(x / y, quotient) is None
        assert compare_estimate(np.nan_to_num(x / y, nan=0.0), quotient) is not None


def test_integers_with_a_scale_are_integers() -> None:
    """A constant that is also somebody's bias has a scale, which addition does not know."""
    bias = (OperandType.TENSOR_INT32, np.array([100, -7], np.int32), 0.0121618, 0)
    (found,) = estimated(O.ADD, [bias, integers([1, 2]), NONE], integers([]))
    assert found.value.tolist() == [101, -5]
    assert not found.error.any()


def test_numbers_half_way_between_two_of_float16_are_all_rounded_to_one_side() -> None:
    """Ties go to the even one, which on a coarse grid is the lower one each time; cutting off is found."""
    half = OperandType.TENSOR_FLOAT16
    # An odd multiple of 2^-6 less multiples of 2^-4, all from 32 to 64, where float16 has the multiples of 2^-5.
    minuend, subtrahend = np.array([25.453125]), np.arange(-38.0, -7.0, 2.0**-4)
    (found,) = estimated(O.SUB, [floats(minuend, half), floats(subtrahend, half), number(0)], floats([], half))
    rounded = (minuend - subtrahend).astype(np.float16)
    assert (rounded < found.value).all()
    assert compare_estimate(rounded, found) is None
    # Of random numbers few are half-way.
    subtrahend = np.random.default_rng(3).uniform(-38, -7, 500).astype(np.float16)
    (found,) = estimated(O.SUB, [floats(minuend, half), floats(subtrahend, half), number(0)], floats([], half))
    exact = minuend - subtrahend.astype(np.float64)
    assert compare_estimate(exact.astype(np.float16), found) is None
    downwards = np.where(exact.astype(np.float16) > exact, np.nextafter(exact.astype(np.float16), np.float16(0)), exact)
    assert isinstance(compare_estimate(downwards.astype(np.float16), found), Drift | Mismatch)
