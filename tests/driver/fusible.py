"""Small random networks of operations that the bundled driver puts together, with values for their inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.graphs.model import Array, TestModel, TestOperand, TestOperation, TestSubgraph
from nnvet.hal.enums import OperandLifeTime as Life
from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import SymmPerChannelQuantParams

KINDS: Final = (T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM, T.TENSOR_QUANT8_ASYMM_SIGNED)
_PER_CHANNEL: Final = T.TENSOR_QUANT8_SYMM_PER_CHANNEL
_SAME: Final = 1


@dataclass
class Network:
    """A network in the making; ``current`` is the operand that the next operation reads."""

    kind: T
    rng: np.random.Generator
    per_channel: bool = False
    operands: list[TestOperand] = field(default_factory=list)
    operations: list[TestOperation] = field(default_factory=list)
    current: int = -1

    def start(self, *dimensions: int) -> None:
        """An input with random values."""
        self.current = self._add(self._values(dimensions, Life.SUBGRAPH_INPUT))

    def convolution(self, *, depthwise: bool = False) -> None:
        """Windows of some size, stride, dilation and padding."""
        batches, height, width, depth = self.shape
        sizes = [int(self.rng.integers(1, min(4, cells + 1))) for cells in (height, width)]
        units = depth if depthwise else int(self.rng.integers(1, 40))
        strides = [int(self.rng.integers(1, 3)) for _ in sizes]
        dilations = [int(self.rng.integers(1, 3)) if size > 1 else 1 for size in sizes]
        extents = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations, strict=True)]
        fits = all(extent <= cells for extent, cells in zip(extents, (height, width), strict=True))
        if not fits or self.rng.random() < 0.5:
            padding = [_SAME]
            out = [-(-cells // stride) for cells, stride in zip((height, width), strides, strict=True)]
        else:
            reaches = extents[1], extents[1], extents[0], extents[0]
            left, right, top, bottom = padding = [int(self.rng.integers(0, reach)) for reach in reaches]
            totals = (height + top + bottom, width + left + right)
            pairs = zip(totals, extents, strides, strict=True)
            out = [(total - extent) // stride + 1 for total, extent, stride in pairs]
        weights = self._weights((1, *sizes, units) if depthwise else (units, *sizes, depth), units, 3 * depthwise)
        multiplier = [1] if depthwise else []
        scalars = [*padding, strides[1], strides[0], *multiplier, self._activation()]
        numbers = [self._number(scalar) for scalar in scalars]
        tail = [self._constant(T.BOOL, np.array([False])), self._number(dilations[1]), self._number(dilations[0])]
        operation = O.DEPTHWISE_CONV_2D if depthwise else O.CONV_2D
        self._operation(operation, [self.current, *weights, *numbers, *tail], (batches, *out, units))

    def sum(self, other: int) -> None:
        """The current tensor plus another one of its shape."""
        self._operation(O.ADD, [self.current, other, self._number(self._activation())], self.shape)

    def pool(self) -> None:
        """Means or maxima."""
        batches, height, width, depth = self.shape
        sizes = [int(self.rng.integers(1, min(4, cells + 1))) for cells in (height, width)]
        strides = [int(self.rng.integers(1, 3)) for _ in sizes]
        out = [-(-cells // stride) for cells, stride in zip((height, width), strides, strict=True)]
        scalars = [_SAME, strides[1], strides[0], sizes[1], sizes[0], self._activation()]
        numbers = [self._number(scalar) for scalar in scalars]
        operation = O.AVERAGE_POOL_2D if self.rng.random() < 0.5 else O.MAX_POOL_2D
        self._operation(operation, [self.current, *numbers], (batches, *out, depth), keeps_scale=True)

    def flatten(self) -> None:
        """One row for each batch."""
        shape = (self.shape[0], int(np.prod(self.shape[1:])))
        sizes = self._constant(T.TENSOR_INT32, np.array(shape, np.int32), shape=(2,))
        self._operation(O.RESHAPE, [self.current, sizes], shape, keeps_scale=True)

    def fully_connected(self) -> None:
        """A matrix product."""
        units = int(self.rng.integers(1, 40))
        weights = self._weights((units, self.shape[1]), units, None)
        self._operation(
            O.FULLY_CONNECTED, [self.current, *weights, self._number(self._activation())], (self.shape[0], units)
        )

    def softmax(self) -> None:
        """Shares of one."""
        beta = self._constant(T.FLOAT32, np.array([self.rng.uniform(0.2, 2)], np.float32))
        zero = -128 if self.kind == T.TENSOR_QUANT8_ASYMM_SIGNED else 0
        self._operation(O.SOFTMAX, [self.current, beta], self.shape, scale=1 / 256, zero=zero)

    def model(self, *outputs: int) -> TestModel:
        """The network; its outputs are the current operand and ``outputs``."""
        results = (*outputs, self.current)
        operands = [
            self._as_output(operand) if index in results else operand for index, operand in enumerate(self.operands)
        ]
        inputs = [index for index, operand in enumerate(operands) if operand.lifetime == Life.SUBGRAPH_INPUT]
        return TestModel("fused", TestSubgraph(tuple(operands), tuple(self.operations), tuple(inputs), results))

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions of the current operand."""
        return self.operands[self.current].dimensions

    def _as_output(self, operand: TestOperand) -> TestOperand:
        empty = np.zeros(int(np.prod(operand.dimensions)), type_info(operand.type).dtype)
        kept = {"scale": operand.scale, "zero_point": operand.zero_point, "lifetime": Life.SUBGRAPH_OUTPUT}
        return TestOperand(operand.type, operand.dimensions, data=empty, **kept)

    def _operation(
        self,
        code: O,
        inputs: list[int],
        shape: tuple[int, ...],
        *,
        keeps_scale: bool = False,
        scale: float | None = None,
        zero: int = 0,
    ) -> None:
        source = self.operands[self.current]
        if scale is None:
            scale, zero = (source.scale, source.zero_point) if keeps_scale else self._quantization()
        if self.kind == T.TENSOR_FLOAT32:
            scale, zero = 0.0, 0
        out = self._add(TestOperand(self.kind, shape, scale, zero))
        self.operations.append(TestOperation(code, tuple(inputs), (out,)))
        self.current = out

    def _quantization(self) -> tuple[float, int]:
        low, high = (-128, 127) if self.kind == T.TENSOR_QUANT8_ASYMM_SIGNED else (0, 255)
        zero = int(self.rng.choice([low, low + 1, (low + high) // 2, int(self.rng.integers(low, high + 1))]))
        return float(np.float32(self.rng.uniform(0.02, 0.2))), zero

    def _values(self, shape: tuple[int, ...], lifetime: Life) -> TestOperand:
        if self.kind == T.TENSOR_FLOAT32:
            data = self.rng.normal(size=shape).astype(np.float32)
            return TestOperand(self.kind, shape, lifetime=lifetime, data=data.reshape(-1))
        info = np.iinfo(type_info(self.kind).dtype)
        data = self.rng.integers(info.min, info.max, shape, endpoint=True).astype(info.dtype)
        return TestOperand(self.kind, shape, *self._quantization(), lifetime=lifetime, data=data.reshape(-1))

    def _weights(self, shape: tuple[int, ...], units: int, channel_dim: int | None) -> list[int]:
        """Weights, and the bias."""
        if self.kind == T.TENSOR_FLOAT32:
            bias = self.rng.normal(size=units).astype(np.float32)
            weights = (self.rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
            return [self._constant(self.kind, weights, shape=shape), self._constant(self.kind, bias, shape=(units,))]
        source_scale = self.operands[self.current].scale
        bias = self.rng.integers(-2000, 2000, units).astype(np.int32)
        if self.per_channel and channel_dim is not None:
            scales = tuple(float(np.float32(factor)) for factor in self.rng.uniform(0.001, 0.02, units))
            data = self.rng.integers(-127, 128, shape).astype(np.int8)
            quant = SymmPerChannelQuantParams(scales, channel_dim)
            place = self._constant(_PER_CHANNEL, data, shape=shape, channel_quant=quant)
            return [place, self._constant(T.TENSOR_INT32, bias, shape=(units,))]
        info = np.iinfo(type_info(self.kind).dtype)
        data = self.rng.integers(info.min, info.max, shape, endpoint=True).astype(info.dtype)
        scale, zero = float(np.float32(self.rng.uniform(0.001, 0.01))), int(self.rng.integers(info.min, info.max))
        place = self._constant(self.kind, data, shape=shape, scale=scale, zero_point=zero)
        bias_scale = float(np.float32(source_scale) * np.float32(scale))
        return [place, self._constant(T.TENSOR_INT32, bias, shape=(units,), scale=bias_scale)]

    def _activation(self) -> int:
        return int(self.rng.integers(0, 4))

    def _number(self, value: int) -> int:
        return self._constant(T.INT32, np.array([value], np.int32))

    def _constant(
        self,
        kind: T,
        data: Array,
        shape: tuple[int, ...] = (),
        scale: float = 0.0,
        zero_point: int = 0,
        channel_quant: SymmPerChannelQuantParams | None = None,
    ) -> int:
        life = Life.CONSTANT_COPY
        return self._add(
            TestOperand(kind, shape, scale, zero_point, life, channel_quant=channel_quant, data=data.reshape(-1))
        )

    def _add(self, operand: TestOperand) -> int:
        self.operands.append(operand)
        return len(self.operands) - 1


def random_network(kind: T, seed: int) -> TestModel:
    """Convolutions of both kinds, sums with what came before, pooling, and often a classifier at the end."""
    network = Network(kind, np.random.default_rng(seed), per_channel=bool(seed % 2))
    rng = network.rng
    network.start(int(rng.integers(1, 3)), *(int(size) for size in rng.integers(1, 9, 2)), int(rng.integers(1, 20)))
    seen = []
    for _ in range(int(rng.integers(2, 7))):
        choice = rng.random()
        alike = [index for index in seen if network.operands[index].dimensions == network.shape]
        if choice < 0.2 and alike:
            network.sum(int(rng.choice(alike)))
        elif choice < 0.35:
            network.pool()
        else:
            network.convolution(depthwise=choice > 0.7)
        seen.append(network.current)
    extra = (seen[0],) if rng.random() < 0.3 and len(seen) > 1 else ()
    if rng.random() < 0.6:
        network.flatten()
        network.fully_connected()
        network.softmax()
    return network.model(*extra)
