"""Grades of the result of a single operation: the share of each numeric position's limits that its errors use.

A numeric position is a published set of error limits, such as those of IEEE 754, OpenCL or Vulkan. A share of at most 1
means that the result keeps the position. :data:`POSITIONS` lists the positions from the strictest to the widest;
:func:`position_shares` measures a result, for the judge of cases with error bounds
(``conformance/kit/bounded.py``). :mod:`nnvet.reports.accuracy` makes the grades of a run from the shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.hal.enums import OperationType
from nnvet.oracle.bounds.precision import ESTIMATE_NOISE
from nnvet.oracle.bounds.products import LINEAR
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.operations.invocation import Array
from nnvet.oracle.positions import elementwise, sums
from nnvet.oracle.positions.elementwise import Allowance
from nnvet.oracle.positions.samples import Format, Sample, format_of
from nnvet.oracle.positions.sums import SumRule, Sums, tosa_terms


@dataclass(frozen=True)
class Position:
    """A numeric position.

    ``functions`` has the limits of element-wise operations; those that are missing have none. ``sums`` has the limit of
    sums of products. ``flushes``: subnormal arguments and results may be taken for zero.
    """

    id: str
    title: str
    sums: SumRule
    functions: Mapping[OperationType, Allowance] = field(default_factory=dict)
    flushes: bool = False


# The order is that of the report: the first position that an operation keeps is its grade. It is no more than a
# convention where neither of two positions contains the other (flushing, fast convolution, narrow formats).
_ALL: Final = (
    Position("ieee-strict", "IEEE 754, any order of summation", sums.any_order(), elementwise.IEEE),
    Position("ftz", "IEEE 754 with flush to zero", sums.flushed(), elementwise.IEEE, flushes=True),
    Position("opencl-full", "OpenCL, full profile", sums.flushed(), elementwise.OPENCL, flushes=True),
    Position("vulkan", "Vulkan", sums.either_neighbour(), elementwise.VULKAN, flushes=True),
    Position("tosa", "TOSA", sums.tosa(), elementwise.TOSA, flushes=True),
    Position("truncating-mma", "Matrix units that truncate", sums.truncating()),
    Position("winograd-2", "Winograd convolution, F(2, 3)", sums.winograd(2)),
    Position("fft", "Convolution by FFT", sums.fourier()),
    Position("winograd-4", "Winograd convolution, F(4, 3)", sums.winograd(4)),
    Position("winograd-6", "Winograd convolution, F(6, 3)", sums.winograd(6)),
    Position("bf16x3", "float32 as two bfloat16, three products", sums.split(2.0**-15, "2^-15")),
    Position("tf32", "TF32", sums.converting(2.0**-10, "2^-9")),
    Position("fp16-accumulate", "float16 accumulation", sums.half_accumulators()),
    Position("bf16", "bfloat16", sums.converting(2.0**-8, "3 * 2^-8", stored=2.0**-8)),
)
POSITIONS: Final[Mapping[str, Position]] = {position.id: position for position in _ALL}
"""All positions by id."""
GRADED: Final = frozenset({*LINEAR, *(operation for position in _ALL for operation in position.functions)})
"""Operations for which some position states limits."""


def position_shares(call: EstimatedCall, value: Array, actual: Array) -> dict[str, float | None]:
    """Return the largest share of each position's limits that an error uses, in the order of :data:`POSITIONS`.

    The share is None if a position states no limit for the operation, and the result is empty if none does. ``value``
    are the ideal results of the first output, ``actual`` a driver's, in any shape with as many elements. Results that
    are infinite or NaN, or that may overflow, are judged by the contract and not graded.
    """
    form = format_of(call.output.type)
    if form is None or call.operation not in GRADED or actual.size != value.size:
        return {}
    with np.errstate(all="ignore"):
        got = actual.reshape(value.shape).astype(np.float64)
        together = _share_mean_squares(call, value, got, form)
        found: dict[str, float | None] = {}
        for position in POSITIONS.values():
            limits = _compute_limits(position, call, value, form)
            alone = None if limits is None else _compute_share(got, value, limits, form)
            found[position.id] = None if alone is None else max(alone, together.get(position.id, 0.0))
        return found


def _compute_limits(position: Position, call: EstimatedCall, value: Array, form: Format) -> Array | None:
    """Return the errors that a position allows; None if it states no limit for the operation."""
    if call.operation in LINEAR:
        allowed = position.sums.of(Sums(call, form))
        return None if allowed is None else np.broadcast_to(allowed, value.shape)
    allowance = position.functions.get(call.operation)
    if allowance is None:
        return None
    arguments = _list_arguments(call, value)
    allowed = allowance.of(Sample(value, arguments, form))
    if position.flushes:
        allowed = allowed + _bound_flushed_arguments(call, value, arguments, form)
        # Results that may be subnormal may be flushed themselves.
        allowed = np.where(np.abs(value) - allowed < form.smallest, np.maximum(allowed, np.abs(value)), allowed)
    return allowed


def _bound_flushed_arguments(call: EstimatedCall, value: Array, arguments: Sequence[Array], form: Format) -> Array:
    """Return the change of the results if subnormal arguments are taken for zero; infinite if it leads to NaN."""
    is_lost = np.any([(argument != 0) & (np.abs(argument) < form.smallest) for argument in arguments], axis=0)
    if not is_lost.any():
        return np.zeros(value.shape)
    (other,) = call.ideal({place: form.flushed(call.value(place)) for place in range(len(arguments))})
    changed = np.abs(other.reshape(value.shape) - value)
    return np.where(is_lost, np.where(np.isnan(changed), np.inf, changed), 0.0)


def _list_arguments(call: EstimatedCall, value: Array) -> list[Array]:
    """Return the floating-point inputs, broadcast to the shape of the results."""
    count = sum(1 for estimate in call.inputs if estimate is not None and estimate.as_operand.is_float)
    return [np.broadcast_to(call.value(place), value.shape) for place in range(count)]


def _compute_share(got: Array, value: Array, allowed: Array, form: Format) -> float:
    """Return the largest share of an allowed error that the results use; infinite if one is NaN."""
    graded = np.isfinite(value) & np.isfinite(allowed) & (np.abs(value) + allowed <= form.largest)
    # The ideal results are computed in float64 and have an error of their own.
    off = np.maximum(np.abs(got - value) - ESTIMATE_NOISE * np.abs(value), 0.0)
    # A NaN compares as unequal to zero, so that it remains a NaN here and becomes infinite below.
    shares = np.where(off == 0, 0.0, off / allowed)[graded]
    return float(np.max(np.nan_to_num(shares, nan=np.inf), initial=0.0))


def _share_mean_squares(call: EstimatedCall, value: Array, got: Array, form: Format) -> dict[str, float]:
    """Return the shares of the limits that positions set to the mean square of all errors, by position."""
    if call.operation not in LINEAR:
        return {}
    found, sums = {}, Sums(call, form)
    for position in POSITIONS.values():
        if position.sums.unit is None:
            continue
        # No position demands errors below the smallest normal number.
        unit = np.maximum(np.broadcast_to(position.sums.unit(sums), value.shape), form.smallest)
        graded = np.isfinite(value) & (unit > 0) & (np.abs(value) + unit <= form.largest)
        errors = (got - value)[graded] / unit[graded]
        if errors.size:
            mean_square = float(np.mean(errors**2)) / (position.sums.mean_square * tosa_terms(sums))
            found[position.id] = float(np.sqrt(np.nan_to_num(mean_square, nan=np.inf)))
    return found
