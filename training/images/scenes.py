"""Compose a picture: background, clutter, one thing under a light, occluders, and the faults of a camera.

``dataset`` calls :func:`draw` for every picture; the outlines of the things come from ``shapes``. Only NumPy's uniform
numbers and arithmetic are used, so that a picture is the same, but for rounding, everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from training.images.shapes import SHAPES, Draws, Field, between, box, capsule, circle, polygon

Picture = npt.NDArray[np.floating[Any]]
"""[height, width, 3], linear in [0, 1] before the camera."""
_DIM: Final = (0.05, 0.5)
"""Range of brightness of backgrounds, from black (0) to white (1)."""
_MIDDLING: Final = (0.1, 0.75)
"""Range of brightness of distractors and occluders."""
_BRIGHT: Final = (0.4, 0.95)
"""Range of brightness of the thing to be classified."""
_CONTRAST: Final = 0.15
"""Least difference in brightness between a thing and its background."""
_SIDES: Final = (104, 129)
_SIZES: Final = (0.55, 0.85)
"""Range of radii of the only thing on a picture, where half the picture's side is 1."""
_MANY_SIZES: Final = (0.26, 0.5)
"""The same for one of several things."""
_MOST_THINGS: Final = 4
_TRIES: Final = 8
"""Places that are tried for a thing before it is left out."""
_MOST_OVERLAP: Final = 0.15
_LEAST_VISIBLE: Final = 0.5
"""Share of a thing that must not be hidden by later ones, so that it is listed."""
_SPLITS: Final = {"train": 1, "test": 2, "many-train": 3, "many-test": 4}
_NEUTRAL: Final = 0.5
"""Half of full: coverage of a pixel through whose middle an outline runs, and the middle of a gradient."""
_EASY_SHARE: Final = 0.5
"""Share of the training pictures that are easier than test pictures."""
_GOLDEN: Final = 0.6180339887498949
"""The golden ratio less 1: the fractional parts of its multiples spread evenly, however many they are."""


def draw(split: str, number: int) -> npt.NDArray[np.uint8]:
    """Return picture ``number`` of ``split`` ("train" or "test"): [height, width, 3], of class ``class_of(number)``."""
    generator = np.random.Generator(np.random.PCG64([_SPLITS[split], number]))
    ease = 0.0 if split == "test" else ease_of(number)
    return _camera(_scene(list(SHAPES)[class_of(number)], ease, generator.random), 1 - ease, generator)


@dataclass(frozen=True)
class ManyThings:
    """A square picture of several things, and the truth about them.

    ``boxes`` are [things, 4]: top, left, bottom and right in shares of the side; ``classes`` are indexes of the names
    of things; ``mask`` is [side, side] with 0 for the background and else the class plus 1.
    """

    pixels: npt.NDArray[np.uint8]
    boxes: npt.NDArray[np.float64]
    classes: tuple[int, ...]
    mask: npt.NDArray[np.uint8]


def draw_many(split: str, number: int, side: int, names: Sequence[str]) -> ManyThings:
    """Draw picture ``number`` of ``split`` ("train" or "test"): one to four things called ``names``, without noise."""
    generator = np.random.Generator(np.random.PCG64([_SPLITS[f"many-{split}"], number]))
    u = generator.random
    y, x = np.mgrid[:side, :side].astype(np.float64)
    y, x = (y + 0.5) / side * 2 - 1, (x + 0.5) / side * 2 - 1
    picture = _surface(x, y, back := _colour(u, _DIM), _mixed(_colour(u, _DIM), back, 0.3), u)
    for _ in range(int(between(u, 0, 3))):
        picture = _put(picture, _fragment(x, y, between(u, 0.06, 0.14), u), _colour(u, _MIDDLING), side)
    mask = np.zeros((side, side), np.uint8)
    found: list[tuple[int, npt.NDArray[np.bool_], npt.NDArray[np.float64]]] = []
    for _ in range(1 + int(_MOST_THINGS * u())):
        chosen = int(len(names) * u())
        for _ in range(_TRIES):
            own_x, own_y, radius = _pose(x, y, u, _MANY_SIZES)
            distance = SHAPES[names[chosen]](own_x, own_y, u) * radius
            box = _extent(distance < 0)
            if all(_overlap(box, other) <= _MOST_OVERLAP for _, _, other in found):
                break
        else:
            continue
        picture = _thing(picture, distance, (own_x, own_y), back, u)
        found.append((chosen, distance < 0, box))
        mask[distance < 0] = len(found)
    visible = [
        (chosen, box)
        for order, (chosen, inside, box) in enumerate(found, start=1)
        if (mask == order).sum() >= _LEAST_VISIBLE * inside.sum()
    ]
    classes = np.array([0, *(chosen + 1 for chosen, _, _ in found)], np.uint8)
    pixels = _camera(picture, 0.0, generator)
    boxes = np.array([box for _, box in visible]).reshape(-1, 4)
    return ManyThings(pixels, boxes, tuple(chosen for chosen, _ in visible), classes[mask])


def _thing(
    picture: Picture, distance: Field, own: tuple[Field, Field], back: npt.NDArray[np.float64], u: Draws
) -> Picture:
    """Paint a thing with a pattern, under a light, that stands out from the background."""
    side = len(picture)
    colour = _colour(u, _BRIGHT)
    while float((colour - back).mean()) < _CONTRAST:
        colour = _colour(u, _BRIGHT)
    picture = _shadow(picture, distance, side, u)
    skin = _surface(*own, colour, _towards(colour, u), u) * _light(distance, side, u)[..., None]
    return _put(picture, distance, skin, side)


def _extent(inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the box about what is inside: top, left, bottom, right in shares of the side."""
    if not inside.any():
        return np.zeros(4)
    rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    return np.array([rows[0], columns[0], rows[-1] + 1, columns[-1] + 1]) / len(inside)


def _overlap(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    """Return the area that two boxes share, relative to that of the smaller one."""
    height, width = (
        max(0.0, min(left[end], right[end]) - max(left[start], right[start])) for start, end in ((0, 2), (1, 3))
    )
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (left, right))
    return float(height * width / smaller) if smaller else 1.0


def ease_of(number: int) -> float:
    """Return the ease of a training picture, from that of test pictures (0) to that of a plain one (1).

    Half of them are as hard as test pictures. Without easy ones, networks of these sizes do not begin to learn.
    """
    return max(0.0, 1 - number // len(SHAPES) * _GOLDEN % 1 / _EASY_SHARE)


def class_of(number: int) -> int:
    """Return the class of a picture: any run of pictures is balanced."""
    return number % len(SHAPES)


def _scene(name: str, ease: float, u: Draws) -> Picture:
    """Return the scene in front of the camera; with ``ease`` there are fewer patterns, distractors and occluders."""
    height, width = (int(between(u, *_SIDES)) for _ in range(2))
    side = min(height, width)
    y, x = np.mgrid[:height, :width].astype(np.float64)
    y, x = (y - height / 2 + 0.5) / side * 2, (x - width / 2 + 0.5) / side * 2
    back = _colour(u, _DIM)
    picture = _surface(x, y, back, _mixed(_colour(u, _DIM), back, ease), u)
    for _ in range(int(between(u, 0, 6) * (1 - ease))):
        picture = _put(picture, _fragment(x, y, between(u, 0.08, 0.24), u), _colour(u, _MIDDLING), side)
    colour = _colour(u, _BRIGHT)
    while float((colour - back).mean()) < _CONTRAST * (1 + ease):
        colour = _colour(u, _BRIGHT)
    own_x, own_y, radius = _pose(x, y, u)
    distance = SHAPES[name](own_x, own_y, u) * radius
    picture = _shadow(picture, distance, side, u)
    skin = (
        _surface(own_x, own_y, colour, _mixed(_towards(colour, u), colour, ease), u)
        * _light(distance, side, u)[..., None]
    )
    picture = _put(picture, distance, skin, side)
    if u() < 0.5 * (1 - ease):
        for _ in range(1 + (u() < 0.3)):
            part = _fragment(x, y, between(u, 0.08, 0.2), u, reach=0.5)
            picture = _put(picture, part, _colour(u, _MIDDLING), side)
    return picture


def _colour(u: Draws, brightness: tuple[float, float]) -> npt.NDArray[np.float64]:
    """Return a random colour of a range of brightness."""
    colour = np.array([u(), u(), u()])
    return (between(u, *brightness) + (colour - colour.mean()) * between(u, 0.2, 0.8)).clip(0, 1)


def _mixed(first: Any, second: Any, share: float) -> Any:
    """Return ``first``, with a share of ``second`` mixed in."""
    return first * (1 - share) + second * share


def _towards(colour: npt.NDArray[np.float64], u: Draws) -> npt.NDArray[np.float64]:
    """Return a second colour for the same thing's pattern."""
    share = between(u, 0.1, 0.6)
    return _mixed(colour, _colour(u, _BRIGHT), share)


def _pose(x: Field, y: Field, u: Draws, sizes: tuple[float, float] = _SIZES) -> tuple[Field, Field, float]:
    """Coordinates of a thing that is moved, turned, mirrored, stretched and sheared; and its radius."""
    radius = between(u, *sizes)
    free = 0.95 - radius
    x, y = x - between(u, -free, free), y - between(u, -free, free)
    angle = between(u, -0.6, 0.6)
    x, y = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    stretch, shear = between(u, 0.8, 1.25), between(u, -0.2, 0.2)
    mirror = -1.0 if u() < 0.5 else 1.0
    return (x * mirror + shear * y) * stretch / radius, y / stretch / radius, radius


def _cover(distance: Field, side: int) -> Picture:
    """Return the share of each pixel that lies inside, with a channel axis."""
    return (_NEUTRAL - distance * side / 2).clip(0, 1)[..., None]


def _put(picture: Picture, distance: Field, colour: Any, side: int) -> Picture:
    """Paint what lies inside of an outline."""
    cover = _cover(distance, side)
    return picture * (1 - cover) + colour * cover


def _shadow(picture: Picture, distance: Field, side: int, u: Draws) -> Picture:
    """Darken the background beside a thing."""
    strength, width = between(u, 0.0, 0.5), between(u, 0.03, 0.12)
    down, right = (int(between(u, -0.06, 0.06) * side) for _ in range(2))
    moved = np.roll(distance, (down, right), (0, 1))
    return picture * (1 - strength * (0.5 - moved / width).clip(0, 1)[..., None])


def _light(distance: Field, side: int, u: Draws) -> Field:
    """Return the brightness of a thing with a rounded rim, lit from a random side."""
    angle, rim = between(u, 0, 2 * np.pi), between(u, 0.06, 0.25)
    down, right = np.gradient(distance * side / 2)
    slope = (1 + distance / rim).clip(0, 1)
    towards = (right * np.cos(angle) + down * np.sin(angle)).clip(-1, 1)
    return 1 + between(u, 0.1, 0.6) * slope * towards


def _fragment(x: Field, y: Field, size: float, u: Draws, reach: float = 1.0) -> Field:
    """Return a simple outline somewhere within ``reach``: disc, bar, box or triangle."""
    x, y = x - between(u, -reach, reach), y - between(u, -reach, reach)
    kind, angle = int(between(u, 0, 4)), between(u, 0, np.pi)
    dx, dy = np.cos(angle), np.sin(angle)
    if kind == 0:
        return circle(x, y, 0, 0, size)
    if kind == 1:
        return capsule(x, y, (-dx * 4 * size, -dy * 4 * size, dx * 4 * size, dy * 4 * size), size * 0.35)
    x, y = x * dx + y * dy, y * dx - x * dy
    if kind == 2:
        return box(x, y, 0, 0, size, size * between(u, 0.5, 1.0))
    return polygon(x, y, [(-size, size), (size, size), (between(u, -size, size), -size)])


def _surface(x: Field, y: Field, first: Any, second: Any, u: Draws) -> Picture:
    """Return a surface of two colours: gradient, stripes, checks or dots, with irregularities."""
    kind, frequency, angle = int(between(u, 0, 5)), between(u, 3, 12), between(u, 0, np.pi)
    along = x * np.cos(angle) + y * np.sin(angle)
    across = y * np.cos(angle) - x * np.sin(angle)
    if kind == 0:
        share = (_NEUTRAL + along / 2).clip(0, 1)
    elif kind == 1:
        share = _NEUTRAL + _NEUTRAL * np.sin(along * frequency)
    elif kind == 2:
        share = (np.sin(along * frequency) * np.sin(across * frequency) > 0).astype(np.float64)
    elif kind == 3:
        share = (np.cos(along * frequency) + np.cos(across * frequency) > between(u, 0.6, 1.4)).astype(np.float64)
    else:
        share = np.full(x.shape, 0.2)
    share = (share * between(u, 0.4, 1.0) + between(u, 0.0, 0.5) * (_clouds(x.shape, u) - 0.5)).clip(0, 1)
    return first + (second - first) * share[..., None]


def _clouds(shape: tuple[int, ...], u: Draws) -> Field:
    """Return irregularities of random size: a grid of random numbers, scaled up bilinearly."""
    cells = int(between(u, 3, 14))
    grid = np.array([u() for _ in range(cells * cells)]).reshape(cells, cells)
    rows, columns = (_bilinear(size, cells) for size in shape)
    return rows @ grid @ columns.T


def _bilinear(size: int, cells: int) -> Field:
    """Return weights [size, cells] that stretch ``cells`` values over ``size`` places."""
    places = np.linspace(0, cells - 1, size)[:, None]
    return (1 - np.abs(places - np.arange(cells))).clip(0)


def _blur(size: int, deviation: float) -> Field:
    """Return weights [size, size] that blur by a Gaussian of ``deviation`` pixels."""
    places = np.arange(size)
    weights = np.exp(-0.5 * ((places[:, None] - places) / deviation) ** 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _camera(picture: Picture, noisiness: float, generator: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Apply exposure, white balance, focus and noise, and round to bytes."""
    u = generator.random
    height, width, _ = picture.shape
    balance = np.array([between(u, 0.85, 1.15) for _ in range(3)]) * between(u, 0.55, 1.25)
    picture = picture * balance + between(u, -0.08, 0.12)
    focus = between(u, 0.3, 1.4)
    picture = np.einsum("ij,jkc->ikc", _blur(height, focus), picture, optimize=True)
    picture = np.einsum("ij,kjc->kic", _blur(width, focus), picture, optimize=True)
    # The sum of four uniform numbers is nearly normal, and the same with every version of NumPy.
    noise = generator.random((4, height, width, 3)).sum(axis=0) - 2
    picture = picture + noise * between(u, 0.0, 0.07) * noisiness * np.sqrt(3)
    pixels: npt.NDArray[np.uint8] = np.rint(picture * 255).clip(0, 255).astype(np.uint8)
    return pixels
