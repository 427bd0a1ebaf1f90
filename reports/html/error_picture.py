"""Pictures of wrong elements of an output, as SVG: a heat map of a slice beside the histogram of differences.

:func:`view_picture` computes both for a failed case in ``groups.py``. :mod:`nnvet.reports.pictures` reads the pictures
from the evidence of the case, and shows them as text on terminals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.pictures import ErrorPicture, picture_of

_CELL: Final = 16
"""Size of a square of the heat map in pixels."""
_LENGTH: Final = 16
"""Most squares in a line of the heat map; longer rows are broken into lines."""
_BARS_WIDTH: Final = 190
"""Width of the histogram in pixels."""
_BARS_HEIGHT: Final = 72
"""Height of the histogram in pixels."""
_FAINTEST: Final = 0.3
"""Opacity of the smallest difference, still visible on white; the largest has opacity 1."""


@dataclass(frozen=True)
class PictureCell:
    """A square of a heat map: corner in pixels, and colour by ``kind``; ``sign`` says the same without colour."""

    x: int
    y: int
    kind: str
    sign: str
    opacity: float


@dataclass(frozen=True)
class PictureBar:
    """A bar of the histogram in pixels; ``kind`` gives the colour of squares with differences of the same sign."""

    x: float
    y: float
    width: float
    height: float
    count: int
    kind: str


@dataclass(frozen=True)
class ErrorPictureView:
    """Both pictures with their sizes in pixels; ``size`` is that of a square. Without numeric differences: no bars."""

    picture: ErrorPicture
    size: int
    width: int
    height: int
    cells: tuple[PictureCell, ...]
    bars: tuple[PictureBar, ...]
    bars_width: int = _BARS_WIDTH
    bars_height: int = _BARS_HEIGHT


_KINDS: Final = {-1: ("less", "−"), 0: ("right", ""), 1: ("more", "+")}  # noqa: RUF001 - the sign of mathematics
"""CSS class and sign of a square, by the sign of its difference."""


def view_picture(evidence: Mapping[str, Any]) -> ErrorPictureView | None:
    """Return the pictures of a failed case; None if its evidence has none."""
    picture = picture_of(evidence)
    if picture is None:
        return None
    rows = [row[start : start + _LENGTH] for row in picture.cells for start in range(0, len(row), _LENGTH)]
    cells = tuple(
        _draw_cell(level, _CELL * column, _CELL * line)
        for line, row in enumerate(rows)
        for column, level in enumerate(row)
    )
    width = _CELL * max(map(len, rows), default=0)
    return ErrorPictureView(picture, _CELL, width, _CELL * len(rows), cells, _draw_bars(picture))


def _draw_cell(level: int | None, x: int, y: int) -> PictureCell:
    """Draw a difference in ninths of the largest one, as a picture has it; None: no difference, because of a NaN."""
    if level is None:
        return PictureCell(x, y, "odd", "!", 1.0)
    kind, sign = _KINDS[(level > 0) - (level < 0)]
    return PictureCell(
        x, y, kind, sign, round(_FAINTEST + (1 - _FAINTEST) * min(abs(level), 9) / 9, 2) if level else 1.0
    )


def _draw_bars(picture: ErrorPicture) -> tuple[PictureBar, ...]:
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
