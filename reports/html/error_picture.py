"""Pictures of wrong elements as SVG: a heat map of a slice beside the histogram of differences.

:mod:`nnvet.reports.pictures` reads the pictures from the evidence, and shows them as text on terminals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.pictures import ErrorPicture, picture_of

_CELL: Final = 16
"""Size of a square of the heat map in pixels."""
_LENGTH: Final = 16
"""Most cells in a line; a slice along one axis is broken into lines."""
_BARS_WIDTH: Final = 190
_BARS_HEIGHT: Final = 72
"""Size of the histogram in pixels."""
_FAINTEST: Final = 0.3
"""Opacity of the smallest difference."""


@dataclass(frozen=True)
class PictureCell:
    """A square of a heat map, in pixels; ``sign`` replaces the colour in print."""

    x: int
    y: int
    kind: str
    sign: str
    opacity: float


@dataclass(frozen=True)
class PictureBar:
    """A bar of the histogram in pixels; ``kind`` is that of cells with such differences."""

    x: float
    y: float
    width: float
    height: float
    count: int
    kind: str


@dataclass(frozen=True)
class ErrorPictureView:
    """Both pictures with their sizes in pixels; there are no bars where no difference is a number."""

    picture: ErrorPicture
    size: int
    width: int
    height: int
    cells: tuple[PictureCell, ...]
    bars: tuple[PictureBar, ...]
    bars_width: int = _BARS_WIDTH
    bars_height: int = _BARS_HEIGHT


_KINDS: Final = {-1: ("less", "−"), 0: ("right", ""), 1: ("more", "+")}  # noqa: RUF001 - the sign of mathematics


def view_picture(evidence: Mapping[str, Any]) -> ErrorPictureView | None:
    """Return the pictures of a failure; None: its evidence has none."""
    picture = picture_of(evidence)
    if picture is None:
        return None
    rows = [row[start : start + _LENGTH] for row in picture.cells for start in range(0, len(row), _LENGTH)]
    cells = tuple(
        _cell(level, _CELL * column, _CELL * line) for line, row in enumerate(rows) for column, level in enumerate(row)
    )
    width = _CELL * max(map(len, rows), default=0)
    return ErrorPictureView(picture, _CELL, width, _CELL * len(rows), cells, _bars(picture))


def _cell(level: int | None, x: int, y: int) -> PictureCell:
    if level is None:
        return PictureCell(x, y, "odd", "!", 1.0)
    kind, sign = _KINDS[(level > 0) - (level < 0)]
    return PictureCell(
        x, y, kind, sign, round(_FAINTEST + (1 - _FAINTEST) * min(abs(level), 9) / 9, 2) if level else 1.0
    )


def _bars(picture: ErrorPicture) -> tuple[PictureBar, ...]:
    found = picture.histogram
    if found is None or not any(found.counts):
        return ()
    width, most, step = _BARS_WIDTH / len(found.counts), max(found.counts), (found.high - found.low) / len(found.counts)
    bars = []
    for place, count in enumerate(found.counts):
        height = max(1.0, _BARS_HEIGHT * count / most) if count else 0.0
        kind = "more" if found.low + (place + 0.5) * step > 0 else "less"
        bars.append(
            PictureBar(round(place * width, 1), _BARS_HEIGHT - height, round(width - 1, 1), height, count, kind)
        )
    return tuple(bars)
