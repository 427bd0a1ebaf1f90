"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT, LOGICAL_NOT: one tensor in, one of the same shape out.

Source: their pages in docs/contract/operations; kernels in
``reference_driver/kernels/elementwise.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Signature, ZeroSized, single
from nnvet.hal.operations.shapes import shape_of

_FLOATS = {OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}


def _declare(
    operation: OperationType, summary: str, levels: Mapping[OperandType, int], highest_rank: int | None = None
) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        free_quantization=True,
        summary=summary,
        rows=single(levels),
        signatures=(Signature("unary", (Formal("input", "T", "values", rank=(1, highest_rank)),)),),
        outputs=(Formal("output", "T", "result, of the shape of the input"),),
        infer=shape_of("input"),
        zero_sized=ZeroSized.FAILS,
    )


FLOOR = _declare(
    OperationType.FLOOR,
    "largest integer not above x",
    {OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3},
    highest_rank=4,
)
ABS = _declare(OperationType.ABS, "absolute value", {**_FLOATS, OperandType.TENSOR_INT32: 4})
EXP = _declare(OperationType.EXP, "e^x", _FLOATS)
LOG = _declare(OperationType.LOG, "natural logarithm", _FLOATS)
NEG = _declare(OperationType.NEG, "-x", {**_FLOATS, OperandType.TENSOR_INT32: 3})
RSQRT = _declare(
    OperationType.RSQRT,
    "1 / sqrt(x)",
    {**_FLOATS, OperandType.TENSOR_QUANT8_ASYMM: 7, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 7},
)
SIN = _declare(OperationType.SIN, "sine of x in radians", _FLOATS)
SQRT = _declare(OperationType.SQRT, "square root", _FLOATS)
LOGICAL_NOT = _declare(OperationType.LOGICAL_NOT, "logical negation", {OperandType.TENSOR_BOOL8: 3})
