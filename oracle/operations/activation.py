"""RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH, and fused activation with the codes of sums.

Functions named ``*_float`` take numbers or arrays, those named ``*_code`` one 8-bit code; ``source`` and ``target`` are
(scale, zero point) of input and output, ``low`` and ``high`` the ends of the code range. Source: the pages of the
operations, and docs/contract/operations/common.md 10 and 16.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import div, logistic, mbqm, qm, qms, rdbp, round_away, srdhm, tanh
from nnvet.oracle.operations.invocation import Invocation, Meaning, Tensor, choose, each_code, fixed, like

FLT_MAX = float(np.finfo(np.float32).max)
REAL_BOUNDS = {"RELU": (0.0, FLT_MAX), "RELU1": (-1.0, 1.0), "RELU6": (0.0, 6.0)}


def relu_float(name: str, x: Any) -> Any:
    """Return min(max(low, x), high) with the operation's real bounds; NaN fails every comparison and gives ``low``."""
    low, high = REAL_BOUNDS[name]
    return choose(x > low, choose(x < high, x, high), low)


def relu_code(name: str, q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Return the code clamped to the codes of the operation's real bounds."""

    def code(real: float) -> int:
        return source[1] + round_away(float(np.float32(real) / np.float32(source[0])))

    real_low, real_high = REAL_BOUNDS[name]
    bottom = max(low, code(real_low))
    top = high if name == "RELU" else min(high, code(real_high))
    return min(max(q, bottom), top)


def logistic_float(x: Any) -> Any:
    """Return 1 / (1 + e^-x)."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-np.float64(x)))


def tanh_float(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return np.tanh(np.float64(x))


def _fixed(function: str, q: int, source: tuple[float, int], low: int, high: int) -> int:
    m, n = qm(float(np.float32(source[0])) * 2**27)
    r = math.floor(15 * 2**27 / 2**n)
    d = q - source[1]
    if d <= -r:
        return low
    if d >= r:
        return high
    a = srdhm(d * 2**n, m)
    # The unsigned result counts from 0 (logistic) or 128 (tanh); the signed one is 128 less.
    y = rdbp(logistic(a), 23) if function == "logistic" else rdbp(tanh(a), 24) + 128
    return min(max(y + low, low), high)


def logistic_code(q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Return the code of LOGISTIC for one code; the output has scale 1/256 and zero point ``low``."""
    return _fixed("logistic", q, source, low, high)


def tanh_code(q: int, source: tuple[float, int], low: int, high: int) -> int:
    """Return the code of TANH for one code; the output has scale 1/128 and zero point ``low`` + 128."""
    return _fixed("tanh", q, source, low, high)


def elu_float(x: Any, alpha: float) -> Any:
    """Return max(0, x) + min(0, alpha (e^x - 1)), with float32 at each step; NaN gives 0."""
    value, zero = np.float32(x), np.float32(0)
    with np.errstate(all="ignore"):
        product = np.float32(alpha) * (np.exp(value) - np.float32(1))
        return choose(value > 0, value, zero) + choose(product < 0, product, zero)


def hard_swish_float(x: Any) -> Any:
    """Return x * min(6, max(0, x + 3)) / 6, with float32 at each step; NaN stays."""
    value = np.float32(x)
    with np.errstate(all="ignore"):
        return value * np.clip(value + np.float32(3), np.float32(0), np.float32(6)) / np.float32(6)


def _srdhm16(a: int, b: int) -> int:
    if a == b == -(2**15):
        return 2**15 - 1
    p = a * b
    nudge = 2**14 if p >= 0 else 1 - 2**14
    return div(p + nudge, 2**15)


def _shift16(x: int, e: int) -> int:
    return min(max(x << e, -(2**15)), 2**15 - 1)


def _m16(m: int) -> int:
    return 32767 if m >= 2**31 - 1 - 2**15 else (m + 2**15) >> 16


def hard_swish_code(q: int, source: tuple[float, int], target: tuple[float, int], low: int, high: int) -> int:
    """Return the code of HARD_SWISH for one code, computed on 16-bit integers."""
    hires = np.float32(source[0]) / np.float32(128)
    mo, so = qm(float(hires / np.float32(target[0])))
    mr, sr = qm(float(hires / np.float32(3 / 32768)))
    v = (q - source[1]) * 128
    p = _srdhm16(v, _m16(mo))
    r = v
    if sr > 0:
        r = _shift16(r, sr - 1)
    r = _srdhm16(r, _m16(mr))
    if sr > 0:
        r = _shift16(r, 1)
    if sr < 0:
        r = rdbp(r, -sr)
    r = (r + 32768) >> 1
    y = div(r * p, 32768)
    y = rdbp(y, -so) + target[1]
    return min(max(y, low), high)


def _relu(name: str, call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor."""
    if call.is_float:
        return Tensor.of(relu_float(name, call.real(0).array))
    source = call.inputs[0]
    return each_code(lambda q: relu_code(name, q, source.quantization, *source.limits), call.whole(0))


def _sigmoid(name: str, call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor."""
    of_floats, of_code = {"LOGISTIC": (logistic_float, logistic_code), "TANH": (tanh_float, tanh_code)}[name]
    if call.is_float:
        return Tensor.of(of_floats(call.real(0).array))
    source = call.inputs[0]
    return each_code(lambda q: of_code(q, source.quantization, *source.limits), call.whole(0))


def _elu(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor, alpha."""
    return Tensor.of(elu_float(call.real(0).array, call.number(1)))


def _hard_swish(call: Invocation) -> Tensor:
    """Compute the operation. Inputs: tensor."""
    if call.is_float:
        return Tensor.of(hard_swish_float(call.real(0).array))
    source, target = call.inputs[0].quantization, call.output.quantization
    return each_code(lambda q: hard_swish_code(q, source, target, *call.output.limits), call.whole(0))


MEANINGS: Final = {
    **{O[name]: Meaning(partial(_relu, name), like(0)) for name in REAL_BOUNDS},
    O.LOGISTIC: Meaning(partial(_sigmoid, "LOGISTIC"), fixed(1 / 256, 0)),
    O.TANH: Meaning(partial(_sigmoid, "TANH"), fixed(1 / 128, 128)),
    O.ELU: Meaning(_elu),
    O.HARD_SWISH: Meaning(_hard_swish),
}


BOUNDS = {0: (-FLT_MAX, FLT_MAX), 1: (0.0, FLT_MAX), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
"""Bounds of NONE, RELU, RELU1 and RELU6. Those of NONE are finite, so infinite results become finite, too."""


def activate(value: Any, code: int) -> Any:
    """Return real numbers clamped to the bounds of a fused activation, given by its code; NaN stays."""
    return np.clip(value, *BOUNDS[code])


def code_bounds(code: int, scale: float, zero_point: int, low: int, high: int) -> tuple[int, int]:
    """Return the lowest and highest output code of a fused activation; ``low`` and ``high`` are the type's limits."""

    def q(real: float) -> int:
        return zero_point + round_away(float(np.float32(real) / np.float32(scale)))

    if code == 1:
        return max(low, q(0)), high
    if code == 2:
        return max(low, q(-1)), min(high, q(1))
    if code == 3:
        return max(low, q(0)), min(high, q(6))
    return low, high


def wrap(value: Any) -> Any:
    """Return integers as int32 keeps them."""
    return (value + 2**31) % 2**32 - 2**31


def requantized(
    sums: Any,
    scales: tuple[float, Sequence[float]],
    target: tuple[float, int],
    code: int,
    limits: tuple[int, int],
) -> Any:
    """Return codes of int32 sums, whose channels are the last dimension (or vary fastest in a list).

    ``scales`` are that of the input and those of the weights (one, or one for each channel), ``target`` scale and
    zero point of the output, ``limits`` its lowest and highest code.
    """
    s_in, weight_scales = scales
    s_out, z_out = target
    low, high = code_bounds(code, s_out, z_out, *limits)
    multipliers = [float(np.float32(s_in) * np.float32(s)) / float(np.float32(s_out)) for s in weight_scales]
    m, n = qms(multipliers)
    whole = np.asarray(sums, np.int64)
    by_channel = wrap(whole).reshape(-1, len(multipliers))
    return np.clip(z_out + mbqm(by_channel, m, n), low, high).reshape(whole.shape)
