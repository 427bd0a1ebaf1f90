"""QUANTIZE, DEQUANTIZE, CAST: changes of element type.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/quantization.py``.
"""

from __future__ import annotations

from itertools import product

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    Phase,
    Rule,
    Signature,
    ZeroSized,
    rows,
)
from nnvet.hal.operations.shapes import shape_of

_FLOATS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
_QUANTIZED = {
    OperandType.TENSOR_QUANT8_ASYMM: 1,
    OperandType.TENSOR_QUANT8_SYMM: 3,
    OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL: 3,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}
_CONVERTIBLE = (*_FLOATS, OperandType.TENSOR_INT32, OperandType.TENSOR_QUANT8_ASYMM)
_COPIED = (
    OperandType.TENSOR_BOOL8,
    OperandType.TENSOR_QUANT16_ASYMM,
    OperandType.TENSOR_QUANT16_SYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_QUANT8_SYMM,
)


def _dequantize_level(quantized: OperandType, real: OperandType) -> int:
    return max(_QUANTIZED[quantized], 3 if real == OperandType.TENSOR_FLOAT16 else 1)


def _declared_dimensions_agree(call: Call) -> bool:
    given, declared = call["input"].dimensions, call.output.dimensions
    return not given or not declared or 0 in declared or given == declared


_OUTPUT = (Formal("output", "O", "converted values, of the shape of the input"),)
DEQUANTIZE = OperationDeclaration(
    type=OperationType.DEQUANTIZE,
    summary="real values of quantised codes",
    rows=rows(
        *(
            (_dequantize_level(quantized, real), {"T": quantized, "O": real})
            for quantized, real in product(_QUANTIZED, _FLOATS)
        )
    ),
    signatures=(Signature("convert", (Formal("input", "T", "codes", rank=(1, 4)),)),),
    outputs=_OUTPUT,
    infer=shape_of("input"),
)
QUANTIZE = OperationDeclaration(
    type=OperationType.QUANTIZE,
    free_quantization=True,
    summary="codes of real values, by scale and zero point of the output",
    rows=rows(
        *((3, {"T": real, "O": OperandType.TENSOR_QUANT8_ASYMM}) for real in _FLOATS),
        *((4, {"T": real, "O": OperandType.TENSOR_QUANT8_ASYMM_SIGNED}) for real in _FLOATS),
    ),
    signatures=(Signature("convert", (Formal("input", "T", "real values", rank=(1, None)),)),),
    outputs=_OUTPUT,
    infer=shape_of("input"),
)
CAST = OperationDeclaration(
    type=OperationType.CAST,
    free_quantization=True,
    summary="stored numbers in another element type; scales and zero points do not matter",
    rows=rows(
        *((3, {"T": source, "O": target}) for source, target in product(_CONVERTIBLE, repeat=2)),
        *((4, {"T": same, "O": same}) for same in _COPIED),
    ),
    signatures=(Signature("convert", (Formal("input", "T", "values", rank=(1, None)),)),),
    outputs=_OUTPUT,
    infer=shape_of("input"),
    rules=(
        Rule(
            "CAST/output.dimensions",
            "Fully declared dimensions of the output are those declared for the input.",
            _declared_dimensions_agree,
            phase=Phase.MODEL,
        ),
    ),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)
