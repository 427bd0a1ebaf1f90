"""Comparison of an output with its estimate: each element within its bound, and all of them together without drift.

Every correct driver stays within the tight bound; :func:`compare_estimate` grades quality by it. The contract demands
less: each operation that computes real numbers may be off by NNAPI's tolerance for its output's type, and the next
operation receives inputs with that error. Elements that are only moved, compared, counted or chosen get no tolerance.
:func:`widened` carries the tolerances through the graph, and :func:`compare_contract` judges by the widened estimates.
*Drift* is an error that each element alone may have, but that most elements have in the same direction.

"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.operand_types import float_format, type_info
from nnvet.hal.types import Model, OperandType
from nnvet.hal.types import OperationType as O
from nnvet.oracle.bounds.families.detection import taken
from nnvet.oracle.bounds.patterns import EXACT
from nnvet.oracle.bounds.precision import ESTIMATE_NOISE, FLOAT32, Estimate, is_real
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.comparison import Mismatch, Tolerance, tolerance_for
from nnvet.oracle.error_pictures import draw_error
from nnvet.oracle.error_shapes import describe_error
from nnvet.oracle.operations.invocation import Array, OperandValue
from nnvet.oracle.random_graphs import Drift

CONTRACT_SOURCE: Final = "tolerance of the NNAPI, carried through the graph"
"""The name of the wide bounds in messages; :data:`SOURCE` is that of the tight ones."""
_MOVED_UNLESS_REQUANTISED: Final = (O.CONCATENATION, O.SELECT)
"""Operations that move elements, and compute only where codes get another scale; their rules have a local error."""
_CHOOSING: Final = (O.BOX_WITH_NMS_LIMIT, O.DETECTION_POSTPROCESSING, O.GENERATE_PROPOSALS)
"""Operations with outputs copied from their inputs (``taken``), which get no tolerance, beside computed ones."""


def relaxes(model: Model) -> bool:
    """Return True if float32 outputs have the tolerance of float16."""
    return model.relax_computation_float32_to_float16 or any(
        operand.type == OperandType.TENSOR_FLOAT16
        for subgraph in (model.main, *model.referenced)
        for operand in subgraph.operands
    )


def widened(call: EstimatedCall, rule: BoundRule, found: Sequence[Estimate], *, relaxed: bool) -> list[Estimate]:
    """Return estimates of an operation's outputs, widened by the tolerance where the operation computes.

    ``found`` are the estimates by the operation's rule; ``relaxed`` selects the tolerance of float16 for float32.

    If no operation has made the inputs, the tolerance replaces the tight bound. For inputs that are inexact already,
    the tolerance is added to the effect of their errors.
    """
    carried = any(estimate is not None and estimate.is_carried for estimate in call.inputs)
    chosen = taken(call) if call.operation in _CHOOSING else ()
    wide = []
    # Operations may have more results than the model has outputs.
    for index, estimate in enumerate(found):
        computes = index < len(call.outputs) and index not in chosen and _computes(call, rule, call.outputs[index])
        tolerance = tolerance_for(estimate.type, relaxed=relaxed) if computes else None
        if tolerance is None:
            wide.append(replace(estimate, shared=None, deviation=None, is_carried=carried))
            continue
        error = _enlarge_errors(estimate, tolerance, carried=carried)
        wide.append(replace(estimate, error=error, shared=None, deviation=None, limits=None, is_carried=True))
    return wide


def off_by_tolerance(actual: Array, estimate: Estimate, tolerance: Tolerance) -> float | None:
    """Return the largest error in units of the output type's tolerance; None if only one value is right.

    Errors of codes are counted from the code nearest to the ideal value. Undecided elements and NaN do not count.
    """
    if tolerance.is_exact or not is_real(estimate.as_operand):
        return None
    value = estimate.value if type_info(estimate.type).is_float else np.rint(estimate.value)
    counted = np.isfinite(value) & np.isfinite(estimate.error)
    with np.errstate(all="ignore"):
        got = actual.reshape(value.shape)[counted].astype(np.float64)
        value = value[counted]
        shares = np.abs(got - value) / (tolerance.absolute + tolerance.relative * np.abs(value))
    return float(np.max(shares, initial=0.0))


def merged(tight: Estimate, wide: Estimate) -> Estimate:
    """Return the contract's estimate of an output, made no narrower than the tight one anywhere."""
    with np.errstate(all="ignore"):
        apart = np.where(tight.value == wide.value, 0.0, np.abs(tight.value.astype(np.float64) - wide.value))
        reach = np.fmax(wide.error, np.nan_to_num(tight.error + apart, nan=0.0, posinf=np.inf))
    return replace(wide, error=np.where(np.isfinite(wide.value), reach, wide.error))


def _computes(call: EstimatedCall, rule: BoundRule, output: OperandValue) -> bool:
    """Return True if elements of the output are computed, or at least requantised, rather than moved."""
    if not is_real(output):
        return False
    if rule.local != EXACT and call.operation not in _MOVED_UNLESS_REQUANTISED:
        return True
    if output.is_float:
        return False
    sources = [estimate.as_operand for estimate in call.inputs if estimate is not None and estimate.type == output.type]
    return any(source.quantization != output.quantization for source in sources)


def _enlarge_errors(estimate: Estimate, tolerance: Tolerance, *, carried: bool) -> Array:
    """Return the errors of an estimate, enlarged by ``tolerance``; where infinity or NaN is demanded, unchanged.

    ``carried``: the errors of the inputs contain tolerances already.
    """
    granted = tolerance.absolute + tolerance.relative * np.abs(estimate.value)
    if not type_info(estimate.type).is_float:
        # The tight interval of codes includes the rounding of the result, so the expected code lies within it.
        error = estimate.error + granted
    else:
        error = estimate.error + granted if carried else np.maximum(estimate.error, granted)
    return np.where(np.isfinite(estimate.value), error, estimate.error)


SOURCE: Final = "error bound of the operations"
_SURE: Final = 1 + 2.0**-20
"""Factor that covers the rounding of sums: if all errors are at their bounds, their sum must not exceed the limit."""
_ENOUGH: Final = 10
"""Bias and mean square error need at least this many elements."""
_SIGMAS: Final = 6.0
"""Sums of honest errors may differ from their expected values by this many standard deviations."""


def compare_estimate(actual: Array, estimate: Estimate) -> Mismatch | Drift | None:
    """Return the fault of one output, an array of the stored element type; None if there is none.

    Undecided elements are not compared. The shape has to be the estimate's, except for dimensions of size 1.
    """
    if actual.size != estimate.value.size and estimate.undecided_share == 1:
        # An undecided detection may also return another number of boxes.
        return None
    with np.errstate(all="ignore"):
        numbers = _numbers(actual, estimate)
        return _mismatch(numbers, estimate) or _drift(numbers, estimate)


def compare_contract(actual: Array, tight: Estimate, wide: Estimate) -> Mismatch | None:
    """Return how one output breaks the contract; None if it does not. The contract has no limit for drift.

    ``tight`` is the estimate that :func:`compare_estimate` has found violated, ``wide`` the contract's.
    """
    allowed = merged(tight, wide)
    if actual.size != allowed.value.size and allowed.undecided_share == 1:
        return None
    with np.errstate(all="ignore"):
        return _mismatch(_numbers(actual, allowed), allowed, CONTRACT_SOURCE)


def worst_in_bounds(actual: Array, estimate: Estimate) -> Mismatch:
    """Return the element that comes nearest to its bound, for an output all of whose elements are within bounds."""
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
    """Return the largest ratio of error to bound, at most 1 if the output is right; infinity for a NaN.

    Elements without a bound do not count.
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
    allowed = error * (1 + ESTIMATE_NOISE) + ESTIMATE_NOISE * np.abs(value)
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
        partial(describe_error, got, value, allowed, ~is_right, np.dtype(type_info(estimate.type).dtype)),
        partial(draw_error, got, value, ~is_right, place),
    )


def _same_class(got: Array, value: Array, kind: int) -> Array:
    """Return a mask of elements that are the wanted NaN or infinity, or the largest finite number instead.

    In place of the largest float32 number an infinity is right, too: operations with a fused activation clamp
    infinities to that number for every type of output.
    """
    info = type_info(kind)
    if not info.is_float:
        return np.zeros(value.shape, np.bool_)
    largest = float_format(info.dtype).largest
    is_infinite = np.isinf(value) | (np.abs(value) >= FLOAT32.largest)
    infinite: Array = is_infinite & (np.abs(got) >= largest) & (np.signbit(got) == np.signbit(value))
    return infinite | (np.isnan(value) & np.isnan(got))


def _drift(got: Array, estimate: Estimate) -> Drift | None:
    """Return the fault of errors that are each allowed, but are mostly on one side, or too large on average."""
    if estimate.shared is None or estimate.deviation is None:
        return None
    compared = np.isfinite(estimate.error) & (np.abs(estimate.value) < FLOAT32.largest)
    if estimate.may_be_nan is not None:
        compared &= ~estimate.may_be_nan
    if np.count_nonzero(compared) < _ENOUGH:
        return None
    value, error = estimate.value[compared].astype(np.float64), estimate.error[compared]
    shared, deviation = estimate.shared[compared], estimate.deviation[compared]
    rounding, info = np.zeros(value.shape), type_info(estimate.type)
    if info.is_float and float_format(info.dtype).bits < FLOAT32.bits:
        # Results near numbers of the type, such as x + e^-x of a large x, are all rounded to one side.
        rounding = value.astype(info.dtype).astype(np.float64) - value
        is_half_way = _is_half_way(value, float_format(info.dtype).bits)
        shared = shared + np.where(is_half_way, deviation, 0.0)
        deviation = np.where(is_half_way, 0.0, deviation)
    weight = _repeats(value)
    difference = got[compared] - value
    count = difference.size
    # Errors are scaled by their bounds, so that large elements do not outweigh the small ones.
    scale = np.where(error > 0, error, 1.0)
    relative, common, random = difference / scale, shared / scale, deviation / scale
    rounded, away = rounding / scale, np.sign(value)
    bias = float(np.sum(common) + _SIGMAS * np.sqrt(np.sum(weight * random**2))) / count * _SURE
    mean_square = float(np.sqrt(np.sum(common**2)) + np.sqrt(_largest_sum(random**2, weight))) ** 2 / count * _SURE
    measures = (
        ("mean error in units of the bound", float(np.mean(relative)), bias + abs(float(np.mean(rounded)))),
        (
            "mean error away from zero in units of the bound",
            float(np.mean(relative * away)),
            bias + abs(float(np.mean(rounded * away))),
        ),
        ("mean square error in units of the bound", float(np.mean(relative**2)), mean_square),
    )
    noise = 1 + count * ESTIMATE_NOISE
    return next(
        (Drift(name, found, limit, SOURCE) for name, found, limit in measures if abs(found) > noise * limit), None
    )


def _is_half_way(value: Array, bits: int) -> Array:
    """Return a mask of numbers half-way between two floats of so many significant bits.

    Values on a coarse grid are often half-way, and then all round to the same side, which is no drift.
    """
    mantissa = np.frexp(value)[0] * 2.0 ** (bits + 1)
    found: Array = np.fmod(np.abs(mantissa), 2.0) == 1.0
    return found


def _largest_sum(squares: Array, weight: Array) -> float:
    """Return a limit for the sum of squared errors whose expected squares are ``squares``."""
    return float(np.sum(squares) + _SIGMAS * np.sqrt(np.sum(weight * squares**2)))


def _repeats(value: Array) -> Array:
    """Return how often each element's value occurs: equal values are rounded alike, so they count as one draw."""
    _, places, counts = np.unique(value, return_inverse=True, return_counts=True)
    repeats: Array = counts[places.reshape(-1)]
    return repeats.astype(np.float64)
