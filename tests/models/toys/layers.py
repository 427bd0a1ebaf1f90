"""Layers of synthetic convolutional networks, in float and in uint8 from the same random weights.

Weights are drawn so that activations keep their size from layer to layer; the quantised form of a network takes its
scales from that size, as training with quantisation would have found them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.tflite.schema import Activation, Padding
from nnvet.formats.tflite.writer import ModelWriter

_LEVELS: Final = 255
_MIDDLE: Final = 128
_RECTIFIED: Final = (6.0 / _LEVELS, 0)
_WIDTH: Final = 8.0
"""A linear layer's codes cover so many standard deviations."""
_DEVIATION: Final = 1.5
_PROBABILITY: Final = (1 / 256, 0)


@dataclass(frozen=True)
class Value:
    """A tensor of a network: its index, shape, expected mean square, and (scale, zero point) if it is quantised."""

    index: int
    shape: tuple[int, ...]
    power: float
    quantization: tuple[float, int]


class Layers:
    """Writes layers one after the other; equal seeds give equal weights in both forms."""

    def __init__(self, seed: int, *, quantized: bool) -> None:
        """Begin a network."""
        self.writer = ModelWriter("nnvet bundled network")
        self._quantized = quantized
        self._rng = np.random.default_rng(seed)

    def picture(self, size: int) -> Value:
        """The input: pixels in [-1, 1]."""
        return self._value("picture", (1, size, size, 3), 1 / 3, (2.0 / 256, _MIDDLE))

    def convolution(
        self,
        data: Value,
        channels: int,
        size: int,
        stride: int,
        *,
        activation: Activation = Activation.RELU6,
        deviation: float = _DEVIATION,
    ) -> Value:
        """A convolution with a square filter; without ``activation`` its outputs have the given deviation."""
        fan_in = size * size * data.shape[-1]
        weights = self._weights((channels, size, size, data.shape[-1]), fan_in, data.power, deviation)
        # Without their mean, filters answer to what tells pictures apart rather than to what all have in common.
        weights -= weights.mean(axis=(1, 2, 3), keepdims=True)
        options = {"padding": Padding.SAME, "stride_w": stride, "stride_h": stride, "activation": activation}
        return self._weighted("CONV_2D", data, weights, (channels, stride), deviation, options)

    def depthwise(self, data: Value, stride: int) -> Value:
        """A 3 by 3 depthwise convolution with ReLU6."""
        channels = data.shape[-1]
        weights = self._weights((1, 3, 3, channels), 9, data.power, _DEVIATION)
        options = {
            "padding": Padding.SAME,
            "stride_w": stride,
            "stride_h": stride,
            "depth_multiplier": 1,
            "activation": Activation.RELU6,
        }
        return self._weighted("DEPTHWISE_CONV_2D", data, weights, (channels, stride), _DEVIATION, options)

    def sum(self, left: Value, right: Value) -> Value:
        """A residual connection."""
        power = left.power + right.power
        output = self._value("sum", left.shape, power, _linear(power**0.5))
        self.writer.operator("ADD", [left.index, right.index], [output.index], activation=Activation.NONE)
        return output

    def pool(self, data: Value) -> Value:
        """The mean over the whole picture."""
        side = data.shape[1]
        output = self._value("pool", (1, 1, 1, data.shape[-1]), data.power / 6, data.quantization)
        self.writer.operator(
            "AVERAGE_POOL_2D",
            [data.index],
            [output.index],
            padding=Padding.VALID,
            stride_w=side,
            stride_h=side,
            filter_width=side,
            filter_height=side,
        )
        return output

    def classes(self, data: Value, count: int) -> bytes:
        """The head: logits by a 1 by 1 convolution, flattened, and their softmax. Returns the finished file."""
        # Flat probabilities: a step of the logits' codes must not become many steps of theirs.
        logits = self.convolution(data, count, 1, 1, activation=Activation.NONE, deviation=0.5)
        flat = self._value("flat", (1, count), logits.power, logits.quantization)
        shape = self.writer.constant("shape", [1, count], "int32")
        self.writer.operator("RESHAPE", [logits.index, shape], [flat.index])
        output = self._value("probabilities", (1, count), 1.0, _PROBABILITY)
        self.writer.operator("SOFTMAX", [flat.index], [output.index], beta=1.0)
        return self.writer.finish([0], [output.index])

    def _weighted(
        self,
        operator: str,
        data: Value,
        weights: npt.NDArray[Any],
        form: tuple[int, int],
        deviation: float,
        options: Any,
    ) -> Value:
        """An operator with weights and bias; ``form`` is output channels and stride."""
        channels, stride = form
        side = -(-data.shape[1] // stride)
        bias = self._rng.normal(0, deviation / 50, channels)
        rectified = options["activation"] == Activation.RELU6
        power = 0.34 * deviation**2 if rectified else deviation**2
        name = operator.lower()
        output = self._value(name, (1, side, side, channels), power, _RECTIFIED if rectified else _linear(deviation))
        tensors = [data.index, *self._parameters(name, data, weights, bias)]
        self.writer.operator(operator, tensors, [output.index], **options)
        return output

    def _weights(self, shape: tuple[int, ...], fan_in: int, power: float, deviation: float) -> npt.NDArray[np.float64]:
        """Random weights that bring inputs of mean square ``power`` to outputs of ``deviation``."""
        return self._rng.normal(0, deviation / (fan_in * power) ** 0.5, shape)

    def _parameters(self, name: str, data: Value, weights: npt.NDArray[Any], bias: npt.NDArray[Any]) -> tuple[int, int]:
        """Tensors of weights and bias."""
        if not self._quantized:
            return self.writer.constant(f"{name}_weights", weights), self.writer.constant(f"{name}_bias", bias)
        scale = float(np.float32((weights.max() - weights.min()) / _LEVELS))
        zero_point = int(np.clip(np.rint(-weights.min() / scale), 0, _LEVELS))
        codes = np.clip(np.rint(weights / scale) + zero_point, 0, _LEVELS)
        product = float(np.float32(data.quantization[0]) * np.float32(scale))
        return (
            self.writer.constant(f"{name}_weights", codes, "uint8", scale=scale, zero_point=zero_point),
            self.writer.constant(f"{name}_bias", np.rint(bias / product), "int32", scale=product),
        )

    def _value(self, name: str, shape: tuple[int, ...], power: float, quantization: tuple[float, int]) -> Value:
        """A new computed tensor."""
        if not self._quantized:
            return Value(self.writer.tensor(name, shape), shape, power, quantization)
        scale, zero_point = quantization
        index = self.writer.tensor(name, shape, "uint8", scale=scale, zero_point=zero_point)
        return Value(index, shape, power, quantization)


def _linear(deviation: float) -> tuple[float, int]:
    """Scale and zero point of values around 0."""
    return _WIDTH * deviation / _LEVELS, _MIDDLE
