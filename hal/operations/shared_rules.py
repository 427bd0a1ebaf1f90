"""Rules that several families of operations have in common: axes in range, shapes that broadcast."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call, LevelRule, OutputSpec, Rule
from nnvet.hal.operations.shapes import axis_in_range, broadcast


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
