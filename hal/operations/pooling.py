"""AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 9 to 11; kernels in
``reference_driver/kernels/pooling.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.arithmetic import ACTIVATION, activation_rule
from nnvet.hal.operations.declaration import Call, Formal, OperationDeclaration, OutputSpec, Signature, single
from nnvet.hal.operations.formals import float_and_quant8, tensor
from nnvet.hal.operations.windows import (
    EXPLICIT_PADDING,
    FILTER_SIZES,
    IMPLICIT_PADDING,
    LAYOUT,
    STRIDES,
    image,
    in_layout,
    padding_sign_rule,
    positive_rule,
    sized_rule,
    window_rules,
    windows,
)

_INPUT = tensor("input", "T", 4, "images")
_TAIL = (*STRIDES, *FILTER_SIZES, ACTIVATION, LAYOUT)


def _infer(call: Call) -> tuple[OutputSpec, ...]:
    n, _, _, channels = image(call)
    vertical, horizontal = windows(call)
    dimensions = in_layout(call, n, vertical.out, horizontal.out, channels)
    return (OutputSpec(dimensions, call["input"].scale, call["input"].zero_point),)


def _declare(operation: OperationType, summary: str, levels: Mapping[OperandType, int]) -> OperationDeclaration:
    name = operation.name
    return OperationDeclaration(
        type=operation,
        summary=summary,
        rows=single(levels),
        signatures=(
            Signature("explicit padding", (_INPUT, *EXPLICIT_PADDING, *_TAIL), (10, 11)),
            Signature("implicit padding", (_INPUT, IMPLICIT_PADDING, *_TAIL), (7, 8)),
        ),
        outputs=(Formal("output", "T", "result, with scale and zero point of the input"),),
        infer=_infer,
        rules=(
            activation_rule(name),
            sized_rule(name, "input", "Height, width and channels of the input", lambda call: image(call)[1:]),
            positive_rule(name, STRIDES, "stride"),
            positive_rule(name, FILTER_SIZES, "filter"),
            padding_sign_rule(name),
            *window_rules(name),
        ),
    )


AVERAGE_POOL_2D = _declare(
    OperationType.AVERAGE_POOL_2D, "mean of the cells of a window that lie in the image", float_and_quant8(1)
)
MAX_POOL_2D = _declare(
    OperationType.MAX_POOL_2D, "largest of the cells of a window that lie in the image", float_and_quant8(1)
)
L2_POOL_2D = _declare(
    OperationType.L2_POOL_2D,
    "root of the mean square of the cells of a window that lie in the image",
    {OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_FLOAT16: 3},
)
