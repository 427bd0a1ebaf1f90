"""MAXIMUM, MINIMUM, POW, PRELU, SELECT."""

from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.bounds.families.arithmetic import fixed_point_grid
from nnvet.oracle.bounds.patterns import alike, elementwise, interval, selecting, unrounded
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.spreading import Interval, corners
from nnvet.oracle.bounds.storing import of_magnitude, stored
from nnvet.oracle.operations.tensor import Array


def _prelu(x: Any, alpha: Any) -> Any:
    return np.where(x >= 0, x, x * alpha)


def _prelu_grid(call: EstimatedCall) -> Array | float:
    """Two roundings of either multiplier, the coarser ones where nobody knows which it is."""
    if call.output.is_float:
        return 0.0
    scale, alpha = (call.parameters.inputs[i].scale for i in range(2))
    straight, sloped = (fixed_point_grid(factor / call.output.scale) for factor in (scale, scale * alpha))
    x, error = interval(call, 0)
    known = np.where(x >= 0, straight, sloped)
    return np.where((error > 0) & (np.abs(x) <= error), max(straight, sloped), known)


def _power_magnitude(call: EstimatedCall, value: Array) -> Array:
    x, y = call.value(0), call.value(1)
    exponent = y * np.log(np.abs(x))
    return np.where(value == 0, 0.0, np.abs(value) * (1 + np.abs(np.nan_to_num(exponent))))


def _power_spread(of: Any, x: Interval, y: Interval, middle: Array | None = None) -> Array:
    """A base that may be zero, with an exponent that may be negative, is a pole."""
    crosses = (x[1] > 0) & (np.abs(x[0]) <= x[1])
    return np.where(crosses & (y[0] - y[1] < 0), np.inf, corners(of, x, y, middle=middle))


def _select(call: EstimatedCall) -> list[Estimate]:
    """Estimate SELECT: if the condition is not decided, the result is that of either side."""
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
    return [unrounded(output, value, error) if alike(output, sides) else stored(call, value, error)]


RULES: Final[dict[O, BoundRule]] = {
    # Of a NaN and a number the reference takes the first operand, and others what they like.
    O.MAXIMUM: selecting(np.maximum, 0, 1, open_nan=True),
    O.MINIMUM: selecting(np.minimum, 0, 1, open_nan=True),
    O.POW: elementwise(
        lambda _: np.power,
        2,
        of_magnitude(2, _power_magnitude, "|result| * (1 + |y * log |x||)"),
        spreads=_power_spread,
    ),
    O.PRELU: elementwise(lambda _: _prelu, 2, grid=_prelu_grid),
    O.SELECT: BoundRule(
        _select,
        "those of the side that is chosen; of both, where the condition is not decided",
        "codes of another scale are rounded once",
    ),
}
