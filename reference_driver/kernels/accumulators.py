"""Conversion of sums of products to output values, for convolutions and fully connected layers.

:func:`finish_for` returns the conversion for a call: bias, scaling and activation. ``convolution.py`` applies it to the
sums that it computes, and ``reference_driver/fused/steps.py`` compiles the same conversion into machine code.

Sums of products of codes are integers. They are computed in floating point, because that is fast, in a
precision in which every partial sum is exact. Source: docs/contract/operations/common.md 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.registry import Array

_EXACT_FLOAT32 = 2**24
"""Sums of smaller magnitude are exact in float32; larger ones are computed in float64."""
_INT32_REACH = 2**31
"""Sums of this magnitude may wrap around in the int32 of the contract, which only FixedPointFinish does."""
_LARGEST_RIGHT_SHIFT = 13
"""Largest right shift for which ScaledFinish is exact; its docstring has the proof."""
_NUDGE = 1 + 2.0**-30
"""Factor that moves exact halves away from zero and no other value across a half; see :class:`ScaledFinish`."""


class Finish(Protocol):
    """Function that turns sums into output values; both arrays have the shape [..., positions * channels].

    ``sums`` may be overwritten. ``sum_type`` is the floating type in which the caller has to compute the sums.
    """

    sum_type: type[np.floating[Any]]

    def __call__(self, sums: Array, out: Array) -> None:
        """Add the bias, scale, apply the activation, and store the results in ``out``."""


@dataclass
class FloatFinish:
    """Finish of floats: bias and activation; ``out`` may be ``sums``."""

    bias: Array
    low: np.float32
    high: np.float32
    sum_type: type[np.floating[Any]] = np.float32

    def __call__(self, sums: Array, out: Array) -> None:
        """Store sums + bias in ``out``, clamped to the bounds of the activation."""
        np.add(sums, self.bias, out=out)
        out.clip(self.low, self.high, out=out)


@dataclass
class FixedPointFinish:
    """Requantisation step by step as the contract specifies it, in 64-bit integers, for any multiplier and sum."""

    bias: Array
    multiplier: Array
    exponent: Array
    output: Argument
    low: int
    high: int
    sum_type: type[np.floating[Any]]

    def __call__(self, sums: Array, out: Array) -> None:
        """Store clamp(z + MBQM(sums + bias)), where the sum has wrapped around like an int32."""
        wrapped = (sums.astype(np.int64) + self.bias.astype(np.int64)).astype(np.int32)
        codes = fixed_point.mbqm(wrapped, self.multiplier, self.exponent) + self.output.zero_point
        out[...] = fixed_point.saturate(codes, self.low, self.high, self.output.dtype)


@dataclass
class ScaledFinish:
    """Requantisation in double precision and fewer steps; equal to FixedPointFinish if no right shift exceeds 13.

    SRDHM, RDBP and MBQM are the rounding steps of docs/contract/operations/common.md 14.

    Let x be a sum, M the multiplier, and R and L the right and left shift.
    SRDHM is floor(v + 1/2) for v = x M 2^(L - 31). A product x M that is inexact in a double
    exceeds 2^53, so |v| >= 2^22 and the result lies 2^9 or more from the zero point: any such value is clamped.
    RDBP rounds the integer s = SRDHM half away from zero, that is
    floor(s 2^-R (1 + e) + 1/2): with e = 2^-30 exact halves move away from zero, and no other s that matters
    (|s| < 2^23, at least 2^-13 from a half) crosses a half. If no code below the zero point is left after the
    clamp, negative s do not matter, and both steps together are floor(x M 2^(L-31-R) + 1/2 + 2^-(R+1)), the last
    term only if R > 0.
    """

    bias: Array
    scale: Any
    second_scale: Any
    shift: Any
    low: float
    high: float
    sum_type: type[np.floating[Any]]

    def __call__(self, sums: Array, out: Array) -> None:
        """Store clamp(z + MBQM(sums + bias))."""
        np.add(sums, self.bias, out=sums)
        codes = np.multiply(sums, self.scale, dtype=np.float64)
        if self.second_scale is not None:
            codes += 0.5
            np.floor(codes, out=codes)
            codes *= self.second_scale
        codes += self.shift
        codes.clip(self.low, self.high, out=codes)
        if out.dtype == np.int8:
            np.floor(codes, out=codes)
        np.copyto(out, codes, casting="unsafe")


def weight_values(weights: Argument) -> Array:
    """Return weights as float32: floats as they are, codes less the zero point."""
    if OPERAND_TYPES[weights.type].is_float:
        return weights.array
    return weights.array.astype(np.float32) - np.float32(weights.zero_point)


def finish_for(call: Call, weights: str, matrix: Array, positions: int, *, raw: bool) -> Finish:
    """Return the function that finishes sums of ``call``, ``positions`` of all channels at a time.

    ``matrix`` holds the weights as [taps, channels]. ``raw``: sums are formed from input codes as they are, with
    the zero point in the padding; otherwise from codes less the zero point.
    """
    if OPERAND_TYPES[call["input"].type].is_float:
        return FloatFinish(np.tile(call["bias"].array, positions), *fixed_point.FLOAT_BOUNDS[call.scalar("activation")])
    return _quantized_finish(call, weights, matrix, positions, raw=raw)


def _quantized_finish(call: Call, weights: str, matrix: Array, positions: int, *, raw: bool) -> Finish:
    source, output = call["input"], call.output
    bias = call["bias"].array.astype(np.float64)
    if raw:
        bias -= source.zero_point * matrix.sum(axis=0, dtype=np.float64)
    lowest, highest = source.quantized_range
    centre = 0 if raw else source.zero_point
    reach = max(highest - centre, centre - lowest)
    bound = (np.abs(matrix).sum(axis=0, dtype=np.float64) * reach + np.abs(bias)).max(initial=0)
    sum_type = np.float32 if bound < _EXACT_FLOAT32 else np.float64
    multipliers, exponents = _multipliers(call, weights)
    if len(multipliers) > 1:
        multipliers, exponents = np.tile(multipliers, positions), np.tile(exponents, positions)
    bias = np.tile(bias, positions)
    low, high = fixed_point.activation_codes(call.scalar("activation"), output)
    right = np.maximum(-exponents, 0)
    if bound >= _INT32_REACH or right.max(initial=0) > _LARGEST_RIGHT_SHIFT:
        return FixedPointFinish(bias, multipliers, exponents, output, low, high, sum_type)
    if low >= output.zero_point:
        scale, second = np.ldexp(multipliers, exponents - 31), None
        shift = output.zero_point + 0.5 + np.where(right > 0, np.ldexp(0.5, -right), 0)
    else:
        scale, second = np.ldexp(multipliers, np.maximum(exponents, 0) - 31), np.ldexp(_NUDGE, -right)
        shift = np.array(output.zero_point + 0.5)
    return ScaledFinish(bias.astype(sum_type), scale, second, shift, low, high, sum_type)


def _multipliers(call: Call, weights: str) -> tuple[Array, Array]:
    """Return multipliers and exponents of all channels, or one pair for all."""
    argument = call[weights]
    scales = (argument.scale,) if argument.channel_quant is None else argument.channel_quant.scales
    products = np.float32(call["input"].scale) * np.array(scales, dtype=np.float32)
    pairs = [fixed_point.quantize_multiplier(float(product) / call.output.scale) for product in products]
    multipliers, exponents = np.array(pairs, dtype=np.int64).T
    return multipliers, exponents
