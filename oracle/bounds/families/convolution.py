"""Bound rules of sums of products and of pooling: convolutions, FULLY_CONNECTED, BATCH_MATMUL and the three pools."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperandType
from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import MOVED, interval
from nnvet.oracle.bounds.precision import Estimate, both_ends
from nnvet.oracle.bounds.products import WORDS, Linear, batch_matmul, fully_connected, linear_of, of_products, scales_of
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.bounds.storing import NO_ERROR, LocalError, stored
from nnvet.oracle.operations.activation import BOUNDS, code_bounds, wrap
from nnvet.oracle.operations.convolution import (
    activation_and_layout,
    largest,
    mean,
    pooled,
    read_inputs,
)
from nnvet.oracle.operations.invocation import Array, in_layout


def _estimate(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate one of the four convolutions."""
    given = read_inputs(call.parameters)
    shape = [1] * 4
    shape[1 if given.nchw else 3] = -1
    return [of_products(call, linear_of(call), given.activation, scales_of(call).reshape(shape))]


def _fully_connected(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate FULLY_CONNECTED, whose weights have one scale."""
    scales = np.array(call.parameters.inputs[1].scale)
    return [of_products(call, fully_connected(call), call.parameters.number(3), scales)]


def _batch_matmul(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate BATCH_MATMUL; products of integers wrap around."""
    made = batch_matmul(call)
    if call.output.type == OperandType.TENSOR_INT32:
        x, y = (call.estimate(position).value for position in range(2))
        return [stored(call, wrap(made.of(x, y)), made.spread)]
    # The contract rounds every step to the element type.
    precision = dataclasses.replace(call.precision, sum_bits=call.precision.bits)
    return [of_products(call, made, None, np.array(call.parameters.inputs[1].scale), precision)]


_FLOAT32: Final = 2.0**-24
"""Unit roundoff of float32."""
_POWER: Final = 0.5
"""The mantissa of a power of two, as frexp returns it."""


def _over_windows(call: EstimatedCall, of: Any) -> Any:
    """Return a function of images that applies a function to each window."""
    _, nchw = activation_and_layout(call.parameters)

    def function(image: Array) -> Array:
        return in_layout(pooled(call.parameters, image, of), nchw=nchw).array

    return function


def _cells(call: EstimatedCall) -> int:
    """Return the largest number of cells of the image that a window covers."""
    shape = call.value(0).shape
    counts = pooled(call.parameters, np.ones(shape), lambda _, inside: inside.sum(0))
    return int(counts.array.max(initial=1))


def _average(call: EstimatedCall) -> Sequence[Estimate]:
    code, _ = activation_and_layout(call.parameters)
    counted = _over_windows(call, lambda seen, _: seen.sum(0))
    made = Linear(_over_windows(call, mean), [interval(call, 0)], _cells(call), counted)
    # Sums of codes are exact.
    local = _with_reciprocal(call, made) if call.output.is_float else NO_ERROR
    return [stored(call, made.value, made.spread, local, activation=code)]


def _with_reciprocal(call: EstimatedCall, made: Linear) -> LocalError:
    """Return the error of summing, plus that of multiplying by the reciprocal of the number of cells.

    The reciprocal is exact if that number is a power of two. Where the sum may overflow before it is divided, the error
    is infinite.
    """
    counts = _over_windows(call, lambda _, inside: inside.sum(0))(np.ones(call.value(0).shape))
    # Windows in the padding have no cells; avoid a division by zero.
    counts = np.fmax(counts, 1.0)
    if call.precision.sum_unit == _FLOAT32:
        off = np.abs((1.0 / counts).astype(np.float32) * counts - 1.0)
    else:
        off = np.where(np.frexp(counts)[0] != _POWER, call.precision.sum_unit, 0.0)
    local = made.local(call.precision)
    shared = local.shared + off * np.abs(made.value)
    return replace(local, shared=np.where(counts * made.size > call.precision.largest_step, np.inf, shared))


def _root_mean_square(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate L2_POOL_2D. No term is negative, so the sum has the relative errors of its terms; the root halves them.

    The squares, their sums and their mean may overflow or be flushed to zero.
    """
    code, _ = activation_and_layout(call.parameters)
    root = _over_windows(call, lambda seen, inside: np.sqrt((seen * seen).sum(0) / inside.sum(0)))
    value, error = interval(call, 0)
    size = np.abs(value)
    found, upper = root(value), root(size + error)
    spread = np.fmax(upper - found, found - root(np.fmax(size - error, 0.0)))
    cells, lost = _cells(call), 3 * call.precision.smallest_step
    spread = spread + found - np.sqrt(np.fmax(found * found - lost, 0.0))
    spread = np.where(cells * upper * upper > call.precision.largest_step, np.inf, spread)
    units = cells / 2 + 3
    return [stored(call, found, spread, LocalError(units * call.precision.sum_unit * found), activation=code)]


def _largest(call: EstimatedCall) -> Sequence[Estimate]:
    """Estimate MAX_POOL_2D. The result of a window with a NaN may be that NaN or any number of the window.

    Source: docs/contract/operations/MAX_POOL_2D.md. Comparisons with a NaN are false, so a fold either skips it or
    starts again behind it.
    """
    code, _ = activation_and_layout(call.parameters)
    source = call.estimate(0)
    top = _over_windows(call, largest)
    value, error = top(source.value), both_ends(top, (source.value, source.error))
    is_none: Any = np.isnan(source.value)
    if is_none.any():
        is_none = np.isnan(value)
        value, lowest = (_over_windows(call, partial(_extreme_number, of))(source.value) for of in (np.fmax, np.fmin))
        # A window of NaN alone, or of NaN and infinities, is undecided.
        is_known = np.isfinite(value) & np.isfinite(lowest)
        middle, half = (value + lowest) / 2, (value - lowest) / 2
        value = np.where(is_none, np.where(is_known, middle, np.nan), value)
        error = np.where(is_none, np.where(is_known, half, np.inf), error)
    output = call.output
    low, high = BOUNDS[code] if output.is_float else code_bounds(code, *output.quantization, *output.limits)
    kept = partial(np.clip, a_min=low, a_max=high)
    error = both_ends(kept, (value, error))
    finished = replace(source, value=kept(value), error=error, shared=error, deviation=np.zeros(error.shape))
    return [replace(finished, may_be_nan=is_none) if is_none.any() else finished]


def _extreme_number(of: np.ufunc, seen: Array, inside: Array) -> Any:
    """Return the largest or smallest number of each window; NaN if a window has none."""
    return of.reduce(np.where(inside, seen, np.nan), 0)


RULES: Final[dict[O, BoundRule]] = {
    **{
        O[name]: BoundRule(_estimate, *WORDS)
        for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D")
    },
    O.FULLY_CONNECTED: BoundRule(_fully_connected, *WORDS),
    O.BATCH_MATMUL: BoundRule(_batch_matmul, *WORDS),
    O.AVERAGE_POOL_2D: BoundRule(
        _average,
        "the mean of the magnitudes",
        "as sums of products; of codes one rounding",
        "where the sum of a window may overflow",
    ),
    O.L2_POOL_2D: BoundRule(
        _root_mean_square,
        "the same of magnitudes that are larger or smaller by the errors",
        "half a unit of roundoff for each cell, and three more",
    ),
    O.MAX_POOL_2D: BoundRule(_largest, MOVED, "none", "which number of a window with a NaN it is, if any"),
}
