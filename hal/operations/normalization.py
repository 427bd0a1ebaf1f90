"""SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION, INSTANCE_NORMALIZATION.

Source: their pages in docs/contract/operations; kernels in
``reference_driver/kernels/normalization.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    LevelRule,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    TypeRow,
    ZeroSized,
    rows,
)
from nnvet.hal.operations.shapes import axis_in_range, axis_rule, integer, shape_of, tensor

_LAST = -1
_FLOAT_ROWS = {
    OperandType.TENSOR_FLOAT32: OperandType.FLOAT32,
    OperandType.TENSOR_FLOAT16: OperandType.FLOAT16,
    OperandType.TENSOR_QUANT8_ASYMM: OperandType.FLOAT32,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: OperandType.FLOAT32,
}
"""Type of floating scalars by type of the tensor."""
_OPTIONAL_AXIS = Formal("axis", OperandType.INT32, "dimension to normalise along, by default the last", level=3)
_SOFTMAX_OUTPUT = {
    OperandType.TENSOR_QUANT8_ASYMM: (1 / 256, 0),
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (1 / 256, -128),
}
_L2_OUTPUT = {
    OperandType.TENSOR_QUANT8_ASYMM: (1 / 128, 128),
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (1 / 128, 0),
}


def _rows(levels: Mapping[OperandType, int]) -> tuple[TypeRow, ...]:
    return rows(*((level, {"T": tensor, "S": _FLOAT_ROWS[tensor]}) for tensor, level in levels.items()))


def _empty(call: Call) -> bool:
    return 0 in call["input"].dimensions


def _softmax_axis_fits(call: Call) -> bool:
    return _empty(call) or axis_in_range(call.scalar("axis", _LAST), call["input"].rank)


def _softmax_output_fits(call: Call) -> bool:
    expected = _SOFTMAX_OUTPUT.get(OperandType(call["input"].type))
    return expected is None or _empty(call) or (call.output.scale, call.output.zero_point) == expected


def _softmax_multiplier_fits(call: Call) -> bool:
    argument = call["input"]
    return argument.type not in _SOFTMAX_OUTPUT or _empty(call) or call.scalar("beta") * argument.scale * 2.0**26 > 1


def _infer_l2(call: Call) -> tuple[OutputSpec, ...]:
    argument = call["input"]
    return (OutputSpec(argument.dimensions, *_L2_OUTPUT.get(OperandType(argument.type), (None, None))),)


def _rank_four_rule(name: str) -> LevelRule:
    return LevelRule(
        f"{name}/input.rank.level",
        "An input of another rank than 4, or of unknown rank, needs feature level 3.",
        3,
        lambda call: call["input"].rank != 4,
    )


_OUTPUT = (Formal("output", "T", "result, of the shape of the input"),)
SOFTMAX = OperationDeclaration(
    type=OperationType.SOFTMAX,
    summary="e^(beta x) divided by its sum along an axis",
    rows=_rows(
        {
            OperandType.TENSOR_FLOAT32: 1,
            OperandType.TENSOR_QUANT8_ASYMM: 1,
            OperandType.TENSOR_FLOAT16: 3,
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        }
    ),
    signatures=(
        Signature(
            "softmax",
            (
                Formal("input", "T", "logits", rank=(1, 4)),
                Formal("beta", "S", "factor of the logits, positive", parameter=True),
                _OPTIONAL_AXIS,
            ),
            lengths=(2, 3),
        ),
    ),
    outputs=_OUTPUT,
    infer=shape_of("input"),
    rules=(
        Rule("SOFTMAX/beta.positive", "Beta is greater than 0.", lambda call: call.scalar("beta") > 0),
        Rule(
            "SOFTMAX/axis.range",
            "The axis lies between -rank and rank - 1, unless there is nothing to compute.",
            _softmax_axis_fits,
        ),
        Rule(
            "SOFTMAX/output.quantization",
            "A quantised output has scale 1/256 and the lowest code as zero point.",
            _softmax_output_fits,
        ),
        Rule(
            "SOFTMAX/multiplier",
            "For a quantised input, beta times its scale is greater than 2^-26.",
            _softmax_multiplier_fits,
        ),
    ),
    level_rules=(
        LevelRule(
            "SOFTMAX/input.rank.level",
            "An input of another known rank than 2 or 4 needs feature level 3.",
            3,
            lambda call: call["input"].rank not in (0, 2, 4),
        ),
    ),
)
LOG_SOFTMAX = OperationDeclaration(
    type=OperationType.LOG_SOFTMAX,
    summary="logarithm of softmax along an axis",
    rows=_rows({OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}),
    signatures=(
        Signature(
            "log softmax",
            (
                Formal("input", "T", "logits", rank=(1, None)),
                Formal("beta", "S", "factor of the logits", parameter=True),
                integer("axis", "dimension to reduce along"),
            ),
        ),
    ),
    outputs=_OUTPUT,
    infer=shape_of("input"),
    rules=(axis_rule("LOG_SOFTMAX"),),
    zero_sized=ZeroSized.FAILS,
)
L2_NORMALIZATION = OperationDeclaration(
    type=OperationType.L2_NORMALIZATION,
    summary="x divided by its Euclidean norm along an axis",
    rows=_rows(
        {
            OperandType.TENSOR_FLOAT32: 1,
            OperandType.TENSOR_FLOAT16: 3,
            OperandType.TENSOR_QUANT8_ASYMM: 3,
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        }
    ),
    signatures=(Signature("normalise", (Formal("input", "T", "values", rank=(1, 4)), _OPTIONAL_AXIS), lengths=(1, 2)),),
    outputs=_OUTPUT,
    infer=_infer_l2,
    rules=(axis_rule("L2_NORMALIZATION", default=_LAST),),
    level_rules=(_rank_four_rule("L2_NORMALIZATION"),),
    zero_sized=ZeroSized.FAILS,
)
LOCAL_RESPONSE_NORMALIZATION = OperationDeclaration(
    type=OperationType.LOCAL_RESPONSE_NORMALIZATION,
    summary="x * (bias + alpha * sum of squares in a window)^-beta along an axis",
    rows=_rows({OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3}),
    signatures=(
        Signature(
            "normalise",
            (
                Formal("input", "T", "values", rank=(1, 4)),
                integer("radius", "cells on either side of the window's centre"),
                Formal("bias", "S", "added to the sum; not 0", parameter=True),
                Formal("alpha", "S", "factor of the sum", parameter=True),
                Formal("beta", "S", "exponent, sign reversed", parameter=True),
                _OPTIONAL_AXIS,
            ),
            lengths=(5, 6),
        ),
    ),
    outputs=_OUTPUT,
    infer=shape_of("input"),
    rules=(
        Rule(
            "LOCAL_RESPONSE_NORMALIZATION/radius.not_negative",
            "The radius is 0 or more.",
            lambda call: call.scalar("radius") >= 0,
        ),
        axis_rule("LOCAL_RESPONSE_NORMALIZATION", default=_LAST),
    ),
    level_rules=(_rank_four_rule("LOCAL_RESPONSE_NORMALIZATION"),),
    zero_sized=ZeroSized.FAILS,
)
INSTANCE_NORMALIZATION = OperationDeclaration(
    type=OperationType.INSTANCE_NORMALIZATION,
    summary="every image of every channel brought to mean beta and deviation gamma",
    rows=_rows({OperandType.TENSOR_FLOAT32: 3, OperandType.TENSOR_FLOAT16: 3}),
    signatures=(
        Signature(
            "normalise",
            (
                tensor("input", "T", 4, "images"),
                Formal("gamma", "S", "factor of the normalised values", parameter=True),
                Formal("beta", "S", "added to the normalised values", parameter=True),
                Formal("epsilon", "S", "added to the variance", parameter=True),
                Formal("layout", OperandType.BOOL, "true for NCHW", parameter=True),
            ),
        ),
    ),
    outputs=_OUTPUT,
    infer=shape_of("input"),
    zero_sized=ZeroSized.FAILS,
)
