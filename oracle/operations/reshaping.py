"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE in plain Python.

Written from their pages in docs/contract/operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from nnvet.oracle.operations.tensor import Tensor, moved, size_of


def reshape(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements; one -1 in the shape stands for what is left."""
    known = 1
    for entry in shape:
        if entry != -1:
            known *= entry
    dims = tuple(size_of(tensor.dims) // known if entry == -1 else entry for entry in shape)
    return Tensor(tensor.values, dims)


def squeeze(tensor: Tensor, dims: Sequence[int] | None) -> Tensor:
    """Without the given dimensions, or without all of size 1; at least [1] is left."""
    rank = len(tensor.dims)
    kept = []
    for dim, size in enumerate(tensor.dims):
        dropped = size == 1 if dims is None else dim in dims or dim - rank in dims
        if not dropped:
            kept.append(size)
    return Tensor(tensor.values, tuple(kept or [1]))


def expand_dims(tensor: Tensor, axis: int) -> Tensor:
    """With a dimension of size 1 at ``axis``; -1 puts it last."""
    if axis < 0:
        axis += len(tensor.dims) + 1
    dims = list(tensor.dims)
    dims.insert(axis, 1)
    return Tensor(tensor.values, tuple(dims))


def transpose(tensor: Tensor, perm: Sequence[int] | None) -> Tensor:
    """Output dimension i is input dimension perm[i]; without perm a matrix is transposed."""
    return moved(tensor, (1, 0) if perm is None else perm)
