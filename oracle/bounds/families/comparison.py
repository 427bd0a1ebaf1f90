"""EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR."""

from functools import partial
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.patterns import EXACT, opened
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.comparison import RELATIONS
from nnvet.oracle.operations.tensor import Array, choose

_LOGICAL: Final = ("LOGICAL_AND", "LOGICAL_OR")
_FLOAT32_NOISE: Final = 2.0**-22
"""Relative error of codes that are compared as float32 numbers."""


def _compared(name: str, call: EstimatedCall) -> list[Estimate]:
    """Whoever knows only that the two numbers are near each other cannot say which is larger."""
    x, y = call.value(0), call.value(1)
    error = call.error(0) + call.error(1)
    sides = [call.estimate(i).as_operand for i in range(2)]
    if not sides[0].is_float and sides[0].quantization != sides[1].quantization:
        error = error + np.where(_in_float32(x) & _in_float32(y), 0.0, _FLOAT32_NOISE * (np.abs(x) + np.abs(y)))
    is_open = (error > 0) & ~(np.abs(x - y) > error)
    return [opened(call.output, choose(RELATIONS[name](x, y), 1, 0), is_open)]


def _in_float32(x: Array) -> Array:
    found: Array = x.astype(np.float32) == x
    return found


def _combined(name: str, call: EstimatedCall) -> list[Estimate]:
    """Decided where what is not decided does not count."""
    of = RELATIONS[name]
    values = [call.estimate(i).value != 0 for i in range(2)]
    is_open = [call.estimate(i).error > 0 for i in range(2)]
    lowest = of(*(value & ~mask for value, mask in zip(values, is_open, strict=True)))
    highest = of(*(value | mask for value, mask in zip(values, is_open, strict=True)))
    return [opened(call.output, choose(of(*values), 1, 0), lowest != highest)]


RULES: Final[dict[O, BoundRule]] = {
    O[name]: BoundRule(
        partial(_combined if name in _LOGICAL else _compared, name),
        EXACT,
        EXACT,
        "where an input that counts is not decided" if name in _LOGICAL else "where the intervals of the inputs meet",
    )
    for name in RELATIONS
}
