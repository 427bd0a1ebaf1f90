"""RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, RANK: the same elements in another shape or order.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/movement.py``.
"""

from __future__ import annotations

import math

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
from nnvet.hal.operations.shapes import axis_in_range, float_and_quant8, tensor, vector

_INFERRED = -1
"""Entry of RESHAPE's target shape that stands for the remaining size."""


def _like_input(call: Call, dimensions: tuple[int, ...]) -> tuple[OutputSpec, ...]:
    return (OutputSpec(dimensions, call["input"].scale, call["input"].zero_point),)


def _target_shape(call: Call) -> tuple[int, ...]:
    shape = call.vector("shape")
    given = math.prod(entry for entry in shape if entry != _INFERRED)
    rest = math.prod(call["input"].dimensions) // given
    return tuple(rest if entry == _INFERRED else entry for entry in shape)


RESHAPE = OperationDeclaration(
    type=OperationType.RESHAPE,
    summary="the same elements, row-major, in another shape",
    rows=single(float_and_quant8(1) | {OperandType.TENSOR_INT32: 6}),
    signatures=(
        Signature(
            "reshape",
            (
                Formal("input", "T", "tensor to reshape", rank=(1, 4)),
                vector("shape", "sizes of the output; one may be -1 for what is left"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "reshaped tensor"),),
    rules=(
        Rule(
            "RESHAPE/shape.inferred",
            "At most one entry of the shape is -1.",
            lambda call: call.vector("shape").count(_INFERRED) <= 1,
        ),
        Rule(
            "RESHAPE/shape.values",
            "Entries of the shape are positive, or -1.",
            lambda call: all(entry > 0 or entry == _INFERRED for entry in call.vector("shape")),
        ),
        Rule(
            "RESHAPE/shape.elements",
            "The shape has as many elements as the input; what -1 stands for is a whole number.",
            lambda call: math.prod(_target_shape(call)) == math.prod(call["input"].dimensions),
        ),
    ),
    infer=lambda call: _like_input(call, _target_shape(call)),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)


def _squeezed(call: Call) -> tuple[int, ...]:
    sizes = call["input"].dimensions
    if call.has("dims"):
        dropped = {dim % len(sizes) for dim in call.vector("dims")}
    else:
        dropped = {dim for dim, size in enumerate(sizes) if size == 1}
    return tuple(size for dim, size in enumerate(sizes) if dim not in dropped) or (1,)


def _dims_given(call: Call) -> list[int]:
    return call.vector("dims") if call.has("dims") else []


SQUEEZE = OperationDeclaration(
    type=OperationType.SQUEEZE,
    summary="drops dimensions of size 1",
    rows=single(float_and_quant8(2)),
    signatures=(
        Signature(
            "squeeze",
            (
                Formal("input", "T", "tensor to squeeze", rank=(1, 4)),
                vector("dims", "dimensions to drop; omitted: all of size 1", omissible=True),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "squeezed tensor; shape [1] if nothing is left"),),
    rules=(
        Rule(
            "SQUEEZE/dims.declared",
            "The list of dimensions is declared with rank 1 also when it is omitted.",
            lambda call: call["dims"].rank == 1,
        ),
        Rule(
            "SQUEEZE/dims.range",
            "Every dimension to drop is one of the input's.",
            lambda call: all(axis_in_range(dim, call["input"].rank) for dim in _dims_given(call)),
        ),
        Rule(
            "SQUEEZE/dims.size",
            "Every dimension to drop has size 1.",
            lambda call: all(call["input"].dimensions[dim] == 1 for dim in _dims_given(call)),
        ),
    ),
    infer=lambda call: _like_input(call, _squeezed(call)),
    zero_sized=ZeroSized.FAILS,
)


def _expanded(call: Call) -> tuple[int, ...]:
    sizes = call["input"].dimensions
    position = call.scalar("axis") % (len(sizes) + 1)
    return (*sizes[:position], 1, *sizes[position:])


EXPAND_DIMS = OperationDeclaration(
    type=OperationType.EXPAND_DIMS,
    summary="inserts a dimension of size 1",
    rows=single(float_and_quant8(3) | {OperandType.TENSOR_INT32: 3}),
    signatures=(
        Signature(
            "expand",
            (
                tensor("input", "T", (1, None), "tensor to expand"),
                Formal("axis", OperandType.INT32, "where the new dimension goes; negative counts from the end"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "expanded tensor"),),
    rules=(
        Rule(
            "EXPAND_DIMS/axis.range",
            "The axis lies in [-(rank + 1), rank + 1).",
            lambda call: axis_in_range(call.scalar("axis"), call["input"].rank + 1),
        ),
    ),
    infer=lambda call: _like_input(call, _expanded(call)),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)


def _permutation_given(call: Call) -> list[int]:
    return call.vector("perm") if call.has("perm") else []


def _permuted(call: Call) -> tuple[int, ...]:
    sizes = call["input"].dimensions
    return tuple(sizes[dim] for dim in _permutation_given(call)) or sizes[::-1]


TRANSPOSE = OperationDeclaration(
    type=OperationType.TRANSPOSE,
    summary="permutes dimensions",
    rows=single(float_and_quant8(2)),
    signatures=(
        Signature(
            "transpose",
            (
                Formal("input", "T", "tensor to transpose", rank=(1, 4)),
                vector(
                    "perm", "input dimension of each output dimension; omitted: a matrix is transposed", omissible=True
                ),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "transposed tensor"),),
    rules=(
        Rule(
            "TRANSPOSE/perm.omitted",
            "Without a permutation the input has rank 2.",
            lambda call: call.has("perm") or call["input"].rank == 2,
        ),
        Rule(
            "TRANSPOSE/perm.length",
            "The permutation has one entry for each dimension.",
            lambda call: not call.has("perm") or call["perm"].dimensions == (call["input"].rank,),
        ),
        Rule(
            "TRANSPOSE/perm.range",
            "Entries of the permutation lie in 0 … rank - 1.",
            lambda call: all(0 <= dim < call["input"].rank for dim in _permutation_given(call)),
        ),
        Rule(
            "TRANSPOSE/perm.distinct",
            "Entries of the permutation differ.",
            lambda call: len(set(_permutation_given(call))) == len(_permutation_given(call)),
        ),
    ),
    infer=lambda call: _like_input(call, _permuted(call)),
)

RANK = OperationDeclaration(
    type=OperationType.RANK,
    summary="number of dimensions, as a scalar",
    rows=single(
        dict.fromkeys(
            (
                OperandType.TENSOR_FLOAT16,
                OperandType.TENSOR_FLOAT32,
                OperandType.TENSOR_INT32,
                OperandType.TENSOR_QUANT8_ASYMM,
                OperandType.TENSOR_QUANT16_SYMM,
                OperandType.TENSOR_BOOL8,
                OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL,
                OperandType.TENSOR_QUANT16_ASYMM,
                OperandType.TENSOR_QUANT8_SYMM,
                OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
            ),
            4,
        )
    ),
    signatures=(Signature("rank", (tensor("input", "T", (1, None), "any tensor"),)),),
    outputs=(Formal("output", OperandType.INT32, "its rank"),),
    infer=lambda _: (OutputSpec(()),),
    zero_sized=ZeroSized.FAILS,
)
