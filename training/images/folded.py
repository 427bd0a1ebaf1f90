"""A trained network with its normalisation folded: ranges of its values, and fine-tuning as if in 8 bits.

8-bit kernels agree on how to round sums that lie half-way between two codes only above zero: TFLite's reference kernels
round away from zero, its optimised ones upwards. ReLU6 hides that, linear layers (the narrow ends of MobileNet v2's
blocks) do not. So these are raised before they are quantised: the network computes the same, with few values below 0.
The network with HARD_SWISH is left as it is, with coarse codes: it shows by how much right kernels can be apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn

from training.images.modules import activated, convolve
from training.images.networks import NetworkPlan

Observer = Callable[[str, Tensor], Tensor]
"""Sees every value of a network under its name, and may change it."""
Range = tuple[float, float]
"""Lowest and highest number that the codes of a value have to cover."""
_OUTLIERS: Final = 1e-4
"""Share of a linear layer's values that may lie beyond either end of its range."""
_BELOW_ZERO: Final = 1e-4
"""Share of a raised channel's values that stay below zero."""
_SPACE: Final = 0.02
"""Share of a linear layer's range that is kept below zero, times 1 to ``_SPACES``."""
_SPACES: Final = 5
"""Number of different spaces below zero, taken in turn.

They give zero points other than the lowest code, and different ones in both inputs and the output of every residual
connection: a driver that mixes zero points up is found.
"""
_HEADROOM: Final = 4.0
"""Factor by which the ranges of a network that is not raised are wider than its values need.

Deep in a network of 8 bits two rightful ways of rounding are a code apart; coarse codes let that change labels, as it
does in larger networks.
"""
_SIX: Final = 6.0
"""Largest value behind ReLU6."""
_LEVELS: Final = 255
"""Steps between the lowest and the highest of 256 codes."""


class FoldedNetwork(nn.Module):
    """Weights and biases alone: what is exported.

    Values are called ``layer N``, ``swish N``, ``mean N``, ``product N`` and ``sum N``, after their layer.
    """

    def __init__(self, plan: NetworkPlan, layers: list[tuple[Tensor, Tensor]]) -> None:
        """Take folded layers, in the order of the plan."""
        super().__init__()
        self.plan = plan
        self.weights = nn.ParameterList(weight.clone() for weight, _ in layers)
        self.biases = nn.ParameterList(bias.clone() for _, bias in layers)

    def run(self, data: Tensor, observe: Observer, weights: list[Tensor]) -> Tensor:
        """Return logits, with the given weights in place of the network's own."""
        number = 0
        for block in self.plan.blocks:
            start = gated = data
            for layer in block.layers:
                if layer.squeezes:
                    gated, data = data, observe(f"mean {number}", data.mean((2, 3), keepdim=True))
                data = convolve(layer, data, weights[number], self.biases[number])
                data = observe(f"layer {number}", data if layer.swish else activated(layer, data))
                data = observe(f"swish {number}", activated(layer, data)) if layer.swish else data
                data = observe(f"product {number}", gated * data) if layer.gate else data
                number += 1
            data = observe(f"sum {number - 1}", data + start) if block.residual else data
        data = observe("pool", data.mean((2, 3), keepdim=True))
        return observe("logits", convolve(self.plan.logits, data, weights[number], self.biases[number])).flatten(1)

    def forward(self, data: Tensor) -> Tensor:
        """Return logits in float."""
        return self.run(data, lambda _, value: value, list(self.weights))


@torch.no_grad()
def raised(network: FoldedNetwork, data: Tensor) -> FoldedNetwork:
    """Return the same function, up to a constant in all logits, with the channels of linear layers raised above zero.

    What a layer is raised by, the next convolution takes back by its bias; pictures are of the training split.
    """
    steps = _steps_up(network, data)
    result = FoldedNetwork(network.plan, list(zip(network.weights, network.biases, strict=True)))
    number, up = 0, torch.zeros(0)
    for block in network.plan.blocks:
        start = up
        for layer in block.layers:
            # Only 1x1 convolutions follow linear layers: no padding, which the constant would have to reach too.
            taken_back = network.weights[number].sum((2, 3)) @ up if up.any() else 0.0
            up = torch.zeros(layer.outputs) if layer.rectified else steps[f"layer {number}"]
            result.biases[number] += up - taken_back
            number += 1
        up = up + start if block.residual else up
    result.biases[number] += steps["logits"].max()
    return result


def _steps_up(network: FoldedNetwork, data: Tensor) -> dict[str, Tensor]:
    """Return the amounts to add to each channel of each value so that nearly all of it is positive."""
    found: dict[str, Tensor] = {}

    def observe(name: str, value: Tensor) -> Tensor:
        flat = value.transpose(0, 1).flatten(1).sort().values
        found[name] = -flat[:, int(_BELOW_ZERO * flat.shape[1])].clamp(max=0.0)
        return value

    network.run(data, observe, list(network.weights))
    return found


@torch.no_grad()
def value_ranges(network: FoldedNetwork, data: Tensor) -> dict[str, Range]:
    """Return the range that 8 bits have to cover at each value, from pictures of the training split.

    It includes 0. Values after ReLU6 keep their largest; others lose a few outliers and get space below 0. A mean has
    the codes of what it is taken of.
    """
    found: dict[str, Range] = {}
    rectified = {f"layer {number}" for number, layer in enumerate(network.plan.layers) if layer.rectified}

    def observe(name: str, value: Tensor) -> Tensor:
        if name.startswith(("mean", "pool")):
            found[name] = next(reversed(found.values()))
            return value
        flat = value.flatten().sort().values
        outliers = int(_OUTLIERS * flat.numel())
        low, high = float(flat[outliers]), float(flat[-1 - outliers])
        space = _SPACE * (1 + len(found) % _SPACES)
        found[name] = (0.0, min(float(flat[-1]), _SIX)) if name in rectified else (min(low, -space * high), high)
        return value

    network.run(data, observe, list(network.weights))
    wider = 1.0 if network.plan.raised else _HEADROOM
    return {name: (wider * low, wider * high) for name, (low, high) in found.items()}


def _rounded(value: Tensor, low: Tensor | float, high: Tensor | float) -> Tensor:
    """Return values rounded to the 256 steps of a range that includes 0; gradients pass unchanged within the range."""
    scale = (high - low) / _LEVELS
    zero_point = torch.round(torch.as_tensor(-low / scale))
    codes = value / scale + zero_point
    codes = codes + (torch.round(codes) - codes).detach()
    return (codes.clamp(0, _LEVELS) - zero_point) * scale


class EightBitNetwork(nn.Module):
    """Runs a folded network with weights (one range per layer) and values rounded to 8 bits."""

    def __init__(self, network: FoldedNetwork, ranges: dict[str, Range]) -> None:
        """Round values of ``network`` to steps of ``ranges``, weights to those of their own extremes."""
        super().__init__()
        self.network, self.ranges = network, ranges

    def forward(self, data: Tensor) -> Tensor:
        """Return logits as 8-bit arithmetic gives them."""
        weights = [
            _rounded(weight, weight.detach().min().clamp(max=0.0), weight.detach().max().clamp(min=0.0))
            for weight in self.network.weights
        ]
        return self.network.run(data, lambda name, value: _rounded(value, *self.ranges[name]), weights)
