"""PAD, PAD_V2 and MIRROR_PAD. Written from their pages in docs/contract/operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning, like
from nnvet.oracle.operations.tensor import Index, Tensor, build, choose

Paddings = Sequence[tuple[int, int]]


def padded_dims(tensor: Tensor, paddings: Paddings) -> list[int]:
    """Sizes with the cells before and after."""
    return [before + size + after for size, (before, after) in zip(tensor.dims, paddings, strict=True)]


def pad(tensor: Tensor, paddings: Paddings, value: Any) -> Tensor:
    """The tensor in a border of ``value``."""
    result = np.full(padded_dims(tensor, paddings), value, tensor.array.dtype)
    inside = [slice(before, before + size) for size, (before, _) in zip(tensor.dims, paddings, strict=True)]
    result[tuple(inside)] = tensor.array
    return Tensor.of(result)


def low_byte(value: int, *, signed: bool) -> int:
    """Return the part of its INT32 value that a quantised PAD_V2 takes."""
    byte = value & 0xFF
    return byte - 256 if signed and byte > 127 else byte


def mirror_pad(tensor: Tensor, paddings: Paddings, mode: int) -> Tensor:
    """The tensor in a border that mirrors it; mode 0 leaves the border cell out, 1 repeats it."""
    off = 1 if mode == 0 else 0

    def source(x: Any, size: int, before: int) -> Any:
        behind = choose(x < before + size, x - before, size - 1 - off - (x - before - size))
        return choose(x < before, before + off - 1 - x, behind)

    def element(index: Index) -> Any:
        return tensor[
            [source(x, size, before) for x, size, (before, _) in zip(index, tensor.dims, paddings, strict=True)]
        ]

    return build(padded_dims(tensor, paddings), element)


def _edges(call: Invocation) -> Paddings:
    flat = call.list(1)
    return list(zip(flat[::2], flat[1::2], strict=True))


def _pad(call: Invocation) -> Tensor:
    """Inputs: tensor, paddings. The border is the real number zero."""
    return pad(call.raw(0), _edges(call), call.inputs[0].zero_point)


def _pad_v2(call: Invocation) -> Tensor:
    """Inputs: tensor, paddings, value: a real number or a code."""
    value = call.number(2)
    if not call.is_float:
        value = low_byte(value, signed=call.inputs[0].limits[0] < 0)
    return pad(call.raw(0), _edges(call), value)


MEANINGS: Final = {
    O.PAD: Meaning(_pad, like(0)),
    O.PAD_V2: Meaning(_pad_v2, like(0)),
    # Inputs: tensor, paddings, mode.
    O.MIRROR_PAD: Meaning(lambda call: mirror_pad(call.raw(0), _edges(call), call.number(2)), like(0)),
}
