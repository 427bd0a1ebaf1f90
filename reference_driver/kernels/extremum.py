"""MAXIMUM, MINIMUM, POW, PRELU, SELECT. Declared in ``hal/operations/extremum.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.fixed_point import mbqm, quantize_multiplier, saturate
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.requantization import centred, requantize

_SECOND_WINS: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.MAXIMUM: np.less,
    OperationType.MINIMUM: np.greater,
}
"""Relation of the first to the second operand in which the second is the result; never so with a NaN."""


@kernel(*_SECOND_WINS, native_float16=True)
def extremum(call: Call) -> Array:
    """Larger or smaller of two; of equals and with a NaN, the first."""
    first, second = _in_output_terms(call, "input0"), _in_output_terms(call, "input1")
    return np.where(_SECOND_WINS[call.declaration.type](first, second), second, first)


@kernel(OperationType.SELECT, native_float16=True)
def select(call: Call) -> Array:
    """Elements of input0 where the condition is a non-zero byte, of input1 elsewhere."""
    chosen = call["condition"].array != 0
    return np.where(chosen, _in_output_terms(call, "input0"), _in_output_terms(call, "input1"))


def _in_output_terms(call: Call, name: str) -> Array:
    argument = call[name]
    return requantize(argument, call.output) if OPERAND_TYPES[argument.type].is_quantized else argument.array


@kernel(OperationType.POW)
def power(call: Call) -> Array:
    """Base to the power of exponent, with the special cases of C."""
    return np.asarray(np.power(call["base"].array, call["exponent"].array))


@kernel(OperationType.PRELU)
def prelu(call: Call) -> Array:
    """Elements that are not negative, the others times alpha."""
    x, alpha = call["input"], call["alpha"]
    if x.dtype == "float32":
        return np.where(x.array >= 0, x.array, x.array * alpha.array)
    scale, slope_scale = np.float32(x.scale), np.float32(alpha.scale)
    out_scale = np.float32(call.output.scale)
    centred_x = centred(x)
    positive = mbqm(centred_x, *quantize_multiplier(float(scale / out_scale)))
    negative = mbqm(centred_x * centred(alpha), *quantize_multiplier(float(scale * slope_scale) / float(out_scale)))
    codes = np.where(centred_x >= 0, positive, negative) + call.output.zero_point
    return saturate(codes, *call.output.quantized_range, call.output.dtype)
