"""Wrong ways to compute that wide bounds would hide: each is found, and the honest way beside it is not blamed."""

from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from tests.oracle.bounds.calls import estimated, floats, number
from tools.oracle_study import naive as liberties
from tools.oracle_study.naive import Array, f32

NONE = number(0)


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_sine_is_in_its_range(relaxed: bool) -> None:
    """Of large arguments nothing is known but that."""
    x = np.array([6e4, -6e4, 3e4, 1e4, 0.5] if relaxed else [1e12, -1e12, 3e30, 1e6, 0.5], f32)
    (bound,) = estimated(O.SIN, [floats(x)], relaxed=relaxed)
    assert compare_estimate(np.sin(x), bound) is None
    assert bound.error[0] > 1
    for wrong in (1000.0, -1000.0, 1.5, -2.0):
        assert compare_estimate(np.array([wrong, *np.sin(x[1:])], f32), bound) is not None


def test_a_logistic_function_is_not_negative() -> None:
    """Nor beyond 1, however small the results are."""
    x = np.array([-16.5, -20, -40, 0, 20], f32)
    (bound,) = estimated(O.LOGISTIC, [floats(x)])
    right = (1 / (1 + np.exp(-x.astype(np.float64)))).astype(f32)
    assert compare_estimate(right, bound) is None
    for place in range(3):
        wrong = right.copy()
        wrong[place] = -3e-8
        assert compare_estimate(wrong, bound) is not None
    assert compare_estimate(np.array([*right[:4], 1.00001], f32), bound) is not None


def test_a_hyperbolic_tangent_has_the_sign_of_its_argument() -> None:
    """Near zero as elsewhere; zero is right."""
    x = np.array([1e-8, -1e-8, 3e-8, 2.0], f32)
    (bound,) = estimated(O.TANH, [floats(x)])
    right = np.tanh(x)
    assert compare_estimate(right, bound) is None
    assert compare_estimate(np.where(np.abs(x) < 1, 0, right).astype(f32), bound) is None
    assert compare_estimate(np.where(np.abs(x) < 1, -right, right).astype(f32), bound) is not None


@pytest.fixture(scope="module")
def factors() -> tuple[Array, Array]:
    """Factors of sums of 4,096 products of either sign, of which some are near zero."""
    random = np.random.default_rng(17)
    first, second = (random.uniform(-1, 1, (rows, 4096)).astype(f32) for rows in (16, 32))
    return first, second


def half_results(first: Array, second: Array) -> Array:
    """Float32 sums, stored as float16."""
    return liberties.plain(first, second).astype(np.float16).astype(f32)


@pytest.mark.parametrize("wrong", [liberties.tf32, half_results, liberties.bfloat16])
def test_long_sums_of_short_numbers(factors: tuple[Array, Array], wrong: Any) -> None:
    """TF32 and bfloat16 factors, and float16 results, where the bound of an element near zero is all of it."""
    first, second = factors
    (bound,) = estimated(O.FULLY_CONNECTED, [floats(first), floats(second), floats(np.zeros(32)), NONE])
    assert np.count_nonzero(np.abs(bound.value) < bound.error) >= 5
    assert compare_estimate(liberties.plain(first, second), bound) is None
    assert compare_estimate(wrong(first, second), bound) is not None


def normalized(image: Array, *, factor: float = 1.0, less: int = 0, epsilon: float = 1e-5) -> Array:
    """Each channel less its mean, over its standard deviation of ``less`` degrees of freedom, in two float32 passes."""
    count = image.shape[1] * image.shape[2]
    alone = image - image.sum((1, 2), keepdims=True, dtype=f32) / f32(count)
    variance = (alone * alone).sum((1, 2), keepdims=True, dtype=f32) / f32(count - less)
    return (alone / np.sqrt(variance + f32(epsilon)) * f32(factor)).astype(f32)


@pytest.mark.parametrize("wrong", [{"factor": 1.001}, {"less": 1}, {"epsilon": 1e-3}], ids=str)
@pytest.mark.parametrize("size", [8, 12])
def test_normalization_of_large_means(wrong: dict[str, Any], size: int) -> None:
    """Numbers of about 100, whose squares are 10,000 times the variance."""
    image = np.random.default_rng(18).normal(100, 0.5, (2, size, size, 4)).astype(f32)
    scalars = [*(number(value, T.FLOAT32) for value in (1.0, 0.0, 1e-5)), number(0, T.BOOL)]
    (bound,) = estimated(O.INSTANCE_NORMALIZATION, [floats(image), *scalars])
    assert compare_estimate(normalized(image), bound) is None
    assert compare_estimate(normalized(image, **wrong), bound) is not None


@pytest.mark.parametrize("factor", [1 + 3e-6, 1 - 3e-6])
def test_an_exponential_with_a_constant_factor(factor: float) -> None:
    """The error that grows with the argument is of either sign, so that a constant one shows in many results."""
    x = np.random.default_rng(19).uniform(40, 80, 500).astype(f32)
    (bound,) = estimated(O.EXP, [floats(x)])
    exact = np.exp(x.astype(np.float64))
    assert compare_estimate(exact.astype(f32), bound) is None
    # By way of a power of two, whose argument is rounded.
    by_powers = np.exp2((x * f32(1.4426950408889634)).astype(np.float64)).astype(f32)
    assert compare_estimate(by_powers, bound) is None
    assert compare_estimate((exact * factor).astype(f32), bound) is not None


def bilinear(image: Array, size: int, number_of: Any) -> Array:
    """New pixels between the old ones, at coordinates of half pixels, in a number format."""
    old = image.shape[1]
    places = (np.arange(size).astype(number_of) + number_of(0.5)) * (number_of(old) / number_of(size)) - number_of(0.5)
    low, high = (np.clip(of(places), 0, old - 1).astype(int) for of in (np.floor, np.ceil))
    share = np.where(low == high, number_of(0), places - np.floor(places))
    for axis in (1, 2):
        weight = share.reshape([-1 if place == axis else 1 for place in range(4)])
        first, last = image.take(low, axis), image.take(high, axis)
        image = first * (number_of(1) - weight) + last * weight
    return image


def test_a_mixture_of_pixels_of_a_large_image() -> None:
    """Coordinates near the origin are nearly exact: there no more is right than a few roundings of the pixels."""
    image = np.random.default_rng(20).uniform(-1, 1, (1, 50, 50, 2)).astype(f32)
    operands = [floats(image), number(70), number(70), number(0, T.BOOL), number(0, T.BOOL), number(1, T.BOOL)]
    (bound,) = estimated(O.RESIZE_BILINEAR, operands)
    honest, exact = bilinear(image, 70, f32), bilinear(image.astype(np.float64), 70, np.float64)
    assert compare_estimate(honest, bound) is None
    near = np.abs(honest - exact)[:, :5, :5].max()
    assert near < 8 * 2.0**-24
    assert compare_estimate((exact + 64 * 2.0**-24 * np.sign(exact)).astype(f32), bound) is not None
