"""MAXIMUM, MINIMUM, POW, PRELU, SELECT: element-wise operations on two or three tensors, without activation.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/extremum.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, Rule, Signature, ZeroSized, single
from nnvet.hal.operations.shapes import shape_of
from nnvet.hal.operations.shared_rules import broadcast_of, broadcast_rule

_FLOATS = {OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}
_QUANTIZED = {OperandType.TENSOR_QUANT8_ASYMM: 3, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4}
_INTEGER = {OperandType.TENSOR_INT32: 3}


def _declare(
    operation: OperationType,
    summary: str,
    levels: Mapping[OperandType, int],
    names: tuple[str, str],
    *,
    legacy: bool,
) -> OperationDeclaration:
    """A broadcasting operation; ``legacy`` ones answer INVALID_ARGUMENT to omitted and zero-sized inputs."""
    first, second = names
    return OperationDeclaration(
        type=operation,
        free_quantization=True,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "binary",
                (
                    Formal(first, "T", "first operand", rank=(1, None)),
                    Formal(second, "T", "second operand, broadcast against the first", rank=(1, None)),
                ),
            ),
        ),
        outputs=(Formal("output", "T", "result"),),
        infer=broadcast_of(first, second),
        rules=(broadcast_rule(operation.name, first, second),),
        zero_sized=ZeroSized.INVALID if legacy else ZeroSized.FAILS,
        omission_status=ErrorStatus.INVALID_ARGUMENT if legacy else ErrorStatus.GENERAL_FAILURE,
    )


def _same_dimensions(call: Call) -> bool:
    return call["condition"].dimensions == call["input0"].dimensions == call["input1"].dimensions


MAXIMUM = _declare(
    OperationType.MAXIMUM, "larger of x and y", {**_FLOATS, **_INTEGER, **_QUANTIZED}, ("input0", "input1"), legacy=True
)
MINIMUM = _declare(
    OperationType.MINIMUM,
    "smaller of x and y",
    {**_FLOATS, **_INTEGER, **_QUANTIZED},
    ("input0", "input1"),
    legacy=True,
)
POW = _declare(OperationType.POW, "base to the power of exponent", _FLOATS, ("base", "exponent"), legacy=True)
PRELU = _declare(
    OperationType.PRELU,
    "x where it is not negative, else x * alpha",
    {**_FLOATS, **_QUANTIZED},
    ("input", "alpha"),
    legacy=False,
)
SELECT = OperationDeclaration(
    type=OperationType.SELECT,
    free_quantization=True,
    summary="elements of the first tensor where the condition is true, else of the second",
    rows=single({**_FLOATS, **_INTEGER, **_QUANTIZED}),
    signatures=(
        Signature(
            "select",
            (
                Formal("condition", OperandType.TENSOR_BOOL8, "non-zero chooses input0", rank=(1, None)),
                Formal("input0", "T", "values where the condition is true", rank=(1, None)),
                Formal("input1", "T", "values where the condition is false", rank=(1, None)),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "chosen values"),),
    infer=shape_of("input0"),
    rules=(
        Rule("SELECT/dimensions", "All three inputs have the same dimensions; nothing broadcasts.", _same_dimensions),
    ),
    zero_sized=ZeroSized.FAILS,
)
