"""Declarations of layers of transformers.

Operations: LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION, MATMUL, CUMSUM, ATTENTION, ROTARY_EMBEDDING.

Before :data:`DECLARATIONS` stand rules (``_require_…``), conditions of rules (``…_fit``: they return True if a call
keeps the rule) and shapes of outputs (``_infer_…``). What the operations compute is in ``meanings/transformers.py``.
"""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Rule, Signature
from nnvet.hal.operations.shapes import axis_in_range, axis_rule, broadcast, integer, shape_of, tensor

# Formal operands that the normalisations share.
_INPUT: Final = tensor("input", "T", (1, 5), "numbers")
_AXIS: Final = integer("axis", "first of the dimensions that are normalised together, up to the last one")
_EPSILON: Final = codes.real("epsilon", "number above 0 that is added to the mean of the squares")


def _declare_parameter(name: str, meaning: str, *, omissible: bool = False) -> Formal:
    return Formal(name, "T", meaning, omissible=omissible)


def _require_epsilon(code: ExtensionCode) -> Rule:
    return Rule(
        f"{code.name}/epsilon.positive", "Epsilon is greater than 0.", lambda call: call.scalar("epsilon", 0.0) > 0
    )


def _require_normalized_shape(code: ExtensionCode, name: str) -> Rule:
    def fits(call: Call) -> bool:
        source, axis = call["input"], call.scalar("axis", 0)
        if not call.has(name) or not axis_in_range(axis, source.rank):
            return True
        return call[name].dimensions == source.dimensions[axis % source.rank :]

    return Rule(f"{code.name}/{name}.shape", f"The {name} has the dimensions of the input from the axis on.", fits)


def _require_channels(code: ExtensionCode, name: str) -> Rule:
    return Rule(
        f"{code.name}/{name}.shape",
        f"The {name} has one number for each channel.",
        lambda call: call[name].dimensions == call["input"].dimensions[1:2],
    )


def _groups_fit(call: Call) -> bool:
    groups = call.scalar("groups", 0)
    return bool(groups > 0 and call["input"].dimensions[1] % groups == 0)


def _declare(code: ExtensionCode, summary: str, inputs: tuple[Formal, ...], *rules: Rule) -> OperationDeclaration:
    """Return the declaration of a normalisation, whose output is like the input and whose epsilon is positive."""
    return OperationDeclaration(
        type=code,
        summary=summary,
        rows=codes.FLOATS,
        signatures=(Signature("normalization", inputs),),
        outputs=codes.LIKE_INPUT,
        infer=shape_of("input"),
        rules=(*rules, _require_epsilon(code)),
    )


_LAYER, _RMS, _GROUP = codes.LAYER_NORMALIZATION, codes.RMS_NORMALIZATION, codes.GROUP_NORMALIZATION


_RANK: Final = 4
"""Rank of the tensors of ATTENTION and ROTARY_EMBEDDING: batches, heads, places, size of a head."""


def _declare_flag(name: str, meaning: str) -> Formal:
    return Formal(name, OperandType.BOOL, meaning, parameter=True)


def _matrices_fit(call: Call) -> bool:
    first, second = call["first"].dimensions, call["second"].dimensions
    return first[-1] == second[-2] and broadcast(first[:-2], second[:-2]) is not None


def _infer_matmul(call: Call) -> tuple[OutputSpec, ...]:
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


def _infer_attention(call: Call) -> tuple[OutputSpec, ...]:
    return (OutputSpec((*call["query"].dimensions[:3], call["value"].dimensions[3])),)


def _angles_fit(call: Call) -> bool:
    source, cosines = call["input"].dimensions, call["cosines"].dimensions
    return cosines[:2] == (source[0], source[2]) and 2 * cosines[2] <= source[3]


# Prefixes of the names of rules.
_MATMUL, _ATTENTION, _ROTARY = (code.name for code in (codes.MATMUL, codes.ATTENTION, codes.ROTARY_EMBEDDING))
_OUTPUT: Final = (Formal("output", "T", "result"),)


DECLARATIONS: Final = (
    _declare(
        _LAYER,
        "(x - mean) / sqrt(variance + epsilon) * scale + bias over the last dimensions",
        (
            _INPUT,
            _declare_parameter("scale", "factors, of the dimensions that are normalised together"),
            _declare_parameter("bias", "addends, likewise", omissible=True),
            _AXIS,
            _EPSILON,
        ),
        axis_rule(_LAYER.name),
        _require_normalized_shape(_LAYER, "scale"),
        _require_normalized_shape(_LAYER, "bias"),
    ),
    _declare(
        _RMS,
        "x / sqrt(mean of squares + epsilon) * scale over the last dimensions",
        (
            _INPUT,
            _declare_parameter("scale", "factors, of the dimensions that are normalised together"),
            _AXIS,
            _EPSILON,
        ),
        axis_rule(_RMS.name),
        _require_normalized_shape(_RMS, "scale"),
    ),
    _declare(
        _GROUP,
        "(x - mean) / sqrt(variance + epsilon) * scale + bias over a group of channels of one batch",
        (
            tensor("input", "T", (2, 5), "batches, channels, and places in any number of dimensions"),
            _declare_parameter("scale", "factor of each channel"),
            _declare_parameter("bias", "addend of each channel"),
            integer("groups", "number of groups, by which that of channels can be divided"),
            _EPSILON,
        ),
        Rule(f"{_GROUP.name}/groups", "The groups are one or more, and divide the number of channels.", _groups_fit),
        _require_channels(_GROUP, "scale"),
        _require_channels(_GROUP, "bias"),
    ),
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
        infer=_infer_matmul,
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
                    _declare_flag("exclusive", "whether a sum leaves out the element at its own place"),
                    _declare_flag("reverse", "whether sums begin at the end"),
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
                    _declare_flag("causal", "whether a place sees none after itself"),
                    integer("past", "number of places before that of the first query, of which keys are there"),
                ),
            ),
        ),
        outputs=_OUTPUT,
        infer=_infer_attention,
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
                    _declare_flag("interleaved", "whether pairs are neighbours"),
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
