"""Grades of the result of a single operation: the share of each numeric position's limits that its errors use.

A numeric position is a published set of error limits, as those of IEEE 754, OpenCL or Vulkan.

A share of at most 1 means that the result keeps the position. ``POSITIONS`` lists the positions from the strictest to
the widest; :func:`position_shares` measures a result.
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
    """A stated set of liberties.

    ``functions`` has the limits of element-wise operations, ``sums`` that of sums of products (None: not stated).
    ``flushes``: subnormal arguments and results may be zero.
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
    """Return shares by position in order, None if a position says nothing about the operation; empty if none does.

    ``value`` are the ideal results of the first output, ``actual`` a driver's, in any shape of as many elements.
    Results that are infinite, NaN or may overflow are the contract's matter and are not graded.
    """
    form = format_of(call.output.type)
    if form is None or call.operation not in GRADED or actual.size != value.size:
        return {}
    with np.errstate(all="ignore"):
        got = actual.reshape(value.shape).astype(np.float64)
        together = _mean_squares(call, value, got, form)
        found: dict[str, float | None] = {}
        for position in POSITIONS.values():
            limits = _limits(position, call, value, form)
            alone = None if limits is None else _share(got, value, limits, form)
            found[position.id] = None if alone is None else max(alone, together.get(position.id, 0.0))
        return found


def _limits(position: Position, call: EstimatedCall, value: Array, form: Format) -> Array | None:
    """Return the errors that a position allows; None if it states no limit for the operation."""
    if call.operation in LINEAR:
        allowed = position.sums.of(Sums(call, form))
        return None if allowed is None else np.broadcast_to(allowed, value.shape)
    allowance = position.functions.get(call.operation)
    if allowance is None:
        return None
    arguments = _arguments(call, value)
    allowed = allowance.of(Sample(value, arguments, form))
    if position.flushes:
        allowed = allowed + _lost_arguments(call, value, arguments, form)
        # Results that may be subnormal may be flushed themselves.
        allowed = np.where(np.abs(value) - allowed < form.smallest, np.maximum(allowed, np.abs(value)), allowed)
    return allowed


def _lost_arguments(call: EstimatedCall, value: Array, arguments: Sequence[Array], form: Format) -> Array:
    """Return the change of the results if subnormal arguments are flushed to zero; infinite if they are then NaN."""
    is_lost = np.any([(argument != 0) & (np.abs(argument) < form.smallest) for argument in arguments], axis=0)
    if not is_lost.any():
        return np.zeros(value.shape)
    (other,) = call.ideal({place: form.flushed(call.value(place)) for place in range(len(arguments))})
    changed = np.abs(other.reshape(value.shape) - value)
    return np.where(is_lost, np.where(np.isnan(changed), np.inf, changed), 0.0)


def _arguments(call: EstimatedCall, value: Array) -> list[Array]:
    count = sum(1 for estimate in call.inputs if estimate is not None and estimate.as_operand.is_float)
    return [np.broadcast_to(call.value(place), value.shape) for place in range(count)]


def _share(got: Array, value: Array, allowed: Array, form: Format) -> float:
    graded = np.isfinite(value) & np.isfinite(allowed) & (np.abs(value) + allowed <= form.largest)
    off = np.maximum(np.abs(got - value) - ESTIMATE_NOISE * np.abs(value), 0.0)
    # A NaN is not equal to zero either.
    shares = np.where(off == 0, 0.0, off / allowed)[graded]
    return float(np.max(np.nan_to_num(shares, nan=np.inf), initial=0.0))


def _mean_squares(call: EstimatedCall, value: Array, got: Array, form: Format) -> dict[str, float]:
    """Return shares of the limits that positions set to all elements together."""
    if call.operation not in LINEAR:
        return {}
    found, sums = {}, Sums(call, form)
    for position in POSITIONS.values():
        if position.sums.unit is None:
            continue
        # An error below the smallest normal number is within every limit.
        unit = np.maximum(np.broadcast_to(position.sums.unit(sums), value.shape), form.smallest)
        graded = np.isfinite(value) & (unit > 0) & (np.abs(value) + unit <= form.largest)
        errors = (got - value)[graded] / unit[graded]
        if errors.size:
            mean_square = float(np.mean(errors**2)) / (position.sums.mean_square * tosa_terms(sums))
            found[position.id] = float(np.sqrt(np.nan_to_num(mean_square, nan=np.inf)))
    return found
