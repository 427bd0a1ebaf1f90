"""The tensor of the oracle: numbers with dimensions, and the one way of saying where each output element comes from.

Meanings are written as the specification writes them, ``output[index] = input[f(index)]``. The index is that of every
element at once: a tuple of arrays, one for each dimension, on which the formula is calculated as on numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = tuple[Any, ...]
"""Position of one element (numbers) or of many (arrays that broadcast to one another)."""


class Tensor:
    """Numbers with dimensions, from a list in row-major order or from an array."""

    __slots__ = ("array",)

    def __init__(self, values: Sequence[Any] | Array, dims: Sequence[int]) -> None:
        """As many values as the dimensions have elements."""
        self.array: Array = np.asarray(values).reshape(tuple(dims))

    @classmethod
    def of(cls, array: Array) -> Tensor:
        """An array as it is."""
        found = cls.__new__(cls)
        found.array = np.asarray(array)
        return found

    @property
    def values(self) -> list[Any]:
        """The elements in row-major order, as Python numbers."""
        found: list[Any] = self.array.reshape(-1).tolist()
        return found

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions."""
        return self.array.shape

    def __eq__(self, other: object) -> bool:
        """Return True if dimensions and numbers agree."""
        return isinstance(other, Tensor) and self.dims == other.dims and self.values == other.values

    def __hash__(self) -> int:
        """Of dimensions and numbers."""
        return hash((self.dims, tuple(self.values)))

    def __repr__(self) -> str:
        """Numbers and dimensions."""
        return f"Tensor({self.values}, {self.dims})"

    def __getitem__(self, index: Sequence[Any]) -> Any:
        """The elements at an index.

        :raises IndexError: an entry lies outside; none counts from the end.
        """
        for position, size in zip(index, self.array.shape, strict=True):
            if isinstance(position, np.ndarray):
                # What is too large NumPy refuses by itself.
                if position.size and position.min() < 0:
                    raise IndexError(index)
            elif not 0 <= position < size:
                raise IndexError(index)
        return self.array[tuple(index)]


def indices(dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All multi-indices of a shape, row-major."""
    return itertools.product(*(range(size) for size in dims))


def build(dims: Sequence[int], element: Callable[[Index], Any]) -> Tensor:
    """The tensor whose elements are ``element(index)``, calculated for all indices at once."""
    shape = tuple(dims)
    values = np.asarray(element(_index(shape)))
    return Tensor.of(values if values.shape == shape else np.broadcast_to(values, shape))


@lru_cache(1 << 10)
def _index(shape: tuple[int, ...]) -> tuple[Array, ...]:
    """The index of every element of a shape: an array for each dimension."""
    found: tuple[Array, ...] = np.indices(shape, sparse=True)
    for array in found:
        array.flags.writeable = False
    return found


def one_by_one(dims: Sequence[int], element: Callable[[tuple[int, ...]], Any]) -> Tensor:
    """The tensor whose element at each index is ``element(index)``, calculated for one index after the other."""
    return Tensor([element(index) for index in indices(dims)], tuple(dims))


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """``yes`` where the condition holds, else ``no``: elements of arrays, or numbers."""
    return np.where(condition, yes, no)[()]


def size_of(dims: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(dims)


def moved(tensor: Tensor, order: Sequence[int]) -> Tensor:
    """Dimensions in another order: output dimension i is dimension order[i]."""
    dims = [tensor.dims[source] for source in order]

    def element(index: Index) -> Any:
        source: list[Any] = [0] * len(order)
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
