"""The set of operand types that most operations take, with the feature level of each."""

from __future__ import annotations

from nnvet.hal.enums import OperandType


def float_and_quant8(level: int) -> dict[OperandType, int]:
    """Float32 and unsigned 8-bit codes from ``level`` on, float16 from level 3, signed 8-bit codes from 4."""
    return {
        OperandType.TENSOR_FLOAT32: level,
        OperandType.TENSOR_QUANT8_ASYMM: level,
        OperandType.TENSOR_FLOAT16: max(level, 3),
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: max(level, 4),
    }
