"""What the contract says of each operand type, as one table: element size, quantisation, first level.

Read by validation, the operation declarations, the generators and the docs.
"""

from dataclasses import dataclass

from hal.enums import BASE_MAX, OperandType


@dataclass(frozen=True, slots=True)
class OperandTypeInfo:
    """Facts of one operand type.

    ``dtype`` is the element's NumPy name (little endian), ``scale`` the rule for the scale (``zero``,
    ``positive``, ``not_negative`` or ``any``), ``zero_point`` the legal range, both ends included.
    """

    type: OperandType
    level: int
    is_tensor: bool
    size: int
    dtype: str
    scale: str = "zero"
    zero_point: tuple[int, int] = (0, 0)

    @property
    def is_quantized(self) -> bool:
        """Whether an element stands for (q - zero_point) * scale."""
        return self.scale == "positive" or self.type is OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.dtype.startswith("float")


_T = OperandType
OPERAND_TYPES: dict[int, OperandTypeInfo] = {
    info.type: info
    for info in (
        OperandTypeInfo(_T.FLOAT32, 1, False, 4, "float32"),
        OperandTypeInfo(_T.INT32, 1, False, 4, "int32"),
        OperandTypeInfo(_T.UINT32, 1, False, 4, "uint32"),
        OperandTypeInfo(_T.TENSOR_FLOAT32, 1, True, 4, "float32"),
        OperandTypeInfo(_T.TENSOR_INT32, 1, True, 4, "int32", "not_negative"),
        OperandTypeInfo(_T.TENSOR_QUANT8_ASYMM, 1, True, 1, "uint8", "positive", (0, 255)),
        OperandTypeInfo(_T.BOOL, 3, False, 1, "uint8"),
        OperandTypeInfo(_T.TENSOR_QUANT16_SYMM, 3, True, 2, "int16", "positive"),
        OperandTypeInfo(_T.TENSOR_FLOAT16, 3, True, 2, "float16"),
        OperandTypeInfo(_T.TENSOR_BOOL8, 3, True, 1, "uint8"),
        OperandTypeInfo(_T.FLOAT16, 3, False, 2, "float16"),
        OperandTypeInfo(_T.TENSOR_QUANT8_SYMM_PER_CHANNEL, 3, True, 1, "int8"),
        OperandTypeInfo(_T.TENSOR_QUANT16_ASYMM, 3, True, 2, "uint16", "positive", (0, 65535)),
        OperandTypeInfo(_T.TENSOR_QUANT8_SYMM, 3, True, 1, "int8", "positive"),
        OperandTypeInfo(_T.TENSOR_QUANT8_ASYMM_SIGNED, 4, True, 1, "int8", "positive", (-128, 127)),
        OperandTypeInfo(_T.SUBGRAPH, 4, False, 0, "uint8"),
        OperandTypeInfo(_T.OEM, 1, False, 0, "uint8", "any"),
        OperandTypeInfo(_T.TENSOR_OEM_BYTE, 1, True, 1, "uint8", "any"),
    )
}


def is_extension(code: int) -> bool:
    """Whether an operand or operation code belongs to a vendor extension."""
    return code > BASE_MAX


def type_name(code: int) -> str:
    """The HAL's name of an operand type, or its number for an extension's or unknown code."""
    return OPERAND_TYPES[code].type.name if code in OPERAND_TYPES else f"type {code:#x}"
