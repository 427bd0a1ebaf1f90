"""Names and codes of the operations of ``nnvet.next``, and type rows that several declarations share.

All modules of the extension name the operations by these constants. The number of an operation never changes, because
saved models contain it; new operations go to the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Formal, TypeRow, rows, single

NAME: Final = "nnvet.next"
_PREFIX: Final = 0x6E78
"""Upper half of the codes: the ASCII letters "nx"."""


def _code(number: int, name: str) -> ExtensionCode:
    return ExtensionCode(NAME, _PREFIX, number, name)


GELU: Final = _code(0, "GELU")
SILU: Final = _code(1, "SILU")
MISH: Final = _code(2, "MISH")
SOFTPLUS: Final = _code(3, "SOFTPLUS")
ERF: Final = _code(4, "ERF")
CLIP: Final = _code(5, "CLIP")
SIGN: Final = _code(6, "SIGN")
ROUND: Final = _code(7, "ROUND")
LAYER_NORMALIZATION: Final = _code(8, "LAYER_NORMALIZATION")
RMS_NORMALIZATION: Final = _code(9, "RMS_NORMALIZATION")
GROUP_NORMALIZATION: Final = _code(10, "GROUP_NORMALIZATION")
MATMUL: Final = _code(11, "MATMUL")
CUMSUM: Final = _code(12, "CUMSUM")
ATTENTION: Final = _code(13, "ATTENTION")
ROTARY_EMBEDDING: Final = _code(14, "ROTARY_EMBEDDING")
TRILU: Final = _code(15, "TRILU")
WHERE: Final = _code(16, "WHERE")
GATHER_ND: Final = _code(17, "GATHER_ND")
SCATTER_ND: Final = _code(18, "SCATTER_ND")
ONE_HOT: Final = _code(19, "ONE_HOT")
TENSOR_SCATTER: Final = _code(20, "TENSOR_SCATTER")
CONV_1D: Final = _code(21, "CONV_1D")
CONV_3D: Final = _code(22, "CONV_3D")
CONV_TRANSPOSE: Final = _code(23, "CONV_TRANSPOSE")
EINSUM: Final = _code(24, "EINSUM")
HYBRID_FULLY_CONNECTED: Final = _code(25, "HYBRID_FULLY_CONNECTED")
RESIZE_CUBIC: Final = _code(26, "RESIZE_CUBIC")
DYNAMIC_QUANTIZE: Final = _code(27, "DYNAMIC_QUANTIZE")

SOURCES: Final[Mapping[ExtensionCode, str]] = {
    GELU: "ONNX Gelu-20",
    SILU: "ONNX Swish-24, alpha 1",
    MISH: "ONNX Mish-22",
    SOFTPLUS: "ONNX Softplus-22",
    ERF: "ONNX Erf-13",
    CLIP: "ONNX Clip-13",
    SIGN: "ONNX Sign-13",
    ROUND: "ONNX Round-22",
    LAYER_NORMALIZATION: "ONNX LayerNormalization-17",
    RMS_NORMALIZATION: "ONNX RMSNormalization-23",
    GROUP_NORMALIZATION: "ONNX GroupNormalization-21",
    MATMUL: "ONNX MatMul-13",
    CUMSUM: "ONNX CumSum-14",
    ATTENTION: "ONNX Attention-24, of four dimensions",
    ROTARY_EMBEDDING: "ONNX RotaryEmbedding-23, of four dimensions",
    TRILU: "ONNX Trilu-14",
    WHERE: "ONNX Where-16",
    GATHER_ND: "ONNX GatherND-13, batch_dims 0",
    SCATTER_ND: "ONNX ScatterND-18, reduction none",
    ONE_HOT: "ONNX OneHot-11",
    TENSOR_SCATTER: "ONNX TensorScatter-24, axis 2",
    CONV_1D: "ONNX Conv-22, one dimension of places",
    CONV_3D: "ONNX Conv-22, three dimensions of places",
    CONV_TRANSPOSE: "ONNX ConvTranspose-22",
    EINSUM: "ONNX Einsum-12, two operands",
    HYBRID_FULLY_CONNECTED: "ONNX DequantizeLinear-25 of the weights, then MatMul-13 and Add-14",
    RESIZE_CUBIC: "ONNX Resize-19, cubic with coefficient -0.75, half_pixel or align_corners",
    DYNAMIC_QUANTIZE: "ONNX DynamicQuantizeLinear-11; codes in 32 bits, and scale 1 where all is zero",
}
"""The operator, and its version, whose semantics each operation has."""
T = OperandType
SCALARS: Final[Mapping[OperandType, OperandType]] = {
    T.TENSOR_FLOAT32: T.FLOAT32,
    T.TENSOR_FLOAT16: T.FLOAT16,
    T.TENSOR_QUANT8_ASYMM: T.FLOAT32,
    T.TENSOR_QUANT8_ASYMM_SIGNED: T.FLOAT32,
}
"""Types of real scalar parameters by the type of tensors."""


def _rows(levels: Mapping[OperandType, int]) -> tuple[TypeRow, ...]:
    return rows(*((level, {"T": kind, "S": SCALARS[kind]}) for kind, level in levels.items()))


FLOATS: Final = _rows({T.TENSOR_FLOAT32: 3, T.TENSOR_FLOAT16: 3})
"""Rows of floats: ``T`` of tensors, ``S`` of real scalars. Extensions exist from feature level 3 on."""
FLOATS_AND_CODES: Final = _rows(
    {T.TENSOR_FLOAT32: 3, T.TENSOR_FLOAT16: 3, T.TENSOR_QUANT8_ASYMM: 3, T.TENSOR_QUANT8_ASYMM_SIGNED: 4}
)
"""The same, and 8-bit codes of either sign."""

STORED: Final = single(
    {
        T.TENSOR_FLOAT32: 3,
        T.TENSOR_FLOAT16: 3,
        T.TENSOR_INT32: 3,
        T.TENSOR_QUANT8_ASYMM: 3,
        T.TENSOR_QUANT8_ASYMM_SIGNED: 4,
    }
)
"""Rows of tensors whose elements are only moved, so that their encoding does not matter."""


def real(name: str, meaning: str) -> Formal:
    """Return a real scalar, whose type goes with that of the tensors."""
    return Formal(name, "S", meaning, parameter=True)


LIKE_INPUT: Final = (Formal("output", "T", "result, of the shape of the input"),)
