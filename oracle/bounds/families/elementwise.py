"""Bound rules of element-by-element operations: arithmetic, functions, comparisons, and changes of the element type."""

from collections.abc import Callable
from dataclasses import replace as with_fields
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds import precision, storing
from nnvet.oracle.bounds.patterns import ENDS, EXACT, alike, elementwise, interval, opened, selecting, unrounded
from nnvet.oracle.bounds.precision import Estimate, Interval, corners, is_negative_zero, lipschitz, with_pole
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.operations.elementwise import ARITHMETIC, RELATIONS, of_integers
from nnvet.oracle.operations.invocation import Array, choose

# Source of the local errors: docs/contract/accuracy.md 2, absolute error.
_EXPONENTIAL: Final = storing.growing(
    2, 2, lambda call: np.abs(call.value(0)), "2 units of roundoff of |result| * (1 + |x|), most of it independent"
)
# XNNPACK's kernel for AVX-512 is off by 2.107 of these units, near 0.954: the most of all float32 from 1/8 to 8.
_LOGARITHM: Final = storing.of_magnitude(2.25, lambda _call, value: 1 + np.abs(value), "1 + |result|")
_SINE: Final = storing.of_magnitude(2, lambda call, _value: np.abs(call.value(0)), "|x|")


_ABOVE: Final = 8.0
"""A sine may exceed 1 by this many units of roundoff (OpenCL's 4 ulp), as polynomial approximations do."""


def _pole(of: Callable[..., Array], x: Interval, middle: Array | None = None) -> Array:
    """Spread an error by the ends of the interval; the sign of a zero is undecided."""
    return np.where(is_negative_zero(x[0]), np.inf, corners(of, x, middle=middle))


def _negate(call: EstimatedCall) -> list[Estimate]:
    source = call.estimate(0)
    return [opened(call.output, source.value == 0, source.error > 0)]


_SUM_BITS: Final = 20
"""Bits by which fixed-point sums of codes are finer than the larger scale (left shift of ADD and SUB)."""


def _by_reciprocal(call: EstimatedCall, value: Array) -> storing.LocalError:
    """Return the error of a division, which drivers may replace by multiplication with the reciprocal.

    Elements with the same divisor share that error. The reciprocal of a large divisor may be flushed to zero.
    """
    error, divisor = call.precision.sum_unit * np.abs(value), call.value(1)
    is_lost = np.abs(divisor) + call.error(1) > 1 / call.precision.smallest_step
    lost = np.where(is_lost, np.abs(value), 0.0)
    if divisor.shape != value.shape or not storing.is_varied(divisor):
        return storing.LocalError(shared=error + lost)
    return storing.LocalError(shared=lost, independent=error, deviation=error)


_DIVISION: Final = storing.Local(
    _by_reciprocal, "1 unit of roundoff of the result, and rounded; all where the reciprocal is subnormal"
)


def _is_of_codes(call: EstimatedCall) -> bool:
    return not call.output.is_float and call.output.scale > 0


def _slack(call: EstimatedCall) -> float:
    """Return the slack of a sum of codes: each side is rounded 20 bits below the larger scale."""
    if not _is_of_codes(call) or call.operation == O.MUL:
        return 0.0
    return 2 * max(call.parameters.inputs[i].scale for i in range(2)) / 2.0**_SUM_BITS / call.output.scale


def _grid(call: EstimatedCall) -> float:
    """Return the grid of a product of codes, which is requantised in two roundings."""
    if not _is_of_codes(call) or call.operation != O.MUL:
        return 0.0
    first, second = (call.parameters.inputs[i].scale for i in range(2))
    return storing.fixed_point_grid(first * second / call.output.scale)


def _of(name: str, call: EstimatedCall) -> Callable[[Any, Any], Any]:
    return partial(of_integers, name) if call.output.type == OperandType.TENSOR_INT32 else ARITHMETIC[name]


_LOGICAL: Final = ("LOGICAL_AND", "LOGICAL_OR")
_FLOAT32_NOISE: Final = 2.0**-22
"""The relative error if codes are compared as float32 numbers."""


def _compare(name: str, call: EstimatedCall) -> list[Estimate]:
    """Estimate a comparison, which is undecided if the intervals of the two inputs overlap."""
    x, y = call.value(0), call.value(1)
    error = call.error(0) + call.error(1)
    sides = [call.estimate(i).as_operand for i in range(2)]
    if not sides[0].is_float and sides[0].quantization != sides[1].quantization:
        error = error + np.where(_in_float32(x) & _in_float32(y), 0.0, _FLOAT32_NOISE * (np.abs(x) + np.abs(y)))
    # An interval of codes may end exactly at the other number; only the rounding of the estimate itself separates them.
    reach = error + precision.ESTIMATE_NOISE * (np.abs(x) + np.abs(y))
    is_open = (error > 0) & ~(np.abs(x - y) > reach)
    return [opened(call.output, choose(RELATIONS[name](x, y), 1, 0), is_open)]


def _in_float32(x: Array) -> Array:
    found: Array = x.astype(np.float32) == x
    return found


def _combine(name: str, call: EstimatedCall) -> list[Estimate]:
    """Estimate a logical operation, which is decided if its undecided input makes no difference."""
    of = RELATIONS[name]
    values = [call.estimate(i).value != 0 for i in range(2)]
    is_open = [call.estimate(i).error > 0 for i in range(2)]
    lowest = of(*(value & ~mask for value, mask in zip(values, is_open, strict=True)))
    highest = of(*(value | mask for value, mask in zip(values, is_open, strict=True)))
    return [opened(call.output, choose(of(*values), 1, 0), lowest != highest)]


def _prelu(x: Any, alpha: Any) -> Any:
    return np.where(x >= 0, x, x * alpha)


def _prelu_grid(call: EstimatedCall) -> Array | float:
    """Return the grid of the multiplier in use, for x or alpha * x; the coarser one if the sign of x is open."""
    if call.output.is_float:
        return 0.0
    scale, alpha = (call.parameters.inputs[i].scale for i in range(2))
    straight, sloped = (storing.fixed_point_grid(factor / call.output.scale) for factor in (scale, scale * alpha))
    x, error = interval(call, 0)
    known = np.where(x >= 0, straight, sloped)
    return np.where((error > 0) & (np.abs(x) <= error), max(straight, sloped), known)


def _power_magnitude(call: EstimatedCall, value: Array) -> Array:
    x, y = call.value(0), call.value(1)
    exponent = y * np.log(np.abs(x))
    return np.where(value == 0, 0.0, np.abs(value) * (1 + np.abs(np.nan_to_num(exponent))))


def _power_spread(of: Any, x: Interval, y: Interval, middle: Array | None = None) -> Array:
    """Return the spread of POW; a base that may be zero, with an exponent that may be negative, is a pole."""
    crosses = (x[1] > 0) & (np.abs(x[0]) <= x[1])
    return np.where(crosses & (y[0] - y[1] < 0), np.inf, corners(of, x, y, middle=middle))


_POWER: Final = elementwise(
    lambda _: np.power,
    2,
    storing.of_magnitude(2, _power_magnitude, "|result| * (1 + |y * log |x||)"),
    spreads=_power_spread,
)


def _power(call: EstimatedCall) -> list[Estimate]:
    """Estimate POW; an infinite result is open unless the ends of the intervals have the same infinity.

    The sign of a power of a negative number depends on the last digits of a large exponent, and a zero may have either
    sign, which decides about that of its odd negative powers.
    """
    (found,) = _POWER.estimate(call)
    is_infinite = np.isinf(found.value)
    if not is_infinite.any():
        return [found]
    (x, ex), (y, ey) = (interval(call, position) for position in range(2))
    ends = [np.power(x + i * ex, y + j * ey) for i in (-1, 1) for j in (-1, 1)]
    is_open = is_infinite & np.any([end != found.value for end in ends], axis=0)
    value, error = np.where(is_open, np.nan, found.value), np.where(is_open, np.inf, found.error)
    return [replace(found, value=value, error=error)]


def _estimate_select(call: EstimatedCall) -> list[Estimate]:
    """Estimate SELECT. If the condition is undecided, the result may be that of either side."""
    condition, sides = call.estimate(0), [call.estimate(i) for i in (1, 2)]
    output = call.output
    if alike(output, sides):
        (x, ex), (y, ey) = ((side.value, side.error) for side in sides)
    else:
        (x, ex), (y, ey) = (interval(call, i) for i in (1, 2))
    value = np.where(condition.value != 0, x, y)
    error = np.where(condition.value != 0, ex, ey)
    if not condition.is_exact:
        hull = np.maximum(np.abs(value - x) + ex, np.abs(value - y) + ey)
        error = np.where(condition.error > 0, np.nan_to_num(hull, nan=np.inf), error)
        value = np.where((condition.error > 0) & np.isinf(error) & np.isinf(value), np.nan, value)
    return [unrounded(output, value, error) if alike(output, sides) else storing.stored(call, value, error)]


_INT32_END: Final = 2.0**31
"""The first number that is too large for int32."""


def _products(call: EstimatedCall, value: Array) -> Array:
    """Return the magnitudes of code * scale and zero point * scale, which a driver may compute before subtracting."""
    source = call.parameters.inputs[0]
    if not source.zero_point:
        return np.zeros(value.shape)
    offset: Array = np.abs(source.zero_point * source.scale)
    return offset + np.abs(value + source.zero_point * source.scale)


def _cut_to_int32(x: Any) -> Any:
    """Return the numbers cut to integers; NaN for those that TENSOR_INT32 cannot hold."""
    return np.where(np.abs(x) < _INT32_END, np.trunc(x), np.nan)


def _cut_to_byte(x: Any) -> Any:
    return np.trunc(np.clip(x, 0, 255))


def _estimate_cast(call: EstimatedCall) -> list[Estimate]:
    """Estimate CAST, which copies stored numbers: scales and zero points do not matter."""
    source, output = call.estimate(0), call.output
    if source.type == output.type:
        return [
            replace(unrounded(output, source.value, source.error), shared=source.shared, deviation=source.deviation)
        ]
    number = source.value.astype(np.float64), source.error
    if output.is_float:
        return [storing.stored(call, *number)]
    of = _cut_to_byte if type_info(output.type).dtype == "uint8" else _cut_to_int32
    value = of(number[0])
    error = np.where(np.isnan(value), np.inf, corners(of, number))
    return [unrounded(output, np.nan_to_num(value), error)]


_ROOT: Final = storing.roundings(4.5)
"""Error of roots and their reciprocals by one step of Newton's method from an approximation that is off by d.

The step leaves 1.5 * d^2 of the result: 3.4 units of roundoff of float32 for RSQRTPS, whose d is 1.5 * 2^-12 at most.
The root and half its reciprocal are rounded apart before the step, which adds one unit at most.
Source: Intel's description of RSQRTPS; XNNPACK, f32-vsqrt and f32-vrsqrt for FMA3.
"""
RULES: Final[dict[O, BoundRule]] = {
    O.FLOOR: selecting(np.floor, 0, contracts=False),
    O.ABS: selecting(np.abs, 0),
    O.NEG: selecting(np.negative, 0),
    O.EXP: elementwise(lambda _: np.exp, local=_EXPONENTIAL),
    O.LOG: elementwise(lambda _: np.log, local=_LOGARITHM),
    O.RSQRT: elementwise(lambda _: lambda x: 1 / np.sqrt(x), local=_ROOT, spreads=_pole),
    O.SIN: elementwise(
        lambda _: np.sin,
        local=_SINE,
        spreads=lipschitz(np.ones_like),
        limits=lambda call: (-1 - _ABOVE * call.precision.unit, 1 + _ABOVE * call.precision.unit),
        propagation="error of the input, in the range of the function",
    ),
    O.SQRT: elementwise(lambda _: np.sqrt, local=_ROOT),
    O.LOGICAL_NOT: BoundRule(_negate, EXACT, EXACT, "where the input is not decided"),
    **{
        O[name]: elementwise(
            partial(_of, name),
            2,
            _DIVISION if name == "DIV" else storing.CORRECTLY_ROUNDED,
            activation=2,
            slack=_slack,
            grid=_grid,
            spreads=with_pole if name == "DIV" else corners,
        )
        for name in ARITHMETIC
    },
    **{
        O[name]: BoundRule(
            partial(_combine if name in _LOGICAL else _compare, name),
            EXACT,
            EXACT,
            "where an input that counts is not decided"
            if name in _LOGICAL
            else "where the intervals of the inputs meet",
        )
        for name in RELATIONS
    },
    # For a NaN and a number, the reference takes the first operand; drivers differ.
    O.MAXIMUM: selecting(np.maximum, 0, 1, open_nan=True),
    O.MINIMUM: selecting(np.minimum, 0, 1, open_nan=True),
    O.POW: with_fields(_POWER, estimate=_power),
    O.PRELU: elementwise(lambda _: _prelu, 2, grid=_prelu_grid),
    O.SELECT: BoundRule(
        _estimate_select,
        "those of the side that is chosen; of both, where the condition is not decided",
        "codes of another scale are rounded once",
    ),
    O.QUANTIZE: elementwise(lambda _: lambda x: x),
    O.DEQUANTIZE: elementwise(
        lambda _: lambda x: x,
        local=storing.of_magnitude(1, _products, "code * scale and zero point * scale, unless that is 0"),
    ),
    O.CAST: BoundRule(
        _estimate_cast, ENDS, storing.CORRECTLY_ROUNDED.words, "a NaN, and what the integer type cannot hold"
    ),
}
