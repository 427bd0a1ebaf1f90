"""SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION, INSTANCE_NORMALIZATION.

Against the second implementation, slice by slice.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.binding import bind, required_level
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import normalization as golden
from nnvet.oracle.operations.indexing import groups, slices
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
)
from tests.single import output, run_single, tensor

SCALAR = {T.TENSOR_FLOAT16: T.FLOAT16}
NUMBER = {T.TENSOR_FLOAT32: np.float32, T.TENSOR_FLOAT16: np.float16}
F32, Q8 = T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM


def _by_slices(argument: Argument, positions: list[list[int]], function: Callable[[Any], Sequence[Any]]) -> list[Any]:
    values = flat(argument)
    result: list[Any] = [None] * len(values)
    for group in positions:
        for position, value in zip(group, function([values[i] for i in group]), strict=True):
            result[position] = value
    return result


@st.composite
def _axes(draw: st.DrawFn, rank: int) -> tuple[list[Argument], int]:
    """Optional axis operand (given or not) and the axis it means."""
    axis = draw(st.none() | st.integers(-rank, rank - 1))
    return ([], -1) if axis is None else ([tensor(T.INT32, axis)], axis)


def _scalar(argument: Argument, value: float) -> Argument:
    return tensor(SCALAR.get(T(argument.type), T.FLOAT32), value)


@FEW
@given(data=st.data())
def test_softmax_float(data: st.DataObject) -> None:
    """Floats agree with double-precision values along any axis."""
    argument = data.draw(st.sampled_from(FLOATS).flatmap(operands))
    trailing, axis = data.draw(_axes(argument.rank))
    beta = data.draw(st.sampled_from((0.25, 1.0, 4.0)))
    (result,) = run_single(
        OperationType.SOFTMAX, [argument, _scalar(argument, beta), *trailing], [output(T(argument.type))]
    )
    expected = _by_slices(argument, slices(argument.dimensions, axis), lambda values: golden.softmax(values, beta))
    tolerance = (1e-3, 1e-6) if argument.type == T.TENSOR_FLOAT16 else (1e-5, 1e-7)
    assert_close(result, argument.dimensions, expected, tolerance)


@pytest.mark.parametrize("kind", CODES)
@FEW
@given(data=st.data())
def test_softmax_codes(kind: T, data: st.DataObject) -> None:
    """Codes have the bits of the fixed-point recipe along any axis."""
    argument = data.draw(operands(kind))
    trailing, axis = data.draw(_axes(argument.rank))
    beta = data.draw(st.floats(2**-10, 20.0, width=32))
    low, high = code_range(kind)
    (result,) = run_single(
        OperationType.SOFTMAX, [argument, tensor(T.FLOAT32, beta), *trailing], [output(kind, 1 / 256, low)]
    )
    expected = _by_slices(
        argument,
        slices(argument.dimensions, axis),
        lambda codes: golden.softmax_codes(codes, argument.scale, beta, low, high),
    )
    assert_exact(result, argument.dimensions, expected)


def test_softmax_of_many_equal_codes() -> None:
    """The sum of 10000 equal terms leaves the 32-bit format; every share is below half a code, so 0."""
    argument = tensor(Q8, np.full((1, 10000), 7), 0.1, 0)
    (result,) = run_single(OperationType.SOFTMAX, [argument, tensor(T.FLOAT32, 1.0)], [output(Q8, 1 / 256, 0)])
    assert not result.any()


@FEW
@given(data=st.data())
def test_log_softmax(data: st.DataObject) -> None:
    """Floats follow the recipe; differences and sums of float16 are rounded to float16."""
    argument = data.draw(st.sampled_from(FLOATS).flatmap(operands))
    axis = data.draw(st.integers(-argument.rank, argument.rank - 1))
    beta = data.draw(st.sampled_from((0.25, 1.0, 4.0)))
    (result,) = run_single(
        OperationType.LOG_SOFTMAX,
        [argument, _scalar(argument, beta), tensor(T.INT32, axis)],
        [output(T(argument.type))],
    )
    number = NUMBER[T(argument.type)]
    expected = _by_slices(
        argument,
        slices(argument.dimensions, axis),
        lambda values: golden.log_softmax([number(x) for x in values], beta, number),
    )
    tolerance = (1e-3, 1e-3) if argument.type == T.TENSOR_FLOAT16 else (1e-6, 1e-6)
    assert_close(result, argument.dimensions, expected, tolerance)


@FEW
@given(data=st.data())
def test_l2_normalization_float(data: st.DataObject) -> None:
    """Floats agree with double-precision values along any axis."""
    argument = data.draw(st.sampled_from(FLOATS).flatmap(operands))
    trailing, axis = data.draw(_axes(argument.rank))
    (result,) = run_single(OperationType.L2_NORMALIZATION, [argument, *trailing], [output(T(argument.type))])
    expected = _by_slices(argument, slices(argument.dimensions, axis), golden.l2_normalization)
    assert_close(result, argument.dimensions, expected)


@pytest.mark.parametrize("kind", CODES)
@FEW
@given(data=st.data())
def test_l2_normalization_codes(kind: T, data: st.DataObject) -> None:
    """Codes have the bits of the recipe, which differs for signed codes along the last axis."""
    argument = data.draw(operands(kind))
    trailing, axis = data.draw(_axes(argument.rank))
    signed = kind == T.TENSOR_QUANT8_ASYMM_SIGNED
    (result,) = run_single(
        OperationType.L2_NORMALIZATION, [argument, *trailing], [output(kind, 1 / 128, 0 if signed else 128)]
    )
    last = axis in (-1, argument.rank - 1)
    expected = _by_slices(
        argument,
        slices(argument.dimensions, axis),
        lambda codes: golden.l2_normalization_codes(codes, argument.zero_point, signed=signed, last_axis=last),
    )
    assert_exact(result, argument.dimensions, expected)


@pytest.mark.parametrize("kind", CODES)
def test_l2_normalization_of_nothing_and_little(kind: T) -> None:
    """Slices of logical zeros stay zero; a single step from zero is the whole length of the vector."""
    zero = 128 if kind == Q8 else 0
    argument = tensor(kind, [[3, 3], [4, 3]], 0.5, 3)
    (result,) = run_single(OperationType.L2_NORMALIZATION, [argument], [output(kind, 1 / 128, zero)])
    assert result.tolist() == [[zero, zero], [zero + 127, zero]]


def test_l2_normalization_of_large_sums() -> None:
    """Sums of squares from 2^29 on: 9000 codes 255 from zero have length 255 * sqrt(9000), 128 / sqrt(9000) = 1.35."""
    argument = tensor(Q8, np.full((1, 9000), 255), 0.5, 0)
    (result,) = run_single(OperationType.L2_NORMALIZATION, [argument], [output(Q8, 1 / 128, 128)])
    assert set(result.reshape(-1).tolist()) == {129}


@FEW
@given(data=st.data())
def test_local_response_normalization(data: st.DataObject) -> None:
    """Floats agree with double-precision values for any axis and radius, larger than the axis too."""
    argument = data.draw(st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, data.draw(_long_shapes()))))
    trailing, axis = data.draw(_axes(argument.rank))
    radius = data.draw(st.integers(0, 20))
    bias, alpha, beta = (
        data.draw(st.sampled_from(values)) for values in ((1.0, 9.0), (0.0, 0.5, 4.0), (0.5, 1.0, 0.75))
    )
    scalars = [_scalar(argument, value) for value in (bias, alpha, beta)]
    (result,) = run_single(
        OperationType.LOCAL_RESPONSE_NORMALIZATION,
        [argument, tensor(T.INT32, radius), *scalars, *trailing],
        [output(T(argument.type))],
    )
    expected = _by_slices(
        argument,
        slices(argument.dimensions, axis),
        lambda values: golden.local_response_normalization(values, radius, bias, alpha, beta),
    )
    assert_close(result, argument.dimensions, expected)


def _long_shapes() -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(st.integers(1, 2), st.integers(1, 13)) | st.tuples(st.integers(1, 13), *[st.integers(1, 3)] * 2)


@pytest.mark.parametrize(("kind", "tolerance"), [(F32, (1e-5, 1e-5)), (T.TENSOR_FLOAT16, (2e-3, 2e-3))])
@FEW
@given(data=st.data())
def test_instance_normalization(kind: T, tolerance: tuple[float, float], data: st.DataObject) -> None:
    """Every image of every channel follows the recipe in the element type, in both layouts."""
    shape = data.draw(st.tuples(*[st.integers(1, 4)] * 4))
    argument = data.draw(operands(kind, shape))
    nchw = data.draw(st.booleans())
    gamma, beta, epsilon = (
        data.draw(st.sampled_from(values)) for values in ((1.0, 2.0, -0.5), (0.0, 10.0, -1.0), (0.25, 1.0))
    )
    scalars = [_scalar(argument, value) for value in (gamma, beta, epsilon)]
    (result,) = run_single(
        OperationType.INSTANCE_NORMALIZATION, [argument, *scalars, tensor(T.BOOL, nchw)], [output(kind)]
    )
    number = NUMBER[kind]
    expected = _by_slices(
        argument,
        groups(shape, (2, 3) if nchw else (1, 2)),
        lambda values: golden.instance_normalization([number(x) for x in values], gamma, beta, epsilon, number),
    )
    assert_close(result, shape, expected, tolerance)


def _ones(*shape: int) -> Argument:
    return tensor(F32, np.ones(shape))


_BETA = tensor(T.FLOAT32, 1.0)
_CODES = tensor(Q8, [[1, 2]], 0.5, 0)
_LRN = [tensor(T.INT32, 1), _BETA, _BETA, _BETA]


@pytest.mark.parametrize(
    ("rule", "inputs", "result"),
    [
        ("SOFTMAX/beta.positive", [_ones(1, 2), tensor(T.FLOAT32, 0.0)], output(F32)),
        ("SOFTMAX/beta.positive", [_ones(1, 2), tensor(T.FLOAT32, np.nan)], output(F32)),
        ("SOFTMAX/axis.range", [_ones(1, 2), _BETA, tensor(T.INT32, 2)], output(F32)),
        ("SOFTMAX/axis.range", [_ones(1, 2), _BETA, tensor(T.INT32, -3)], output(F32)),
        ("SOFTMAX/output.quantization", [_CODES, _BETA], output(Q8, 1 / 128, 0)),
        ("SOFTMAX/output.quantization", [_CODES, _BETA], output(Q8, 1 / 256, 1)),
        ("SOFTMAX/multiplier", [_CODES, tensor(T.FLOAT32, 2.0**-25)], output(Q8, 1 / 256, 0)),
        ("LOG_SOFTMAX/axis.range", [_ones(1, 2), _BETA, tensor(T.INT32, 2)], output(F32)),
        ("LOG_SOFTMAX/zero_sized", [_ones(0, 2), _BETA, tensor(T.INT32, 1)], output(F32)),
        ("L2_NORMALIZATION/axis.range", [_ones(1, 2), tensor(T.INT32, -3)], output(F32)),
        ("L2_NORMALIZATION/output.quantization", [_CODES], output(Q8, 1 / 128, 0)),
        ("L2_NORMALIZATION/zero_sized", [_ones(0, 2)], output(F32)),
        (
            "LOCAL_RESPONSE_NORMALIZATION/radius.not_negative",
            [_ones(1, 2), tensor(T.INT32, -1), *_LRN[1:]],
            output(F32),
        ),
        ("LOCAL_RESPONSE_NORMALIZATION/axis.range", [_ones(1, 2), *_LRN, tensor(T.INT32, 2)], output(F32)),
        ("LOCAL_RESPONSE_NORMALIZATION/zero_sized", [_ones(0, 2), *_LRN], output(F32)),
        ("INSTANCE_NORMALIZATION/input.rank", [_ones(1, 2, 3), *_LRN[1:], tensor(T.BOOL, 0)], output(F32)),
        ("INSTANCE_NORMALIZATION/zero_sized", [_ones(0, 2, 3, 1), *_LRN[1:], tensor(T.BOOL, 0)], output(F32)),
    ],
)
def test_broken_rule(rule: str, inputs: list[Argument], result: Argument) -> None:
    """Each rule, broken once, fails the execution under its own name."""
    operation = OperationType[rule.split("/", maxsplit=1)[0]]
    assert_fails(rule, ErrorStatus.GENERAL_FAILURE, operation, inputs, [result])


def test_zero_sized_softmax() -> None:
    """Nothing comes of nothing; axis and output scale do not matter then, beta does."""
    empty = tensor(Q8, np.zeros((0, 2)), 0.5, 0)
    (result,) = run_single(OperationType.SOFTMAX, [empty, _BETA, tensor(T.INT32, 9)], [output(Q8, 1.0, 5)])
    assert result.shape == (0, 2)
    assert_fails(
        "SOFTMAX/beta.positive",
        ErrorStatus.GENERAL_FAILURE,
        OperationType.SOFTMAX,
        [empty, tensor(T.FLOAT32, -1.0)],
        [output(Q8, 1.0, 5)],
    )


@pytest.mark.parametrize(
    ("operation", "dimensions", "trailing", "level", "rule"),
    [
        ("SOFTMAX", (2, 2), [T.FLOAT32], 1, "SOFTMAX/level"),
        ("SOFTMAX", (), [T.FLOAT32], 1, "SOFTMAX/level"),
        ("SOFTMAX", (2, 2, 2), [T.FLOAT32], 3, "SOFTMAX/input.rank.level"),
        ("SOFTMAX", (2, 2), [T.FLOAT32, T.INT32], 3, "SOFTMAX/axis.level"),
        ("L2_NORMALIZATION", (1, 1, 1, 2), [], 1, "L2_NORMALIZATION/level"),
        ("L2_NORMALIZATION", (), [], 3, "L2_NORMALIZATION/input.rank.level"),
        ("L2_NORMALIZATION", (1, 1, 1, 2), [T.INT32], 3, "L2_NORMALIZATION/axis.level"),
        (
            "LOCAL_RESPONSE_NORMALIZATION",
            (2,),
            [T.INT32, *[T.FLOAT32] * 3],
            3,
            "LOCAL_RESPONSE_NORMALIZATION/input.rank.level",
        ),
        (
            "LOCAL_RESPONSE_NORMALIZATION",
            (1, 1, 1, 2),
            [T.INT32, *[T.FLOAT32] * 3],
            1,
            "LOCAL_RESPONSE_NORMALIZATION/level",
        ),
    ],
)
def test_level(operation: str, dimensions: tuple[int, ...], trailing: list[T], level: int, rule: str) -> None:
    """Ranks and the axis need feature level 3 exactly where the contract says so."""
    arguments = [Argument(F32, dimensions), *(Argument(kind) for kind in trailing)]
    call = bind(declarations()[OperationType[operation]], arguments, [Argument(F32)])
    needed = required_level(call)
    assert needed[0] == level
    if level > 1:
        assert needed[1] == rule
