"""Convolutions, pooling and products of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from nnvet.adapters.runtimes.claims import BOTH_BYTES, FLOATS, INTEGER
from nnvet.adapters.runtimes.functions import Function, Make, claimed, computing
from nnvet.adapters.torch.emitter import TorchEmitter
from nnvet.adapters.torch.forms import TorchClaim, activating, of_images
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.convolution import image, transposed_geometry, windows
from nnvet.hal.operations.declaration import Argument, Call

_TO_OIHW: Final = (0, 3, 1, 2)
_CHANNELS_FIRST: Final = (3, 0, 1, 2)
"""From [1, height, width, out] of a depthwise filter, and from [out, height, width, in] to [in, out, height, width]."""
_CODES: Final = (*FLOATS, *BOTH_BYTES)


def _weighed(make: Make, weights: str) -> Any:
    """Return a function of input, weights and bias; the bias of codes counts in units of input times weights."""

    def emit(emitter: TorchEmitter, call: Call) -> None:
        function, scales = make(call), _bias_scales(call, call[weights])

        def scaled(value: Tensor, factors: Tensor, bias: Tensor) -> Any:
            return function(value, factors, bias * scales.to(bias.device))

        emitter.compute(
            function if scales is None else scaled, [call["input"], call[weights], call["bias"]], call.outputs
        )

    return emit


def _bias_scales(call: Call, weights: Argument) -> Any:
    """Return the value of a unit of the bias, one number or one of each channel; None for floats."""
    if not type_info(call["input"].type).is_quantized:
        return None
    channels = weights.channel_quant
    scales = [weights.scale] if channels is None else list(channels.scales)
    return torch.tensor(scales, dtype=torch.float64) * call["input"].scale


def _sides(call: Call) -> list[int]:
    """Return cells around images of PyTorch: left, right, above, below."""
    above, beside = windows(call)
    return [beside.head, beside.tail, above.head, above.tail]


def _groups(call: Call) -> int:
    if "depth_multiplier" in call.inputs:
        return image(call)[3]
    return int(call.scalar("groups", 1))


def _turned(argument: Argument, order: Sequence[int]) -> Function:
    """Return weights with their dimensions in another order; of constants they are turned once."""
    kept: list[Any] = []

    def turned(weights: Tensor) -> Any:
        if not argument.constant:
            return weights.permute(order)
        if not kept:
            kept.append(weights.permute(order).contiguous())
        return kept[0]

    return turned


def _convolution(call: Call) -> Function:
    """PyTorch pads both ends of an axis alike; what is not so is padded before."""
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
    """All products are added up, then what lies outside of the output is cut off; what is missing is zero."""
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


def _fully_connected(call: Call) -> Function:
    size, activate = call["weights"].dimensions[1], activating(call)

    def multiplied(value: Tensor, weights: Tensor, bias: Tensor) -> Any:
        result = functional.linear(value.reshape(-1, size), weights, bias)
        return activate(result).reshape(call.output.dimensions)

    return multiplied


def _batch_matmul(call: Call) -> Function:
    def adjoined(value: Tensor, name: str) -> Any:
        return value.transpose(-1, -2) if call.scalar(name) else value

    return lambda first, second: torch.matmul(adjoined(first, "adj_x"), adjoined(second, "adj_y"))


CLAIMS: Final[tuple[TorchClaim, ...]] = (
    *(
        claimed(name, "conv2d, clamp; pad where both ends differ", _CODES, _weighed(of_images(_convolution), "filter"))
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D")
    ),
    claimed(
        "TRANSPOSE_CONV_2D", "conv_transpose2d, pad, add, clamp", _CODES, _weighed(of_images(_transpose_conv), "filter")
    ),
    claimed("AVERAGE_POOL_2D", "pad, avg_pool2d, div, clamp", _CODES, computing(of_images(_average_pool), "input")),
    claimed("L2_POOL_2D", "mul, pad, avg_pool2d, div, sqrt, clamp", FLOATS, computing(of_images(_l2_pool), "input")),
    claimed("MAX_POOL_2D", "pad, max_pool2d, clamp", _CODES, computing(of_images(_max_pool), "input")),
    claimed("FULLY_CONNECTED", "reshape, linear, clamp", _CODES, _weighed(_fully_connected, "weights")),
    claimed(
        "BATCH_MATMUL",
        "matmul",
        (*FLOATS, INTEGER, BOTH_BYTES[1]),
        computing(_batch_matmul, "x", "y"),
    ),
)
