"""Models for the checks of compilation caching: long chains of one operation, and a small MobileNet.

Source: VTS catalogue 5.1 and 5.3. Chains have results that can be told without computing; the network's weights are
random but the same for equal types, and what it computes is compared with itself.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from generators.test_model import TestModel, TestOperand, TestOperation, TestSubgraph, consumers, element_type
from hal.operand_types import OPERAND_TYPES
from hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType

CHAIN_LENGTH: Final = 100
_STEP_CONSTANT: Final = {OperationType.ADD: (1.0, 1), OperationType.MUL: (0.5, 2)}
"""Scale and code of the second operand: the number 1 in the quantised chains."""

_PICTURE: Final = 16
_CLASSES: Final = 10
_BLOCKS: Final = ((16, 1), (16, 2), (24, 2))
"""Channels and stride of each depthwise-separable block."""
_SAME: Final = 1
_VALID: Final = 2
_RELU6: Final = 3
_SEED: Final = 20
_CODES: Final = 255
_MIDDLE: Final = 128


def chain(operation: OperationType, operand_type: OperandType, length: int = CHAIN_LENGTH) -> TestModel:
    """1 through ``length`` additions of 1 or multiplications by 1."""
    graph = _Graph(operand_type)
    scale, code = _STEP_CONSTANT[operation] if graph.is_quantized else (0.0, 1)
    unit = 1.0 if graph.is_quantized else 0.0
    activation = graph.scalar(0)
    value = graph.tensor((1,), unit, 0, OperandLifeTime.SUBGRAPH_INPUT, [1])
    for step in range(length):
        one = graph.tensor((1,), scale, 0, OperandLifeTime.CONSTANT_COPY, [code])
        last = step == length - 1
        lifetime = OperandLifeTime.SUBGRAPH_OUTPUT if last else OperandLifeTime.TEMPORARY_VARIABLE
        result = [1 + length if operation is OperationType.ADD else 1] if last else None
        output = graph.tensor((1,), unit, 0, lifetime, result)
        graph.operations.append(TestOperation(operation, (value, one, activation), (output,)))
        value = output
    return graph.finish(f"{operation.name.lower()}_chain_{operand_type.name.lower()}")


def small_mobilenet(operand_type: OperandType) -> TestModel:
    """A convolution, depthwise-separable blocks, a classifier and its softmax; the expected output is all zeros."""
    graph = _Network(operand_type)
    value = graph.convolution(graph.picture(), 8, 3, 2)
    for channels, stride in _BLOCKS:
        value = graph.convolution(graph.depthwise(value, stride), channels, 1, 1)
    value = graph.classifier(graph.pool(value))
    return graph.finish(f"small_mobilenet_{operand_type.name.lower()}")


class _Graph:
    """A model in the making; all tensors are of one type."""

    def __init__(self, operand_type: OperandType) -> None:
        self.type = operand_type
        self.is_quantized = OPERAND_TYPES[operand_type].is_quantized
        self.operands: list[TestOperand] = []
        self.operations: list[TestOperation] = []

    def add(self, operand: TestOperand) -> int:
        self.operands.append(operand)
        return len(self.operands) - 1

    def scalar(self, value: int) -> int:
        """A constant INT32."""
        data = np.array([value], np.int32)
        return self.add(TestOperand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, data=data))

    def tensor(
        self,
        dimensions: tuple[int, ...],
        scale: float,
        zero_point: int,
        lifetime: OperandLifeTime = OperandLifeTime.TEMPORARY_VARIABLE,
        data: Any = None,
    ) -> int:
        """A tensor of the model's type."""
        array = None if data is None else np.asarray(data, element_type(self.type)).reshape(-1)
        operand = TestOperand(self.type, dimensions, scale=scale, zero_point=zero_point, lifetime=lifetime, data=array)
        return self.add(operand)

    def finish(self, name: str) -> TestModel:
        """The model, once all operations are there."""
        for operand, count in zip(self.operands, consumers(self.operations, len(self.operands)), strict=True):
            operand.number_of_consumers = count
        main = TestSubgraph(
            self.operands,
            self.operations,
            self._indexes(OperandLifeTime.SUBGRAPH_INPUT),
            self._indexes(OperandLifeTime.SUBGRAPH_OUTPUT),
        )
        return TestModel(name, main, min_supported_version=FeatureLevel.FL1)

    def _indexes(self, lifetime: OperandLifeTime) -> tuple[int, ...]:
        return tuple(index for index, operand in enumerate(self.operands) if operand.lifetime == lifetime)


class _Network(_Graph):
    """Layers with random weights; scales suit values in [0, 6] and weights of about that deviation."""

    def __init__(self, operand_type: OperandType) -> None:
        super().__init__(operand_type)
        self._rng = np.random.default_rng(_SEED)

    def picture(self) -> int:
        """The input: noise between -1 and 1."""
        shape = (1, _PICTURE, _PICTURE, 3)
        codes = self._rng.integers(0, _CODES + 1, shape)
        data = codes if self.is_quantized else codes / _MIDDLE - 1
        return self.tensor(shape, *self._quantization(1 / _MIDDLE, _MIDDLE), OperandLifeTime.SUBGRAPH_INPUT, data)

    def convolution(self, value: int, channels: int, size: int, stride: int) -> int:
        """A convolution with ReLU6."""
        shape = (channels, size, size, self.operands[value].dimensions[3])
        inputs = [value, *self._weights(value, shape, channels), *map(self.scalar, (_SAME, stride, stride, _RELU6))]
        return self._windowed(OperationType.CONV_2D, inputs, channels, stride)

    def depthwise(self, value: int, stride: int) -> int:
        """A 3 by 3 depthwise convolution with ReLU6."""
        channels = self.operands[value].dimensions[3]
        inputs = [
            value,
            *self._weights(value, (1, 3, 3, channels), channels),
            *map(self.scalar, (_SAME, stride, stride, 1, _RELU6)),
        ]
        return self._windowed(OperationType.DEPTHWISE_CONV_2D, inputs, channels, stride)

    def pool(self, value: int) -> int:
        """The mean over the picture, flat."""
        source = self.operands[value]
        _, side, _, channels = source.dimensions
        pooled = self.tensor((1, 1, 1, channels), source.scale, source.zero_point)
        parameters = map(self.scalar, (_VALID, side, side, side, side, 0))
        self.operations.append(TestOperation(OperationType.AVERAGE_POOL_2D, (value, *parameters), (pooled,)))
        shape = self.add(
            TestOperand(
                OperandType.TENSOR_INT32,
                (2,),
                lifetime=OperandLifeTime.CONSTANT_COPY,
                data=np.array([1, channels], np.int32),
            )
        )
        flat = self.tensor((1, channels), source.scale, source.zero_point)
        self.operations.append(TestOperation(OperationType.RESHAPE, (pooled, shape), (flat,)))
        return flat

    def classifier(self, value: int) -> int:
        """Logits and their softmax."""
        depth = self.operands[value].dimensions[1]
        logits = self.tensor((1, _CLASSES), *self._quantization(12 / _CODES, _MIDDLE))
        inputs = (value, *self._weights(value, (_CLASSES, depth), _CLASSES), self.scalar(0))
        self.operations.append(TestOperation(OperationType.FULLY_CONNECTED, inputs, (logits,)))
        beta = self.add(
            TestOperand(OperandType.FLOAT32, lifetime=OperandLifeTime.CONSTANT_COPY, data=np.ones(1, np.float32))
        )
        shape, quantization = (1, _CLASSES), self._quantization(1 / 256, 0)
        output = self.tensor(shape, *quantization, OperandLifeTime.SUBGRAPH_OUTPUT, np.zeros(shape))
        self.operations.append(TestOperation(OperationType.SOFTMAX, (logits, beta), (output,)))
        return output

    def _windowed(self, operation: OperationType, inputs: list[int], channels: int, stride: int) -> int:
        side = -(-self.operands[inputs[0]].dimensions[1] // stride)
        output = self.tensor((1, side, side, channels), *self._quantization(6 / _CODES, 0))
        self.operations.append(TestOperation(operation, tuple(inputs), (output,)))
        return output

    def _weights(self, value: int, shape: tuple[int, ...], outputs: int) -> tuple[int, int]:
        """Weights that keep values at their size, and a bias."""
        deviation = 1.5 * (outputs / np.prod(shape)) ** 0.5
        weights, bias = self._rng.normal(0, deviation, shape), self._rng.normal(0.1, 0.1, outputs)
        constant = OperandLifeTime.CONSTANT_COPY
        if not self.is_quantized:
            filters = self.tensor(shape, 0.0, 0, constant, weights)
            return filters, self.tensor((outputs,), 0.0, 0, constant, bias)
        scale = float(np.float32(6 * deviation / _CODES))
        codes = np.clip(np.rint(weights / scale) + _MIDDLE, 0, _CODES)
        product = float(np.float32(self.operands[value].scale) * np.float32(scale))
        sums = np.rint(bias / product).astype(np.int32)
        filters = self.tensor(shape, scale, _MIDDLE, constant, codes)
        operand = TestOperand(OperandType.TENSOR_INT32, (outputs,), scale=product, lifetime=constant, data=sums)
        return filters, self.add(operand)

    def _quantization(self, scale: float, zero_point: int) -> tuple[float, int]:
        """Scale and zero point, which float tensors do not have."""
        return (float(np.float32(scale)), zero_point) if self.is_quantized else (0.0, 0)
