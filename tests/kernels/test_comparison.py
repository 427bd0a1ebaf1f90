"""EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR by the second implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.oracle.operations import elementwise as golden
from nnvet.oracle.operations.indexing import broadcast_pairs, broadcast_shape
from tests.kernels.random_operands import CODES, FEW, FLOATS, assert_exact, assert_fails, broadcastable, flat, operands
from tests.single import output, run_single, tensor

NAMES = tuple(golden.RELATIONS)
RELATIONS = NAMES[:6]


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_numbers(name: str, data: st.DataObject) -> None:
    """Floats (NaN, infinities, signed zeros included), integers and bytes of booleans compare exactly."""
    shapes = data.draw(broadcastable())
    kinds = (*FLOATS, T.TENSOR_INT32, T.TENSOR_BOOL8) if name in RELATIONS else (T.TENSOR_BOOL8,)
    kind = data.draw(st.sampled_from(kinds))
    x, y = (data.draw(operands(kind, shape, special=True)) for shape in shapes)
    (result,) = run_single(OperationType[name], [x, y], [output(T.TENSOR_BOOL8)])
    left, right = flat(x), flat(y)
    assert_exact(
        result,
        broadcast_shape(*shapes),
        [golden.relation(name, left[i], right[j]) for i, j in broadcast_pairs(*shapes)],
    )


@pytest.mark.parametrize("name", RELATIONS)
@FEW
@given(data=st.data())
def test_codes(name: str, data: st.DataObject) -> None:
    """Quantised operands compare as real values, each by its own scale and zero point."""
    shapes = data.draw(broadcastable())
    kind = data.draw(st.sampled_from(CODES))
    x, y = (data.draw(operands(kind, shape)) for shape in shapes)
    (result,) = run_single(OperationType[name], [x, y], [output(T.TENSOR_BOOL8)])
    left, right = ([(q, a.scale, a.zero_point) for q in flat(a)] for a in (x, y))
    expected = [golden.relation_of_codes(name, left[i], right[j]) for i, j in broadcast_pairs(*shapes)]
    assert_exact(result, broadcast_shape(*shapes), expected)


@pytest.mark.parametrize(
    ("name", "expected"), [("EQUAL", [1, 0, 1]), ("LESS", [0, 1, 0]), ("GREATER_EQUAL", [1, 0, 1])]
)
def test_equal_reals_of_different_codes(name: str, expected: list[int]) -> None:
    """Codes 10, 11, 12 of scale 0.5 are 5, 5.5, 6; codes 20, 24, 24 of scale 0.25 are 5, 6, 6."""
    x = tensor(T.TENSOR_QUANT8_ASYMM, [10, 11, 12], 0.5, 0)
    y = tensor(T.TENSOR_QUANT8_ASYMM, [20, 24, 24], 0.25, 0)
    (result,) = run_single(OperationType[name], [x, y], [output(T.TENSOR_BOOL8)])
    assert result.tolist() == expected


@pytest.mark.parametrize("name", NAMES)
def test_broken_rules(name: str) -> None:
    """Incompatible shapes and zero-sized inputs fail when the operation runs."""
    pair = [tensor(T.TENSOR_BOOL8, [0, 1]), tensor(T.TENSOR_BOOL8, [0, 1, 1])]
    failure, result = ErrorStatus.GENERAL_FAILURE, [output(T.TENSOR_BOOL8)]
    assert_fails(f"{name}/broadcast", failure, OperationType[name], pair, result)
    empty = [tensor(T.TENSOR_BOOL8, np.zeros((0, 1))), tensor(T.TENSOR_BOOL8, [1])]
    assert_fails(f"{name}/zero_sized", failure, OperationType[name], empty, result)
