"""SLICE, STRIDED_SLICE, GATHER, TOPK_V2. Written from their pages in docs/contract/operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning, like
from nnvet.oracle.operations.tensor import Tensor, build


def slice_box(tensor: Tensor, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """The box from ``begin``; a size of -1 takes all that remain."""
    dims = [dim - b if s == -1 else s for dim, b, s in zip(tensor.dims, begin, size, strict=True)]
    return build(dims, lambda index: tensor[[i + b for i, b in zip(index, begin, strict=True)]])


def _bound(value: int, size: int, stride: int) -> int:
    if stride > 0:
        if value >= size:
            return size
        if value < -size:
            return 0
    else:
        if value < -size:
            return -1
        if value >= size:
            return size - 1
    return value + size if value < 0 else value


def strided_slice(
    tensor: Tensor, begin: Sequence[int], end: Sequence[int], strides: Sequence[int], masks: tuple[int, int, int]
) -> Tensor:
    """Every ``stride``-th element from begin to before end; ``masks`` are those of begin, end and shrinking."""
    begin_mask, end_mask, shrink_mask = masks
    starts, counts, kept = [], [], []
    for dim, size in enumerate(tensor.dims):
        stride = strides[dim]
        bit = 2**dim
        start = _bound(begin[dim], size, stride)
        stop = _bound(end[dim], size, stride)
        if begin_mask & bit:
            start = 0 if stride > 0 else size - 1
        if end_mask & bit:
            stop = size if stride > 0 else -1
        starts.append(start)
        counts.append(max(0, math.ceil((stop - start) / stride)))
        if not shrink_mask & bit:
            kept.append(counts[-1])
    taken = build(counts, lambda index: tensor[[s + i * t for i, s, t in zip(index, starts, strides, strict=True)]])
    return Tensor(taken.array, tuple(kept or [1]))


def gather(tensor: Tensor, axis: int, positions: Tensor) -> Tensor:
    """Slices at ``positions`` along ``axis``, which their shape replaces."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    width = len(positions.dims)
    dims = (*tensor.dims[:axis], *positions.dims, *tensor.dims[axis + 1 :])
    return build(
        dims,
        lambda index: tensor[(*index[:axis], positions[index[axis : axis + width]], *index[axis + width :])],
    )


def topk(tensor: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row and their positions; of equal ones the larger position comes first."""
    # A stable sort leaves equal values in the order of their positions; read backwards, the larger comes first.
    positions = np.argsort(tensor.array, -1, kind="stable")[..., ::-1][..., :k]
    return Tensor.of(np.take_along_axis(tensor.array, positions, -1)), Tensor.of(positions)


def _strided_slice(call: Invocation) -> Tensor:
    """Inputs: tensor, begin, end, strides, masks of begin, end and shrinking."""
    begin, end, strides = (call.list(i) for i in range(1, 4))
    masks = call.number(4), call.number(5), call.number(6)
    return strided_slice(call.raw(0), begin, end, strides, masks)


MEANINGS: Final = {
    # Inputs: tensor, begin, size. The reference leaves the output's scale as it is declared.
    O.SLICE: Meaning(lambda call: slice_box(call.raw(0), call.list(1), call.list(2))),
    O.STRIDED_SLICE: Meaning(_strided_slice),
    # Inputs: tensor, axis, indices.
    O.GATHER: Meaning(lambda call: gather(call.raw(0), call.number(1), call.raw(2))),
    # Inputs: tensor, number of elements.
    O.TOPK_V2: Meaning(lambda call: topk(call.raw(0), call.number(1)), like(0)),
}
