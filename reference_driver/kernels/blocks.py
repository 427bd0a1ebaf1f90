"""Operations on blocks of cells, and CHANNEL_SHUFFLE. Declared in ``hal/operations/blocks.py``.

All move data only: a reshape that splits dimensions into blocks, a permutation, a reshape that joins them.
"""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.padding import pairs
from nnvet.reference_driver.kernels.layout import as_laid_out, channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel


@kernel(OperationType.DEPTH_TO_SPACE, native_float16=True)
def depth_to_space(call: Call) -> Array:
    """Channel (i * block + j) * depth + c becomes channel c of cell (i, j) of a block."""
    source, block = channels_last(call, call["input"].array), call.scalar("block")
    n, h, w, c = source.shape
    cells = source.reshape(n, h, w, block, block, c // block**2).transpose(0, 1, 3, 2, 4, 5)
    return as_laid_out(call, cells.reshape(n, h * block, w * block, c // block**2))


@kernel(OperationType.SPACE_TO_DEPTH, native_float16=True)
def space_to_depth(call: Call) -> Array:
    """Channel c of cell (i, j) of a block becomes channel (i * block + j) * depth + c."""
    source, block = channels_last(call, call["input"].array), call.scalar("block")
    n, h, w, c = source.shape
    cells = source.reshape(n, h // block, block, w // block, block, c).transpose(0, 1, 3, 2, 4, 5)
    return as_laid_out(call, cells.reshape(n, h // block, w // block, c * block**2))


@kernel(OperationType.BATCH_TO_SPACE_ND, native_float16=True)
def batch_to_space(call: Call) -> Array:
    """Batch (i * width + j) * batches + b becomes cell (i, j) of the blocks of batch b."""
    source, (height, width) = channels_last(call, call["input"].array), call.vector("blocks")
    n, h, w, c = source.shape
    batches = n // (height * width)
    cells = source.reshape(height, width, batches, h, w, c).transpose(2, 3, 0, 4, 1, 5)
    return as_laid_out(call, cells.reshape(batches, h * height, w * width, c))


@kernel(OperationType.SPACE_TO_BATCH_ND, native_float16=True)
def space_to_batch(call: Call) -> Array:
    """Cell (i, j) of the blocks of batch b becomes batch (i * width + j) * batches + b."""
    source, (height, width) = channels_last(call, call["input"].array), call.vector("blocks")
    padded = np.pad(source, ((0, 0), *pairs(call), (0, 0)), constant_values=call["input"].zero_point)
    n, h, w, c = padded.shape
    cells = padded.reshape(n, h // height, height, w // width, width, c).transpose(2, 4, 0, 1, 3, 5)
    return as_laid_out(call, cells.reshape(height * width * n, h // height, w // width, c))


@kernel(OperationType.CHANNEL_SHUFFLE, native_float16=True)
def channel_shuffle(call: Call) -> Array:
    """Channel g * size + k becomes channel k * groups + g."""
    source, groups = call["input"].array, call.scalar("groups")
    axis = call.scalar("axis") % source.ndim
    before, channels, after = source.shape[:axis], source.shape[axis], source.shape[axis + 1 :]
    grouped = source.reshape(*before, groups, channels // groups, *after)
    return grouped.swapaxes(axis, axis + 1).reshape(source.shape)
