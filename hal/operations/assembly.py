"""CONCATENATION, PACK, SPLIT, TILE, FILL, REVERSE: tensors put together, cut up, repeated and turned round.

Source: their pages in docs/contract/operations; kernels in
``reference_driver/kernels/movement.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    LevelRule,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    ZeroSized,
    rows,
    single,
)
from nnvet.hal.operations.shapes import (
    axis_rule,
    declared_like_input,
    float_and_quant8,
    quant8_kept,
    same_quantization,
    tensor,
    vector,
)


def _concatenated(call: Call) -> tuple[OutputSpec, ...]:
    axis = call.scalar("axis")
    sizes = list(call.variadic[0].dimensions)
    sizes[axis] = sum(argument.dimensions[axis] for argument in call.variadic)
    return (OutputSpec(tuple(sizes)),)


def _joins(call: Call) -> bool:
    axis = call.scalar("axis")
    others = {(*a.dimensions[:axis], *a.dimensions[axis + 1 :]) for a in call.variadic}
    return len(others) == 1


CONCATENATION = OperationDeclaration(
    type=OperationType.CONCATENATION,
    free_quantization=True,
    summary="tensors one after the other along an axis",
    rows=single(float_and_quant8(1)),
    signatures=(
        Signature(
            "concatenation",
            (
                Formal("inputs", "T", "tensors in order", rank=(1, 4), variadic=True),
                Formal("axis", OperandType.INT32, "axis along which they are joined; not negative"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "joined tensor; 8-bit inputs are requantised to it"),),
    rules=(
        Rule(
            "CONCATENATION/inputs.same_rank",
            "All inputs have the same rank.",
            lambda call: len({argument.rank for argument in call.variadic}) == 1,
        ),
        Rule(
            "CONCATENATION/axis.range",
            "The axis lies in 0 … rank - 1.",
            lambda call: 0 <= call.scalar("axis") < call.variadic[0].rank,
        ),
        Rule(
            "CONCATENATION/inputs.dimensions",
            "Inputs have equal sizes in every dimension but the axis.",
            _joins,
        ),
    ),
    level_rules=(
        LevelRule(
            "CONCATENATION/quantization.level",
            "TENSOR_QUANT8_ASYMM inputs whose scale or zero point is not the output's need feature level 3.",
            3,
            lambda call: (
                call.output.type == OperandType.TENSOR_QUANT8_ASYMM
                and not all(same_quantization(argument, call.output) for argument in call.variadic)
            ),
        ),
    ),
    infer=_concatenated,
)


def _same_known_ranks(call: Call) -> bool:
    ranks = {argument.rank for argument in call.variadic if argument.rank}
    # One less than 1 is 0, which stands for a rank that is not known.
    if call.output.rank > 1:
        ranks.add(call.output.rank - 1)
    return len(ranks) <= 1


def _packed(call: Call) -> tuple[OutputSpec, ...]:
    axis = call.scalar("axis")
    sizes = call.variadic[0].dimensions
    return (OutputSpec((*sizes[:axis], len(call.variadic), *sizes[axis:])),)


PACK = OperationDeclaration(
    type=OperationType.PACK,
    free_quantization=True,
    summary="equally shaped tensors side by side along a new axis",
    rows=single(float_and_quant8(6) | {OperandType.TENSOR_INT32: 6}),
    signatures=(
        Signature(
            "pack",
            (
                Formal("axis", OperandType.INT32, "position of the new axis; not negative"),
                Formal(
                    "inputs",
                    "T",
                    "tensors of equal shape and quantisation",
                    rank=(1, None),
                    rank_phase=Phase.EXECUTION,
                    variadic=True,
                ),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "packed tensor, of one dimension more"),),
    rules=(
        Rule(
            "PACK/quantization",
            "8-bit inputs have scale and zero point of the output.",
            lambda call: quant8_kept(call, *call.variadic),
            phase=Phase.MODEL,
        ),
        Rule(
            "PACK/output.rank",
            "Known ranks of the inputs agree, and are one less than the output's, unless that is 1.",
            _same_known_ranks,
            phase=Phase.MODEL,
        ),
        Rule(
            "PACK/inputs.dimensions",
            "All inputs have the same dimensions.",
            lambda call: len({argument.dimensions for argument in call.variadic}) == 1,
        ),
        Rule(
            "PACK/axis.range",
            "The axis lies in 0 … rank of the inputs.",
            lambda call: 0 <= call.scalar("axis") <= call.variadic[0].rank,
        ),
    ),
    infer=_packed,
    zero_sized=ZeroSized.FAILS,
)


def _split(call: Call) -> tuple[OutputSpec, ...]:
    source, parts = call["input"], len(call.outputs)
    sizes = list(source.dimensions)
    sizes[call.scalar("axis")] //= parts
    return (OutputSpec(tuple(sizes), source.scale, source.zero_point),) * parts


SPLIT = OperationDeclaration(
    type=OperationType.SPLIT,
    summary="equal parts of a tensor along an axis",
    rows=single(float_and_quant8(3) | {OperandType.TENSOR_INT32: 3}),
    signatures=(
        Signature(
            "split",
            (
                tensor("input", "T", (1, None), "tensor to split"),
                Formal("axis", OperandType.INT32, "axis that is cut; negative counts from the end"),
                Formal("num_splits", OperandType.INT32, "number of parts"),
            ),
        ),
    ),
    outputs=(Formal("outputs", "T", "the parts in order", variadic=True),),
    rules=(
        Rule(
            "SPLIT/num_splits.outputs",
            "The number of parts is the number of outputs.",
            lambda call: call.scalar("num_splits") == len(call.outputs),
            status=ErrorStatus.INVALID_ARGUMENT,
        ),
        axis_rule("SPLIT"),
        Rule(
            "SPLIT/num_splits.divides",
            "The number of parts divides the size of the axis.",
            lambda call: call["input"].dimensions[call.scalar("axis")] % call.scalar("num_splits") == 0,
        ),
    ),
    infer=_split,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)


def _tiled(call: Call) -> tuple[OutputSpec, ...]:
    source = call["input"]
    sizes = tuple(size * count for size, count in zip(source.dimensions, call.vector("multiples"), strict=True))
    return (OutputSpec(sizes, source.scale, source.zero_point),)


TILE = OperationDeclaration(
    type=OperationType.TILE,
    summary="a tensor repeated along its dimensions",
    rows=single(float_and_quant8(3) | {OperandType.TENSOR_INT32: 3}),
    signatures=(
        Signature(
            "tile",
            (
                tensor("input", "T", (1, None), "tensor to repeat"),
                vector("multiples", "number of repetitions of each dimension"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "repeated tensor"),),
    rules=(
        Rule(
            "TILE/multiples.length",
            "There is one number of repetitions for each dimension.",
            lambda call: call["multiples"].dimensions == (call["input"].rank,),
        ),
        Rule(
            "TILE/multiples.values",
            "Numbers of repetitions are positive.",
            lambda call: min(call.vector("multiples")) > 0,
        ),
    ),
    infer=_tiled,
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)

FILL = OperationDeclaration(
    type=OperationType.FILL,
    summary="a tensor of one value",
    rows=rows(
        (4, {"T": OperandType.TENSOR_FLOAT16, "S": OperandType.FLOAT16}),
        (4, {"T": OperandType.TENSOR_FLOAT32, "S": OperandType.FLOAT32}),
        (4, {"T": OperandType.TENSOR_INT32, "S": OperandType.INT32}),
    ),
    signatures=(
        Signature(
            "fill",
            (
                vector("dims", "sizes of the output"),
                Formal("value", "S", "value of every element"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "filled tensor"),),
    rules=(
        Rule(
            "FILL/dims.values",
            "Sizes of the output are not negative.",
            lambda call: min(call.vector("dims")) >= 0,
        ),
    ),
    infer=lambda call: (OutputSpec(tuple(call.vector("dims"))),),
    zero_sized=ZeroSized.FAILS,
)

REVERSE = OperationDeclaration(
    type=OperationType.REVERSE,
    free_quantization=True,
    summary="a tensor with the elements along one axis in reverse order",
    rows=single(float_and_quant8(7) | {OperandType.TENSOR_INT32: 7}),
    signatures=(
        Signature(
            "reverse",
            (
                tensor("input", "T", (1, 8), "tensor to reverse"),
                Formal(
                    "axis", OperandType.TENSOR_INT32, "the axis, a tensor of one element", rank=(1, 1), parameter=True
                ),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "reversed tensor"),),
    rules=(
        Rule(
            "REVERSE/axis.dimension",
            "The tensor that holds the axis has one element.",
            lambda call: call["axis"].dimensions in ((), (0,), (1,)),
            phase=Phase.MODEL,
        ),
        *declared_like_input("REVERSE"),
        Rule(
            "REVERSE/axis.range",
            "The axis lies in 0 … rank - 1.",
            lambda call: 0 <= call.scalar("axis") < call["input"].rank,
        ),
    ),
    infer=lambda call: (OutputSpec(call["input"].dimensions),),
    zero_sized=ZeroSized.FAILS,
)
