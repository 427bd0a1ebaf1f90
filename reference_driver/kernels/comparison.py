"""EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR.

Declared in ``hal/operations/comparison.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Argument, Call
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.requantization import dequantize

_RELATIONS: dict[int, Callable[[Any, Any], Any]] = {
    OperationType.EQUAL: np.equal,
    OperationType.NOT_EQUAL: np.not_equal,
    OperationType.LESS: np.less,
    OperationType.LESS_EQUAL: np.less_equal,
    OperationType.GREATER: np.greater,
    OperationType.GREATER_EQUAL: np.greater_equal,
    OperationType.LOGICAL_AND: np.logical_and,
    OperationType.LOGICAL_OR: np.logical_or,
}


@kernel(*_RELATIONS, native_float16=True)
def comparison(call: Call) -> Array:
    """1 where the relation holds; booleans compare as bytes, quantised operands as real values."""
    relation = _RELATIONS[call.declaration.type]
    return np.asarray(relation(_comparable(call["input0"]), _comparable(call["input1"]))).astype(np.uint8)


def _comparable(argument: Argument) -> Array:
    return dequantize(argument) if OPERAND_TYPES[argument.type].is_quantized else argument.array
