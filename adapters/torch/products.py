"""Claims for PyTorch of convolutions, pooling, products of matrices, normalisations, and RESIZE_BILINEAR.

:mod:`nnvet.adapters.torch.recurrent` has the recurrent operations; :mod:`nnvet.adapters.runtimes` has claims that
PyTorch shares with other libraries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.arrays import ArrayCalls, activating, computing_by, of_images, own, weighed
from nnvet.adapters.runtimes.claims import BOTH_BYTES, FLOATS, INTEGER, Claim
from nnvet.adapters.runtimes.functions import Function, claimed, computing
from nnvet.adapters.runtimes.movement import resize_bilinear
from nnvet.adapters.torch.emitter import TorchEmitter
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.resize import new_sizes

_TO_OIHW: Final = (0, 3, 1, 2)
_CHANNELS_FIRST: Final = (3, 0, 1, 2)
"""Orders that bring [1, height, width, out] of depthwise filters and [out, height, width, in] to PyTorch's layouts."""
_CODES: Final = (*FLOATS, *BOTH_BYTES)
_SMALLEST_NORM: Final = 1e-6
"""Norms below this number are replaced by it, as the contract says."""


def _sides(call: Call) -> list[int]:
    """Return the widths of the paddings around images in PyTorch's order: left, right, above, below."""
    above, beside = windows(call)
    return [beside.head, beside.tail, above.head, above.tail]


def _groups(call: Call) -> int:
    if "depth_multiplier" in call.inputs:
        return image(call)[3]
    return int(call.scalar("groups", 1))


def _turned(argument: Argument, order: Sequence[int]) -> Function:
    """Return weights with their dimensions in another order; constants are reordered only once."""
    kept: list[Any] = []

    def turned(weights: Tensor) -> Any:
        if not argument.constant:
            return weights.permute(order)
        if not kept:
            kept.append(weights.permute(order).contiguous())
        return kept[0]

    return turned


def _convolution(call: Call) -> Function:
    """Convolve, after a separate padding if the ends differ, because PyTorch pads both ends of an axis alike."""
    turned = _turned(call["filter"], _CHANNELS_FIRST if "depth_multiplier" in call.inputs else _TO_OIHW)
    cells, axes, groups = _sides(call), windows(call), _groups(call)
    steps, dilations = [axis.stride for axis in axes], [axis.dilation for axis in axes]
    is_even = all(axis.head == axis.tail for axis in axes)
    padding = [axis.head if is_even else 0 for axis in axes]

    def convolved(images: Tensor, weights: Tensor, bias: Tensor) -> Any:
        padded = images if is_even else functional.pad(images, cells)
        return functional.conv2d(padded, turned(weights), bias, steps, padding, dilations, groups)

    return convolved


def _transpose_conv(call: Call) -> Function:
    """Add up all products, then cut off cells outside of the output, and add zeros for missing ones."""
    steps = [call.scalar("stride_height"), call.scalar("stride_width")]
    turned = _turned(call["filter"], _CHANNELS_FIRST)
    _, height, width, _ = image(call)
    cells: list[int] = []
    axes = zip((height, width), steps, call["filter"].dimensions[1:3], transposed_geometry(call), strict=True)
    for size, step, reach, (head, out) in axes:
        cells[:0] = [-head, out + head - ((size - 1) * step + reach)]

    def convolved(images: Tensor, weights: Tensor, bias: Tensor) -> Any:
        products = functional.conv_transpose2d(images, turned(weights), None, steps)
        return functional.pad(products, cells) + bias.reshape(-1, 1, 1)

    return convolved


def _window(call: Call) -> tuple[list[int], list[int]]:
    """Return sizes and strides of a pool's window."""
    sizes = [call.scalar("filter_height"), call.scalar("filter_width")]
    return sizes, [window.stride for window in windows(call)]


def _average_pool(call: Call) -> Function:
    """Return means of the cells of each window that are within the images."""
    (sizes, steps), cells = _window(call), _sides(call)

    def sums(images: Tensor) -> Any:
        padded = functional.pad(images, cells) if any(cells) else images
        return functional.avg_pool2d(padded, sizes, steps, divisor_override=1)

    return lambda images: sums(images) / sums(torch.ones_like(images[:1, :1]))


def _l2_pool(call: Call) -> Function:
    average = _average_pool(call)
    return lambda images: torch.sqrt(average(images * images))


def _max_pool(call: Call) -> Function:
    (sizes, steps), cells = _window(call), _sides(call)

    def pooled(images: Tensor) -> Any:
        padded = functional.pad(images, cells, value=-math.inf) if any(cells) else images
        return functional.max_pool2d(padded, sizes, steps)

    return pooled


def _fully_connected(calls: ArrayCalls, call: Call) -> Function:
    size, activate = call["weights"].dimensions[1], activating(calls, call)

    def multiplied(value: Tensor, weights: Tensor, bias: Tensor) -> Any:
        result = functional.linear(value.reshape(-1, size), weights, bias)
        return activate(result).reshape(call.output.dimensions)

    return multiplied


def _batch_matmul(call: Call) -> Function:
    def adjoined(value: Tensor, name: str) -> Any:
        return value.transpose(-1, -2) if call.scalar(name) else value

    return lambda first, second: torch.matmul(adjoined(first, "adj_x"), adjoined(second, "adj_y"))


def _l2_normalization(call: Call) -> Function:
    return partial(functional.normalize, dim=call.scalar("axis", -1), eps=_SMALLEST_NORM)


def _local_response(call: Call) -> Function:
    """Normalise by PyTorch's function, which works along dimension 1 and divides alpha by the number of cells."""
    axis = call.scalar("axis", -1) % call["input"].rank
    size = 2 * min(call.scalar("radius"), call["input"].dimensions[axis]) + 1
    alpha, beta, bias = (call.scalar(name) for name in ("alpha", "beta", "bias"))

    def normalized(value: Tensor) -> Any:
        rows = value.movedim(axis, -1)
        columns = rows.reshape(-1, rows.shape[-1], 1)
        result = functional.local_response_norm(columns, size, alpha * size, beta, bias)
        return result.reshape(rows.shape).movedim(-1, axis)

    return normalized


def _instance_normalization(call: Call) -> Function:
    gamma, beta, epsilon = (call.scalar(name) for name in ("gamma", "beta", "epsilon"))

    def normalized(images: Tensor) -> Any:
        # functional.instance_norm refuses images of one pixel.
        result = torch.instance_norm(images, None, None, None, None, True, 0.0, epsilon, False)
        return result * gamma + beta

    return normalized


def _resize_bilinear(calls: ArrayCalls, call: Call) -> Function:
    """Resize by PyTorch's interpolate, or by a formula of the suite if neither of the two flags is set."""
    aligned = call.scalar("align_corners", False)
    if not aligned and not call.scalar("half_pixel_centers", False):
        return resize_bilinear(calls, call)
    return partial(functional.interpolate, size=list(new_sizes(call)), mode="bilinear", align_corners=aligned)


CLAIMS: Final[tuple[Claim[TorchEmitter], ...]] = (
    *(
        claimed(
            name, "conv2d, clamp; pad where both ends differ", _CODES, weighed(of_images(own(_convolution)), "filter")
        )
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D")
    ),
    claimed(
        "TRANSPOSE_CONV_2D",
        "conv_transpose2d, pad, add, clamp",
        _CODES,
        weighed(of_images(own(_transpose_conv)), "filter"),
    ),
    claimed(
        "AVERAGE_POOL_2D", "pad, avg_pool2d, div, clamp", _CODES, computing_by(of_images(own(_average_pool)), "input")
    ),
    claimed(
        "L2_POOL_2D", "mul, pad, avg_pool2d, div, sqrt, clamp", FLOATS, computing_by(of_images(own(_l2_pool)), "input")
    ),
    claimed("MAX_POOL_2D", "pad, max_pool2d, clamp", _CODES, computing_by(of_images(own(_max_pool)), "input")),
    claimed("FULLY_CONNECTED", "reshape, linear, clamp", _CODES, weighed(_fully_connected, "weights")),
    claimed(
        "BATCH_MATMUL",
        "matmul",
        (*FLOATS, INTEGER, BOTH_BYTES[1]),
        computing(_batch_matmul, "x", "y"),
    ),
    claimed("L2_NORMALIZATION", "normalize", _CODES, computing(_l2_normalization, "input")),
    claimed("LOCAL_RESPONSE_NORMALIZATION", "local_response_norm", FLOATS, computing(_local_response, "input")),
    claimed(
        "INSTANCE_NORMALIZATION",
        "instance_norm, mul, add",
        FLOATS,
        computing_by(of_images(own(_instance_normalization)), "input"),
    ),
    claimed(
        "RESIZE_BILINEAR",
        "interpolate; index_select, mul, add if neither align_corners nor half_pixel_centers is set",
        _CODES,
        computing_by(of_images(_resize_bilinear), "input"),
    ),
)
