"""MEAN, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM, ARGMAX, ARGMIN.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/reduction.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    single,
)
from nnvet.hal.operations.shapes import axis_in_range, axis_rule, integer, vector

_FLOATS = {OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}
_QUANTIZED = {OperandType.TENSOR_QUANT8_ASYMM: 3, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4}
_BOOLEAN = {OperandType.TENSOR_BOOL8: 3}


def reduced_axes(call: Call) -> tuple[int, ...]:
    """Return the dimensions that operand ``axes`` names, ascending, each once and not negative."""
    rank = call["input"].rank
    return tuple(sorted({axis % rank for axis in call.vector("axes")}))


def _infer_reduced(call: Call) -> tuple[OutputSpec, ...]:
    argument, axes = call["input"], reduced_axes(call)
    if call.scalar("keep_dims") > 0:
        dimensions = tuple(1 if axis in axes else size for axis, size in enumerate(argument.dimensions))
    else:
        dimensions = tuple(size for axis, size in enumerate(argument.dimensions) if axis not in axes) or (1,)
    return (OutputSpec(dimensions, argument.scale, argument.zero_point),)


def _infer_index(call: Call) -> tuple[OutputSpec, ...]:
    dimensions = list(call["input"].dimensions)
    del dimensions[call.scalar("axis")]
    return (OutputSpec(tuple(dimensions) or (1,)),)


def _axes_fit(call: Call) -> bool:
    return all(axis_in_range(axis, call["input"].rank) for axis in call.vector("axes"))


def _declare_reduction(
    operation: OperationType,
    summary: str,
    levels: Mapping[OperandType, int],
    keep_dims: OperandType = OperandType.BOOL,
    *,
    legacy: bool = False,
) -> OperationDeclaration:
    """Return a reduction; ``legacy`` ones answer INVALID_ARGUMENT to omitted and zero-sized inputs."""
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature(
                "reduce",
                (
                    Formal("input", "T", "values", rank=(1, 4)),
                    vector("axes", "dimensions to reduce; negative ones count from the end"),
                    Formal("keep_dims", keep_dims, "above 0: reduced dimensions stay, with size 1", parameter=True),
                ),
            ),
        ),
        outputs=(Formal("output", "T", "result"),),
        infer=_infer_reduced,
        rules=(Rule(f"{operation.name}/axes.range", "Every axis lies between -rank and rank - 1.", _axes_fit),),
        zero_sized=ZeroSized.INVALID if legacy else ZeroSized.FAILS,
        omission_status=ErrorStatus.INVALID_ARGUMENT if legacy else ErrorStatus.GENERAL_FAILURE,
    )


def _declare_index(operation: OperationType, summary: str) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single({**_FLOATS, OperandType.TENSOR_INT32: 3, **_QUANTIZED}),
        signatures=(
            Signature(
                "index",
                (
                    Formal("input", "T", "values", rank=(1, None)),
                    integer("axis", "dimension to search along"),
                ),
            ),
        ),
        outputs=(Formal("output", OperandType.TENSOR_INT32, "lowest index along the axis"),),
        infer=_infer_index,
        rules=(axis_rule(operation.name),),
        zero_sized=ZeroSized.INVALID,
        omission_status=ErrorStatus.INVALID_ARGUMENT,
    )


MEAN = _declare_reduction(
    OperationType.MEAN,
    "mean along axes",
    {
        OperandType.TENSOR_FLOAT32: 2,
        OperandType.TENSOR_QUANT8_ASYMM: 2,
        OperandType.TENSOR_FLOAT16: 3,
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
    },
    OperandType.INT32,
    legacy=True,
)
REDUCE_ALL = _declare_reduction(OperationType.REDUCE_ALL, "logical and along axes", _BOOLEAN)
REDUCE_ANY = _declare_reduction(OperationType.REDUCE_ANY, "logical or along axes", _BOOLEAN)
REDUCE_MAX = _declare_reduction(OperationType.REDUCE_MAX, "maximum along axes", {**_FLOATS, **_QUANTIZED})
REDUCE_MIN = _declare_reduction(OperationType.REDUCE_MIN, "minimum along axes", {**_FLOATS, **_QUANTIZED})
REDUCE_PROD = _declare_reduction(OperationType.REDUCE_PROD, "product along axes", _FLOATS)
REDUCE_SUM = _declare_reduction(OperationType.REDUCE_SUM, "sum along axes", _FLOATS)
ARGMAX = _declare_index(OperationType.ARGMAX, "index of the largest value along an axis")
ARGMIN = _declare_index(OperationType.ARGMIN, "index of the smallest value along an axis")
