"""Operands as the meanings read them, and results as they give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnvet.oracle.operations.elementwise import quantize
from nnvet.oracle.operations.invocation import Array, Invocation


def reals(call: Invocation, position: int = 0) -> Array:
    """Return real numbers of an input in float64, or with their errors."""
    found: Array = call.real(position).array.astype(np.float64)
    return found


def stored(call: Invocation, result: Any) -> Any:
    """Return real results as floats, or as codes of the output."""
    if call.is_float:
        return result
    return quantize(result, call.output.quantization, *call.output.limits)
