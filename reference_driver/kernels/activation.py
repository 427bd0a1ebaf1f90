"""Kernels of RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH. Declared in ``hal/operations/activation.py``.

Operations on 8-bit codes are computed for all 256 codes at once, and results are then looked up
(:func:`nnvet.reference_driver.kernels.fixed_point.through_table`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import FusedActivationFunc, OperationType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels import fixed_point as fixed
from nnvet.reference_driver.kernels.registry import Array, kernel

_FUSED: dict[int, FusedActivationFunc] = {
    OperationType.RELU: FusedActivationFunc.RELU,
    OperationType.RELU1: FusedActivationFunc.RELU1,
    OperationType.RELU6: FusedActivationFunc.RELU6,
}
"""The fused activation that does the same as an operation."""
_INPUT_BITS = 27
"""Fraction bits of the fixed-point argument of logistic and tanh."""
_INPUT_BOUND = 15 << _INPUT_BITS
"""Arguments from here on saturate."""
_FINE = 128
"""Codes of HARD_SWISH are refined by this factor to use 16 bits."""
_INT16_MAX = 2**15 - 1
"""Largest number of 16 bits."""


@kernel(*_FUSED)
def relu(call: Call) -> Array:
    """Clamp to the activation's bounds; NaN becomes the lower one."""
    argument = call["input"]
    fused = _FUSED[call.declaration.type]
    if argument.dtype == "float32":
        low, high = fixed_point.FLOAT_BOUNDS[fused]
        return np.minimum(np.where(argument.array > low, argument.array, low), high)
    return np.asarray(
        np.clip(argument.array, *np.array(fixed_point.activation_codes(fused, argument), dtype=argument.dtype))
    )


@kernel(OperationType.LOGISTIC)
def logistic(call: Call) -> Array:
    """Return 1 / (1 + e^-x)."""
    x = call["input"].array
    if x.dtype == np.float32:
        return np.asarray(np.float32(1) / (np.float32(1) + np.exp(-x)))
    return fixed_point.through_table(
        call, "input", lambda codes: _evaluate_codes(codes, call.output, fixed.logistic, 23)
    )


@kernel(OperationType.TANH)
def tanh(call: Call) -> Array:
    """Return the hyperbolic tangent."""
    x = call["input"].array
    if x.dtype == np.float32:
        return np.asarray(np.tanh(x))
    return fixed_point.through_table(call, "input", lambda codes: _evaluate_codes(codes, call.output, fixed.tanh, 24))


def _evaluate_codes(argument: Argument, output: Argument, function: Callable[[Any], Any], shift: int) -> Array:
    """Return codes of ``function``; a right shift of its Q0 results by ``shift`` gives multiples of the output's scale.

    Arguments beyond the bound give the lowest or highest code.
    """
    multiplier, exponent = fixed_point.quantize_multiplier(float(np.float32(argument.scale)) * 2.0**_INPUT_BITS)
    bound = _INPUT_BOUND >> exponent
    codes = fixed_point.centred(argument)
    inside = np.abs(codes) < bound
    scaled = fixed_point.srdhm(np.where(inside, codes, 0) << min(exponent, 31), multiplier)
    low, high = output.quantized_range
    results = fixed_point.rdbp(function(scaled), shift) + output.zero_point
    return fixed_point.saturate(
        np.where(inside, results, np.where(codes <= -bound, low, high)), low, high, output.dtype
    )


@kernel(OperationType.ELU)
def elu(call: Call) -> Array:
    """Return max(0, x) + min(0, alpha (e^x - 1)); for a NaN both terms are 0."""
    x = call["input"].array
    negative = np.float32(call.scalar("alpha")) * (np.exp(x) - np.float32(1))
    return np.where(x > 0, x, np.float32(0)) + np.where(negative < 0, negative, np.float32(0))


@kernel(OperationType.HARD_SWISH)
def hard_swish(call: Call) -> Array:
    """Return x * min(6, max(0, x + 3)) / 6."""
    x = call["input"].array
    if x.dtype == np.float32:
        gate = np.minimum(np.float32(6), np.maximum(np.float32(0), x + np.float32(3)))
        return np.asarray(x * gate / np.float32(6))
    return fixed_point.through_table(call, "input", lambda codes: _hard_swish_codes(codes, call.output))


def _hard_swish_codes(argument: Argument, output: Argument) -> Array:
    fine_scale = np.float32(argument.scale) / np.float32(_FINE)
    out_multiplier, out_exponent = fixed_point.quantize_multiplier(float(fine_scale / np.float32(output.scale)))
    gate_multiplier, gate_exponent = fixed_point.quantize_multiplier(
        float(fine_scale / (np.float32(3) / np.float32(2**15)))
    )
    fine = fixed_point.centred(argument) * _FINE
    product = _srdhm16(fine, _to_16_bits(out_multiplier))
    gate = fine
    if gate_exponent > 0:
        gate = _ssl16(gate, gate_exponent - 1)
    gate = _srdhm16(gate, _to_16_bits(gate_multiplier))
    if gate_exponent > 0:
        gate = _ssl16(gate, 1)
    gate = fixed_point.rdbp(gate, max(-gate_exponent, 0))
    # The gate is a fraction of 3 in [-1, 1]; this maps it to [0, 1] and gives up one bit of fraction.
    gate = (gate + 2**15) >> 1
    scaled = np.trunc(gate * product / 2.0**15).astype(np.int64)
    return fixed_point.saturate(
        fixed_point.rdbp(scaled, -out_exponent) + output.zero_point, *output.quantized_range, output.dtype
    )


def _to_16_bits(multiplier: int) -> int:
    return _INT16_MAX if multiplier >= 2**31 - 1 - 2**15 else (multiplier + 2**15) >> 16


def _srdhm16(a: Any, b: int) -> Any:
    """Rounding doubling high multiply of 16-bit integers; halves toward plus infinity, saturating."""
    return np.minimum((a * b + 2**14) >> 15, _INT16_MAX)


def _ssl16(x: Any, exponent: int) -> Any:
    """Return x * 2^exponent, saturated to 16 bits."""
    return np.clip(x << min(exponent, 16), -_INT16_MAX - 1, _INT16_MAX)
