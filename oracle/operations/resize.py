"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on NHWC tensors. Written from their pages in docs/contract/operations.

Coordinates are float32, as in the reference, because their rounding decides which pixel is read and which code a
mixture becomes.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Index, Invocation, Meaning, Tensor, build, in_layout, in_nhwc, like


def scaled_size(size: int, scale: float) -> int:
    """Return the new size for a scale: a float32 product, rounded down."""
    return math.floor(np.float32(size) * np.float32(scale))


def _ratio(size: int, new: int, *, align: bool) -> np.float32:
    if align and new > 1:
        return np.float32(np.float32(size - 1) / np.float32(new - 1))
    return np.float32(np.float32(size) / np.float32(new))


def bilinear(
    tensor: Tensor, height: int, width: int, *, align: bool = False, half: bool = False, codes: bool = False
) -> Tensor:
    """Return an image whose pixels are mixtures of the four nearest old ones.

    ``codes``: the elements are codes, which are rounded by adding a half and cutting.
    """
    n, h, w, c = tensor.dims
    one = np.float32(1)

    def neighbours(index: Any, size: int, new: int) -> tuple[Any, Any, Any]:
        ratio = _ratio(size, new, align=align)
        position = index.astype(np.float32) * ratio
        if half:
            position = (index.astype(np.float32) + np.float32(0.5)) * ratio - np.float32(0.5)
        low = np.maximum(np.floor(position), 0).astype(np.int64)
        high = np.minimum(np.ceil(position), size - 1).astype(np.int64)
        return low, high, position - low.astype(np.float32)

    def element(index: Index) -> Any:
        b, y, x, channel = index
        top, bottom, dy = neighbours(y, h, height)
        left, right, dx = neighbours(x, w, width)
        mixed = np.float32(0)
        for row, column, down, across in (
            (top, left, one - dy, one - dx),
            (bottom, left, dy, one - dx),
            (top, right, one - dy, dx),
            (bottom, right, dy, dx),
        ):
            mixed = mixed + tensor[(b, row, column, channel)].astype(np.float32) * down * across
        return np.trunc(mixed + np.float32(0.5)).astype(np.int64) if codes else mixed

    return build((n, height, width, c), element)


def nearest(tensor: Tensor, height: int, width: int, *, align: bool = False, half: bool = False) -> Tensor:
    """Return an image whose pixels are copies of the nearest old ones."""
    n, h, w, c = tensor.dims

    def source(index: Any, size: int, new: int) -> Any:
        ratio = _ratio(size, new, align=align)
        position = index.astype(np.float32) * ratio
        if half:
            position = (index.astype(np.float32) + np.float32(0.5)) * ratio
        # The half is added in double precision, so that a number just below a half stays below.
        pixel = np.floor(position.astype(np.float64) + 0.5) if align else np.floor(position)
        return np.clip(pixel, 0, size - 1).astype(np.int64)

    return build(
        (n, height, width, c),
        lambda index: tensor[(index[0], source(index[1], h, height), source(index[2], w, width), index[3])],
    )


def _resize(call: Invocation) -> Tensor:
    """Compute the operation.

    Inputs: image, width and height or their scales[, layout[, align corners[, half pixel centers]]].
    """
    nchw, align, half = (call.flag(3 + i) for i in range(3))
    width, height = call.numbers(1, 2)
    is_bilinear = call.name == "RESIZE_BILINEAR"
    image = in_nhwc(call.raw(0), nchw=nchw)
    if call.inputs[1].type != OperandType.INT32:
        width, height = scaled_size(image.dims[2], width), scaled_size(image.dims[1], height)
    if is_bilinear:
        result = bilinear(image, height, width, align=align, half=half, codes=not call.is_float)
    else:
        result = nearest(image, height, width, align=align, half=half)
    return in_layout(result, nchw=nchw)


MEANINGS: Final = {O[name]: Meaning(_resize, like(0)) for name in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")}
