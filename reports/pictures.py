"""Pictures of wrong elements as text for terminals: a map of a slice of the output, and a histogram of differences.

The oracle makes the pictures (:mod:`nnvet.oracle.error_pictures`), and the evidence of failures holds them.
:mod:`nnvet.reports.html.error_picture` draws them for the page.

A log keeps only the picture of the first case of each fault, to stay small; the other pictures would be similar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from nnvet.reports.events import CaseFinished

PICTURE: Final = "picture"
"""Key of the picture in the evidence."""

_BARS: Final = "▁▂▃▄▅▆▇█"
"""Bars of a histogram, lowest first."""


class Differences(msgspec.Struct, frozen=True):
    """Histogram of actual minus expected values of wrong elements, in equal steps from ``low`` to ``high``."""

    low: float
    high: float
    counts: tuple[int, ...]


class ErrorPicture(msgspec.Struct, frozen=True):
    """Levels of the cells of a slice of an output: 0 is right, up to 9 too large, down to -9 too small.

    A level is a number of ninths of ``largest``, the largest difference; None: the actual or expected value is NaN.
    ``slice`` is the part of the output as NumPy indexes it; a cell is the worst of ``block`` elements.
    """

    slice: str
    block: tuple[int, ...]
    largest: float
    cells: tuple[tuple[int | None, ...], ...]
    histogram: Differences | None = None

    @property
    def title(self) -> str:
        """Return a title: ``output[0, :, :, 2], a cell for 2 x 3 elements``."""
        each = " x ".join(map(str, self.block))
        return f"output{self.slice}" + (f", a cell for {each} elements" if any(size > 1 for size in self.block) else "")

    @property
    def is_of_numbers(self) -> bool:
        """Return True if no cell has a NaN."""
        return all(level is not None for row in self.cells for level in row)


def picture_of(evidence: Mapping[str, Any]) -> ErrorPicture | None:
    """Return the picture in the evidence of a case; None if it is missing or has another form."""
    try:
        return msgspec.convert(evidence[PICTURE], ErrorPicture, strict=False)
    except (KeyError, msgspec.ValidationError):
        return None


def picture_lines(picture: ErrorPicture) -> Iterator[str]:
    """Yield a picture for terminals, of characters and at most 66 columns wide."""
    yield f"{picture.title}: + too large, - too small, . right{'' if picture.is_of_numbers else ', ! no number'}"
    if any(abs(level or 0) not in (0, 9) for row in picture.cells for level in row):
        yield f"9 is a difference of {picture.largest:g}, 1 a ninth of it or less"
        yield from (f"  {' '.join(map(_sign_and_level, row))}".rstrip() for row in _lines(picture, 16))
    else:
        yield from (f"  {''.join(_sign_and_level(level)[0] for level in row)}" for row in _lines(picture, 64))
    if (found := picture.histogram) is not None:
        yield f"differences: {found.low:g} {''.join(_bar(found, count) for count in found.counts)} {found.high:g}"


def pictured_once(result: CaseFinished, seen: set[str]) -> CaseFinished:
    """Return a result with its picture if it is the first of its fingerprint that has one, which ``seen`` remembers."""
    if PICTURE not in result.evidence:
        return result
    if result.fingerprint in seen:
        return replace(result, evidence={key: value for key, value in result.evidence.items() if key != PICTURE})
    seen.add(result.fingerprint)
    return result


def _lines(picture: ErrorPicture, most: int) -> Iterator[tuple[int | None, ...]]:
    """Yield the rows of cells, broken if they are longer than a line."""
    for row in picture.cells:
        yield from (row[start : start + most] for start in range(0, len(row), most))


def _sign_and_level(level: int | None) -> str:
    if level is None:
        return "! "
    return f"{'+' if level > 0 else '-'}{abs(level)}" if level else ". "


def _bar(histogram: Differences, count: int) -> str:
    return _BARS[-(-count * (len(_BARS) - 1) // max(histogram.counts))] if count else " "
