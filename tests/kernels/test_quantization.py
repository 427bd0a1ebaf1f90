"""QUANTIZE, DEQUANTIZE, CAST against the second implementation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.operations.elementwise import CAST
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.operations import elementwise as golden
from nnvet.oracle.operations.indexing import indexes
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
    shapes,
)
from tests.single import omitted, output, run_single, tensor

CONVERTIBLE = {
    T.TENSOR_FLOAT32: "float32",
    T.TENSOR_FLOAT16: "float16",
    T.TENSOR_INT32: "int32",
    T.TENSOR_QUANT8_ASYMM: "uint8",
}
COPIED = (
    T.TENSOR_BOOL8,
    T.TENSOR_QUANT16_ASYMM,
    T.TENSOR_QUANT16_SYMM,
    T.TENSOR_QUANT8_ASYMM_SIGNED,
    T.TENSOR_QUANT8_SYMM,
)


@FEW
@given(data=st.data())
def test_quantize(data: st.DataObject) -> None:
    """Codes are exact for both float types, saturated, with NaN at the highest code."""
    argument = data.draw(st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, special=True)))
    kind = data.draw(st.sampled_from(CODES))
    target = data.draw(quantizations(kind))
    (result,) = run_single(OperationType.QUANTIZE, [argument], [output(kind, *target)])
    expected = [golden.quantize(x, target, *code_range(kind)) for x in flat(argument)]
    assert_exact(result, argument.dimensions, expected)


def test_quantize_halves() -> None:
    """Halves round away from zero: quotients 0.5, 1.5, 2.5, -0.5, -1.5, and the largest float below 0.5."""
    argument = tensor(T.TENSOR_FLOAT32, [0.25, 0.75, 1.25, -0.25, -0.75, 0.249999985])
    (result,) = run_single(OperationType.QUANTIZE, [argument], [output(T.TENSOR_QUANT8_ASYMM, 0.5, 10)])
    assert result.tolist() == [11, 12, 13, 9, 8, 10]


@pytest.mark.parametrize("real", FLOATS)
@FEW
@given(data=st.data())
def test_dequantize(real: T, data: st.DataObject) -> None:
    """Real values are single float32 products, rounded once more for float16."""
    argument = data.draw(st.sampled_from((*CODES, T.TENSOR_QUANT8_SYMM)).flatmap(operands))
    (result,) = run_single(OperationType.DEQUANTIZE, [argument], [output(real)])
    expected = [golden.dequantize(q, argument.scale, argument.zero_point) for q in flat(argument)]
    assert_close(result, argument.dimensions, expected, (0, 0))


@pytest.mark.parametrize("real", FLOATS)
@FEW
@given(data=st.data())
def test_dequantize_per_channel(real: T, data: st.DataObject) -> None:
    """Each index along the channel dimension, whichever it is, has its own scale."""
    shape = data.draw(shapes())
    channel_dim = data.draw(st.integers(0, len(shape) - 1))
    scales = tuple(0.1 * (i + 1) for i in range(shape[channel_dim]))
    codes = data.draw(operands(T.TENSOR_QUANT8_SYMM_PER_CHANNEL, shape))
    codes.channel_quant = SymmPerChannelQuantParams(scales, channel_dim)
    (result,) = run_single(OperationType.DEQUANTIZE, [codes], [output(real)])
    channels = [index[channel_dim] for index in indexes(shape)]
    expected = [golden.dequantize(q, scales[c], 0) for q, c in zip(flat(codes), channels, strict=True)]
    assert_close(result, shape, expected, (0, 0))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("source", "target"), list(itertools.product(CONVERTIBLE, repeat=2)))
@FEW
@given(data=st.data())
def test_cast(source: T, target: T, data: st.DataObject) -> None:
    """Numbers convert as in C, but saturate in 8 bits; scales and zero points play no part."""
    argument = data.draw(operands(source))
    quantization = (0.5, 3) if target == T.TENSOR_QUANT8_ASYMM else (0.0, 0)
    (result,) = run_single(OperationType.CAST, [argument], [output(target, *quantization)])
    assert_exact(result, argument.dimensions, [golden.cast(x, CONVERTIBLE[target]) for x in flat(argument)])


@pytest.mark.parametrize("kind", COPIED)
@FEW
@given(data=st.data())
def test_cast_copies(kind: T, data: st.DataObject) -> None:
    """The other types are copied byte by byte."""
    argument = data.draw(operands(kind))
    (result,) = run_single(OperationType.CAST, [argument], [output(kind, argument.scale, argument.zero_point)])
    assert_exact(result, argument.dimensions, flat(argument))


def test_cast_of_what_has_no_meaning() -> None:
    """Numbers that the target cannot hold neither crash nor disturb their neighbours."""
    argument = tensor(T.TENSOR_FLOAT32, [np.nan, np.inf, -np.inf, 1e30, -7.9])
    (result,) = run_single(OperationType.CAST, [argument], [output(T.TENSOR_INT32)])
    assert result[4] == -7
    (result,) = run_single(OperationType.CAST, [argument], [output(T.TENSOR_QUANT8_ASYMM, 1.0, 0)])
    assert result[1:].tolist() == [255, 0, 255, 0]


@pytest.mark.parametrize(
    ("given_dimensions", "declared", "holds"),
    [
        ((2, 3), (2, 3), True),
        ((2, 3), (), True),
        ((), (2, 3), True),
        ((2, 3), (0, 3), True),
        ((2, 3), (3, 3), False),
        ((2, 3), (2, 3, 1), False),
        ((0, 3), (2, 3), False),
    ],
)
def test_cast_dimensions_of_the_model(
    given_dimensions: tuple[int, ...], declared: tuple[int, ...], *, holds: bool
) -> None:
    """A fully declared output must repeat the input's dimensions, unknown ones included."""
    call = bind(CAST, [Argument(T.TENSOR_FLOAT32, given_dimensions)], [Argument(T.TENSOR_INT32, declared)])
    check = CAST.rule_index["CAST/output.dimensions"].check
    assert check is not None
    assert check(call) is holds


@pytest.mark.parametrize(
    ("rule", "status", "argument", "result"),
    [
        (
            "CAST/output.dimensions",
            "GENERAL_FAILURE",
            tensor(T.TENSOR_FLOAT32, [1, 2]),
            Argument(T.TENSOR_INT32, (3,)),
        ),
        ("CAST/zero_sized", "INVALID_ARGUMENT", tensor(T.TENSOR_FLOAT32, np.zeros((0, 1))), output(T.TENSOR_INT32)),
        ("CAST/input.omitted", "INVALID_ARGUMENT", omitted(T.TENSOR_FLOAT32), output(T.TENSOR_INT32)),
        ("CAST/types", "INVALID_ARGUMENT", tensor(T.TENSOR_BOOL8, [1]), output(T.TENSOR_INT32)),
        (
            "DEQUANTIZE/input.rank",
            "GENERAL_FAILURE",
            tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((1, 1, 1, 1, 1)), 1.0),
            output(T.TENSOR_FLOAT32),
        ),
        (
            "QUANTIZE/input.omitted",
            "GENERAL_FAILURE",
            omitted(T.TENSOR_FLOAT32),
            output(T.TENSOR_QUANT8_ASYMM, 1.0),
        ),
    ],
)
def test_broken_rule(rule: str, status: str, argument: Argument, result: Argument) -> None:
    """Each rule, broken once, fails under its own name and status."""
    operation = OperationType[rule.split("/", maxsplit=1)[0]]
    assert_fails(rule, ErrorStatus[status], operation, [argument], [result])


@pytest.mark.parametrize(
    ("operation", "argument", "result"),
    [
        (
            OperationType.QUANTIZE,
            tensor(T.TENSOR_FLOAT32, np.zeros((0, 2))),
            output(T.TENSOR_QUANT8_ASYMM, 0.5, 0),
        ),
        (
            OperationType.DEQUANTIZE,
            tensor(T.TENSOR_QUANT8_ASYMM, np.zeros((0, 2)), 0.5),
            output(T.TENSOR_FLOAT32),
        ),
    ],
)
def test_zero_sized(operation: OperationType, argument: Argument, result: Argument) -> None:
    """Nothing comes of nothing."""
    (values,) = run_single(operation, [argument], [result])
    assert values.shape == (0, 2)
