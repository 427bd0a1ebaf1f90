"""Meanings of GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND.

Source: ONNX operators Gelu-20, Swish-24 (alpha 1), Mish-22, Softplus-22, Erf-13, Clip-13, Sign-13, Round-22. The
formulas are those that no argument makes overflow, so that their error bounds stay small everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.extensions.next.meanings.reading import reals, stored
from nnvet.oracle.operations.functions import erf
from nnvet.oracle.operations.invocation import Meaning


def function(of: Callable[..., Any], parameters: int = 0) -> Meaning:
    """Return the meaning of a function of each element, with scalars after the tensor."""
    return Meaning(lambda call: stored(call, of(reals(call), *call.numbers(1, parameters))))


def gelu(x: Any, tanh: Any) -> Any:
    """Return x times the normal distribution function, exact or by tanh."""
    if tanh:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def silu(x: Any) -> Any:
    """Return x times the logistic function of it."""
    return x * (0.5 + 0.5 * np.tanh(0.5 * x))


def softplus(x: Any) -> Any:
    """Return log(1 + e^x)."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def mish(x: Any) -> Any:
    """Return x * tanh(softplus(x))."""
    return x * np.tanh(softplus(x))


def clip(x: Any, low: float, high: float) -> Any:
    """Return the nearest number of an interval; its upper end if that is below the lower one."""
    return np.minimum(np.maximum(x, low), high)


def sign(x: Any) -> Any:
    """Return the sign of a number as a number."""
    return np.where(x > 0, 1.0, np.where(x < 0, -1.0, 0.0 * x))


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.GELU: function(gelu, 1),
    codes.SILU: function(silu),
    codes.MISH: function(mish),
    codes.SOFTPLUS: function(softplus),
    codes.ERF: function(erf),
    codes.CLIP: function(clip, 2),
    codes.SIGN: function(sign),
    codes.ROUND: function(np.rint),
}
