"""Models for the checks of device memory: convolutions that change nothing, an addition, a dequantisation.

The filter of a convolution picks, of each channel, the element itself: its output equals its input, bit by bit.
Source: docs/contract/vts-tests.md 6.1.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import OperandType, OperationType, SymmPerChannelQuantParams

SHAPE: Final = (1, 32, 32, 8)
"""Dimensions of all data."""

SCALE: Final = 0.5
"""Scale of quantised data; the zero point is 0."""

_WINDOW: Final = 3
_PADDING_SAME: Final = 1
_STRIDE: Final = 1
_NO_ACTIVATION: Final = 0


def convolutions(
    operand_type: OperandType,
    count: int = 1,
    dimensions: tuple[int, ...] = SHAPE,
    scale: float = SCALE,
    zero_point: int = 0,
) -> TestModel:
    """``count`` convolutions side by side, each from an input to an output of its own."""
    graph, depth = GraphBuilder(), dimensions[-1]
    pick = np.zeros((depth, _WINDOW, _WINDOW, depth))
    pick[np.arange(depth), _WINDOW // 2, _WINDOW // 2, np.arange(depth)] = 1
    unit = 0.0
    bias_type, quantization = operand_type, (0.0, 0)
    if OPERAND_TYPES[operand_type].is_quantized:
        unit, bias_type, quantization = 1.0, OperandType.TENSOR_INT32, (scale, zero_point)
    for _ in range(count):
        inputs = (
            graph.input(operand_type, dimensions, None, *quantization),
            graph.constant(operand_type, pick.shape, pick, unit),
            graph.constant(bias_type, (depth,), np.zeros(depth), unit * scale),
            *(graph.scalar(OperandType.INT32, value) for value in (_PADDING_SAME, _STRIDE, _STRIDE, _NO_ACTIVATION)),
        )
        output = graph.output(operand_type, dimensions, None, *quantization)
        graph.operation(OperationType.CONV_2D, inputs, output)
    return graph.finish(f"convolutions_{count}")


def addition(operand_type: OperandType, dimensions: tuple[int, ...] = SHAPE) -> TestModel:
    """The sum of inputs 0 and 1; input 2 is the activation."""
    graph = GraphBuilder()
    scale = SCALE if OPERAND_TYPES[operand_type].is_quantized else 0.0
    inputs = [graph.input(operand_type, dimensions, None, scale) for _ in range(2)]
    inputs.append(graph.input(OperandType.INT32, (), None))
    output = graph.output(operand_type, dimensions, None, scale)
    graph.operation(OperationType.ADD, tuple(inputs), output)
    return graph.finish("addition")


def dequantization(scales: tuple[float, ...]) -> TestModel:
    """One DEQUANTIZE of a matrix with a scale for each of its rows."""
    graph, dimensions = GraphBuilder(), (len(scales), 1)
    rows = graph.input_by_channel(dimensions, None, SymmPerChannelQuantParams(scales, 0))
    graph.operation(OperationType.DEQUANTIZE, (rows,), graph.output(OperandType.TENSOR_FLOAT32, dimensions, None))
    return graph.finish("dequantization")
