"""Convolutions in plain loops, from the pages of the four convolutions in docs/contract/operations.

Elements are Python numbers: floats, or integers that are codes less the zero point. Images are [N, H, W, C].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nnvet.oracle.operations.fixed_point_functions import div
from nnvet.oracle.operations.tensor import Tensor


@dataclass(frozen=True)
class Steps:
    """Paddings left, right, top, bottom; strides and dilations, width before height."""

    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)


def effective(cells: int, dilation: int) -> int:
    """Extent of a dilated filter axis."""
    return (cells - 1) * dilation + 1


def same_padding(size: int, cells: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Head and tail of padding scheme 1; every other scheme has none."""
    out = div(size + stride - 1, stride)
    total = max((out - 1) * stride + effective(cells, dilation) - size, 0)
    return div(total, 2), total - div(total, 2)


def output_size(size: int, cells: int, stride: int, dilation: int, head: int, tail: int) -> int:
    """Positions of a window along one axis."""
    return div(size - effective(cells, dilation) + stride + head + tail, stride)


def out_shape(x: Tensor, cells: tuple[int, int], steps: Steps) -> tuple[int, int]:
    """Height and width of the output; ``cells`` are height and width of the filter."""
    left, right, top, bottom = steps.padding
    return (
        output_size(x.dims[1], cells[0], steps.stride[1], steps.dilation[1], top, bottom),
        output_size(x.dims[2], cells[1], steps.stride[0], steps.dilation[0], left, right),
    )


def cell(x: Tensor, b: int, h: int, w: int, c: int) -> Any:
    """Element of an image; zero outside of it."""
    inside = 0 <= h < x.dims[1] and 0 <= w < x.dims[2]
    return x[b, h, w, c] if inside else 0


def grouped(x: Tensor, weights: Tensor, bias: Sequence[Any], steps: Steps, groups: int = 1) -> Tensor:
    """CONV_2D, and with ``groups`` GROUPED_CONV_2D; sums with the bias, no activation."""
    depth_out, fh, fw, depth_group = weights.dims
    height, width = out_shape(x, (fh, fw), steps)
    values = []
    for b in range(x.dims[0]):
        for i in range(height):
            for j in range(width):
                for o in range(depth_out):
                    first = o // (depth_out // groups) * depth_group
                    total = 0
                    for di in range(fh):
                        h = i * steps.stride[1] + di * steps.dilation[1] - steps.padding[2]
                        for dj in range(fw):
                            w = j * steps.stride[0] + dj * steps.dilation[0] - steps.padding[0]
                            for k in range(depth_group):
                                total += cell(x, b, h, w, first + k) * weights[o, di, dj, k]
                    values.append(total + bias[o])
    return Tensor(values, (x.dims[0], height, width, depth_out))


def depthwise(x: Tensor, weights: Tensor, bias: Sequence[Any], steps: Steps, multiplier: int) -> Tensor:
    """DEPTHWISE_CONV_2D; sums with the bias, no activation."""
    _, fh, fw, depth_out = weights.dims
    height, width = out_shape(x, (fh, fw), steps)
    values = []
    for b in range(x.dims[0]):
        for i in range(height):
            for j in range(width):
                for o in range(depth_out):
                    total = 0
                    for di in range(fh):
                        h = i * steps.stride[1] + di * steps.dilation[1] - steps.padding[2]
                        for dj in range(fw):
                            w = j * steps.stride[0] + dj * steps.dilation[0] - steps.padding[0]
                            total += cell(x, b, h, w, o // multiplier) * weights[0, di, dj, o]
                    values.append(total + bias[o])
    return Tensor(values, (x.dims[0], height, width, depth_out))


def transposed_same_padding(wanted: int, cells: int, stride: int) -> tuple[int, int]:
    """Head and tail of TRANSPOSE_CONV_2D with scheme 1 for an axis of ``wanted`` cells."""
    n = -(-wanted // stride)
    total = (n - 1) * stride + cells
    head = (total - wanted) // 2 if total > wanted else 0
    return head, total - wanted - head


def transposed(x: Tensor, weights: Tensor, bias: Sequence[Any], steps: Steps) -> Tensor:
    """TRANSPOSE_CONV_2D; sums with the bias, no activation."""
    depth_out, fh, fw, depth_in = weights.dims
    left, right, top, bottom = steps.padding
    sw, sh = steps.stride
    height = x.dims[1] * sh + fh - sh - top - bottom
    width = x.dims[2] * sw + fw - sw - left - right
    dims = (x.dims[0], height, width, depth_out)
    sums: dict[tuple[int, ...], Any] = {}
    for b in range(x.dims[0]):
        for h in range(x.dims[1]):
            for w in range(x.dims[2]):
                for k in range(depth_out):
                    for i in range(fh):
                        for j in range(fw):
                            place = (b, h * sh - top + i, w * sw - left + j, k)
                            for d in range(depth_in):
                                sums[place] = sums.get(place, 0) + x[b, h, w, d] * weights[k, i, j, d]
    values = [
        sums.get((b, h, w, k), 0) + bias[k]
        for b in range(dims[0])
        for h in range(height)
        for w in range(width)
        for k in range(depth_out)
    ]
    return Tensor(values, dims)
