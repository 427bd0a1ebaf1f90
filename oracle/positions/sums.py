"""Limits of sums of products by numeric position, which is a published set of error limits (see ``grading.py``).

Functions such as :func:`any_order` or :func:`winograd` return the rule (:class:`SumRule`) of a kind of arithmetic. The
rule computes the allowed errors from :class:`Sums`: the magnitudes of the terms, their number, and what fast
convolutions mix. Functions named ``seen_…`` or ``…_overflows`` are used by :mod:`nnvet.oracle.bounds.liberties`, which
widens the bounds of drivers that declare such arithmetic. ``docs/positions.md`` has the sources. All limits are for
operations on exact inputs: only the sums themselves have errors.

In the words of rules, u is the unit roundoff, n the number of terms, S the sum of their magnitudes, and C the number of
input channels.
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
"""Number of float16 terms that TOSA counts as one term, because they are summed in float32."""
_TILE: Final = 256
"""Number of elements of the smallest tile of a fast Fourier transform in use, 16 by 16."""


@dataclass(frozen=True)
class Sums:
    """The sums of products of one operation on exact inputs; results are in ``format``, partial sums in float32."""

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
        """Return the errors of sums in any order of products that are rounded, too: n u S / (1 - n u).

        ``unit`` is u, the unit roundoff. Subnormal products are off by a share of the smallest normal number instead;
        sums of subnormal numbers are exact.
        """
        share = np.asarray(self.count * unit, np.float64)
        found = np.where(share < 1, share / np.where(share < 1, 1 - share, 1.0), np.inf) * self.size
        return found + np.asarray(self.count) * SINGLE.smallest * unit

    def lost(self) -> Array:
        """Return the errors of sums whose subnormal inputs, products, partial sums and results become zero."""
        left = [self.format.flushed(factor) for factor in self.inputs]
        steps = 2 * np.asarray(self.count) * SINGLE.smallest
        return self.size - self.linear.of(*left) + steps + (self.format.smallest if self.format is HALF else 0.0)

    def converted(self, relative: float, smallest: float = 0.0) -> Array:
        """Return the errors of sums whose factors are off by a share of themselves, at least by ``smallest``."""
        first, second, *bias = self.inputs
        off = [
            factor + np.maximum(relative * factor, np.where(factor > 0, smallest, 0.0)) for factor in (first, second)
        ]
        return self.linear.of(*off, *bias) - self.size

    def touched(self, largest: float) -> Array:
        """Return a mask of sums with a factor above ``largest``, which becomes infinite: the result may be NaN then."""
        first, second, *bias = self.inputs
        none = [np.zeros(term.shape) for term in bias]
        beyond = [(factor > largest).astype(np.float64) for factor in (first, second)]
        found = self.linear.of(beyond[0], np.ones(second.shape), *none)
        is_touched: Array = (found + self.linear.of(np.ones(first.shape), beyond[1], *none)) > 0
        return is_touched

    @property
    def stored(self) -> Array:
        """The error of rounding sums in float32 to the format of the results."""
        # A sum in float32 already has the stored precision.
        return 0.5 * self.format.ulp(self.size) if self.format is HALF else np.zeros(self.size.shape)

    @cached_property
    def convolution(self) -> ConvolutionInputs | None:
        """The inputs of a convolution; None for other operations."""
        return read_inputs(self.call.parameters) if linear_of is LINEAR[self.call.operation] else None

    @property
    def fast(self) -> ConvolutionInputs | None:
        """The inputs of a convolution if fast algorithms can compute it: strides and dilations of 1, not transposed."""
        found = self.convolution
        if found is None or self.call.operation == O.TRANSPOSE_CONV_2D:
            return None
        return found if found.steps.stride == found.steps.dilation == (1, 1) else None

    @property
    def channels(self) -> int:
        """Input channels that one result of a convolution sums over."""
        return 1 if self.call.operation == O.DEPTHWISE_CONV_2D else int(self.call.value(1).shape[3])

    def mixed(self, given: ConvolutionInputs, image: Array, weights: Array) -> Array:
        """Return sums over channels of one number for each channel of ``image``, times one number of each filter.

        ``image`` is ``[batches, channels]``, ``weights`` have the layout of the filter with height and width 1, and
        the result has the layout of the output.
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
    """The errors that a position allows for sums of products.

    ``of`` returns the allowed error of each result; None if the position says nothing about the operation. ``words``
    are for the documentation. A position may also limit the mean square of all errors: ``unit`` returns the unit of an
    error (None: no such limit), and ``mean_square`` is the largest mean square, in squared units, for each term.
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
    return SumRule(words, _bound_tosa, _compute_tosa_unit, mean_square=1.6)


def _compute_tosa_unit(sums: Sums) -> Array:
    given = sums.convolution
    if given is None:
        return sums.format.unit * sums.size
    bias = sums.inputs[2].reshape((1, -1, 1, 1) if given.nchw else (-1,))
    largest = sums.largest(given, whole_tensor=True) + bias
    found: Array = sums.format.unit * np.broadcast_to(largest, sums.size.shape)
    return found


def tosa_terms(sums: Sums) -> int:
    """Return the number KS in TOSA's limits: the terms with the bias, and fewer if accumulators are more precise."""
    if sums.format is SINGLE:
        return int(sums.linear.terms)
    products = int(sums.linear.terms) - (len(sums.inputs) - 2)
    return ceil(products / _FINER) + 1


def _bound_tosa(sums: Sums) -> Array:
    times = 6.0 if sums.format is SINGLE else 2.0
    return np.maximum(times * tosa_terms(sums) * _compute_tosa_unit(sums), sums.format.smallest)


_BLOCKS: Final = 3.0
"""Error of a truncating sum in units of n u S, for matrix units in use: blocks of 4 terms, cut to 23 bits."""


def truncating() -> SumRule:
    """Return the rule of matrix units that align exact products in blocks to the largest, and cut the last bits."""
    return SumRule(f"{_BLOCKS:g} n u S", lambda sums: _bound_truncated(sums) + sums.stored)


def _bound_truncated(sums: Sums) -> Array:
    return sums.rounded(_BLOCKS * SINGLE.unit)


def converting(relative: float, words: str, stored: float = 0.0) -> SumRule:
    """Return the rule of products whose factors were rounded to fewer bits, summed in blocks that are cut.

    ``relative`` is the error of a product by this rounding; ``stored`` is the roundoff of results that are stored with
    fewer bits, too.
    """

    def of(sums: Sums) -> Array | None:
        # Numbers of float16 have no more bits than TF32.
        if sums.format is HALF and relative <= HALF.step:
            return None
        error = sums.converted(relative) + _bound_truncated(sums) + sums.stored
        # Rounding to fewer bits is never finer than at the smallest normal number.
        found: Array = error + stored * np.maximum(sums.size + error, sums.format.smallest)
        return found

    return SumRule(f"{words} S + {_BLOCKS:g} n u S", of)


def split(relative: float, words: str) -> SumRule:
    """Return the rule of products whose factors are split into two parts, without the product of the smaller parts."""
    return SumRule(
        f"{words} S + {_BLOCKS:g} n u S",
        lambda sums: None if sums.format is HALF else relative * sums.size + _bound_truncated(sums),
    )


def half_accumulators() -> SumRule:
    """Return the rule of factors and partial sums in float16; nothing is demanded where a partial sum may overflow."""
    return SumRule("n 2^-11 S / (1 - n 2^-11), and of float32 the rounding of the factors to float16", _bound_half)


def _bound_half(sums: Sums) -> Array:
    tiny = HALF.smallest * HALF.unit
    error = sums.rounded(_HALF_BITS) + 2 * np.asarray(sums.count) * tiny + sums.converted(_HALF_BITS, tiny)
    return np.where((sums.size + error > HALF.largest) | sums.touched(HALF.largest), np.inf, error)


_GROWTH: Final = {2: 16.0, 4: 860.0, 6: 1560.0}
"""Growth of magnitudes in the transforms of F(m, 3), by m: products of the largest row sums of the three matrices."""


def winograd(outputs: int) -> SumRule:
    """Return the rule of Winograd's transforms F(m, 3) for filters of 3 by 3; m, ``outputs``, are results in a row."""
    growth = _GROWTH[outputs]
    return SumRule(
        f"{growth:g} (C + 25) u times the sum over channels of the largest input times the filter's magnitudes; "
        f"filters of 3 by 3, stride 1, F({outputs}, 3)",
        lambda sums: _bound_winograd(sums, growth),
    )


def _bound_winograd(sums: Sums, growth: float) -> Array | None:
    given = sums.fast
    if given is None or tuple(given.weights.dims[1:3]) != (3, 3):
        return None
    # The largest input of the whole image stands for that of the tile, whose position the driver chooses.
    largest = np.maximum(sums.largest(given, whole_tensor=False), sums.format.smallest)
    transformed = growth * (sums.channels + 25) * sums.format.unit * largest
    return _open_overflows(transformed + 2 * sums.format.unit * sums.size + sums.stored, growth * largest)


def _open_overflows(error: Array, reach: Array) -> Array:
    """Return the errors, infinite where the transform may overflow, since the result may then be NaN.

    ``reach`` is the largest magnitude in the transform.
    """
    found: Array = np.where(reach > SINGLE.largest, np.inf, error)
    return found


def fourier() -> SumRule:
    """Return the rule of fast Fourier transforms, whose errors depend on the norms of image and filter."""
    words = "(21 log2(N) + 5 + C) u times the sum over channels of the norms of image and filter; stride 1"
    return SumRule(words, _bound_fourier)


def _bound_fourier(sums: Sums) -> Array | None:
    given = sums.fast
    if given is None:
        return None
    norms = _compute_norms(sums, given)
    area = _compute_area(given)
    factor = 21 * ceil(log2(area)) + 5 + sums.channels
    norms = np.maximum(norms, sums.format.smallest)
    error = factor * sums.format.unit * norms + 2 * sums.format.unit * sums.size + sums.stored
    return _open_overflows(error, area * norms)


def _compute_area(given: ConvolutionInputs) -> int:
    """Return the number of elements of the padded image, whose sides are rounded up to powers of two.

    No number in the transform is larger than this area times the norms of image and filter: by Cauchy and Schwarz, this
    holds for the transforms, for their products, and for sums of products before they are divided by the area.
    """
    return max(_TILE, 4 * given.image.dims[1] * given.image.dims[2])


_SEEN: Final = {2: 12.0, 4: 180.0, 6: 544.0}
"""Four times the largest errors of F(m, 3), by m, that were measured in 3000 tiles of numbers of similar magnitude.

The unit is u times the sum over channels of the largest input times the filter's magnitudes. The factor 4 is for tiles
with zeros among the numbers, whose errors are larger. Errors fall with the root of the number of channels. The proven
worst case is 70 times as much, and was never seen.
"""
_SEEN_FOURIER: Final = 12.0
"""The same for Fourier transforms, in units of u times the norms of image and filter: three times what was measured."""


def seen_winograd(sums: Sums, outputs: int) -> Array | None:
    """Return errors of Winograd's transforms as they occur, for drivers that declare them; None if they do not apply.

    :func:`winograd` has the proven worst case.
    """
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
    """Return errors of fast Fourier transforms as they occur, for drivers that declare them; None if they do not apply.

    :func:`fourier` has the proven worst case.
    """
    given = sums.fast
    if given is None:
        return None
    norms = _compute_norms(sums, given)
    norms = np.maximum(norms, sums.format.smallest)
    limit: Array = _SEEN_FOURIER / np.sqrt(sums.channels) * sums.format.unit * norms + 2 * sums.format.unit * sums.size
    return limit


def fourier_overflows(sums: Sums) -> Array | None:
    """Return a mask of results whose transforms may be infinite."""
    given = sums.fast
    if given is None:
        return None
    found: Array = _compute_area(given) * _compute_norms(sums, given) > SINGLE.largest
    return found


def _compute_norms(sums: Sums, given: ConvolutionInputs) -> Array:
    """Return the sums over channels of the norms of image and filter."""
    image = np.sqrt((given.image.array**2).sum((1, 2)))
    return sums.mixed(given, image, np.sqrt((given.weights.array**2).sum((1, 2), keepdims=True)))
