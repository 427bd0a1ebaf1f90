"""ADD, SUB, MUL, DIV: element-wise arithmetic with broadcasting and a fused activation.

Source: operation sheet sections 0, 18, 30 and 36; kernels in ``reference_driver/kernels/arithmetic.py``.
"""

from __future__ import annotations

import numpy as np

from hal.enums import FusedActivationFunc, OperandType, OperationType
from hal.operations.call import Call
from hal.operations.declaration import (
    Formal,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    single,
)
from hal.operations.shapes import broadcast

ACTIVATION = Formal(
    "activation",
    OperandType.INT32,
    "fused activation code",
    parameter=True,
    values=tuple(FusedActivationFunc),
)
_QUANTIZED = (OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)


def _infer(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec(broadcast(call["input0"].dimensions, call["input1"].dimensions)),)


def _activation_fits(call: Call) -> bool:
    if call["input0"].type == OperandType.TENSOR_INT32:
        return bool(call.scalar("activation") == FusedActivationFunc.NONE)
    return True


def _sum_multiplier_fits(call: Call) -> bool:
    if call["input0"].type not in _QUANTIZED:
        return True
    largest = 2 * max(call["input0"].scale, call["input1"].scale)
    return 0 < largest / float(np.float32(2**20) * np.float32(call.output.scale)) < 1


def _product_scale(call: Call) -> float:
    return float(np.float32(call["input0"].scale) * np.float32(call["input1"].scale))


def _product_scale_fits(call: Call) -> bool:
    return call["input0"].type not in _QUANTIZED or call.output.scale > _product_scale(call)


def _declare(
    operation: OperationType, level: int, summary: str, levels: dict[OperandType, int], rules: tuple[Rule, ...]
) -> OperationDeclaration:
    name = operation.name
    return OperationDeclaration(
        type=operation,
        level=level,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "binary",
                (
                    Formal("input0", "T", "first operand", rank=(1, 4)),
                    Formal("input1", "T", "second operand, broadcast against the first", rank=(1, 4)),
                    ACTIVATION,
                ),
            ),
        ),
        outputs=(Formal("output", "T", "result"),),
        rules=(
            Rule(
                f"{name}/broadcast",
                "Sizes of the two inputs, aligned at the last dimension, are equal or one of them is 1.",
                lambda call: broadcast(call["input0"].dimensions, call["input1"].dimensions) is not None,
            ),
            Rule(f"{name}/activation.int32", "TENSOR_INT32 allows no fused activation.", _activation_fits),
            *rules,
        ),
        infer=_infer,
    )


def _multiplier_rule(name: str) -> Rule:
    return Rule(
        f"{name}/output.multiplier",
        "Twice the larger input scale divided by 2^20 output scales lies strictly between 0 and 1.",
        _sum_multiplier_fits,
    )


ADD = _declare(
    OperationType.ADD,
    1,
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
    2,
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
    1,
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
    ),
)
DIV = _declare(
    OperationType.DIV,
    2,
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
            lambda call: call["input0"].type not in _QUANTIZED,
        ),
    ),
)
