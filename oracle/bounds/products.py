"""Sums of products: how errors of the factors spread, what summing adds, and requantisation of the sums to codes.

Source: docs/contract/accuracy.md 2, mode dot product. The same sums over magnitudes bound the error; the mean square of
the errors of a tensor's elements grows with the number of terms. Convolutions, FULLY_CONNECTED and BATCH_MATMUL use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.patterns import interval
from nnvet.oracle.bounds.precision import FLOAT32, Estimate, Interval, Precision, magnitudes
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.bounds.storing import NO_ERROR, LocalError, fixed_point_grid, is_varied, of_sum, stored
from nnvet.oracle.operations.convolution import channel_scales, read_inputs, sums_of
from nnvet.oracle.operations.invocation import Array, Tensor, in_layout, in_nhwc

_LARGER: Final = 2.0
"""Partial sums may be larger on average than on random data, by this factor."""
# Descriptions of both parts of the rule, for the table of docs/oracle.md.
WORDS: Final = (
    "the sums of the magnitudes",
    "a unit of roundoff of it for each term but zeros, 1.3 times the root of their number on average; none in codes",
)


@dataclass(frozen=True)
class Linear:
    """A function that sums products of its arguments, at most ``terms`` for each element.

    ``counted`` counts the products that are not zero, given 1 for each factor that is not; None: ``of`` does it.
    ``further`` is the number of additional roundings of each sum, beside those of products and additions.
    """

    of: Callable[..., Array]
    inputs: Sequence[Interval]
    terms: int
    counted: Callable[..., Array] | None = None
    further: int = 0

    @cached_property
    def value(self) -> Array:
        """The ideal sums."""
        return self.of(*(value for value, _ in self.inputs))

    @cached_property
    def size(self) -> Array:
        """The largest possible sums of magnitudes."""
        return self.of(*(np.abs(factor) + error for factor, error in self.inputs))

    @property
    def spread(self) -> Array:
        """Errors of the result that come from errors of the arguments."""
        return magnitudes(self.of, *self.inputs, middle=self.value)

    def local(self, precision: Precision) -> LocalError:
        """Return the errors that summing adds, in any order, with or without fused operations."""
        value, terms, size = self.value, self.roundings, self.size
        # Products and partial sums may be flushed to zero.
        lost = self._lost_products(precision, size, terms)
        sums = np.where(size > 0, terms * precision.smallest_step, 0.0)
        varied = is_varied(value) and not self._has_equal_terms
        found = of_sum(precision, size, terms, varied=varied, lost=sums)
        squares = np.abs(self.of(*(factor * factor for factor, _ in self.inputs)))
        # Partial sums are about as large as the sum, or as the root of the sum of squares, whichever is larger.
        random = _LARGER * np.sqrt(terms * (value**2 / 3 + squares / 2))
        # If the signs are sorted, a partial sum reaches the sum of all positive or of all negative terms.
        ordered = np.sqrt(terms / 3) * (size + np.abs(value)) / 2
        deviation = np.fmin(precision.sum_unit * np.fmax(random, ordered), found.deviation)
        return replace(found, shared=found.shared + lost, deviation=deviation)

    @property
    def _has_equal_terms(self) -> bool:
        """True if all products other than zero have one magnitude: sums of them are rounded to the same side.

        Their number may differ from sum to sum, as at the edges of an image, and with it the result.
        """
        magnitudes = (np.abs(factor[factor != 0]) for factor, _ in self.inputs[:2])
        return all(not factor.size or factor.min() == factor.max() for factor in magnitudes)

    def _lost_products(self, precision: Precision, size: Array, terms: Any) -> Array:
        """Return the loss if subnormal products are flushed to zero.

        If a product t is below the smallest normal number m, t is lost, and otherwise nothing; m * m / t bounds both
        cases.
        """
        smallest = precision.smallest_step
        if smallest == FLOAT32.smallest:
            # In float32 the loss is so small that a simple bound suffices.
            return np.asarray(np.fmin(terms * smallest, size))
        sizes = [np.abs(value) for value, _ in self.inputs]
        inverse = self.of(
            *(np.where(magnitude > 0, 1.0 / np.where(magnitude > 0, magnitude, 1.0), 0.0) for magnitude in sizes)
        )
        return np.asarray(np.fmin(np.fmin(terms * smallest, size), smallest * smallest * np.abs(inverse)))

    @property
    def skipped(self) -> Array | None:
        """Elements that may lack a NaN, since sparse kernels and paddings skip zero times an infinity or NaN.

        None if there are none. A filter with an infinity meets zeros wherever there is padding.
        """
        value, (first, second, *bias) = self.value, [factor for factor, _ in self.inputs]
        is_none = np.isnan(value)
        if not np.count_nonzero(is_none):
            return None
        (odd_first, zero_first), (odd_second, zero_second) = (
            ((~np.isfinite(factor)).astype(np.float64), (factor == 0).astype(np.float64)) for factor in (first, second)
        )
        if np.count_nonzero(odd_second):
            return is_none
        none = [np.zeros(term.shape) for term in bias]
        met: Array = is_none & (self.of(odd_first, zero_second, *none) + self.of(zero_first, odd_second, *none) > 0)
        return met

    @property
    def roundings(self) -> Any:
        """The number of roundings that a term sees: zeros are neither multiplied nor added with any."""
        terms: Any = self.terms
        if not all(value.all() for value, _ in self.inputs):
            are_there = [((value != 0) | (error > 0)).astype(np.float64) for value, error in self.inputs]
            terms = (self.counted or self.of)(*are_there)
        return terms + self.further


def of_products(
    call: EstimatedCall, linear: Linear, activation: int | None, scales: Array, precision: Precision | None = None
) -> Estimate:
    """Return sums as results: floats with errors of summing, codes from exact sums; ``scales`` are the weights'."""
    value, spread = linear.value, linear.spread
    if (skipped := linear.skipped) is not None:
        spread = np.where(skipped, np.inf, spread)
    if call.output.is_float:
        local = linear.local(precision or call.precision)
        found = stored(call, value, spread, local, activation=activation)
        if call.operation == O.TRANSPOSE_CONV_2D and not all(np.isfinite(factor).all() for factor, _ in linear.inputs):
            # Some kernels spread the image with zeros, and multiply those by infinities and NaN.
            return replace(found, may_be_nan=np.ones(found.value.shape, np.bool_))
        return found
    return stored(call, value, spread, NO_ERROR, activation=activation, grid=_grid(call, scales))


def _grid(call: EstimatedCall, scales: Array) -> Array:
    multipliers = scales * (call.parameters.inputs[0].scale / call.output.scale)
    grids = [fixed_point_grid(float(multiplier)) for multiplier in multipliers.reshape(-1)]
    return np.array(grids).reshape(multipliers.shape)


def bias_of(call: EstimatedCall, scales: Array) -> Interval:
    """Return the bias in real numbers; a bias of codes has the scale of the products, whatever it declares."""
    bias = call.estimate(2)
    if bias.as_operand.is_float:
        return bias.value, bias.error
    step = call.parameters.inputs[0].scale * scales
    return bias.value.astype(np.float64) * step, bias.error * step


def linear_of(call: EstimatedCall) -> Linear:
    """Return the sums of a convolution (one of four operations), including the bias."""
    given = read_inputs(call.parameters)
    weights = given.weights.dims

    def linear(image: Array, filters: Array, bias: Array) -> Array:
        nhwc = in_nhwc(Tensor.of(image), nchw=given.nchw)
        sums = sums_of(call.operation.name, replace(given, image=nhwc, weights=Tensor.of(filters), bias=bias))
        return in_layout(sums, nchw=given.nchw).array

    terms = prod(weights[1:3]) if call.operation == O.DEPTHWISE_CONV_2D else prod(weights[1:])
    inputs = [(call.value(0), call.error(0)), (call.value(1), call.error(1)), bias_of(call, scales_of(call))]
    return Linear(linear, inputs, terms + 1)


def scales_of(call: EstimatedCall) -> Array:
    """Return the scales of the weights, one for each channel."""
    return np.array(channel_scales(call.parameters.inputs[1]))


def fully_connected(call: EstimatedCall) -> Linear:
    """Return the sums of FULLY_CONNECTED, including the bias."""

    def linear(x: Array, weights: Array, bias: Array) -> Array:
        found: Array = x.reshape(-1, weights.shape[1]) @ weights.T + bias
        return found

    inputs = [interval(call, 0), interval(call, 1), bias_of(call, np.array(call.parameters.inputs[1].scale))]
    return Linear(linear, inputs, inputs[1][0].shape[1] + 1)


def batch_matmul(call: EstimatedCall) -> Linear:
    """Return the sums of BATCH_MATMUL."""
    flags = [call.parameters.flag(position) for position in (2, 3)]

    def linear(*factors: Array) -> Array:
        x, y = (factor.swapaxes(-1, -2) if adjoint else factor for factor, adjoint in zip(factors, flags, strict=True))
        found: Array = x @ y
        return found

    inputs = [interval(call, 0), interval(call, 1)]
    return Linear(linear, inputs, inputs[0][0].shape[-2 if flags[0] else -1])


LINEAR: Final[Mapping[O, Callable[[EstimatedCall], Linear]]] = {
    O.CONV_2D: linear_of,
    O.DEPTHWISE_CONV_2D: linear_of,
    O.GROUPED_CONV_2D: linear_of,
    O.TRANSPOSE_CONV_2D: linear_of,
    O.FULLY_CONNECTED: fully_connected,
    O.BATCH_MATMUL: batch_matmul,
}
"""Operations whose results are sums of products."""
