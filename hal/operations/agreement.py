"""Model rules of operations whose outputs must be declared like their inputs."""

from __future__ import annotations

from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Argument, Call, Phase, Rule


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
