"""Limits of sums of products by numeric position (a published set of error limits, see ``grading.py``).

Each function without an underscore returns the rule (:class:`SumRule`) of a kind of arithmetic, computed from the
magnitudes of the terms, their number, and what fast convolutions mix (:class:`Sums`). Functions named ``seen`` or
``overflows`` are for the declared liberties of :mod:`nnvet.oracle.bounds.liberties`. ``docs/positions.md`` has the
sources. All limits are for operations on exact inputs: only the sums themselves have errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.products import LINEAR, Linear, linear_of
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.operations.convolution import ConvolutionInputs, Steps, read_inputs, sums_of
from nnvet.oracle.operations.invocation import Array, Tensor, in_layout
from nnvet.oracle.positions.samples import HALF, SINGLE, Format

_HALF_BITS: Final = 2.0**-11
"""Unit roundoff of float16."""
_FINER: Final = float(2.0 ** ((SINGLE.fraction - HALF.fraction) / 2))
"""Number of float16 terms that TOSA counts as one term if they are summed in float32."""
_TILE: Final = 256
"""Elements of the smallest tile of a fast Fourier transform in use, 16 by 16."""


@dataclass(frozen=True)
class Sums:
    """The sums of one operation on exact inputs, results in ``format``; intermediate ones are float32."""

    call: EstimatedCall
    format: Format

    @cached_property
    def linear(self) -> Linear:
        """The sums as a function of image (or rows), weights and bias."""
        return LINEAR[self.call.operation](self.call)

    @cached_property
    def inputs(self) -> list[Array]:
        """Magnitudes of image, weights and bias."""
        return [np.abs(value) for value, _ in self.linear.inputs]

    @cached_property
    def size(self) -> Array:
        """Sums of the magnitudes of all terms."""
        return self.linear.of(*self.inputs)

    @cached_property
    def count(self) -> Any:
        """Terms of each sum that are not zero, with the bias."""
        return self.linear.roundings

    def rounded(self, unit: float) -> Array:
        """Return errors of sums in any order, of products that are rounded, too: (n u) / (1 - n u) of the magnitudes.

        Products that are subnormal are off by a share of the smallest number; their sums are exact.
        """
        share = np.asarray(self.count * unit, np.float64)
        found = np.where(share < 1, share / np.where(share < 1, 1 - share, 1.0), np.inf) * self.size
        return found + np.asarray(self.count) * SINGLE.smallest * unit

    def lost(self) -> Array:
        """Return errors of sums whose subnormal inputs, products, partial sums and results are zero."""
        left = [self.format.flushed(factor) for factor in self.inputs]
        steps = 2 * np.asarray(self.count) * SINGLE.smallest
        return self.size - self.linear.of(*left) + steps + (self.format.smallest if self.format is HALF else 0.0)

    def converted(self, relative: float, smallest: float = 0.0) -> Array:
        """Return errors of sums whose factors are off by a share of themselves, or by ``smallest`` if that is more."""
        first, second, *bias = self.inputs
        off = [
            factor + np.maximum(relative * factor, np.where(factor > 0, smallest, 0.0)) for factor in (first, second)
        ]
        return self.linear.of(*off, *bias) - self.size

    def touched(self, largest: float) -> Array:
        """Return a mask of sums with an infinite or NaN factor, which may also meet a zero."""
        first, second, *bias = self.inputs
        none = [np.zeros(term.shape) for term in bias]
        beyond = [(factor > largest).astype(np.float64) for factor in (first, second)]
        found = self.linear.of(beyond[0], np.ones(second.shape), *none)
        is_touched: Array = (found + self.linear.of(np.ones(first.shape), beyond[1], *none)) > 0
        return is_touched

    @property
    def stored(self) -> Array:
        """The error of rounding to the stored format what was summed in float32."""
        # A sum in float32 already has the stored precision.
        return 0.5 * self.format.ulp(self.size) if self.format is HALF else np.zeros(self.size.shape)

    @cached_property
    def convolution(self) -> ConvolutionInputs | None:
        """The inputs of a convolution; None for other operations."""
        return read_inputs(self.call.parameters) if linear_of is LINEAR[self.call.operation] else None

    @property
    def fast(self) -> ConvolutionInputs | None:
        """The inputs of a convolution that fast algorithms compute: strides and dilations of 1, not transposed."""
        found = self.convolution
        if found is None or self.call.operation == O.TRANSPOSE_CONV_2D:
            return None
        return found if found.steps.stride == found.steps.dilation == (1, 1) else None

    @property
    def channels(self) -> int:
        """Input channels that one result of a convolution sums over."""
        return 1 if self.call.operation == O.DEPTHWISE_CONV_2D else int(self.call.value(1).shape[3])

    def mixed(self, given: ConvolutionInputs, image: Array, weights: Array) -> Array:
        """Return sums over channels of a number of each image, ``[batches, channels]``, times one of each filter.

        ``weights`` have the layout of the filter, with a height and width of 1, and the result has the layout of the
        output.
        """
        single = replace(
            given,
            image=Tensor.of(image[:, None, None, :]),
            weights=Tensor.of(weights),
            bias=np.zeros(given.bias.shape),
            steps=Steps(),
        )
        return in_layout(sums_of(self.call.operation.name, single), nchw=given.nchw).array

    def largest(self, given: ConvolutionInputs, *, whole_tensor: bool) -> Array:
        """Return sums of the largest input of each channel (or of the whole tensor) times the filter's magnitudes."""
        image = np.abs(given.image.array).max((1, 2))
        image = np.full(image.shape, image.max()) if whole_tensor else image
        return self.mixed(given, image, np.abs(given.weights.array).sum((1, 2), keepdims=True))


@dataclass(frozen=True)
class SumRule:
    """The errors that a position allows for sums; None if it says nothing about the operation.

    ``unit`` is the unit of the mean square of all errors (None: it has no limit), and ``mean_square`` its limit for
    each term.
    """

    words: str
    of: Callable[[Sums], Array | None]
    unit: Callable[[Sums], Array] | None = None
    mean_square: float = 0.0


def any_order() -> SumRule:
    """Return the rule of sums of rounded products in any order."""
    return SumRule("n u S / (1 - n u)", lambda sums: sums.rounded(SINGLE.unit) + sums.stored)


def flushed() -> SumRule:
    """Return the rule of :func:`any_order`, if subnormal numbers may also become zero."""
    return SumRule("n u S / (1 - n u), and subnormal inputs, products and sums may be lost", _bound_flushed)


def _bound_flushed(sums: Sums) -> Array:
    return sums.rounded(SINGLE.unit) + sums.lost() + sums.stored


def either_neighbour() -> SumRule:
    """Return the rule of :func:`flushed`, if each step may be rounded to either neighbour."""
    return SumRule("2 n u S / (1 - 2 n u), and subnormal inputs, products and sums may be lost", _bound_either)


def _bound_either(sums: Sums) -> Array:
    found: Array = sums.rounded(2 * SINGLE.unit) + sums.lost() + 2 * sums.stored
    return found


def tosa() -> SumRule:
    """Return the rule of TOSA's dot product; inputs of convolutions count as the largest (``local_bound`` false)."""
    words = "6 KS u S of float32, 2 KS u S of float16 (KS / 2^6.5 + 1 for KS there); their mean square 1.6 KS (u S)^2"
    return SumRule(words, _bound_tosa, _tosa_unit, mean_square=1.6)


def _tosa_unit(sums: Sums) -> Array:
    given = sums.convolution
    if given is None:
        return sums.format.unit * sums.size
    bias = sums.inputs[2].reshape((1, -1, 1, 1) if given.nchw else (-1,))
    largest = sums.largest(given, whole_tensor=True) + bias
    found: Array = sums.format.unit * np.broadcast_to(largest, sums.size.shape)
    return found


def tosa_terms(sums: Sums) -> int:
    """Return KS of TOSA, the number of terms, with the bias; less where accumulators are finer than results."""
    if sums.format is SINGLE:
        return int(sums.linear.terms)
    products = int(sums.linear.terms) - (len(sums.inputs) - 2)
    return ceil(products / _FINER) + 1


def _bound_tosa(sums: Sums) -> Array:
    times = 6.0 if sums.format is SINGLE else 2.0
    return np.maximum(times * tosa_terms(sums) * _tosa_unit(sums), sums.format.smallest)


_BLOCKS: Final = 3.0
"""Error of a truncating sum in units of n u S, of the units in use: blocks of 4 terms, cut to 23 bits."""


def truncating() -> SumRule:
    """Return the rule of matrix units that align exact products in blocks, and cut their last bits."""
    return SumRule(f"{_BLOCKS:g} n u S", lambda sums: _bound_truncated(sums) + sums.stored)


def _bound_truncated(sums: Sums) -> Array:
    return sums.rounded(_BLOCKS * SINGLE.unit)


def converting(relative: float, words: str, stored: float = 0.0) -> SumRule:
    """Return the rule of products whose factors were rounded to fewer bits, summed in blocks that are cut.

    ``stored`` is the roundoff of results that have no more bits either.
    """

    def of(sums: Sums) -> Array | None:
        # Numbers of float16 have no more bits than TF32.
        if sums.format is HALF and relative <= HALF.step:
            return None
        error = sums.converted(relative) + _bound_truncated(sums) + sums.stored
        # Subnormal numbers are as far apart as the smallest normal ones, wherever there are fewer bits.
        found: Array = error + stored * np.maximum(sums.size + error, sums.format.smallest)
        return found

    return SumRule(f"{words} S + {_BLOCKS:g} n u S", of)


def split(relative: float, words: str) -> SumRule:
    """Return the rule of products whose factors are split into parts; the smallest product is omitted."""
    return SumRule(
        f"{words} S + {_BLOCKS:g} n u S",
        lambda sums: None if sums.format is HALF else relative * sums.size + _bound_truncated(sums),
    )


def half_accumulators() -> SumRule:
    """Return the rule of factors and partial sums of float16; nothing is demanded where these may overflow."""
    return SumRule("n 2^-11 S / (1 - n 2^-11), and of float32 the rounding of the factors to float16", _bound_half)


def _bound_half(sums: Sums) -> Array:
    tiny = HALF.smallest * HALF.unit
    error = sums.rounded(_HALF_BITS) + 2 * np.asarray(sums.count) * tiny + sums.converted(_HALF_BITS, tiny)
    return np.where((sums.size + error > HALF.largest) | sums.touched(HALF.largest), np.inf, error)


_GROWTH: Final = {2: 16.0, 4: 860.0, 6: 1560.0}
"""Growth of magnitudes in the transforms of F(m, 3): products of the largest sums of rows of their three matrices."""


def winograd(outputs: int) -> SumRule:
    """Return the rule of fast transforms that compute ``outputs`` results a row, for filters of 3 by 3."""
    growth = _GROWTH[outputs]
    return SumRule(
        f"{growth:g} (C + 25) u times the sum over channels of the largest input times the filter's magnitudes; "
        f"filters of 3 by 3, stride 1, F({outputs}, 3)",
        lambda sums: _winograd(sums, growth),
    )


def _winograd(sums: Sums, growth: float) -> Array | None:
    given = sums.fast
    if given is None or tuple(given.weights.dims[1:3]) != (3, 3):
        return None
    # The largest input of the whole image stands for that of the tile, whose position the driver chooses.
    largest = np.maximum(sums.largest(given, whole_tensor=False), sums.format.smallest)
    transformed = growth * (sums.channels + 25) * sums.format.unit * largest
    return _unless_overflowing(transformed + 2 * sums.format.unit * sums.size + sums.stored, growth * largest)


def _unless_overflowing(error: Array, reach: Array) -> Array:
    """Return the error, infinite where the transform may overflow: the result may be NaN then.

    ``reach`` is the largest magnitude in the transform.
    """
    found: Array = np.where(reach > SINGLE.largest, np.inf, error)
    return found


def fourier() -> SumRule:
    """Return the rule of fast Fourier transforms, whose errors depend on the norms of image and filter."""
    words = "(21 log2(N) + 5 + C) u times the sum over channels of the norms of image and filter; stride 1"
    return SumRule(words, _fourier)


def _fourier(sums: Sums) -> Array | None:
    given = sums.fast
    if given is None:
        return None
    norms = _norms(sums, given)
    area = _area(given)
    factor = 21 * ceil(log2(area)) + 5 + sums.channels
    norms = np.maximum(norms, sums.format.smallest)
    error = factor * sums.format.unit * norms + 2 * sums.format.unit * sums.size + sums.stored
    return _unless_overflowing(error, area * norms)


def _area(given: ConvolutionInputs) -> int:
    """Return the elements of the padded image, whose sides are rounded up to powers of two.

    By Cauchy and Schwarz, the transforms, their products and the sums of these that are not yet divided by the area
    are no larger than the area times the norms of image and filter.
    """
    return max(_TILE, 4 * given.image.dims[1] * given.image.dims[2])


_SEEN: Final = {2: 12.0, 4: 180.0, 6: 544.0}
"""Four times the largest errors of F(m, 3) that were seen in 3000 tiles of even numbers; zeros among them make more.

In units of u times the sums of :func:`_winograd`. They fall with the root of the number of channels. The worst case is
70 times as much, and never seen.
"""
_SEEN_FOURIER: Final = 12.0
"""The same for Fourier transforms; a third of it was observed."""


def seen_winograd(sums: Sums, outputs: int) -> Array | None:
    """Return errors of fast transforms as they occur, which drivers are granted; :func:`winograd` has those proved."""
    given = sums.fast
    if given is None or tuple(given.weights.dims[1:3]) != (3, 3):
        return None
    largest = np.maximum(sums.largest(given, whole_tensor=False), sums.format.smallest)
    limit: Array = (
        _SEEN[outputs] / np.sqrt(sums.channels) * sums.format.unit * largest + 2 * sums.format.unit * sums.size
    )
    return limit


def winograd_overflows(sums: Sums, outputs: int) -> Array | None:
    """Return a mask of results whose transforms may be infinite."""
    given = sums.fast
    if given is None:
        return None
    found: Array = _GROWTH[outputs] * sums.largest(given, whole_tensor=False) > SINGLE.largest
    return found


def seen_fourier(sums: Sums) -> Array | None:
    """Return errors of fast Fourier transforms as they occur, in units of u times the norms of image and filter."""
    given = sums.fast
    if given is None:
        return None
    norms = _norms(sums, given)
    norms = np.maximum(norms, sums.format.smallest)
    limit: Array = _SEEN_FOURIER / np.sqrt(sums.channels) * sums.format.unit * norms + 2 * sums.format.unit * sums.size
    return limit


def fourier_overflows(sums: Sums) -> Array | None:
    """Return a mask of results whose transforms may be infinite."""
    given = sums.fast
    if given is None:
        return None
    found: Array = _area(given) * _norms(sums, given) > SINGLE.largest
    return found


def _norms(sums: Sums, given: ConvolutionInputs) -> Array:
    """Return the sums over channels of the norms of image and filter."""
    image = np.sqrt((given.image.array**2).sum((1, 2)))
    return sums.mixed(given, image, np.sqrt((given.weights.array**2).sum((1, 2), keepdims=True)))
