"""Building blocks of LiteRT's table of claims: types, conditions and layouts; and its rows for elementwise operations.

A row says which forms of an operation LiteRT computes as the contract demands, and emits the operators. The modules
``movement.py``, ``numeric.py`` and ``products.py`` have the other rows; :mod:`nnvet.adapters.litert.writing` joins
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.runtimes import claims
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.hal.operations.shapes import is_nchw

LiteRtClaim = claims.Claim[Emitter]

TO_NCHW: Final = (0, 3, 1, 2)
TO_NHWC: Final = (0, 2, 3, 1)


def rank_up_to(most: int, name: str = "input") -> claims.Condition:
    """Return the condition that the rank of an input is known and not too large for LiteRT."""
    return claims.Condition(
        f"the rank of '{name}' is known and at most {most}", lambda call: 1 <= call[name].rank <= most
    )


def unary(name: str) -> Callable[[Emitter, Call], None]:
    """Return the emitter of an operator with one input and one output."""

    def emit(emitter: Emitter, call: Call) -> None:
        emitter.add(name, [emitter.source(call["input"])], emitter.target(call.output))

    return emit


def reshape(emitter: Emitter, source: int, target: int, shape: Sequence[int]) -> None:
    """Copy a tensor into one of another shape."""
    emitter.add("RESHAPE", [source, emitter.constant(list(shape))], target)


def permuted(emitter: Emitter, source: int, like: Argument, shape: Sequence[int], order: Sequence[int]) -> int:
    """Return a tensor of ``shape`` with its dimensions in another order."""
    target = emitter.between(like, [shape[axis] for axis in order])
    emitter.add("TRANSPOSE", [source, emitter.constant(list(order))], target)
    return target


def image_input(emitter: Emitter, call: Call, name: str = "input") -> int:
    """Return an input of images, in the layout that LiteRT knows: NHWC."""
    source = emitter.source(call[name])
    return permuted(emitter, source, call[name], call[name].dimensions, TO_NHWC) if is_nchw(call) else source


def image_output(emitter: Emitter, call: Call, emit: Callable[[int], None]) -> None:
    """Have ``emit`` write images in NHWC, and bring them into the call's layout."""
    target = emitter.target(call.output)
    if not is_nchw(call):
        emit(target)
        return
    n, c, h, w = call.output.dimensions
    images = emitter.between(call.output, (n, h, w, c))
    emit(images)
    emitter.add("TRANSPOSE", [images, emitter.constant(list(TO_NCHW))], target)


def along_last(emitter: Emitter, call: Call, axis: int, emit: Callable[[int, int], None]) -> None:
    """Have ``emit`` work along the last dimension; transpose before and after it, if ``axis`` is another one."""
    argument, target = call["input"], emitter.target(call.output)
    source, rank = emitter.source(argument), argument.rank
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    if order == sorted(order):
        emit(source, target)
        return
    turned = permuted(emitter, source, argument, argument.dimensions, order)
    result = emitter.between(call.output, [argument.dimensions[place] for place in order])
    emit(turned, result)
    emitter.add("TRANSPOSE", [result, emitter.constant(order)], target)


_O = OperationType
_MOST_BROADCAST: Final = 4


def _operands(call: Call) -> list[Argument]:
    return list(call.inputs.values())[:2]


def _broadcasts_in_four(call: Call) -> bool:
    first, second = (argument.dimensions for argument in _operands(call))
    same = first == second and 0 not in first
    return bool(first and second) and (same or max(len(first), len(second)) <= _MOST_BROADCAST)


FEW_RANKS: Final = claims.Condition(
    "LiteRT broadcasts up to 4 dimensions; tensors of more have to have equal, known shapes", _broadcasts_in_four
)


def binary(name: str) -> Callable[[Emitter, Call], None]:
    """Return the emitter of an operator with two inputs and one result."""

    def emit(emitter: Emitter, call: Call) -> None:
        emitter.add(name, [emitter.source(operand) for operand in _operands(call)], emitter.target(call.output))

    return emit


def arithmetic(name: str) -> Callable[[Emitter, Call], None]:
    """Return the emitter of an operator with two inputs and a fused activation."""

    def emit(emitter: Emitter, call: Call) -> None:
        inputs = [emitter.source(operand) for operand in _operands(call)]
        emitter.add(name, inputs, emitter.target(call.output), activation=call.scalar("activation"))

    return emit


def _divide(emitter: Emitter, call: Call) -> None:
    name, options = ("DIV", {"activation": call.scalar("activation")})
    if call["input0"].type == OperandType.TENSOR_INT32:
        name, options = "FLOOR_DIV", {}
    emitter.add(name, [emitter.source(operand) for operand in _operands(call)], emitter.target(call.output), **options)


def _select(emitter: Emitter, call: Call) -> None:
    inputs = [emitter.source(call[name]) for name in ("condition", "input0", "input1")]
    emitter.add("SELECT", inputs, emitter.target(call.output))


def _comparable_codes(call: Call) -> bool:
    first, second = _operands(call)
    if first.type not in QUANT8_ASYMM:
        return True
    return (first.scale, first.zero_point) == (second.scale, second.zero_point) and 1 / 128 <= first.scale < 1


_DISTINCT: Final = claims.Condition(
    "codes have one scale and zero point, and the scale lies in [1/128, 1): LiteRT aborts where it is 1, and takes "
    "different codes for equal where it is larger, or smaller than 1/256",
    _comparable_codes,
)
_PRELU_SHAPE: Final = claims.Condition(
    "the slopes broadcast to the shape of the input, and both shapes are known",
    lambda call: (
        0 not in (*call["input"].dimensions, *call["alpha"].dimensions)
        and call["alpha"].rank <= call["input"].rank
        and all(
            slope in (1, size)
            for slope, size in zip(call["alpha"].dimensions[::-1], call["input"].dimensions[::-1], strict=False)
        )
    ),
)
_UNIT_ALPHA: Final = claims.Condition(
    "alpha is 1, the only one that LiteRT's ELU knows", lambda call: call.scalar("alpha") == 1
)
_ORDER: Final = {OperandType.TENSOR_BOOL8: "LiteRT orders no booleans"}
_QUANTISED_RSQRT: Final = {
    claims.UNSIGNED: "LiteRT has no RSQRT of unsigned codes",
    claims.SIGNED: "LiteRT fails for codes that stand for negative numbers or zero",
}


def _comparisons(
    names: Sequence[str], types: tuple[OperandType, ...], excluded: Mapping[OperandType, str]
) -> list[LiteRtClaim]:
    """Return claims that differ only in their name."""
    return [
        LiteRtClaim(OperationType[name], name, types, binary(name), (FEW_RANKS, _DISTINCT), excluded) for name in names
    ]


CLAIMS: Final[tuple[LiteRtClaim, ...]] = (
    *(
        LiteRtClaim(
            OperationType[name],
            name,
            (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER),
            arithmetic(name),
            (FEW_RANKS,),
        )
        for name in ("ADD", "SUB", "MUL")
    ),
    LiteRtClaim(
        _O.DIV,
        "DIV; FLOOR_DIV for integers, which DIV rounds towards zero",
        (*claims.FLOATS, claims.INTEGER),
        _divide,
        (FEW_RANKS,),
        {claims.SIGNED: "such a model is valid, but every execution of it fails"},
    ),
    *(
        LiteRtClaim(
            OperationType[name],
            name,
            (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER),
            binary(name),
            (FEW_RANKS, claims.same_codes("input0", "input1")),
        )
        for name in ("MAXIMUM", "MINIMUM")
    ),
    LiteRtClaim(_O.POW, "POW", claims.FLOATS, binary("POW"), (FEW_RANKS,)),
    LiteRtClaim(_O.PRELU, "PRELU", (*claims.FLOATS, *claims.BOTH_BYTES), binary("PRELU"), (FEW_RANKS, _PRELU_SHAPE)),
    LiteRtClaim(
        _O.SELECT,
        "SELECT",
        (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER),
        _select,
        (claims.same_codes("input0", "input1"),),
    ),
    *_comparisons(("EQUAL", "NOT_EQUAL"), (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER, claims.BOOLEAN), {}),
    *_comparisons(
        ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"), (*claims.FLOATS, *claims.BOTH_BYTES, claims.INTEGER), _ORDER
    ),
    *(
        LiteRtClaim(OperationType[name], name, (claims.BOOLEAN,), binary(name), (FEW_RANKS,))
        for name in ("LOGICAL_AND", "LOGICAL_OR")
    ),
    LiteRtClaim(_O.LOGICAL_NOT, "LOGICAL_NOT", (claims.BOOLEAN,), unary("LOGICAL_NOT")),
    *(
        LiteRtClaim(OperationType[name], name, claims.FLOATS, unary(name))
        for name in ("EXP", "FLOOR", "LOG", "SIN", "SQRT")
    ),
    *(LiteRtClaim(OperationType[name], name, (*claims.FLOATS, claims.INTEGER), unary(name)) for name in ("ABS", "NEG")),
    LiteRtClaim(_O.RSQRT, "RSQRT", claims.FLOATS, unary("RSQRT"), (), _QUANTISED_RSQRT),
    *(
        LiteRtClaim(OperationType[name], name, (*claims.FLOATS, *claims.BOTH_BYTES), unary(name))
        for name in ("RELU", "RELU6", "LOGISTIC", "TANH", "HARD_SWISH")
    ),
    LiteRtClaim(_O.RELU1, "RELU_N1_TO_1", (*claims.FLOATS, *claims.BOTH_BYTES), unary("RELU_N1_TO_1")),
    LiteRtClaim(_O.ELU, "ELU", claims.FLOATS, unary("ELU"), (_UNIT_ALPHA,)),
)
