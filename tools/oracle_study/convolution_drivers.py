"""Convolutions by fast algorithms, and as one matrix product of patches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.convolution import ConvolutionInputs, read_inputs
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout
from tools.oracle_study.driver import HonestDriver, OwnRule, own
from tools.oracle_study.naive import fourier, winograd

Convolve: TypeAlias = Callable[[Array, Array], Array]
"""Channel by channel, an image ``[H, W, C]`` with a filter of 3 by 3 cells, as large as the image."""

f32 = np.float32
_CONVOLUTIONS: Final = frozenset(("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D"))
_WINDOW: Final = (3, 3)
_FLOAT32: Final = frozenset(("float32",))


def _given(call: Invocation) -> ConvolutionInputs | None:
    return read_inputs(call) if call.name in _CONVOLUTIONS and call.is_float else None


def _padded(given: ConvolutionInputs) -> Array:
    left, right, top, bottom = given.steps.padding
    image = given.image.array.astype(f32)
    return np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)))


def _channels(name: str, given: ConvolutionInputs, channel: int) -> tuple[slice, Array]:
    """Input channels of an output channel, and its filter ``[height, width, depth]``."""
    weights = given.weights.array.astype(f32)
    if name == "DEPTHWISE_CONV_2D":
        source = channel // given.factor
        return slice(source, source + 1), weights[0, :, :, channel : channel + 1]
    depth = weights.shape[-1]
    first = channel // (len(weights) // given.factor) * depth
    return slice(first, first + depth), weights[channel]


def _finished(given: ConvolutionInputs, sums: Array) -> Array:
    biased = (sums + given.bias.astype(f32)).astype(np.float64)
    return in_layout(Tensor.of(activate(biased, given.activation)), nchw=given.nchw).array


def transformed(convolve: Convolve) -> OwnRule:
    """Strides and dilations of 1, 3 by 3 cells: the whole padded image at once, its middle is the result."""

    def compute(call: Invocation) -> Any:
        given = _given(call)
        if given is None:
            return None
        steps = given.steps
        if given.weights.dims[1:3] != _WINDOW or (*steps.stride, *steps.dilation) != (1, 1, 1, 1):
            return None
        image = _padded(given)
        made = len(given.bias)
        if min(image.shape[1:3]) < _WINDOW[0] or not image.size:
            return None
        sums = np.zeros((len(image), image.shape[1] - 2, image.shape[2] - 2, made), f32)
        for batch, channel in np.ndindex(len(image), made):
            seen, kernel = _channels(call.name, given, channel)
            whole = convolve(image[batch, :, :, seen], kernel)
            sums[batch, :, :, channel] = whole[1:-1, 1:-1].sum(-1, dtype=f32)
        return _finished(given, sums)

    return compute


def by_patches(call: Invocation) -> Any:
    """Patches as rows of a matrix, times the filters by the float32 matrix product of the BLAS at hand."""
    given = _given(call)
    if given is None:
        return None
    image, weights = _padded(given), given.weights.array
    height, width = weights.shape[1:3]
    (across, down), (wide, high) = given.steps.stride, given.steps.dilation
    rows = (image.shape[1] - (height - 1) * high - 1) // down + 1
    columns = (image.shape[2] - (width - 1) * wide - 1) // across + 1
    made = len(given.bias)
    sums = np.zeros((len(image), rows, columns, made), f32)
    for channel in range(made):
        seen, kernel = _channels(call.name, given, channel)
        patches = np.array(
            [
                image[:, i * high :: down, j * wide :: across, seen][:, :rows, :columns]
                for i, j in np.ndindex(height, width)
            ]
        )
        matrix = np.moveaxis(patches, 0, 3).reshape(-1, kernel.size)
        sums[..., channel] = (np.ascontiguousarray(matrix) @ kernel.reshape(-1, 1)).reshape(sums.shape[:3])
    return _finished(given, sums)


DRIVERS: Final = (
    HonestDriver("im2col", frozenset(("float32", "float16")), own(by_patches), "patches times filters by BLAS"),
    *(
        HonestDriver(
            f"winograd-{outputs}",
            _FLOAT32,
            own(transformed(winograd(outputs))),
            f"Winograd's F({outputs}, 3)",
            (f"winograd-{outputs}",),
        )
        for outputs in (2, 4, 6)
    ),
    HonestDriver("fft", _FLOAT32, own(transformed(fourier)), "convolution by FFT of the padded image", ("fft",)),
)
