"""What the spec scripts of convolution, pooling and matrix products share: data, scales and variations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nnvet.oracle.operations.tensor import Tensor as Numbers
from nnvet.oracle.operations.tensor import size_of
from tests.golden.spec_writer import F32, LABELS, Q8, Q8S, RANGES, Source, Tensor, quantized_zero_sized, zero_sized

PER_CHANNEL = "TENSOR_QUANT8_SYMM_PER_CHANNEL"
ALL_ACTIVATIONS = ".AddAllActivations(output, activation)"
NCHW = ".AddNchw(input, output, layout)"
HALF = '.AddVariations("float16")'
HALF_ONLY = '.AddVariations("float16", includeDefault=False)'
RELAXED = ".AddRelaxed()"
ONCE = ".DisableLifeTimeVariation()"


@dataclass(frozen=True)
class Scales:
    """Scale and zero point of input, weights and output; zero points are those of unsigned codes.

    ``reach`` is how far codes of input and weights lie from their zero points.
    """

    input: tuple[float, int]
    weights: tuple[float, int]
    output: tuple[float, int]
    reach: int


MIDDLE = Scales((0.5, 120), (0.125, 131), (1.0, 100), 24)
"""Multiplier 1/16, to the power of two exactly: halves occur."""
ENDS = Scales((0.1, 0), (0.07, 255), (1.3, 255), 60)
LOW = Scales((0.25, 255), (0.5, 255), (25.0, 0), 120)
SATURATING = Scales((0.5, 128), (0.25, 128), (0.2, 128), 128)
GREATER = Scales((1.5, 7), (2.0, 250), (0.75, 128), 3)
"""Multiplier 4; a filter scale above 1 needs feature level 3."""


def floats(seed: int, dimensions: Sequence[int]) -> list[float]:
    """Quarters from -2 to 2; their sums of products are exact in float16 too."""
    return Source(seed).floats(-2, 2, size_of(dimensions), 0.25)


def codes(kind: str, seed: int, dimensions: Sequence[int], zero_point: int, reach: int) -> list[int]:
    """Codes near the zero point of an 8-bit type."""
    low, high = RANGES[kind]
    return Source(seed).integers(max(low, zero_point - reach), min(high, zero_point + reach), size_of(dimensions))


def numbers(tensor: Tensor) -> Numbers:
    """Reals, or codes less the zero point."""
    return Numbers([value - tensor.zero_point for value in tensor.values], tuple(tensor.dimensions))


def shifted(parameters: tuple[float, int], kind: str) -> tuple[float, int]:
    """Scale and zero point for a type, from those for unsigned codes."""
    return parameters[0], parameters[1] + RANGES[kind][0]


def channel_params(scales: Sequence[float], dimension: int, *, hide: bool = False) -> str:
    """Constructor of per-channel scales."""
    hidden = ", hide=True" if hide else ""
    return f"SymmPerChannelQuantParams(channelDim={dimension}, scales={list(scales)!r}{hidden})"


def empty_batch(operation: str, kind: str, setup: str, trailing: str, dimensions: str = "[0, 2, 2, 2]") -> str:
    """Block with the operation on no images of 2 x 2 cells and 2 channels; ``setup`` makes filter and bias.

    Of a quantised ``kind`` the filter has scale 0.5 and zero point 128 (unsigned), and the output scale 0.9; without
    ``setup`` the output is quantised like the input.
    """
    block = zero_sized(operation, trailing=trailing)
    if kind == F32:
        text = block('.AddVariations("relaxed", "float16")')
    else:
        zero_point = 128 + RANGES[kind][0]
        own = (0.1, zero_point)
        variation = quantized_zero_sized(LABELS[kind], kind, own, (0.9, zero_point) if setup else own)
        if setup:
            weights = f'filter: ("{kind}", 0.5, {zero_point}), bias: ("TENSOR_INT32", 0.05, 0), '
            variation = variation.replace("Identify({", "Identify({" + weights)
        text = block(f".AddVariations({variation}, includeDefault=False)")
    declared = 'output = Output("output", ("TENSOR_FLOAT32", '
    text = text.replace(f"{declared}[0, 2, 2, 2]", declared + dimensions)
    return f"{setup}\n{text}" if setup else text


def quantized(kind: str, dimensions: Sequence[int], seed: int, parameters: tuple[float, int], reach: int) -> Tensor:
    """An 8-bit tensor of codes near the zero point; ``parameters`` are those of unsigned codes."""
    scale, zero_point = shifted(parameters, kind)
    return Tensor(kind, dimensions, codes(kind, seed, dimensions, zero_point, reach), scale, zero_point)


QUANTIZED = (Q8, Q8S)
