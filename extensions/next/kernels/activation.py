"""Kernels of GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND for the bundled driver.

They compute in float32. Codes are dequantised before, and results are rounded to codes.
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
"""Terms of the series of the error function: enough for float32 up to ``_LARGEST``."""
_LARGEST: Final = 4.0
"""From here on the error function is 1 in float32."""
_HALF: Final = np.float32(0.5)
_CUBIC: Final = np.float32(0.044715)


def _function(of: Callable[[Array, Call], Any]) -> Kernel:
    def kernel(call: Call) -> Array:
        x = call["input"].array
        if x.dtype == np.float32:
            return np.asarray(of(x, call), np.float32)
        return fixed_point.quantize(np.asarray(of(fixed_point.dequantize(call["input"]), call)), call.output)

    return kernel


def error_function(x: Array) -> Array:
    """Return the error function, by a series whose terms are all of one sign; in float64."""
    inside = np.clip(x.astype(np.float64), -_LARGEST, _LARGEST)
    term = inside * (2 / math.sqrt(math.pi)) * np.exp(-inside * inside)
    total = term
    for place in range(1, _TERMS):
        term = term * (2 * inside * inside / (2 * place + 1))
        total = total + term
    return np.asarray(total)


def _gelu(x: Array, call: Call) -> Any:
    if call.scalar("tanh"):
        inner = np.float32(math.sqrt(2 / math.pi)) * (x + _CUBIC * x * x * x)
        return np.float32(0.5) * x * (np.float32(1) + np.tanh(inner))
    return x * np.float32(0.5) * (np.float32(1) + error_function(x / np.float32(math.sqrt(2))).astype(np.float32))


def _silu(x: Array, _: Call) -> Any:
    return x / (np.float32(1) + np.exp(-x))


def _softplus(x: Array, _: Call) -> Any:
    return np.logaddexp(x, np.float32(0))


def _mish(x: Array, _: Call) -> Any:
    return x * np.tanh(np.logaddexp(x, np.float32(0)))


def _clip(x: Array, call: Call) -> Any:
    low, high = (np.float32(call.scalar(name)) for name in ("low", "high"))
    return np.where(x > high, high, np.where(x < low, np.minimum(low, high), x))


def _sign(x: Array, _: Call) -> Any:
    return (x > 0).astype(np.float32) - (x < 0)


def _round(x: Array, _: Call) -> Any:
    below = np.floor(x)
    rest, is_odd = x - below, below % 2 == 1
    return below + ((rest > _HALF) | ((rest == _HALF) & is_odd))


KERNELS: Final[Mapping[int, Kernel]] = {
    codes.GELU: _function(_gelu),
    codes.SILU: _function(_silu),
    codes.MISH: _function(_mish),
    codes.SOFTPLUS: _function(_softplus),
    codes.ERF: _function(lambda x, _: error_function(x)),
    codes.CLIP: _function(_clip),
    codes.SIGN: _function(_sign),
    codes.ROUND: _function(_round),
}
