"""The naive implementations' tensor: a flat list of Python numbers, row-major, with its dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Index = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """Elements in row-major order."""

    values: list[Any]
    dims: Index

    def __getitem__(self, index: Sequence[int]) -> Any:
        """The element at a multi-index; every entry must lie inside."""
        offset = 0
        for position, size in zip(index, self.dims, strict=True):
            if not 0 <= position < size:
                raise IndexError(index)
            offset = offset * size + position
        return self.values[offset]


def indices(dims: Sequence[int]) -> Iterator[Index]:
    """All multi-indices of a shape, row-major."""
    return itertools.product(*(range(size) for size in dims))


def build(dims: Sequence[int], element: Callable[[Index], Any]) -> Tensor:
    """The tensor whose element at each index is ``element(index)``."""
    return Tensor([element(index) for index in indices(dims)], tuple(dims))


def size_of(dims: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(dims)


def moved(tensor: Tensor, order: Sequence[int]) -> Tensor:
    """Dimensions in another order: output dimension i is dimension order[i]."""
    dims = [tensor.dims[source] for source in order]

    def element(index: Index) -> Any:
        source = [0] * len(order)
        for position, dim in zip(index, order, strict=True):
            source[dim] = position
        return tensor[source]

    return build(dims, element)


def to_nhwc(tensor: Tensor) -> Tensor:
    """An NCHW tensor as NHWC."""
    return moved(tensor, (0, 2, 3, 1))


def to_nchw(tensor: Tensor) -> Tensor:
    """An NHWC tensor as NCHW."""
    return moved(tensor, (0, 3, 1, 2))
