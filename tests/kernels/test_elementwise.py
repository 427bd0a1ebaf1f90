"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT, LOGICAL_NOT against the second implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import elementwise as golden
from tests.kernels.random_operands import (
    CODES,
    FEW,
    FLOATS,
    assert_close,
    assert_exact,
    assert_fails,
    code_range,
    flat,
    operands,
    quantizations,
)
from tests.single import omitted, output, run_single, tensor

UNARY = [OperationType[name] for name in (*golden.FUNCTIONS, "LOGICAL_NOT")]


@pytest.mark.parametrize("name", golden.FUNCTIONS)
@FEW
@given(argument=st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, special=True)))
def test_float(name: str, argument: Argument) -> None:
    """Floats agree with double-precision values, infinities, signed zeros and NaN included."""
    (result,) = run_single(OperationType[name], [argument], [output(T(argument.type))])
    expected = [golden.FUNCTIONS[name](x) for x in flat(argument)]
    # SIN near its zeros loses relative, not absolute accuracy.
    tolerance = {"SIN": (2e-3, 1e-3) if argument.type == T.TENSOR_FLOAT16 else (2e-6, 2e-7)}.get(name)
    assert_close(result, argument.dimensions, expected, tolerance)
    if name in ("FLOOR", "ABS", "NEG", "SQRT", "RSQRT"):
        numbers = ~np.isnan(result)
        assert np.array_equal(
            np.signbit(result)[numbers], np.signbit(np.array(expected).reshape(result.shape))[numbers]
        )


@pytest.mark.parametrize(("name", "function"), [("ABS", abs), ("NEG", lambda x: -x)])
@FEW
@given(argument=operands(T.TENSOR_INT32))
def test_integer(name: str, function: object, argument: Argument) -> None:
    """ABS and NEG of integers are exact."""
    assert callable(function)
    (result,) = run_single(OperationType[name], [argument], [output(T.TENSOR_INT32)])
    assert_exact(result, argument.dimensions, [function(x) for x in flat(argument)])


@pytest.mark.parametrize("name", ["ABS", "NEG"])
def test_smallest_integer(name: str) -> None:
    """The integer without a counterpart neither crashes nor disturbs its neighbours."""
    (result,) = run_single(OperationType[name], [tensor(T.TENSOR_INT32, [-(2**31), -5])], [output(T.TENSOR_INT32)])
    assert result[1] == 5


@pytest.mark.parametrize("kind", CODES)
@FEW
@given(data=st.data())
def test_rsqrt_codes(kind: T, data: st.DataObject) -> None:
    """All 256 codes give the right code; zero and negative values the highest."""
    source, target = data.draw(quantizations(kind)), data.draw(quantizations(kind))
    low, high = code_range(kind)
    codes = list(range(low, high + 1))
    (result,) = run_single(OperationType.RSQRT, [tensor(kind, codes, *source)], [output(kind, *target)])
    assert_exact(result, [256], [golden.rsqrt_code(q, source, target, low, high) for q in codes])


@FEW
@given(argument=operands(T.TENSOR_BOOL8))
def test_logical_not(argument: Argument) -> None:
    """Any non-zero byte is true; the result is 0 or 1."""
    (result,) = run_single(OperationType.LOGICAL_NOT, [argument], [output(T.TENSOR_BOOL8)])
    assert_exact(result, argument.dimensions, [1 if x == 0 else 0 for x in flat(argument)])


@pytest.mark.parametrize("operation", UNARY)
def test_zero_sized_and_omitted(operation: OperationType) -> None:
    """Zero-sized and omitted inputs fail when the operation runs."""
    kind = T.TENSOR_BOOL8 if operation == OperationType.LOGICAL_NOT else T.TENSOR_FLOAT32
    failure = ErrorStatus.GENERAL_FAILURE
    empty = tensor(kind, np.zeros((2, 0)))
    assert_fails(f"{operation.name}/zero_sized", failure, operation, [empty], [output(kind)])
    assert_fails(f"{operation.name}/input.omitted", failure, operation, [omitted(kind)], [output(kind)])


def test_rank_of_floor() -> None:
    """FLOOR alone has an upper limit of the rank."""
    argument = tensor(T.TENSOR_FLOAT32, np.full((1, 1, 1, 1, 2), 4.0))
    failure = ErrorStatus.GENERAL_FAILURE
    assert_fails("FLOOR/input.rank", failure, OperationType.FLOOR, [argument], [output(T.TENSOR_FLOAT32)])
    (result,) = run_single(OperationType.SQRT, [argument], [output(T.TENSOR_FLOAT32)])
    assert_exact(result, [1, 1, 1, 1, 2], [2.0, 2.0])
