"""Simple descriptions of what wrong elements have in common: a shift, a factor, swapped axes, one column, a rounding.

A description is given only where it explains at least 95 % of the wrong elements and few that are right, and where the
expected values differ enough for it to mean something: of what is not explained nothing is said. A description is a
hint for people, and no verdict depends on it.
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

_SHARE: Final = 0.95
"""Share of the wrong elements that a description has to explain, and of a region's that have to be wrong."""
_FEWEST: Final = 4
"""Wrong elements with different expected values below which a formula fits by chance."""
_LARGEST: Final = 1 << 18
"""Elements of an output above which nobody waits for a description."""
_MOST_AXES: Final = 5
_NEAR: Final = 1e-6
"""Relative difference of numbers that count as equal."""
_LARGEST_CODE: Final = (1 << 16) - 1
"""Integers beyond it are no codes, and have no zero point."""
_FLOAT16_BITS: Final = 11
_BFLOAT16_BITS: Final = 8
_WORTH_NAMING: Final = 0.5
"""Largest share of an output that a region may be, and least share of a region that has to be wrong."""
_CHANCE: Final = 0.01
"""Probability below which wrong elements at random places are not all in one region."""


@dataclass(frozen=True)
class _Wrong:
    """An output with wrong elements, in its shape and in float64; ``allowed`` is the tolerance of each element.

    ``limits`` are the lowest and highest number of its type, None for floating-point types.
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

    def explains(self, predicted: Array) -> bool:
        """Return True if numbers for the whole output are those of nearly all elements, wrong and right."""
        slack = self.allowed + _NEAR * np.abs(predicted)
        right = (np.abs(self.actual - predicted) <= slack) | (self.actual == predicted)
        return bool(np.mean(right) >= _SHARE and np.mean(right[self.mask]) >= _SHARE)

    def fits(self, predicted: Array) -> bool:
        """Return True if numbers for the wrong elements are nearly all theirs, within the tolerance."""
        if self.limits is not None:
            predicted = np.clip(predicted, *self.limits)
        slack = self.allowed[self.mask] + _NEAR * np.abs(predicted)
        right = (np.abs(self.got - predicted) <= slack) | (self.got == predicted)
        return bool(np.mean(right) >= _SHARE)


def describe_error(actual: Array, expected: Array, allowed: Array | float, mask: Array, dtype: np.dtype[Any]) -> str:
    """Return a description of the elements of ``mask``, which are wrong; empty if no simple one holds.

    All arrays have the shape of the output, whose elements are stored in ``dtype``.
    """
    if mask.size > _LARGEST or not np.isfinite(expected[mask]).any():
        return ""
    limits = limits_of(dtype.name) if dtype.kind in "iu" else None
    with np.errstate(all="ignore"):
        wrong = _Wrong(
            actual.astype(np.float64), expected.astype(np.float64), np.broadcast_to(allowed, mask.shape), mask, limits
        )
        values = next((text for rule in _VALUES if (text := rule(wrong))), "")
        parts = [values, *itertools.islice(_regions(wrong), 1)]
    return ", ".join(part for part in parts if part)


def _has_variety(wrong: _Wrong) -> bool:
    return np.unique(wrong.wanted[np.isfinite(wrong.wanted)]).size >= _FEWEST


def _constant(wrong: _Wrong) -> str:
    """All wrong elements hold one number, though others are due."""
    if np.isnan(wrong.got).all():
        return "every wrong element is NaN"
    number = wrong.got[0]
    if not _has_variety(wrong) or np.mean(wrong.got == number) < _SHARE:
        return ""
    if np.all(wrong.wanted >= number):
        return f"every wrong element is {number:g}, where more is due: cut off, or never written"
    if np.all(wrong.wanted <= number):
        return f"every wrong element is {number:g}, where less is due: cut off, or never written"
    return f"every wrong element is {number:g}: never written?"


def _moved(wrong: _Wrong) -> str:
    """The expected elements at other places: axes exchanged, reversed or repeated, a step along one, or any order."""
    if np.unique(wrong.wanted).size < _FEWEST or wrong.expected.ndim > _MOST_AXES:
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
    """One axis reversed, its first place everywhere, or one step along it."""
    expected = wrong.expected
    if expected.shape[axis] == 1:
        return ""
    if wrong.explains(np.flip(expected, axis)):
        return f"axis {axis} is reversed"
    if wrong.explains(np.broadcast_to(expected.take([0], axis), expected.shape)):
        return f"the first place along axis {axis} is repeated"
    steps = (step for step in (1, -1) if wrong.explains(np.roll(expected, step, axis)))
    return next((f"elements are shifted by {step:+d} along axis {axis}" for step in steps), "")


def _shifted(wrong: _Wrong) -> str:
    """The difference is one number."""
    difference = wrong.got - wrong.wanted
    shift = float(np.median(difference[np.isfinite(difference)])) if np.isfinite(difference).any() else 0.0
    if shift and _has_variety(wrong) and wrong.fits(wrong.wanted + shift) and _is_steady(difference, shift):
        hint = ": zero point?" if wrong.limits is not None and wrong.limits[1] <= _LARGEST_CODE else ""
        return f"every wrong element is {abs(shift):.6g} too {'large' if shift > 0 else 'small'}{hint}"
    return ""


def _is_steady(difference: Array, shift: float) -> bool:
    """Return True if the differences are one number by themselves, and not only by the tolerance's width."""
    spread = np.abs(difference - shift)
    return bool(np.mean(spread <= max(0.1 * abs(shift), 0.5 if float(shift).is_integer() else 0.0)) >= _SHARE)


def _scaled(wrong: _Wrong) -> str:
    """The quotient is one number; -1 is a lost sign."""
    quotients = wrong.got[wrong.wanted != 0] / wrong.wanted[wrong.wanted != 0]
    quotients = quotients[np.isfinite(quotients)]
    if quotients.size < _FEWEST or not _has_variety(wrong):
        return ""
    factor = float(np.median(quotients))
    near = np.mean(np.abs(quotients - factor) <= 0.1 * abs(factor - 1)) >= _SHARE
    if factor in (0.0, 1.0) or not near or not wrong.fits(wrong.wanted * factor):
        return ""
    return "the sign is lost" if abs(factor + 1) < _NEAR else f"every wrong element is {factor:.6g} times what is due"


def _wrapped(wrong: _Wrong) -> str:
    """One limit of an integer type is due, and the results lie in the other half of its range."""
    if wrong.limits is None:
        return ""
    span = wrong.limits[1] - wrong.limits[0] + 1
    far = np.isin(wrong.wanted, wrong.limits) & (np.abs(wrong.got - wrong.wanted) >= span / 2)
    return "results beyond the range of the type come out at its other end" if np.mean(far) >= _SHARE else ""


def _unclamped(wrong: _Wrong) -> str:
    """The expected values lie at one limit, and the results beyond it."""
    if np.unique(wrong.wanted).size != 1 or wrong.got.size < _FEWEST:
        return ""
    limit, others = float(wrong.wanted[0]), wrong.expected[~wrong.mask]
    if others.size < _FEWEST:
        return ""
    if np.all(wrong.got > limit) and np.all(others <= limit):
        return f"results above {limit:g} are not cut off"
    if np.all(wrong.got < limit) and np.all(others >= limit):
        return f"results below {limit:g} are not cut off"
    return ""


def _rounded(wrong: _Wrong) -> str:
    """Floats have the bits of a narrower type, and the expected ones have not."""
    if wrong.limits is not None or wrong.got.size < _FEWEST:
        return ""
    for name, bits in (("bfloat16", _BFLOAT16_BITS), ("float16", _FLOAT16_BITS)):
        coarse = np.mean(_has_bits(wrong.got, bits)) >= _SHARE
        close = np.abs(wrong.got - wrong.wanted) <= 2.0 ** (1 - bits) * np.abs(wrong.wanted)
        if coarse and np.mean(close) >= _SHARE and np.mean(_has_bits(wrong.wanted, bits)) < 1 / 2:
            return f"every wrong element has no more digits than {name}"
    return ""


def _has_bits(values: Array, bits: int) -> Array:
    """Of each number whether its significand has at most so many bits."""
    mantissa, _ = np.frexp(values)
    scaled = np.ldexp(mantissa, bits)
    return np.equal(scaled, np.round(scaled))


def _one_sided(wrong: _Wrong) -> str:
    """All are off in one direction, or all toward zero."""
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
    _constant,
    _unclamped,
    _moved,
    _shifted,
    _scaled,
    _rounded,
    _one_sided,
)
"""Simple descriptions of the values, the most telling first."""


def _regions(wrong: _Wrong) -> Iterator[str]:
    """Places or expected values to which the wrong elements are confined, and hardly by chance."""
    count, size = int(wrong.mask.sum()), wrong.mask.size
    if size < 2 * _FEWEST or count == size:
        return
    for text, region in _candidates(wrong):
        held = int(region.sum())
        if (wrong.mask & ~region).any() or held > _WORTH_NAMING * size or count < _WORTH_NAMING * held:
            continue
        if held == 1 or (held / size) ** count < _CHANCE:
            yield text
    for text, region in (("negative", wrong.expected < 0), ("positive", wrong.expected > 0)):
        others = ~region & (wrong.expected != 0)
        if not (wrong.mask & ~region).any() and others.any() and (region.sum() / size) ** count < _CHANCE:
            yield f"only where the expected value is {text}"


def _candidates(wrong: _Wrong) -> Iterator[tuple[str, Array]]:
    """Regions of an output by name: first and last elements, rows along each axis, edges, all but the first."""
    shape = wrong.mask.shape
    flat = np.arange(wrong.mask.size).reshape(shape)
    yield "only the first element", flat == 0
    yield "only the last element", flat == wrong.mask.size - 1
    along = partial(_along, shape)
    for axis, size in enumerate(shape):
        if size > 1:
            # More than two places make no region that is worth a name; the edges are named below.
            for place in np.unique(np.nonzero(wrong.mask)[axis])[:2]:
                last = f", the last of {size}" if place == size - 1 else f" of {size}"
                yield f"only at {place} along axis {axis}{last}", along(axis) == place
        if size > 3:  # noqa: PLR2004 - else the edges are all there is
            yield f"only at the edges of axis {axis}", (along(axis) == 0) | (along(axis) == size - 1)
    if len(shape) == 4:  # noqa: PLR2004 - images
        yield "only at the edges of the images", _edges(along, shape, 1, 2)


def _along(shape: tuple[int, ...], axis: int) -> Array:
    """Return the place of each element along an axis."""
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)


def _edges(along: Callable[[int], Array], shape: tuple[int, ...], *axes: int) -> Array:
    found = np.zeros(shape, bool)
    for axis in axes:
        found |= (along(axis) == 0) | (along(axis) == shape[axis] - 1)
    return found
