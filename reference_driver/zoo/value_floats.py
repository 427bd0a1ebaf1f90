"""Rows of drivers with wrong values of functions of floats: too few digits, wrong factors, limits or tables.

:mod:`nnvet.reference_driver.zoo.values` defines the columns of a row.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.zoo.values import ValueBug, always, bfloat16, floats, moved, of_type, within

_O: Final = OperationType
_FLOAT32: Final = of_type(OperandType.TENSOR_FLOAT32)
"""Condition that the result is float32."""
_FLOAT16: Final = of_type(OperandType.TENSOR_FLOAT16)
"""Condition that the result is float16."""


def _last_too_large(_: Call, result: Array) -> Array:
    wrong: Array = result.copy()
    if wrong.size:
        wrong.reshape(-1)[-1] += 3
    return wrong


_FLOATS: Final = (
    ValueBug(
        "logistic-half",
        "LOGISTIC of float16 is 5 % too large.",
        _O.LOGISTIC,
        _FLOAT16,
        within(lambda x: x * 1.05),
        "logistic",
        ("type TENSOR_FLOAT16",),
        (r"1.0\d+ times", "too large"),
    ),
    ValueBug(
        "log-softmax-half",
        "LOG_SOFTMAX of float32 is computed in float16.",
        _O.LOG_SOFTMAX,
        _FLOAT32,
        lambda _, x: x.astype(np.float16).astype(np.float32),
        "log_softmax",
        ("type TENSOR_FLOAT32",),
        (
            "no more digits than float16",
            "sums or products in float16",
        ),
    ),
    ValueBug(
        "exp-bfloat16",
        "EXP has the digits of bfloat16.",
        _O.EXP,
        _FLOAT32,
        bfloat16,
        "exp",
        ("type TENSOR_FLOAT32",),
        ("no more digits than bfloat16", "too near to zero", "too small"),
    ),
    ValueBug(
        "neg-nothing", "NEG forgets the sign.", _O.NEG, always, within(np.negative), "neg", (), ("the sign is lost",)
    ),
    ValueBug(
        "abs-nan",
        "ABS of floats is NaN.",
        _O.ABS,
        floats,
        within(lambda x: np.full_like(x, np.nan)),
        "abs",
        ("elements floats", "type TENSOR_FLOAT32"),
        ("NaN",),
    ),
    ValueBug(
        "tanh-ends",
        "TANH of float32 ends at 0.9.",
        _O.TANH,
        _FLOAT32,
        within(lambda x: np.clip(x, -0.9, 0.9)),
        "tanh",
        ("type TENSOR_FLOAT32",),
        ("0.9(, where| or) ", "too near to zero"),
    ),
    ValueBug(
        "sin-tables",
        "SIN has a coarse table.",
        _O.SIN,
        always,
        within(lambda x: np.round(x * 16) / 16),
        "sin",
        (),
        ("multiple of 0.0625",),
    ),
    ValueBug(
        "mean-last",
        "The last element of MEAN is never divided.",
        _O.MEAN,
        floats,
        _last_too_large,
        "mean",
        ("elements floats",),
        ("only the last element", "only at .* the last"),
    ),
    ValueBug(
        "log-negative",
        "LOG below 1 is a tenth too small.",
        _O.LOG,
        _FLOAT32,
        within(lambda x: np.where(x < 0, x * 1.1, x)),
        "log_float",
        (),
        ("1.1 times", "expected value is negative", "too small"),
    ),
    ValueBug(
        "lrn-scale",
        "LOCAL_RESPONSE_NORMALIZATION of float32 is a fifth too large.",
        _O.LOCAL_RESPONSE_NORMALIZATION,
        _FLOAT32,
        within(lambda x: x * 1.2),
        "lrn",
        ("type TENSOR_FLOAT32",),
        ("1.2 times",),
    ),
    ValueBug(
        "batch-matmul-transposed",
        "BATCH_MATMUL transposes its result.",
        _O.BATCH_MATMUL,
        _FLOAT32,
        moved(lambda x: np.swapaxes(x, -1, -2)),
        "batch_matmul",
        ("type TENSOR_FLOAT32",),
        ("axes . and . are exchanged",),
    ),
    ValueBug(
        "elu-negative",
        "ELU lets negative numbers through by half.",
        _O.ELU,
        always,
        within(lambda x: np.where(x < 0, x / 2, x)),
        "elu",
        (),
        ("0.5 times", "expected value is negative", "too near to zero"),
    ),
)
"""All rows of this module."""

for _bug in _FLOATS:
    _bug.register()
