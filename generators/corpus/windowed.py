"""Common parts of the specs of convolution, pooling, arithmetic and matrix products: data, scales and variations.

The modules of ``families/`` for these operations import them. A *multiplier* is the product of the scales of input and
weights divided by the scale of the output; kernels multiply integer sums by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nnvet.generators.corpus.emitter import ALL_FLOATS, F32, INT32, RANGES, Source, SpecExample, SpecTensor, variations
from nnvet.generators.corpus.empty import IMAGES, empty_example, quantized_empty
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations.invocation import Tensor, size_of

ALL_ACTIVATIONS = ".AddAllActivations(output, activation)"
NCHW = ".AddNchw(input, output, layout)"


@dataclass(frozen=True)
class Scales:
    """Scale and zero point of input, weights and output; zero points are those of unsigned codes.

    ``reach`` is the largest distance of codes of input and weights from their zero points.
    """

    input: tuple[float, int]
    weights: tuple[float, int]
    output: tuple[float, int]
    reach: int


MIDDLE = Scales((0.5, 120), (0.125, 131), (1.0, 100), 24)
"""Multiplier 1/16, exactly a power of two, so that halves occur."""
ENDS = Scales((0.1, 0), (0.07, 255), (1.3, 255), 60)
"""Zero points at the ends of the range."""
LOW = Scales((0.25, 255), (0.5, 255), (25.0, 0), 120)
"""Zero points at the ends, with factors that are negative, so that their products are positive."""
SATURATING = Scales((0.5, 128), (0.25, 128), (0.2, 128), 128)
"""An output scale with which sums exceed the range of codes."""
SMALL = Scales((1 / 256, 120), (1 / 256, 131), (4.0, 100), 24)
"""Multiplier 2^-18, with which biases matter and products hardly do."""
SMALL_BIASES = {"bias_scale_above": 2.0**-16 * (1 + 2e-5), "bias_scale_below": 2.0**-16 * (1 - 2e-5)}
"""Wrong bias scales beside :data:`SMALL`, by names of examples: nearly right as a difference, not as a ratio."""
BIAS_UNIT = 2.0**-27
"""Unit of the scales below, of which float32 holds all multiples that occur."""
BIASES_AT_LIMIT = {
    "bias_scale_at_limit_above": (9_000_000, 9_000_009),
    "bias_scale_at_limit_below": (9_000_009, 9_000_000),
}
"""Right scales of products and of biases in units of :data:`BIAS_UNIT`, which float32 holds: a millionth apart."""
BIASES_PAST_LIMIT = {
    "bias_scale_past_limit_above": (8_999_999, 9_000_008),
    "bias_scale_past_limit_below": (9_000_008, 8_999_999),
}
"""Wrong scales: they differ by more than a millionth of the smaller scale, but by less than one of the larger."""
TINY = Scales((2.0**-22, 120), (2.0**-22, 131), (1.0, 100), 24)
"""Multiplier 2^-44, with which every output is the zero point."""
GREATER = Scales((1.5, 7), (2.0, 250), (0.75, 128), 3)
"""Multiplier 4; a filter scale above 1 needs feature level 3."""


def with_product(units: int) -> Scales:
    """Return scales whose product of input and weights is a multiple of :data:`BIAS_UNIT`."""
    return replace(MIDDLE, input=(units * BIAS_UNIT / MIDDLE.weights[0], MIDDLE.input[1]))


def floats(seed: int, dimensions: Sequence[int]) -> list[float]:
    """Return quarters from -2 to 2, whose sums of products are exact in float16, too."""
    return Source(seed).floats(-2, 2, size_of(dimensions), 0.25)


def codes(kind: OperandType, seed: int, dimensions: Sequence[int], zero_point: int, reach: int) -> list[int]:
    """Return codes near the zero point of an 8-bit type."""
    low, high = RANGES[kind]
    return Source(seed).integers(max(low, zero_point - reach), min(high, zero_point + reach), size_of(dimensions))


def numbers(tensor: SpecTensor) -> Tensor:
    """Return real numbers, or codes less the zero point."""
    return Tensor([value - tensor.zero_point for value in tensor.values], tuple(tensor.dimensions))


def shifted(parameters: tuple[float, int], kind: OperandType) -> tuple[float, int]:
    """Return the scale and zero point for a type, from those for unsigned codes."""
    return parameters[0], parameters[1] + RANGES[kind][0]


def empty_batch(
    operation: str,
    kind: OperandType,
    *arguments: str,
    constants: Mapping[str, SpecTensor] | None = None,
    dimensions: Sequence[int] = IMAGES,
) -> SpecExample:
    """Return the operation on no images of 2 x 2 cells and 2 channels; ``constants`` are filter and bias, if any.

    If ``kind`` is quantised, the filter has scale 0.5 and zero point 128 (unsigned), and the output has scale 0.9;
    without a filter the output is quantised like the input.
    """
    output = (F32, dimensions, (0.0, 0))
    if kind == F32:
        calls = ALL_FLOATS
    else:
        zero_point = 128 + RANGES[kind][0]
        own = (0.1, zero_point)
        # The bias deliberately lacks the scale of the products, 0.05: without images the rule about it does not apply.
        others = {"filter": (kind, 0.5, zero_point), "bias": (INT32, 0.06, 0)} if constants else {}
        target = (0.9, zero_point) if constants else own
        calls = variations(quantized_empty(kind, own, target, others), default=False)
    return empty_example(operation, *arguments, output=output, constants=constants, calls=calls)


def quantized(
    kind: OperandType, dimensions: Sequence[int], seed: int, parameters: tuple[float, int], reach: int
) -> SpecTensor:
    """Return an 8-bit tensor of codes near the zero point; ``parameters`` are those of unsigned codes."""
    scale, zero_point = shifted(parameters, kind)
    return SpecTensor(kind, dimensions, codes(kind, seed, dimensions, zero_point, reach), scale, zero_point)
