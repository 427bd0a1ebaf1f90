"""Functions of one tensor, comparisons, logic, extremes, POW, PRELU, SELECT, and changes of element type.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 8; kernels in
``reference_driver/kernels/elementwise.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    single,
)
from nnvet.hal.operations.shapes import broadcast_of, broadcast_rule, shape_of

_FLOAT_ROWS = {OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}


def _declare_function(
    operation: OperationType, summary: str, levels: Mapping[OperandType, int], highest_rank: int | None = None
) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        free_quantization=True,
        summary=summary,
        rows=single(levels),
        signatures=(Signature("unary", (Formal("input", "T", "values", rank=(1, highest_rank)),)),),
        outputs=(Formal("output", "T", "result, of the shape of the input"),),
        infer=shape_of("input"),
        zero_sized=ZeroSized.FAILS,
    )


FLOOR = _declare_function(
    OperationType.FLOOR,
    "largest integer not above x",
    {OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3},
    highest_rank=4,
)
ABS = _declare_function(OperationType.ABS, "absolute value", {**_FLOAT_ROWS, OperandType.TENSOR_INT32: 4})
EXP = _declare_function(OperationType.EXP, "e^x", _FLOAT_ROWS)
LOG = _declare_function(OperationType.LOG, "natural logarithm", _FLOAT_ROWS)
NEG = _declare_function(OperationType.NEG, "-x", {**_FLOAT_ROWS, OperandType.TENSOR_INT32: 3})
RSQRT = _declare_function(
    OperationType.RSQRT,
    "1 / sqrt(x)",
    {**_FLOAT_ROWS, OperandType.TENSOR_QUANT8_ASYMM: 7, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 7},
)
SIN = _declare_function(OperationType.SIN, "sine of x in radians", _FLOAT_ROWS)
SQRT = _declare_function(OperationType.SQRT, "square root", _FLOAT_ROWS)
LOGICAL_NOT = _declare_function(OperationType.LOGICAL_NOT, "logical negation", {OperandType.TENSOR_BOOL8: 3})


_LOGICAL = {OperandType.TENSOR_BOOL8: 3}
_COMPARABLE = {
    OperandType.TENSOR_BOOL8: 3,
    OperandType.TENSOR_FLOAT32: 3,
    OperandType.TENSOR_FLOAT16: 3,
    OperandType.TENSOR_INT32: 3,
    OperandType.TENSOR_QUANT8_ASYMM: 3,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}
"""First level of each type that comparisons take."""


def _declare_comparison(
    operation: OperationType, summary: str, levels: Mapping[OperandType, int] = _COMPARABLE
) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "binary",
                (
                    Formal("input0", "T", "left side", rank=(1, None)),
                    Formal("input1", "T", "right side, broadcast against the left", rank=(1, None)),
                ),
            ),
        ),
        outputs=(Formal("output", OperandType.TENSOR_BOOL8, "1 where it is so, else 0"),),
        infer=broadcast_of("input0", "input1"),
        rules=(broadcast_rule(operation.name, "input0", "input1"),),
        zero_sized=ZeroSized.FAILS,
    )


EQUAL = _declare_comparison(OperationType.EQUAL, "x = y")
NOT_EQUAL = _declare_comparison(OperationType.NOT_EQUAL, "x != y")
LESS = _declare_comparison(OperationType.LESS, "x < y")
LESS_EQUAL = _declare_comparison(OperationType.LESS_EQUAL, "x <= y")
GREATER = _declare_comparison(OperationType.GREATER, "x > y")
GREATER_EQUAL = _declare_comparison(OperationType.GREATER_EQUAL, "x >= y")
LOGICAL_AND = _declare_comparison(OperationType.LOGICAL_AND, "x and y", _LOGICAL)
LOGICAL_OR = _declare_comparison(OperationType.LOGICAL_OR, "x or y", _LOGICAL)


_FLOATS = {OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}
_CODED = {OperandType.TENSOR_QUANT8_ASYMM: 3, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4}
_INTEGER = {OperandType.TENSOR_INT32: 3}


def _declare_extremum(
    operation: OperationType,
    summary: str,
    levels: Mapping[OperandType, int],
    names: tuple[str, str],
    *,
    legacy: bool,
) -> OperationDeclaration:
    """Return a broadcasting operation; ``legacy`` ones answer INVALID_ARGUMENT to omitted and zero-sized inputs."""
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


MAXIMUM = _declare_extremum(
    OperationType.MAXIMUM, "larger of x and y", {**_FLOATS, **_INTEGER, **_CODED}, ("input0", "input1"), legacy=True
)
MINIMUM = _declare_extremum(
    OperationType.MINIMUM,
    "smaller of x and y",
    {**_FLOATS, **_INTEGER, **_CODED},
    ("input0", "input1"),
    legacy=True,
)
POW = _declare_extremum(OperationType.POW, "base to the power of exponent", _FLOATS, ("base", "exponent"), legacy=True)
PRELU = _declare_extremum(
    OperationType.PRELU,
    "x where it is not negative, else x * alpha",
    {**_FLOATS, **_CODED},
    ("input", "alpha"),
    legacy=False,
)
SELECT = OperationDeclaration(
    type=OperationType.SELECT,
    free_quantization=True,
    summary="elements of the first tensor where the condition is true, else of the second",
    rows=single({**_FLOATS, **_INTEGER, **_CODED}),
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


_REALS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
_QUANTIZED = {
    OperandType.TENSOR_QUANT8_ASYMM: 1,
    OperandType.TENSOR_QUANT8_SYMM: 3,
    OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL: 3,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}
"""First level of each type of codes that DEQUANTIZE takes."""
_CONVERTIBLE = (*_REALS, OperandType.TENSOR_INT32, OperandType.TENSOR_QUANT8_ASYMM)
"""Types that CAST converts into each other."""
_COPIED = (
    OperandType.TENSOR_BOOL8,
    OperandType.TENSOR_QUANT16_ASYMM,
    OperandType.TENSOR_QUANT16_SYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_QUANT8_SYMM,
)
"""Types that CAST only copies, to the same type."""


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
            for quantized, real in product(_QUANTIZED, _REALS)
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
        *((3, {"T": real, "O": OperandType.TENSOR_QUANT8_ASYMM}) for real in _REALS),
        *((4, {"T": real, "O": OperandType.TENSOR_QUANT8_ASYMM_SIGNED}) for real in _REALS),
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
