"""Block operations on NHWC tensors, and CHANNEL_SHUFFLE, in plain Python.

Written from their pages in docs/contract/operations.
"""

from __future__ import annotations

from typing import Any

from nnvet.oracle.operations.padding import pad
from nnvet.oracle.operations.tensor import Index, Tensor, build


def depth_to_space(tensor: Tensor, block: int) -> Tensor:
    """Channels become blocks of cells."""
    n, h, w, c = tensor.dims
    depth = c // block**2

    def element(index: Index) -> Any:
        b, y, x, channel = index
        cell = (y % block) * block + x % block
        return tensor[(b, y // block, x // block, cell * depth + channel)]

    return build((n, h * block, w * block, depth), element)


def space_to_depth(tensor: Tensor, block: int) -> Tensor:
    """Blocks of cells become channels."""
    n, h, w, c = tensor.dims

    def element(index: Index) -> Any:
        b, y, x, channel = index
        cell = channel // c
        return tensor[(b, y * block + cell // block, x * block + cell % block, channel % c)]

    return build((n, h // block, w // block, c * block**2), element)


def batch_to_space(tensor: Tensor, height: int, width: int) -> Tensor:
    """Batches become cells of blocks."""
    n, h, w, c = tensor.dims
    batches = n // (height * width)

    def element(index: Index) -> Any:
        b, y, x, channel = index
        cell = (y % height) * width + x % width
        return tensor[(cell * batches + b, y // height, x // width, channel)]

    return build((batches, h * height, w * width, c), element)


def space_to_batch(
    tensor: Tensor, height: int, width: int, paddings: tuple[tuple[int, int], tuple[int, int]], zero: Any
) -> Tensor:
    """Cells of blocks, after padding with ``zero``, become batches."""
    padded = pad(tensor, ((0, 0), *paddings, (0, 0)), zero)
    n, h, w, c = padded.dims

    def element(index: Index) -> Any:
        b, y, x, channel = index
        cell = b // n
        return padded[(b % n, y * height + cell // width, x * width + cell % width, channel)]

    return build((n * height * width, h // height, w // width, c), element)


def channel_shuffle(tensor: Tensor, groups: int, axis: int) -> Tensor:
    """Output channel k * groups + g is input channel g * (channels / groups) + k."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    group_size = tensor.dims[axis] // groups

    def element(index: Index) -> Any:
        k, g = divmod(index[axis], groups)
        return tensor[(*index[:axis], g * group_size + k, *index[axis + 1 :])]

    return build(tensor.dims, element)
