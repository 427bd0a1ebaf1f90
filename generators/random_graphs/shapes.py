"""Random shapes that fulfil conditions by construction: bounds, multiples, and a budget of elements."""

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
    """Limits of sizes: ``most`` of a freely chosen dimension, ``elements`` of the product of an operand's dimensions.

    A dimension is only smaller than ``least`` if it cannot be larger.
    """

    most: int
    elements: int = MOST_ELEMENTS
    least: int = 1


WIDE = SizeLimits(1000)
NARROW = SizeLimits(10)


class Axis(NamedTuple):
    """Conditions on a dimension: a multiple of ``step`` from ``least`` to ``most`` (None: the limits').

    The size computed from it is at most ``factor * dimension + margin`` cells.
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
    """Conditions on all dimensions; ``times`` the product of the dimensions must not exceed the limit of elements."""

    axes: tuple[Axis, ...]
    times: int = 1

    def takes(self, dimensions: Dimensions, limits: SizeLimits) -> bool:
        """Return True if given dimensions fulfil the conditions; they may exceed the bound of freely chosen ones."""
        axes, used = self
        if len(dimensions) != len(axes):
            return False
        for (least, most, step, factor, margin), size in zip(axes, dimensions, strict=True):
            if size < least or size % step or (most is not None and size > most):
                return False
            used *= factor * size + margin
        return used <= limits.elements

    def choose(self, chooser: Chooser, limits: SizeLimits) -> Dimensions:
        """Return dimensions that fulfil the conditions.

        :raises ValueError: not even the smallest dimensions fulfil them.
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
    """Return the shape with exactly these dimensions."""
    return Shape(tuple(Axis(size, size) for size in dimensions))


def image(
    height: Axis = ANY, width: Axis = ANY, channels: Axis = ANY, *, nchw: bool, batches: Axis = ANY, times: int = 1
) -> Shape:
    """Return the shape of an image in either layout."""
    axes = (batches, channels, height, width) if nchw else (batches, height, width, channels)
    return Shape(axes, times)
