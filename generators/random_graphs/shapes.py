"""Shapes that keep their relations by construction: bounds, multiples, a budget of elements."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from nnvet.generators.random_graphs.chooser import Chooser, shuffled

Dimensions = tuple[int, ...]
MOST_ELEMENTS = 10_000
"""Largest product of the dimensions of any operand."""
_SMALL = 12


class SizeLimits(NamedTuple):
    """``most`` bounds a freely chosen dimension, ``elements`` the product of the dimensions of every operand.

    No dimension is smaller than ``least`` that may as well be larger.
    """

    most: int
    elements: int = MOST_ELEMENTS
    least: int = 1


WIDE = SizeLimits(1000)
NARROW = SizeLimits(10)


class Axis(NamedTuple):
    """A dimension: a multiple of ``step`` from ``least`` to ``most`` (None: the limits').

    What is computed from it has at most ``factor * dimension + margin`` cells.
    """

    least: int = 1
    most: int | None = None
    step: int = 1
    factor: int = 1
    margin: int = 0

    @property
    def lowest(self) -> int:
        """The smallest dimension."""
        return -(-self.least // self.step) * self.step


ANY = Axis()


class Shape(NamedTuple):
    """Conditions on dimensions; all their elements together, ``times`` that, must not exceed the elements."""

    axes: tuple[Axis, ...]
    times: int = 1

    def takes(self, dimensions: Dimensions, limits: SizeLimits) -> bool:
        """Return True if given dimensions will do; a larger one than can be chosen freely may."""
        axes, used = self
        if len(dimensions) != len(axes):
            return False
        for (least, most, step, factor, margin), size in zip(axes, dimensions, strict=True):
            if size < least or size % step or (most is not None and size > most):
                return False
            used *= factor * size + margin
        return used <= limits.elements

    def choose(self, chooser: Chooser, limits: SizeLimits) -> Dimensions:
        """Return dimensions that will do.

        :raises ValueError: not even the smallest do.
        """
        axes, used = self
        dimensions, usual, elements, preferred = [], *limits
        for least, _, step, factor, margin in axes:
            lowest = least if step == 1 else -(-least // step) * step
            dimensions.append(lowest)
            used *= factor * lowest + margin
        if used > elements:
            raise ValueError(f"{elements} elements do not suffice for {self}")
        for place in shuffled(chooser, range(len(dimensions))):
            least, most, step, factor, margin = axes[place]
            others = used // (factor * dimensions[place] + margin)
            high = (elements // others - margin) // factor
            if most is None:
                most = usual
            high = min(high, most)
            low = least
            if step > 1:
                low, high = -(-least // step), high // step
            if preferred > least:
                low = min(-(-preferred // step), max(low, high))
            # Every other one is small, so that those chosen later fit too.
            size = step * (sized(chooser, low, high) if high > low else low)
            if size > dimensions[place]:
                dimensions[place] = size
                used = others * (factor * size + margin)
        return tuple(dimensions)


def sized(chooser: Chooser, low: int, high: int) -> int:
    """Return a size from ``low`` to ``high``, mostly a small one."""
    return chooser.integer(low, high if chooser.boolean() else min(high, low + _SMALL))


@lru_cache(1 << 10)
def free(rank: int, margin: int = 0, times: int = 1) -> Shape:
    """Return a shape without relations; every dimension may grow by ``margin``."""
    return Shape((Axis(margin=margin),) * rank, times)


def fixed(dimensions: Iterable[int]) -> Shape:
    """Exactly these dimensions."""
    return Shape(tuple(Axis(size, size) for size in dimensions))


def image(
    height: Axis = ANY, width: Axis = ANY, channels: Axis = ANY, *, nchw: bool, batches: Axis = ANY, times: int = 1
) -> Shape:
    """Return the shape of an image in either layout."""
    axes = (batches, channels, height, width) if nchw else (batches, height, width, channels)
    return Shape(axes, times)
