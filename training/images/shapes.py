"""The things on the pictures, as signed distances: negative inside, in units of the thing's radius.

``scenes`` paints an outline of :data:`SHAPES`, whose names are the classes for every other module. Neighbours in it are
alike but for one detail, which a turn, an occluder or blur may hide. The plane has y downwards; every thing lies about
the origin within a radius of about 1. ``u`` gives numbers in [0, 1) for proportions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Field = npt.NDArray[np.floating[Any]]
"""Signed distances, or a coordinate, at every pixel: [height, width]."""
Draws = Callable[[], float]
"""Source of random numbers in [0, 1)."""
Shape = Callable[[Field, Field, Draws], Field]
"""Function of coordinates and random numbers that returns the signed distances from a drawn outline."""


def between(u: Draws, low: float, high: float) -> float:
    """Return a number in [low, high)."""
    return low + (high - low) * u()


def circle(x: Field, y: Field, cx: float, cy: float, radius: float) -> Field:
    """Return the distance from a disc."""
    return np.hypot(x - cx, y - cy) - radius


def capsule(x: Field, y: Field, ends: tuple[float, float, float, float], radius: float) -> Field:
    """Return the distance from a line with round ends; ``ends`` are ax, ay, bx, by."""
    ax, ay, bx, by = ends
    dx, dy = bx - ax, by - ay
    along = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clip(0, 1)
    return np.hypot(x - ax - along * dx, y - ay - along * dy) - radius


def box(x: Field, y: Field, cx: float, cy: float, half_width: float, half_height: float) -> Field:
    """Return the distance from a rectangle."""
    dx, dy = np.abs(x - cx) - half_width, np.abs(y - cy) - half_height
    return np.hypot(dx.clip(0), dy.clip(0)) + np.maximum(dx, dy).clip(max=0)


def polygon(x: Field, y: Field, corners: Sequence[tuple[float, float]]) -> Field:
    """Return the distance from a closed polygon."""
    squared = np.full(x.shape, np.inf)
    inside = np.zeros(x.shape, dtype=bool)
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        dx, dy = bx - ax, by - ay
        along = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clip(0, 1)
        squared = np.minimum(squared, (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2)
        if dy:
            inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * dx / dy)
    return np.where(inside, -1.0, 1.0) * np.sqrt(squared)


def _union(*parts: Field) -> Field:
    """Return the union of the parts."""
    return np.minimum.reduce(parts)


def _ring(x: Field, y: Field, cx: float, cy: float, radius: float, thickness: float) -> Field:
    """Return a circle's line, ``thickness`` to each side."""
    return np.abs(circle(x, y, cx, cy, radius)) - thickness


def _mug(x: Field, y: Field, u: Draws) -> Field:
    """Return a vessel with a handle at its side."""
    top, bottom, height = between(u, 0.5, 0.62), between(u, 0.38, 0.58), between(u, 0.5, 0.7)
    body = polygon(x, y, [(-top, -height), (top, -height), (bottom, height), (-bottom, height)])
    radius = between(u, 0.24, 0.36)
    handle = _ring(x, y, (top + bottom) / 2 + 0.05, between(u, -0.15, 0.1), radius, between(u, 0.05, 0.09))
    return _union(body, np.maximum(handle, -body))


def _bucket(x: Field, y: Field, u: Draws) -> Field:
    """Return a vessel with a bail over its top."""
    top, bottom, height = between(u, 0.52, 0.66), between(u, 0.38, 0.54), between(u, 0.4, 0.55)
    shift = 0.25
    body = polygon(
        x, y, [(-top, -height + shift), (top, -height + shift), (bottom, height + shift), (-bottom, height + shift)]
    )
    bail = np.maximum(_ring(x, y, 0, -height + shift, top - 0.06, between(u, 0.045, 0.08)), y - (shift - height))
    return _union(body, bail)


def _key(x: Field, y: Field, u: Draws) -> Field:
    """Return a ring, a shaft, and teeth at the end of the shaft."""
    radius, width, end = between(u, 0.28, 0.4), between(u, 0.06, 0.1), between(u, 0.75, 0.95)
    parts = [_ring(x, y, -0.5, 0, radius, between(u, 0.08, 0.14)), capsule(x, y, (-0.5 + radius, 0, end, 0), width)]
    gap, length = between(u, 0.17, 0.24), between(u, 0.14, 0.26)
    parts += [box(x, y, end - 0.02 - number * gap, length / 2, 0.055, length / 2 + width) for number in range(2)]
    return _union(*parts)


def _magnifier(x: Field, y: Field, u: Draws) -> Field:
    """Return a ring and a shaft, plain or with a thicker grip."""
    radius, width, end = between(u, 0.32, 0.46), between(u, 0.06, 0.1), between(u, 0.75, 0.95)
    grip = width + between(u, 0.0, 0.05)
    return _union(
        _ring(x, y, -0.45, 0, radius, between(u, 0.07, 0.12)),
        capsule(x, y, (-0.45 + radius, 0, end, 0), width),
        capsule(x, y, (end - 0.4, 0, end, 0), grip),
    )


def _crescent(x: Field, y: Field, u: Draws) -> Field:
    """Return a disc without another: two pointed horns."""
    shift = between(u, 0.38, 0.55)
    return np.maximum(circle(x, y, 0, 0, 0.9), -circle(x, y, shift, 0, between(u, 0.62, 0.74)))


def _horseshoe(x: Field, y: Field, u: Draws) -> Field:
    """Return a part of a ring of even width."""
    thickness, opening = between(u, 0.16, 0.26), between(u, 0.5, 0.95)
    away = np.abs(np.arctan2(y, x)) - opening
    return np.maximum(_ring(x, y, 0, 0, 0.68, thickness), -away * np.hypot(x, y))


def _mushroom(x: Field, y: Field, u: Draws) -> Field:
    """Return a cap on a thick stem that widens."""
    edge = between(u, 0.0, 0.15)
    cap = np.maximum(np.hypot(x, (y - edge) * between(u, 0.9, 1.25)) - 0.85, y - edge)
    top, foot = between(u, 0.13, 0.22), between(u, 0.16, 0.32)
    return _union(cap, polygon(x, y, [(-top, edge - 0.1), (top, edge - 0.1), (foot, 0.85), (-foot, 0.85)]))


def _umbrella(x: Field, y: Field, u: Draws) -> Field:
    """Return a cap with a scalloped edge on a thin stem that ends in a hook."""
    edge = between(u, 0.0, 0.15)
    cap = np.maximum(np.hypot(x, (y - edge) * between(u, 0.9, 1.25)) - 0.85, y - edge)
    scallops = [circle(x, y, centre, edge + 0.06, 0.21) for centre in (-0.57, 0.0, 0.57)]
    width = between(u, 0.045, 0.08)
    hook = np.maximum(_ring(x, y, 0.15, 0.75, 0.15, width), 0.75 - y)
    return _union(np.maximum(cap, -_union(*scallops)), capsule(x, y, (0, -0.7, 0, 0.75), width), hook)


def _lens(x: Field, y: Field, half_height: float) -> Field:
    """Return two arcs that meet in points at x = -0.7 and 0.7."""
    radius = (0.49 + half_height**2) / (2 * half_height)
    shift = radius - half_height
    return np.maximum(circle(x, y, 0, -shift, radius), circle(x, y, 0, shift, radius))


def _fish(x: Field, y: Field, u: Draws) -> Field:
    """Return a pointed body with a forked tail."""
    tail = between(u, 0.2, 0.36)
    fin = polygon(x, y, [(0.5, 0), (0.95, -tail), (between(u, 0.75, 0.9), 0), (0.95, tail)])
    return _union(_lens(x + 0.15, y, between(u, 0.3, 0.46)), fin)


def _leaf(x: Field, y: Field, u: Draws) -> Field:
    """Return a pointed blade on a stalk."""
    bend = between(u, -0.2, 0.2)
    stalk = capsule(x, y, (0.45, 0, 0.92, bend), between(u, 0.035, 0.07))
    return _union(_lens(x + 0.15, y, between(u, 0.3, 0.5)), stalk)


def _heart(x: Field, y: Field, u: Draws) -> Field:
    """Return two lobes and a point."""
    lobe, tip = between(u, 0.36, 0.42), between(u, 0.75, 0.9)
    # Half a lobe above the corner, the side is about tangential.
    sides = polygon(x, y, [(-0.7, -0.12), (0, -0.35), (0.7, -0.12), (0, tip)])
    return _union(circle(x, y, -0.36, -0.3, lobe), circle(x, y, 0.36, -0.3, lobe), sides)


def _spade(x: Field, y: Field, u: Draws) -> Field:
    """Return a heart on its head, with a foot between the lobes."""
    foot = between(u, 0.14, 0.28)
    stem = polygon(x, y, [(-0.06, 0.1), (0.06, 0.1), (foot, 0.92), (-foot, 0.92)])
    return _union(_heart(x, -y, u), stem)


SHAPES: Final[dict[str, Shape]] = {
    "mug": _mug,
    "bucket": _bucket,
    "key": _key,
    "magnifier": _magnifier,
    "crescent": _crescent,
    "horseshoe": _horseshoe,
    "mushroom": _mushroom,
    "umbrella": _umbrella,
    "fish": _fish,
    "leaf": _leaf,
    "heart": _heart,
    "spade": _spade,
}
"""Class names in the order of their numbers, and the outline of each."""
