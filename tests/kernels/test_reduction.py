"""MEAN, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM, ARGMAX, ARGMIN.

Against the second implementation, group by group.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import reduction as golden
from nnvet.oracle.operations.indexing import groups, reduced_shape, slices
from tests.kernels.random_operands import (
    CODES,
    FEW,
    FLOATS,
    assert_close,
    assert_exact,
    assert_fails,
    flat,
    operands,
)
from tests.single import omitted, output, run_single, tensor

F32, Q8 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM
Fold = Callable[[Sequence[Any]], Any]


@st.composite
def _reductions(draw: st.DrawFn, *kinds: T, special: bool = False) -> tuple[Argument, list[int], bool]:
    """An input, axes (some negative, some twice, in any order) and whether dimensions are kept."""
    argument = draw(operands(draw(st.sampled_from(kinds)), special=special))
    axes = draw(st.lists(st.integers(-argument.rank, argument.rank - 1), min_size=1, max_size=5))
    return argument, axes, draw(st.booleans())


def _run(name: str, reduction: tuple[Argument, list[int], bool]) -> Any:
    argument, axes, keep = reduction
    # Of MEAN's keep_dims only numbers above 0 mean yes.
    flag = tensor(T.INT32, 3 if keep else -1) if name == "MEAN" else tensor(T.BOOL, keep)
    declared = output(T(argument.type), argument.scale, argument.zero_point)
    (result,) = run_single(OperationType[name], [argument, tensor(T.TENSOR_INT32, axes), flag], [declared])
    return result


def _expected(reduction: tuple[Argument, list[int], bool], fold: Fold) -> tuple[list[int], list[Any]]:
    argument, axes, keep = reduction
    number = argument.array.dtype.type
    values = [number(x) for x in flat(argument)]
    with np.errstate(all="ignore"):
        folded = [fold([values[i] for i in group]) for group in groups(argument.dimensions, axes)]
    return reduced_shape(argument.dimensions, axes, keep=keep), folded


@FEW
@given(reduction=_reductions(*FLOATS))
def test_mean_float(reduction: tuple[Argument, list[int], bool]) -> None:
    """Floats are summed in float32, in order, and divided once."""
    assert_close(_run("MEAN", reduction), *_expected(reduction, golden.mean), (0, 0))


@FEW
@given(reduction=_reductions(*CODES))
def test_mean_codes(reduction: tuple[Argument, list[int], bool]) -> None:
    """Codes are averaged as integers, truncated toward zero."""
    expected = _expected(reduction, lambda codes: golden.mean_code([int(q) for q in codes]))
    assert_exact(_run("MEAN", reduction), *expected)


@pytest.mark.parametrize(("name", "fold"), [("REDUCE_ALL", golden.reduce_all), ("REDUCE_ANY", golden.reduce_any)])
@FEW
@given(reduction=_reductions(T.TENSOR_BOOL8))
def test_logical(name: str, fold: Fold, reduction: tuple[Argument, list[int], bool]) -> None:
    """Any non-zero byte is true; the result is 0 or 1."""
    assert_exact(_run(name, reduction), *_expected(reduction, fold))


@FEW
@given(reduction=_reductions(*FLOATS, *CODES, special=True))
def test_extremes(reduction: tuple[Argument, list[int], bool]) -> None:
    """NaN is passed over; infinities of the wrong sign do not go beyond the finite numbers."""
    dtype = reduction[0].array.dtype
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    expected = _expected(reduction, lambda values: golden.reduce_max(values, limits.min))
    assert_exact(_run("REDUCE_MAX", reduction), *expected)
    expected = _expected(reduction, lambda values: golden.reduce_min(values, limits.max))
    assert_exact(_run("REDUCE_MIN", reduction), *expected)


@FEW
@given(reduction=_reductions(*FLOATS, special=True))
def test_sum_and_product(reduction: tuple[Argument, list[int], bool]) -> None:
    """Every partial result is rounded to the element type, in row-major order; zero beats NaN in products."""
    number = reduction[0].array.dtype.type
    expected = _expected(reduction, lambda values: golden.reduce_sum(values, number))
    assert_exact(_run("REDUCE_SUM", reduction), *expected)
    expected = _expected(reduction, lambda values: golden.reduce_prod(values, number))
    assert_exact(_run("REDUCE_PROD", reduction), *expected)


def test_float16_sum_loses_small_terms() -> None:
    """2048 + 1 + ... + 1 stays 2048 in float16, where the next number is 2050."""
    argument = tensor(T.TENSOR_FLOAT16, [2048.0] + [1.0] * 100)
    assert _run("REDUCE_SUM", (argument, [0], False)).tolist() == [2048.0]


def test_underflow_ends_a_product() -> None:
    """Once a partial product is zero it stays zero, even against infinity."""
    argument = tensor(F32, [1e-30, 1e-30, np.inf])
    assert _run("REDUCE_PROD", (argument, [0], False)).tolist() == [0.0]


@pytest.mark.parametrize(("name", "search"), [("ARGMAX", golden.argmax), ("ARGMIN", golden.argmin)])
@FEW
@given(data=st.data())
def test_index(name: str, search: Fold, data: st.DataObject) -> None:
    """The lowest index of the extreme is found along any axis; a NaN wins only at index 0."""
    kind = data.draw(st.sampled_from((*FLOATS, T.TENSOR_INT32, *CODES)))
    argument = data.draw(operands(kind, special=True))
    axis = data.draw(st.integers(-argument.rank, argument.rank - 1))
    (result,) = run_single(OperationType[name], [argument, tensor(T.INT32, axis)], [output(T.TENSOR_INT32)])
    values = flat(argument)
    expected = [search([values[i] for i in group]) for group in slices(argument.dimensions, axis)]
    assert_exact(result, reduced_shape(argument.dimensions, [axis], keep=False), expected)


_ONES = tensor(F32, np.ones((2, 3)))
_EMPTY = tensor(F32, np.ones((0, 3)))
_BOOLS = tensor(T.TENSOR_BOOL8, np.ones((2, 3)))
_REDUCTIONS = {
    **{name: (_ONES, tensor(T.BOOL, 0)) for name in ("REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_SUM")},
    **{name: (_BOOLS, tensor(T.BOOL, 0)) for name in ("REDUCE_ALL", "REDUCE_ANY")},
    "MEAN": (_ONES, tensor(T.INT32, 0)),
}


@pytest.mark.parametrize("axis", [2, -3])
@pytest.mark.parametrize("name", _REDUCTIONS)
def test_axes_out_of_range(name: str, axis: int) -> None:
    """An axis beyond the rank fails the execution."""
    argument, keep = _REDUCTIONS[name]
    inputs = [argument, tensor(T.TENSOR_INT32, [0, axis]), keep]
    assert_fails(
        f"{name}/axes.range", ErrorStatus.GENERAL_FAILURE, OperationType[name], inputs, [output(T(argument.type))]
    )


@pytest.mark.parametrize(
    ("rule", "status", "inputs"),
    [
        ("ARGMAX/axis.range", "GENERAL_FAILURE", [_ONES, tensor(T.INT32, 2)]),
        ("ARGMIN/axis.range", "GENERAL_FAILURE", [_ONES, tensor(T.INT32, -3)]),
        ("ARGMAX/zero_sized", "INVALID_ARGUMENT", [_EMPTY, tensor(T.INT32, 0)]),
        ("ARGMIN/axis.omitted", "INVALID_ARGUMENT", [_ONES, omitted(T.INT32)]),
        ("MEAN/zero_sized", "INVALID_ARGUMENT", [_EMPTY, tensor(T.TENSOR_INT32, [0]), tensor(T.INT32, 0)]),
        (
            "MEAN/zero_sized",
            "INVALID_ARGUMENT",
            [_ONES, tensor(T.TENSOR_INT32, np.zeros(0)), tensor(T.INT32, 0)],
        ),
        ("MEAN/axes.rank", "GENERAL_FAILURE", [_ONES, tensor(T.TENSOR_INT32, [[0]]), tensor(T.INT32, 0)]),
        ("REDUCE_SUM/zero_sized", "GENERAL_FAILURE", [_EMPTY, tensor(T.TENSOR_INT32, [0]), tensor(T.BOOL, 0)]),
        (
            "REDUCE_SUM/zero_sized",
            "GENERAL_FAILURE",
            [_ONES, tensor(T.TENSOR_INT32, np.zeros(0)), tensor(T.BOOL, 0)],
        ),
        ("REDUCE_SUM/keep_dims.omitted", "GENERAL_FAILURE", [_ONES, tensor(T.TENSOR_INT32, [0]), omitted(T.BOOL)]),
    ],
)
def test_broken_rule(rule: str, status: str, inputs: list[Argument]) -> None:
    """Each rule, broken once, fails the execution under its own name and status."""
    name = rule.split("/", maxsplit=1)[0]
    result = output(T.TENSOR_INT32 if name.startswith("ARG") else F32)
    assert_fails(rule, ErrorStatus[status], OperationType[name], inputs, [result])


@pytest.mark.parametrize("name", ["MEAN", "REDUCE_MAX", "REDUCE_MIN"])
def test_output_quantization(name: str) -> None:
    """The output has scale and zero point of the input."""
    argument = tensor(Q8, [[1, 2]], 0.5, 3)
    keep = tensor(T.INT32 if name == "MEAN" else T.BOOL, 1)
    inputs = [argument, tensor(T.TENSOR_INT32, [0]), keep]
    failure = ErrorStatus.GENERAL_FAILURE
    assert_fails(f"{name}/output.quantization", failure, OperationType[name], inputs, [output(Q8, 0.5, 4)])
