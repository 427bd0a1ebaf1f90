"""FULLY_CONNECTED, BATCH_MATMUL: products of matrices.

Source: their pages in docs/contract/operations, and docs/contract/operations/common.md 16; kernels in
``reference_driver/kernels/convolution.py``.
"""

from __future__ import annotations

import math

import numpy as np

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.arithmetic import ACTIVATION, activation_rule
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
from nnvet.hal.operations.shapes import bias_scale_rule, product_scale, tensor

_T = OperandType


def _ranks_known(call: Call) -> bool:
    return all(call[name].rank for name in ("input", "weights", "bias"))


def _ranks_fit(call: Call) -> bool:
    if not _ranks_known(call):
        return True
    return 2 <= call["input"].rank <= 4 and call["weights"].rank == 2 and call["bias"].rank == 1


def _divides(call: Call) -> bool:
    if not _ranks_known(call) or not call["weights"].dimensions[1]:
        return True
    return math.prod(call["input"].dimensions) % call["weights"].dimensions[1] == 0


def _bias_fits(call: Call) -> bool:
    if not _ranks_known(call):
        return True
    units, length = call["weights"].dimensions[0], call["bias"].dimensions[0]
    # Weights without elements break a rule of their own; before the operation runs, 0 is a size that is not known.
    return units in (0, length) or (length == 0 and call["bias"].value is None)


def _infer_fully_connected(call: Call) -> tuple[OutputSpec, ...]:
    units, size = call["weights"].dimensions
    return (OutputSpec((math.prod(call["input"].dimensions) // size, units)),)


def _output_scale_small(call: Call) -> bool:
    if call["input"].type != _T.TENSOR_QUANT8_ASYMM:
        return False
    return bool(np.float32(call.output.scale) <= product_scale(call, "weights"))


FULLY_CONNECTED = OperationDeclaration(
    type=OperationType.FULLY_CONNECTED,
    free_quantization=True,
    summary="product of the flattened input and a matrix of weights",
    rows=rows(
        (1, {"T": _T.TENSOR_FLOAT32, "B": _T.TENSOR_FLOAT32}),
        (1, {"T": _T.TENSOR_QUANT8_ASYMM, "B": _T.TENSOR_INT32}),
        (3, {"T": _T.TENSOR_FLOAT16, "B": _T.TENSOR_FLOAT16}),
        (4, {"T": _T.TENSOR_QUANT8_ASYMM_SIGNED, "B": _T.TENSOR_INT32}),
    ),
    signatures=(
        Signature(
            "fully connected",
            (
                tensor("input", "T", (2, 4), "batches of vectors"),
                tensor("weights", "T", 2, "[num_units, input_size]"),
                tensor("bias", "B", 1, "[num_units]"),
                ACTIVATION,
            ),
        ),
    ),
    outputs=(Formal("output", "T", "[batch_size, num_units]"),),
    infer=_infer_fully_connected,
    rules=(
        Rule(
            "FULLY_CONNECTED/ranks",
            "Where all three ranks are known, the input has rank 2 to 4, the weights 2 and the bias 1.",
            _ranks_fit,
            phase=Phase.MODEL,
        ),
        Rule(
            "FULLY_CONNECTED/input.size",
            "The number of elements of the input is a multiple of the second dimension of the weights.",
            _divides,
            phase=Phase.MODEL,
        ),
        Rule(
            "FULLY_CONNECTED/bias.length",
            "The bias is as long as the first dimension of the weights.",
            _bias_fits,
            phase=Phase.MODEL,
        ),
        Rule(
            "FULLY_CONNECTED/weights.empty",
            "Both dimensions of the weights are greater than 0.",
            lambda call: 0 not in call["weights"].dimensions,
        ),
        activation_rule("FULLY_CONNECTED"),
        bias_scale_rule("FULLY_CONNECTED", "weights"),
    ),
    level_rules=(
        LevelRule(
            "FULLY_CONNECTED/output.scale.level",
            "TENSOR_QUANT8_ASYMM whose output scale is not greater than input scale x weights scale needs level 3.",
            3,
            _output_scale_small,
        ),
    ),
)


def _matrices(call: Call) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return rows and columns of both factors, after transposition."""
    shapes = []
    for name in ("x", "y"):
        height, width = call[name].dimensions[-2:]
        shapes.append((width, height) if call.scalar(f"adj_{name}") else (height, width))
    return shapes[0], shapes[1]


def _infer_matmul(call: Call) -> tuple[OutputSpec, ...]:
    (height, _), (_, width) = _matrices(call)
    return (OutputSpec((*call["x"].dimensions[:-2], height, width)),)


def _inner_sizes_fit(call: Call) -> bool:
    (_, first), (second, _) = _matrices(call)
    return first == second


BATCH_MATMUL = OperationDeclaration(
    type=OperationType.BATCH_MATMUL,
    free_quantization=True,
    summary="products of the matrices in the last two dimensions",
    rows=single(
        {
            _T.TENSOR_FLOAT16: 6,
            _T.TENSOR_FLOAT32: 6,
            _T.TENSOR_QUANT8_ASYMM_SIGNED: 6,
            _T.TENSOR_INT32: 6,
        }
    ),
    signatures=(
        Signature(
            "product",
            (
                tensor("x", "T", (2, 4), "first factors"),
                tensor("y", "T", (2, 4), "second factors"),
                Formal("adj_x", _T.BOOL, "whether to transpose the first factors", parameter=True),
                Formal("adj_y", _T.BOOL, "whether to transpose the second factors", parameter=True),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "products"),),
    infer=_infer_matmul,
    zero_sized=ZeroSized.FAILS,
    rules=(
        Rule(
            "BATCH_MATMUL/ranks",
            "Both factors have the same rank.",
            lambda call: call["x"].rank == call["y"].rank,
        ),
        Rule(
            "BATCH_MATMUL/inner_sizes",
            "Columns of the first factor are as many as rows of the second.",
            _inner_sizes_fit,
        ),
        Rule(
            "BATCH_MATMUL/batches",
            "Both factors have the same dimensions but for the last two.",
            lambda call: call["x"].dimensions[:-2] == call["y"].dimensions[:-2],
        ),
    ),
)
