"""The architectures, as plans: MobileNet v1 and v2 as published, with a width multiplier and a small last layer.

Sources: Howard et al., "MobileNets" (2017), table 1; Sandler et al., "MobileNetV2" (2018), table 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from training.images.shapes import SHAPES

_V1_BLOCKS: Final = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))
"""Channels and stride of each depthwise-separable block."""
_V2_BLOCKS: Final = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, repetitions and first stride of each group of inverted residual blocks."""
_FIRST: Final = 32
_DIVISOR: Final = 8
_LEAST_SHARE: Final = 0.9


@dataclass(frozen=True)
class LayerPlan:
    """A convolution with bias (after folding) and, if ``rectified``, ReLU6; SAME padding."""

    inputs: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    depthwise: bool = False
    rectified: bool = True


@dataclass(frozen=True)
class BlockPlan:
    """Layers one after the other; a ``residual`` block adds its input to its output."""

    layers: tuple[LayerPlan, ...]
    residual: bool = False


@dataclass(frozen=True)
class NetworkPlan:
    """A classifier: blocks, the mean over the picture, and logits. ``size`` is the side of its input in pixels.

    Training begins with the weights of the network called ``start``, or with random ones.
    """

    name: str
    size: int
    blocks: tuple[BlockPlan, ...]
    epochs: int
    start: str = ""

    @property
    def features(self) -> int:
        """Channels before the logits."""
        return self.blocks[-1].layers[-1].outputs

    @property
    def logits(self) -> LayerPlan:
        """The last layer."""
        return LayerPlan(self.features, len(SHAPES), rectified=False)

    @property
    def layers(self) -> tuple[LayerPlan, ...]:
        """All layers with weights, logits last."""
        return (*(layer for block in self.blocks for layer in block.layers), self.logits)


def _channels(number: float) -> int:
    """A width that is a multiple of eight and at least nine tenths of what was asked for."""
    rounded = max(_DIVISOR, int(number + _DIVISOR / 2) // _DIVISOR * _DIVISOR)
    return rounded if rounded >= _LEAST_SHARE * number else rounded + _DIVISOR


def mobilenet_v1(width: float, size: int, epochs: int, start: str = "") -> NetworkPlan:
    """Depthwise-separable blocks behind a strided convolution."""
    channels = _channels(_FIRST * width)
    blocks = [BlockPlan((LayerPlan(3, channels, 3, 2),))]
    for full, stride in _V1_BLOCKS:
        outputs = _channels(full * width)
        depthwise = LayerPlan(channels, channels, 3, stride, depthwise=True)
        blocks.append(BlockPlan((depthwise, LayerPlan(channels, outputs))))
        channels = outputs
    return NetworkPlan(f"mobilenet_v1_{width}_{size}", size, tuple(blocks), epochs, start)


def mobilenet_v2(width: float, size: int, last: int, epochs: int, start: str = "") -> NetworkPlan:
    """Inverted residual blocks behind a strided convolution, and ``last`` features instead of 1280."""
    channels = _channels(_FIRST * width)
    blocks = [BlockPlan((LayerPlan(3, channels, 3, 2),))]
    for expansion, full, repetitions, first_stride in _V2_BLOCKS:
        outputs = _channels(full * width)
        for number in range(repetitions):
            wide, stride = channels * expansion, 1 if number else first_stride
            layers = (
                *((LayerPlan(channels, wide),) if expansion > 1 else ()),
                LayerPlan(wide, wide, 3, stride, depthwise=True),
                LayerPlan(wide, outputs, rectified=False),
            )
            blocks.append(BlockPlan(layers, residual=stride == 1 and channels == outputs))
            channels = outputs
    blocks.append(BlockPlan((LayerPlan(channels, last),)))
    return NetworkPlan(f"mobilenet_v2_{width}_{size}", size, tuple(blocks), epochs, start)


FIRST: Final = {
    f"{plan.name}_first": plan for plan in (mobilenet_v1(0.2, 64, epochs=14), mobilenet_v2(0.3, 64, 192, epochs=10))
}
"""What training begins with, from random weights."""
NETWORKS: Final = {
    plan.name: plan
    for plan in (
        mobilenet_v1(0.2, 64, epochs=8, start="mobilenet_v1_0.2_64_first"),
        mobilenet_v1(0.2, 96, epochs=2, start="mobilenet_v1_0.2_64"),
        mobilenet_v2(0.3, 64, 192, epochs=4, start="mobilenet_v2_0.3_64_first"),
        mobilenet_v2(0.3, 96, 192, epochs=2, start="mobilenet_v2_0.3_64"),
    )
}
"""The bundled networks by name; each goes on where another one ended."""
