"""The plans as PyTorch modules: with batch normalisation for training, and folded for everything after.

``train`` trains a :class:`Network`, whose plan is of ``networks``, and stores its folded weights; ``folded`` runs those
through :func:`convolve` and :func:`activated`.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.images.networks import LayerPlan, NetworkPlan

_HALF: Final = 3.0
"""First bias of a gate: half of the factor six that a gate can reach."""


def convolve(plan: LayerPlan, data: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return a layer's convolution, padded as TFLite's SAME: stride 2 and even sides add more below and right."""
    groups = plan.inputs if plan.depthwise else 1
    if plan.kernel > 1 and plan.stride > 1:
        before, after = (plan.kernel - plan.stride) // 2, (plan.kernel - plan.stride + 1) // 2
        return functional.conv2d(
            functional.pad(data, (before, after, before, after)), weight, bias, plan.stride, 0, 1, groups
        )
    return functional.conv2d(data, weight, bias, plan.stride, plan.kernel // 2, 1, groups)


def activated(plan: LayerPlan, data: Tensor) -> Tensor:
    """Return a layer's values behind its activation."""
    if plan.swish:
        return functional.hardswish(data)
    return functional.relu6(data) if plan.rectified else data


class TrainedLayer(nn.Module):
    """Convolution, batch normalisation, activation; logits, squeezing layers and gates have only a bias."""

    def __init__(self, plan: LayerPlan, *, last: bool) -> None:
        """Draw weights as He et al. do; logits and gates begin with nearly the same for every input."""
        super().__init__()
        self.plan = plan
        inputs = 1 if plan.depthwise else plan.inputs
        self.weight = nn.Parameter(torch.empty(plan.outputs, inputs, plan.kernel, plan.kernel))
        normalised = not (last or plan.squeezes or plan.gate)
        nn.init.normal_(self.weight, std=0.01 if last or plan.gate else (2 / (inputs * plan.kernel**2)) ** 0.5)
        self.norm = nn.BatchNorm2d(plan.outputs) if normalised else None
        self.bias = None if normalised else nn.Parameter(torch.full((plan.outputs,), _HALF if plan.gate else 0.0))

    def forward(self, data: Tensor) -> Tensor:
        """Turn [batch, inputs, side, side] into [batch, outputs, side / stride, side / stride]."""
        data = convolve(self.plan, data, self.weight, self.bias)
        return activated(self.plan, self.norm(data) if self.norm else data)

    def folded(self) -> tuple[Tensor, Tensor]:
        """Return weights and bias with the normalisation in them."""
        if self.norm is None or self.norm.running_var is None or self.norm.running_mean is None:
            return self.weight.detach(), self.bias.detach() if self.bias is not None else torch.zeros(0)
        factor = self.norm.weight.detach() / torch.sqrt(self.norm.running_var + self.norm.eps)
        bias = self.norm.bias.detach() - self.norm.running_mean * factor
        return self.weight.detach() * factor[:, None, None, None], bias


class Network(nn.Module):
    """A plan's layers, called in its order; takes pixels in [-1, 1] as [batch, 3, size, size], gives logits."""

    def __init__(self, plan: NetworkPlan) -> None:
        """Make a network of random weights."""
        super().__init__()
        self.plan = plan
        count = len(plan.layers)
        self.layers = nn.ModuleList(
            TrainedLayer(layer, last=number == count - 1) for number, layer in enumerate(plan.layers)
        )

    def forward(self, data: Tensor) -> Tensor:
        """Return logits, [batch, classes]."""
        layers = iter(self.layers)
        for block in self.plan.blocks:
            start = gated = data
            for layer in block.layers:
                if layer.squeezes:
                    gated, data = data, data.mean((2, 3), keepdim=True)
                data = next(layers)(data)
                data = gated * data if layer.gate else data
            data = data + start if block.residual else data
        data = data.mean((2, 3), keepdim=True)
        return torch.flatten(next(layers)(data), 1)

    def folded(self) -> list[tuple[Tensor, Tensor]]:
        """Return weights and bias of each layer, in the order of the plan's layers."""
        return [layer.folded() for layer in self.layers if isinstance(layer, TrainedLayer)]
