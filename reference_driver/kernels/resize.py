"""Kernels of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. Declared in ``hal/operations/resize.py``."""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.resize import new_sizes
from nnvet.reference_driver.kernels.layout import as_laid_out, channels_last
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.limits import check_cells, check_rounds


def _positions(call: Call, size: int, new_size: int) -> Array:
    """Return the position of each output index on the input axis, in float32 arithmetic."""
    corners = call.scalar("align_corners", False) and new_size > 1
    ratio = np.float32(size - 1) / np.float32(new_size - 1) if corners else np.float32(size) / np.float32(new_size)
    indices = np.arange(new_size, dtype=np.float32)
    if call.scalar("half_pixel_centers", False):
        indices += np.float32(0.5)
    positions: Array = indices * ratio
    return positions


def _neighbours(call: Call, size: int, new_size: int) -> tuple[Array, Array, Array]:
    """Return the indices below and above each position, and the weight of the upper one."""
    positions = _positions(call, size, new_size)
    if call.scalar("half_pixel_centers", False):
        positions -= np.float32(0.5)
    below = np.clip(np.floor(positions), 0, size - 1)
    above = np.clip(np.ceil(positions), 0, size - 1)
    return below.astype(np.intp), above.astype(np.intp), positions - below.astype(np.float32)


@kernel(OperationType.RESIZE_BILINEAR)
def resize_bilinear(call: Call) -> Array:
    """Return the weighted mean of four neighbours in float32; codes are rounded, with halves up."""
    source = channels_last(call, call["input"].array)
    heights, widths = new_sizes(call)
    check_rounds(len(source))
    check_cells(heights, source.shape[2], source.shape[3])
    top, bottom, down = _neighbours(call, source.shape[1], heights)
    left, right, across = _neighbours(call, source.shape[2], widths)
    down, across = down[:, None, None], across[None, :, None]
    one = np.float32(1)
    integer = source.dtype.kind in "iu"
    output = np.empty((len(source), heights, widths, source.shape[3]), source.dtype)
    for image, result in zip(source, output, strict=True):
        upper, lower = image[top].astype(np.float32), image[bottom].astype(np.float32)
        mixed = (
            upper[:, left] * (one - down) * (one - across)
            + lower[:, left] * down * (one - across)
            + upper[:, right] * (one - down) * across
            + lower[:, right] * down * across
        )
        result[...] = np.trunc(mixed + np.float32(0.5)) if integer else mixed
    return as_laid_out(call, output)


def _nearest(call: Call, size: int, new_size: int) -> Array:
    # In double precision adding a half is exact, so no position below an exact half is rounded up.
    positions = _positions(call, size, new_size).astype(np.float64)
    shift = 0.5 if call.scalar("align_corners", False) else 0.0
    return np.clip(np.floor(positions + shift), 0, size - 1).astype(np.intp)


@kernel(OperationType.RESIZE_NEAREST_NEIGHBOR, native_float16=True)
def resize_nearest_neighbor(call: Call) -> Array:
    """Return copies of the nearest pixels."""
    source = channels_last(call, call["input"].array)
    heights, widths = new_sizes(call)
    rows, columns = _nearest(call, source.shape[1], heights), _nearest(call, source.shape[2], widths)
    taken: Array = source[:, rows[:, None], columns[None, :]]
    return as_laid_out(call, taken)
