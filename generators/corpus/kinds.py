"""Operand types of the corpus under short names, and what file names and examples need to know of them."""

from __future__ import annotations

from typing import Final

from nnvet.hal.enums import OperandType

F32: Final = OperandType.TENSOR_FLOAT32
F16: Final = OperandType.TENSOR_FLOAT16
INT32: Final = OperandType.TENSOR_INT32
BOOL8: Final = OperandType.TENSOR_BOOL8
Q8: Final = OperandType.TENSOR_QUANT8_ASYMM
Q8S: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
Q8_SYMM: Final = OperandType.TENSOR_QUANT8_SYMM
PER_CHANNEL: Final = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
Q16A: Final = OperandType.TENSOR_QUANT16_ASYMM
Q16S: Final = OperandType.TENSOR_QUANT16_SYMM

QUANTIZED: Final = (Q8, Q8S)
"""The types that most quantised examples come in."""
RANGES: Final = {Q8: (0, 255), Q8S: (-128, 127)}
"""Lowest and highest code."""
LABELS: Final = {
    Q8: "quant8",
    Q8S: "quant8_signed",
    F32: "float",
    F16: "float16",
    INT32: "int32",
    BOOL8: "bool",
    Q8_SYMM: "quant8_symm",
}
"""Words for the types in names."""
FOLDERS: Final = {1: "V1_0", 2: "V1_1", 3: "V1_2", 4: "V1_3", 6: "AIDL_V2", 7: "AIDL_V3"}
"""Folder of the specs of each feature level."""
