"""Small valid calls of windowed operations, by operand name, to be changed in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import SymmPerChannelQuantParams
from tests.kernels.movement import flag, ints, number
from tests.single import output, tensor

Call = tuple[Sequence[Argument], Sequence[Argument]]
FLOAT = T.TENSOR_FLOAT32
PER_CHANNEL = T.TENSOR_QUANT8_SYMM_PER_CHANNEL
QUANTIZED = (T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED)

PADDING = {f"padding_{side}": number(0) for side in ("left", "right", "top", "bottom")}
STRIDES = {"stride_width": number(1), "stride_height": number(1)}
DILATIONS = {"dilation_width": number(1), "dilation_height": number(1)}
FILTER = {"filter_width": number(2), "filter_height": number(2)}
IMPLICIT = {"padding": number(1)}
OUTPUT_SHAPE = {"output_shape": ints(1, 3, 3, 3)}
ACTIVATION, LAYOUT = {"activation": number(0)}, {"layout": flag(value=False)}
FILTER_SHAPES = {
    O.CONV_2D: (3, 2, 2, 2),
    O.DEPTHWISE_CONV_2D: (1, 2, 2, 4),
    O.GROUPED_CONV_2D: (4, 2, 2, 1),
    O.TRANSPOSE_CONV_2D: (3, 2, 2, 2),
}
CHANNEL_DIMS = {operation: 3 if operation == O.DEPTHWISE_CONV_2D else 0 for operation in FILTER_SHAPES}


def zeros(kind: T, *dims: int, scale: float = 0.5) -> Argument:
    """A tensor of zeros; 8-bit ones have the given scale."""
    return tensor(kind, np.zeros(dims), scale if kind in QUANTIZED else 0.0)


def operands(operation: O, kind: T = FLOAT, weights: T | None = None, *, implicit: bool = False) -> dict[str, Argument]:
    """All operands of a valid call: images of 3 x 3 cells and 2 channels, windows of 2 x 2 cells."""
    images = {"input": zeros(kind, 1, 3, 3, 2)}
    padding = IMPLICIT if implicit else PADDING
    if operation not in FILTER_SHAPES:
        return {**images, **padding, **STRIDES, **FILTER, **ACTIVATION, **LAYOUT}
    tensors = {**images, **_weights(operation, kind, weights or kind)}
    if operation == O.TRANSPOSE_CONV_2D:
        return {**tensors, **(OUTPUT_SHAPE if implicit else {}), **padding, **STRIDES, **ACTIVATION, **LAYOUT}
    if operation == O.GROUPED_CONV_2D:
        return {**tensors, **padding, **STRIDES, "groups": number(2), **ACTIVATION, **LAYOUT}
    extra = {"depth_multiplier": number(2)} if operation == O.DEPTHWISE_CONV_2D else {}
    return {**tensors, **padding, **STRIDES, **extra, **ACTIVATION, **LAYOUT, **DILATIONS}


def _weights(operation: O, kind: T, weights: T) -> dict[str, Argument]:
    shape = FILTER_SHAPES[operation]
    channels = shape[CHANNEL_DIMS[operation]]
    filter_ = zeros(weights, *shape)
    if weights == PER_CHANNEL:
        filter_.channel_quant = SymmPerChannelQuantParams((0.5,) * channels, CHANNEL_DIMS[operation])
    if kind not in QUANTIZED:
        return {"filter": filter_, "bias": zeros(kind, channels)}
    bias_scale = 0.0 if weights == PER_CHANNEL else 0.25
    return {"filter": filter_, "bias": tensor(T.TENSOR_INT32, np.zeros(channels), bias_scale)}


def result(operation: O, kind: T) -> Argument:
    """An output; that of a pooling is quantised like its input."""
    scale = 0.5 if operation not in FILTER_SHAPES else 1.0
    return output(kind, scale if kind in QUANTIZED else 0.0, rank=4)


def call(
    operation: O,
    changes: Mapping[str, Argument] | None = None,
    *,
    kind: T = FLOAT,
    weights: T | None = None,
    implicit: bool = False,
    length: int | None = None,
) -> Call:
    """Inputs and outputs of the valid call with some operands changed, cut to ``length`` inputs."""
    inputs = {**operands(operation, kind, weights, implicit=implicit), **(changes or {})}
    return list(inputs.values())[:length], [result(operation, kind)]
