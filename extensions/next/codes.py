"""Names and codes of the operations of ``nnvet.next``, and operand types that several declarations share.

All modules of the extension name the operations by these constants. The number of an operation never changes, because
saved models contain it; new operations go to the end. The declarations themselves are in ``declarations``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import ExtensionCode, ExtensionType
from nnvet.hal.operations.declaration import Formal, TypeRow, rows, single

NAME: Final = "nnvet.next"
"""Name of the extension, in models and in logs."""
_PREFIX: Final = 0x6E78
"""Upper half of the 32 bits of each code, which tells extensions apart: the ASCII letters "nx"."""


def _make_code(number: int, name: str) -> ExtensionCode:
    return ExtensionCode(NAME, _PREFIX, number, name)


GELU: Final = _make_code(0, "GELU")
SILU: Final = _make_code(1, "SILU")
MISH: Final = _make_code(2, "MISH")
SOFTPLUS: Final = _make_code(3, "SOFTPLUS")
ERF: Final = _make_code(4, "ERF")
CLIP: Final = _make_code(5, "CLIP")
SIGN: Final = _make_code(6, "SIGN")
ROUND: Final = _make_code(7, "ROUND")
LAYER_NORMALIZATION: Final = _make_code(8, "LAYER_NORMALIZATION")
RMS_NORMALIZATION: Final = _make_code(9, "RMS_NORMALIZATION")
GROUP_NORMALIZATION: Final = _make_code(10, "GROUP_NORMALIZATION")
MATMUL: Final = _make_code(11, "MATMUL")
CUMSUM: Final = _make_code(12, "CUMSUM")
ATTENTION: Final = _make_code(13, "ATTENTION")
ROTARY_EMBEDDING: Final = _make_code(14, "ROTARY_EMBEDDING")
TRILU: Final = _make_code(15, "TRILU")
WHERE: Final = _make_code(16, "WHERE")
GATHER_ND: Final = _make_code(17, "GATHER_ND")
SCATTER_ND: Final = _make_code(18, "SCATTER_ND")
ONE_HOT: Final = _make_code(19, "ONE_HOT")
TENSOR_SCATTER: Final = _make_code(20, "TENSOR_SCATTER")
CONV_1D: Final = _make_code(21, "CONV_1D")
CONV_3D: Final = _make_code(22, "CONV_3D")
CONV_TRANSPOSE: Final = _make_code(23, "CONV_TRANSPOSE")
EINSUM: Final = _make_code(24, "EINSUM")
HYBRID_FULLY_CONNECTED: Final = _make_code(25, "HYBRID_FULLY_CONNECTED")
RESIZE_CUBIC: Final = _make_code(26, "RESIZE_CUBIC")
DYNAMIC_QUANTIZE: Final = _make_code(27, "DYNAMIC_QUANTIZE")

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
    CONV_1D: "ONNX Conv-22, one spatial dimension",
    CONV_3D: "ONNX Conv-22, three spatial dimensions",
    CONV_TRANSPOSE: "ONNX ConvTranspose-22",
    EINSUM: "ONNX Einsum-12, two operands",
    HYBRID_FULLY_CONNECTED: "ONNX DequantizeLinear-25 of the weights, then MatMul-13 and Add-14",
    RESIZE_CUBIC: "ONNX Resize-19, cubic with coefficient -0.75, half_pixel or align_corners",
    DYNAMIC_QUANTIZE: "ONNX DynamicQuantizeLinear-11; codes in 32 bits, and scale 1 where all is zero",
}
"""By operation, the operator of ONNX, with its version, whose semantics the operation has; docs/next.md shows it."""
TENSOR_BFLOAT16: Final = ExtensionType(NAME, _PREFIX, 0, "TENSOR_BFLOAT16", dtype="bfloat16", is_tensor=True)
"""The upper half of float32: computed in float32, and rounded once. ONNX BFLOAT16."""
OPERAND_TYPES: Final = (TENSOR_BFLOAT16,)
"""All operand types of the extension."""
T = OperandType
"""Short name for this module; the variable of the rows, ``"T"``, is something else."""
SCALARS: Final[Mapping[OperandType | ExtensionType, OperandType]] = {
    T.TENSOR_FLOAT32: T.FLOAT32,
    T.TENSOR_FLOAT16: T.FLOAT16,
    TENSOR_BFLOAT16: T.FLOAT32,
    T.TENSOR_QUANT8_ASYMM: T.FLOAT32,
    T.TENSOR_QUANT8_ASYMM_SIGNED: T.FLOAT32,
}
"""Type of the scalar parameters that are real numbers, by the type of the tensors."""


def _build_rows(levels: Mapping[OperandType | ExtensionType, int]) -> tuple[TypeRow, ...]:
    return rows(*((level, {"T": kind, "S": SCALARS[kind]}) for kind, level in levels.items()))


FLOATS: Final = _build_rows({T.TENSOR_FLOAT32: 3, T.TENSOR_FLOAT16: 3, TENSOR_BFLOAT16: 3})
"""Operand types of operations on floats, with their feature level: ``T`` for tensors, ``S`` for real scalars.

Extensions exist from feature level 3 on.
"""
FLOATS_AND_CODES: Final = _build_rows(
    {
        T.TENSOR_FLOAT32: 3,
        T.TENSOR_FLOAT16: 3,
        TENSOR_BFLOAT16: 3,
        T.TENSOR_QUANT8_ASYMM: 3,
        T.TENSOR_QUANT8_ASYMM_SIGNED: 4,
    }
)
"""Operand types of operations on floats and on 8-bit codes; signed codes exist from feature level 4 on."""

_LEVELS: Final[Mapping[OperandType | ExtensionType, int]] = {
    T.TENSOR_FLOAT32: 3,
    T.TENSOR_FLOAT16: 3,
    TENSOR_BFLOAT16: 3,
    T.TENSOR_INT32: 3,
    T.TENSOR_QUANT8_ASYMM: 3,
    T.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}
"""Levels of the types of :data:`STORED`."""
STORED: Final = single(_LEVELS)
"""Types of tensors whose elements are only moved, so that their encoding does not matter."""


def real(name: str, meaning: str) -> Formal:
    """Return the declaration of a scalar parameter that is a real number; its type depends on that of the tensors."""
    return Formal(name, "S", meaning, parameter=True)


LIKE_INPUT: Final = (Formal("output", "T", "result, of the shape of the input"),)
"""Outputs of operations with one result, which has the shape of the input."""
