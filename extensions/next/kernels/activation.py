"""Kernels of GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND for the bundled driver: functions of single elements.

:data:`KERNELS` has them by operation. They compute in float32; codes are dequantised before, and results are rounded to
codes. ``meanings/activation.py`` computes the ideal results for the oracle, by other formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from nnvet.extensions.next import codes
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.registry import Array, Kernel

_TERMS: Final = 90
"""Number of terms of the series of the error function: enough for float32 up to ``_LARGEST``."""
_LARGEST: Final = 4.0
"""Argument from which on the error function is 1 in float32."""
_HALF: Final = np.float32(0.5)
"""The fraction at which ROUND has two nearest numbers."""
_CUBIC: Final = np.float32(0.044715)
"""Coefficient of the cubic term in GELU with tanh, as in ONNX Gelu."""


def _make_kernel(function: Callable[[Array, Call], Any]) -> Kernel:
    """Return the kernel that applies a function of real numbers to each element, also to codes."""

    def compute(call: Call) -> Array:
        x = call["input"].array
        if x.dtype == np.float32:
            return np.asarray(function(x, call), np.float32)
        return fixed_point.quantize(np.asarray(function(fixed_point.dequantize(call["input"]), call)), call.output)

    return compute


def compute_erf(x: Array) -> Array:
    """Return the error function in float64, by a series whose terms have one sign, so that none cancel."""
    inside = np.clip(x.astype(np.float64), -_LARGEST, _LARGEST)
    term = inside * (2 / math.sqrt(math.pi)) * np.exp(-inside * inside)
    total = term
    for place in range(1, _TERMS):
        term = term * (2 * inside * inside / (2 * place + 1))
        total = total + term
    return np.asarray(total)


def _compute_gelu(x: Array, call: Call) -> Any:
    if call.scalar("tanh"):
        inner = np.float32(math.sqrt(2 / math.pi)) * (x + _CUBIC * x * x * x)
        return np.float32(0.5) * x * (np.float32(1) + np.tanh(inner))
    return x * np.float32(0.5) * (np.float32(1) + compute_erf(x / np.float32(math.sqrt(2))).astype(np.float32))


def _compute_silu(x: Array, _: Call) -> Any:
    return x / (np.float32(1) + np.exp(-x))


def _compute_softplus(x: Array, _: Call) -> Any:
    return np.logaddexp(x, np.float32(0))


def _compute_mish(x: Array, _: Call) -> Any:
    return x * np.tanh(np.logaddexp(x, np.float32(0)))


def _compute_clip(x: Array, call: Call) -> Any:
    low, high = (np.float32(call.scalar(name)) for name in ("low", "high"))
    return np.where(x > high, high, np.where(x < low, np.minimum(low, high), x))


def _compute_sign(x: Array, _: Call) -> Any:
    return (x > 0).astype(np.float32) - (x < 0)


def _compute_round(x: Array, _: Call) -> Any:
    below = np.floor(x)
    rest, is_odd = x - below, below % 2 == 1
    return below + ((rest > _HALF) | ((rest == _HALF) & is_odd))


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.GELU: _make_kernel(_compute_gelu),
    codes.SILU: _make_kernel(_compute_silu),
    codes.MISH: _make_kernel(_compute_mish),
    codes.SOFTPLUS: _make_kernel(_compute_softplus),
    codes.ERF: _make_kernel(lambda x, _: compute_erf(x)),
    codes.CLIP: _make_kernel(_compute_clip),
    codes.SIGN: _make_kernel(_compute_sign),
    codes.ROUND: _make_kernel(_compute_round),
}
