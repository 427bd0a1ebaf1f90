"""The comparison against limits worked out by hand from the NNAPI's precision rules."""

import math

import numpy as np
import pytest

from nnvet.hal.types import OperandType
from nnvet.oracle import compare, tolerance_for
from nnvet.oracle.comparison import Tolerance, worst_frequency


def tolerance(operand_type: OperandType, *, relaxed: bool = False, whole_network: bool = False) -> Tolerance:
    """The tolerance of a type that has one."""
    found = tolerance_for(operand_type, relaxed=relaxed, whole_network=whole_network)
    assert found is not None
    return found


# Worked out by hand: 1e-5 + 5 * 2^-23 * |x| and 5 * 2^-10 * (1 + |x|), with a margin for float32 constants.
@pytest.mark.parametrize(
    ("operand_type", "relaxed", "expected", "off", "agrees"),
    [
        (OperandType.TENSOR_FLOAT32, False, 0.0, 0.99e-5, True),
        (OperandType.TENSOR_FLOAT32, False, 0.0, 1.01e-5, False),
        (OperandType.TENSOR_FLOAT32, False, 1000.0, 6.0e-4, True),
        (OperandType.TENSOR_FLOAT32, False, 1000.0, 6.2e-4, False),
        (OperandType.TENSOR_FLOAT32, True, 1.0, 0.0097, True),
        (OperandType.TENSOR_FLOAT32, True, 1.0, 0.0098, False),
        (OperandType.TENSOR_FLOAT16, False, 1.0, 0.0097, True),
        (OperandType.TENSOR_FLOAT16, False, 1.0, 0.0098, False),
        (OperandType.TENSOR_INT32, False, 7.0, 1.0, True),
        (OperandType.TENSOR_INT32, False, 7.0, 2.0, False),
        (OperandType.TENSOR_QUANT8_ASYMM, False, 7.0, 1.0, True),
        (OperandType.TENSOR_QUANT8_ASYMM_SIGNED, False, -7.0, 2.0, False),
        (OperandType.TENSOR_BOOL8, False, 1.0, -1.0, False),
    ],
)
def test_limits(operand_type: OperandType, relaxed: bool, expected: float, off: float, agrees: bool) -> None:
    """A difference just inside the limit agrees, one just outside does not."""
    limit = tolerance(operand_type, relaxed=relaxed)
    mismatch = compare(np.array([expected + off]), np.array([expected]), limit)
    assert (mismatch is None) == agrees


def test_whole_networks_may_be_off_by_three() -> None:
    """8-bit outputs of whole networks get three codes, others one; what is not of 8 bits gets no more than usual."""
    kind = OperandType.TENSOR_QUANT8_ASYMM
    assert tolerance(kind, whole_network=True).absolute == 3
    assert tolerance(kind).absolute == 1
    assert tolerance(OperandType.TENSOR_QUANT16_ASYMM, whole_network=True).absolute == 1


def test_types_without_a_rule_have_no_tolerance() -> None:
    """Comparing a type for which the NNAPI defines nothing is refused."""
    assert tolerance_for(OperandType.UINT32, relaxed=False) is None


def test_nan_never_agrees_and_equal_infinities_do() -> None:
    """NaN on either side is a mismatch; infinity agrees with the same infinity only."""
    limit = tolerance(OperandType.TENSOR_FLOAT32)
    for actual, expected in (
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.nan, math.nan),
        (math.inf, -math.inf),
        (1.0, math.inf),
    ):
        assert compare(np.array([actual]), np.array([expected]), limit) is not None
    assert compare(np.array([math.inf]), np.array([math.inf]), limit) is None


def test_any_byte_but_zero_is_true() -> None:
    """Booleans are compared as truth values."""
    limit = tolerance(OperandType.TENSOR_BOOL8)
    assert compare(np.array([255, 0], np.uint8), np.array([1, 0], np.uint8), limit) is None


def test_worst_element_is_named() -> None:
    """The mismatch counts the wrong elements and names the one that is off most."""
    expected = np.zeros((2, 3), np.float32)
    actual = expected.copy()
    actual[0, 1], actual[1, 2] = 0.5, -0.75
    mismatch = compare(actual, expected, tolerance(OperandType.TENSOR_FLOAT32))
    assert mismatch is not None
    assert (mismatch.count, mismatch.total, mismatch.index, mismatch.actual) == (2, 6, (1, 2), -0.75)
    assert "[1, 2]" in str(mismatch)


def test_multinomial_frequencies() -> None:
    """Frequencies near the softmax of the logits agree, others and impossible classes do not."""
    logits = np.log(np.array([[0.25, 0.75]]))
    right = np.array([[0] * 25 + [1] * 75])
    assert worst_frequency(right, logits, 0.01) is None
    wrong = np.array([[0] * 75 + [1] * 25])
    assert worst_frequency(wrong, logits, 0.01) == (0, 0, pytest.approx(0.25), 0.75)
    assert worst_frequency(np.array([[2] + [1] * 75 + [0] * 24]), logits, 0.05) is not None
