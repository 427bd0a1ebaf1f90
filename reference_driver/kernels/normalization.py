"""Kernels of SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.

Declarations: ``hal/operations/normalization.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.reduction import axes_last, ordered_sum
from nnvet.reference_driver.kernels.registry import Array, kernel

_LAST = -1
"""Axis of operations that are called without one."""
_SMALLEST_NORM = np.float32(1e-6)
"""Norms below this are raised to it, so that a vector of zeros is not divided by 0."""
_SOFTMAX_BITS = 26
"""Fraction bits of the exponent of softmax."""


@kernel(OperationType.SOFTMAX)
def softmax(call: Call) -> Array:
    """Return e^(beta x) divided by its sum along the axis."""
    x, axis = call["input"].array, call.scalar("axis", _LAST)
    highest = x.max(axis=axis, keepdims=True)
    if x.dtype == np.float32:
        powers = np.exp((x - highest) * np.float32(call.scalar("beta")))
        return np.asarray(powers / ordered_sum(powers, axis, keepdims=True))
    below = highest.astype(np.int64) - x
    powers = call.memo(f"table {call['input'].scale}", ("beta",), lambda: softmax_powers(call))[below]
    total = np.minimum(fixed_point.rdbp(powers, 12).sum(axis=axis, keepdims=True), fixed_point.INT32_MAX)
    shift = 32 - fixed_point.bit_length(total)
    reciprocal = fixed_point.recip1p((total << shift) - 2**31)
    low, high = call.output.quantized_range
    return fixed_point.saturate(
        fixed_point.rdbp(fixed_point.srdhm(reciprocal, powers), 35 - shift) + low, low, high, call.output.dtype
    )


def softmax_powers(call: Call) -> Array:
    """Return e^(-beta scale d) in Q0 for each distance d of a code from the highest one, 0 to 255.

    It is 0 where the reference ignores the term.
    """
    scale, beta = np.float32(call["input"].scale), call.scalar("beta")
    multiplier, exponent = fixed_point.quantize_multiplier(
        min(beta * float(scale) * 2.0**_SOFTMAX_BITS, float(fixed_point.INT32_MAX))
    )
    below = np.arange(256, dtype=np.int64)
    counted = below <= (31 << _SOFTMAX_BITS) >> exponent
    powers: Array = np.where(
        counted, fixed_point.expneg(fixed_point.srdhm(np.where(counted, -below, 0) << exponent, multiplier), 5), 0
    )
    return powers


@kernel(OperationType.LOG_SOFTMAX, native_float16=True)
def log_softmax(call: Call) -> Array:
    """Return the logarithm of softmax; differences, products and sum in the element type, exp and log in double."""
    x, axis = call["input"].array, call.scalar("axis")
    scaled = (x - x.max(axis=axis, keepdims=True)) * x.dtype.type(call.scalar("beta"))
    powers = np.exp(scaled.astype(np.float64)).astype(x.dtype)
    total = ordered_sum(powers, axis, keepdims=True)
    return np.asarray(scaled - np.log(total.astype(np.float64)), dtype=x.dtype)


@kernel(OperationType.L2_NORMALIZATION)
def l2_normalization(call: Call) -> Array:
    """Return the input divided by its Euclidean norm along the axis."""
    argument = call["input"]
    axis = call.scalar("axis", _LAST) % argument.rank
    if argument.dtype == "float32":
        norm = np.sqrt(ordered_sum(np.square(argument.array), axis, keepdims=True))
        return np.asarray(argument.array / np.maximum(norm, _SMALLEST_NORM))
    codes = fixed_point.centred(argument)
    multiplier, exponent = fixed_point.invsqrt(np.square(codes).sum(axis=axis, keepdims=True))
    if argument.type == OperandType.TENSOR_QUANT8_ASYMM_SIGNED and axis == argument.rank - 1:
        normalised = fixed_point.mbqm(codes, multiplier, exponent + 7)
    else:
        normalised = fixed_point.rdbp(fixed_point.srdhm(128 * codes, multiplier), -exponent)
    return fixed_point.saturate(normalised + call.output.zero_point, *call.output.quantized_range, call.output.dtype)


@kernel(OperationType.LOCAL_RESPONSE_NORMALIZATION)
def local_response_normalization(call: Call) -> Array:
    """Return x * (bias + alpha S)^-beta, where S is the sum of squares within the radius along the axis; in float64."""
    x = np.moveaxis(call["input"].array.astype(np.float64), call.scalar("axis", _LAST), -1)
    total = _window_sum(np.square(x), min(call.scalar("radius"), x.shape[-1]))
    scale = np.power(call.scalar("bias") + call.scalar("alpha") * total, -call.scalar("beta"))
    return np.moveaxis((x * scale).astype(np.float32), -1, call.scalar("axis", _LAST))


def _window_sum(values: Array, radius: int) -> Array:
    """Return, for each element, the sum of the elements at most ``radius`` away along the last dimension.

    The sum is composed of windows whose widths are powers of 2, the binary digits of its own width. So the time
    grows with the logarithm of the radius, and no term is ever subtracted, which would lose small sums beside
    large ones.
    """
    size, width = values.shape[-1], 2 * radius + 1
    ends = [(0, 0)] * (values.ndim - 1)
    doubled = np.pad(values, [*ends, (radius, radius)])
    total = np.zeros_like(values)
    start = 0
    for bit in range(width.bit_length()):
        span = 1 << bit
        if bit:
            doubled = doubled[..., : -(span // 2)] + doubled[..., span // 2 :]
        if width & span:
            total = total + doubled[..., start : start + size]
            start += span
    return total


@kernel(OperationType.INSTANCE_NORMALIZATION, native_float16=True)
def instance_normalization(call: Call) -> Array:
    """Return (x - mean) * gamma / sqrt(variance + epsilon) + beta, with mean and variance of each channel of an image.

    All steps are done in the element type, except the root, which is taken in float32.
    """
    x = call["input"].array
    number: Any = x.dtype.type
    spatial = (2, 3) if call.scalar("layout", False) else (1, 2)
    count = number(x.shape[spatial[0]] * x.shape[spatial[1]])
    mean = np.expand_dims(ordered_sum(axes_last(x, spatial), -1) / count, spatial)
    deviation = x - mean
    variance = np.expand_dims(ordered_sum(axes_last(np.square(deviation), spatial), -1) / count, spatial)
    root = np.sqrt((variance + number(call.scalar("epsilon"))).astype(np.float32)).astype(x.dtype)
    return np.asarray(deviation * number(call.scalar("gamma")) / root + number(call.scalar("beta")))
