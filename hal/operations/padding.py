"""PAD, PAD_V2, MIRROR_PAD: a tensor with borders added.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/movement.py``.
"""

from __future__ import annotations

from dataclasses import replace

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    ZeroSized,
    rows,
    single,
)
from nnvet.hal.operations.shapes import declared_like_input, float_and_quant8, matrix, tensor, zero_point_level_rule

REFLECT, SYMMETRIC = 0, 1
"""Modes of MIRROR_PAD: the border cell itself is left out of the mirror image, or repeated."""

_PADDED_INPUT = Formal("input", "T", "tensor to pad", rank=(1, 4))
_PADDINGS = matrix("paddings", "cells before and after, for each dimension")
_OUTPUT = Formal("output", "T", "padded tensor")


def pairs(call: Call, name: str = "paddings") -> list[tuple[int, int]]:
    """Return the numbers of cells before and after each dimension, from a parameter of shape [n, 2]."""
    values = call.vector(name)
    return list(zip(values[::2], values[1::2], strict=True))


def _padded(call: Call) -> tuple[OutputSpec, ...]:
    source = call["input"]
    sizes = tuple(before + d + after for d, (before, after) in zip(source.dimensions, pairs(call), strict=True))
    return (OutputSpec(sizes, source.scale, source.zero_point),)


def _values_rule(name: str) -> Rule:
    return Rule(
        f"{name}/paddings.values",
        "Paddings are not negative.",
        lambda call: min(call.vector("paddings")) >= 0,
    )


def _padding_rules(name: str) -> tuple[Rule, ...]:
    return (
        Rule(
            f"{name}/paddings.dimensions",
            "The paddings have shape [rank of the input, 2].",
            lambda call: call["paddings"].dimensions == (call["input"].rank, 2),
        ),
        _values_rule(name),
    )


PAD = OperationDeclaration(
    type=OperationType.PAD,
    summary="a tensor with borders of zeros",
    rows=single(float_and_quant8(2)),
    signatures=(Signature("pad", (_PADDED_INPUT, _PADDINGS)),),
    outputs=(_OUTPUT,),
    rules=_padding_rules("PAD"),
    level_rules=(zero_point_level_rule("PAD"),),
    infer=_padded,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)

PAD_V2 = OperationDeclaration(
    type=OperationType.PAD_V2,
    summary="a tensor with borders of a given value",
    rows=rows(
        (3, {"T": OperandType.TENSOR_FLOAT16, "S": OperandType.FLOAT16}),
        (3, {"T": OperandType.TENSOR_FLOAT32, "S": OperandType.FLOAT32}),
        (3, {"T": OperandType.TENSOR_QUANT8_ASYMM, "S": OperandType.INT32}),
        (4, {"T": OperandType.TENSOR_QUANT8_ASYMM_SIGNED, "S": OperandType.INT32}),
    ),
    signatures=(
        Signature(
            "pad", (_PADDED_INPUT, _PADDINGS, Formal("value", "S", "value of the border; a code for 8-bit types"))
        ),
    ),
    outputs=(_OUTPUT,),
    rules=_padding_rules("PAD_V2"),
    infer=_padded,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)


def _shape_possible(call: Call) -> bool:
    if call["paddings"].omitted:
        # Its rank is not known. That the value is missing is found when the operation runs.
        return True
    rows_, columns = call["paddings"].dimensions or (0, 0)
    return columns in (0, 2) and (0 in (rows_, call["input"].rank) or rows_ == call["input"].rank)


def _mirrors(call: Call) -> bool:
    edge = 1 if call.scalar("mode") == REFLECT else 0
    return all(max(pair) <= size - edge for size, pair in zip(call["input"].dimensions, pairs(call), strict=True))


MIRROR_PAD = OperationDeclaration(
    type=OperationType.MIRROR_PAD,
    free_quantization=True,
    summary="a tensor with borders that mirror it",
    rows=single(float_and_quant8(7) | {OperandType.TENSOR_INT32: 7}),
    signatures=(
        Signature(
            "pad",
            (
                tensor("input", "T", (1, None), "tensor to pad"),
                replace(_PADDINGS, rank_phase=Phase.MODEL),
                Formal("mode", OperandType.INT32, "0 REFLECT, 1 SYMMETRIC", values=(REFLECT, SYMMETRIC)),
            ),
        ),
    ),
    outputs=(_OUTPUT,),
    rules=(
        Rule(
            "MIRROR_PAD/paddings.shape",
            "The paddings have shape [rank of the input, 2].",
            _shape_possible,
            phase=Phase.MODEL,
        ),
        *declared_like_input("MIRROR_PAD"),
        Rule(
            "MIRROR_PAD/mode",
            "The mode is 0 or 1.",
            lambda call: call.scalar("mode") in (REFLECT, SYMMETRIC),
        ),
        _values_rule("MIRROR_PAD"),
        Rule(
            "MIRROR_PAD/paddings.range",
            "Paddings are less than the dimension's size with REFLECT, at most that size with SYMMETRIC.",
            _mirrors,
        ),
    ),
    infer=_padded,
    zero_sized=ZeroSized.FAILS,
)
