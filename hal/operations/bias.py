"""Rules of the bias of convolutions and fully connected layers (docs/contract/operations/common.md 16)."""

from __future__ import annotations

import numpy as np

from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Call, Rule

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
