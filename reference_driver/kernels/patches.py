"""Windows over images: padding, patches side by side, and blocks of work that fit in a cache."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nnvet.hal.operations.shapes import Window
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.limits import check_cells

_BLOCK_CELLS = 2**17


def overlap(head: int, size: int, padded_size: int) -> tuple[slice, slice]:
    """Return the overlap of ``size`` cells and an axis of ``padded_size`` after ``head`` (cropped below 0), in both."""
    start, skipped = max(head, 0), max(-head, 0)
    count = max(min(size - skipped, padded_size - start), 0)
    return slice(start, start + count), slice(skipped, skipped + count)


def reach(window: Window) -> int:
    """Cells of the padded axis that windows touch."""
    return (window.out - 1) * window.stride + window.extent


def padded(images: Array, vertical: Window, horizontal: Window, fill: float, dtype: npt.DTypeLike) -> Array:
    """Contiguous cells of [N, H, W, C] images that windows touch, padded with ``fill``, as ``dtype``.

    The images themselves if that is what they are.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT if the padding makes them absurdly large.
    """
    batches, height, width, channels = images.shape
    shape = (batches, reach(vertical), reach(horizontal), channels)
    if vertical.head == 0 == horizontal.head and shape[1] <= height and shape[2] <= width:
        return np.ascontiguousarray(images, dtype=dtype)
    check_cells(*shape)
    (rows, source_rows), (columns, source_columns) = (
        overlap(window.head, window.size, size) for window, size in ((vertical, shape[1]), (horizontal, shape[2]))
    )
    result = np.full(shape, fill, dtype=dtype) if fill else np.zeros(shape, dtype=dtype)
    result[:, rows, columns] = images[:, source_rows, source_columns]
    return result


def patches(source: Array, vertical: Window, horizontal: Window) -> Array:
    """View [N, out height, out width, filter height, filter width, C] of contiguous padded images."""
    image, row, cell, channel = source.strides
    shape = (len(source), vertical.out, horizontal.out, vertical.filter, horizontal.filter, source.shape[3])
    strides = (
        image,
        row * vertical.stride,
        cell * horizontal.stride,
        row * vertical.dilation,
        cell * horizontal.dilation,
        channel,
    )
    return np.ndarray(shape, source.dtype, source, 0, strides)


def blocks(images: int, rows: int, cells: int) -> list[tuple[slice, slice]]:
    """Images and rows to be worked on at a time, for ``cells`` of memory in a row: whole images, or rows of one."""
    if rows * cells <= _BLOCK_CELLS:
        step = _BLOCK_CELLS // max(rows * cells, 1)
        return [(slice(n, n + step), slice(0, rows)) for n in range(0, images, step)]
    step = max(_BLOCK_CELLS // cells, 1)
    return [(slice(n, n + 1), slice(r, r + step)) for n in range(images) for r in range(0, rows, step)]
