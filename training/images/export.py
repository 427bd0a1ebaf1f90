"""Write folded networks as TFLite files: float, uint8 with one scale per tensor, int8 with one per channel.

``build`` has an :class:`Exporter` write each form of a network, by the ranges that ``folded`` finds. The speech
networks have an exporter of their own, ``training.speech.export``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.tflite.schema import Activation, Padding
from nnvet.formats.tflite.writer import ModelWriter
from training.images.folded import Range
from training.images.networks import LayerPlan, NetworkPlan
from training.images.shapes import SHAPES

Weights = npt.NDArray[np.float32]
"""Weights or biases of one layer, in PyTorch's layout."""
_LEVELS: Final = 255
"""Steps between the lowest and the highest of 256 codes."""
_SIGNED_MIDDLE: Final = 128
"""Difference between the zero point of a tensor in uint8 and in int8."""
_SYMMETRIC: Final = 127
"""Largest code of int8 weights: TFLite leaves -128 unused, so that their zero point is 0."""
INPUT_SCALE: Final = 2.0 / 256
"""Scale of the quantised input: 256 codes cover [-1, 1)."""
INPUT_ZERO_POINT: Final = 128
"""Zero point of the uint8 input: with it codes are the bytes of the picture, as in the networks of NNAPI's MLTS."""
_FIRST_VERSION: Final = ("DEPTH_TO_SPACE", "HARD_SWISH", "RESHAPE")
"""Operators whose first version has int8."""
_PROBABILITIES: Final = (1.0 / 256, 0)
"""Scale and zero point (as of uint8) that NNAPI prescribes for the output of SOFTMAX."""
_LARGEST_BIAS: Final = 2.0**29
"""Largest code of a bias, a quarter of the int32 range: the rest is left for the sum of products."""
_SHORT: Final = 12
"""Number of low bits, of the 24 in a scale's significand, that are 0.

The product of two such scales is exact in float32, as NNAPI computes it, and so the same as in double, as LiteRT
computes it for scales per channel.
"""


@dataclass(frozen=True)
class Value:
    """A computed tensor: index, side, channels, scale, and zero point as of uint8."""

    index: int
    side: int
    channels: int
    scale: float
    zero_point: int


class NetworkWriter:
    """Writes layers of one network; ``form`` is "float32", "uint8" or "int8".

    ``ranges`` are the smallest and the largest value of each tensor by its name.
    """

    def __init__(self, name: str, form: str, ranges: Mapping[str, Range]) -> None:
        """Begin a file."""
        self.form, self._ranges = form, ranges
        self.writer = ModelWriter(f"nnvet {name} {form}")

    def layer(self, name: str, data: Value, plan: LayerPlan, weights: Weights, bias: Weights) -> Value:
        """Return a convolution with its activation."""
        side = -(-data.side // plan.stride)
        output = self.value(name, (1, side, side, plan.outputs), self.steps(name))
        # TFLite: [outputs, rows, columns, inputs]; depthwise [1, rows, columns, channels].
        arranged = weights.transpose(1, 2, 3, 0) if plan.depthwise else weights.transpose(0, 2, 3, 1)
        tensors = [data.index, *self.parameters(name, data, arranged, bias, 3 if plan.depthwise else 0)]
        options = {"depth_multiplier": 1} if plan.depthwise else {}
        self.operator(
            "DEPTHWISE_CONV_2D" if plan.depthwise else "CONV_2D",
            tensors,
            output,
            padding=Padding.SAME,
            stride_w=plan.stride,
            stride_h=plan.stride,
            activation=Activation.RELU6 if plan.rectified else Activation.NONE,
            **options,
        )
        return output

    def pair(
        self, operator: str, name: str, left: Value, right: Value, activation: Activation = Activation.NONE
    ) -> Value:
        """Return a residual connection, or channels multiplied by their gates."""
        output = self.value(name, (1, left.side, left.side, left.channels), self.steps(name))
        self.operator(operator, [left.index, right.index], output, activation=activation)
        return output

    def operator(self, name: str, inputs: list[int], output: Value, **options: Any) -> None:
        """An operator of the lowest version that has the types."""
        version = 1 if self.form != "int8" or name in _FIRST_VERSION else 3 if "CONV" in name else 2
        self.writer.operator(name, inputs, [output.index], version=version, **options)

    def steps(self, name: str) -> tuple[float, int]:
        """Scale and zero point (as of uint8) of a range."""
        low, high = self._ranges.get(name, (0.0, 1.0))
        scale = float(_short(np.array((high - low) / _LEVELS)))
        return scale, round(-low / scale)

    def value(self, name: str, shape: tuple[int, ...], steps: tuple[float, int]) -> Value:
        """Return a new computed tensor."""
        scale, zero_point = steps
        if self.form == "float32":
            index = self.writer.tensor(name, shape)
        else:
            index = self.writer.tensor(name, shape, self.form, scale=scale, zero_point=self._shifted(zero_point))
        return Value(index, shape[1], shape[-1], scale, zero_point)

    def _shifted(self, zero_point: int) -> int:
        """Return a zero point as of uint8 in the codes of the file."""
        return zero_point - _SIGNED_MIDDLE if self.form == "int8" else zero_point

    def parameters(self, name: str, data: Value, weights: Weights, bias: Weights, axis: int) -> tuple[int, int]:
        """Tensors of weights and bias."""
        if self.form == "float32":
            return self.writer.constant(f"{name} weights", weights), self.writer.constant(f"{name} bias", bias)
        if self.form == "uint8":
            low, high = min(float(weights.min()), 0.0), max(float(weights.max()), 0.0)
            scales = _short(np.array([(high - low) / _LEVELS]))
            zero_point = round(-low / float(scales[0]))
            codes = np.clip(np.rint(weights / scales[0]) + zero_point, 0, _LEVELS)
        else:
            others = tuple(number for number in range(4) if number != axis)
            scales = (np.abs(weights).max(axis=others) / _SYMMETRIC).astype(np.float32)
            # A channel that is nearly constant must not need a bias beyond int32.
            scales = np.maximum(scales, (np.abs(bias) / data.scale / _LARGEST_BIAS).astype(np.float32))
            scales = _short(np.maximum(scales, np.float32(1e-9)))
            zero_point = 0
            shape = [-1 if number == axis else 1 for number in range(4)]
            codes = np.clip(np.rint(weights / scales.reshape(shape)), -_SYMMETRIC, _SYMMETRIC)
        products = np.float32(data.scale) * scales
        return (
            self.writer.constant(
                f"{name} weights", codes, self.form, scale=scales.tolist(), zero_point=zero_point, axis=axis
            ),
            self.writer.constant(f"{name} bias", np.rint(bias / products), "int32", scale=products.tolist()),
        )


class Exporter(NetworkWriter):
    """Writes one classifier."""

    def __init__(self, plan: NetworkPlan, form: str, ranges: Mapping[str, Range]) -> None:
        """Begin a file."""
        super().__init__(plan.name, form, ranges)
        self._plan = plan

    def write(self, layers: list[tuple[Weights, Weights]]) -> bytes:
        """Return the file; ``layers`` are weights [outputs, inputs, kernel, kernel] and biases in the plan's order."""
        side = self._plan.size
        data = start = self.value("picture", (1, side, side, 3), (INPUT_SCALE, INPUT_ZERO_POINT))
        number = 0
        for block in self._plan.blocks:
            first = gated = data
            for layer in block.layers:
                if layer.squeezes:
                    gated, data = data, self._pool(f"mean {number}", data)
                data = self.layer(f"layer {number}", data, layer, *layers[number])
                data = self._swish(f"swish {number}", data) if layer.swish else data
                data = self.pair("MUL", f"product {number}", gated, data) if layer.gate else data
                number += 1
            data = self.pair("ADD", f"sum {number - 1}", first, data) if block.residual else data
        data = self.layer("logits", self._pool("pool", data), self._plan.logits, *layers[number])
        return self.writer.finish([start.index], [self._probabilities(data).index])

    def _swish(self, name: str, data: Value) -> Value:
        """HARD_SWISH of a layer's values."""
        output = self.value(name, (1, data.side, data.side, data.channels), self.steps(name))
        self.operator("HARD_SWISH", [data.index], output)
        return output

    def _pool(self, name: str, data: Value) -> Value:
        """Return the mean over the picture, with the codes of what it is taken of."""
        output = self.value(name, (1, 1, 1, data.channels), (data.scale, data.zero_point))
        size = dict.fromkeys(("stride_w", "stride_h", "filter_width", "filter_height"), data.side)
        self.operator("AVERAGE_POOL_2D", [data.index], output, padding=Padding.VALID, **size)
        return output

    def _probabilities(self, logits: Value) -> Value:
        """Return logits as a row, and their softmax."""
        flat = self.value("row", (1, len(SHAPES)), (logits.scale, logits.zero_point))
        shape = self.writer.constant("shape", [1, len(SHAPES)], "int32")
        self.operator("RESHAPE", [logits.index, shape], flat)
        output = self.value("probabilities", (1, len(SHAPES)), _PROBABILITIES)
        self.operator("SOFTMAX", [flat.index], output, beta=1.0)
        return output


def _short(scales: npt.NDArray[np.floating]) -> Weights:
    """Return positive scales, rounded up to few bits."""
    bits = scales.astype(np.float32).view(np.uint32)
    return (-(-bits.astype(np.int64) >> _SHORT) << _SHORT).astype(np.uint32).view(np.float32)
