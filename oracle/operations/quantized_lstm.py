"""QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM on lists of integers, step by step as the specification writes them.

Sources: the operations' pages in docs/contract/operations; the 16-bit functions in common.md 14.2 there. All constants
are the specification's. A number in Qm.f has 16 bits with m integer and f = 15 - m fraction bits.

Names: ``v`` values and ``q`` quantisation by operand name; ``x`` input, ``h`` output state and ``c`` cell state of one
row; ``i``, ``f``, ``g``, ``o`` the input, forget, cell and output gates; ``m, n`` a multiplier and its exponent.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.operations.fixed_point_functions import div, invsqrt, mbqm, qm, rdbp
from nnvet.oracle.operations.invocation import Array, Invocation, Meaning
from nnvet.oracle.operations.recurrent import CELL, GATES, LAYER_NORM, arrays, given, named

QUANTIZED_16BIT_LSTM_INPUTS = (
    "input",
    *(f"input_to_{gate}_weights" for gate in GATES),
    *(f"recurrent_to_{gate}_weights" for gate in GATES),
    *(f"{gate}_gate_bias" for gate in GATES),
    "cell_state_in",
    "output_state_in",
)
QUANTIZED_LSTM_INPUTS = (
    "input",
    *CELL,
    "output_state_in",
    "cell_state_in",
    *LAYER_NORM,
    "cell_clip",
    "projection_clip",
    *(f"{gate}_intermediate_scale" for gate in GATES),
    "hidden_state_zero_point",
    "hidden_state_scale",
)

Values = dict[str, Any]
"""Codes by operand name, as nested lists; scalars as numbers."""
Quantization = dict[str, tuple[float, int]]
"""Scale and zero point by operand name."""
Rescale = Callable[[int, int, int], int]
"""Function that multiplies a whole number by a multiplier, given as QM's integer and exponent."""


def clamp16(x: int) -> int:
    """Return the number clamped to the range of int16."""
    return max(-32768, min(32767, x))


def srdhm16(a: int, b: int) -> int:
    """Return SRDHM_16, saturating rounding doubling high multiply: a * b / 2^15, the product of two Q0.15 numbers."""
    if a == b == -32768:
        return 32767
    product = a * b
    return div(product + (2**14 if product >= 0 else 1 - 2**14), 2**15)


def resc16(x: int, e: int) -> int:
    """Return Resc_16 for e >= 0: x * 2^e, saturating."""
    if e > 0 and x > 2 ** (15 - e) - 1:
        return 32767
    if e > 0 and x < -(2 ** (15 - e) - 1):
        return -32768
    return x << e


def _expq(a: int) -> int:
    """Return the exponential of a in [-1/4, 0), Q0.15 to Q0.15, by a polynomial around -1/8."""
    k = rdbp(1895147668, 16)
    x = a + 2**12
    x2 = srdhm16(x, x)
    x3 = srdhm16(x2, x)
    x4 = srdhm16(x2, x2)
    y = rdbp(srdhm16(rdbp(x4, 2) + x3, rdbp(715827883, 16)) + x2, 1)
    return clamp16(k + srdhm16(k, x + y))


def _expneg(a: int, m: int) -> int:
    """Return the exponential of a <= 0, Qm.f to Q0.15: of the rest below 1/4, times a constant for each higher bit."""
    f = 15 - m
    if a == 0:
        return 32767
    if m > 5 and a < -32 * 2**f:
        return 0
    quarter = 2 ** (f - 2)
    r = (a & (quarter - 1)) - quarter
    result = _expq(resc16(r, m))
    rem = r - a
    constants = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
    for e, c in zip(range(-2, 5), constants, strict=True):
        if m > e and rem & 2 ** (f + e):
            result = srdhm16(result, rdbp(c, 16))
    return result


def _newton(a: int) -> int:
    """Return 2 / (1 + a) for a in Q0.15, as Q2.13, by three steps of Newton's method."""
    total = a + 32767
    h = div(total + (1 if total >= 0 else -1), 2)
    x = rdbp(1515870810, 16) + srdhm16(h, rdbp(-1010580540, 16))
    for _ in range(3):
        x = x + resc16(srdhm16(x, 8192 - srdhm16(h, x)), 2)
    return x


def sigmoid(a: int) -> int:
    """Return the sigmoid of a Q3.12 number, as Q0.15."""
    if a == 0:
        return 16384
    s = resc16(_newton(_expneg(-abs(a), 3)), 1)
    return s if a > 0 else 32767 - s


def tanh(a: int, m: int) -> int:
    """Return the hyperbolic tangent of a Qm.f number, as Q0.15.

    It is computed from exp(-2 |a|), where one integer bit more doubles the number.
    """
    if a == 0:
        return 0
    t = resc16(_newton(_expneg(-abs(a), m + 1)) - 8192, 2)
    return t if a > 0 else -t


def quantized_16bit_lstm(v: Values, q: Quantization, rescale: Rescale = mbqm) -> list[Any]:
    """Return cell state and output, nested lists of codes. The cell state is Q4.11, the output has 7 fraction bits."""
    weight_zero = q["input_to_input_weights"][1]
    m, n = qm(float(np.float32(4096) * np.float32(q["input_gate_bias"][0])))
    cells, outputs = [], []
    for x, h, c in zip(v["input"], v["output_state_in"], v["cell_state_in"], strict=True):
        values = [*x, *h]
        new_c, new_h = [], []
        for unit in range(len(c)):
            a = {}
            for gate in GATES:
                row = [*v[f"recurrent_to_{gate}_weights"][unit], *v[f"input_to_{gate}_weights"][unit]]
                acc = v[f"{gate}_gate_bias"][unit]
                for value, weight in zip(values, row, strict=True):
                    acc += (value - 128) * (weight - weight_zero)
                a[gate] = clamp16(rescale(acc, m, n))
            i, f, o = sigmoid(a["input"]), sigmoid(a["forget"]), sigmoid(a["output"])
            g = tanh(a["cell"], 3)
            state = clamp16(rdbp(srdhm16(i, g), 4) + srdhm16(f, c[unit]))
            t = tanh(resc16(state, 1), 3)
            new_c.append(state)
            new_h.append(128 + max(-128, min(127, rdbp(srdhm16(o, t), 8))))
        cells.append(new_c)
        outputs.append(new_h)
    return [cells, outputs]


def _f32(x: float) -> np.float32:
    return np.float32(x)


def _sum_gate(
    gate: str, rows: dict[str, list[int]], c: list[int], v: Values, q: Quantization, rescale: Rescale
) -> list[int]:
    """Return a gate before its activation, for all units of a row: int16, read as Q3.12.

    ``rows`` are the codes of input and output state, ``c`` those of the cell state for peepholes.
    """
    scale = _f32(v[f"{gate}_intermediate_scale"])
    result = [0] * len(c)
    for source, values in rows.items():
        name = f"{source}_to_{gate}_weights"
        value_scale, zero = q["input" if source == "input" else "output_state_in"]
        m, n = qm(float(_f32(q[name][0]) * _f32(value_scale) / scale))
        for unit, row in enumerate(v[name]):
            total = sum(w * value for w, value in zip(row, values, strict=True)) - zero * sum(row)
            result[unit] = clamp16(rescale(total, m, n) + result[unit])
    peephole = f"cell_to_{gate}_weights"
    if gate != "cell" and given(v, peephole):
        exponent = round(math.log2(q["cell_state_in"][0]))
        m, n = qm(float(_f32(2.0**exponent * float(_f32(q[peephole][0])) / float(scale))))
        result = [clamp16(a + rescale(p * s, m, n)) for a, p, s in zip(result, v[peephole], c, strict=True)]
    if given(v, f"{gate}_layer_norm_weights"):
        return _normalize_gate(result, gate, v, q, rescale)
    return result


def _normalize_gate(values: list[int], gate: str, v: Values, q: Quantization, rescale: Rescale) -> list[int]:
    """Return a gate normalised to mean 0 and variance 1 over the units, scaled, with the bias added; Q3.12."""
    name = f"{gate}_layer_norm_weights"
    count, scale = len(values), q[name][0]
    mean = div(sum(values) * 1024, count)
    variance = div(sum(a * a for a in values) * div(2**20, count) - mean * mean, 2**20)
    if variance < 1:
        variance = min(1, int(10000 * scale))
    root, exponent = invsqrt(variance)
    m, s = qm(float(_f32(scale)))
    result = []
    for a, weight, bias in zip(values, v[name], v[f"{gate}_gate_bias"], strict=True):
        t = rescale(1024 * a - mean, root, exponent) * weight + bias
        # Sums wrap around at 32 bits.
        t = (t + 2**31) % 2**32 - 2**31
        u = div(t + 512, 1024) if t > 0 else div(t - 512, 1024)
        result.append(clamp16(rescale(u, m, s + 12)))
    return result


def _clip(x: int, clip: float, scale: float, low: int, high: int) -> int:
    """Clip a code at the real number ``clip`` on both sides; 0 means no clipping."""
    bound = int(max(low, min(high, float(_f32(clip) / _f32(scale)))))
    return max(-bound, min(bound, x)) if bound > 0 else x


def _clamp8(x: int) -> int:
    return max(-128, min(127, x))


def _step_row(
    x: list[int], h: list[int], c: list[int], v: Values, q: Quantization, rescale: Rescale
) -> tuple[list[int], list[int]]:
    """Return cell state and output of one row of the batch.

    Without an input gate (CIFG) it is 1 minus the forget gate. Without a projection the hidden state is the output.
    """
    exponent = round(math.log2(q["cell_state_in"][0]))
    rows = {"input": x, "recurrent": h}
    f = [sigmoid(a) for a in _sum_gate("forget", rows, c, v, q, rescale)]
    g = [tanh(a, 3) for a in _sum_gate("cell", rows, c, v, q, rescale)]
    if given(v, "input_to_input_weights"):
        i = [sigmoid(a) for a in _sum_gate("input", rows, c, v, q, rescale)]
    else:
        i = [32767 - a for a in f]
    clip, state_scale = v.get("cell_clip") or 0.0, q["cell_state_in"][0]
    state = [
        _clip(clamp16(rdbp(f[u] * c[u], 15) + rdbp(i[u] * g[u], 30 + exponent)), clip, state_scale, -32768, 32767)
        for u in range(len(c))
    ]
    o = [sigmoid(a) for a in _sum_gate("output", rows, state, v, q, rescale)]
    # Only the low byte counts, as int8.
    zero = v["hidden_state_zero_point"] & 255
    zero = zero - 256 if zero > 127 else zero
    hidden_scale = v["hidden_state_scale"]
    m, n = qm(float(_f32(2.0**-15 / float(_f32(hidden_scale)) * 2.0**-15)))
    hidden = [_clamp8(rescale(o[u] * tanh(state[u], exponent + 15), m, n) - zero) for u in range(len(c))]
    if not given(v, "projection_weights"):
        return state, hidden
    output_scale, output_zero = q["output_state_in"]
    weight_scale = q["projection_weights"][0]
    m, n = qm(float(_f32(weight_scale) * _f32(hidden_scale) / _f32(output_scale)))
    bias = v["projection_bias"] if given(v, "projection_bias") else [0] * len(v["projection_weights"])
    output = []
    for row, b in zip(v["projection_weights"], bias, strict=True):
        total = sum(p * a for p, a in zip(row, hidden, strict=True)) + zero * sum(row) + b
        code = _clamp8(rescale(total, m, n) + output_zero)
        output.append(_clip(code, v.get("projection_clip") or 0.0, weight_scale, -128, 127))
    return state, output


def quantized_lstm(v: Values, q: Quantization, rescale: Rescale = mbqm) -> list[Any]:
    """Return output state, cell state and output, nested lists of codes; the first and the last are equal."""
    given_rows = zip(v["input"], v["output_state_in"], v["cell_state_in"], strict=True)
    rows = [_step_row(x, h, c, v, q, rescale) for x, h, c in given_rows]
    cells, outputs = [row[0] for row in rows], [row[1] for row in rows]
    return [outputs, cells, outputs]


def _compute_codes(
    of: Callable[[Values, Quantization, Rescale], list[Any]], names: Sequence[str], rescale: Rescale, call: Invocation
) -> list[Array]:
    """Return the outputs of a call, computed by ``of`` from values and quantisation by operand name."""
    quantization = {name: value.quantization for name, value in zip(names, call.inputs, strict=True)}
    return arrays(of(named(call, names), quantization, rescale))


def cells_with(rescale: Rescale) -> dict[O, Meaning]:
    """Return the meanings of both operations with ``rescale`` for multiplications; MBQM is the specification's."""
    return {
        O.QUANTIZED_16BIT_LSTM: Meaning(
            partial(_compute_codes, quantized_16bit_lstm, QUANTIZED_16BIT_LSTM_INPUTS, rescale)
        ),
        O.QUANTIZED_LSTM: Meaning(partial(_compute_codes, quantized_lstm, QUANTIZED_LSTM_INPUTS, rescale)),
    }


MEANINGS: Final = cells_with(mbqm)
