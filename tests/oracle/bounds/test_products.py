"""Bounds of sums of products, against loops over exact fractions and over the numbers that drivers have."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from tests.oracle.bounds.calls import codes, estimated, floats, integers, number

FLOAT16 = OperandType.TENSOR_FLOAT16
NONE, RELU6, VALID, ONE = number(0), number(3), number(2), number(1)
Array = np.ndarray[Any, Any]


def windows(image: Array, weights: Array) -> list[tuple[tuple[int, ...], list[tuple[Any, Any]]]]:
    """Of a convolution with stride 1 and no padding: each output's index, and the pairs that are multiplied."""
    made, rows, columns, depth = weights.shape
    found = []
    for b, y, x, o in np.ndindex(image.shape[0], image.shape[1] - rows + 1, image.shape[2] - columns + 1, made):
        pairs = [(image[b, y + i, x + j, c], weights[o, i, j, c]) for i, j, c in np.ndindex(rows, columns, depth)]
        found.append(((b, y, x, o), pairs))
    return found


@pytest.fixture
def images() -> tuple[Array, Array, Array]:
    """An image, a filter of 2 x 3 cells, and biases, in float32."""
    random = np.random.default_rng(11)
    shapes = ((2, 6, 7, 3), (4, 2, 3, 3), (4,))
    image, weights, bias = (random.uniform(-2, 2, shape).astype(np.float32) for shape in shapes)
    return image, weights, bias


def in_order(images: tuple[Array, Array, Array], number_of: Any, *, backward: bool = False) -> Array:
    """Sums formed one term after the other in a number format."""
    image, weights, bias = images
    found = windows(image, weights)
    result = np.zeros([1 + max(index[axis] for index, _ in found) for axis in range(4)], np.float32)
    for index, pairs in found:
        total = number_of(bias[index[3]])
        for x, w in pairs[::-1] if backward else pairs:
            total = number_of(total + number_of(x) * number_of(w))
        result[index] = total
    return result


def test_the_ideal_value_is_the_exact_sum(images: tuple[Array, Array, Array]) -> None:
    """Within what float64 leaves."""
    image, weights, bias = images
    operands = [*map(floats, images), VALID, ONE, ONE, NONE]
    (found,) = estimated(O.CONV_2D, operands)
    for index, pairs in windows(image, weights)[::7]:
        exact = sum((Fraction(float(x)) * Fraction(float(w)) for x, w in pairs), Fraction(float(bias[index[3]])))
        assert abs(Fraction(float(found.value[index])) - exact) < Fraction(1, 2**44)


@pytest.mark.parametrize("backward", [False, True])
def test_the_order_of_sums_is_free(images: tuple[Array, Array, Array], backward: bool) -> None:
    """Float32 sums from either end are right."""
    (found,) = estimated(O.CONV_2D, [*map(floats, images), VALID, ONE, ONE, NONE])
    assert compare_estimate(in_order(images, np.float32, backward=backward), found) is None


def test_short_formats_are_wrong_but_in_relaxed_models(images: tuple[Array, Array, Array]) -> None:
    """Float16 accumulators are found where the model does not allow them."""
    operands = [*map(floats, images), VALID, ONE, ONE, NONE]
    coarse = in_order(images, np.float16)
    assert compare_estimate(coarse, estimated(O.CONV_2D, operands)[0]) is not None
    assert compare_estimate(coarse, estimated(O.CONV_2D, operands, relaxed=True)[0]) is None


def test_a_dropped_term_a_bias_and_a_missing_clamp_are_wrong(images: tuple[Array, Array, Array]) -> None:
    """Each of them is far beyond the bound of some element."""
    image, weights, bias = images
    operands = [*map(floats, images), VALID, ONE, ONE, RELU6]
    (found,) = estimated(O.CONV_2D, operands)
    right = in_order(images, np.float32)
    assert compare_estimate(np.clip(right, 0, 6), found) is None
    assert compare_estimate(right, found) is not None
    short = np.array(weights)
    short[:, -1, -1, -1] = 0
    assert compare_estimate(np.clip(in_order((image, short, bias), np.float32), 0, 6), found) is not None
    assert compare_estimate(np.clip(in_order((image, weights, 0 * bias), np.float32), 0, 6), found) is not None
    assert compare_estimate(np.clip(right * np.float32(1 + 1e-4), 0, 6), found) is not None


def test_errors_of_an_input_are_multiplied_by_the_weights() -> None:
    """A relaxed input may be rounded to float16, so that a large weight makes a large error."""
    x, weights = np.array([[1 + 2.0**-12]], np.float32), np.array([[1000.0]], np.float32)
    operands = [floats(x), floats(weights), floats([0.0]), NONE]
    (found,) = estimated(O.FULLY_CONNECTED, operands, relaxed=True)
    assert found.error[0, 0] >= 1000 * 2.0**-12
    assert compare_estimate(np.array([[1000.0]], np.float32), found) is None


@pytest.mark.parametrize(("code", "right"), [(15, {5}), (12, {4}), (14, {4, 5}), (-15, {-5, -4}), (-14, {-5, -4})])
def test_a_product_of_codes_is_rounded_once_or_by_way_of_a_grid(code: int, right: set[int]) -> None:
    """A multiplier of 0.3125 rounds to halves first, which are positive ones rounded up: 4.69, 3.75 and 4.375."""
    zero = 100
    operands = [codes([code + zero], 1.0, zero), codes([1], 0.25, 0), NONE]
    (found,) = estimated(O.MUL, operands, codes([], 0.8, zero))
    accepted = {
        candidate
        for candidate in range(-9, 10)
        if compare_estimate(np.array([candidate + zero], np.uint8), found) is None
    }
    assert accepted == right


def test_integer_sums_are_exact_and_rounded_once_or_twice() -> None:
    """Codes of exact sums are right; wrong zero points, multipliers and rounding are found."""
    random = np.random.default_rng(5)
    x, weights = random.integers(0, 256, (40, 12)), random.integers(0, 256, (9, 12))
    bias = random.integers(-900, 900, 9)
    scales, zeros = (0.02, 0.03, 0.5), (100, 140, 30)
    operands = [codes(x, scales[0], zeros[0]), codes(weights, scales[1], zeros[1]), integers(bias), NONE]
    operands[2] = (OperandType.TENSOR_INT32, operands[2][1], scales[0] * scales[1], 0)
    (found,) = estimated(O.FULLY_CONNECTED, operands, codes([], scales[2], zeros[2]))
    sums = (x - zeros[0]) @ (weights - zeros[1]).T + bias
    step = float(np.float32(scales[0])) * float(np.float32(scales[1])) / float(np.float32(scales[2]))

    def stored(reals: Array) -> Array:
        return np.clip(reals, 0, 255).astype(np.uint8)

    assert compare_estimate(stored(np.rint(sums * step) + zeros[2]), found) is None
    assert compare_estimate(stored(np.floor(sums * step + 0.5) + zeros[2]), found) is None
    assert compare_estimate(stored(np.trunc(sums * step) + zeros[2]), found) is not None
    assert compare_estimate(stored(np.rint(sums * step * 1.002) + zeros[2]), found) is not None
    assert compare_estimate(stored(np.rint(sums * step) + zeros[2] + 1), found) is not None
    off = (x - zeros[0] - 1) @ (weights - zeros[1]).T + bias
    assert compare_estimate(stored(np.rint(off * step) + zeros[2]), found) is not None


def test_matrix_products_of_float16_may_round_every_step() -> None:
    """The contract does; sums in float32 are right, too, and a factor that is not transposed is wrong."""
    random = np.random.default_rng(2)
    x, y = (random.uniform(-2, 2, (3, 5, 5)).astype(np.float16) for _ in range(2))
    flags = [number(value, OperandType.BOOL) for value in (False, True)]
    (found,) = estimated(O.BATCH_MATMUL, [floats(x, FLOAT16), floats(y, FLOAT16), *flags])
    half = np.zeros((3, 5, 5), np.float16)
    for k in range(5):
        half = half + x[:, :, k, None] * y[:, None, :, k]
    assert compare_estimate(half, found) is None
    wide = x.astype(np.float32) @ y.astype(np.float32).swapaxes(1, 2)
    assert compare_estimate(wide.astype(np.float16), found) is None
    assert compare_estimate((x.astype(np.float32) @ y.astype(np.float32)).astype(np.float16), found) is not None


def test_a_biased_sum_is_found_by_the_mean_of_all_errors() -> None:
    """Every element is within its bound, and yet all of them are too large."""
    random = np.random.default_rng(9)
    x, weights = (random.uniform(1, 2, shape).astype(np.float32) for shape in ((600, 8), (8, 8)))
    (found,) = estimated(O.FULLY_CONNECTED, [floats(x), floats(weights), floats(np.zeros(8)), NONE])
    assert compare_estimate((x.astype(np.float64) @ weights.T.astype(np.float64)).astype(np.float32), found) is None
    biased = (found.value + found.error / 2).astype(np.float32)
    assert (np.abs(biased - found.value) <= found.error).all()
    assert compare_estimate(biased, found) is not None


def test_equal_products_are_rounded_to_one_side() -> None:
    """Sums of equal products drift in float16, and their number differs at the edges of an image, as do the results."""
    pixel, weight, columns, reach, depth, stride = 0.099975586, 0.70019531, 48, 42, 60, 3
    image, weights = (
        np.full((1, 1, columns, depth), pixel, np.float32),
        np.full((1, 1, reach, depth), weight, np.float32),
    )
    operands = [floats(image), floats(weights), floats(np.zeros(1, np.float32)), number(1), number(stride), ONE, NONE]
    (found,) = estimated(O.CONV_2D, operands, relaxed=True)
    results, head = [], (columns - stride + reach - columns) // 2
    for start in range(-head, columns - head, stride):
        cells = min(start + reach, columns) - max(start, 0)
        total = np.float16(0)
        for _ in range(cells * depth):
            total = np.float16(float(total) + pixel * weight)
        results.append(total)
    made = np.array(results, np.float32).reshape(found.value.shape)
    assert np.unique(found.value).size > len(results) / 2
    assert abs(made / found.value - 1).max() > 0.01
    assert compare_estimate(made, found) is None
