"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK. Written from their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning, like
from nnvet.oracle.operations.tensor import Tensor, moved, size_of


def reshape(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements; one -1 in the shape stands for what is left."""
    known = 1
    for entry in shape:
        if entry != -1:
            known *= entry
    dims = tuple(size_of(tensor.dims) // known if entry == -1 else entry for entry in shape)
    return Tensor(tensor.array, dims)


def squeeze(tensor: Tensor, dims: Sequence[int] | None) -> Tensor:
    """Without the given dimensions, or without all of size 1; at least [1] is left."""
    rank = len(tensor.dims)
    kept = []
    for dim, size in enumerate(tensor.dims):
        dropped = size == 1 if dims is None else dim in dims or dim - rank in dims
        if not dropped:
            kept.append(size)
    return Tensor(tensor.array, tuple(kept or [1]))


def expand_dims(tensor: Tensor, axis: int) -> Tensor:
    """With a dimension of size 1 at ``axis``; -1 puts it last."""
    if axis < 0:
        axis += len(tensor.dims) + 1
    dims = list(tensor.dims)
    dims.insert(axis, 1)
    return Tensor(tensor.array, tuple(dims))


def transpose(tensor: Tensor, perm: Sequence[int] | None) -> Tensor:
    """Output dimension i is input dimension perm[i]; without perm a matrix is transposed."""
    return moved(tensor, (1, 0) if perm is None else perm)


def _optional(call: Invocation) -> Any:
    """The list of input 1, None if it is omitted."""
    return call.list(1) if call.has(1) else None


MEANINGS: Final = {
    # Inputs: tensor, shape.
    O.RESHAPE: Meaning(lambda call: reshape(call.raw(0), call.list(1)), like(0)),
    # Inputs: tensor, dimensions or nothing.
    O.SQUEEZE: Meaning(lambda call: squeeze(call.raw(0), _optional(call)), like(0)),
    # Inputs: tensor, axis.
    O.EXPAND_DIMS: Meaning(lambda call: expand_dims(call.raw(0), call.number(1)), like(0)),
    # Inputs: tensor, permutation or nothing.
    O.TRANSPOSE: Meaning(lambda call: transpose(call.raw(0), _optional(call)), like(0)),
    # Inputs: tensor, of which nothing but the rank is read.
    O.RANK: Meaning(lambda call: Tensor([call.array(0).ndim], ())),
}
