"""FLOOR, ABS, EXP, LOG, NEG, RSQRT, SIN, SQRT, LOGICAL_NOT. Declared in ``hal/operations/elementwise.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Array, kernel
from nnvet.reference_driver.kernels.requantization import dequantize, quantize, through_table


def _reciprocal_root(values: Any) -> Any:
    return np.float32(1) / np.sqrt(values)


_FUNCTIONS: dict[int, Callable[[Any], Any]] = {
    OperationType.FLOOR: np.floor,
    OperationType.ABS: np.abs,
    OperationType.EXP: np.exp,
    OperationType.LOG: np.log,
    OperationType.NEG: np.negative,
    OperationType.SIN: np.sin,
    OperationType.SQRT: np.sqrt,
    OperationType.RSQRT: _reciprocal_root,
}


@kernel(*_FUNCTIONS)
def elementwise(call: Call) -> Array:
    """The function of every element; quantised ones by way of real values."""
    function = _FUNCTIONS[call.declaration.type]
    x = call["input"].array
    if x.itemsize > 1:
        return np.asarray(function(x))
    return through_table(call, "input", lambda codes: quantize(function(dequantize(codes)), call.output))


@kernel(OperationType.LOGICAL_NOT)
def logical_not(call: Call) -> Array:
    """1 for a zero byte, else 0."""
    return np.asarray(call["input"].array == 0, dtype=np.uint8)
