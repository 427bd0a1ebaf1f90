"""Places to which wrong elements are confined: the first or the last, one row, the edges, numbers of one sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FEWEST: Final = 8
"""Elements of an output below which no region is worth a name."""
_WORTH_NAMING: Final = 0.5
"""Largest share of an output that a region may be, and least share of a region that has to be wrong."""
_CHANCE: Final = 0.01
"""Probability below which wrong elements at random places are not all in one region."""


def regions_of(mask: Array, expected: Array, *, has_signs: bool) -> Iterator[str]:
    """Places or expected values to which the elements of ``mask`` are confined, and hardly by chance.

    ``has_signs``: negative and positive numbers mean something, which they do not where a zero point is added.
    """
    count, size = int(mask.sum()), mask.size
    if size < _FEWEST or count == size:
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
    """Regions of an output by name: first and last elements, rows along each axis, edges, all but the first."""
    shape = mask.shape
    flat = np.arange(mask.size).reshape(shape)
    yield "only the first element", flat == 0
    yield "only the last element", flat == mask.size - 1
    along = partial(_along, shape)
    for axis, size in enumerate(shape):
        if size > 1:
            # More than two places make no region that is worth a name; the edges are named below.
            for place in np.unique(np.nonzero(mask)[axis])[:2]:
                last = f", the last of {size}" if place == size - 1 else f" of {size}"
                yield f"only at {place} along axis {axis}{last}", along(axis) == place
        if size > 3:  # noqa: PLR2004 - else the edges are all there is
            yield f"only at the edges of axis {axis}", (along(axis) == 0) | (along(axis) == size - 1)
    if len(shape) == 4:  # noqa: PLR2004 - images
        yield "only at the edges of the images", _edges(along, shape, 1, 2)


def _along(shape: tuple[int, ...], axis: int) -> Array:
    """The place of each element along an axis."""
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)


def _edges(along: Callable[[int], Array], shape: tuple[int, ...], *axes: int) -> Array:
    found = np.zeros(shape, bool)
    for axis in axes:
        found |= (along(axis) == 0) | (along(axis) == shape[axis] - 1)
    return found
