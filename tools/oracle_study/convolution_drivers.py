"""Honest drivers that compute convolutions of floats by Winograd's algorithm, by FFT, or as a product of matrices.

:data:`DRIVERS` lists them for ``honest.py``; ``naive.py`` has the fast algorithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import activate
from nnvet.oracle.operations.convolution import ConvolutionInputs, read_inputs
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout
from tools.oracle_study.driver import HonestDriver, OwnRule, make_run
from tools.oracle_study.naive import fourier, winograd

Convolve: TypeAlias = Callable[[Array, Array], Array]
"""Function that convolves an image ``[H, W, C]`` with a filter ``[3, 3, C]`` channel by channel, at all positions."""

f32 = np.float32
_CONVOLUTIONS: Final = frozenset(("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D"))
"""Operations that are computed here."""
_WINDOW: Final = (3, 3)
"""Size of the only filters for which fast algorithms are used."""
_FLOAT32: Final = frozenset(("float32",))
"""The only kind of models for which fast algorithms are tried."""


def _read_convolution(call: Invocation) -> ConvolutionInputs | None:
    return read_inputs(call) if call.name in _CONVOLUTIONS and call.is_float else None


def _pad_image(given: ConvolutionInputs) -> Array:
    left, right, top, bottom = given.steps.padding
    image = given.image.array.astype(f32)
    return np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)))


def _select_channels(name: str, given: ConvolutionInputs, channel: int) -> tuple[slice, Array]:
    """Return the input channels of an output channel, and its filter ``[height, width, depth]``."""
    weights = given.weights.array.astype(f32)
    if name == "DEPTHWISE_CONV_2D":
        source = channel // given.factor
        return slice(source, source + 1), weights[0, :, :, channel : channel + 1]
    depth = weights.shape[-1]
    first = channel // (len(weights) // given.factor) * depth
    return slice(first, first + depth), weights[channel]


def _finish(given: ConvolutionInputs, sums: Array) -> Array:
    biased = (sums + given.bias.astype(f32)).astype(np.float64)
    return in_layout(Tensor.of(activate(biased, given.activation)), nchw=given.nchw).array


def make_transform_rule(convolve: Convolve) -> OwnRule:
    """Return the rule that convolves the whole padded image at once by a fast algorithm.

    It applies to filters of 3 by 3 with strides and dilations of 1. The outermost rows and columns of what the
    algorithm returns are dropped.
    """

    def compute(call: Invocation) -> Any:
        given = _read_convolution(call)
        if given is None:
            return None
        steps = given.steps
        if given.weights.dims[1:3] != _WINDOW or (*steps.stride, *steps.dilation) != (1, 1, 1, 1):
            return None
        image = _pad_image(given)
        made = len(given.bias)
        if min(image.shape[1:3]) < _WINDOW[0] or not image.size:
            return None
        sums = np.zeros((len(image), image.shape[1] - 2, image.shape[2] - 2, made), f32)
        for batch, channel in np.ndindex(len(image), made):
            seen, kernel = _select_channels(call.name, given, channel)
            whole = convolve(image[batch, :, :, seen], kernel)
            sums[batch, :, :, channel] = whole[1:-1, 1:-1].sum(-1, dtype=f32)
        return _finish(given, sums)

    return compute


def convolve_patches(call: Invocation) -> Any:
    """Compute a convolution as a product of matrices in NumPy's BLAS: the patches of the image are rows (im2col)."""
    given = _read_convolution(call)
    if given is None:
        return None
    image, weights = _pad_image(given), given.weights.array
    height, width = weights.shape[1:3]
    (across, down), (wide, high) = given.steps.stride, given.steps.dilation
    rows = (image.shape[1] - (height - 1) * high - 1) // down + 1
    columns = (image.shape[2] - (width - 1) * wide - 1) // across + 1
    made = len(given.bias)
    sums = np.zeros((len(image), rows, columns, made), f32)
    for channel in range(made):
        seen, kernel = _select_channels(call.name, given, channel)
        patches = np.array(
            [
                image[:, i * high :: down, j * wide :: across, seen][:, :rows, :columns]
                for i, j in np.ndindex(height, width)
            ]
        )
        matrix = np.moveaxis(patches, 0, 3).reshape(-1, kernel.size)
        sums[..., channel] = (np.ascontiguousarray(matrix) @ kernel.reshape(-1, 1)).reshape(sums.shape[:3])
    return _finish(given, sums)


DRIVERS: Final = (
    HonestDriver(
        "im2col", frozenset(("float32", "float16")), make_run(convolve_patches), "patches times filters by BLAS"
    ),
    *(
        HonestDriver(
            f"winograd-{outputs}",
            _FLOAT32,
            make_run(make_transform_rule(winograd(outputs))),
            f"Winograd's F({outputs}, 3)",
            (f"winograd-{outputs}",),
        )
        for outputs in (2, 4, 6)
    ),
    HonestDriver(
        "fft", _FLOAT32, make_run(make_transform_rule(fourier)), "convolution by FFT of the padded image", ("fft",)
    ),
)
