"""Block operations on NHWC tensors, and CHANNEL_SHUFFLE.

Written from their pages in docs/contract/operations.
"""

from __future__ import annotations

from typing import Any, Final

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.invocation import Invocation, Meaning, in_layout, in_nhwc, like
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
        k, g = index[axis] // groups, index[axis] % groups
        return tensor[(*index[:axis], g * group_size + k, *index[axis + 1 :])]

    return build(tensor.dims, element)


def _by_block(call: Invocation) -> Tensor:
    """DEPTH_TO_SPACE and SPACE_TO_DEPTH. Inputs: feature map, block size[, layout]."""
    nchw = call.flag(2)
    of = depth_to_space if call.name == "DEPTH_TO_SPACE" else space_to_depth
    return in_layout(of(in_nhwc(call.raw(0), nchw=nchw), call.number(1)), nchw=nchw)


def _batch_to_space(call: Invocation) -> Tensor:
    """Inputs: feature map, block sizes[, layout]."""
    nchw = call.flag(2)
    return in_layout(batch_to_space(in_nhwc(call.raw(0), nchw=nchw), *call.list(1)), nchw=nchw)


def _space_to_batch(call: Invocation) -> Tensor:
    """Inputs: feature map, block sizes, paddings[, layout]."""
    nchw = call.flag(3)
    height, width = call.list(1)
    top, bottom, left, right = call.list(2)
    edges = (top, bottom), (left, right)
    image = in_nhwc(call.raw(0), nchw=nchw)
    return in_layout(space_to_batch(image, height, width, edges, call.inputs[0].zero_point), nchw=nchw)


MEANINGS: Final = {
    O.DEPTH_TO_SPACE: Meaning(_by_block, like(0)),
    O.SPACE_TO_DEPTH: Meaning(_by_block, like(0)),
    O.BATCH_TO_SPACE_ND: Meaning(_batch_to_space, like(0)),
    O.SPACE_TO_BATCH_ND: Meaning(_space_to_batch, like(0)),
    # Inputs: tensor, groups, axis.
    O.CHANNEL_SHUFFLE: Meaning(lambda call: channel_shuffle(call.raw(0), call.number(1), call.number(2)), like(0)),
}
