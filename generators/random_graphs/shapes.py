"""Shapes that keep their relations by construction: bounds, multiples, a budget of elements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from nnvet.generators.random_graphs.chooser import Chooser, shuffled

Dimensions = tuple[int, ...]
MOST_ELEMENTS = 10_000
"""Largest product of the dimensions of any operand."""
_SMALL = 12


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """``most`` bounds a freely chosen dimension, ``elements`` the product of the dimensions of every operand."""

    most: int
    elements: int = MOST_ELEMENTS


WIDE = SizeLimits(1000)
NARROW = SizeLimits(10)


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension: a multiple of ``step`` from ``least`` to ``most`` (None: the limits').

    What is computed from it has at most ``factor * dimension + margin`` cells.
    """

    least: int = 1
    most: int | None = None
    step: int = 1
    factor: int = 1
    margin: int = 0

    def cells(self, dimension: int) -> int:
        """Share of the budget of elements that a dimension takes."""
        return self.factor * dimension + self.margin

    @property
    def lowest(self) -> int:
        """The smallest dimension."""
        return -(-self.least // self.step) * self.step


ANY = Axis()


@dataclass(frozen=True, slots=True)
class Shape:
    """What dimensions have to be like; all their elements together, ``times`` that, must not exceed the elements."""

    axes: tuple[Axis, ...]
    times: int = 1

    def takes(self, dimensions: Dimensions, limits: SizeLimits) -> bool:
        """Whether given dimensions will do; a larger one than can be chosen freely may."""
        if len(dimensions) != len(self.axes):
            return False
        used = self.times
        for axis, size in zip(self.axes, dimensions, strict=True):
            if size < axis.least or size % axis.step or (axis.most is not None and size > axis.most):
                return False
            used *= axis.cells(size)
        return used <= limits.elements

    def choose(self, chooser: Chooser, limits: SizeLimits) -> Dimensions:
        """Dimensions that will do.

        :raises ValueError: not even the smallest do.
        """
        dimensions = [axis.lowest for axis in self.axes]
        used = self.times * prod(axis.cells(size) for axis, size in zip(self.axes, dimensions, strict=True))
        if used > limits.elements:
            raise ValueError(f"{limits.elements} elements do not suffice for {self}")
        for place in shuffled(chooser, range(len(dimensions))):
            axis = self.axes[place]
            others = used // axis.cells(dimensions[place])
            most = limits.most if axis.most is None else axis.most
            highest = min(most, (limits.elements // others - axis.margin) // axis.factor)
            dimensions[place] = max(dimensions[place], _multiple(chooser, axis, highest))
            used = others * axis.cells(dimensions[place])
        return tuple(dimensions)


def _multiple(chooser: Chooser, axis: Axis, highest: int) -> int:
    """A dimension up to ``highest``; every other one is small, so that those chosen later fit too."""
    low, high = -(-axis.least // axis.step), highest // axis.step
    if high <= low:
        return low * axis.step
    return axis.step * sized(chooser, low, high)


def sized(chooser: Chooser, low: int, high: int) -> int:
    """A size from ``low`` to ``high``, mostly a small one."""
    return chooser.integer(low, high if chooser.boolean() else min(high, low + _SMALL))


def free(rank: int, margin: int = 0, times: int = 1) -> Shape:
    """A shape without relations; every dimension may grow by ``margin``."""
    return Shape((Axis(margin=margin),) * rank, times)


def fixed(dimensions: Iterable[int]) -> Shape:
    """Exactly these dimensions."""
    return Shape(tuple(Axis(size, size) for size in dimensions))


def image(
    height: Axis = ANY, width: Axis = ANY, channels: Axis = ANY, *, nchw: bool, batches: Axis = ANY, times: int = 1
) -> Shape:
    """The shape of an image in either layout."""
    axes = (batches, channels, height, width) if nchw else (batches, height, width, channels)
    return Shape(axes, times)
