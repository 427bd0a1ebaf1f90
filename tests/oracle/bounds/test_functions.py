"""Functions of one number: every float16, special float32 numbers and every code, honestly computed and not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.compare import compare_estimate
from nnvet.oracle.bounds.precision import FLOAT16, Estimate
from nnvet.oracle.random_graphs import Drift
from tests.oracle.bounds.calls import codes, estimated, floats, number

FUNCTIONS: dict[O, Callable[[Any], Any]] = {
    O.ABS: np.abs,
    O.NEG: np.negative,
    O.FLOOR: np.floor,
    O.EXP: np.exp,
    O.LOG: np.log,
    O.SQRT: np.sqrt,
    O.RSQRT: lambda x: 1 / np.sqrt(x),
    O.SIN: np.sin,
    O.LOGISTIC: lambda x: 1 / (1 + np.exp(-x)),
    O.TANH: np.tanh,
    O.RELU: lambda x: np.maximum(x, 0),
    O.RELU1: lambda x: np.clip(x, -1, 1),
    O.RELU6: lambda x: np.clip(x, 0, 6),
    O.ELU: lambda x: np.where(x > 0, x, 0.75 * np.expm1(x)),
    O.HARD_SWISH: lambda x: x * np.clip(x + 3, 0, 6) / 6,
}
EVERY_FLOAT16 = np.arange(2**16, dtype=np.uint16).view(np.float16)
NOT_ROUNDED = (O.ABS, O.NEG, O.FLOOR, O.RELU, O.RELU1, O.RELU6)
SPECIAL = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3.4028235e38, -3.4028235e38, 1.1754944e-38], np.float32)


def bound(operation: O, values: np.ndarray, kind: T, *, relaxed: bool = False) -> Estimate:
    """The estimate of a function of floats."""
    alpha = [number(0.75, T.FLOAT16 if kind == T.TENSOR_FLOAT16 else T.FLOAT32)] if operation == O.ELU else []
    return estimated(operation, [floats(values, kind), *alpha], relaxed=relaxed)[0]


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize("operation", FUNCTIONS, ids=lambda operation: operation.name)
def test_every_float16(operation: O) -> None:
    """Rounded once, or with subnormal numbers flushed, it is right; two steps beside it are found almost everywhere."""
    of, found = FUNCTIONS[operation], bound(operation, EVERY_FLOAT16, T.TENSOR_FLOAT16)
    right = of(EVERY_FLOAT16.astype(np.float64)).astype(np.float16)
    assert compare_estimate(right, found) is None
    tiny = np.finfo(np.float16).tiny
    given = np.where(np.abs(EVERY_FLOAT16) < tiny, 0, EVERY_FLOAT16)
    flushed = of(given.astype(np.float64)).astype(np.float16)
    assert compare_estimate(np.where(np.abs(flushed) < tiny, np.float16(0), flushed), found) is None
    # float16 that is computed in float32 has half a step, and hardly more; two steps are wrong wherever one is normal.
    beside = np.nextafter(np.nextafter(right, np.float16(np.inf)), np.float16(np.inf))
    step = beside.astype(np.float64) - found.value
    usual = (given != 0) & (np.abs(given) < 128) & (np.abs(found.value) > 1e-3)
    tested = np.isfinite(step) & np.isfinite(found.error) & usual
    assert np.mean(step[tested] > found.error[tested]) > 0.99


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize("operation", FUNCTIONS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
def test_special_float32_numbers(operation: O, relaxed: bool) -> None:
    """Infinities, NaN and the ends of the range by the formula are right; a zero may have either sign."""
    right = FUNCTIONS[operation](SPECIAL.astype(np.float64)).astype(np.float32)
    found = bound(operation, SPECIAL, T.TENSOR_FLOAT32, relaxed=relaxed)
    assert compare_estimate(right, found) is None
    assert compare_estimate(np.where(right == 0, -right, right), found) is None
    wrong = np.where(np.isnan(right), np.float32(1), np.where(np.isinf(right), -right, right + np.float32(3)))
    assert compare_estimate(wrong, found) is not None


@pytest.mark.parametrize("kind", [T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED], ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    ("operation", "steps"),
    [(O.LOGISTIC, 256), (O.TANH, 128), (O.HARD_SWISH, 0), (O.RSQRT, 0)],
    ids=str,
)
@pytest.mark.parametrize("scale", [0.01, 0.1, 0.7])
def test_every_code(kind: T, operation: O, steps: int, scale: float) -> None:
    """The nearest code of the real result is right, and one beside it wrong for most codes."""
    info = np.iinfo(np.uint8 if kind == T.TENSOR_QUANT8_ASYMM else np.int8)
    every = np.arange(info.min, info.max + 1)
    middle = int(info.min) + 128
    target = (1 / steps if steps else 1.9 * scale, int(info.min) if operation == O.LOGISTIC else middle)
    (found,) = estimated(operation, [codes(every, scale, middle, kind)], codes([], *target, kind))
    x = (every - middle) * float(np.float32(scale))
    with np.errstate(all="ignore"):
        real = FUNCTIONS[operation](x) / float(np.float32(target[0])) + target[1]
    exact = np.clip(np.nan_to_num(real, nan=info.max, posinf=info.max), info.min, info.max)
    right = np.rint(exact).astype(info.dtype)
    assert compare_estimate(right, found) is None
    beside = np.where(right < info.max, right + 1.0, right - 1.0)
    decided = np.isfinite(found.error)
    wrong = np.abs(beside - found.value)[decided] > found.error[decided]
    assert decided.mean() >= (0.49 if operation == O.RSQRT else 1.0)
    assert wrong.mean() > 0.9


@pytest.mark.parametrize("scale", [0.0626, 0.0801, 0.1249])
def test_codes_of_a_sigmoid_are_decided_before_it_is_cut_off(scale: float) -> None:
    """One code alone is right, but near the middle of two and from 15 steps of a power of two on, where it saturates.

    Source: docs/contract/operations/LOGISTIC.md: scales from 1/16 to 1/8 have their ends at 120 codes.
    """
    every = np.arange(256)
    (found,) = estimated(O.LOGISTIC, [codes(every, scale, 128)], codes(0, 2.0**-8, 0))
    exact = 256 / (1 + np.exp(-(every - 128) * np.float64(np.float32(scale))))
    is_clear = np.abs(exact - np.floor(exact) - 0.5) > 0.01
    inside = np.abs(every - 128) < 120
    assert (found.error[is_clear & inside] == 0).all()
    np.testing.assert_array_equal(found.value[is_clear & inside], np.minimum(np.rint(exact), 255)[is_clear & inside])
    # At the other end 1 is due, and 0 is what the recipe gives.
    assert found.value[8] + found.error[8] >= np.rint(exact[8])
    assert found.value[8] - found.error[8] <= 0


def test_logarithms_near_one() -> None:
    """LiteRT's XNNPACK on AVX-512 says -0.047398172 of 0.95370746, where -0.047398304 is right; no more is granted."""
    (found,) = estimated(O.LOG, [floats(np.array([0.95370746], np.float32))])
    assert compare_estimate(np.array([-0.047398172], np.float32), found) is None
    assert compare_estimate(np.array([-0.04739815], np.float32), found) is not None


def test_results_near_numbers_of_the_type_are_rounded_to_one_side() -> None:
    """log(1 + e^x) of a large float16 x is x and a little more: the nearest number is no drift, but cut bits are."""
    x = np.arange(6.25, 8, 2.0**-8).astype(np.float16)
    value = np.logaddexp(x.astype(np.float64), 0)
    half = FLOAT16.half_ulp(value)
    found = Estimate(T.TENSOR_FLOAT16, value, 1.01 * half, np.zeros(x.shape), half)
    assert np.mean((value.astype(np.float16) - value) / half) < -0.4
    assert compare_estimate(value.astype(np.float16), found) is None
    value = np.random.default_rng(11).uniform(1, 2, x.size)
    half = FLOAT16.half_ulp(value)
    found = Estimate(T.TENSOR_FLOAT16, value, 2 * half, np.zeros(x.shape), half)
    cut = np.floor(value * 2**10) / 2**10
    assert isinstance(compare_estimate(cut.astype(np.float16), found), Drift)
    assert compare_estimate(value.astype(np.float16), found) is None
