"""Honest ways to compute, each by naive arithmetic of its own, that no bound blames."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_contract, compare_estimate
from nnvet.oracle.bounds.execution import estimate
from nnvet.oracle.bounds.precision import Estimate
from tests.oracle.bounds.calls import Operand, estimated, floats, integers, number, single
from tools.oracle_study import naive as liberties
from tools.oracle_study.naive import Array, f32

NONE, VALID, SAME, ONE = number(0), number(2), number(1), number(1)
FLOAT32 = T.TENSOR_FLOAT32
TINY = f32(2.0**-126)
UNARY = {
    O.EXP: (np.exp, 3.0, np.linspace(-80, 80, 3000)),
    O.LOG: (np.log, 3.0, np.geomspace(1e-30, 1e30, 3000)),
    O.SIN: (np.sin, 4.0, np.linspace(-30, 30, 3000)),
    O.TANH: (np.tanh, 5.0, np.linspace(-9, 9, 3000)),
    O.SQRT: (np.sqrt, 3.0, np.geomspace(1e-30, 1e30, 3000)),
    O.RSQRT: (lambda x: 1 / np.sqrt(x), 2.0, np.geomspace(1e-30, 1e30, 3000)),
}


def declared(operation: O, inputs: list[Operand], *names: str, kind: T = FLOAT32) -> tuple[Estimate, Estimate]:
    """Estimates of the output: with liberties, and the contract's."""
    model, arrays = single(operation, inputs, [(kind, None, 0.0, 0)])
    (tight,), (wide,) = estimate(model, arrays, liberties=names), estimate(model, arrays, contract=True)
    return tight, wide


def flush(numbers: Array) -> Array:
    """Zero in place of subnormal numbers."""
    return np.where(np.abs(numbers) < TINY, f32(0), numbers).astype(f32)


def dense(first: Array, second: Array, kind: T = FLOAT32) -> list[Operand]:
    """Operands of FULLY_CONNECTED without a bias."""
    return [floats(first, kind), floats(second, kind), floats(np.zeros(len(second)), kind), NONE]


@pytest.mark.parametrize("length", [256, 1024, 4096])
@pytest.mark.parametrize("order", [liberties.plain, liberties.backwards], ids=["forwards", "backwards"])
def test_signs_in_order(length: int, order: Callable[[Array, Array], Array]) -> None:
    """First all positive terms and then all negative ones: partial sums are far larger than the sum."""
    random = np.random.default_rng(length)
    half = random.uniform(0.5, 1, (16, length // 2))
    weights = random.uniform(0.5, 1, (16, length // 2))
    first = np.concatenate([half, half], 1).astype(f32)
    second = np.concatenate([weights, -(1 - 1e-3) * weights], 1).astype(f32)
    (bound,) = estimated(O.FULLY_CONNECTED, dense(first, second))
    assert compare_estimate(order(first, second), bound) is None
    biased = bound.value * (1 + 2e-3 * np.sign(bound.value))
    assert compare_estimate(biased.astype(f32), bound) is not None


def test_products_are_flushed() -> None:
    """64 products of about 1e-38, each of which is subnormal; a driver that keeps them is right as well."""
    random = np.random.default_rng(3)
    first, second = ((random.uniform(0.5, 1, (8, 64)) * 1e-19).astype(f32) for _ in range(2))
    (bound,) = estimated(O.FULLY_CONNECTED, dense(first, second))
    assert (liberties.flushing(first, second) == 0).all()
    assert (bound.value > 1e-37).all()
    for actual in (liberties.flushing(first, second), liberties.plain(first, second)):
        assert compare_estimate(actual, bound) is None
    assert compare_estimate(np.full((8, 8), 1e-35, f32), bound) is not None


@pytest.mark.parametrize("size", [1e20, 1e-20, 3e-23])
@pytest.mark.parametrize("flushes", [False, True])
def test_squares_overflow_and_vanish_in_pools(size: float, flushes: bool) -> None:
    """Root of the mean square of four cells, in float32 with and without flushing."""
    image = (np.random.default_rng(5).uniform(0.5, 1, (1, 8, 8, 3)) * size).astype(f32)
    kept = flush if flushes else lambda numbers: numbers
    window = [VALID, number(2), number(2), number(2), number(2), NONE]
    (bound,) = estimated(O.L2_POOL_2D, [floats(image), *window])
    with np.errstate(all="ignore"):
        squares = kept(image * image).reshape(1, 4, 2, 4, 2, 3)
        total = kept(kept(squares[:, :, 0, :, 0] + squares[:, :, 0, :, 1]) + squares[:, :, 1, :, 0])
        total = kept(total + squares[:, :, 1, :, 1])
        for mean in (total / f32(4), total * f32(0.25)):
            assert compare_estimate(np.sqrt(kept(mean)), bound) is None
    if size < 1:
        assert compare_estimate(np.full(bound.value.shape, 2e-19, f32), bound) is not None


@pytest.mark.parametrize("size", [1e20, 1e-20, 3e-23])
@pytest.mark.parametrize("flushes", [False, True])
def test_squares_overflow_and_vanish_in_norms(size: float, flushes: bool) -> None:
    """Sums of squares in float32, with and without flushing: quotients by a root, and by way of its reciprocal."""
    rows = (np.random.default_rng(6).uniform(0.5, 1, (5, 12)) * size).astype(f32)
    kept = flush if flushes else lambda numbers: numbers
    (bound,) = estimated(O.L2_NORMALIZATION, [floats(rows)])
    with np.errstate(all="ignore"):
        total = np.zeros((5, 1), f32)
        for place in range(12):
            total = kept(total + kept(rows[:, place : place + 1] * rows[:, place : place + 1]))
        norm = np.fmax(np.sqrt(total), f32(1e-6))
        for actual in (rows / norm, rows * (f32(1) / norm)):
            assert compare_estimate(kept(actual), bound) is None


@pytest.mark.parametrize("size", [1e20, 1e-20, 3e-23])
@pytest.mark.parametrize("flushes", [False, True])
def test_squares_overflow_and_vanish_in_local_responses(size: float, flushes: bool) -> None:
    """Sums of squares of neighbours, and their power."""
    image = (np.random.default_rng(7).uniform(0.5, 1, (1, 2, 3, 6)) * size).astype(f32)
    kept = flush if flushes else lambda numbers: numbers
    scalars = [number(1), *(number(value, T.FLOAT32) for value in (0.5, 2.0, 0.75))]
    (bound,) = estimated(O.LOCAL_RESPONSE_NORMALIZATION, [floats(image), *scalars])
    with np.errstate(all="ignore"):
        squares = np.pad(kept(image * image), ((0, 0), (0, 0), (0, 0), (1, 1)))
        total = kept(kept(squares[..., :-2] + squares[..., 1:-1]) + squares[..., 2:])
        actual = image * np.power(kept(f32(0.5) + f32(2) * total), f32(-0.75))
    assert compare_estimate(kept(actual), bound) is None


def test_a_reciprocal_is_flushed() -> None:
    """Divisors beyond 2^126 have a subnormal reciprocal; the quotient itself is an ordinary number."""
    random = np.random.default_rng(8)
    first, second = ((random.uniform(1, 2, 64) * 2.0**126).astype(f32) for _ in range(2))
    (bound,) = estimated(O.DIV, [floats(first), floats(second), NONE])
    assert (first * flush(f32(1) / second) == 0).all()
    for actual in (first * flush(f32(1) / second), first * (f32(1) / second), first / second):
        assert compare_estimate(actual.astype(f32), bound) is None
    (bound,) = estimated(O.DIV, [floats(first), floats(second / 4), NONE])
    assert compare_estimate(np.zeros(64, f32), bound) is not None


FOLDS: dict[str, Callable[[float, float], float]] = {
    "a number before a NaN": np.fmax,
    "a NaN before a number": np.maximum,
    "std::max": max,
    "a > b ? a : b": lambda a, b: max(b, a),
}


@pytest.mark.parametrize("fold", FOLDS.values(), ids=FOLDS)
@pytest.mark.parametrize("backwards", [False, True])
def test_a_maximum_beside_a_nan(fold: Callable[[float, float], float], backwards: bool) -> None:
    """Whatever a comparison with a NaN makes of a window; but no number that is not in it, as -inf."""
    image = np.array([np.nan, 1, 3, np.nan, 2, 5, np.nan, np.nan, 4, 7, 1, 9], f32)
    windows = image.reshape(3, 4)
    operands = [floats(windows.reshape(1, 3, 4, 1)), VALID, number(4), ONE, number(4), ONE, NONE]
    (bound,) = estimated(O.MAX_POOL_2D, operands)
    actual = []
    for window in windows:
        cells: Sequence[Any] = window[::-1] if backwards else window
        found = cells[0]
        for cell in cells[1:]:
            found = fold(found, cell)
        actual.append(found)
    assert compare_estimate(np.array(actual, f32), bound) is None
    for wrong in ([-np.inf, 5, 9], [4, 5, 9], [3, 1, 9], [3, 5, np.nan]):
        assert compare_estimate(np.array(wrong, f32), bound) is not None


def test_what_follows_a_maximum_beside_a_nan_is_open() -> None:
    """Another operation makes anything of it."""
    image = np.array([np.nan, 1, 4, 3], f32).reshape(1, 1, 4, 1)
    (bound,) = estimated(O.MAX_POOL_2D, [floats(image), VALID, number(2), ONE, number(2), ONE, NONE])
    assert np.isinf(bound.as_input.error.reshape(-1)).tolist() == [True, False]
    assert bound.as_input.may_be_nan is None


def scaled(kind: str, shape: tuple[int, ...]) -> Array:
    """Numbers of one size, or of many."""
    random = np.random.default_rng(9)
    found = random.uniform(-1, 1, shape)
    if kind == "magnitudes":
        found = found * np.exp2(20 * random.uniform(-1, 1, shape))
    return found.astype(f32)


@pytest.mark.parametrize("kind", ["uniform", "magnitudes"])
@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize(
    ("name", "convolve"),
    [
        *((f"winograd-{outputs}", liberties.winograd(outputs)) for outputs in (2, 4, 6)),
        ("fft", liberties.fourier),
    ],
    ids=["winograd-2", "winograd-4", "winograd-6", "fft"],
)
def test_transformed_convolutions(name: str, convolve: Any, channels: int, kind: str) -> None:
    """Fast algorithms mix all inputs of a tile: right where they are declared, and by the contract for everybody."""
    image, weights = 100 * scaled(kind, (16, 16, channels)), 100 * scaled(kind, (3, 3, channels))
    operands = [floats(image[None]), floats(weights[None]), floats(np.zeros(1)), SAME, ONE, ONE, NONE]
    tight, wide = declared(O.CONV_2D, operands, name)
    (plain,) = estimated(O.CONV_2D, operands)
    actual = convolve(image, weights).sum(-1, dtype=f32).reshape(plain.value.shape)
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is None
    largest = np.abs(plain.value).max()
    assert compare_estimate((plain.value + 1e-3 * largest).astype(f32), tight) is not None


@pytest.mark.parametrize(
    ("name", "convolve", "exponent"),
    [("fft", liberties.fourier, 61), ("winograd-6", liberties.winograd(6), 62)],
    ids=["fft", "winograd-6"],
)
def test_transforms_that_overflow(name: str, convolve: Any, exponent: int) -> None:
    """Results far below the largest float32 number, of transforms beyond it: NaN is granted to who declares them."""
    image, weights = (np.ldexp(scaled("uniform", shape), exponent) for shape in ((16, 16, 1), (3, 3, 1)))
    operands = [floats(image[None]), floats(weights[None]), floats(np.zeros(1)), SAME, ONE, ONE, NONE]
    (tight, wide), (plain,) = declared(O.CONV_2D, operands, name), estimated(O.CONV_2D, operands)
    assert np.abs(plain.value).max() < np.finfo(f32).max / 4
    with np.errstate(all="ignore"):
        actual = convolve(image, weights).sum(-1, dtype=f32).reshape(plain.value.shape)
    assert not np.isfinite(actual).all()
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is not None


@pytest.mark.parametrize("length", [64, 512])
@pytest.mark.parametrize("signed", [False, True])
def test_float16_accumulators(length: int, signed: bool) -> None:
    """Products and sums of TENSOR_FLOAT16 in float16: right where it is declared, and by the contract."""
    random = np.random.default_rng(length)
    first, second = (random.uniform(-1 if signed else 0.5, 1, (8, length)).astype(np.float16) for _ in range(2))
    operands = dense(first, second, T.TENSOR_FLOAT16)
    tight, wide = declared(O.FULLY_CONNECTED, operands, "fp16-accumulate", kind=T.TENSOR_FLOAT16)
    (plain,) = estimated(O.FULLY_CONNECTED, operands)
    actual = liberties.float16_sums(first, second).astype(np.float16)
    assert compare_estimate(actual, plain) is not None
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is None
    assert compare_estimate(np.full(actual.shape, 2.0 * length, np.float16), tight) is not None


@pytest.mark.parametrize("operation", UNARY, ids=lambda operation: operation.name)
@pytest.mark.parametrize("direction", [-1, 1])
def test_functions_of_opencl(operation: O, direction: int) -> None:
    """Results that are off by as many units in the last place as the full profile allows, all to one side."""
    function, ulps, arguments = UNARY[operation]
    x = arguments.astype(f32)
    tight, wide = declared(operation, [floats(x)], "opencl-functions")
    (plain,) = estimated(operation, [floats(x)])
    exact = function(x.astype(np.float64))
    spacing = np.ldexp(1.0, np.frexp(np.abs(exact))[1] - 24)
    actual = (exact + direction * (ulps - 0.5) * spacing).astype(f32)
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is None
    assert compare_estimate((exact * (1 + 2e-5 * direction)).astype(f32), tight) is not None


@pytest.mark.parametrize(("operation", "ulps"), [(O.DIV, 2.5), (O.POW, 16.0)], ids=["DIV", "POW"])
def test_functions_of_two_arguments_of_opencl(operation: O, ulps: float) -> None:
    """DIV and POW, whose results may be large."""
    random = np.random.default_rng(10)
    first, second = (np.exp2(random.uniform(-4, 4, 2000)).astype(f32) for _ in range(2))
    function: Any = np.power if operation is O.POW else np.divide
    operands = [floats(first), floats(second), *([NONE] if operation is O.DIV else [])]
    tight, wide = declared(operation, operands, "opencl-functions")
    (plain,) = estimated(operation, operands)
    exact = function(first.astype(np.float64), second.astype(np.float64))
    actual = (exact + (ulps - 0.5) * np.ldexp(1.0, np.frexp(exact)[1] - 24)).astype(f32)
    assert compare_estimate(actual, plain) is not None
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is None


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_zeros_are_skipped(odd: float) -> None:
    """Zero times infinity: NaN, or nothing where a sparse kernel leaves zeros out. A number is wrong beside others."""
    first, second = np.ones((2, 4), f32), np.full((2, 4), 2, f32)
    first[0, 1], second[:, 1] = odd, 0
    operands = dense(first, second)
    (bound,) = estimated(O.FULLY_CONNECTED, operands)
    for skipped in (6.0, np.nan):
        assert compare_estimate(np.array([[skipped] * 2, [6, 6]], f32), bound) is None
    assert compare_estimate(np.array([[6, 6], [7, 6]], f32), bound) is not None
    second[:, 1] = 1
    (bound,) = estimated(O.FULLY_CONNECTED, dense(first, second))
    assert compare_estimate(np.array([[6, 6], [7, 7]], f32), bound) is not None


def three_of_tf32(first: Array, second: Array) -> Array:
    """Two parts of 10 fraction bits each, cut, of whose four products the smallest is left out."""
    cut = liberties.cut_bits
    (a, b), (c, d) = ((cut(factor, 13), cut(factor - cut(factor, 13), 13)) for factor in (first, second))
    return liberties.plain(np.concatenate([a, a, b], 1), np.concatenate([c, d, c], 1))


@pytest.mark.parametrize("product", [liberties.bfloat16_in_two_parts, three_of_tf32], ids=["bf16x3", "3xTF32"])
@pytest.mark.parametrize("length", [1, 16, 128])
def test_products_in_parts(product: Callable[[Array, Array], Array], length: int) -> None:
    """Emulated float32 products: right where they are declared; the contract asks for float32."""
    random = np.random.default_rng(length)
    first, second = (random.uniform(0.5, 100, (16, length)).astype(f32) for _ in range(2))
    tight, wide = declared(O.FULLY_CONNECTED, dense(first, second), "split-products")
    (plain,) = estimated(O.FULLY_CONNECTED, dense(first, second))
    actual = product(first, second)
    assert compare_estimate(actual, tight) is None
    assert compare_estimate(liberties.tf32(first, second), tight) is not None
    assert compare_contract(liberties.tf32(first, second), plain, wide) is not None


def test_a_variance_in_one_pass() -> None:
    """The difference of the mean square and the squared mean, of numbers about 100: a liberty of its own."""
    image = np.random.default_rng(12).normal(100, 1, (2, 8, 8, 3)).astype(f32)
    scalars = [*(number(value, T.FLOAT32) for value in (1.0, 0.0, 1e-5)), number(0, T.BOOL)]
    operands = [floats(image), *scalars]
    tight, wide = declared(O.INSTANCE_NORMALIZATION, operands, "one-pass-variance")
    (plain,) = estimated(O.INSTANCE_NORMALIZATION, operands)
    mean = image.sum((1, 2), keepdims=True, dtype=f32) / f32(64)
    variance = (image * image).sum((1, 2), keepdims=True, dtype=f32) / f32(64) - mean * mean
    actual = (image - mean) / np.sqrt(variance + f32(1e-5))
    assert compare_estimate(actual, plain) is not None
    assert compare_estimate(actual, tight) is None
    assert compare_contract(actual, plain, wide) is None
    alone = image - mean
    two_passes = alone / np.sqrt((alone * alone).sum((1, 2), keepdims=True, dtype=f32) / f32(64) + f32(1e-5))
    assert compare_estimate(two_passes, plain) is None


def test_integers_take_no_liberty() -> None:
    """Of codes and integers nothing more is granted."""
    whole = integers(np.arange(6).reshape(2, 3))
    model, arrays = single(O.ADD, [whole, whole, NONE], [integers(0)])
    (bound,) = estimate(model, arrays, contract=True)
    assert bound.is_exact


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("operation", [O.SQRT, O.RSQRT])
def test_roots_by_a_step_of_newton(operation: O, sign: int) -> None:
    """From the largest error that RSQRTPS of x86 may have; twice that error leaves four times as much, and is wrong."""
    x = np.random.default_rng(9).uniform(0.25, 4, 3000).astype(f32)
    (bound,) = estimated(operation, [floats(x)])

    def stepped(off: float) -> Array:
        """Each line is rounded once, since a fused multiply-add has no rounding between its two operations."""
        root = (1 / np.sqrt(x.astype(np.float64)) * (1 + sign * off)).astype(f32)
        start, half = (x * root, root * f32(0.5)) if operation == O.SQRT else (root, x * root * f32(0.5))
        left = (0.5 - start.astype(np.float64) * half).astype(f32)
        return (start + start.astype(np.float64) * left).astype(f32)

    assert compare_estimate(stepped(1.5 * 2.0**-12), bound) is None
    assert compare_estimate(stepped(3.0 * 2.0**-12), bound) is not None
