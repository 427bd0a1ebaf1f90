"""Three small networks that PyTorch builds with drawn weights: a block of a vision transformer, a decoder, a U-Net."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import nn

SEED: Final = 7


class Attention(nn.Module):
    """Multi-head self-attention over tokens."""

    def __init__(self, size: int, heads: int) -> None:
        """Projections of ``size`` channels, in ``heads`` heads."""
        super().__init__()
        self.heads, self.width = heads, size // heads
        self.queries_keys_values, self.last = nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Mix the tokens."""
        batches, count, size = tokens.shape
        parts = self.queries_keys_values(tokens).reshape(batches, count, 3 * self.heads, self.width).transpose(1, 2)
        queries, keys, values = parts.split(self.heads, 1)
        weights = torch.softmax(queries @ keys.transpose(2, 3) / self.width**0.5, -1)
        mixed = (weights @ values).transpose(1, 2).reshape(batches, count, size)
        return self.last(mixed)  # type: ignore[no-any-return]


class VisionBlock(nn.Module):
    """Patches of an image, one transformer block with the exact GELU, and a classifier."""

    def __init__(self, size: int = 16, heads: int = 2) -> None:
        """Tokens of ``size`` channels."""
        super().__init__()
        self.patches = nn.Conv2d(3, size, 4, 4)
        self.places = nn.Parameter(torch.randn(1, 16, size) / 4)
        self.before, self.after = nn.LayerNorm(size), nn.LayerNorm(size)
        self.attention = Attention(size, heads)
        self.inner = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size))
        self.classes = nn.Linear(size, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Ten scores for an image of 16 by 16."""
        tokens = self.patches(image).flatten(2).transpose(1, 2) + self.places
        tokens = tokens + self.attention(self.before(tokens))
        tokens = tokens + self.inner(self.after(tokens))
        return self.classes(tokens.mean(1))  # type: ignore[no-any-return]


class RootMeanSquare(nn.Module):
    """Division by the root of the mean square, with a factor for each channel."""

    def __init__(self, size: int) -> None:
        """Factors of ``size`` channels."""
        super().__init__()
        self.factors = nn.Parameter(1 + torch.randn(size) / 8)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Normalise."""
        return tokens * torch.rsqrt(tokens.pow(2).mean(-1, keepdim=True) + 1e-6) * self.factors


class Decoder(nn.Module):
    """One step of a decoder as in Llama: rotary places, grouped heads, a cache, a gated inner layer."""

    def __init__(self, size: int = 16, heads: int = 4, groups: int = 2, words: int = 32) -> None:
        """``heads`` of queries share ``groups`` of keys and values."""
        super().__init__()
        self.heads, self.groups, self.width = heads, groups, size // heads
        self.words = nn.Embedding(words, size)
        self.before, self.after, self.end = (RootMeanSquare(size) for _ in range(3))
        self.queries = nn.Linear(size, size, bias=False)
        self.keys, self.values = (nn.Linear(size, groups * self.width, bias=False) for _ in range(2))
        self.last = nn.Linear(size, size, bias=False)
        self.gate, self.up = (nn.Linear(size, 2 * size, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * size, size, bias=False)

    def _turned(self, vectors: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        first, second = vectors.chunk(2, -1)
        return vectors * cos + torch.cat((-second, first), -1) * sin

    def forward(
        self, word: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Scores of the next word, and the caches with one place more."""
        tokens = self.words(word)
        normal = self.before(tokens)
        queries = self.queries(normal).view(1, 1, self.heads, self.width).transpose(1, 2)
        new_keys, new_values = (
            layer(normal).view(1, 1, self.groups, self.width).transpose(1, 2) for layer in (self.keys, self.values)
        )
        queries = self._turned(queries, cos, sin)
        keys = torch.cat((keys, self._turned(new_keys, cos, sin)), 2)
        values = torch.cat((values, new_values), 2)
        wide = [heads.repeat_interleave(self.heads // self.groups, 1) for heads in (keys, values)]
        weights = torch.softmax(queries @ wide[0].transpose(2, 3) / self.width**0.5, -1)
        mixed = (weights @ wide[1]).transpose(1, 2).reshape(1, 1, -1)
        tokens = tokens + self.last(mixed)
        normal = self.after(tokens)
        tokens = tokens + self.down(nn.functional.silu(self.gate(normal)) * self.up(normal))
        return self.end(tokens) @ self.words.weight.T, keys, values


def _twice(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1),
        nn.GroupNorm(2, after),
        nn.SiLU(),
        nn.Conv2d(after, after, 3, padding=1),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


class UNet(nn.Module):
    """Two steps down and up again: one by a transposed convolution, one by interpolation."""

    def __init__(self, size: int = 4) -> None:
        """``size`` channels at the top."""
        super().__init__()
        self.top, self.middle, self.bottom = _twice(1, size), _twice(size, 2 * size), _twice(2 * size, 4 * size)
        self.pool = nn.MaxPool2d(2)
        self.grow = nn.ConvTranspose2d(4 * size, 2 * size, 2, 2)
        self.stretch = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.middle_up, self.top_up = _twice(4 * size, 2 * size), _twice(3 * size, size)
        self.last = nn.Conv2d(size, 2, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Scores of two classes for each pixel."""
        top = self.top(image)
        middle = self.middle(self.pool(top))
        bottom = self.bottom(self.pool(middle))
        middle = self.middle_up(torch.cat((middle, self.grow(bottom)), 1))
        return self.last(self.top_up(torch.cat((top, self.stretch(middle)), 1)))  # type: ignore[no-any-return]


class Packed(nn.Module):
    """A step of the decoder for one word, with all other inputs in one, as the benchmark gives them."""

    def __init__(self) -> None:
        """Begin with the decoder."""
        super().__init__()
        self.decoder = Decoder()
        self.register_buffer("word", torch.tensor([[11]]))

    def forward(self, packed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Take the inputs apart."""
        keys, values, cos, sin = packed.split([40, 40, 4, 4])
        shape = (1, 2, 5, 4)
        return self.decoder(self.word, keys.reshape(shape), values.reshape(shape), cos, sin)  # type: ignore[no-any-return]


class Network(NamedTuple):
    """A network: its module, and its inputs by name."""

    build: Callable[[], nn.Module]
    inputs: dict[str, Any]


def _numbers(*shape: int) -> Any:
    return np.random.default_rng(SEED).uniform(-1, 1, shape).astype(np.float32)


_ANGLES: Final = 5 / 100 ** (np.arange(2) / 2)
"""Angles of the fifth place, for four channels of a head."""
_TURNS: Final = np.concatenate([_ANGLES, _ANGLES]).astype(np.float32)
NETWORKS: Final = {
    "vit": Network(VisionBlock, {"image": _numbers(1, 3, 16, 16)}),
    "decoder": Network(
        Decoder,
        {
            "word": np.array([[11]]),
            "keys": _numbers(1, 2, 5, 4),
            "values": _numbers(1, 2, 5, 4),
            "cos": np.cos(_TURNS),
            "sin": np.sin(_TURNS),
        },
    ),
    "packed": Network(Packed, {"packed": _numbers(88)}),
    "unet": Network(UNet, {"image": _numbers(1, 1, 16, 16)}),
}


def exported(name: str, path: Path) -> list[Any]:
    """Write a network as ONNX; return what PyTorch computes of its inputs."""
    network = NETWORKS[name]
    torch.manual_seed(SEED)
    module = network.build().eval()
    arguments = tuple(map(torch.from_numpy, network.inputs.values()))
    with warnings.catch_warnings(), torch.no_grad():
        # This exporter is deprecated; the other one needs a package of its own.
        warnings.simplefilter("ignore")
        found = module(*arguments)
        torch.onnx.export(module, arguments, str(path), input_names=[*network.inputs], dynamo=False, opset_version=17)
    return [tensor.numpy() for tensor in (found if isinstance(found, tuple) else (found,))]
