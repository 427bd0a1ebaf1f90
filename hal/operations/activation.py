"""RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH: element-wise activations.

Source: their pages in docs/contract/operations; kernels in
``reference_driver/kernels/activation.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    rows,
    single,
)
from nnvet.hal.operations.shapes import same_as, shape_of

_LEVELS = {
    OperandType.TENSOR_FLOAT32: 1,
    OperandType.TENSOR_QUANT8_ASYMM: 1,
    OperandType.TENSOR_FLOAT16: 3,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
}
"""First level of each type that RELU, RELU1, RELU6 and other activations of feature level 1 take."""


def _fixed_output(parameters: Mapping[int, tuple[float, int]]) -> Callable[[Call], tuple[OutputSpec, ...]]:
    """Return the inference of an output whose type fixes scale and zero point; floats have none."""

    def infer(call: Call) -> tuple[OutputSpec, ...]:
        argument = call["input"]
        return (OutputSpec(argument.dimensions, *parameters.get(argument.type, (None, None))),)

    return infer


def _fixed_point_input_fits(call: Call) -> bool:
    argument = call["input"]
    return argument.type not in QUANT8_ASYMM or 0 in argument.dimensions or argument.scale * 2**27 > 1


def _fixed_point_rule(name: str) -> Rule:
    return Rule(
        f"{name}/input.scale",
        "The scale of a quantised input is greater than 2^-27, unless there is nothing to compute.",
        _fixed_point_input_fits,
    )


def _hard_swish_scales_fit(call: Call) -> bool:
    argument = call["input"]
    if argument.type not in QUANT8_ASYMM or 0 in argument.dimensions:
        return True
    fine_scale = np.float32(argument.scale) / np.float32(128)
    return math.frexp(float(fine_scale / np.float32(call.output.scale)))[1] <= 0


def _declare_ranked(
    operation: OperationType,
    summary: str,
    levels: Mapping[OperandType, int],
    infer: Callable[[Call], tuple[OutputSpec, ...]],
    rules: tuple[Rule, ...] = (),
) -> OperationDeclaration:
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(Signature("unary", (Formal("input", "T", "values", rank=(1, 4)),)),),
        outputs=(Formal("output", "T", "result, of the shape of the input"),),
        infer=infer,
        rules=rules,
    )


RELU = _declare_ranked(OperationType.RELU, "max(0, x)", _LEVELS, same_as("input"))
RELU1 = _declare_ranked(OperationType.RELU1, "min(1, max(-1, x))", _LEVELS, same_as("input"))
RELU6 = _declare_ranked(OperationType.RELU6, "min(6, max(0, x))", _LEVELS, same_as("input"))
LOGISTIC = _declare_ranked(
    OperationType.LOGISTIC,
    "1 / (1 + e^-x)",
    _LEVELS,
    _fixed_output(
        {
            OperandType.TENSOR_QUANT8_ASYMM: (1 / 256, 0),
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (1 / 256, -128),
        }
    ),
    (_fixed_point_rule("LOGISTIC"),),
)
TANH = _declare_ranked(
    OperationType.TANH,
    "hyperbolic tangent",
    {**_LEVELS, OperandType.TENSOR_QUANT8_ASYMM: 3},
    _fixed_output(
        {
            OperandType.TENSOR_QUANT8_ASYMM: (1 / 128, 128),
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED: (1 / 128, 0),
        }
    ),
    (_fixed_point_rule("TANH"),),
)
ELU = OperationDeclaration(
    type=OperationType.ELU,
    summary="max(0, x) + min(0, alpha * (e^x - 1))",
    rows=rows(
        (4, {"T": OperandType.TENSOR_FLOAT32, "S": OperandType.FLOAT32}),
        (4, {"T": OperandType.TENSOR_FLOAT16, "S": OperandType.FLOAT16}),
    ),
    signatures=(
        Signature(
            "unary",
            (
                Formal("input", "T", "values", rank=(1, None)),
                Formal("alpha", "S", "limit of the negative side, sign reversed", parameter=True),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "result, of the shape of the input"),),
    infer=shape_of("input"),
    zero_sized=ZeroSized.FAILS,
)
HARD_SWISH = OperationDeclaration(
    type=OperationType.HARD_SWISH,
    free_quantization=True,
    summary="x * min(6, max(0, x + 3)) / 6",
    rows=single(
        {
            OperandType.TENSOR_FLOAT32: 4,
            OperandType.TENSOR_FLOAT16: 4,
            OperandType.TENSOR_QUANT8_ASYMM: 4,
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 4,
        }
    ),
    signatures=(Signature("unary", (Formal("input", "T", "values", rank=(1, None)),)),),
    outputs=(Formal("output", "T", "result, of the shape of the input"),),
    infer=shape_of("input"),
    rules=(
        Rule(
            "HARD_SWISH/output.scale",
            "A quantised output's scale is more than the input's scale divided by 128.",
            _hard_swish_scales_fit,
        ),
    ),
)
