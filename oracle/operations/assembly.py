"""CONCATENATION, PACK, SPLIT, TILE, REVERSE, FILL. Written from their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import rounded
from nnvet.oracle.operations.invocation import Invocation, Meaning, Quantization, like
from nnvet.oracle.operations.tensor import Tensor, build


def concatenation(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Tensors one after the other along ``axis``."""
    return Tensor.of(np.concatenate([tensor.array for tensor in tensors], axis))


def requantized(tensor: Tensor, source: Quantization, target: Quantization, lowest: int) -> Tensor:
    """Codes from one scale and zero point to another; ``lowest`` is the type's lowest code, 0 or -128.

    Signed codes go through unsigned ones (docs/contract/operations/CONCATENATION.md).
    """
    if source == target:
        return tensor
    factor = np.float32(source[0]) * (np.float32(1) / np.float32(target[0]))
    bias = np.float32(-(source[1] - lowest)) * factor
    real = (tensor.array.astype(np.int64) - lowest).astype(np.float32) * factor + bias
    unsigned = rounded(real.astype(np.float64)) + target[1] - lowest
    return Tensor.of(np.clip(unsigned, 0, 255) + lowest)


def pack(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Tensors side by side along a new axis."""
    return Tensor.of(np.stack([tensor.array for tensor in tensors], axis))


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


def _concatenation(call: Invocation) -> Tensor:
    """Inputs: tensors, axis."""
    last = len(call) - 1
    if call.is_float or all(part.quantization == call.output.quantization for part in call.inputs[:last]):
        return concatenation([call.raw(i) for i in range(last)], call.number(last))
    target, lowest = call.output.quantization, call.output.limits[0]
    parts = [requantized(call.whole(i), call.inputs[i].quantization, target, lowest) for i in range(last)]
    return concatenation(parts, call.number(last))


def _pack(call: Invocation) -> Tensor:
    """Inputs: axis, tensors."""
    return pack([call.raw(i) for i in range(1, len(call))], call.number(0))


MEANINGS: Final = {
    O.CONCATENATION: Meaning(_concatenation),
    O.PACK: Meaning(_pack, like(1)),
    # Inputs: tensor, axis, number of parts.
    O.SPLIT: Meaning(lambda call: split(call.raw(0), call.number(1), call.number(2)), like(0)),
    # Inputs: tensor, multiples.
    O.TILE: Meaning(lambda call: tile(call.raw(0), call.list(1)), like(0)),
    # Inputs: tensor, axis.
    O.REVERSE: Meaning(lambda call: reverse(call.raw(0), call.number(1)), like(0)),
    # Inputs: dimensions, value.
    O.FILL: Meaning(lambda call: build(call.list(0), lambda _index: call.array(1).reshape(()))),
}
