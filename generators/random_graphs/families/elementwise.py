"""Signatures of operations that keep the shape of one tensor, or broadcast two, and of changes of element type.

``catalogue.py`` collects the table :data:`SIGNATURES`. Most rows need no function of their own: :func:`unary` and its
neighbours return a builder from the bound of an operation's results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from nnvet.generators.random_graphs.draft import (
    UNBOUNDED,
    Draft,
    DraftOperand,
    Quantization,
    Trait,
    product_scale,
    random_quantization,
    unbounded,
)
from nnvet.generators.random_graphs.shapes import Dimensions, Shape, fixed, free
from nnvet.generators.random_graphs.signature import Build, signatures
from nnvet.graphs.model import element_type
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.shapes import broadcast

_T = OperandType
_O = OperationType
_QUARTER: Final = 0.25
_LOWEST: Final = {
    _T.TENSOR_QUANT8_ASYMM: 0,
    _T.TENSOR_QUANT8_ASYMM_SIGNED: -128,
}
_MIDDLE: Final = {_T.TENSOR_QUANT8_ASYMM: 128, _T.TENSOR_QUANT8_ASYMM_SIGNED: 0}
_LARGEST_LOGARITHM: Final = 16.0
"""Largest magnitude of a logarithm of values from 2^-23 on."""
_LARGEST_INVERSE_ROOT: Final = 4096.0
_SAFE_EXPONENT: Final = 8.0
"""Argument below which the exponential is a normal float16."""
_LARGEST_EXPONENT: Final = 88.0
"""Argument above which the exponential overflows float32."""

Reach = Callable[[float], float]


def _unary(draft: Draft, needs: int, makes: int, reach: Reach) -> None:
    source = draft.input(needs=needs)
    draft.same(source, traits=makes, reach=reach(source.reach))


def unary(reach: Reach = lambda reach: reach, *, needs: int = Trait.NONE, makes: int = Trait.NONE) -> Build:
    """Return the builder of an operation that keeps shape, scale and zero point.

    ``reach`` computes the bound of its results from that of its input. ``needs`` are traits that the input must have,
    ``makes`` those that the results have.
    """
    return partial(_unary, needs=needs, makes=makes, reach=reach)


def _bounded(draft: Draft, steps: int, zero_points: dict[OperandType, int]) -> None:
    """Build LOGISTIC or TANH, whose output quantisation the contract fixes."""
    draft.input()
    quantization = (1 / steps, zero_points[draft.kind]) if draft.is_quantized else None
    traits = Trait.NON_NEGATIVE if zero_points is _LOWEST else Trait.NONE
    draft.output(quantization=quantization, traits=traits, reach=1.0)


def _elu(draft: Draft) -> None:
    source = draft.input()
    alpha = draft.real(0, 10)
    draft.output(reach=max(source.reach, alpha))


def _exponential(draft: Draft) -> None:
    source = draft.input()
    traits = Trait.POSITIVE if source.reach <= _SAFE_EXPONENT else Trait.NON_NEGATIVE
    draft.output(traits=traits, reach=math.exp(source.reach) if source.reach < _LARGEST_EXPONENT else UNBOUNDED)


_REACHES: Final[dict[OperationType, Callable[[float, float], float]]] = {
    _O.ADD: lambda a, b: a + b,
    _O.SUB: lambda a, b: a + b,
    _O.MUL: lambda a, b: a * b,
    _O.PRELU: lambda a, b: a * max(b, 1.0),
}
_SPREADS: Final[dict[OperationType, Callable[[float, float], float]]] = {
    **_REACHES,
    _O.ADD: math.hypot,
    _O.SUB: math.hypot,
}


def _binary(
    draft: Draft, needs: tuple[int, int] = (Trait.NONE, Trait.NONE), *, activation: bool = False
) -> tuple[DraftOperand, DraftOperand]:
    """Make two inputs that are broadcast: either may have a lower rank, or sizes of 1."""
    swapped = draft.chooser.boolean()
    any_dimensions = partial(free(draft.rank).takes, limits=draft.limits)
    first = draft.input(_with_ones(draft), needs=needs[swapped], takes=any_dimensions)
    draft.input(
        fixed(_partner(draft, first.dimensions)),
        needs=needs[not swapped],
        takes=partial(_broadcasts, draft, first.dimensions),
    )
    if swapped:
        draft.inputs.reverse()
    if activation:
        draft.activation()
    return draft.inputs[0], draft.inputs[1]


def _with_ones(draft: Draft) -> Shape:
    shape = free(draft.rank)
    if draft.chooser.boolean():
        return shape
    return fixed(1 if draft.chooser.boolean(_QUARTER) else size for size in shape.choose(draft.chooser, draft.limits))


def _partner(draft: Draft, dimensions: Dimensions) -> Dimensions:
    """Return dimensions that can be broadcast with others, of their rank or a lower one."""
    result: list[int] = []
    used = math.prod(dimensions)
    for size in reversed(dimensions[-draft.chooser.integer(1, len(dimensions)) :]):
        if size == 1:
            chosen = draft.size(used) if draft.chooser.boolean() else 1
            used *= chosen
        else:
            chosen = 1 if draft.chooser.boolean(_QUARTER) else size
        result.insert(0, chosen)
    return tuple(result)


def _broadcasts(draft: Draft, first: Dimensions, second: Dimensions) -> bool:
    result = broadcast(first, second)
    if result is None or len(result) != draft.rank:
        return False
    return free(draft.rank).takes(result, draft.limits)


_WIDEST_SUM: Final = 2**18
"""Twice a term's scale has to be below 2^20 scales of the sum (``ADD/output.multiplier``); here it is half as much."""


def _arithmetic(draft: Draft) -> None:
    first, second = _binary(draft, activation=True)
    is_product = draft.operation == _O.MUL and draft.is_quantized
    # The contract wants the scale of a product above that of its factors, and that of a sum not far below its terms'.
    quantization = draft.scale_above(product_scale(first, second)) if is_product else None
    if draft.is_quantized and not is_product:
        draft.exceed(max(first.scale, second.scale) / _WIDEST_SUM)
    operation = OperationType(draft.operation)
    draft.output(
        quantization=quantization,
        reach=_REACHES[operation](first.reach, second.reach),
        spread=_SPREADS[operation](first.spread, second.spread),
    )


def _division(draft: Draft) -> None:
    _binary(draft, (Trait.NONE, Trait.NON_ZERO), activation=True)
    draft.output(**unbounded())


def _power(draft: Draft) -> None:
    _binary(draft, (Trait.NON_NEGATIVE, Trait.NONE))
    draft.output(**unbounded())


def _extremum(draft: Draft) -> None:
    first, second = _binary(draft)
    operation = OperationType(draft.operation)
    reach, spread = _REACHES.get(operation, max), _SPREADS.get(operation, max)
    draft.output(reach=reach(first.reach, second.reach), spread=spread(first.spread, second.spread))


def _comparison(draft: Draft) -> None:
    _binary(draft)
    draft.output(_T.TENSOR_BOOL8, reach=1.0)


def _select(draft: Draft) -> None:
    condition = draft.input(kind=_T.TENSOR_BOOL8)
    chosen = draft.input(fixed(condition.dimensions))
    draft.input(fixed(condition.dimensions), quantization=chosen.quantization)
    draft.same(chosen)


_UP_TO_4, _UP_TO_5 = range(1, 5), range(1, 6)
_UNARY: Final[tuple[tuple[OperationType, range, Build], ...]] = (
    (_O.FLOOR, _UP_TO_4, unary(lambda reach: reach + 1)),
    (_O.RELU, _UP_TO_4, unary(makes=Trait.NON_NEGATIVE)),
    (_O.RELU1, _UP_TO_4, unary()),
    (_O.RELU6, _UP_TO_4, unary(makes=Trait.NON_NEGATIVE)),
    (_O.LOGISTIC, _UP_TO_4, partial(_bounded, steps=256, zero_points=_LOWEST)),
    (_O.TANH, _UP_TO_4, partial(_bounded, steps=128, zero_points=_MIDDLE)),
    (_O.HARD_SWISH, _UP_TO_4, unary()),
    (_O.ABS, _UP_TO_5, unary(makes=Trait.NON_NEGATIVE)),
    (_O.EXP, _UP_TO_5, _exponential),
    (_O.LOG, _UP_TO_5, unary(lambda _: _LARGEST_LOGARITHM, needs=Trait.POSITIVE)),
    (_O.RSQRT, _UP_TO_5, unary(lambda _: _LARGEST_INVERSE_ROOT, needs=Trait.POSITIVE, makes=Trait.POSITIVE)),
    (_O.SQRT, _UP_TO_5, unary(lambda reach: max(reach, 1.0), needs=Trait.NON_NEGATIVE, makes=Trait.NON_NEGATIVE)),
    (_O.NEG, _UP_TO_5, unary()),
    (_O.SIN, _UP_TO_5, unary(lambda _: 1.0)),
    (_O.LOGICAL_NOT, _UP_TO_5, unary()),
    (_O.ELU, _UP_TO_5, _elu),
)
_BINARY: Final[tuple[tuple[OperationType, range, Build], ...]] = (
    *((operation, _UP_TO_4, _arithmetic) for operation in (_O.ADD, _O.SUB, _O.MUL)),
    (_O.POW, _UP_TO_5, _power),
    *(
        (operation, _UP_TO_5, _extremum)
        for operation in (_O.PRELU, _O.MAXIMUM, _O.MINIMUM, _O.LOGICAL_AND, _O.LOGICAL_OR)
    ),
    *(
        (operation, _UP_TO_4, _comparison)
        for operation in (_O.EQUAL, _O.NOT_EQUAL, _O.GREATER, _O.GREATER_EQUAL, _O.LESS, _O.LESS_EQUAL)
    ),
    (_O.SELECT, _UP_TO_4, _select),
)


_IDENTITIES: Final = (
    _T.TENSOR_BOOL8,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT8_ASYMM_SIGNED,
    _T.TENSOR_QUANT8_SYMM,
)
_BY_NAME: Final = {
    "float32": _T.TENSOR_FLOAT32,
    "float16": _T.TENSOR_FLOAT16,
    "quant8": _T.TENSOR_QUANT8_ASYMM,
    "int32": _T.TENSOR_INT32,
}


def _convert(draft: Draft, target: OperandType) -> None:
    source = draft.input(quantization=_scale_for(draft, draft.kind, target))
    draft.output(target, quantization=_scale_for(draft, target, draft.kind), reach=source.reach)


def _scale_for(draft: Draft, kind: OperandType, other: OperandType) -> Quantization | None:
    """Return a scale: a float16 number for TENSOR_FLOAT16, any scale for other types."""
    if other != _T.TENSOR_FLOAT16 or not type_info(kind).is_quantized:
        return None
    scale, zero_point = random_quantization(draft.chooser, kind)
    return float(np.float16(scale)), zero_point


def _cast(draft: Draft, target: OperandType | None = None) -> None:
    """Build CAST; codes count as numbers, and too large numbers become the largest of the type, or infinity."""
    source = draft.input()
    reach = float(np.iinfo(element_type(source.type)).max + 1) if source.scale else source.reach
    draft.output(target, reach=reach)


SIGNATURES: Final = (
    *(
        signature
        for operation, ranks, build in (*_UNARY, *_BINARY)
        for signature in signatures(operation, build, ranks)
    ),
    # Signed codes are declared for DIV, but there is no quantised division.
    *signatures(_O.DIV, _division, _UP_TO_4, without=(_T.TENSOR_QUANT8_ASYMM_SIGNED,)),
    *(
        signature
        for name, target in list(_BY_NAME.items())[:2]
        for signature in signatures(
            _O.DEQUANTIZE,
            partial(_convert, target=target),
            variant=name,
            where={"O": target},
            without=(_T.TENSOR_QUANT8_SYMM_PER_CHANNEL,),
        )
    ),
    *(
        signature
        for target in (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
        for signature in signatures(_O.QUANTIZE, partial(_convert, target=target), where={"O": target})
    ),
    *(
        signature
        for name, target in _BY_NAME.items()
        for signature in signatures(
            _O.CAST, partial(_cast, target=target), range(1, 6), variant=name, where={"O": target}, only=(3,)
        )
    ),
    *(
        signature
        for target in _IDENTITIES
        for signature in signatures(
            _O.CAST,
            _cast,
            range(1, 6),
            variant=target.name.removeprefix("TENSOR_").lower(),
            where={"O": target},
            only=(4,),
        )
    ),
)
