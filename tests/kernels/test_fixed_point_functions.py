"""Fixed-point functions on arrays against the recipes on single integers, and both against real functions."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from nnvet.oracle.operations import fixed_point_functions as slow
from nnvet.reference_driver.kernels import fixed_point as fast

_RANDOM = random.Random(20)
_Q4 = [0, 1, -1, 2**27, -(2**27), 15 * 2**27, -15 * 2**27, 2**31 - 1, -(2**31) + 1] + [
    _RANDOM.randint(-(2**31) + 1, 2**31 - 1) for _ in range(500)
]
_NEGATIVE = [-abs(a) for a in _Q4]
_FRACTIONS = [abs(a) for a in _Q4]


def test_one_rounding_in_place_of_two() -> None:
    """The nearest integer of the exact product; ties go up, or away from zero."""
    for x, shift in ((5, -1), (-5, -1), (1000003, -7), (-1000003, -7), (3, 4), (-1, 0)):
        exact = Fraction(x * 1717986918, 2**31) * Fraction(2) ** shift
        assert (
            slow.rounded_once_up(x, 1717986918, shift) == slow.rounded_once_away(x, 1717986918, shift) == round(exact)
        )
    half = 2**30
    assert [slow.rounded_once_up(x, half, 0) for x in (3, -3, 1, -1)] == [2, -1, 1, 0]
    assert [slow.rounded_once_away(x, half, 0) for x in (3, -3, 1, -1)] == [2, -2, 1, -1]


@pytest.mark.parametrize("bits", [0, 1, 4, 5])
def test_expneg(bits: int) -> None:
    """Equal to the recipe bit by bit, and close to e^a."""
    result = fast.expneg(np.array(_NEGATIVE), bits).tolist()
    assert result == [slow.expneg(a, bits) for a in _NEGATIVE]
    assert result == pytest.approx([math.exp(a / 2 ** (31 - bits)) * 2**31 for a in _NEGATIVE], abs=2**31 * 3e-7)


@pytest.mark.parametrize(
    ("name", "function"), [("recip1p", lambda x: 1 / (1 + x)), ("ratio1p", lambda x: (1 - x) / (1 + x))]
)
def test_reciprocals(name: str, function: object) -> None:
    """Equal to the recipe bit by bit, and close to the real function."""
    assert callable(function)
    result = getattr(fast, name)(np.array(_FRACTIONS)).tolist()
    assert result == [getattr(slow, name)(x) for x in _FRACTIONS]
    assert result == pytest.approx([function(x / 2**31) * 2**31 for x in _FRACTIONS], abs=2**31 * 3e-7)


@pytest.mark.parametrize(("name", "function"), [("logistic", lambda x: 1 / (1 + math.exp(-x))), ("tanh", math.tanh)])
def test_sigmoids(name: str, function: object) -> None:
    """Equal to the recipe bit by bit, and close to the real function."""
    assert callable(function)
    result = getattr(fast, name)(np.array(_Q4)).tolist()
    assert result == [getattr(slow, name)(a) for a in _Q4]
    assert result == pytest.approx([function(a / 2**27) * 2**31 for a in _Q4], abs=2**31 * 3e-7)


def test_invsqrt() -> None:
    """Equal to the recipe bit by bit for sums of squares of every size, and close to 1 / sqrt(v)."""
    values = [*range(300), *(2**k + d for k in range(9, 31) for d in (-1, 0, 1)), 2**31 - 1]
    multipliers, exponents = fast.invsqrt(np.array(values))
    assert list(zip(multipliers.tolist(), exponents.tolist(), strict=True)) == [slow.invsqrt(v) for v in values]
    real = multipliers / 2**31 * 2.0**exponents
    assert real.tolist() == pytest.approx([1 / math.sqrt(max(v, 1)) for v in values], rel=3e-6)


@pytest.mark.parametrize("shift", [0, 1, 2, 7, 30])
def test_ssl(shift: int) -> None:
    """Saturates on both sides exactly where the recipe does."""
    edge = 2 ** (31 - shift) - 1
    values = [0, 1, -1, edge, edge + 1, -edge, -edge - 1, 2**31 - 1, -(2**31)]
    assert fast.ssl(np.array(values), shift).tolist() == [slow.ssl(x, shift) for x in values]
