"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on NHWC tensors in plain Python.

Written from their pages in docs/contract/operations.
Everything is float32: rounding decides which pixel a coordinate meets, and which code a mixture becomes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnvet.oracle.operations.tensor import Index, Tensor, build


def scaled_size(size: int, scale: float) -> int:
    """New size from a scale: a float32 product, rounded down."""
    return math.floor(np.float32(size) * np.float32(scale))


def _ratio(size: int, new: int, *, align: bool) -> np.float32:
    if align and new > 1:
        return np.float32(np.float32(size - 1) / np.float32(new - 1))
    return np.float32(np.float32(size) / np.float32(new))


def bilinear(
    tensor: Tensor, height: int, width: int, *, align: bool = False, half: bool = False, codes: bool = False
) -> Tensor:
    """Mix of the four neighbours of each position; ``codes`` are rounded by adding a half and cutting."""
    n, h, w, c = tensor.dims
    one = np.float32(1)

    def neighbours(index: int, size: int, new: int) -> tuple[int, int, np.float32]:
        ratio = _ratio(size, new, align=align)
        if half:
            position = np.float32((np.float32(index) + np.float32(0.5)) * ratio) - np.float32(0.5)
        else:
            position = np.float32(index) * ratio
        low = max(math.floor(position), 0)
        high = min(math.ceil(position), size - 1)
        return low, high, np.float32(position - np.float32(low))

    def element(index: Index) -> Any:
        b, y, x, channel = index
        top, bottom, dy = neighbours(y, h, height)
        left, right, dx = neighbours(x, w, width)
        mixed = np.float32(0)
        for row, column, down, right_ in (
            (top, left, one - dy, one - dx),
            (bottom, left, dy, one - dx),
            (top, right, one - dy, dx),
            (bottom, right, dy, dx),
        ):
            mixed += np.float32(tensor[(b, row, column, channel)]) * down * right_
        return int(mixed + np.float32(0.5)) if codes else float(mixed)

    return build((n, height, width, c), element)


def nearest(tensor: Tensor, height: int, width: int, *, align: bool = False, half: bool = False) -> Tensor:
    """A copy of the nearest pixel."""
    n, h, w, c = tensor.dims

    def source(index: int, size: int, new: int) -> int:
        ratio = _ratio(size, new, align=align)
        position = float(np.float32(np.float32(index + 0.5) * ratio) if half else np.float32(index) * ratio)
        pixel = math.floor(position + 0.5) if align else math.floor(position)
        pixel = min(pixel, size - 1)
        return max(pixel, 0) if half else pixel

    return build(
        (n, height, width, c),
        lambda index: tensor[(index[0], source(index[1], h, height), source(index[2], w, width), index[3])],
    )
