"""Common parts of operations on boxes: types that go together, fixed quantisation, agreement of shapes.

Boxes are [x1, y1, x2, y2] (DETECTION_POSTPROCESSING: [y1, x1, y2, x2]) in image coordinates. With 8-bit scores
or features they are TENSOR_QUANT16_ASYMM with scale 0.125 and zero point 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Call, Rule, TypeRow

BOX_QUANTIZATION = (0.125, 0)
"""Scale and zero point of 16-bit boxes."""

_BESIDE: dict[OperandType, tuple[int, dict[str, OperandType]]] = {
    OperandType.TENSOR_FLOAT32: (
        3,
        {"B": OperandType.TENSOR_FLOAT32, "A": OperandType.TENSOR_FLOAT32, "S": OperandType.FLOAT32},
    ),
    OperandType.TENSOR_FLOAT16: (
        3,
        {"B": OperandType.TENSOR_FLOAT16, "A": OperandType.TENSOR_FLOAT16, "S": OperandType.FLOAT16},
    ),
    OperandType.TENSOR_QUANT8_ASYMM: (
        3,
        {"B": OperandType.TENSOR_QUANT16_ASYMM, "A": OperandType.TENSOR_QUANT16_SYMM, "S": OperandType.FLOAT32},
    ),
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (
        4,
        {"B": OperandType.TENSOR_QUANT16_ASYMM, "A": OperandType.TENSOR_QUANT16_SYMM, "S": OperandType.FLOAT32},
    ),
}
FLOATS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)


def box_rows(variables: str, types: Sequence[OperandType] = (*FLOATS, *QUANT8_ASYMM)) -> tuple[TypeRow, ...]:
    """Type rows for scores or features (variable T) and, of ``variables``, boxes (B), anchors (A), scalars (S)."""
    return tuple(
        TypeRow(level, {"T": main} | {variable: beside[variable] for variable in variables})
        for main, (level, beside) in ((main, _BESIDE[main]) for main in types)
    )


def box_quantization_rule(name: str, operand: str, *, only: Sequence[OperandType] = QUANT8_ASYMM) -> Rule:
    """Rule that a 16-bit operand has the fixed quantisation, in the type rows of the main types ``only``."""
    return Rule(
        f"{name}/{operand}.quantization",
        "16-bit coordinates have scale 0.125 and zero point 0.",
        lambda call: (
            call.row.types["T"] not in only or (call[operand].scale, call[operand].zero_point) == BOX_QUANTIZATION
        ),
    )


def dimensions_rule(name: str, operand: str, sentence: str, expected: Callable[[Call], tuple[int | None, ...]]) -> Rule:
    """Rule ``NAME/OPERAND.dimensions``; None in the expected dimensions stands for any size."""
    return Rule(
        f"{name}/{operand}.dimensions",
        sentence,
        lambda call: all(
            wanted in (None, size) for wanted, size in zip(expected(call), call[operand].dimensions, strict=True)
        ),
    )
