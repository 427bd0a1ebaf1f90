"""Honest drivers for 8-bit codes: integer multipliers with each rounding in use, and functions by tables.

:data:`DRIVERS` lists them for ``honest.py``. Each rule computes some operations and returns None for all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from nnvet.oracle.arithmetic.codes import integer_sum, is_quantized, saturated
from nnvet.oracle.arithmetic.sums import Array
from nnvet.oracle.operations.activation import code_bounds
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Invocation, Tensor, in_layout
from nnvet.oracle.operations.reduction import members
from tools.oracle_study.driver import CODES, HonestDriver, OwnRule, make_run

Rounding: TypeAlias = Callable[[Array, int], Array]
"""Function that shifts integers to the right by so many bits, and rounds them."""

_BITS: Final = 31
"""Bits of a multiplier in TFLite and most other runtimes."""
_FEW_BITS: Final = 15
"""Bits of a multiplier in some accelerators."""
_MARGIN: Final = 2.0**62
"""Limit of products below which int64 does not overflow."""


def round_half_up(values: Array, shift: int) -> Array:
    """Round, halves toward plus infinity."""
    return (values + (1 << (shift - 1))) >> shift


def round_half_away(values: Array, shift: int) -> Array:
    """Round, halves away from zero."""
    return np.sign(values) * round_half_up(np.abs(values), shift)


def round_half_even(values: Array, shift: int) -> Array:
    """Round, halves to the even neighbour."""
    whole = values >> shift
    rest, half = values - (whole << shift), 1 << (shift - 1)
    return whole + ((rest > half) | ((rest == half) & (whole & 1 == 1)))


def round_twice(values: Array, shift: int) -> Array:
    """Round twice: first shift by 31 bits, halves up, then by the remaining bits, halves away from zero."""
    if shift <= _BITS:
        # Values that are shifted to the left first, so that 31 bits are left, round alike, but need more than 64 bits.
        return round_half_up(values, shift)
    return round_half_away(round_half_up(values, _BITS), shift - _BITS)


def _make_fixed_point(multiplier: float, bits: int) -> tuple[int, int]:
    """Return an integer of so many bits and the shift to the right: ``multiplier`` is about the integer / 2^shift."""
    mantissa, exponent = math.frexp(multiplier)
    whole = round(mantissa * 2**bits)
    return whole, bits - exponent


def make_requantizing_rule(bits: int, rounding: Rounding) -> OwnRule:
    """Return the rule that multiplies integer sums by integers of so many bits, channel by channel, and rounds."""

    def compute(call: Invocation) -> Any:
        found = integer_sum(call)
        if found is None:
            return None
        sums = found.sums.astype(np.int64)
        multipliers = np.broadcast_to(found.multipliers, sums.shape[-1:])
        codes = np.empty_like(sums)
        for channel, multiplier in enumerate(multipliers):
            whole, shift = _make_fixed_point(float(multiplier), bits)
            values = sums[..., channel]
            # Runtimes compute multipliers of 1 and more, and sums beyond 31 bits, by other code.
            if not 1 <= shift < 2 * _BITS or np.abs(values).max(initial=0) * float(whole) >= _MARGIN:
                return None
            codes[..., channel] = rounding(values * whole, shift)
        ends = code_bounds(found.activation, *call.output.quantization, *call.output.limits)
        made = np.clip(codes + call.output.zero_point, *ends)
        return in_layout(Tensor.of(made), nchw=found.nchw).array

    return compute


_FUNCTIONS: Final[dict[str, Callable[[Array], Array]]] = {
    "LOGISTIC": lambda x: np.float32(1) / (np.float32(1) + np.exp(-x)),
    "TANH": np.tanh,
    "HARD_SWISH": lambda x: x * np.clip(x + np.float32(3), np.float32(0), np.float32(6)) / np.float32(6),
}
"""Functions in float32 by operation, which fill the table of 256 entries."""
_SAMPLES: Final = 512
"""Number of steps of the interpolated table: it has 513 numbers of 16 bits."""
_REACH: Final = 8.0
"""The interpolated table covers arguments from -8 to 8."""
_PARTS: Final = 128
"""Number of positions between two entries: 7 bits of the argument."""
_PLACES: Final = _SAMPLES * _PARTS / (2 * _REACH)
"""Positions for a difference of 1 between arguments."""
_TOP: Final = 2**15 - 1
"""Entry of the table for a result of 1."""


def _read_reals(call: Invocation, codes: Array) -> Array:
    source = call.inputs[0]
    return (codes.astype(np.float32) - np.float32(source.zero_point)) * np.float32(source.scale)


def _round_to_codes(call: Invocation, reals: Array) -> Array:
    scaled = np.asarray(reals, np.float64) / call.output.scale + call.output.zero_point
    return saturated(np.rint(scaled), call.output)


def look_up_table(call: Invocation) -> Any:
    """Compute a function of codes by a table with an entry for each of the 256 codes."""
    if call.name not in _FUNCTIONS or not is_quantized(call):
        return None
    low, high = call.inputs[0].limits
    with np.errstate(all="ignore"):
        table = _round_to_codes(call, _FUNCTIONS[call.name](_read_reals(call, np.arange(low, high + 1))))
    return table[call.whole(0).array - low]


def interpolate_table(call: Invocation) -> Any:
    """Compute LOGISTIC and TANH by a table of 513 numbers of 16 bits, and straight lines between the entries."""
    if call.name not in ("LOGISTIC", "TANH") or not is_quantized(call):
        return None
    samples = np.linspace(-_REACH, _REACH, _SAMPLES + 1)
    # LOGISTIC reaches further: its table is that of TANH at half the argument.
    is_logistic = call.name == "LOGISTIC"
    table = np.rint(np.tanh(samples) * _TOP).astype(np.int64)
    reals = _read_reals(call, call.whole(0).array).astype(np.float64) / (2 if is_logistic else 1)
    place = np.rint(np.clip(reals, -_REACH, _REACH) * _PLACES).astype(np.int64) + _SAMPLES // 2 * _PARTS
    index = np.minimum(place // _PARTS, _SAMPLES - 1)
    rest = place - index * _PARTS
    chord = (table[index] * (_PARTS - rest) + table[index + 1] * rest) / _PARTS / _TOP
    return _round_to_codes(call, (1 + chord) / 2 if is_logistic else chord)


def cut_mean(call: Invocation) -> Any:
    """Compute means of codes rounded toward zero: the contract allows this as well as rounding to nearest."""
    if call.name != "MEAN" or not is_quantized(call):
        return None
    codes, axes = call.whole(0).array, call.list(1)
    rows = members(codes, axes)
    total = rows.sum(-1)
    cut = np.sign(total) * (np.abs(total) // rows.shape[-1])
    return saturated(cut, call.output).reshape(reduced_shape(codes.shape, axes, keep=call.number(2) > 0))


_ROUNDINGS: Final[dict[str, tuple[Rounding, str]]] = {
    "half-up": (round_half_up, "halves up"),
    "half-away": (round_half_away, "halves away from zero"),
    "half-even": (round_half_even, "halves to even"),
    "double": (round_twice, "rounded twice"),
}
"""Roundings by the end of a driver's name, with their words for the documentation."""
DRIVERS: Final = (
    *(
        HonestDriver(
            f"codes-31-bits-{name}",
            CODES,
            make_run(make_requantizing_rule(_BITS, rounding)),
            f"multipliers of 31 bits, {words}",
        )
        for name, (rounding, words) in _ROUNDINGS.items()
    ),
    *(
        HonestDriver(
            f"codes-15-bits-{name}",
            CODES,
            make_run(make_requantizing_rule(_FEW_BITS, _ROUNDINGS[name][0])),
            f"multipliers of 15 bits, {_ROUNDINGS[name][1]}",
            ("narrow-codes",),
        )
        for name in ("half-up", "half-away", "half-even")
    ),
    HonestDriver("codes-table-256", CODES, make_run(look_up_table), "activations from 256 entries"),
    HonestDriver(
        "codes-table-interpolated",
        CODES,
        make_run(interpolate_table),
        "activations from 513 numbers of 16 bits",
        ("narrow-codes",),
    ),
    HonestDriver("codes-means-cut", CODES, make_run(cut_mean), "means of codes, cut toward zero"),
)
