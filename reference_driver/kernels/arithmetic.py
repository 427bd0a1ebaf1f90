"""ADD, SUB, MUL, DIV. Declared in ``hal/operations/arithmetic.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.activation_bounds import clamp
from nnvet.reference_driver.kernels.fixed_point import activation_codes, mbqm, quantize_multiplier, saturate
from nnvet.reference_driver.kernels.registry import Array, kernel

_FLOAT: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.ADD: np.add,
    OperationType.SUB: np.subtract,
    OperationType.MUL: np.multiply,
    OperationType.DIV: np.divide,
}
_PRESHIFT = 20
"""Left shift of quantised sums before the inputs are brought to a common scale."""


@kernel(OperationType.ADD, OperationType.SUB, OperationType.MUL, OperationType.DIV)
def arithmetic(call: Call) -> Array:
    """Element-wise result with broadcasting; quantised results to the bit of the pages' recipes."""
    operation = call.declaration.type
    first, second = call["input0"].array, call["input1"].array
    if first.dtype == np.float32:
        return clamp(np.asarray(_FLOAT[operation](first, second)), call.scalar("activation"))
    if first.dtype == np.int32:
        return _integer(operation, first, second)
    codes = _quantized_product(call) if operation == OperationType.MUL else _quantized_sum(call)
    low, high = activation_codes(call.scalar("activation"), call.output)
    return saturate(codes + call.output.zero_point, low, high, call.output.dtype)


def _integer(operation: int, first: Array, second: Array) -> Array:
    if operation != OperationType.DIV:
        return np.asarray(_FLOAT[operation](first, second))
    # Rounds toward minus infinity; a divisor of zero gives zero, as the reference does.
    wide = np.floor_divide(first.astype(np.int64), np.where(second == 0, 1, second))
    return np.where(second == 0, 0, wide).astype(np.int32)


def _centred(call: Call, name: str) -> Any:
    argument = call[name]
    return argument.array.astype(np.int64) - argument.zero_point


def sum_multipliers(call: Call) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Multiplier and exponent of both inputs and of the sum of a quantised ADD or SUB."""
    first, second = call["input0"].scale, call["input1"].scale
    twice = 2.0 * max(first, second)
    out = quantize_multiplier(twice / float(np.float32(1 << _PRESHIFT) * np.float32(call.output.scale)))
    return quantize_multiplier(first / twice), quantize_multiplier(second / twice), out


def _quantized_sum(call: Call) -> Any:
    (m0, n0), (m1, n1), (mo, no) = sum_multipliers(call)
    if call.declaration.type == OperationType.SUB:
        m1 = -m1
    total = mbqm(_centred(call, "input0") << _PRESHIFT, m0, n0) + mbqm(_centred(call, "input1") << _PRESHIFT, m1, n1)
    return mbqm(total, mo, no)


def _quantized_product(call: Call) -> Any:
    scale = float(np.float32(call["input0"].scale) * np.float32(call["input1"].scale))
    multiplier, exponent = quantize_multiplier(scale / call.output.scale)
    return mbqm(_centred(call, "input0") * _centred(call, "input1"), multiplier, exponent)
