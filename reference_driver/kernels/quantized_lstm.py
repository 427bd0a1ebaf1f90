"""Kernels of QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM, exact in every bit.

They are declared in ``hal/operations/quantized_lstm.py``.

Sums of products of codes are computed in float64, which is exact below 2^53 and much faster than integers.
``Qm`` is a 16-bit number with m integer bits and 15 - m fraction bits; arrays are int64 holding int16 values.
Source: docs/contract/operations/common.md 14.2.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.operations.lstm import GATES, PEEPHOLE_GATES, is_cifg
from nnvet.hal.operations.quantized_lstm import state_exponent
from nnvet.reference_driver.kernels import fixed_point
from nnvet.reference_driver.kernels.registry import Array, kernel

LOW, HIGH = -(2**15), 2**15 - 1


def saturate16(values: Any) -> Any:
    """Clamp to the int16 range."""
    return np.clip(values, LOW, HIGH)


def srdhm16(a: Any, b: Any) -> Any:
    """Return SRDHM_16: round(a * b / 2^15), halves toward plus infinity, saturating."""
    product = np.multiply(a, b, dtype=np.int64)
    # Only the product of the two lowest numbers, LOW squared, exceeds the range.
    return np.minimum((product + (1 << 14)) >> 15, HIGH)


def rescale16(values: Any, exponent: int) -> Any:
    """Return Resc_16: values * 2^exponent, saturating (``exponent`` at least 0)."""
    return saturate16(np.asarray(values, dtype=np.int64) << exponent)


def _constant(value: int) -> int:
    """Return a constant of the 32-bit formulas, rounded to 16 bits."""
    return int(fixed_point.rdbp(value, 16))


_EXP_OF_EIGHTH = _constant(fixed_point.EXP_OF_MINUS_ONE_EIGHTH)
"""exp(-1/8) in Q0 of 16 bits."""
_THIRD = _constant(fixed_point.ONE_THIRD)
"""1/3 in Q0 of 16 bits."""
_EXP_OF_POWERS = {exponent: _constant(factor) for exponent, factor in fixed_point.EXP_FACTORS.items()}
"""Key k stands for e^-(2^k) in Q0 of 16 bits."""
_START = _constant(fixed_point.NEWTON_START)
_SLOPE = _constant(fixed_point.NEWTON_SLOPE)


def _exp_of_quarter(a: Array) -> Array:
    """Return exp(a) in Q0 for a in [-1/4, 0) in Q0."""
    x = a + (1 << 12)
    x2 = srdhm16(x, x)
    x3, x4 = srdhm16(x2, x), srdhm16(x2, x2)
    series = fixed_point.rdbp(srdhm16(fixed_point.rdbp(x4, 2) + x3, _THIRD) + x2, 1)
    result: Array = saturate16(_EXP_OF_EIGHTH + srdhm16(_EXP_OF_EIGHTH, x + series))
    return result


def _exp_of_negative(a: Array, integer_bits: int) -> Array:
    """Return exp(a) in Q0 for a <= 0 with ``integer_bits``.

    It is the series for the remainder of a modulo 1/4, times one constant for each further bit of a.
    """
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    within = (a & (quarter - 1)) - quarter
    result = _exp_of_quarter(rescale16(within, integer_bits))
    rest = within - a
    for exponent, factor in _EXP_OF_POWERS.items():
        if integer_bits > exponent:
            result = np.where(rest >> (fraction_bits + exponent) & 1, srdhm16(result, factor), result)
    if integer_bits > 5:
        result = np.where(a < -(32 << fraction_bits), 0, result)
    return np.where(a == 0, HIGH, result)


def _reciprocal(a: Array) -> Array:
    """Return 2 / (1 + a) in Q2 for a in [0, 1] in Q0, by three Newton steps."""
    total = a + HIGH
    half = (total + np.where(total >= 0, 1, -1)) // 2
    x = _START + srdhm16(half, _SLOPE)
    for _ in range(3):
        x = x + rescale16(srdhm16(x, (1 << 13) - srdhm16(half, x)), 2)
    result: Array = x
    return result


@cache
def _sigmoid_table() -> Array:
    codes = np.arange(LOW, HIGH + 1, dtype=np.int64)
    positive = rescale16(_reciprocal(_exp_of_negative(-np.abs(codes), 3)), 1)
    return np.where(codes == 0, 1 << 14, np.where(codes > 0, positive, HIGH - positive))


@cache
def _tanh_table(integer_bits: int) -> Array:
    codes = np.arange(LOW, HIGH + 1, dtype=np.int64)
    # tanh needs exp(-2 |a|), and bits that are read with one more integer bit mean twice the number.
    magnitude = rescale16(_reciprocal(_exp_of_negative(-np.abs(codes), integer_bits + 1)) - (1 << 13), 2)
    result: Array = np.sign(codes) * magnitude
    return result


def sigmoid16(values: Array) -> Array:
    """Return the logistic function in Q0 of values in Q3."""
    result: Array = _sigmoid_table()[values - LOW]
    return result


def tanh16(values: Array, integer_bits: int) -> Array:
    """Return the hyperbolic tangent in Q0 of a number with 0 to 6 integer bits."""
    result: Array = _tanh_table(integer_bits)[values - LOW]
    return result


def _centre(call: Call, name: str) -> Array:
    argument = call[name]
    return argument.array.astype(np.float64) - argument.zero_point


def _fixed_weights(call: Call) -> Array:
    """Return weights of all gates as [input size + output size, gates * units], less their zero point.

    In memory a unit's recurrent weights precede its input weights, whereas its arguments begin with the input, which
    the previous output follows. The reference multiplies by position, whatever the meaning, and so does this driver.
    """
    rows = [
        np.concatenate([_centre(call, f"recurrent_to_{gate}_weights"), _centre(call, f"input_to_{gate}_weights")], 1)
        for gate in GATES
    ]
    return np.ascontiguousarray(np.concatenate(rows).T)


@kernel(OperationType.QUANTIZED_16BIT_LSTM)
def quantized_16bit_lstm(call: Call) -> tuple[Array, Array]:
    """Return cell state and output after one step."""
    names = [f"{source}_to_{gate}_weights" for source in ("input", "recurrent") for gate in GATES]
    weights = call.memo("weights", names, lambda: _fixed_weights(call))
    values = np.concatenate([_centre(call, "input"), _centre(call, "output_state_in")], axis=1)
    bias = np.concatenate([call[f"{gate}_gate_bias"].array for gate in GATES])
    sums = (values @ weights).astype(np.int64) + bias
    multiplier = fixed_point.quantize_multiplier(float(np.float32(4096) * np.float32(call["input_gate_bias"].scale)))
    gates = np.split(saturate16(fixed_point.mbqm(sums, *multiplier)), 4, axis=1)
    update, forget, output = (sigmoid16(gates[index]) for index in (0, 1, 3))
    candidate = tanh16(gates[2], 3)
    kept = srdhm16(forget, call["cell_state_in"].array)
    state = saturate16(fixed_point.rdbp(srdhm16(update, candidate), 4) + kept)
    hidden = fixed_point.rdbp(srdhm16(output, tanh16(rescale16(state, 1), 3)), 8)
    return state.astype(np.int16), (np.clip(hidden, -128, 127) + 128).astype(np.uint8)


def _multiplier(call: Call, what: str, scale: Any) -> tuple[int, int]:
    """Return QM (see ``fixed_point.py``) of a quotient of scales; ``what`` names it in an error."""
    if not math.isfinite(scale):
        call.fail("QUANTIZED_LSTM/effective_scale", f"{what}: {scale}")
    return fixed_point.quantize_multiplier(float(scale))


def _multiply(call: Call, values: str, weights: str, divisor: Any) -> Array:
    """Return the product of an activation and weights, requantised to ``divisor`` but not yet saturated to int16."""
    matrix = call.memo(weights, [weights], lambda: np.ascontiguousarray(call[weights].array.astype(np.float64).T))
    scale = np.float32(call[weights].scale) * np.float32(call[values].scale) / np.float32(divisor)
    sums = (_centre(call, values) @ matrix).astype(np.int64)
    result: Array = fixed_point.mbqm(sums, *_multiplier(call, weights, scale))
    return result


def _compute_gate(call: Call, gate: str, state: Array) -> Array:
    """Return one gate before its activation; ``state`` is the cell state that its peephole weights multiply."""
    divisor = call.scalar(f"{gate}_intermediate_scale")
    total = saturate16(_multiply(call, "input", f"input_to_{gate}_weights", divisor))
    total = saturate16(total + _multiply(call, "output_state_in", f"recurrent_to_{gate}_weights", divisor))
    peephole = f"cell_to_{gate}_weights"
    if gate in PEEPHOLE_GATES and call.has(peephole):
        unit = 2.0 ** (state_exponent(call) or 0)
        scale = np.float32(np.float64(unit * float(np.float32(call[peephole].scale))) / np.float64(divisor))
        product = call[peephole].array.astype(np.int64) * state
        total = saturate16(total + fixed_point.mbqm(product, *_multiplier(call, peephole, scale)))
    return _normalize(call, gate, total) if call.has(f"{gate}_layer_norm_weights") else total


def _truncating_divide(a: Any, b: int) -> Any:
    return np.sign(a) * (np.abs(a) // b)


def _wrap32(values: Array) -> Array:
    return values.astype(np.int32).astype(np.int64)


def _normalize(call: Call, gate: str, values: Array) -> Array:
    """Return int16 rows after layer normalisation with weights and bias."""
    weights, units = call[f"{gate}_layer_norm_weights"], values.shape[1]
    mean = _truncating_divide(values.sum(axis=1) * 1024, units)
    variance = (values * values).sum(axis=1) * (2**20 // units) - mean * mean
    # The reference's lower limit, 10000 weight scales but at most 1, changes nothing: the root of 0 is that of 1.
    multiplier, exponent = fixed_point.invsqrt(_truncating_divide(variance, 2**20))
    normal = fixed_point.mbqm(1024 * values - mean[:, None], multiplier[:, None], exponent[:, None])
    scaled = _wrap32(normal * weights.array.astype(np.int64) + call[f"{gate}_gate_bias"].array)
    rounded = _truncating_divide(scaled + np.where(scaled > 0, 512, -512), 1024)
    mantissa, shift = fixed_point.quantize_multiplier(float(np.float32(weights.scale)))
    result: Array = saturate16(fixed_point.mbqm(rounded, mantissa, shift + 12))
    return result


def _quotient(clip: float, scale: float, bound: int) -> int:
    """Return a clipping threshold in codes, 0 for none."""
    return int(np.clip(np.float32(clip) / np.float32(scale), -bound, bound - 1))


def _clip(values: Array, threshold: int) -> Array:
    return np.clip(values, -threshold, threshold) if threshold > 0 else values


def _update_cell_state(call: Call, state: Array) -> Array:
    """Return the new cell state as int16 codes with the scale of the old one."""
    exponent = state_exponent(call) or 0
    forget = sigmoid16(_compute_gate(call, "forget", state))
    candidate = tanh16(_compute_gate(call, "cell", state), 3)
    update = HIGH - forget if is_cifg(call) else sigmoid16(_compute_gate(call, "input", state))
    total = saturate16(fixed_point.rdbp(forget * state, 15) + fixed_point.rdbp(update * candidate, 30 + exponent))
    threshold = _quotient(call.scalar("cell_clip", 0.0), call["cell_state_in"].scale, 2**15)
    return _clip(total, threshold)


def _project(call: Call, hidden: Array, zero_point: int) -> Array:
    """Return the output codes from hidden codes, through the projection."""
    weights, output = call["projection_weights"], call["output_state_in"]
    sums = ((hidden + zero_point).astype(np.float64) @ weights.array.astype(np.float64).T).astype(np.int64)
    if call.has("projection_bias"):
        sums = sums + call["projection_bias"].array
    scale = np.float32(weights.scale) * np.float32(call.scalar("hidden_state_scale")) / np.float32(output.scale)
    codes = fixed_point.mbqm(sums, *_multiplier(call, "projection_weights", scale)) + output.zero_point
    threshold = _quotient(call.scalar("projection_clip", 0.0), weights.scale, 2**7)
    return _clip(np.clip(codes, -128, 127), threshold)


@kernel(OperationType.QUANTIZED_LSTM)
def quantized_lstm(call: Call) -> tuple[Array, Array, Array]:
    """Return the output state, cell state, output after one step; the first and the last are the same."""
    state = _update_cell_state(call, call["cell_state_in"].array.astype(np.int64))
    gate = sigmoid16(_compute_gate(call, "output", state))
    activated = tanh16(state, 15 + (state_exponent(call) or 0))
    # The reference reads only the low byte, as a signed number, and subtracts it where other zero points are added.
    zero_point = (call.scalar("hidden_state_zero_point") + 128) % 256 - 128
    scale = np.float32(np.float64(2.0**-15) / np.float64(call.scalar("hidden_state_scale")) * 2.0**-15)
    codes = fixed_point.mbqm(gate * activated, *_multiplier(call, "hidden_state_scale", scale)) - zero_point
    hidden = np.clip(codes, -128, 127)
    output = _project(call, hidden, zero_point) if call.has("projection_weights") else hidden
    codes = output.astype(np.int8)
    return codes, state.astype(np.int16), codes.copy()
