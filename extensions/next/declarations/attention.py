"""MATMUL, CUMSUM, ATTENTION, ROTARY_EMBEDDING: sums of products in transformers."""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature
from nnvet.hal.operations.shapes import axis_rule, broadcast, integer, shape_of, tensor

_RANK: Final = 4


def _flag(name: str, meaning: str) -> Formal:
    return Formal(name, OperandType.BOOL, meaning, parameter=True)


def _matrices_fit(call: Call) -> bool:
    first, second = call["first"].dimensions, call["second"].dimensions
    return first[-1] == second[-2] and broadcast(first[:-2], second[:-2]) is not None


def _matmul_shape(call: Call) -> tuple[OutputSpec, ...]:
    first, second = call["first"].dimensions, call["second"].dimensions
    return (OutputSpec((*(broadcast(first[:-2], second[:-2]) or ()), first[-2], second[-1])),)


def _keys_fit(call: Call) -> bool:
    query, key, value = (call[name].dimensions for name in ("query", "key", "value"))
    is_grouped = key[1] > 0 and query[1] % key[1] == 0
    return is_grouped and key[2] > 0 and query[0] == key[0] and query[3] == key[3] and value[:3] == key[:3]


def _mask_fits(call: Call) -> bool:
    if not call.has("mask"):
        return True
    query, key = call["query"].dimensions, call["key"].dimensions
    scores = (*query[:3], key[2])
    return broadcast(call["mask"].dimensions, scores) == scores


def _attention_shape(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec((*call["query"].dimensions[:3], call["value"].dimensions[3])),)


def _angles_fit(call: Call) -> bool:
    source, cosines = call["input"].dimensions, call["cosines"].dimensions
    return cosines[:2] == (source[0], source[2]) and 2 * cosines[2] <= source[3]


_MATMUL, _ATTENTION, _ROTARY = (code.name for code in (codes.MATMUL, codes.ATTENTION, codes.ROTARY_EMBEDDING))
_OUTPUT: Final = (Formal("output", "T", "result"),)
DECLARATIONS: Final = (
    OperationDeclaration(
        type=codes.MATMUL,
        summary="products of the matrices in the last two dimensions, the others broadcast",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "matmul",
                (tensor("first", "T", (2, 5), "left factors"), tensor("second", "T", (2, 5), "right factors")),
            ),
        ),
        outputs=_OUTPUT,
        infer=_matmul_shape,
        rules=(
            Rule(
                f"{_MATMUL}/shapes",
                "The first has as many columns as the second has rows, and the other dimensions can be broadcast.",
                _matrices_fit,
            ),
        ),
    ),
    OperationDeclaration(
        type=codes.CUMSUM,
        summary="sums of all elements up to each along an axis",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "cumsum",
                (
                    tensor("input", "T", (1, 5), "terms"),
                    integer("axis", "dimension along which sums grow"),
                    _flag("exclusive", "whether a sum leaves out the element at its own place"),
                    _flag("reverse", "whether sums begin at the end"),
                ),
            ),
        ),
        outputs=codes.LIKE_INPUT,
        infer=shape_of("input"),
        rules=(axis_rule(codes.CUMSUM.name),),
    ),
    OperationDeclaration(
        type=codes.ATTENTION,
        summary="softmax(scale * query * key^T + mask) * value for each head",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "attention",
                (
                    tensor("query", "T", _RANK, "batches, heads, places, size of a head"),
                    tensor("key", "T", _RANK, "batches, groups of heads, places that are looked at, size of a head"),
                    tensor("value", "T", _RANK, "batches, groups of heads, places that are looked at, size of a value"),
                    Formal("mask", "T", "addends of the scores, broadcast", omissible=True),
                    codes.real("scale", "factor of the scores"),
                    _flag("causal", "whether a place sees none after itself"),
                    integer("past", "number of places before that of the first query, of which keys are there"),
                ),
            ),
        ),
        outputs=_OUTPUT,
        infer=_attention_shape,
        rules=(
            Rule(
                f"{_ATTENTION}/shapes",
                "Keys have batches and size of the queries, their heads divide those of the queries, values have a "
                "number for each key, and there is a key.",
                _keys_fit,
            ),
            Rule(f"{_ATTENTION}/mask.shape", "The mask can be broadcast to the scores.", _mask_fits),
            Rule(f"{_ATTENTION}/past", "The past is not negative.", lambda call: call.scalar("past", 0) >= 0),
        ),
    ),
    OperationDeclaration(
        type=codes.ROTARY_EMBEDDING,
        summary="pairs of numbers turned by an angle of their place: halves of a head, or neighbours",
        rows=codes.FLOATS,
        signatures=(
            Signature(
                "rotary",
                (
                    tensor("input", "T", _RANK, "batches, heads, places, size of a head"),
                    tensor("cosines", "T", 3, "batches, places, pairs: what is beyond the pairs is not turned"),
                    tensor("sines", "T", 3, "likewise"),
                    _flag("interleaved", "whether pairs are neighbours"),
                ),
            ),
        ),
        outputs=codes.LIKE_INPUT,
        infer=shape_of("input"),
        rules=(
            Rule(
                f"{_ROTARY}/cosines.shape",
                "The cosines have batches and places of the input, and at most half as many pairs as a head is large.",
                _angles_fit,
            ),
            Rule(
                f"{_ROTARY}/sines.shape",
                "There are as many sines as cosines.",
                lambda call: call["sines"].dimensions == call["cosines"].dimensions,
            ),
        ),
    ),
)
