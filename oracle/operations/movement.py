"""Operations that move elements, or cut, join and repeat tensors. From their pages in docs/contract/operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations import invocation
from nnvet.oracle.operations.fixed_point_functions import rounded


def concatenation(tensors: Sequence[invocation.Tensor], axis: int) -> invocation.Tensor:
    """Return tensors one after the other along ``axis``."""
    return invocation.Tensor.of(np.concatenate([tensor.array for tensor in tensors], axis))


def requantized(
    tensor: invocation.Tensor, source: invocation.Quantization, target: invocation.Quantization, lowest: int
) -> invocation.Tensor:
    """Return codes from one scale and zero point to another; ``lowest`` is the type's lowest code, 0 or -128.

    Signed codes go through unsigned ones (docs/contract/operations/CONCATENATION.md).
    """
    if source == target:
        return tensor
    factor = np.float32(source[0]) * (np.float32(1) / np.float32(target[0]))
    bias = np.float32(-(source[1] - lowest)) * factor
    real = (tensor.array.astype(np.int64) - lowest).astype(np.float32) * factor + bias
    unsigned = rounded(real.astype(np.float64)) + target[1] - lowest
    return invocation.Tensor.of(np.clip(unsigned, 0, 255) + lowest)


def pack(tensors: Sequence[invocation.Tensor], axis: int) -> invocation.Tensor:
    """Return tensors side by side along a new axis."""
    return invocation.Tensor.of(np.stack([tensor.array for tensor in tensors], axis))


def split(tensor: invocation.Tensor, axis: int, parts: int) -> list[invocation.Tensor]:
    """Return equal parts of the tensor along ``axis``."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    dims = list(tensor.dims)
    dims[axis] //= parts

    def part(number: int) -> invocation.Tensor:
        offset = number * dims[axis]
        return invocation.build(dims, lambda index: tensor[(*index[:axis], index[axis] + offset, *index[axis + 1 :])])

    return [part(number) for number in range(parts)]


def tile(tensor: invocation.Tensor, multiples: Sequence[int]) -> invocation.Tensor:
    """Return the tensor repeated along each dimension."""
    dims = [size * count for size, count in zip(tensor.dims, multiples, strict=True)]
    return invocation.build(dims, lambda index: tensor[[i % size for i, size in zip(index, tensor.dims, strict=True)]])


def reverse(tensor: invocation.Tensor, axis: int) -> invocation.Tensor:
    """Return the tensor back to front along ``axis``."""
    last = tensor.dims[axis] - 1
    return invocation.build(tensor.dims, lambda index: tensor[(*index[:axis], last - index[axis], *index[axis + 1 :])])


def _concatenation(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensors, axis."""
    last = len(call) - 1
    if call.is_float or all(part.quantization == call.output.quantization for part in call.inputs[:last]):
        return concatenation([call.raw(i) for i in range(last)], call.number(last))
    target, lowest = call.output.quantization, call.output.limits[0]
    parts = [requantized(call.whole(i), call.inputs[i].quantization, target, lowest) for i in range(last)]
    return concatenation(parts, call.number(last))


def _pack(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: axis, tensors."""
    return pack([call.raw(i) for i in range(1, len(call))], call.number(0))


Paddings = Sequence[tuple[int, int]]
"""Numbers of elements before and after the tensor, for each dimension."""


def padded_dims(tensor: invocation.Tensor, paddings: Paddings) -> list[int]:
    """Return the tensor's sizes with the padding before and after."""
    return [before + size + after for size, (before, after) in zip(tensor.dims, paddings, strict=True)]


def pad(tensor: invocation.Tensor, paddings: Paddings, value: Any) -> invocation.Tensor:
    """Return the tensor in a border of ``value``."""
    result = np.full(padded_dims(tensor, paddings), value, tensor.array.dtype)
    inside = [slice(before, before + size) for size, (before, _) in zip(tensor.dims, paddings, strict=True)]
    result[tuple(inside)] = tensor.array
    return invocation.Tensor.of(result)


def low_byte(value: int, *, signed: bool) -> int:
    """Return the part of its INT32 value that a quantised PAD_V2 takes."""
    byte = value & 0xFF
    return byte - 256 if signed and byte > 127 else byte


def mirror_pad(tensor: invocation.Tensor, paddings: Paddings, mode: int) -> invocation.Tensor:
    """Return the tensor in a border that mirrors it; mode 0 leaves the outermost element out, 1 repeats it."""
    off = 1 if mode == 0 else 0

    def source(x: Any, size: int, before: int) -> Any:
        behind = invocation.choose(x < before + size, x - before, size - 1 - off - (x - before - size))
        return invocation.choose(x < before, before + off - 1 - x, behind)

    def element(index: invocation.Index) -> Any:
        return tensor[
            [source(x, size, before) for x, size, (before, _) in zip(index, tensor.dims, paddings, strict=True)]
        ]

    return invocation.build(padded_dims(tensor, paddings), element)


def _read_paddings(call: invocation.Invocation) -> Paddings:
    flat = call.list(1)
    return list(zip(flat[::2], flat[1::2], strict=True))


def _pad(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor, paddings. The border is the real number zero."""
    return pad(call.raw(0), _read_paddings(call), call.inputs[0].zero_point)


def _pad_v2(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor, paddings, value: a real number or a code."""
    value = call.number(2)
    if not call.is_float:
        value = low_byte(value, signed=call.inputs[0].limits[0] < 0)
    return pad(call.raw(0), _read_paddings(call), value)


def depth_to_space(tensor: invocation.Tensor, block: int) -> invocation.Tensor:
    """Return the tensor with channels made into blocks of pixels."""
    n, h, w, c = tensor.dims
    depth = c // block**2

    def element(index: invocation.Index) -> Any:
        b, y, x, channel = index
        cell = (y % block) * block + x % block
        return tensor[(b, y // block, x // block, cell * depth + channel)]

    return invocation.build((n, h * block, w * block, depth), element)


def space_to_depth(tensor: invocation.Tensor, block: int) -> invocation.Tensor:
    """Return the tensor with blocks of pixels made into channels."""
    n, h, w, c = tensor.dims

    def element(index: invocation.Index) -> Any:
        b, y, x, channel = index
        cell = channel // c
        return tensor[(b, y * block + cell // block, x * block + cell % block, channel % c)]

    return invocation.build((n, h // block, w // block, c * block**2), element)


def batch_to_space(tensor: invocation.Tensor, height: int, width: int) -> invocation.Tensor:
    """Return the tensor with batches made into the pixels of blocks."""
    n, h, w, c = tensor.dims
    batches = n // (height * width)

    def element(index: invocation.Index) -> Any:
        b, y, x, channel = index
        cell = (y % height) * width + x % width
        return tensor[(cell * batches + b, y // height, x // width, channel)]

    return invocation.build((batches, h * height, w * width, c), element)


def space_to_batch(
    tensor: invocation.Tensor, height: int, width: int, paddings: tuple[tuple[int, int], tuple[int, int]], zero: Any
) -> invocation.Tensor:
    """Return the tensor padded with ``zero``, with the pixels of each block made into batches."""
    padded = pad(tensor, ((0, 0), *paddings, (0, 0)), zero)
    n, h, w, c = padded.dims

    def element(index: invocation.Index) -> Any:
        b, y, x, channel = index
        cell = b // n
        return padded[(b % n, y * height + cell // width, x * width + cell % width, channel)]

    return invocation.build((n * height * width, h // height, w // width, c), element)


def channel_shuffle(tensor: invocation.Tensor, groups: int, axis: int) -> invocation.Tensor:
    """Reorder channels: output channel k * groups + g is input channel g * (channels / groups) + k."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    group_size = tensor.dims[axis] // groups

    def element(index: invocation.Index) -> Any:
        k, g = index[axis] // groups, index[axis] % groups
        return tensor[(*index[:axis], g * group_size + k, *index[axis + 1 :])]

    return invocation.build(tensor.dims, element)


def _by_block(call: invocation.Invocation) -> invocation.Tensor:
    """Compute DEPTH_TO_SPACE or SPACE_TO_DEPTH. Inputs: feature map, block size[, layout]."""
    nchw = call.flag(2)
    of = depth_to_space if call.name == "DEPTH_TO_SPACE" else space_to_depth
    return invocation.in_layout(of(invocation.in_nhwc(call.raw(0), nchw=nchw), call.number(1)), nchw=nchw)


def _batch_to_space(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: feature map, block sizes[, layout]."""
    nchw = call.flag(2)
    return invocation.in_layout(batch_to_space(invocation.in_nhwc(call.raw(0), nchw=nchw), *call.list(1)), nchw=nchw)


def _space_to_batch(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: feature map, block sizes, paddings[, layout]."""
    nchw = call.flag(3)
    height, width = call.list(1)
    top, bottom, left, right = call.list(2)
    edges = (top, bottom), (left, right)
    image = invocation.in_nhwc(call.raw(0), nchw=nchw)
    return invocation.in_layout(space_to_batch(image, height, width, edges, call.inputs[0].zero_point), nchw=nchw)


def reshape(tensor: invocation.Tensor, shape: Sequence[int]) -> invocation.Tensor:
    """Return the same elements in another shape; an entry of -1 stands for the remaining size."""
    known = 1
    for entry in shape:
        if entry != -1:
            known *= entry
    dims = tuple(invocation.size_of(tensor.dims) // known if entry == -1 else entry for entry in shape)
    return invocation.Tensor(tensor.array, dims)


def squeeze(tensor: invocation.Tensor, dims: Sequence[int] | None) -> invocation.Tensor:
    """Return the tensor without the given dimensions, or without all of size 1; at least [1] remains."""
    rank = len(tensor.dims)
    kept = []
    for dim, size in enumerate(tensor.dims):
        dropped = size == 1 if dims is None else dim in dims or dim - rank in dims
        if not dropped:
            kept.append(size)
    return invocation.Tensor(tensor.array, tuple(kept or [1]))


def expand_dims(tensor: invocation.Tensor, axis: int) -> invocation.Tensor:
    """Return the tensor with a dimension of size 1 at ``axis``; -1 puts it last."""
    if axis < 0:
        axis += len(tensor.dims) + 1
    dims = list(tensor.dims)
    dims.insert(axis, 1)
    return invocation.Tensor(tensor.array, tuple(dims))


def transpose(tensor: invocation.Tensor, perm: Sequence[int] | None) -> invocation.Tensor:
    """Reorder dimensions: output dimension i is input dimension perm[i]; without ``perm`` a matrix is transposed."""
    return invocation.moved(tensor, (1, 0) if perm is None else perm)


def _optional_list(call: invocation.Invocation) -> Any:
    """Return the list of input 1, None if it is omitted."""
    return call.list(1) if call.has(1) else None


def slice_box(tensor: invocation.Tensor, begin: Sequence[int], size: Sequence[int]) -> invocation.Tensor:
    """Return the box from ``begin``; a size of -1 takes all that remain."""
    dims = [dim - b if s == -1 else s for dim, b, s in zip(tensor.dims, begin, size, strict=True)]
    return invocation.build(dims, lambda index: tensor[[i + b for i, b in zip(index, begin, strict=True)]])


def _limit_index(value: int, size: int, stride: int) -> int:
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
    tensor: invocation.Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    masks: tuple[int, int, int],
) -> invocation.Tensor:
    """Return every ``stride``-th element from begin to before end; ``masks`` are those of begin, end and shrinking."""
    begin_mask, end_mask, shrink_mask = masks
    starts, counts, kept = [], [], []
    for dim, size in enumerate(tensor.dims):
        stride = strides[dim]
        bit = 2**dim
        start = _limit_index(begin[dim], size, stride)
        stop = _limit_index(end[dim], size, stride)
        if begin_mask & bit:
            start = 0 if stride > 0 else size - 1
        if end_mask & bit:
            stop = size if stride > 0 else -1
        starts.append(start)
        counts.append(max(0, math.ceil((stop - start) / stride)))
        if not shrink_mask & bit:
            kept.append(counts[-1])
    taken = invocation.build(
        counts, lambda index: tensor[[s + i * t for i, s, t in zip(index, starts, strides, strict=True)]]
    )
    return invocation.Tensor(taken.array, tuple(kept or [1]))


def gather(tensor: invocation.Tensor, axis: int, positions: invocation.Tensor) -> invocation.Tensor:
    """Return slices at ``positions`` along ``axis``, which their shape replaces."""
    axis = axis + len(tensor.dims) if axis < 0 else axis
    width = len(positions.dims)
    dims = (*tensor.dims[:axis], *positions.dims, *tensor.dims[axis + 1 :])
    return invocation.build(
        dims,
        lambda index: tensor[(*index[:axis], positions[index[axis : axis + width]], *index[axis + width :])],
    )


def topk(tensor: invocation.Tensor, k: int) -> tuple[invocation.Tensor, invocation.Tensor]:
    """Return the k largest of each row and their positions; of equal ones the larger position comes first."""
    # A stable sort leaves equal values in the order of their positions; read backwards, the larger comes first.
    positions = np.argsort(tensor.array, -1, kind="stable")[..., ::-1][..., :k]
    return invocation.Tensor.of(np.take_along_axis(tensor.array, positions, -1)), invocation.Tensor.of(positions)


def _strided_slice(call: invocation.Invocation) -> invocation.Tensor:
    """Compute the operation. Inputs: tensor, begin, end, strides, masks of begin, end and shrinking."""
    begin, end, strides = (call.list(i) for i in range(1, 4))
    masks = call.number(4), call.number(5), call.number(6)
    return strided_slice(call.raw(0), begin, end, strides, masks)


MEANINGS: Final = {
    O.CONCATENATION: invocation.Meaning(_concatenation),
    O.PACK: invocation.Meaning(_pack, invocation.like(1)),
    # Inputs: tensor, axis, number of parts.
    O.SPLIT: invocation.Meaning(lambda call: split(call.raw(0), call.number(1), call.number(2)), invocation.like(0)),
    # Inputs: tensor, multiples.
    O.TILE: invocation.Meaning(lambda call: tile(call.raw(0), call.list(1)), invocation.like(0)),
    # Inputs: tensor, axis.
    O.REVERSE: invocation.Meaning(lambda call: reverse(call.raw(0), call.number(1)), invocation.like(0)),
    # Inputs: dimensions, value.
    O.FILL: invocation.Meaning(lambda call: invocation.build(call.list(0), lambda _index: call.array(1).reshape(()))),
    O.PAD: invocation.Meaning(_pad, invocation.like(0)),
    O.PAD_V2: invocation.Meaning(_pad_v2, invocation.like(0)),
    # Inputs: tensor, paddings, mode.
    O.MIRROR_PAD: invocation.Meaning(
        lambda call: mirror_pad(call.raw(0), _read_paddings(call), call.number(2)), invocation.like(0)
    ),
    O.DEPTH_TO_SPACE: invocation.Meaning(_by_block, invocation.like(0)),
    O.SPACE_TO_DEPTH: invocation.Meaning(_by_block, invocation.like(0)),
    O.BATCH_TO_SPACE_ND: invocation.Meaning(_batch_to_space, invocation.like(0)),
    O.SPACE_TO_BATCH_ND: invocation.Meaning(_space_to_batch, invocation.like(0)),
    # Inputs: tensor, groups, axis.
    O.CHANNEL_SHUFFLE: invocation.Meaning(
        lambda call: channel_shuffle(call.raw(0), call.number(1), call.number(2)), invocation.like(0)
    ),
    # Inputs: tensor, shape.
    O.RESHAPE: invocation.Meaning(lambda call: reshape(call.raw(0), call.list(1)), invocation.like(0)),
    # Inputs: tensor, dimensions or nothing.
    O.SQUEEZE: invocation.Meaning(lambda call: squeeze(call.raw(0), _optional_list(call)), invocation.like(0)),
    # Inputs: tensor, axis.
    O.EXPAND_DIMS: invocation.Meaning(lambda call: expand_dims(call.raw(0), call.number(1)), invocation.like(0)),
    # Inputs: tensor, permutation or nothing.
    O.TRANSPOSE: invocation.Meaning(lambda call: transpose(call.raw(0), _optional_list(call)), invocation.like(0)),
    # Inputs: tensor, of which only the rank is read.
    O.RANK: invocation.Meaning(lambda call: invocation.Tensor([call.array(0).ndim], ())),
    # Inputs: tensor, begin, size. The reference leaves the output's scale as it is declared.
    O.SLICE: invocation.Meaning(lambda call: slice_box(call.raw(0), call.list(1), call.list(2))),
    O.STRIDED_SLICE: invocation.Meaning(_strided_slice),
    # Inputs: tensor, axis, indices.
    O.GATHER: invocation.Meaning(lambda call: gather(call.raw(0), call.number(1), call.raw(2))),
    # Inputs: tensor, number of elements.
    O.TOPK_V2: invocation.Meaning(lambda call: topk(call.raw(0), call.number(1)), invocation.like(0)),
}
