"""Bound rules of reductions along dimensions: MEAN, REDUCE_*, ARGMAX and ARGMIN."""

from functools import partial
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import EXACT, UNDECIDED_NAN, opened, unrounded
from nnvet.oracle.bounds.precision import Estimate, Interval, Precision, both_ends
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.running import compounded
from nnvet.oracle.bounds.storing import LocalError, is_varied, of_sum, stored
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Array
from nnvet.oracle.operations.reduction import members

_LANES: Final = (1, 2, 4, 8)
"""Numbers of partial products that a driver's vector instructions may keep side by side."""
_POWER_OF_TWO: Final = 0.5
"""The mantissa of a power of two, as frexp returns it."""
_LINEAR: Final = "their sum"


def _groups(call: EstimatedCall) -> tuple[Interval, list[int]]:
    """Return the elements that are reduced to one in the last dimension, as stored, and the result's dimensions."""
    source, axes = call.estimate(0), call.parameters.list(1)
    dims = reduced_shape(source.value.shape, axes, keep=call.parameters.number(2) > 0)
    return (members(source.value, axes), members(source.error, axes)), dims


def _additions(x: Array, error: Array) -> Array:
    """Return the largest possible number of additions of terms other than zero."""
    found: Array = np.maximum(np.count_nonzero((x != 0) | (error > 0), -1) - 1, 0)
    return found


def _lost(precision: Precision, x: Array, error: Array) -> float:
    """Return the loss of a partial sum that is flushed to zero; 0 if no term has bits that small."""
    least = np.min(np.abs(x), initial=np.inf, where=(x != 0) | (error > 0))
    is_coarse = least * precision.sum_unit >= precision.smallest_step and not np.count_nonzero(error)
    return 0.0 if is_coarse else precision.smallest_step


def _sum(call: EstimatedCall) -> list[Estimate]:
    """Estimate a sum, which drivers may keep in the element type. Source: docs/contract/operations/REDUCE_SUM.md."""
    (x, error), dims = _groups(call)
    precision, additions = call.precision.stepwise, _additions(x, error).reshape(dims)
    lost = additions * _lost(precision, x, error)
    local = of_sum(precision, np.abs(x).sum(-1).reshape(dims), additions, varied=is_varied(x), lost=lost)
    return [stored(call, x.sum(-1).reshape(dims), error.sum(-1).reshape(dims), local)]


def _mean(call: EstimatedCall) -> list[Estimate]:
    """Estimate a mean. A mean of codes is rounded down, to nearest, or (as in LiteRT's reference) after adding a half.

    Source: docs/contract/operations/MEAN.md.
    """
    (x, error), dims = _groups(call)
    count = x.shape[-1]
    value, spread = x.mean(-1).reshape(dims), error.mean(-1).reshape(dims)
    if call.output.is_float:
        additions = _additions(x, error).reshape(dims)
        lost = additions * _lost(call.precision, x, error)
        unit = of_sum(call.precision, np.abs(x).sum(-1).reshape(dims), additions, varied=is_varied(x), lost=lost)
        # Division by a power of two is exact; another divisor may be replaced by its reciprocal, which is rounded.
        division = 0 if count & (count - 1) == 0 else 2 * call.precision.sum_unit
        divided = LocalError(
            shared=unit.shared / count + division * np.abs(value),
            independent=unit.independent / count,
            deviation=unit.deviation / count,
            is_last=unit.is_last,
        )
        return [stored(call, value, spread, divided)]
    low, high = call.output.limits
    lowest = np.clip(np.floor(value - spread), low, high)
    highest = np.clip(np.floor(value + spread) + 1, low, high)
    return [unrounded(call.output, (lowest + highest) / 2, (highest - lowest) / 2)]


def _product(call: EstimatedCall) -> list[Estimate]:
    """Estimate a product. Drivers may keep it in the element type, and it may overflow in one order but not another."""
    (x, error), dims = _groups(call)
    value = x.prod(-1)
    grown = np.abs(x) + error
    spread = np.nan_to_num(grown.prod(-1) - np.abs(x).prod(-1), nan=np.inf, posinf=np.inf)
    precision = call.precision
    factor = compounded(precision.stepwise.sum_unit, _multiplications(x, error))
    smallest, largest = _partial_products(grown)
    # A partial product below the smallest number may be lost completely; or it grows by rounding up at every step.
    lost = np.abs(value) + x.shape[-1] * precision.smallest_half * 2.0**largest
    local = np.where(smallest < np.log2(precision.smallest), lost, np.abs(value) * factor)
    local = np.where(largest > np.log2(precision.largest), np.inf, local)
    # Zero times infinity and NaN depend on the order.
    spread = np.where(np.isfinite(x).all(-1), spread, np.inf)
    products = LocalError(shared=local.reshape(dims), is_last=True)
    return [stored(call, value.reshape(dims), spread.reshape(dims), products)]


def _multiplications(x: Array, error: Array) -> Array:
    """Return the number of products that may be rounded: products with powers of two are exact."""
    is_power = (np.abs(np.frexp(x)[0]) == _POWER_OF_TWO) & (error == 0)
    found: Array = np.count_nonzero(~is_power, -1) - 1
    return found


def _partial_products(factors: Array) -> tuple[Array, Array]:
    """Return log2 of the smallest and the largest product of consecutive factors, also in 2, 4 and 8 lanes."""
    logs = np.log2(np.where(factors == 0, 1.0, factors))
    smallest, largest = np.zeros(logs.shape[:-1]), np.zeros(logs.shape[:-1])
    for lanes in _LANES:
        for lane in range(min(lanes, logs.shape[-1])):
            ends = np.cumsum(logs[..., lane::lanes], -1)
            begins = np.concatenate([np.zeros((*ends.shape[:-1], 1)), ends[..., :-1]], -1)
            largest = np.fmax(largest, (ends - np.minimum.accumulate(begins, -1)).max(-1))
            smallest = np.fmin(smallest, (ends - np.maximum.accumulate(begins, -1)).min(-1))
    return smallest, largest


def _extreme(name: str, call: EstimatedCall) -> list[Estimate]:
    """Estimate a maximum or minimum. Folding starts with a finite number, so infinities are undecided, like NaN."""
    (x, error), dims = _groups(call)

    def of(values: Array) -> Array:
        found: Array = (np.max if name == "MAX" else np.min)(values, axis=-1)
        return found

    no_answer = np.isnan(x).any(-1) | np.isinf(of(x))
    change = np.where(no_answer, np.inf, both_ends(of, (x, error)))
    return [unrounded(call.output, of(x).reshape(dims), change.reshape(dims))]


def _logical(name: str, call: EstimatedCall) -> list[Estimate]:
    """Estimate REDUCE_ALL or REDUCE_ANY; undecided inputs matter only if they can change the result."""
    (x, error), dims = _groups(call)
    of = np.all if name == "ALL" else np.any
    value, is_open = of(x != 0, axis=-1), error > 0
    sure = of((x != 0) & ~is_open, axis=-1) == of((x != 0) | is_open, axis=-1)
    return [opened(call.output, value.reshape(dims), ~sure.reshape(dims))]


def _index(sign: int, call: EstimatedCall) -> list[Estimate]:
    """Estimate ARGMAX or ARGMIN (inputs: tensor, axis). Among equal exact elements, the first one is right."""
    source, axis = call.estimate(0), call.parameters.number(1)
    (value,) = call.on_stored({})
    x, error = sign * np.moveaxis(source.value, axis, -1), np.moveaxis(source.error, axis, -1)
    place = value.reshape(x.shape[:-1])[..., np.newaxis]
    best, doubt = np.take_along_axis(x, place, -1), np.take_along_axis(error, place, -1)
    near = (x + error >= best - doubt) & (np.arange(x.shape[-1]) != place)
    rivals = near & ((error > 0) | (doubt > 0))
    is_open = (rivals | np.isnan(x)).any(-1)
    return [opened(call.output, value, is_open.reshape(value.shape))]


_ORDER: Final = "largest change of the extreme"
RULES: Final[dict[O, BoundRule]] = {
    O.MEAN: BoundRule(
        _mean,
        "their mean",
        "a unit of roundoff of the mean magnitude for each addition, two of the result unless divided by a power of 2; "
        "codes are rounded down or up",
    ),
    O.REDUCE_SUM: BoundRule(_sum, _LINEAR, "a unit of roundoff of the sum of magnitudes for each addition"),
    O.REDUCE_PROD: BoundRule(
        _product,
        "product of magnitudes with and without errors",
        "(1 + roundoff)^(N - 1) - 1 of the result for N factors that are no powers of two",
        "where a product of consecutive factors may overflow, or one of every 2nd, 4th or 8th; zero times infinity",
    ),
    O.REDUCE_MAX: BoundRule(partial(_extreme, "MAX"), _ORDER, EXACT, UNDECIDED_NAN),
    O.REDUCE_MIN: BoundRule(partial(_extreme, "MIN"), _ORDER, EXACT, UNDECIDED_NAN),
    O.REDUCE_ALL: BoundRule(partial(_logical, "ALL"), EXACT, EXACT, "where an input that counts is not decided"),
    O.REDUCE_ANY: BoundRule(partial(_logical, "ANY"), EXACT, EXACT, "where an input that counts is not decided"),
    O.ARGMAX: BoundRule(partial(_index, 1), EXACT, EXACT, "where another element's interval reaches the extreme"),
    O.ARGMIN: BoundRule(partial(_index, -1), EXACT, EXACT, "where another element's interval reaches the extreme"),
}
