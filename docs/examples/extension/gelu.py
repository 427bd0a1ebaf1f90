"""An extension with one operation: GELU, in the form with tanh (ONNX, operator Gelu, ``approximate="tanh"``)."""

from __future__ import annotations

import math

import numpy as np

from nnvet.generators.random_graphs.draft import Draft
from nnvet.hal.enums import OperandType as T
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, Signature, single
from nnvet.hal.operations.shapes import shape_of
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning

NAME = "com.example.gelu"
GELU = ExtensionCode(NAME, 0x4745, 0, "GELU")
_SLOPE, _CUBIC = math.sqrt(2 / math.pi), 0.044715

DECLARATION = OperationDeclaration(
    type=GELU,
    summary="x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2",
    rows=single({T.TENSOR_FLOAT32: 3, T.TENSOR_FLOAT16: 3}),
    signatures=(Signature("unary", (Formal("input", "T", "values", rank=(1, 5)),)),),
    outputs=(Formal("output", "T", "result, of the shape of the input"),),
    infer=shape_of("input"),
)


def meaning(call: Invocation) -> Array:
    """Compute the operation as its definition says; bounds of errors follow from it."""
    x = call.real(0).array
    return 0.5 * x * (1 + np.tanh(_SLOPE * (x + _CUBIC * x**3)))


def kernel(call: Call) -> Array:
    """Compute it as the driver does, in float32."""
    x = call["input"].array
    inner = np.float32(_SLOPE) * (x + np.float32(_CUBIC) * x * x * x)
    return np.float32(0.5) * x * (np.float32(1) + np.tanh(inner))


def operands(draft: Draft) -> None:
    """Make the operands of one operation; the result is never larger than the input, so others may read it."""
    source = draft.input()
    draft.output(reach=source.reach)


EXTENSION = ExtensionDeclaration(
    name=NAME,
    operand_types=(),
    operations=(DECLARATION,),
    meanings={GELU: Meaning(meaning)},
    generators={GELU: operands},
    kernels={GELU: kernel},
)
