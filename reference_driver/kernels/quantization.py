"""QUANTIZE, DEQUANTIZE, CAST. Declared in ``hal/operations/quantization.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.requantization import centred, dequantize, quantize


@kernel(OperationType.QUANTIZE)
def quantize_values(call: Call) -> Array:
    """Codes of real values."""
    return quantize(call["input"].array, call.output)


@kernel(OperationType.DEQUANTIZE)
def dequantize_codes(call: Call) -> Array:
    """Real values of codes."""
    argument = call["input"]
    if argument.channel_quant is None:
        return dequantize(argument)
    shape = [1] * argument.rank
    shape[argument.channel_quant.channel_dim] = -1
    scales = np.array(argument.channel_quant.scales, dtype=np.float32).reshape(shape)
    return centred(argument).astype(np.float32) * scales


@kernel(OperationType.CAST, native_float16=True)
def cast(call: Call) -> Array:
    """Stored numbers in the output's element type, truncated and saturated where it holds integers.

    NaN, which the contract leaves open, becomes 0.
    """
    x = call["input"].array
    target = np.dtype(call.output.dtype)
    if x.dtype == target or target.kind == "f":
        return x.astype(target)
    limits = np.iinfo(target)
    numbers = np.nan_to_num(np.trunc(x.astype(np.float64)), nan=0.0, posinf=limits.max, neginf=limits.min)
    return np.asarray(np.clip(numbers, limits.min, limits.max), dtype=target)
