"""Kernels of operations that move, cut, join or repeat elements.

An operation on blocks consists of a reshape that splits dimensions, a permutation, and a reshape that joins them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.padding import REFLECT, pairs
from nnvet.hal.operations.slicing import slice_ranges, strides
from nnvet.reference_driver.kernels.layout import as_laid_out, channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel

_OFFSETS = {OperandType.TENSOR_QUANT8_ASYMM: 0, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 128}
"""Offset from codes of each 8-bit type to unsigned codes, in which requantisation is done."""


@kernel(OperationType.CONCATENATION, native_float16=True)
def concatenation(call: Call) -> Array:
    """Return inputs in order along the axis, 8-bit ones brought to the output's scale and zero point."""
    return np.concatenate([_requantize_codes(a, call.output) for a in call.variadic], axis=call.scalar("axis"))


def _requantize_codes(argument: Argument, output: Argument) -> Array:
    """Return codes of ``argument`` in the output's quantisation, in float32 arithmetic."""
    if argument.type not in _OFFSETS or (argument.scale, argument.zero_point) == (output.scale, output.zero_point):
        return argument.array
    offset = _OFFSETS[OperandType(argument.type)]
    factor = np.float32(argument.scale) * (np.float32(1) / np.float32(output.scale))
    bias = np.float32(-(argument.zero_point + offset)) * factor
    real = np.arange(256, dtype=np.float32) * factor + bias
    # In double precision adding the half is exact, so exact halves go away from zero and no other number is affected.
    rounded = np.trunc(real.astype(np.float64) + np.copysign(0.5, real))
    codes = np.clip(rounded + (output.zero_point + offset), 0, 255) - offset
    table: Array = codes.astype(argument.dtype)
    moved: Array = table[argument.array.astype(np.intp) + offset]
    return moved


@kernel(OperationType.PACK, native_float16=True)
def pack(call: Call) -> Array:
    """Return inputs side by side along a new axis."""
    return np.stack([argument.array for argument in call.variadic], axis=call.scalar("axis"))


@kernel(OperationType.SPLIT, native_float16=True)
def split(call: Call) -> tuple[Array, ...]:
    """Return equal parts of the input in order."""
    return tuple(np.split(call["input"].array, call.scalar("num_splits"), axis=call.scalar("axis")))


@kernel(OperationType.TILE, native_float16=True)
def tile(call: Call) -> Array:
    """Return the input repeated along each dimension."""
    return np.tile(call["input"].array, call.vector("multiples"))


@kernel(OperationType.FILL, native_float16=True)
def fill(call: Call) -> Array:
    """Return a tensor filled with one value."""
    return np.full(call.output.dimensions, call["value"].array.reshape(-1)[0], dtype=call.output.dtype)


@kernel(OperationType.REVERSE, native_float16=True)
def reverse(call: Call) -> Array:
    """Return the input in reverse order along one axis."""
    return np.flip(call["input"].array, axis=call.scalar("axis"))


@kernel(OperationType.DEPTH_TO_SPACE, native_float16=True)
def depth_to_space(call: Call) -> Array:
    """Move channel (i * block + j) * depth + c of a pixel to channel c of pixel (i, j) of a block."""
    source, block = channels_last(call, call["input"].array), call.scalar("block")
    n, h, w, c = source.shape
    cells = source.reshape(n, h, w, block, block, c // block**2).transpose(0, 1, 3, 2, 4, 5)
    return as_laid_out(call, cells.reshape(n, h * block, w * block, c // block**2))


@kernel(OperationType.SPACE_TO_DEPTH, native_float16=True)
def space_to_depth(call: Call) -> Array:
    """Move channel c of pixel (i, j) of a block to channel (i * block + j) * depth + c of one pixel."""
    source, block = channels_last(call, call["input"].array), call.scalar("block")
    n, h, w, c = source.shape
    cells = source.reshape(n, h // block, block, w // block, block, c).transpose(0, 1, 3, 2, 4, 5)
    return as_laid_out(call, cells.reshape(n, h // block, w // block, c * block**2))


@kernel(OperationType.BATCH_TO_SPACE_ND, native_float16=True)
def batch_to_space(call: Call) -> Array:
    """Move batch (i * width + j) * batches + b to pixel (i, j) of the blocks of batch b."""
    source, (height, width) = channels_last(call, call["input"].array), call.vector("blocks")
    n, h, w, c = source.shape
    batches = n // (height * width)
    cells = source.reshape(height, width, batches, h, w, c).transpose(2, 3, 0, 4, 1, 5)
    return as_laid_out(call, cells.reshape(batches, h * height, w * width, c))


@kernel(OperationType.SPACE_TO_BATCH_ND, native_float16=True)
def space_to_batch(call: Call) -> Array:
    """Move pixel (i, j) of the blocks of batch b to batch (i * width + j) * batches + b."""
    source, (height, width) = channels_last(call, call["input"].array), call.vector("blocks")
    padded = np.pad(source, ((0, 0), *pairs(call), (0, 0)), constant_values=call["input"].zero_point)
    n, h, w, c = padded.shape
    cells = padded.reshape(n, h // height, height, w // width, width, c).transpose(2, 4, 0, 1, 3, 5)
    return as_laid_out(call, cells.reshape(height * width * n, h // height, w // width, c))


@kernel(OperationType.CHANNEL_SHUFFLE, native_float16=True)
def channel_shuffle(call: Call) -> Array:
    """Move channel g * size + k to channel k * groups + g, where size is the number of channels in a group."""
    source, groups = call["input"].array, call.scalar("groups")
    axis = call.scalar("axis") % source.ndim
    before, channels, after = source.shape[:axis], source.shape[axis], source.shape[axis + 1 :]
    grouped = source.reshape(*before, groups, channels // groups, *after)
    return grouped.swapaxes(axis, axis + 1).reshape(source.shape)


@kernel(OperationType.PAD, native_float16=True)
def pad(call: Call) -> Array:
    """Return the input with borders of zeros; for quantised types these are the zero point."""
    return np.pad(call["input"].array, pairs(call), constant_values=call["input"].zero_point)


@kernel(OperationType.PAD_V2, native_float16=True)
def pad_v2(call: Call) -> Array:
    """Return the input with borders of the given value; only the low byte of an INT32 value counts."""
    source = call["input"].array
    value: Any = call["value"].array.astype(source.dtype).reshape(-1)[0]
    return np.pad(source, pairs(call), constant_values=value)


@kernel(OperationType.MIRROR_PAD, native_float16=True)
def mirror_pad(call: Call) -> Array:
    """Return the input with borders that mirror it, one dimension after the other."""
    mode = call.scalar("mode")
    return np.pad(call["input"].array, pairs(call), mode="reflect" if mode == REFLECT else "symmetric")


@kernel(OperationType.RESHAPE, OperationType.SQUEEZE, OperationType.EXPAND_DIMS, native_float16=True)
def reshape(call: Call) -> Array:
    """Return the input's elements, row-major, in the inferred shape."""
    return call["input"].array.reshape(call.output.dimensions)


@kernel(OperationType.TRANSPOSE, native_float16=True)
def transpose(call: Call) -> Array:
    """Return the input with dimension perm[i] as dimension i; without perm a matrix is transposed."""
    perm = call.vector("perm") if call.has("perm") else None
    return np.transpose(call["input"].array, perm)


@kernel(OperationType.RANK, native_float16=True)
def rank(call: Call) -> Array:
    """Return the input's number of dimensions; its data is not looked at."""
    return np.array(call["input"].rank, dtype=np.int32)


@kernel(OperationType.SLICE, native_float16=True)
def slice_box(call: Call) -> Array:
    """Return the part of the input that begins at ``begin`` and has the output's dimensions."""
    box: Array = call["input"].array[tuple(slice(begin, begin + size) for begin, size in slice_ranges(call))]
    return box


@kernel(OperationType.STRIDED_SLICE, native_float16=True)
def strided_slice(call: Call) -> Array:
    """Return every n-th element of each dimension; dropped dimensions have one element."""
    # A negative end would count from the last element in Python; None stands for the end before the first element.
    parts = (slice(s.begin, None if s.end < 0 else s.end, s.step) for s in strides(call))
    taken: Array = call["input"].array[tuple(parts)]
    return taken.reshape(call.output.dimensions)


@kernel(OperationType.GATHER, native_float16=True)
def gather(call: Call) -> Array:
    """Return slices at the indices along the axis."""
    source, indices, axis = call["input"].array, call["indices"].array, call.scalar("axis")
    if indices.min() < 0 or indices.max() >= source.shape[axis]:
        call.fail("GATHER/indices.values", f"axis {axis} has size {source.shape[axis]}")
    return np.take(source, indices, axis=axis)


@kernel(OperationType.TOPK_V2, native_float16=True)
def topk(call: Call) -> tuple[Array, Array]:
    """Return the k largest elements of each row and their indexes.

    Equal elements come in falling order of their indexes; NaN counts as largest.
    """
    source = call["input"].array
    order = np.argsort(source, axis=-1, kind="stable")[..., ::-1][..., : call.scalar("k")]
    return np.take_along_axis(source, order, axis=-1), order.astype(np.int32)
