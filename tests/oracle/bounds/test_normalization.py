"""Bounds of the normalisations, against float64 and against float32 in several orders."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from tests.oracle.bounds.calls import Operand, codes, estimated, floats, number

Array = np.ndarray[Any, Any]
REAL = OperandType.FLOAT32


def softmax(x: Array) -> Array:
    """Beta 2."""
    powers = np.exp((x - x.max(-1, keepdims=True)) * x.dtype.type(2))
    return powers / powers.sum(-1, keepdims=True)


def log_softmax(x: Array) -> Array:
    """Beta 2."""
    scaled = (x - x.max(-1, keepdims=True)) * x.dtype.type(2)
    return scaled - np.log(np.exp(scaled).sum(-1, keepdims=True))


def l2(x: Array) -> Array:
    """Over the norm of each row."""
    return x / np.sqrt((x * x).sum(-1, keepdims=True))


def local_response(x: Array) -> Array:
    """Radius 1, bias 1.5, alpha 0.5, beta 0.75."""
    number_of = x.dtype.type
    squares = np.pad(x * x, [(0, 0)] * (x.ndim - 1) + [(1, 1)])
    total = squares[..., :-2] + squares[..., 1:-1] + squares[..., 2:]
    return x * (number_of(1.5) + number_of(0.5) * total) ** number_of(-0.75)


def instance(x: Array) -> Array:
    """Gamma 2, beta 3, epsilon 0.1."""
    number_of = x.dtype.type
    deviation = x - x.mean((1, 2), keepdims=True)
    variance = (deviation * deviation).mean((1, 2), keepdims=True)
    return deviation * number_of(2) / np.sqrt(variance + number_of(0.1)) + number_of(3)


CASES: dict[O, tuple[Callable[[Array], Array], list[Operand]]] = {
    O.SOFTMAX: (softmax, [number(2.0, REAL)]),
    O.LOG_SOFTMAX: (log_softmax, [number(2.0, REAL), number(-1)]),
    O.L2_NORMALIZATION: (l2, []),
    O.LOCAL_RESPONSE_NORMALIZATION: (
        local_response,
        [number(1), number(1.5, REAL), number(0.5, REAL), number(0.75, REAL)],
    ),
    O.INSTANCE_NORMALIZATION: (
        instance,
        [number(2.0, REAL), number(3.0, REAL), number(0.1, REAL), number(0, OperandType.BOOL)],
    ),
}


@pytest.fixture
def images() -> Array:
    """Float32 images."""
    return np.random.default_rng(6).uniform(-2, 2, (3, 4, 5, 7)).astype(np.float32)


@pytest.mark.parametrize("operation", CASES)
def test_float32_is_right_and_less_is_wrong(operation: O, images: Array) -> None:
    """The ideal value is that of float64; float32 from either end is right, float16 and one part in 10^4 are wrong."""
    of, parameters = CASES[operation]
    (found,) = estimated(operation, [floats(images), *parameters])
    ideal = of(images.astype(np.float64))
    # Scalars are float32: the parameters of the ideal are theirs.
    np.testing.assert_allclose(found.value, ideal, rtol=1e-7, atol=1e-7)
    assert compare_estimate(of(images), found) is None
    assert compare_estimate(np.flip(of(np.flip(images)), None) if operation != O.L2_POOL_2D else images, found) is None
    assert compare_estimate(of(images.astype(np.float16)).astype(np.float32), found) is not None
    assert compare_estimate(of(images) * np.float32(1 + 1e-4), found) is not None


@pytest.mark.parametrize("operation", CASES)
def test_errors_of_inputs_are_within_the_spread(operation: O, images: Array) -> None:
    """Results for inputs moved by their errors stay within the bound."""
    of, parameters = CASES[operation]
    (found,) = estimated(operation, [floats(images), *parameters], relaxed=True)
    for seed in range(5):
        moves = np.random.default_rng(seed).choice([-1.0, 1.0], images.shape)
        moved = images.astype(np.float64) * (1 + moves * 2.0**-12)
        assert (np.abs(of(moved) - found.value) <= found.error).all()
    assert compare_estimate(of(images.astype(np.float16)).astype(np.float32), found) is None


def test_few_roundings_are_no_bfloat16() -> None:
    """In relaxed models, of two elements: e^0 is 1 in every library, and the quotient is rounded twice."""
    (found,) = estimated(O.SOFTMAX, [floats([[2.0**-7, 0.0]]), number(1.0, REAL)], relaxed=True)
    first = 1 / (1 + np.exp(-(2.0**-7)))
    assert compare_estimate(np.array([[first, 1 - first]], np.float16).astype(np.float32), found) is None
    # It lies in the middle between two numbers of bfloat16.
    for short in (0.5, 0.50390625):
        assert compare_estimate(np.array([[short, 1 - first]], np.float32), found) is not None


def test_codes_of_softmax_are_those_of_real_numbers() -> None:
    """The contract's fixed point is within the bound, so is rounding in real numbers; cutting off is not."""
    random = np.random.default_rng(1)
    x = random.integers(0, 256, (30, 11))
    (found,) = estimated(O.SOFTMAX, [codes(x, 0.02, 0), number(1.5, REAL)], codes([], 1 / 256, 0))
    reals = x * float(np.float32(0.02)) * 1.5
    powers = np.exp(reals - reals.max(-1, keepdims=True))
    ideal = 256 * powers / powers.sum(-1, keepdims=True)
    assert (np.abs(found.value - np.clip(ideal, 0, 255)) <= found.error + 0.52).all()
    assert (found.error <= 1).all()
    assert compare_estimate(np.clip(np.rint(ideal), 0, 255).astype(np.uint8), found) is None
    assert compare_estimate(np.clip(np.trunc(ideal), 0, 255).astype(np.uint8), found) is not None


def test_squares_that_float16_cannot_add() -> None:
    """Of float16 all steps of INSTANCE_NORMALIZATION are: where the squares add up to infinity nothing is decided."""
    signs = np.where(np.arange(20).reshape(1, 4, 5, 1) % 2, 1.0, -1.0)
    # 20 * 60^2 is 72,000, which no float16 is; 20 * 30^2 is.
    image = floats(signs * [60.0, 30.0], OperandType.TENSOR_FLOAT16)
    half = OperandType.FLOAT16
    parameters = [number(1.0, half), number(0.0, half), number(0.0, half), number(0, OperandType.BOOL)]
    (found,) = estimated(O.INSTANCE_NORMALIZATION, [image, *parameters])
    assert np.isinf(found.error[..., 0]).all()
    assert (found.error[..., 1] < 0.1).all()
    np.testing.assert_allclose(found.value, np.broadcast_to(signs, (1, 4, 5, 2)), atol=1e-6)


def test_a_sum_of_squares_may_run_along_the_channels() -> None:
    """Each square is added and taken away again in float32, as the reference does; a cell off is wrong.

    A large square among small ones leaves what it was rounded by in all sums behind it.
    """
    x = np.full((1, 60), 0.01, np.float32)
    x[0, 5] = 30.3
    running, sums = np.float32(0), []
    for cell in range(60):
        running = running + x[0, cell + 1] ** 2 if cell < 59 else running
        running = running + x[0, 0] ** 2 if cell == 0 else running
        running = running - x[0, cell - 2] ** 2 if cell > 1 else running
        sums.append(np.float32(running))
    slid = x * (np.float32(1.5) + np.float32(0.5) * np.array([sums], np.float32)) ** np.float32(-0.75)
    exact = local_response(x.astype(np.float64))
    assert np.abs(slid - exact)[0, 10:].max() > 4 * np.abs(local_response(x) - exact)[0, 10:].max()
    operands = CASES[O.LOCAL_RESPONSE_NORMALIZATION][1]
    (found,) = estimated(O.LOCAL_RESPONSE_NORMALIZATION, [floats(x), *operands], floats([]))
    assert compare_estimate(slid.astype(np.float32), found) is None
    assert compare_estimate(local_response(x), found) is None
    assert compare_estimate(local_response(np.roll(x, 1, -1)), found) is not None


def soft(operation: O, scaled: Array) -> Array:
    """SOFTMAX or LOG_SOFTMAX of what has been multiplied by beta, in its own type."""
    below = scaled - scaled.max(-1, keepdims=True)
    if operation is O.LOG_SOFTMAX:
        return below - np.log(np.exp(below).sum(-1, keepdims=True))
    return np.exp(below) / np.exp(below).sum(-1, keepdims=True)


@pytest.mark.parametrize("operation", [O.SOFTMAX, O.LOG_SOFTMAX])
def test_products_with_beta_come_first_or_last(operation: O) -> None:
    """Logits of about 100 lose digits when they are multiplied; 0.3 rounds, 2 does not, and 5 in 10^4 are wrong."""
    x = np.random.default_rng(8).uniform(98, 102, (40, 6)).astype(np.float32)
    for beta in (np.float32(0.3), np.float32(2)):
        last = [number(-1)] if operation is O.LOG_SOFTMAX else []
        (found,) = estimated(operation, [floats(x), number(float(beta), REAL), *last])
        exact = soft(operation, x.astype(np.float64) * np.float64(beta))
        for actual in (soft(operation, x * beta), exact.astype(np.float32)):
            assert compare_estimate(actual, found) is None
        assert compare_estimate((exact * (1 + 5e-4)).astype(np.float32), found) is not None
    # Where the product is exact, nothing is granted to it.
    assert compare_estimate((exact * (1 + 1e-5)).astype(np.float32), found) is not None
