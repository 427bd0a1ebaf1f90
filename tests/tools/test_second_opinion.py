"""The oracle's meanings beside those of TOSA's reference model, which computes in float64 and in integers.

What both define alike agrees: floats to the rounding of float32 results of sums in float64, integers and codes to the
bit. Source of the correspondence: TOSA specification 1.0, chapter Operators.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tosa_reference_model", reason="needs the tosa extra")

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.execution import evaluate
from tests.oracle.bounds.calls import Operand, codes, floats, integers, number, single
from tools.second_opinion.tosa_model import Constant, compute

SAME, VALID, NONE, ONE, TWO = number(1), number(2), number(0), number(1), number(2)
FP32 = 7
"""Number of the type in TOSA's graphs."""
INT32 = 5
SINGLE_ROUND, DOUBLE_ROUND = 1, 3
PROPAGATE = 1


def random(shape: tuple[int, ...], seed: int = 0, size: float = 1.0) -> np.ndarray:
    """Even numbers of either sign."""
    return np.random.default_rng([seed, *shape]).uniform(-size, size, shape).astype(np.float32)


def zero(dtype: Any = np.float32) -> Constant:
    """A zero point of 0."""
    return Constant(np.zeros(1, dtype))


def ours(operation: O, inputs: list[Operand], output: Operand | None = None) -> np.ndarray:
    """The output of a model of one operation by its meaning."""
    kind, _, scale, zero_point = inputs[0]
    model, arrays = single(operation, inputs, [output or (kind, None, scale, zero_point)])
    return evaluate(model, arrays)[0]


def assert_rounded(found: np.ndarray, exact: np.ndarray) -> None:
    """Float32 results are those of float64, rounded: half a unit in the last place, and a little for two roundings."""
    assert exact.dtype == np.float64
    assert found.shape == exact.shape
    np.testing.assert_allclose(found, exact, rtol=2.0**-23, atol=2.0**-48)


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_convolutions(stride: int, dilation: int) -> None:
    """CONV2D: windows, strides, dilations, padding, bias."""
    image, weights, bias = random((2, 9, 7, 3)), random((4, 3, 3, 3), 1), random((4,), 2)
    padding = [number(1)] * 4
    inputs = [floats(image), floats(weights), floats(bias), *padding, *[number(stride)] * 2, NONE]
    found = ours(O.CONV_2D, [*inputs, number(0, T.BOOL), *[number(dilation)] * 2])
    operands = [image, weights, bias, zero(), zero()]
    steps = [[1, 1, 1, 1], [stride] * 2, [dilation] * 2, False, FP32]
    assert_rounded(found, compute("Conv2d", operands, found.shape, "float32", *steps))


def test_depthwise_convolutions() -> None:
    """DEPTHWISE_CONV2D: two output channels for each input channel, in the same order."""
    image, weights, bias = random((1, 6, 6, 3)), random((1, 3, 2, 6), 1), random((6,), 2)
    scalars = [number(1), number(0), number(2), number(1), ONE, TWO, TWO, NONE]
    found = ours(O.DEPTHWISE_CONV_2D, [floats(image), floats(weights), floats(bias), *scalars])
    kernel = weights[0].reshape(3, 2, 3, 2)
    steps = [[2, 1, 1, 0], [2, 1], [1, 1], False, FP32]
    operands = [image, kernel, bias, zero(), zero()]
    assert_rounded(found, compute("DepthwiseConv2d", operands, found.shape, "float32", *steps))


def test_matrix_products() -> None:
    """MATMUL: batches."""
    first, second = random((3, 5, 7)), random((3, 7, 4), 1)
    found = ours(O.BATCH_MATMUL, [floats(first), floats(second), number(0, T.BOOL), number(0, T.BOOL)])
    exact = compute("MatMul", [first, second, zero(), zero()], found.shape, "float32")
    # Ours are sums of float32, as the contract writes them: 7 roundings of partial sums below 7.
    np.testing.assert_allclose(found, exact, rtol=0, atol=7 * 7 * 2.0**-24)


def test_integer_sums() -> None:
    """CONV2D of signed codes with zero points: sums of int32 to the bit; RESCALE makes the codes that we have.

    Scales are powers of two, so that the multiplier is exact and its shift the only rounding; the rounding is that of
    a double one, whose first step then loses nothing.
    """
    chance = np.random.default_rng(3)
    image, weights = (chance.integers(-128, 128, shape).astype(np.int8) for shape in ((1, 6, 5, 2), (3, 3, 3, 2)))
    bias, zeros = chance.integers(-1000, 1000, 3).astype(np.int32), (5, -7)
    kind = T.TENSOR_QUANT8_ASYMM_SIGNED
    given = [codes(image, 0.5, zeros[0], kind), codes(weights, 0.25, zeros[1], kind)]
    inputs = [*given, (T.TENSOR_INT32, bias, 0.125, 0), VALID, ONE, ONE, NONE]
    found = ours(O.CONV_2D, inputs, (kind, None, 16.0, 3))
    points = [Constant(np.array([point], np.int8)) for point in zeros]
    steps = [[0, 0, 0, 0], [1, 1], [1, 1], False, INT32]
    shape = (1, 4, 3, 3)
    sums = compute("Conv2d", [image, weights, bias, *points], shape, "int32", *steps)
    # 0.5 * 0.25 / 16 = 2^-7 = 2^30 / 2^37.
    multiplier, shift = Constant(np.array([2**30], np.int32)), Constant(np.array([37], np.int8))
    ends = [zero(np.int32), Constant(np.array([3], np.int8))]
    made = compute(
        "Rescale",
        [sums.astype(np.int32), multiplier, shift, *ends],
        shape,
        "int8",
        True,
        DOUBLE_ROUND,
        False,
        False,
        False,
    )
    np.testing.assert_array_equal(found, made)


def test_codes_of_awkward_scales() -> None:
    """RESCALE with a multiplier of 31 bits and double rounding is within the code that a tie may go to."""
    sums = np.arange(-3000, 3000, 7, dtype=np.int32)
    real = 0.0123456789
    mantissa, exponent = math.frexp(real)
    whole, shift = round(mantissa * 2**31), 31 - exponent
    constants = [Constant(np.array([whole], np.int32)), Constant(np.array([shift], np.int8)), zero(np.int32)]
    made = compute(
        "Rescale", [sums, *constants, zero(np.int8)], sums.shape, "int8", True, DOUBLE_ROUND, False, False, False
    )
    weights = np.ones((1, 1), np.int8)
    kind = T.TENSOR_QUANT8_ASYMM_SIGNED
    rows = [codes(np.zeros((1, 1)), 1.0, 0, kind), codes(weights, 1.0, 0, kind)]
    output = (kind, None, 1 / real, 0)
    # The sums come in as biases: one row of them, and weights of 1 for each.
    many = codes(np.ones((len(sums), 1)), 1.0, 0, kind)
    found = ours(O.FULLY_CONNECTED, [rows[0], many, integers_with_scale(sums), NONE], output)
    np.testing.assert_array_equal(found.reshape(-1), made)


def integers_with_scale(values: np.ndarray) -> Operand:
    """A bias whose scale is 1."""
    return T.TENSOR_INT32, values, 1.0, 0


def test_average_pools() -> None:
    """AVG_POOL2D: windows at the edges divide by the cells that lie in the image."""
    image = random((1, 7, 8, 3))
    found = ours(O.AVERAGE_POOL_2D, [floats(image), *[number(1)] * 4, TWO, TWO, number(3), number(3), NONE])
    operands = [image, zero(), zero()]
    steps = [[3, 3], [2, 2], [1, 1, 1, 1], FP32]
    with_rest = found.shape
    padded = compute("AvgPool2d", operands, with_rest, "float32", *_fitted(steps, image.shape, with_rest))
    assert_rounded(found, padded)


def _fitted(steps: list[Any], image: tuple[int, ...], result: tuple[int, ...]) -> list[Any]:
    """TOSA wants windows that end at the edge: paddings at the end are cut to what they see."""
    (height, width), (down, across), (top, bottom, left, right), *rest = steps
    bottom = (result[1] - 1) * down + height - top - image[1]
    right = (result[2] - 1) * across + width - left - image[2]
    return [[height, width], [down, across], [top, bottom, left, right], *rest]


def test_largest_of_windows() -> None:
    """MAX_POOL2D of codes and of floats."""
    image = random((1, 6, 6, 3))
    window = [VALID, TWO, TWO, TWO, TWO, NONE]
    found = ours(O.MAX_POOL_2D, [floats(image), *window])
    steps = [[2, 2], [2, 2], [0, 0, 0, 0], PROPAGATE]
    np.testing.assert_array_equal(found, compute("MaxPool2d", [image], found.shape, "float32", *steps))
    whole = np.random.default_rng(4).integers(-128, 128, (1, 6, 6, 3)).astype(np.int8)
    kind = T.TENSOR_QUANT8_ASYMM_SIGNED
    found = ours(O.MAX_POOL_2D, [codes(whole, 0.5, 3, kind), *window])
    np.testing.assert_array_equal(found, compute("MaxPool2d", [whole], found.shape, "int8", *steps))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_of_the_largest(axis: int) -> None:
    """ARGMAX: the first of equal ones."""
    x = np.random.default_rng(5).integers(0, 4, (3, 4, 5)).astype(np.float32)
    found = ours(O.ARGMAX, [floats(x), number(axis)], integers(()))
    np.testing.assert_array_equal(found, compute("ArgMax", [x], found.shape, "int32", axis, PROPAGATE))


UNARY = {
    O.LOGISTIC: ("Sigmoid", np.linspace(-30, 30, 500)),
    O.TANH: ("Tanh", np.linspace(-9, 9, 500)),
    O.EXP: ("Exp", np.linspace(-80, 80, 500)),
    O.LOG: ("Log", np.geomspace(1e-30, 1e30, 500)),
    O.SIN: ("Sin", np.linspace(-30, 30, 500)),
    O.RSQRT: ("Rsqrt", np.geomspace(1e-30, 1e30, 500)),
    O.ABS: ("Abs", np.linspace(-3, 3, 500)),
    O.FLOOR: ("Floor", np.linspace(-3, 3, 500)),
    O.NEG: ("Negate", np.linspace(-3, 3, 500)),
}


@pytest.mark.parametrize("operation", UNARY, ids=lambda operation: operation.name)
def test_functions(operation: O) -> None:
    """Functions of one tensor."""
    name, arguments = UNARY[operation]
    x = arguments.astype(np.float32)
    operands = [x, zero(), zero()] if name == "Negate" else [x]
    assert_rounded(ours(operation, [floats(x)]), compute(name, operands, x.shape, "float32"))


BINARY = {O.ADD: "Add", O.SUB: "Sub", O.MAXIMUM: "Maximum", O.MINIMUM: "Minimum", O.POW: "Pow"}


@pytest.mark.parametrize("operation", BINARY, ids=lambda operation: operation.name)
def test_functions_of_two(operation: O) -> None:
    """Functions of two tensors, one of which is repeated."""
    first, second = np.abs(random((4, 5, 6), 1, 3.0)) + np.float32(0.1), random((1, 5, 1), 2, 3.0)
    further = [NONE] if operation in (O.ADD, O.SUB) else []
    found = ours(operation, [floats(first), floats(second), *further])
    attributes = [PROPAGATE] if operation in (O.MAXIMUM, O.MINIMUM) else []
    assert_rounded(found, compute(BINARY[operation], [first, second], found.shape, "float32", *attributes))


@pytest.mark.parametrize(
    ("operation", "name"),
    [(O.REDUCE_SUM, "ReduceSum"), (O.REDUCE_PROD, "ReduceProduct"), (O.REDUCE_MAX, "ReduceMax")],
    ids=["sum", "product", "largest"],
)
def test_reductions(operation: O, name: str) -> None:
    """Along one axis."""
    x = random((3, 6, 4))
    found = ours(operation, [floats(x), integers([1]), number(1, T.BOOL)])
    exact = compute(name, [x], (3, 1, 4), "float32", 1, *([PROPAGATE] if operation == O.REDUCE_MAX else []))
    # Ours are sums of float32, as the contract writes them: 6 roundings of partial sums below 6.
    np.testing.assert_allclose(found, exact, rtol=2.0**-20, atol=6 * 6 * 2.0**-24)


def test_tables() -> None:
    """TABLE of 256 entries that hold our codes of LOGISTIC gives them back: zero points and signs are alike."""
    kind = T.TENSOR_QUANT8_ASYMM_SIGNED
    every = np.arange(-128, 128, dtype=np.int8)
    x = np.random.default_rng(6).integers(-128, 128, (4, 9)).astype(np.int8)
    reals = 1 / (1 + np.exp(-(every.astype(np.float64) - 4) * 0.0625))
    table = np.clip(np.rint(reals * 256) - 128, -128, 127).astype(np.int8)
    found = ours(O.LOGISTIC, [codes(x, 0.0625, 4, kind)], (kind, None, 2.0**-8, -128))
    made = compute("Table", [x, Constant(table)], x.shape, "int8")
    np.testing.assert_array_equal(found, made)


def test_wrong_results_differ() -> None:
    """A padding on the other side is another result: the comparison can fail."""
    image, weights, bias = random((1, 5, 5, 1)), random((1, 2, 2, 1), 1), random((1,), 2)
    scalars = [number(1), NONE, number(1), NONE, ONE, ONE, NONE]
    found = ours(O.CONV_2D, [floats(image), floats(weights), floats(bias), *scalars])
    operands = [image, weights, bias, zero(), zero()]
    other = compute("Conv2d", operands, found.shape, "float32", [0, 1, 0, 1], [1, 1], [1, 1], False, FP32)
    with pytest.raises(AssertionError):
        assert_rounded(found, other)
