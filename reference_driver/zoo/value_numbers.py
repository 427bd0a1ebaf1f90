"""Rows of drivers with wrong numbers: for some attributes, integers off by one, and counters of too few bits.

:mod:`nnvet.reference_driver.zoo.values` defines the columns of a row. NNAPI's own tests accept some of these drivers.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.zoo.full_device import ChangedResults
from nnvet.reference_driver.zoo.registry import bug
from nnvet.reference_driver.zoo.values import ValueBug, always, moved, of_rank, of_type, scalars, within

_O: Final = OperationType
_UNSIGNED: Final = of_type(OperandType.TENSOR_QUANT8_ASYMM)
"""Condition that the result has unsigned codes."""
_SIGNED: Final = of_type(OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
"""Condition that the result has signed codes."""


def _wrapped(call: Call, result: Array) -> Array:
    """Keep the lower bits of an integer result."""
    return call["input"].array.astype(np.int64).astype(np.uint8).reshape(result.shape)


_CODES: Final = (
    ValueBug(
        "mul-zero-point",
        "Unsigned codes of MUL are 3 too high.",
        _O.MUL,
        _UNSIGNED,
        within(lambda x: x + 3),
        "mul",
        ("type TENSOR_QUANT8_ASYMM",),
        ("3 too large",),
    ),
    ValueBug(
        "conv-signed",
        "Signed codes of CONV_2D are 2 too low.",
        _O.CONV_2D,
        _SIGNED,
        within(lambda x: x - 2),
        "conv2d",
        ("type TENSOR_QUANT8_ASYMM_SIGNED",),
        ("2 too small",),
    ),
    ValueBug(
        "add-codes-scale",
        "Codes of ADD are a quarter too far from 0.",
        _O.ADD,
        _SIGNED,
        within(lambda x: x * 1.25),
        "add",
        ("type TENSOR_QUANT8_ASYMM_SIGNED",),
        (
            "1.25? times",
            "too (small|large)",
        ),
    ),
    ValueBug(
        "logistic-codes-zero",
        "Unsigned codes of LOGISTIC are 0.",
        _O.LOGISTIC,
        _UNSIGNED,
        within(np.zeros_like),
        "logistic",
        ("type TENSOR_QUANT8_ASYMM",),
        ("every wrong element is 0",),
    ),
    ValueBug(
        "quantize-signed",
        "QUANTIZE to signed codes is 4 too high.",
        _O.QUANTIZE,
        _SIGNED,
        within(lambda x: x + 4),
        "quantize",
        (),
        ("4 too large",),
    ),
    ValueBug(
        "softmax-codes",
        "Unsigned codes of SOFTMAX end at 20.",
        _O.SOFTMAX,
        _UNSIGNED,
        within(lambda x: np.minimum(x, 20)),
        "softmax",
        ("type TENSOR_QUANT8_ASYMM",),
        ("every wrong element is 20, where more is due", "too small"),
    ),
    ValueBug(
        "cast-wraps",
        "CAST to codes does not saturate.",
        _O.CAST,
        _UNSIGNED,
        _wrapped,
        "cast",
        (),
        ("come out at its other end",),
    ),
)
"""Rows with wrong codes and integers."""

_ATTRIBUTES: Final = (
    ValueBug(
        "reduce-sum-kept",
        "REDUCE_SUM that keeps dimensions is 5 too large.",
        _O.REDUCE_SUM,
        scalars(keep_dims=True),
        within(lambda x: x + 5),
        "reduce_sum",
        ("keep_dims 1",),
        ("5 too large",),
    ),
    ValueBug(
        "add-relu6",
        "RELU6 behind an ADD cuts nothing off.",
        _O.ADD,
        scalars(activation=3),
        None,
        "add",
        ("activation RELU6",),
        ("(above|below) .* not cut off", "activation were NONE, not RELU6"),
    ),
    ValueBug(
        "sub-relu",
        "RELU behind a SUB cuts nothing off.",
        _O.SUB,
        scalars(activation=1),
        None,
        "sub",
        ("activation RELU",),
        ("below .* not cut off", "activation were NONE, not RELU"),
    ),
    ValueBug(
        "div-relu1",
        "RELU1 behind a DIV cuts nothing off.",
        _O.DIV,
        scalars(activation=2),
        None,
        "div",
        ("activation RELU1",),
        ("(above|below) .* not cut off", "activation were NONE, not RELU1"),
    ),
    ValueBug(
        "fully-connected-relu",
        "FULLY_CONNECTED with RELU loses a quarter.",
        _O.FULLY_CONNECTED,
        scalars(activation=1),
        within(lambda x: x * 0.75),
        "fully_connected",
        ("activation RELU",),
        ("0.7[45] times", "too near to zero"),
    ),
    ValueBug(
        "sqrt-rank",
        "SQRT of tensors of rank 3 is 1 too large.",
        _O.SQRT,
        of_rank(3),
        within(lambda x: x + 1),
        "sqrt",
        ("rank 3",),
        ("1 too large",),
    ),
    ValueBug(
        "transpose-rank",
        "TRANSPOSE to rank 4 exchanges the last two axes.",
        _O.TRANSPOSE,
        of_rank(4),
        moved(lambda x: np.swapaxes(x, 2, 3)),
        "transpose_basic",
        ("rank 4",),
        ("axes 2 and 3 are exchanged",),
    ),
    ValueBug(
        "prelu-rank",
        "PRELU of rank 2 has half of its slope.",
        _O.PRELU,
        of_rank(2),
        within(lambda x: np.where(x < 0, x / 2, x)),
        "prelu_float",
        ("rank 2",),
        ("0.5 times", "expected value is negative", "too near to zero"),
    ),
    ValueBug(
        "softmax-rank",
        "SOFTMAX of rank 2 works along the other axis.",
        _O.SOFTMAX,
        of_rank(2),
        moved(lambda x: np.flip(x, 1)),
        "softmax",
        ("rank 2",),
        ("axis 1 is reversed", "two places along axis 1 are exchanged"),
    ),
    ValueBug(
        "topk-order",
        "The values of TOPK_V2 come in ascending order.",
        _O.TOPK_V2,
        always,
        moved(lambda x: np.flip(x, -1)),
        "topk_v2_basic",
        (),
        ("axis . is reversed", "two places along axis . are exchanged"),
    ),
    ValueBug(
        "concatenation-axis",
        "CONCATENATION along axis 1 begins with the last place.",
        _O.CONCATENATION,
        scalars(axis=1),
        moved(lambda x: np.roll(x, 1, 1)),
        "concatenation",
        ("axis 1",),
        ("shifted by [+-]1 along axis 1", "two places along axis 1 are exchanged"),
    ),
    ValueBug(
        "gather-axis",
        "GATHER along axis 1 takes the first row for all.",
        _O.GATHER,
        scalars(axis=1),
        moved(lambda x: np.broadcast_to(x[:1], x.shape)),
        "gather_basic",
        ("axis 1",),
        ("first place along axis 0 is repeated",),
    ),
)
"""Rows that are wrong for some attributes."""

for _bug in (*_CODES, *_ATTRIBUTES):
    _bug.register()


_EXACT = "Accuracy/Exact"
"""Suite of results that must be exact."""
_VALUE = ("execution/output.value",)
"""The rule that results must be right."""


@bug(
    "exact-quotient",
    "Quotients of integers are rounded toward zero, not down.",
    rules=_VALUE,
    breaks=(f"{_EXACT}/Integers/DIV",),
)
def exact_quotient() -> Device:
    """Divide as C does."""

    def truncated(call: Call, result: Array) -> Array:
        if call.output.type != OperandType.TENSOR_INT32:
            return result
        first, second = (call[name].array.astype(np.int64) for name in ("input0", "input1"))
        divisor = np.where(second == 0, 1, second)
        quotient = np.sign(first) * np.sign(divisor) * (np.abs(first) // np.abs(divisor))
        wrong: Array = np.where(second == 0, 0, quotient).astype(result.dtype)
        return wrong

    return ChangedResults({_O.DIV}, truncated)


@bug(
    "exact-index",
    "Indices of the largest and the smallest element are kept in 15 bits.",
    rules=_VALUE,
    breaks=(f"{_EXACT}/Long/ARGMAX", f"{_EXACT}/Long/ARGMIN"),
)
def exact_index() -> Device:
    """Keep indices in 15 bits; few tensors are so long."""

    def short(_call: Call, result: Array) -> Array:
        kept: Array = result & np.array(2**15 - 1, result.dtype)
        return kept

    return ChangedResults({_O.ARGMAX, _O.ARGMIN}, short)


@bug(
    "exact-windows",
    "The last row of a convolution is missing where its windows have more than 2^17 cells together.",
    rules=_VALUE,
    breaks=(f"{_EXACT}/Windows/ManyWindows", "MemoryDomainExecutionTest/ShapeOfLastExecution/*"),
)
def exact_windows() -> Device:
    """Fill a buffer for windows before the last one is stored."""

    def cut(call: Call, result: Array) -> Array:
        cells = prod(call["filter"].array.shape[1:])
        if cells == 1 or prod(result.shape[:3]) * cells <= 2**17:
            return result
        left = result.copy()
        left[:, -1] = 0
        return left

    return ChangedResults({_O.CONV_2D}, cut)
