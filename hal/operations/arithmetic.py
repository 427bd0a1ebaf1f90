"""ADD, SUB, MUL, DIV: element-wise arithmetic with broadcasting and a fused activation.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 8, 10 and 13; kernels in
``reference_driver/kernels/elementwise.py``.
"""

from __future__ import annotations

import numpy as np

from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, Phase, Rule, Signature, single
from nnvet.hal.operations.shapes import broadcast_of, broadcast_rule, integer, tensor

ACTIVATION = integer("activation", "fused activation code", values=tuple(FusedActivationFunc))
"""The fused activation, the last input of arithmetic, convolutions and pooling."""
_INPUTS = ("input0", "input1")
"""Names of the two factors, summands and so on."""


def activation_rule(name: str) -> Rule:
    """Return the rule that the fused activation is one of the four codes."""
    return Rule(
        f"{name}/activation",
        "The activation code is 0 (none), 1 (RELU), 2 (RELU1) or 3 (RELU6).",
        lambda call: call.scalar("activation") in ACTIVATION.values,
    )


def _ranks_fit(call: Call) -> bool:
    ranks = [call[name].rank for name in _INPUTS]
    return 0 in ranks or max(ranks) <= 4


def _activation_fits(call: Call) -> bool:
    return call["input0"].type != OperandType.TENSOR_INT32 or call.scalar("activation") == FusedActivationFunc.NONE


def _nothing_to_requantize(call: Call) -> bool:
    return call["input0"].type not in QUANT8_ASYMM or any(0 in call[name].dimensions for name in _INPUTS)


def _sum_multiplier_fits(call: Call) -> bool:
    if _nothing_to_requantize(call):
        return True
    largest = 2 * max(call[name].scale for name in _INPUTS)
    return 0 < largest / float(np.float32(2**20) * np.float32(call.output.scale)) < 1


def _product_scale(call: Call) -> np.float32:
    return np.float32(call["input0"].scale) * np.float32(call["input1"].scale)


def _product_multiplier_fits(call: Call) -> bool:
    return _nothing_to_requantize(call) or 0 < float(_product_scale(call)) / call.output.scale < 1


def _product_scale_fits(call: Call) -> bool:
    return call["input0"].type not in QUANT8_ASYMM or bool(np.float32(call.output.scale) > _product_scale(call))


def _declare(
    operation: OperationType, summary: str, levels: dict[OperandType, int], rules: tuple[Rule, ...]
) -> OperationDeclaration:
    name = operation.name
    return OperationDeclaration(
        type=operation,
        free_quantization=True,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "binary",
                (
                    tensor("input0", "T", (1, 4), "first operand"),
                    tensor("input1", "T", (1, 4), "second operand, broadcast"),
                    ACTIVATION,
                ),
            ),
        ),
        outputs=(Formal("output", "T", "result"),),
        rules=(
            Rule(
                f"{name}/ranks",
                "Where the ranks of both inputs are known, neither is greater than 4.",
                _ranks_fit,
                phase=Phase.MODEL,
            ),
            broadcast_rule(name, *_INPUTS),
            activation_rule(name),
            Rule(f"{name}/activation.int32", "TENSOR_INT32 allows no fused activation.", _activation_fits),
            *rules,
        ),
        infer=broadcast_of(*_INPUTS),
    )


def _multiplier_rule(name: str) -> Rule:
    return Rule(
        f"{name}/output.multiplier",
        "Twice the larger input scale divided by 2^20 output scales lies strictly between 0 and 1.",
        _sum_multiplier_fits,
    )


ADD = _declare(
    OperationType.ADD,
    "sum of two tensors",
    {
        OperandType.TENSOR_FLOAT32: 1,
        OperandType.TENSOR_QUANT8_ASYMM: 1,
        OperandType.TENSOR_FLOAT16: 3,
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        OperandType.TENSOR_INT32: 4,
    },
    (_multiplier_rule("ADD"),),
)
SUB = _declare(
    OperationType.SUB,
    "difference of two tensors",
    {
        OperandType.TENSOR_FLOAT32: 2,
        OperandType.TENSOR_FLOAT16: 3,
        OperandType.TENSOR_QUANT8_ASYMM: 3,
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        OperandType.TENSOR_INT32: 4,
    },
    (_multiplier_rule("SUB"),),
)
MUL = _declare(
    OperationType.MUL,
    "product of two tensors",
    {
        OperandType.TENSOR_FLOAT32: 1,
        OperandType.TENSOR_QUANT8_ASYMM: 1,
        OperandType.TENSOR_FLOAT16: 3,
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        OperandType.TENSOR_INT32: 4,
    },
    (
        Rule(
            "MUL/output.scale",
            "The output scale is greater than the product of the input scales.",
            _product_scale_fits,
            phase=Phase.MODEL,
        ),
        Rule(
            "MUL/output.multiplier",
            "The product of the input scales divided by the output scale lies strictly between 0 and 1.",
            _product_multiplier_fits,
        ),
    ),
)
DIV = _declare(
    OperationType.DIV,
    "quotient of two tensors",
    {
        OperandType.TENSOR_FLOAT32: 2,
        OperandType.TENSOR_FLOAT16: 3,
        OperandType.TENSOR_INT32: 4,
        # The validator lets it pass; the operation then fails when it runs.
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
    },
    (
        Rule(
            "DIV/types.execution",
            "There is no quantised division.",
            lambda call: call["input0"].type not in QUANT8_ASYMM,
        ),
    ),
)
