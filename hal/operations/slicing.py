"""SLICE, STRIDED_SLICE, GATHER, TOPK_V2: some of the elements of a tensor.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/movement.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from nnvet.hal.enums import OperandType, OperationType
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
from nnvet.hal.operations.shapes import axis_rule, float_and_quant8, tensor, vector

_WITH_INT32 = single(float_and_quant8(3) | {OperandType.TENSOR_INT32: 3})
_ANY_RANK = tensor("input", "T", (1, None), "tensor to take from")


def _length_rule(operation: str, name: str) -> Rule:
    return Rule(
        f"{operation}/{name}.length",
        f"'{name}' has one entry for each dimension.",
        lambda call: call[name].dimensions == (call["input"].rank,),
    )


_REST = -1
"""Size in SLICE that stands for all remaining elements."""


def slice_ranges(call: Call) -> list[tuple[int, int]]:
    """Return the first index and the number of elements of each dimension of a SLICE."""
    sizes = zip(call["input"].dimensions, call.vector("begin"), call.vector("size"), strict=True)
    return [(begin, dimension - begin if size == _REST else size) for dimension, begin, size in sizes]


SLICE = OperationDeclaration(
    type=OperationType.SLICE,
    free_quantization=True,
    summary="a box cut out of a tensor",
    rows=_WITH_INT32,
    signatures=(
        Signature(
            "slice",
            (
                _ANY_RANK,
                vector("begin", "first index of each dimension"),
                vector("size", "number of elements of each dimension; -1: all that remain"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "the box"),),
    rules=(
        _length_rule("SLICE", "begin"),
        _length_rule("SLICE", "size"),
        Rule(
            "SLICE/begin.range",
            "The box begins in 0 … size of the dimension.",
            lambda call: all(0 <= b <= d for b, d in zip(call.vector("begin"), call["input"].dimensions, strict=True)),
        ),
        Rule(
            "SLICE/size.range",
            "Sizes are -1 or not negative, and the box ends within the tensor.",
            lambda call: all(
                size >= 0 and begin + size <= dimension
                for dimension, (begin, size) in zip(call["input"].dimensions, slice_ranges(call), strict=True)
            ),
        ),
    ),
    infer=lambda call: (OutputSpec(tuple(size for _, size in slice_ranges(call))),),
)


@dataclass(frozen=True, slots=True)
class Stride:
    """One dimension of a STRIDED_SLICE after masks and clamping; ``end`` -1 lies before the first element."""

    begin: int
    end: int
    step: int
    shrink: bool

    @property
    def size(self) -> int:
        """Elements of the output along the dimension, 0 if no step from ``begin`` leads towards ``end``."""
        return max(0, -((self.begin - self.end) // self.step))


def _bit(call: Call, mask: str, dimension: int) -> bool:
    return bool(call.scalar(mask) >> dimension & 1)


def _clamped(index: int, size: int, step: int) -> int:
    """Return an index clamped to the dimension; negative indexes count from the end."""
    if step > 0:
        low, high = 0, size
    else:
        low, high = -1, size - 1
    if index < -size:
        return low
    return min(index + size if index < 0 else index, high)


def strides(call: Call) -> list[Stride]:
    """Return the range of elements that a STRIDED_SLICE takes of each dimension."""
    begins, ends, steps = (call.vector(name) for name in ("begin", "end", "strides"))
    result = []
    for dimension, size in enumerate(call["input"].dimensions):
        step = steps[dimension]
        first, past = (0, size) if step > 0 else (size - 1, -1)
        begin = first if _bit(call, "begin_mask", dimension) else _clamped(begins[dimension], size, step)
        end = past if _bit(call, "end_mask", dimension) else _clamped(ends[dimension], size, step)
        result.append(Stride(begin, end, step, _bit(call, "shrink_axis_mask", dimension)))
    return result


STRIDED_SLICE = OperationDeclaration(
    type=OperationType.STRIDED_SLICE,
    free_quantization=True,
    summary="every n-th element of each dimension, between two positions",
    rows=single(float_and_quant8(2)),
    signatures=(
        Signature(
            "strided",
            (
                Formal("input", "T", "tensor to take from", rank=(1, 4)),
                vector("begin", "first index of each dimension; negative counts from the end"),
                vector("end", "index after the last one of each dimension"),
                vector("strides", "step of each dimension; negative runs backwards"),
                Formal("begin_mask", OperandType.INT32, "bit i: dimension i begins at its start"),
                Formal("end_mask", OperandType.INT32, "bit i: dimension i runs to its end"),
                Formal("shrink_axis_mask", OperandType.INT32, "bit i: dimension i is dropped"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "what was taken; shape [1] if every dimension is dropped"),),
    rules=(
        *(_length_rule("STRIDED_SLICE", name) for name in ("begin", "end", "strides")),
        Rule("STRIDED_SLICE/strides.values", "Strides are not 0.", lambda call: 0 not in call.vector("strides")),
        Rule(
            "STRIDED_SLICE/shrink_axis_mask.stride",
            "A dimension to drop has a positive stride.",
            lambda call: all(stride.step > 0 for stride in strides(call) if stride.shrink),
        ),
        Rule(
            "STRIDED_SLICE/shrink_axis_mask.size",
            "Of a dimension to drop exactly one element is taken.",
            lambda call: all(stride.size == 1 for stride in strides(call) if stride.shrink),
        ),
    ),
    infer=lambda call: (OutputSpec(tuple(stride.size for stride in strides(call) if not stride.shrink) or (1,)),),
    zero_sized=ZeroSized.FAILS,
)


def _gathered(call: Call) -> tuple[OutputSpec, ...]:
    sizes = call["input"].dimensions
    axis = call.scalar("axis") % len(sizes)
    return (OutputSpec((*sizes[:axis], *call["indices"].dimensions, *sizes[axis + 1 :])),)


GATHER = OperationDeclaration(
    type=OperationType.GATHER,
    free_quantization=True,
    summary="slices of a tensor at given indices along an axis",
    rows=_WITH_INT32,
    signatures=(
        Signature(
            "gather",
            (
                _ANY_RANK,
                Formal("axis", OperandType.INT32, "axis that is indexed; negative counts from the end"),
                tensor("indices", OperandType.TENSOR_INT32, (1, None), "which slices; not negative"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "slices; the axis is replaced by the dimensions of the indices"),),
    rules=(
        axis_rule("GATHER"),
        Rule("GATHER/indices.values", "Indices lie in 0 … size of the axis - 1."),
    ),
    infer=_gathered,
    zero_sized=ZeroSized.FAILS,
)


def _top(call: Call) -> tuple[OutputSpec, ...]:
    source = call["input"]
    sizes = (*source.dimensions[:-1], call.scalar("k"))
    return OutputSpec(sizes, source.scale, source.zero_point), OutputSpec(sizes, 0.0, 0)


TOPK_V2 = OperationDeclaration(
    type=OperationType.TOPK_V2,
    summary="the largest elements along the last dimension, and where they are",
    rows=_WITH_INT32,
    signatures=(
        Signature("top", (_ANY_RANK, Formal("k", OperandType.INT32, "how many; at most the last dimension's size"))),
    ),
    outputs=(
        Formal("values", "T", "largest elements in descending order"),
        Formal("indices", OperandType.TENSOR_INT32, "their indices; of equal elements the last comes first"),
    ),
    rules=(
        Rule(
            "TOPK_V2/k.range",
            "k lies in 1 … size of the last dimension.",
            lambda call: 0 < call.scalar("k") <= call["input"].dimensions[-1],
        ),
    ),
    infer=_top,
    zero_sized=ZeroSized.FAILS,
)
