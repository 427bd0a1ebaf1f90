"""RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH against the second implementation."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.oracle.operations import activation as golden
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

RELUS = (OperationType.RELU, OperationType.RELU1, OperationType.RELU6)


@pytest.mark.parametrize("operation", RELUS)
@FEW
@given(argument=st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, special=True)))
def test_relu_float(operation: OperationType, argument: Argument) -> None:
    """Floats are clamped exactly; NaN becomes the lower bound, in float16 by way of float32."""
    (result,) = run_single(operation, [argument], [output(T(argument.type))])
    assert_close(result, argument.dimensions, [golden.relu_float(operation.name, x) for x in flat(argument)], (0, 0))


@pytest.mark.parametrize("operation", RELUS)
@FEW
@given(argument=st.sampled_from(CODES).flatmap(operands))
def test_relu_codes(operation: OperationType, argument: Argument) -> None:
    """Codes are clamped to those of the bounds, by scale and zero point of the input."""
    source = (argument.scale, argument.zero_point)
    (result,) = run_single(operation, [argument], [output(T(argument.type), *source)])
    expected = [golden.relu_code(operation.name, q, source, *code_range(argument.type)) for q in flat(argument)]
    assert_exact(result, argument.dimensions, expected)


@FEW
@given(argument=st.sampled_from(FLOATS).flatmap(operands))
def test_logistic_and_tanh_float(argument: Argument) -> None:
    """Floats agree with double-precision values."""
    kind = T(argument.type)
    (result,) = run_single(OperationType.LOGISTIC, [argument], [output(kind)])
    assert_close(result, argument.dimensions, [golden.logistic_float(x) for x in flat(argument)])
    (result,) = run_single(OperationType.TANH, [argument], [output(kind)])
    assert_close(result, argument.dimensions, [float(np.tanh(x)) for x in flat(argument)])


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize("scale", [2.0**-26, 1 / 512, 0.0117, 0.031, 0.0625, 0.1, 1.0, 15.0, 40.0, 1e30])
def test_logistic_and_tanh_codes(kind: T, scale: float) -> None:
    """All 256 codes give the bits of the fixed-point recipes, whatever the scale and the zero point."""
    low, high = code_range(kind)
    codes = list(range(low, high + 1))
    for zero_point in (low, high, low + 128, low + 77):
        argument = tensor(kind, codes, float(np.float32(scale)), zero_point)
        source = (argument.scale, zero_point)
        (result,) = run_single(OperationType.LOGISTIC, [argument], [output(kind, 1 / 256, low)])
        assert_exact(result, [256], [golden.logistic_code(q, source, low, high) for q in codes])
        (result,) = run_single(OperationType.TANH, [argument], [output(kind, 1 / 128, low + 128)])
        assert_exact(result, [256], [golden.tanh_code(q, source, low, high) for q in codes])


@FEW
@given(
    argument=st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, special=True)),
    alpha=st.floats(-2, 2, width=16),
)
def test_elu(argument: Argument, alpha: float) -> None:
    """Both parts are added whatever the sign of alpha; the parts of a NaN are 0."""
    kind = T(argument.type)
    scalar = T.FLOAT32 if kind == T.TENSOR_FLOAT32 else T.FLOAT16
    (result,) = run_single(OperationType.ELU, [argument, tensor(scalar, alpha)], [output(kind)])
    assert_close(result, argument.dimensions, [golden.elu_float(x, alpha) for x in flat(argument)])


@FEW
@given(argument=st.sampled_from(FLOATS).flatmap(lambda kind: operands(kind, special=True)))
def test_hard_swish_float(argument: Argument) -> None:
    """Floats follow the formula from left to right; NaN stays NaN."""
    (result,) = run_single(OperationType.HARD_SWISH, [argument], [output(T(argument.type))])
    assert_close(result, argument.dimensions, [golden.hard_swish_float(x) for x in flat(argument)])


@pytest.mark.parametrize("kind", CODES)
@FEW
@given(data=st.data())
def test_hard_swish_codes(kind: T, data: st.DataObject) -> None:
    """All 256 codes give the bits of the 16-bit recipe."""
    source, target = data.draw(quantizations(kind)), data.draw(quantizations(kind))
    assume(source[0] / target[0] < 128)
    low, high = code_range(kind)
    codes = list(range(low, high + 1))
    (result,) = run_single(OperationType.HARD_SWISH, [tensor(kind, codes, *source)], [output(kind, *target)])
    assert_exact(result, [256], [golden.hard_swish_code(q, source, target, low, high) for q in codes])


def _codes(scale: float, zero_point: int = 0) -> Argument:
    return tensor(T.TENSOR_QUANT8_ASYMM, [[1, 2]], scale, zero_point)


@pytest.mark.parametrize(
    ("rule", "inputs", "result"),
    [
        ("LOGISTIC/input.scale", [_codes(2.0**-27)], output(T.TENSOR_QUANT8_ASYMM, 1 / 256, 0)),
        ("LOGISTIC/output.quantization", [_codes(0.1)], output(T.TENSOR_QUANT8_ASYMM, 1 / 128, 0)),
        ("TANH/input.scale", [_codes(2.0**-28)], output(T.TENSOR_QUANT8_ASYMM, 1 / 128, 128)),
        ("TANH/output.quantization", [_codes(0.1)], output(T.TENSOR_QUANT8_ASYMM, 1 / 128, 127)),
        ("RELU/output.quantization", [_codes(0.1)], output(T.TENSOR_QUANT8_ASYMM, 0.2, 0)),
        ("RELU1/output.quantization", [_codes(0.1)], output(T.TENSOR_QUANT8_ASYMM, 0.2, 0)),
        ("RELU6/output.quantization", [_codes(0.1)], output(T.TENSOR_QUANT8_ASYMM, 0.2, 0)),
        ("HARD_SWISH/output.scale", [_codes(2.0)], output(T.TENSOR_QUANT8_ASYMM, 2.0 / 128, 0)),
        ("ELU/alpha.omitted", [tensor(T.TENSOR_FLOAT32, [1]), omitted(T.FLOAT32)], output(T.TENSOR_FLOAT32)),
        (
            "ELU/zero_sized",
            [tensor(T.TENSOR_FLOAT32, np.zeros((0, 2))), tensor(T.FLOAT32, 1)],
            output(T.TENSOR_FLOAT32),
        ),
        ("TANH/input.rank", [tensor(T.TENSOR_FLOAT32, np.zeros((1, 1, 1, 1, 1)))], output(T.TENSOR_FLOAT32)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_broken_rule(rule: str, inputs: list[Argument], result: Argument) -> None:
    """Each rule, broken once, fails the execution under its own name."""
    assert_fails(rule, ErrorStatus.GENERAL_FAILURE, OperationType[rule.split("/", maxsplit=1)[0]], inputs, [result])


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        (OperationType.RELU, (0.5, 3)),
        (OperationType.LOGISTIC, (1 / 256, 0)),
        (OperationType.TANH, (1 / 128, 128)),
        (OperationType.HARD_SWISH, (0.5, 3)),
    ],
)
def test_zero_sized(operation: OperationType, parameters: tuple[float, int]) -> None:
    """Nothing comes of nothing; scales that computation would refuse do not matter then."""
    kind = T.TENSOR_QUANT8_ASYMM
    scale, zero_point = (0.5, 3) if operation == OperationType.RELU else (2.0**-30, 3)
    argument = tensor(kind, np.zeros((0, 2)), scale, zero_point)
    (result,) = run_single(operation, [argument], [output(kind, *parameters)])
    assert result.shape == (0, 2)
