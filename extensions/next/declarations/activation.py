"""Declarations of GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND: functions of single elements.

Codes are dequantised, and the real result is rounded to the nearest code of the output, as between the operators
DequantizeLinear and QuantizeLinear of ONNX. To add such an operation, give it a code in ``codes.py``, a line in
:data:`DECLARATIONS`, and an entry in the modules ``activation.py`` of ``meanings``, ``operands`` and ``kernels``.
"""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Signature, TypeRow
from nnvet.hal.operations.shapes import shape_of, tensor


def _declare_function(
    code: ExtensionCode, summary: str, *parameters: Formal, rows: tuple[TypeRow, ...] = codes.FLOATS_AND_CODES
) -> OperationDeclaration:
    """Return the declaration of a function of each element of a tensor, with scalar parameters after the tensor."""
    source = tensor("input", "T", (1, 5), "numbers")
    return OperationDeclaration(
        type=code,
        summary=summary,
        rows=rows,
        signatures=(Signature("unary", (source, *parameters)),),
        outputs=codes.LIKE_INPUT,
        infer=shape_of("input"),
    )


DECLARATIONS: Final = (
    _declare_function(
        codes.GELU,
        "x times the normal distribution function of x; with tanh, x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2",
        Formal("tanh", OperandType.BOOL, "whether the form with tanh is meant", parameter=True),
    ),
    _declare_function(codes.SILU, "x / (1 + e^-x)"),
    _declare_function(codes.MISH, "x * tanh(log(1 + e^x))"),
    _declare_function(codes.SOFTPLUS, "log(1 + e^x)"),
    _declare_function(codes.ERF, "error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x"),
    _declare_function(
        codes.CLIP,
        "min(max(x, low), high)",
        codes.real("low", "smallest result, unless it is above the largest"),
        codes.real("high", "largest result"),
        rows=codes.FLOATS,
    ),
    _declare_function(codes.SIGN, "-1, 0 or 1, as x is negative, zero or positive", rows=codes.FLOATS),
    _declare_function(codes.ROUND, "nearest whole number, the even one of two", rows=codes.FLOATS),
)
