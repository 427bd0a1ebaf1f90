"""Conversions that the meanings of this extension share: of inputs to real numbers, and of real results to codes.

The modules beside this one compute with real numbers, also where the operands are codes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.oracle.operations.elementwise import quantize
from nnvet.oracle.operations.invocation import Array, Invocation


def reals(call: Invocation, position: int = 0) -> Array:
    """Return the real numbers of an input in float64.

    If error bounds follow the meaning (:mod:`nnvet.oracle.bounds.following`), the numbers carry their errors.
    """
    found: Array = call.real(position).array.astype(np.float64)
    return found


def stored(call: Invocation, result: Any) -> Any:
    """Return real results as the output stores them: unchanged beside inputs of floats, otherwise as codes."""
    if call.is_float:
        return result
    return quantize(result, call.output.quantization, *call.output.limits)
