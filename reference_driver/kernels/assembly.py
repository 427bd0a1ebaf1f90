"""CONCATENATION, PACK, SPLIT, TILE, FILL, REVERSE. Declared in ``hal/operations/assembly.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels.registry import Array, kernel

_OFFSETS = {OperandType.TENSOR_QUANT8_ASYMM: 0, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 128}
"""Codes of both 8-bit types are requantised as unsigned ones; this is what takes them there."""


@kernel(OperationType.CONCATENATION, native_float16=True)
def concatenation(call: Call) -> Array:
    """Inputs in order along the axis, 8-bit ones brought to the output's scale and zero point."""
    return np.concatenate([_requantized(a, call.output) for a in call.variadic], axis=call.scalar("axis"))


def _requantized(argument: Argument, output: Argument) -> Array:
    """Codes of ``argument`` in the output's quantisation, in float32 arithmetic."""
    if argument.type not in _OFFSETS or (argument.scale, argument.zero_point) == (output.scale, output.zero_point):
        return argument.array
    offset = _OFFSETS[OperandType(argument.type)]
    factor = np.float32(argument.scale) * (np.float32(1) / np.float32(output.scale))
    bias = np.float32(-(argument.zero_point + offset)) * factor
    real = np.arange(256, dtype=np.float32) * factor + bias
    # In double the half is added without rounding, so halves go away from zero and nothing else moves.
    rounded = np.trunc(real.astype(np.float64) + np.copysign(0.5, real))
    codes = np.clip(rounded + (output.zero_point + offset), 0, 255) - offset
    table: Array = codes.astype(argument.dtype)
    moved: Array = table[argument.array.astype(np.intp) + offset]
    return moved


@kernel(OperationType.PACK, native_float16=True)
def pack(call: Call) -> Array:
    """Inputs side by side along a new axis."""
    return np.stack([argument.array for argument in call.variadic], axis=call.scalar("axis"))


@kernel(OperationType.SPLIT, native_float16=True)
def split(call: Call) -> tuple[Array, ...]:
    """Equal parts of the input in order."""
    return tuple(np.split(call["input"].array, call.scalar("num_splits"), axis=call.scalar("axis")))


@kernel(OperationType.TILE, native_float16=True)
def tile(call: Call) -> Array:
    """The input repeated along each dimension."""
    return np.tile(call["input"].array, call.vector("multiples"))


@kernel(OperationType.FILL, native_float16=True)
def fill(call: Call) -> Array:
    """One value everywhere."""
    return np.full(call.output.dimensions, call["value"].array.reshape(-1)[0], dtype=call.output.dtype)


@kernel(OperationType.REVERSE, native_float16=True)
def reverse(call: Call) -> Array:
    """The input in reverse order along one axis."""
    return np.flip(call["input"].array, axis=call.scalar("axis"))
