"""The architectures, as plans: MobileNet v1 to v3 as published, with a width multiplier and a small last layer.

A plan only says which layers there are; ``modules`` trains it, ``folded`` runs it and ``export`` writes it.
Sources: Howard et al., "MobileNets" (2017), table 1; Sandler et al., "MobileNetV2" (2018), table 2; Howard et al.,
"Searching for MobileNetV3" (2019), table 2.
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
"""Channels of the first convolution of MobileNet v1 and v2, before the width multiplier."""
_V3_BLOCKS: Final = (
    (3, 16, 16, True, False, 2),
    (3, 72, 24, False, False, 2),
    (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2),
    *((5, 240, 40, True, True, 1),) * 2,
    (5, 120, 48, True, True, 1),
    (5, 144, 48, True, True, 1),
    (5, 288, 96, True, True, 2),
    *((5, 576, 96, True, True, 1),) * 2,
)
"""Kernel, expanded channels, channels, squeeze-and-excite, HARD_SWISH instead of ReLU, and stride of each block."""
_V3_FIRST: Final = 16
"""Channels of the first convolution of MobileNet v3, before the width multiplier."""
_V3_SQUEEZE: Final = 4
"""Factor by which a squeeze-and-excite block narrows its channels, as in the paper."""
_DIVISOR: Final = 8
"""Channels are multiples of it, as in the published networks."""
_LEAST_SHARE: Final = 0.9
"""Smallest share of the channels asked for that rounding to multiples may leave, as in the published networks."""


@dataclass(frozen=True)
class LayerPlan:
    """A convolution with bias (after folding) and ReLU6 if ``rectified``, HARD_SWISH if ``swish``; SAME padding.

    A layer that ``squeezes`` takes the mean of its input over the picture; one that is a ``gate`` gives the factors by
    which the channels of that input are multiplied, six times a hard sigmoid: the next layer's weights take that back.
    """

    inputs: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    depthwise: bool = False
    rectified: bool = True
    swish: bool = False
    squeezes: bool = False
    gate: bool = False


@dataclass(frozen=True)
class BlockPlan:
    """Layers one after the other; a ``residual`` block adds its input to its output."""

    layers: tuple[LayerPlan, ...]
    residual: bool = False


@dataclass(frozen=True)
class NetworkPlan:
    """A classifier: blocks, the mean over the picture, and logits. ``size`` is the side of its input in pixels.

    Training begins with the weights of the network called ``start``, or with random ones. Linear layers of a ``raised``
    network are moved above zero before it is quantised; another's codes are two bits coarser.
    """

    name: str
    size: int
    blocks: tuple[BlockPlan, ...]
    epochs: int
    start: str = ""
    raised: bool = True

    @property
    def features(self) -> int:
        """Return the number of channels before the logits."""
        return self.blocks[-1].layers[-1].outputs

    @property
    def logits(self) -> LayerPlan:
        """Return the last layer."""
        return LayerPlan(self.features, len(SHAPES), rectified=False)

    @property
    def layers(self) -> tuple[LayerPlan, ...]:
        """Return all layers with weights, logits last."""
        return (*(layer for block in self.blocks for layer in block.layers), self.logits)


def _channels(number: float) -> int:
    """Return a width that is a multiple of eight and at least nine tenths of what was asked for."""
    rounded = max(_DIVISOR, int(number + _DIVISOR / 2) // _DIVISOR * _DIVISOR)
    return rounded if rounded >= _LEAST_SHARE * number else rounded + _DIVISOR


def mobilenet_v1(width: float, size: int, epochs: int, start: str = "") -> NetworkPlan:
    """Return v1: depthwise-separable blocks behind a strided convolution."""
    channels = _channels(_FIRST * width)
    blocks = [BlockPlan((LayerPlan(3, channels, 3, 2),))]
    for full, stride in _V1_BLOCKS:
        outputs = _channels(full * width)
        depthwise = LayerPlan(channels, channels, 3, stride, depthwise=True)
        blocks.append(BlockPlan((depthwise, LayerPlan(channels, outputs))))
        channels = outputs
    return NetworkPlan(f"mobilenet_v1_{width}_{size}", size, tuple(blocks), epochs, start)


def mobilenet_v2(width: float, size: int, last: int, epochs: int, start: str = "") -> NetworkPlan:
    """Return v2: inverted residual blocks behind a strided convolution, and ``last`` features instead of 1280."""
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


def mobilenet_v3(width: float, size: int, epochs: int) -> NetworkPlan:
    """Return v3 small: inverted residual blocks, most with squeeze-and-excite and HARD_SWISH; not raised."""

    def layer(inputs: int, outputs: int, kernel: int = 1, stride: int = 1, *, swish: bool = True) -> LayerPlan:
        depthwise = kernel > 1 and inputs == outputs
        return LayerPlan(inputs, outputs, kernel, stride, depthwise, rectified=not swish, swish=swish)

    channels = _channels(_V3_FIRST * width)
    blocks = [BlockPlan((layer(3, channels, 3, 2),))]
    for kernel, full, narrow, excited, swish, stride in _V3_BLOCKS:
        wide, outputs = _channels(full * width), _channels(narrow * width)
        squeezed = _channels(wide / _V3_SQUEEZE)
        layers = (
            *((layer(channels, wide, swish=swish),) if wide != channels else ()),
            layer(wide, wide, kernel, stride, swish=swish),
            *((LayerPlan(wide, squeezed, squeezes=True), LayerPlan(squeezed, wide, gate=True)) if excited else ()),
            LayerPlan(wide, outputs, rectified=False),
        )
        blocks.append(BlockPlan(layers, residual=stride == 1 and channels == outputs))
        channels = outputs
    blocks.append(BlockPlan((layer(channels, wide),)))
    return NetworkPlan(f"mobilenet_v3_{width}_{size}", size, tuple(blocks), epochs, raised=False)


FIRST: Final = {
    f"{plan.name}_first": plan for plan in (mobilenet_v1(0.2, 64, epochs=14), mobilenet_v2(0.3, 64, 192, epochs=10))
}
"""Networks that training begins with, from random weights."""
NETWORKS: Final = {
    plan.name: plan
    for plan in (
        mobilenet_v1(0.2, 64, epochs=8, start="mobilenet_v1_0.2_64_first"),
        mobilenet_v1(0.2, 96, epochs=2, start="mobilenet_v1_0.2_64"),
        mobilenet_v2(0.3, 64, 192, epochs=4, start="mobilenet_v2_0.3_64_first"),
        mobilenet_v2(0.3, 96, 192, epochs=2, start="mobilenet_v2_0.3_64"),
        mobilenet_v3(0.3, 64, epochs=8),
    )
}
"""The bundled networks by name; those of v1 and v2 go on where another one ended."""
