"""Other values for the inputs of a model, with which it stays valid: nothing changes its sign or leaves its range."""

from __future__ import annotations

import numpy as np

from nnvet.generators.graphs.model import Array, TestOperand
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info

_TRUTHS = (OperandType.TENSOR_BOOL8, OperandType.BOOL)


def reversed_rows(operand: TestOperand, values: Array) -> Array:
    """Rows in reverse order; boxes, indices and keys stay what they are."""
    rows: Array = values.reshape(operand.dimensions)[::-1].reshape(-1)
    return rows


def halved(operand: TestOperand, values: Array) -> Array:
    """Half of every number, away from zero: no sign changes, nothing becomes zero; truth values become the opposite."""
    if type_info(operand.type).is_float:
        smaller: Array = values / values.dtype.type(2)
        return smaller
    if operand.type in _TRUTHS:
        return 1 - values
    distance = values.astype(np.int64) - operand.zero_point
    half = (np.abs(distance) + 1) // 2
    changed: Array = (np.sign(distance) * half + operand.zero_point).astype(values.dtype)
    return changed
