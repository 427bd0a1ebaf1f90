"""Positions of elements in row-major tensors, as plain numbers: broadcasting, slices along axes, and reductions.

Generators of specs and the reductions use these lists; meanings use the arrays of
:mod:`nnvet.oracle.operations.invocation`.
"""

import itertools
import math
from collections.abc import Iterator, Sequence


def flat(index: Sequence[int], shape: Sequence[int]) -> int:
    """Return the row-major position of a multi-dimensional index."""
    position = 0
    for i, size in zip(index, shape, strict=True):
        position = position * size + i
    return position


def indexes(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Return all indexes of a shape, row-major."""
    return itertools.product(*(range(size) for size in shape))


def broadcast_shape(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the shape of the result; the caller knows that the two are compatible."""
    rank = max(len(first), len(second))
    left = [1] * (rank - len(first)) + list(first)
    right = [1] * (rank - len(second)) + list(second)
    return [b if a == 1 else a for a, b in zip(left, right, strict=True)]


def broadcast_pairs(first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
    """Return positions of the two operands for every element of the result."""

    def position(index: Sequence[int], shape: Sequence[int]) -> int:
        own = index[len(index) - len(shape) :]
        return flat([0 if size == 1 else i for i, size in zip(own, shape, strict=True)], shape)

    return [(position(index, first), position(index, second)) for index in indexes(broadcast_shape(first, second))]


def slices(shape: Sequence[int], axis: int) -> list[list[int]]:
    """Return positions of every slice along ``axis`` (negative counts from the end), in order of the other indexes."""
    axis = axis if axis >= 0 else axis + len(shape)
    others = [1 if i == axis else size for i, size in enumerate(shape)]
    found = []
    for index in indexes(others):
        along = [[*index[:axis], i, *index[axis + 1 :]] for i in range(shape[axis])]
        found.append([flat(chosen, shape) for chosen in along])
    return found


def groups(shape: Sequence[int], axes: Sequence[int]) -> list[list[int]]:
    """Return positions that are reduced to one element, row-major, for every element of the result of a reduction."""
    rank = len(shape)
    reduced = {axis if axis >= 0 else axis + rank for axis in axes}
    result_shape = [1 if i in reduced else size for i, size in enumerate(shape)]
    found: list[list[int]] = [[] for _ in range(math.prod(result_shape))]
    for index in indexes(shape):
        target = [0 if i in reduced else value for i, value in enumerate(index)]
        found[flat(target, result_shape)].append(flat(index, shape))
    return found


def reduced_shape(shape: Sequence[int], axes: Sequence[int], *, keep: bool) -> list[int]:
    """Return the shape of the result of a reduction."""
    rank = len(shape)
    reduced = {axis if axis >= 0 else axis + rank for axis in axes}
    if keep:
        return [1 if i in reduced else size for i, size in enumerate(shape)]
    return [size for i, size in enumerate(shape) if i not in reduced] or [1]
