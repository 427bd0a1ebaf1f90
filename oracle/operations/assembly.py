"""CONCATENATION, PACK, SPLIT, TILE, REVERSE in plain Python.

Written from their pages in docs/contract/operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.oracle.operations.tensor import Index, Tensor, build

Quantization = tuple[float, int]


def concatenation(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Tensors one after the other along ``axis``."""
    dims = list(tensors[0].dims)
    dims[axis] = sum(tensor.dims[axis] for tensor in tensors)

    def element(index: Index) -> Any:
        position = index[axis]
        for tensor in tensors:
            if position < tensor.dims[axis]:
                return tensor[(*index[:axis], position, *index[axis + 1 :])]
            position -= tensor.dims[axis]
        raise IndexError(index)

    return build(dims, element)


def requantized(tensor: Tensor, source: Quantization, target: Quantization, lowest: int) -> Tensor:
    """Codes from one scale and zero point to another; ``lowest`` is the type's lowest code, 0 or -128.

    Signed codes go through unsigned ones (docs/contract/operations/CONCATENATION.md).
    """
    if source == target:
        return tensor
    factor = np.float32(source[0]) * (np.float32(1) / np.float32(target[0]))
    bias = np.float32(-(source[1] - lowest)) * factor

    def code(value: int) -> int:
        real = np.float32(np.float32(np.float32(value - lowest) * factor) + bias)
        away = math.floor(abs(float(real)) + 0.5)
        unsigned = (away if real >= 0 else -away) + target[1] - lowest
        return min(max(unsigned, 0), 255) + lowest

    return Tensor([code(value) for value in tensor.values], tensor.dims)


def pack(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Tensors side by side along a new axis."""
    dims = list(tensors[0].dims)
    dims.insert(axis, len(tensors))
    return build(dims, lambda index: tensors[index[axis]][(*index[:axis], *index[axis + 1 :])])


def split(tensor: Tensor, axis: int, parts: int) -> list[Tensor]:
    """Equal parts along ``axis``."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    dims = list(tensor.dims)
    dims[axis] //= parts

    def part(number: int) -> Tensor:
        offset = number * dims[axis]
        return build(dims, lambda index: tensor[(*index[:axis], index[axis] + offset, *index[axis + 1 :])])

    return [part(number) for number in range(parts)]


def tile(tensor: Tensor, multiples: Sequence[int]) -> Tensor:
    """The tensor repeated along each dimension."""
    dims = [size * count for size, count in zip(tensor.dims, multiples, strict=True)]
    return build(dims, lambda index: tensor[[i % size for i, size in zip(index, tensor.dims, strict=True)]])


def reverse(tensor: Tensor, axis: int) -> Tensor:
    """The tensor back to front along ``axis``."""
    last = tensor.dims[axis] - 1
    return build(tensor.dims, lambda index: tensor[(*index[:axis], last - index[axis], *index[axis + 1 :])])
