"""EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR: two tensors to booleans.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 8; kernels in
``reference_driver/kernels/comparison.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Signature, ZeroSized, single
from nnvet.hal.operations.shared_rules import broadcast_of, broadcast_rule

_LOGICAL = {OperandType.TENSOR_BOOL8: 3}
_COMPARABLE = {
    OperandType.TENSOR_BOOL8: 3,
    OperandType.TENSOR_FLOAT32: 3,
    OperandType.TENSOR_FLOAT16: 3,
    OperandType.TENSOR_INT32: 3,
    OperandType.TENSOR_QUANT8_ASYMM: 3,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}


def _declare(
    operation: OperationType, summary: str, levels: Mapping[OperandType, int] = _COMPARABLE
) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "binary",
                (
                    Formal("input0", "T", "left side", rank=(1, None)),
                    Formal("input1", "T", "right side, broadcast against the left", rank=(1, None)),
                ),
            ),
        ),
        outputs=(Formal("output", OperandType.TENSOR_BOOL8, "1 where it is so, else 0"),),
        infer=broadcast_of("input0", "input1"),
        rules=(broadcast_rule(operation.name, "input0", "input1"),),
        zero_sized=ZeroSized.FAILS,
    )


EQUAL = _declare(OperationType.EQUAL, "x = y")
NOT_EQUAL = _declare(OperationType.NOT_EQUAL, "x != y")
LESS = _declare(OperationType.LESS, "x < y")
LESS_EQUAL = _declare(OperationType.LESS_EQUAL, "x <= y")
GREATER = _declare(OperationType.GREATER, "x > y")
GREATER_EQUAL = _declare(OperationType.GREATER_EQUAL, "x >= y")
LOGICAL_AND = _declare(OperationType.LOGICAL_AND, "x and y", _LOGICAL)
LOGICAL_OR = _declare(OperationType.LOGICAL_OR, "x or y", _LOGICAL)
