"""Simple descriptions of wrong elements: a shift, a factor, swapped axes, one column, a rounding.

A description has to explain at least 95 % of the wrong elements and few right ones, and the expected values have to
vary enough for the description to mean something; otherwise there is no description. :func:`describe_error` returns it.
It may also name the region of the wrong elements: the first or the last element, one row, the edges, numbers of one
sign. A description is a hint for people; no verdict depends on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.oracle.operations.invocation import limits_of

Array = npt.NDArray[Any]

_SMALLEST_OUTPUT: Final = 8
"""Smaller outputs have no regions worth a name."""
_WORTH_NAMING: Final = 0.5
"""A region may be at most this share of an output, and at least this share of it has to be wrong."""
_CHANCE: Final = 0.01
"""Below this probability, randomly placed wrong elements would not all lie in one region."""


def regions_of(mask: Array, expected: Array, *, has_signs: bool) -> Iterator[str]:
    """Yield regions or ranges of expected values that contain all elements of ``mask``, not just by chance.

    ``has_signs``: negative and positive numbers have a meaning, as they do not if a zero point is added.
    """
    count, size = int(mask.sum()), mask.size
    if size < _SMALLEST_OUTPUT or count == size:
        return
    for text, region in _candidates(mask):
        held = int(region.sum())
        if (mask & ~region).any() or held > _WORTH_NAMING * size or count < _WORTH_NAMING * held:
            continue
        if held == 1 or (held / size) ** count < _CHANCE:
            yield text
    if not has_signs:
        return
    for text, region in (("negative", expected < 0), ("positive", expected > 0)):
        others = ~region & (expected != 0)
        if not (mask & ~region).any() and others.any() and (region.sum() / size) ** count < _CHANCE:
            yield f"only where the expected value is {text}"


def _candidates(mask: Array) -> Iterator[tuple[str, Array]]:
    """Yield regions of an output by name: first and last elements, rows along each axis, edges, all but the first."""
    shape = mask.shape
    flat = np.arange(mask.size).reshape(shape)
    yield "only the first element", flat == 0
    yield "only the last element", flat == mask.size - 1
    along = partial(_along, shape)
    for axis, size in enumerate(shape):
        if size > 1:
            # More than two positions are no region worth a name; edges are named below.
            for place in np.unique(np.nonzero(mask)[axis])[:2]:
                last = f", the last of {size}" if place == size - 1 else f" of {size}"
                yield f"only at {place} along axis {axis}{last}", along(axis) == place
        if size > 3:  # noqa: PLR2004 - else the edges are all there is
            yield f"only at the edges of axis {axis}", (along(axis) == 0) | (along(axis) == size - 1)
    if len(shape) == 4:  # noqa: PLR2004 - images
        yield "only at the edges of the images", _edges(along, shape, 1, 2)


def _along(shape: tuple[int, ...], axis: int) -> Array:
    """Return the position of each element along an axis."""
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)


def _edges(along: Callable[[int], Array], shape: tuple[int, ...], *axes: int) -> Array:
    found = np.zeros(shape, bool)
    for axis in axes:
        found |= (along(axis) == 0) | (along(axis) == shape[axis] - 1)
    return found


_SHARE: Final = 0.95
"""A description has to explain this share of the wrong elements; of a region, this share has to be wrong."""
_FEWEST: Final = 4
"""With fewer different expected values among the wrong elements, a formula fits by chance."""
_FEWEST_MOVED: Final = 3
"""The same minimum, if all elements, wrong and right, are explained by numbers from other positions."""
_FEWEST_EXACT: Final = 2
"""The same minimum, if the formula fits real numbers to :data:`_EXACT`."""
_EXACT: Final = 1e-3
"""Relative error up to which a formula counts as exact, so that fewer elements prove it."""
_COARSE: Final = 16
"""Multiples of one over this number are coarse: formulas fit them by chance."""
_LARGEST: Final = 1 << 18
"""The search for a description takes too long for outputs with more elements."""
_MOST_AXES: Final = 5
"""Exchanges of axes are not tried for outputs of more dimensions: there are too many."""
_NEAR: Final = 1e-6
"""Numbers within this relative difference count as equal."""
_LARGEST_CODE: Final = (1 << 16) - 1
"""Larger integers are not codes, and have no zero point."""
_STEPS: Final = tuple(2.0**-power for power in range(11))
"""Steps to which numbers may be rounded, the coarsest first."""
_MOST_DIGITS: Final = 6
"""Significant digits of a measured number in a description, at most."""
_ROUNDED: Final = 0.03
"""A measured number may be changed by this share of its error to give it fewer digits."""
_FLOAT16_BITS: Final = 11
_BFLOAT16_BITS: Final = 8
"""Significant bits of these two types, with the implicit one."""


@dataclass(frozen=True)
class _Wrong:
    """An output with wrong elements, in its shape and in float64; ``allowed`` is the tolerance of each element.

    ``limits`` are the lowest and the highest number of its type; None for floating-point types.
    """

    actual: Array
    expected: Array
    allowed: Array
    mask: Array
    limits: tuple[float, float] | None

    @property
    def got(self) -> Array:
        """The wrong elements."""
        return self.actual[self.mask]

    @property
    def wanted(self) -> Array:
        """The expected values of the wrong elements."""
        return self.expected[self.mask]

    @property
    def is_code(self) -> bool:
        """True for integers that may stand for real numbers."""
        return self.limits is not None and self.limits[1] <= _LARGEST_CODE

    def explains(self, predicted: Array) -> bool:
        """Return True if ``predicted``, for the whole output, gives nearly all elements, wrong and right."""
        slack = self.allowed + _NEAR * np.abs(predicted)
        right = (np.abs(self.actual - predicted) <= slack) | (self.actual == predicted)
        return bool(np.mean(right) >= _SHARE and np.mean(right[self.mask]) >= _SHARE)

    def fits(self, predicted: Array) -> bool:
        """Return True if ``predicted``, for the wrong elements, gives nearly all of them within the tolerance."""
        if self.limits is not None:
            predicted = np.clip(predicted, *self.limits)
        slack = self.allowed[self.mask] + _NEAR * np.abs(predicted)
        right = (np.abs(self.got - predicted) <= slack) | (self.got == predicted)
        return bool(np.mean(right) >= _SHARE)


def describe_error(actual: Array, expected: Array, allowed: Array | float, mask: Array, dtype: np.dtype[Any]) -> str:
    """Return a description of the wrong elements, those of ``mask``; empty if no simple one holds.

    All arrays have the shape of the output, whose elements are stored in ``dtype``.
    """
    if mask.size > _LARGEST or not np.isfinite(expected[mask]).any():
        return ""
    limits = limits_of(dtype.name) if dtype.kind in "iu" else None
    with np.errstate(all="ignore"):
        wrong = _Wrong(
            actual.astype(np.float64), expected.astype(np.float64), np.broadcast_to(allowed, mask.shape), mask, limits
        )
        constant = _constant(wrong)
        if not constant and (moved := _moved(wrong)):
            # A permutation explains all elements, so there is no pattern among the wrong ones.
            return moved
        values = constant or next((text for rule in _VALUES if (text := rule(wrong))), "")
        regions = regions_of(mask, wrong.expected, has_signs=not wrong.is_code)
        parts = [values, *itertools.islice(regions, 1)]
    return ", ".join(part for part in parts if part)


def _has_variety(wrong: _Wrong, error: float = 1.0) -> bool:
    """Return True if a formula that fits with the relative ``error`` means something."""
    different = np.unique(np.abs(wrong.wanted[np.isfinite(wrong.wanted)]))
    # Small integers and halves are multiples and neighbours of each other, so formulas fit them by chance.
    is_exact = wrong.limits is None and error <= _EXACT and np.any(different * _COARSE % 1)
    return bool(different.size >= (_FEWEST_EXACT if is_exact else _FEWEST))


def _constant(wrong: _Wrong) -> str:
    """Describe wrong elements that all have the same number, though different numbers are expected."""
    if np.isnan(wrong.got).all():
        return "every wrong element is NaN"
    number = wrong.got[0]
    if not _has_variety(wrong):
        return ""
    if np.mean(wrong.got == number) < _SHARE:
        size = abs(number)
        is_cut = np.array_equal(wrong.got, np.sign(wrong.wanted) * size) and np.all(np.abs(wrong.wanted) >= size)
        return f"every wrong element is {size:g} or {-size:g}, where more is due: cut off" if size and is_cut else ""
    if np.all(wrong.wanted >= number):
        return f"every wrong element is {number:g}, where more is due: cut off, or never written"
    if np.all(wrong.wanted <= number):
        return f"every wrong element is {number:g}, where less is due: cut off, or never written"
    return f"every wrong element is {number:g}: never written?"


def _moved(wrong: _Wrong) -> str:
    """Describe right numbers at wrong positions: axes exchanged, reversed or repeated, a step, or any order."""
    if np.unique(wrong.wanted).size < _FEWEST_MOVED or wrong.expected.ndim > _MOST_AXES:
        return ""
    expected = wrong.expected
    for first, second in itertools.combinations(range(expected.ndim), 2):
        if min(expected.shape[first], expected.shape[second]) > 1:
            exchanged = np.swapaxes(expected, first, second).reshape(expected.shape)
            if wrong.explains(exchanged):
                return f"axes {first} and {second} are exchanged"
    along = (text for axis in range(expected.ndim) if (text := _moved_along(wrong, axis)))
    if text := next(along, ""):
        return text
    same = np.array_equal(np.sort(wrong.actual, None), np.sort(expected, None))
    return "the right numbers are in the wrong places" if same else ""


def _moved_along(wrong: _Wrong, axis: int) -> str:
    """Describe an axis that is reversed, repeats its first position, or is shifted by a step."""
    expected = wrong.expected
    if expected.shape[axis] == 1:
        return ""
    if wrong.explains(np.flip(expected, axis)):
        # With two positions, a step along the axis and its reversal are the same.
        both = expected.shape[axis] == 2  # noqa: PLR2004
        return f"the two places along axis {axis} are exchanged" if both else f"axis {axis} is reversed"
    if wrong.explains(np.broadcast_to(expected.take([0], axis), expected.shape)):
        return f"the first place along axis {axis} is repeated"
    steps = (step for step in (1, -1) if wrong.explains(np.roll(expected, step, axis)))
    return next((f"elements are shifted by {step:+d} along axis {axis}" for step in steps), "")


def _shifted(wrong: _Wrong) -> str:
    """Describe a constant difference."""
    difference = wrong.got - wrong.wanted
    shift = float(np.median(difference[np.isfinite(difference)])) if np.isfinite(difference).any() else 0.0
    error = float(np.max(np.abs(difference / shift - 1), initial=0.0)) if shift else 1.0
    if shift and _has_variety(wrong, error) and wrong.fits(wrong.wanted + shift) and _is_steady(difference, shift):
        hint = ": zero point?" if wrong.is_code else ""
        size = _plain(abs(shift), abs(shift), lambda number: wrong.fits(wrong.wanted + np.copysign(number, shift)))
        return f"every wrong element is {size} too {'large' if shift > 0 else 'small'}{hint}"
    return ""


def _is_steady(difference: Array, shift: float) -> bool:
    """Return True if the differences themselves are constant, and not only within the width of the tolerance."""
    spread = np.abs(difference - shift)
    return bool(np.mean(spread <= max(0.1 * abs(shift), 0.5 if float(shift).is_integer() else 0.0)) >= _SHARE)


def _scaled(wrong: _Wrong) -> str:
    """Describe a constant quotient; -1 is a lost sign."""
    quotients = wrong.got[wrong.wanted != 0] / wrong.wanted[wrong.wanted != 0]
    quotients = quotients[np.isfinite(quotients)]
    if quotients.size < _FEWEST_EXACT or np.unique(np.abs(wrong.got)).size < _FEWEST_EXACT:
        # A single number is a multiple of any other.
        return ""
    factor = float(np.median(quotients))
    if not _has_variety(wrong, float(np.max(np.abs(quotients - factor)) / abs(factor - 1)) if factor != 1 else 1.0):
        return ""
    near = np.mean(np.abs(quotients - factor) <= 0.1 * abs(factor - 1)) >= _SHARE
    if factor in (0.0, 1.0) or not near or not wrong.fits(wrong.wanted * factor):
        return ""
    if abs(factor + 1) < _NEAR:
        return "the sign is lost"
    times = _plain(factor, abs(factor - 1), lambda number: wrong.fits(wrong.wanted * number))
    return f"every wrong element is {times} times what is due"


def _plain(number: float, error: float, fits: Callable[[float], bool]) -> str:
    """Write a measured number with no more digits than its errors justify: 0.497619 of codes is about 0.5."""
    texts = (f"{number:.{digits}g}" for digits in range(1, _MOST_DIGITS))
    plain = (text for text in texts if abs(float(text) - number) <= _ROUNDED * error and fits(float(text)))
    text = next(plain, f"{number:.{_MOST_DIGITS}g}")
    return text if abs(float(text) - number) <= _NEAR * abs(number) else f"about {text}"


def _wrapped(wrong: _Wrong) -> str:
    """Describe integers that wrapped around: a limit of the type is expected, and the result is in the other half.

    If they are all the same number, the memory was probably never written.
    """
    if wrong.limits is None or np.unique(wrong.got).size < _FEWEST:
        return ""
    span = wrong.limits[1] - wrong.limits[0] + 1
    far = np.isin(wrong.wanted, wrong.limits) & (np.abs(wrong.got - wrong.wanted) >= span / 2)
    return "results beyond the range of the type come out at its other end" if np.mean(far) >= _SHARE else ""


def _unclamped(wrong: _Wrong) -> str:
    """Describe results beyond a limit although exactly the limit is expected."""
    if np.unique(wrong.got).size < _FEWEST_EXACT or np.isnan(wrong.expected).any():
        return ""
    low, high = float(wrong.expected.min()), float(wrong.expected.max())
    above, below = (wrong.wanted == high) & (wrong.got > high), (wrong.wanted == low) & (wrong.got < low)
    within = np.sum(~wrong.mask & (wrong.expected > low) & (wrong.expected < high))
    # A right result is seldom a limit unless it was cut off.
    due = wrong.expected[~wrong.mask]
    at_limits = above.any() * np.sum(due == high) + below.any() * np.sum(due == low)
    # A single number beyond all others may be wrong in any manner.
    lonely = 1 in (above.sum(), below.sum())
    if lonely or low == high or not np.all(above | below) or within < _FEWEST_EXACT or at_limits > wrong.got.size:
        return ""
    if above.any() and below.any():
        return f"results below {low:g} and above {high:g} are not cut off"
    return f"results above {high:g} are not cut off" if above.any() else f"results below {low:g} are not cut off"


def _rounded(wrong: _Wrong) -> str:
    """Describe floats that have the bits of a narrower type, while the expected ones do not."""
    if wrong.limits is not None or wrong.got.size < _FEWEST:
        return ""
    for name, bits in (("bfloat16", _BFLOAT16_BITS), ("float16", _FLOAT16_BITS)):
        coarse = np.mean(_has_bits(wrong.got, bits)) >= _SHARE
        close = np.abs(wrong.got - wrong.wanted) <= 2.0 ** (1 - bits) * np.abs(wrong.wanted)
        if coarse and np.mean(close) >= _SHARE and np.mean(_has_bits(wrong.wanted, bits)) < 1 / 2:
            return f"every wrong element has no more digits than {name}"
    return ""


def _stepped(wrong: _Wrong) -> str:
    """Describe floats that are the nearest multiples of a step: a table, or fixed point."""
    if wrong.limits is not None or np.unique(wrong.got).size < _FEWEST:
        return ""
    for step in _STEPS:
        if np.mean(wrong.got % step == 0) >= _SHARE:
            close = np.mean(np.abs(wrong.got - wrong.wanted) <= step) >= _SHARE
            is_coarse = close and np.mean(wrong.wanted % step == 0) < 1 / 2
            return f"every wrong element is a multiple of {step:g}" if is_coarse else ""
    return ""


def _has_bits(values: Array, bits: int) -> Array:
    """Return a mask of numbers whose significand has at most ``bits`` bits."""
    mantissa, _ = np.frexp(values)
    scaled = np.ldexp(mantissa, bits)
    return np.equal(scaled, np.round(scaled))


def _one_sided(wrong: _Wrong) -> str:
    """Describe errors that all have one direction, or all point toward zero."""
    if wrong.got.size < 2 * _FEWEST or not _has_variety(wrong):
        return ""
    difference = wrong.got - wrong.wanted
    mixed = (wrong.wanted > 0).any() and (wrong.wanted < 0).any()
    if mixed and np.all(np.sign(difference) == -np.sign(wrong.wanted)):
        return "every wrong element is too near to zero"
    if np.all(difference > 0):
        return "every wrong element is too large"
    return "every wrong element is too small" if np.all(difference < 0) else ""


_VALUES: Final[tuple[Callable[[_Wrong], str], ...]] = (
    _wrapped,
    _unclamped,
    _shifted,
    _scaled,
    _rounded,
    _stepped,
    _one_sided,
)
"""Descriptions of values that are neither constant nor moved, the most informative first."""
