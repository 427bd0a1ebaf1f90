"""Random calls of operations that slide a window over an image, for kernel tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from nnvet.hal.enums import OperandType as T
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.operations.convolution import Steps, effective, output_size, same_padding
from nnvet.oracle.operations.invocation import Tensor
from tests.kernels.movement import flag, number
from tests.kernels.random_operands import code_range, quantizations
from tests.single import tensor

SAME = 1


@dataclass(frozen=True)
class Geometry:
    """Window and image of a call, with the operands that say so."""

    steps: Steps
    cells: tuple[int, int]
    size: tuple[int, int]
    padding: tuple[Argument, ...]
    strides: tuple[Argument, ...]
    dilations: tuple[Argument, ...]


@st.composite
def geometries(draw: st.DrawFn, *, dilation: int = 2, largest: int = 7) -> Geometry:
    """Image sizes, filter sizes (height, width), strides, dilations and paddings of both kinds that go together."""
    both = st.tuples(st.integers(1, 3), st.integers(1, 3))
    cells, stride = draw(both), draw(both)
    dilations = draw(st.tuples(st.integers(1, dilation), st.integers(1, dilation)))
    size = draw(st.tuples(st.integers(1, largest), st.integers(1, largest)))
    extents = [effective(cells[i], dilations[1 - i]) for i in (0, 1)]
    if draw(st.booleans()):
        code = draw(st.sampled_from((SAME, SAME, 2, 0)))
        pads = [same_padding(size[i], cells[i], stride[1 - i], dilations[1 - i]) for i in (0, 1)]
        (top, bottom), (left, right) = pads if code == SAME else ((0, 0), (0, 0))
        padding: tuple[Argument, ...] = (number(code),)
    else:
        top, bottom = (draw(st.integers(0, extents[0] - 1)) for _ in range(2))
        left, right = (draw(st.integers(0, extents[1] - 1)) for _ in range(2))
        padding = tuple(number(side) for side in (left, right, top, bottom))
    assume(output_size(size[0], cells[0], stride[1], dilations[1], top, bottom) > 0)
    assume(output_size(size[1], cells[1], stride[0], dilations[0], left, right) > 0)
    return Geometry(
        Steps((left, right, top, bottom), stride, dilations),
        cells,
        size,
        padding,
        tuple(map(number, stride)),
        tuple(map(number, dilations)),
    )


@dataclass(frozen=True)
class Weighted:
    """Input, filter and bias of a call, as arguments and as numbers: reals, or codes less the zero points."""

    images: Argument
    weights: Argument
    bias: Argument
    output: Argument
    numbers: tuple[Tensor, Tensor, list[Any]]
    weight_scales: tuple[float, ...]


def numbers_of(argument: Argument) -> Tensor:
    """Values of an argument, codes less the zero point."""
    return Tensor([value - argument.zero_point for value in argument.array.reshape(-1).tolist()], argument.dimensions)


@st.composite
def float_weighted(draw: st.DrawFn, kind: T, images: Sequence[int], weights: Sequence[int], channels: int) -> Weighted:
    """Random floats."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x, w, b = (tensor(kind, rng.normal(size=shape)) for shape in (images, weights, (channels,)))
    return Weighted(x, w, b, Argument(kind), (numbers_of(x), numbers_of(w), numbers_of(b).values), ())


def _codes(
    rng: np.random.Generator, kind: T, shape: Sequence[int], reach: int, quantization: tuple[float, int]
) -> Argument:
    """Random codes of a type, at most ``reach`` from the zero point."""
    low, high = code_range(kind)
    zero_point = quantization[1]
    values = rng.integers(max(low, zero_point - reach), min(high, zero_point + reach) + 1, shape)
    return tensor(kind, values, *quantization)


@st.composite
def code_weighted(
    draw: st.DrawFn,
    kind: T,
    images: Sequence[int],
    weights: Sequence[int],
    channels: int,
    channel_dim: int | None = None,
) -> Weighted:
    """Random codes, and a multiplier and biases that spread the results over the output's codes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x_reach, w_reach = draw(st.tuples(*[st.sampled_from((1, 9, 255))] * 2))
    x = _codes(rng, kind, images, x_reach, draw(quantizations(kind)))
    if channel_dim is None:
        w = _codes(rng, kind, weights, w_reach, draw(quantizations(kind)))
        scales: tuple[float, ...] = (w.scale,)
    else:
        scales = tuple(draw(st.floats(2**-8, 2, width=32)) for _ in range(channels))
        params = SymmPerChannelQuantParams(scales, channel_dim)
        values = rng.integers(-min(w_reach, 128), min(w_reach, 127) + 1, weights)
        w = tensor(T.TENSOR_QUANT8_SYMM_PER_CHANNEL, values, channel_quant=params)
    # Sums of a few products then differ by some dozens of codes; powers of two make exact halves.
    factor = draw(st.floats(-3, 3).map(lambda e: 2.0**e) | st.sampled_from((2.0**-3, 1.0, 4.0)))
    multiplier = factor * 64 / 2 ** (x_reach * w_reach).bit_length()
    target = float(np.float32(x.scale * scales[0] / multiplier))
    _, zero_point = draw(quantizations(kind))
    spread = 150 / multiplier * draw(st.sampled_from((1, 1, 1, 2**20)))
    values = np.clip(rng.integers(-1000, 1001, channels) / 1000 * spread, -(2**31), 2**31 - 1).astype(np.int32)
    bias_scale = 0.0 if channel_dim is not None else float(np.float32(x.scale) * np.float32(scales[0]))
    b = tensor(T.TENSOR_INT32, values, bias_scale)
    numbers = (numbers_of(x), numbers_of(w), values.tolist())
    return Weighted(x, w, b, Argument(kind, (), target, zero_point), numbers, scales)


def in_layout(images: Argument, *, nchw: bool) -> Argument:
    """NHWC images in the layout of the call."""
    if not nchw:
        return images
    return tensor(T(images.type), images.array.transpose(0, 3, 1, 2), images.scale, images.zero_point)


def trailing(
    draw: Callable[[st.SearchStrategy[Any]], Any], geometry: Geometry, *, nchw: bool, dilated: bool
) -> tuple[Argument, ...]:
    """Layout and dilations, both left out where that says the same."""
    if dilated and geometry.steps.dilation != (1, 1):
        return (flag(value=nchw), *geometry.dilations)
    return (flag(value=nchw),) if nchw or draw(st.booleans()) else ()
