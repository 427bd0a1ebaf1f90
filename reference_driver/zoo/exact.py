"""Bugs of exact results: integers off by one, which the NNAPI's own tests allow, and extents that few bits count."""

from __future__ import annotations

from math import prod

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.zoo.full_device import ChangedResults
from nnvet.reference_driver.zoo.registry import bug

_O = OperationType
_EXACT = "Accuracy/Exact"
_VALUE = ("execution/output.value",)


@bug(
    "exact-quotient",
    "Quotients of integers are rounded toward zero, not down.",
    rules=_VALUE,
    breaks=(f"{_EXACT}/Integers/DIV",),
)
def exact_quotient() -> Device:
    """As C divides."""

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
    """Few tensors are so long."""

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
    """A buffer for windows is full before the last one."""

    def cut(call: Call, result: Array) -> Array:
        cells = prod(call["filter"].array.shape[1:])
        if cells == 1 or prod(result.shape[:3]) * cells <= 2**17:
            return result
        left = result.copy()
        left[:, -1] = 0
        return left

    return ChangedResults({_O.CONV_2D}, cut)
