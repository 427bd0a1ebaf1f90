"""PAD, PAD_V2 and MIRROR_PAD in plain Python, from their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnvet.oracle.operations.tensor import Index, Tensor, build

Paddings = Sequence[tuple[int, int]]


def padded_dims(tensor: Tensor, paddings: Paddings) -> list[int]:
    """Sizes with the cells before and after."""
    return [before + size + after for size, (before, after) in zip(tensor.dims, paddings, strict=True)]


def pad(tensor: Tensor, paddings: Paddings, value: Any) -> Tensor:
    """The tensor in a border of ``value``."""

    def element(index: Index) -> Any:
        inside = [position - before for position, (before, _) in zip(index, paddings, strict=True)]
        if all(0 <= position < size for position, size in zip(inside, tensor.dims, strict=True)):
            return tensor[inside]
        return value

    return build(padded_dims(tensor, paddings), element)


def low_byte(value: int, *, signed: bool) -> int:
    """What a quantised PAD_V2 takes of its INT32 value."""
    byte = value & 0xFF
    return byte - 256 if signed and byte > 127 else byte


def mirror_pad(tensor: Tensor, paddings: Paddings, mode: int) -> Tensor:
    """The tensor in a border that mirrors it; mode 0 leaves the border cell out, 1 repeats it."""
    off = 1 if mode == 0 else 0

    def source(x: int, size: int, before: int) -> int:
        if x < before:
            return before + off - 1 - x
        if x < before + size:
            return x - before
        return size - 1 - off - (x - before - size)

    def element(index: Index) -> Any:
        return tensor[
            [source(x, size, before) for x, size, (before, _) in zip(index, tensor.dims, paddings, strict=True)]
        ]

    return build(padded_dims(tensor, paddings), element)
