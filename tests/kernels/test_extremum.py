"""MAXIMUM, MINIMUM, POW, PRELU, SELECT against the second implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import elementwise as golden
from nnvet.oracle.operations.indexing import broadcast_pairs, broadcast_shape
from tests.kernels.random_operands import (
    CODES,
    FEW,
    FLOATS,
    assert_close,
    assert_exact,
    assert_fails,
    broadcastable,
    code_range,
    flat,
    operands,
    quantizations,
    shapes,
)
from tests.single import omitted, output, run_single, tensor

EXTREMA = ("MAXIMUM", "MINIMUM")


def _requantized(argument: Argument, target: tuple[float, int]) -> list[int]:
    source = (argument.scale, argument.zero_point)
    return [golden.requantize(q, source, target, *code_range(argument.type)) for q in flat(argument)]


@pytest.mark.parametrize("name", EXTREMA)
@FEW
@given(data=st.data())
def test_extremum_numbers(name: str, data: st.DataObject) -> None:
    """Floats and integers give one of the operands; with a NaN, the first."""
    sizes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from((*FLOATS, T.TENSOR_INT32)))
    x, y = (data.draw(operands(kind, shape, special=True)) for shape in sizes)
    (result,) = run_single(OperationType[name], [x, y], [output(kind)])
    left, right = flat(x), flat(y)
    expected = [golden.extremum(name, left[i], right[j]) for i, j in broadcast_pairs(*sizes)]
    assert_exact(result, broadcast_shape(*sizes), expected)
    assert np.array_equal(np.signbit(result).reshape(-1), np.signbit(np.array(expected)))


@pytest.mark.parametrize("name", EXTREMA)
def test_first_of_equals(name: str) -> None:
    """Of zeros of either sign, and beside a NaN, the first operand is the result."""
    x, y = [0.0, -0.0, np.nan, 1.0], [-0.0, 0.0, 1.0, np.nan]
    (result,) = run_single(
        OperationType[name], [tensor(T.TENSOR_FLOAT32, x), tensor(T.TENSOR_FLOAT32, y)], [output(T.TENSOR_FLOAT32)]
    )
    assert_exact(result, [4], x)
    assert np.signbit(result).tolist() == [False, True, False, False]


@pytest.mark.parametrize("name", EXTREMA)
@FEW
@given(data=st.data())
def test_extremum_codes(name: str, data: st.DataObject) -> None:
    """Both sides are brought to the output's scale and zero point before they compare."""
    sizes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from(CODES))
    x, y = (data.draw(operands(kind, shape)) for shape in sizes)
    target = data.draw(quantizations(kind))
    (result,) = run_single(OperationType[name], [x, y], [output(kind, *target)])
    left, right = _requantized(x, target), _requantized(y, target)
    expected = [golden.extremum(name, left[i], right[j]) for i, j in broadcast_pairs(*sizes)]
    assert_exact(result, broadcast_shape(*sizes), expected)


@FEW
@given(data=st.data())
def test_power(data: st.DataObject) -> None:
    """Powers agree with double-precision values and with C's special cases."""
    sizes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from(FLOATS))
    x, y = (data.draw(operands(kind, shape, special=True)) for shape in sizes)
    (result,) = run_single(OperationType.POW, [x, y], [output(kind)])
    left, right = flat(x), flat(y)
    expected = [golden.power(left[i], right[j]) for i, j in broadcast_pairs(*sizes)]
    assert_close(result, broadcast_shape(*sizes), expected)


@FEW
@given(data=st.data())
def test_prelu_float(data: st.DataObject) -> None:
    """Floats that are not negative stay, the others are multiplied by their slope."""
    sizes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from(FLOATS))
    x, y = (data.draw(operands(kind, shape)) for shape in sizes)
    (result,) = run_single(OperationType.PRELU, [x, y], [output(kind)])
    left, right = flat(x), flat(y)
    expected = [golden.prelu(left[i], right[j]) for i, j in broadcast_pairs(*sizes)]
    assert_close(result, broadcast_shape(*sizes), expected, (0, 0))


def test_prelu_special_numbers() -> None:
    """Minus zero is not negative; NaN is multiplied and stays."""
    x = tensor(T.TENSOR_FLOAT32, [-0.0, np.nan, -np.inf])
    (result,) = run_single(OperationType.PRELU, [x, tensor(T.TENSOR_FLOAT32, [0.5])], [output(T.TENSOR_FLOAT32)])
    assert np.signbit(result[0])
    assert np.isnan(result[1])
    assert result[2] == -np.inf


@FEW
@given(data=st.data())
def test_prelu_codes(data: st.DataObject) -> None:
    """Quantised results have the bits of the recipe."""
    sizes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from(CODES))
    x, alpha = (data.draw(operands(kind, shape)) for shape in sizes)
    target = data.draw(quantizations(kind))
    (result,) = run_single(OperationType.PRELU, [x, alpha], [output(kind, *target)])
    left, right = flat(x), flat(alpha)
    quants = (x.scale, x.zero_point), (alpha.scale, alpha.zero_point), target
    expected = [golden.prelu_code((left[i], right[j]), *quants, code_range(kind)) for i, j in broadcast_pairs(*sizes)]
    assert_exact(result, broadcast_shape(*sizes), expected)


@FEW
@given(data=st.data())
def test_select(data: st.DataObject) -> None:
    """Chosen floats and integers are copied; chosen codes are brought to the output's scale and zero point."""
    shape = data.draw(shapes())
    kind = data.draw(st.sampled_from((*FLOATS, T.TENSOR_INT32, *CODES)))
    condition = data.draw(operands(T.TENSOR_BOOL8, shape))
    x, y = (data.draw(operands(kind, shape, special=True)) for _ in range(2))
    target = data.draw(quantizations(kind)) if kind in CODES else (0.0, 0)
    (result,) = run_single(OperationType.SELECT, [condition, x, y], [output(kind, *target)])
    left, right = (_requantized(a, target) if kind in CODES else flat(a) for a in (x, y))
    assert_exact(result, shape, [left[i] if c else right[i] for i, c in enumerate(flat(condition))])


@FEW
@given(argument=st.sampled_from(CODES).flatmap(operands))
def test_equal_parameters_copy(argument: Argument) -> None:
    """Codes whose scale and zero point are those of the output pass unchanged."""
    condition = tensor(T.TENSOR_BOOL8, np.ones(argument.dimensions))
    result = output(T(argument.type), argument.scale, argument.zero_point)
    (selected,) = run_single(OperationType.SELECT, [condition, argument, argument], [result])
    (largest,) = run_single(OperationType.MAXIMUM, [argument, argument], [result])
    assert_exact(selected, argument.dimensions, flat(argument))
    assert_exact(largest, argument.dimensions, flat(argument))


def _float(shape: tuple[int, ...]) -> Argument:
    return tensor(T.TENSOR_FLOAT32, np.ones(shape))


@pytest.mark.parametrize(
    ("rule", "status", "inputs"),
    [
        ("MAXIMUM/broadcast", "GENERAL_FAILURE", [_float((2, 3)), _float((2,))]),
        ("MINIMUM/broadcast", "GENERAL_FAILURE", [_float((2, 3)), _float((3, 3))]),
        ("POW/broadcast", "GENERAL_FAILURE", [_float((2, 3)), _float((4, 1, 3, 1))]),
        ("PRELU/broadcast", "GENERAL_FAILURE", [_float((2, 3)), _float((2,))]),
        ("SELECT/dimensions", "GENERAL_FAILURE", [tensor(T.TENSOR_BOOL8, [1]), _float((2,)), _float((2,))]),
        ("SELECT/dimensions", "GENERAL_FAILURE", [tensor(T.TENSOR_BOOL8, [1, 0]), _float((2,)), _float((1, 2))]),
        ("MAXIMUM/zero_sized", "INVALID_ARGUMENT", [_float((0, 3)), _float((1, 3))]),
        ("MINIMUM/zero_sized", "INVALID_ARGUMENT", [_float((1, 3)), _float((0, 3))]),
        ("POW/zero_sized", "INVALID_ARGUMENT", [_float((0,)), _float((1,))]),
        ("PRELU/zero_sized", "GENERAL_FAILURE", [_float((0,)), _float((1,))]),
        ("SELECT/zero_sized", "GENERAL_FAILURE", [tensor(T.TENSOR_BOOL8, np.zeros(0)), _float((0,)), _float((0,))]),
        ("MAXIMUM/input1.omitted", "INVALID_ARGUMENT", [_float((1,)), omitted(T.TENSOR_FLOAT32)]),
        ("POW/exponent.omitted", "INVALID_ARGUMENT", [_float((1,)), omitted(T.TENSOR_FLOAT32)]),
        ("PRELU/alpha.omitted", "GENERAL_FAILURE", [_float((1,)), omitted(T.TENSOR_FLOAT32)]),
    ],
)
def test_broken_rule(rule: str, status: str, inputs: list[Argument]) -> None:
    """Each rule, broken once, fails the execution under its own name and status."""
    operation = OperationType[rule.split("/", maxsplit=1)[0]]
    assert_fails(rule, ErrorStatus[status], operation, inputs, [output(T.TENSOR_FLOAT32)])
