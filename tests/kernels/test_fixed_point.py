"""Fixed-point arithmetic on arrays against the same on Python integers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import fixed_point_functions as golden
from nnvet.oracle.operations.activation import code_bounds
from nnvet.reference_driver.kernels import fixed_point as fast

MANY = settings(derandomize=True, deadline=None, max_examples=200)
INT32 = st.integers(-(2**31), 2**31 - 1) | st.sampled_from((-(2**31), 2**31 - 1, -1, 0, 1, 2**30, -(2**30)))
HALVES = st.integers(-(2**20), 2**20).map(lambda k: k << 10)
NUMBERS = st.lists(INT32 | HALVES, min_size=1, max_size=20)


@MANY
@given(NUMBERS, INT32)
def test_srdhm(numbers: list[int], b: int) -> None:
    """Halves go up, and the one product that does not fit saturates."""
    assert fast.srdhm(np.array(numbers), b).tolist() == [golden.srdhm(a, b) for a in numbers]


@MANY
@given(NUMBERS, st.integers(0, 31))
def test_rdbp(numbers: list[int], exponent: int) -> None:
    """Halves go away from zero, with one exponent for all or one for each."""
    expected = [golden.rdbp(x, exponent) for x in numbers]
    assert fast.rdbp(np.array(numbers), exponent).tolist() == expected
    assert fast.rdbp(np.array(numbers), np.full(len(numbers), exponent)).tolist() == expected


@MANY
@given(st.lists(st.tuples(INT32, st.integers(2**30, 2**31 - 1), st.integers(-31, 8)), min_size=1, max_size=20))
def test_mbqm(cases: list[tuple[int, int, int]]) -> None:
    """Two roundings, a multiplier and a shift for each; a left shift that leaves int32 saturates."""
    x, multipliers, exponents = (np.array(column) for column in zip(*cases, strict=True))
    expected = [golden.mbqm(min(max(a << max(n, 0), -(2**31)), 2**31 - 1), m, min(n, 0)) for a, m, n in cases]
    assert fast.mbqm(x, multipliers, exponents).tolist() == expected


def test_mbqm_of_huge_shifts() -> None:
    """Shifts of more bits than an integer has saturate too."""
    assert fast.mbqm(np.array([-3, 0, 3]), 2**30, 100).tolist() == [-(2**30), 0, 2**30]


@MANY
@given(st.floats(0, 1e10) | st.floats(-40, 40).map(lambda e: 2.0**e) | st.sampled_from((0.0, 1 - 2.0**-53, 2.0**-32)))
def test_quantize_multiplier(real: float) -> None:
    """Multiplier and exponent of every real number, 0 and those that round up to a power of two included."""
    assert fast.quantize_multiplier(real) == golden.qm(real)


@pytest.mark.parametrize("kind", [T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED])
@pytest.mark.parametrize("activation", [0, 1, 2, 3])
@pytest.mark.parametrize("scale", [1e-3, 0.0235, 0.4, 2 / 3, 2.0, 4.0, 12.0, 1e30])
def test_activation_codes(kind: T, activation: int, scale: float) -> None:
    """Bounds of the codes, halves away from zero."""
    low, high = (0, 255) if kind == T.TENSOR_QUANT8_ASYMM else (-128, 127)
    for zero_point in (low, low + 1, low + 128, high):
        output = Argument(kind, (), scale, zero_point)
        assert fast.activation_codes(activation, output) == code_bounds(activation, scale, zero_point, low, high)


def test_activation_codes_of_a_tiny_scale() -> None:
    """If real / scale is infinite the whole range is left."""
    with np.errstate(over="ignore"):  # as the executor does
        assert fast.activation_codes(2, Argument(T.TENSOR_QUANT8_ASYMM, (), 1e-40, 9)) == (0, 255)


@pytest.mark.parametrize("activation", [1, 2, 3])
def test_activation_codes_without_a_scale(activation: int) -> None:
    """Zero is the zero point, all else is beyond the codes."""
    with np.errstate(all="ignore"):
        low = 0 if activation == 2 else 9
        assert fast.activation_codes(activation, Argument(T.TENSOR_QUANT8_ASYMM, (), 0.0, 9)) == (low, 255)


@pytest.mark.parametrize("real", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_has_no_fixed_point_form(real: float) -> None:
    """Quotients of infinite scales are refused by an error of the contract."""
    with pytest.raises(HalError):
        fast.quantize_multiplier(real)
