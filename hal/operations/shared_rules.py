"""Rules that several families of operations have in common: axes in range, shapes that broadcast.

Model rules of operations whose outputs must be declared like their inputs.

Rules of the bias of convolutions and fully connected layers (docs/contract/operations/common.md 16).

The optional data layout flag of spatial operations (docs/contract/operations/common.md 11).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Argument, Call, Formal, LevelRule, OutputSpec, Phase, Rule
from nnvet.hal.operations.shapes import axis_in_range, broadcast


def same_quantization(first: Argument, second: Argument) -> bool:
    """Return True if scale and zero point are equal."""
    return (first.scale, first.zero_point) == (second.scale, second.zero_point)


def quant8_kept(call: Call, *inputs: Argument) -> bool:
    """Return True if 8-bit inputs have scale and zero point of the output; other types need not."""
    return call.output.type not in QUANT8_ASYMM or all(same_quantization(a, call.output) for a in inputs)


def declared_like_input(name: str) -> tuple[Rule, ...]:
    """Rules of an operation whose output has rank and 8-bit quantisation of its ``input``."""
    return (
        Rule(
            f"{name}/output.rank",
            "The output has the rank of the input.",
            lambda call: 0 in (call["input"].rank, call.output.rank) or call["input"].rank == call.output.rank,
            phase=Phase.MODEL,
        ),
        Rule(
            f"{name}/quantization",
            "8-bit input and output have the same scale and zero point.",
            lambda call: quant8_kept(call, call["input"]),
            phase=Phase.MODEL,
        ),
    )


_TOLERANCE = 1e-6


def product_scale(call: Call, weights: str) -> np.float32:
    """Scale of the accumulator: the float32 product of input scale and per-tensor weight scale."""
    return np.float32(call["input"].scale) * np.float32(call[weights].scale)


def bias_length_rule(name: str, dimension: int) -> Rule:
    """Rule that the bias has one value for each index along ``dimension`` of the filter."""
    return Rule(
        f"{name}/bias.length",
        f"The bias is as long as dimension {dimension} of the filter.",
        lambda call: call["bias"].dimensions[0] == call["filter"].dimensions[dimension],
    )


def bias_scale_rule(name: str, weights: str) -> Rule:
    """Rule on the scale of a quantised bias; not looked at if there is nothing to compute."""

    def fits(call: Call) -> bool:
        per_tensor = call[weights].type in QUANT8_ASYMM
        if not per_tensor or 0 in call["input"].dimensions:
            return True
        product, scale = float(product_scale(call, weights)), call["bias"].scale
        return abs(product - scale) <= _TOLERANCE * min(product, scale)

    return Rule(
        f"{name}/bias.scale",
        f"With per-tensor weights the bias has scale input scale x {weights} scale, to one part in a million.",
        fits,
    )


LAYOUT = Formal("layout", OperandType.BOOL, "whether first input and first output are NCHW, not NHWC", level=3)


def is_nchw(call: Call) -> bool:
    """Return True if the layout flag is given and set."""
    return bool(call.scalar("layout", False))


def axis_rule(operation: str, operand: str = "input", *, default: int | None = None) -> Rule:
    """Rule ``OPERATION/axis.range``: scalar ``axis`` (``default`` where not given) names a dimension of ``operand``."""
    return Rule(
        f"{operation}/axis.range",
        "The axis lies between -rank and rank - 1.",
        lambda call: axis_in_range(call.scalar("axis", default), call[operand].rank),
    )


def zero_point_level_rule(operation: str) -> LevelRule:
    """Rule ``OPERATION/zero_point.level``: at first, unsigned codes had to have the zero point 0."""
    return LevelRule(
        f"{operation}/zero_point.level",
        "A TENSOR_QUANT8_ASYMM input whose zero point is not 0 needs feature level 3.",
        3,
        lambda call: call["input"].type == OperandType.TENSOR_QUANT8_ASYMM and call["input"].zero_point != 0,
    )


def broadcast_rule(operation: str, first: str, second: str) -> Rule:
    """Rule ``OPERATION/broadcast``: the two operands' shapes are compatible (docs/contract/operations/common.md 8)."""
    return Rule(
        f"{operation}/broadcast",
        "Sizes of the two inputs, aligned at the last dimension, are equal or one of them is 1.",
        lambda call: broadcast(call[first].dimensions, call[second].dimensions) is not None,
    )


def broadcast_of(first: str, second: str) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Inference of an operation whose output has the broadcast shape of two inputs and its own quantisation."""
    return partial(shaped_by_both, first, second)


def shaped_by_both(first: str, second: str, call: Call) -> tuple[OutputSpec, ...]:
    """One output of the shape that two inputs are broadcast to."""
    return (OutputSpec(broadcast(call[first].dimensions, call[second].dimensions)),)
