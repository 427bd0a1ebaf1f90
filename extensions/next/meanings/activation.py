"""Meanings of GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND: ideal results, for the oracle.

Source: ONNX operators Gelu-20, Swish-24 (alpha 1), Mish-22, Softplus-22, Erf-13, Clip-13, Sign-13, Round-22. Each
operation is a function of real numbers, and :func:`build_meaning` applies it to floats and codes. No argument makes the
formulas overflow, so that the error bounds that follow from them stay small everywhere. ``kernels/activation.py``
computes the same for the bundled driver, by other formulas.
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


def build_meaning(function: Callable[..., Any], parameters: int = 0) -> Meaning:
    """Return the meaning of a function of each element, with so many scalar ``parameters`` after the tensor."""
    return Meaning(lambda call: stored(call, function(reals(call), *call.numbers(1, parameters))))


def compute_gelu(x: Any, tanh: Any) -> Any:
    """Return x times the normal distribution function, exact or by tanh."""
    if tanh:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def compute_silu(x: Any) -> Any:
    """Return x times the logistic function of x."""
    return x * (0.5 + 0.5 * np.tanh(0.5 * x))


def compute_softplus(x: Any) -> Any:
    """Return log(1 + e^x)."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def compute_mish(x: Any) -> Any:
    """Return x * tanh(log(1 + e^x))."""
    return x * np.tanh(compute_softplus(x))


def compute_clip(x: Any, low: float, high: float) -> Any:
    """Return the number of the interval that is nearest to x; ``high`` if the interval is empty."""
    return np.minimum(np.maximum(x, low), high)


def compute_sign(x: Any) -> Any:
    """Return -1, 0 or 1 by the sign of x."""
    return np.where(x > 0, 1.0, np.where(x < 0, -1.0, 0.0 * x))


MEANINGS: Final[Mapping[int, Meaning]] = {
    codes.GELU: build_meaning(compute_gelu, 1),
    codes.SILU: build_meaning(compute_silu),
    codes.MISH: build_meaning(compute_mish),
    codes.SOFTPLUS: build_meaning(compute_softplus),
    codes.ERF: build_meaning(erf),
    codes.CLIP: build_meaning(compute_clip, 2),
    codes.SIGN: build_meaning(compute_sign),
    codes.ROUND: build_meaning(np.rint),
}
