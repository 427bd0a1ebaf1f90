"""LAYER_NORMALIZATION, RMS_NORMALIZATION, GROUP_NORMALIZATION."""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import codes
from nnvet.hal.operand_types import ExtensionCode
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, Rule, Signature
from nnvet.hal.operations.shapes import axis_in_range, axis_rule, integer, shape_of, tensor

_INPUT: Final = tensor("input", "T", (1, 5), "numbers")
_AXIS: Final = integer("axis", "first of the dimensions that are normalised together, up to the last one")
_EPSILON: Final = codes.real("epsilon", "number above 0 that is added to the mean of the squares")


def _parameter(name: str, meaning: str, *, omissible: bool = False) -> Formal:
    return Formal(name, "T", meaning, omissible=omissible)


def _epsilon_rule(code: ExtensionCode) -> Rule:
    return Rule(
        f"{code.name}/epsilon.positive", "Epsilon is greater than 0.", lambda call: call.scalar("epsilon", 0.0) > 0
    )


def _normalized_shape_rule(code: ExtensionCode, name: str) -> Rule:
    def fits(call: Call) -> bool:
        source, axis = call["input"], call.scalar("axis", 0)
        if not call.has(name) or not axis_in_range(axis, source.rank):
            return True
        return call[name].dimensions == source.dimensions[axis % source.rank :]

    return Rule(f"{code.name}/{name}.shape", f"The {name} has the dimensions of the input from the axis on.", fits)


def _channels_rule(code: ExtensionCode, name: str) -> Rule:
    return Rule(
        f"{code.name}/{name}.shape",
        f"The {name} has one number for each channel.",
        lambda call: call[name].dimensions == call["input"].dimensions[1:2],
    )


def _groups_fit(call: Call) -> bool:
    groups = call.scalar("groups", 0)
    return bool(groups > 0 and call["input"].dimensions[1] % groups == 0)


def _declaration(code: ExtensionCode, summary: str, inputs: tuple[Formal, ...], *rules: Rule) -> OperationDeclaration:
    return OperationDeclaration(
        type=code,
        summary=summary,
        rows=codes.FLOATS,
        signatures=(Signature("normalization", inputs),),
        outputs=codes.LIKE_INPUT,
        infer=shape_of("input"),
        rules=(*rules, _epsilon_rule(code)),
    )


_LAYER, _RMS, _GROUP = codes.LAYER_NORMALIZATION, codes.RMS_NORMALIZATION, codes.GROUP_NORMALIZATION
DECLARATIONS: Final = (
    _declaration(
        _LAYER,
        "(x - mean) / sqrt(variance + epsilon) * scale + bias over the last dimensions",
        (
            _INPUT,
            _parameter("scale", "factors, of the dimensions that are normalised together"),
            _parameter("bias", "addends, likewise", omissible=True),
            _AXIS,
            _EPSILON,
        ),
        axis_rule(_LAYER.name),
        _normalized_shape_rule(_LAYER, "scale"),
        _normalized_shape_rule(_LAYER, "bias"),
    ),
    _declaration(
        _RMS,
        "x / sqrt(mean of squares + epsilon) * scale over the last dimensions",
        (_INPUT, _parameter("scale", "factors, of the dimensions that are normalised together"), _AXIS, _EPSILON),
        axis_rule(_RMS.name),
        _normalized_shape_rule(_RMS, "scale"),
    ),
    _declaration(
        _GROUP,
        "(x - mean) / sqrt(variance + epsilon) * scale + bias over a group of channels of one batch",
        (
            tensor("input", "T", (2, 5), "batches, channels, and places in any number of dimensions"),
            _parameter("scale", "factor of each channel"),
            _parameter("bias", "addend of each channel"),
            integer("groups", "number of groups, by which that of channels can be divided"),
            _EPSILON,
        ),
        Rule(f"{_GROUP.name}/groups", "The groups are one or more, and divide the number of channels.", _groups_fit),
        _channels_rule(_GROUP, "scale"),
        _channels_rule(_GROUP, "bias"),
    ),
)
