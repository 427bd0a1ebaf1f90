"""Comparison of an output: each element within its bound, and all of them together without drift.

Source: docs/contract/accuracy.md 2, whose limits for single operations are composed through the graph.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.oracle.bounds.contract import CONTRACT_SOURCE, merged
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.comparison import Mismatch
from nnvet.oracle.operations.tensor import Array
from nnvet.oracle.random_graphs import Drift

SOURCE: Final = "error bound of the operations"
_NOISE: Final = 2.0**-46
"""Relative error of the estimate itself, which is computed in float64."""
_SURE: Final = 1 + 2.0**-20
"""Errors that are all as large as they may be do not exceed their sum by the rounding of sums."""
_ENOUGH: Final = 10
"""From so many compared elements on bias and mean square error count."""
_SIGMAS: Final = 6.0
"""Number of standard deviations by which the sums of honest errors may differ from their expected values."""
_FLOAT16_TIE: Final = 12
"""Bits of a number that is half-way between two of float16."""


def compare_estimate(actual: Array, estimate: Estimate) -> Mismatch | Drift | None:
    """Return the fault of one output, an array of the stored element type; None if there is none.

    Elements that are not decided are not compared. The dimensions have to be those of the estimate, but for sizes of 1.
    """
    if actual.size != estimate.value.size and estimate.undecided_share == 1:
        # How many boxes there are is not decided either.
        return None
    with np.errstate(all="ignore"):
        numbers = _numbers(actual, estimate)
        return _mismatch(numbers, estimate) or _drift(numbers, estimate)


def compare_contract(actual: Array, tight: Estimate, wide: Estimate) -> Mismatch | None:
    """Return the breach of the contract in one output; None if there is none. The whole has no limit there.

    ``tight`` is the estimate that :func:`compare_estimate` has found crossed, ``wide`` that of the contract.
    """
    allowed = merged(tight, wide)
    if actual.size != allowed.value.size and allowed.undecided_share == 1:
        return None
    with np.errstate(all="ignore"):
        return _mismatch(_numbers(actual, allowed), allowed, CONTRACT_SOURCE)


def worst_in_bounds(actual: Array, estimate: Estimate) -> Mismatch:
    """The element that uses most of its bound, of an output all of whose elements are within theirs."""
    got, value = _numbers(actual, estimate), estimate.value.astype(np.float64)
    with np.errstate(all="ignore"):
        shares = np.abs(got - value) / estimate.error
    index = np.unravel_index(int(np.argmax(np.nan_to_num(shares, nan=0.0, posinf=0.0))), value.shape)
    place = tuple(int(coordinate) for coordinate in index)
    allowed = float(estimate.error[index])
    return Mismatch(0, value.size, place, float(value[index]), float(got[index]), allowed, SOURCE)


def _numbers(actual: Array, estimate: Estimate) -> Array:
    got = actual.reshape(estimate.value.shape)
    return (got != 0 if estimate.type == OperandType.TENSOR_BOOL8 else got).astype(np.float64)


def error_in_bounds(actual: Array, estimate: Estimate) -> float:
    """The largest error of an element that has a bound, in units of that: at most 1 if the output is right.

    Infinite where such an element is no number.
    """
    compared = np.isfinite(estimate.value) & np.isfinite(estimate.error) & (estimate.error > 0)
    if estimate.may_be_nan is not None:
        compared &= ~estimate.may_be_nan
    with np.errstate(all="ignore"):
        got = actual.reshape(estimate.value.shape)[compared].astype(np.float64)
        ratios = np.abs(got - estimate.value[compared]) / estimate.error[compared]
    return float(np.max(np.nan_to_num(ratios, nan=np.inf, posinf=np.inf), initial=0.0))


def _mismatch(got: Array, estimate: Estimate, source: str = SOURCE) -> Mismatch | None:
    value, error = estimate.value.astype(np.float64), estimate.error
    allowed = error * (1 + _NOISE) + _NOISE * np.abs(value)
    difference = np.abs(got - value)
    if estimate.limits is not None:
        low, high = estimate.limits
        allowed = np.where(got < low, value - low, np.where(got > high, high - value, allowed))
    within = np.isfinite(value) & (difference <= allowed)
    if np.count_nonzero(within) == within.size:
        return None
    is_open = np.isinf(error) & ~np.isinf(value)
    is_right = within | is_open | _same_class(got, value, estimate.type)
    if estimate.may_be_nan is not None:
        is_right |= estimate.may_be_nan & np.isnan(got)
    if is_right.all():
        return None
    excess = np.where(is_right, -np.inf, np.nan_to_num(difference - allowed, nan=np.inf))
    index = np.unravel_index(int(np.argmax(excess)), is_right.shape)
    place = tuple(int(coordinate) for coordinate in index)
    return Mismatch(
        int((~is_right).sum()),
        int(is_right.size),
        place,
        float(value[index]),
        float(got[index]),
        float(allowed[index]),
        source,
    )


def _same_class(got: Array, value: Array, kind: int) -> Array:
    """Return a mask of elements with a wanted NaN or infinity, or the largest finite number in its place."""
    info = type_info(kind)
    if not info.is_float:
        return np.zeros(value.shape, np.bool_)
    largest = float(np.finfo(info.dtype).max)
    infinite: Array = np.isinf(value) & (np.abs(got) >= largest) & (np.signbit(got) == np.signbit(value))
    return infinite | (np.isnan(value) & np.isnan(got))


def _drift(got: Array, estimate: Estimate) -> Drift | None:
    """Errors that are each allowed, but lie too often on one side, or are too large on average."""
    if estimate.shared is None or estimate.deviation is None:
        return None
    compared = np.isfinite(estimate.error) & np.isfinite(estimate.value)
    if estimate.may_be_nan is not None:
        compared &= ~estimate.may_be_nan
    if np.count_nonzero(compared) < _ENOUGH:
        return None
    value, error = estimate.value[compared].astype(np.float64), estimate.error[compared]
    shared, deviation = estimate.shared[compared], estimate.deviation[compared]
    if estimate.type == OperandType.TENSOR_FLOAT16:
        is_half_way = _is_half_way(value)
        shared = shared + np.where(is_half_way, deviation, 0.0)
        deviation = np.where(is_half_way, 0.0, deviation)
    weight = _repeats(value)
    difference = got[compared] - value
    count = difference.size
    # Errors are scaled by their bounds, so that large elements do not drown the small ones.
    scale = np.where(error > 0, error, 1.0)
    relative, common, random = difference / scale, shared / scale, deviation / scale
    bias = float(np.sum(common) + _SIGMAS * np.sqrt(np.sum(weight * random**2))) / count * _SURE
    mean_square = float(np.sqrt(np.sum(common**2)) + np.sqrt(_largest_sum(random**2, weight))) ** 2 / count * _SURE
    measures = (
        ("mean error in units of the bound", float(np.mean(relative)), bias),
        ("mean error away from zero in units of the bound", float(np.mean(relative * np.sign(value))), bias),
        ("mean square error in units of the bound", float(np.mean(relative**2)), mean_square),
    )
    noise = 1 + count * _NOISE
    return next(
        (Drift(name, found, limit, SOURCE) for name, found, limit in measures if abs(found) > noise * limit), None
    )


def _is_half_way(value: Array) -> Array:
    """Return a mask of numbers half-way between two of float16: on a coarse grid all are rounded to one side."""
    mantissa = np.frexp(value)[0] * 2.0**_FLOAT16_TIE
    found: Array = np.fmod(np.abs(mantissa), 2.0) == 1.0
    return found


def _largest_sum(squares: Array, weight: Array) -> float:
    """Return a limit of the sum of squared errors, of which ``squares`` are the expected ones."""
    return float(np.sum(squares) + _SIGMAS * np.sqrt(np.sum(weight * squares**2)))


def _repeats(value: Array) -> Array:
    """Return the number of occurrences of each element's value: equal ones are rounded alike."""
    _, places, counts = np.unique(value, return_inverse=True, return_counts=True)
    repeats: Array = counts[places.reshape(-1)]
    return repeats.astype(np.float64)
