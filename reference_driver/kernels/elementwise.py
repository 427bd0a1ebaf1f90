"""Kernels of elementwise operations, comparisons, logic, and conversions between element types.

Declarations: ``hal/operations/elementwise.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.registry import Array, kernel


def _reciprocal_root(values: Any) -> Any:
    return np.float32(1) / np.sqrt(values)


_FUNCTIONS: dict[int, Callable[[Any], Any]] = {
    OperationType.FLOOR: np.floor,
    OperationType.ABS: np.abs,
    OperationType.EXP: np.exp,
    OperationType.LOG: np.log,
    OperationType.NEG: np.negative,
    OperationType.SIN: np.sin,
    OperationType.SQRT: np.sqrt,
    OperationType.RSQRT: _reciprocal_root,
}
"""NumPy's function for each operation of one input."""


@kernel(*_FUNCTIONS)
def elementwise(call: Call) -> Array:
    """Return a unary function of every element; codes are dequantised before it and quantised after it."""
    function = _FUNCTIONS[call.declaration.type]
    x = call["input"].array
    if x.itemsize > 1:
        return np.asarray(function(x))
    return fixed_point.through_table(
        call, "input", lambda codes: fixed_point.quantize(function(fixed_point.dequantize(codes)), call.output)
    )


@kernel(OperationType.LOGICAL_NOT)
def logical_not(call: Call) -> Array:
    """Return 1 for a zero byte, else 0."""
    return np.asarray(call["input"].array == 0, dtype=np.uint8)


_FLOAT: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.ADD: np.add,
    OperationType.SUB: np.subtract,
    OperationType.MUL: np.multiply,
    OperationType.DIV: np.divide,
}
"""NumPy's function for each operation of two inputs, on floats."""
_PRESHIFT = 20
"""Left shift of quantised sums before the inputs are brought to a common scale."""


@kernel(OperationType.ADD, OperationType.SUB, OperationType.MUL, OperationType.DIV)
def arithmetic(call: Call) -> Array:
    """Return the sum, difference, product or quotient, with broadcasting.

    Quantised results are exact; the pages of the operations (docs/contract/operations) have the steps.
    """
    operation = call.declaration.type
    first, second = call["input0"].array, call["input1"].array
    if first.dtype == np.float32:
        return fixed_point.clamp(np.asarray(_FLOAT[operation](first, second)), call.scalar("activation"))
    if first.dtype == np.int32:
        return _integer(operation, first, second)
    codes = _quantized_product(call) if operation == OperationType.MUL else _quantized_sum(call)
    low, high = fixed_point.activation_codes(call.scalar("activation"), call.output)
    return fixed_point.saturate(codes + call.output.zero_point, low, high, call.output.dtype)


def _integer(operation: int, first: Array, second: Array) -> Array:
    if operation != OperationType.DIV:
        return np.asarray(_FLOAT[operation](first, second))
    # Rounds toward minus infinity; a divisor of zero gives zero, as the reference does.
    wide = np.floor_divide(first.astype(np.int64), np.where(second == 0, 1, second))
    return np.where(second == 0, 0, wide).astype(np.int32)


def _centre(call: Call, name: str) -> Any:
    argument = call[name]
    return argument.array.astype(np.int64) - argument.zero_point


def sum_multipliers(call: Call) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Return the multiplier and exponent of both inputs and of the sum of a quantised ADD or SUB."""
    first, second = call["input0"].scale, call["input1"].scale
    twice = 2.0 * max(first, second)
    out = fixed_point.quantize_multiplier(twice / float(np.float32(1 << _PRESHIFT) * np.float32(call.output.scale)))
    return fixed_point.quantize_multiplier(first / twice), fixed_point.quantize_multiplier(second / twice), out


def _quantized_sum(call: Call) -> Any:
    (m0, n0), (m1, n1), (mo, no) = sum_multipliers(call)
    if call.declaration.type == OperationType.SUB:
        m1 = -m1
    total = fixed_point.mbqm(_centre(call, "input0") << _PRESHIFT, m0, n0) + fixed_point.mbqm(
        _centre(call, "input1") << _PRESHIFT, m1, n1
    )
    return fixed_point.mbqm(total, mo, no)


def _quantized_product(call: Call) -> Any:
    scale = float(np.float32(call["input0"].scale) * np.float32(call["input1"].scale))
    multiplier, exponent = fixed_point.quantize_multiplier(scale / call.output.scale)
    return fixed_point.mbqm(_centre(call, "input0") * _centre(call, "input1"), multiplier, exponent)


_RELATIONS: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.EQUAL: np.equal,
    OperationType.NOT_EQUAL: np.not_equal,
    OperationType.LESS: np.less,
    OperationType.LESS_EQUAL: np.less_equal,
    OperationType.GREATER: np.greater,
    OperationType.GREATER_EQUAL: np.greater_equal,
    OperationType.LOGICAL_AND: np.logical_and,
    OperationType.LOGICAL_OR: np.logical_or,
}
"""NumPy's function for each comparison."""


@kernel(*_RELATIONS, native_float16=True)
def comparison(call: Call) -> Array:
    """Return 1 where the relation holds, else 0; booleans compare as bytes, quantised operands as real values."""
    relation = _RELATIONS[call.declaration.type]
    return np.asarray(relation(_to_comparable(call["input0"]), _to_comparable(call["input1"]))).astype(np.uint8)


def _to_comparable(argument: Argument) -> Array:
    return fixed_point.dequantize(argument) if OPERAND_TYPES[argument.type].is_quantized else argument.array


_SECOND_WINS: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.MAXIMUM: np.less,
    OperationType.MINIMUM: np.greater,
}
"""Relation of the first operand to the second that makes the second the result; it never holds for a NaN."""


@kernel(*_SECOND_WINS, native_float16=True)
def extremum(call: Call) -> Array:
    """Return the larger or smaller of two numbers; the first if they are equal or one is NaN."""
    first, second = _convert_to_output(call, "input0"), _convert_to_output(call, "input1")
    return np.where(_SECOND_WINS[call.declaration.type](first, second), second, first)


@kernel(OperationType.SELECT, native_float16=True)
def select(call: Call) -> Array:
    """Return elements of input0 where the condition is a non-zero byte, of input1 elsewhere."""
    chosen = call["condition"].array != 0
    return np.where(chosen, _convert_to_output(call, "input0"), _convert_to_output(call, "input1"))


def _convert_to_output(call: Call, name: str) -> Array:
    argument = call[name]
    return (
        fixed_point.requantize(argument, call.output) if OPERAND_TYPES[argument.type].is_quantized else argument.array
    )


@kernel(OperationType.POW)
def power(call: Call) -> Array:
    """Return base to the power of exponent, with the special cases of C's pow."""
    return np.asarray(np.power(call["base"].array, call["exponent"].array))


@kernel(OperationType.PRELU)
def prelu(call: Call) -> Array:
    """Return elements that are not negative unchanged, and the others times alpha."""
    x, alpha = call["input"], call["alpha"]
    if x.dtype == "float32":
        return np.where(x.array >= 0, x.array, x.array * alpha.array)
    scale, slope_scale = np.float32(x.scale), np.float32(alpha.scale)
    out_scale = np.float32(call.output.scale)
    centred_x = fixed_point.centred(x)
    positive = fixed_point.mbqm(centred_x, *fixed_point.quantize_multiplier(float(scale / out_scale)))
    negative = fixed_point.mbqm(
        centred_x * fixed_point.centred(alpha),
        *fixed_point.quantize_multiplier(float(scale * slope_scale) / float(out_scale)),
    )
    codes = np.where(centred_x >= 0, positive, negative) + call.output.zero_point
    return fixed_point.saturate(codes, *call.output.quantized_range, call.output.dtype)


@kernel(OperationType.QUANTIZE)
def quantize_values(call: Call) -> Array:
    """Return codes of real values."""
    return fixed_point.quantize(call["input"].array, call.output)


@kernel(OperationType.DEQUANTIZE)
def dequantize_codes(call: Call) -> Array:
    """Return real values of codes."""
    argument = call["input"]
    if argument.channel_quant is None:
        return fixed_point.dequantize(argument)
    shape = [1] * argument.rank
    shape[argument.channel_quant.channel_dim] = -1
    scales = np.array(argument.channel_quant.scales, dtype=np.float32).reshape(shape)
    return fixed_point.centred(argument).astype(np.float32) * scales


@kernel(OperationType.CAST, native_float16=True)
def cast(call: Call) -> Array:
    """Return stored numbers in the output's element type, truncated and saturated for integers.

    The contract leaves the result for NaN open; here it is 0.
    """
    x = call["input"].array
    target = np.dtype(call.output.dtype)
    if x.dtype == target or target.kind == "f":
        return x.astype(target)
    limits = np.iinfo(target)
    numbers = np.nan_to_num(np.trunc(x.astype(np.float64)), nan=0.0, posinf=limits.max, neginf=limits.min)
    return np.asarray(np.clip(numbers, limits.min, limits.max), dtype=target)
