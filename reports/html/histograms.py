"""Latency histograms as the geometry of small SVG charts, all of a model on one axis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Latency
from nnvet.reports.html.axes import ChartAxis, axis_of
from nnvet.reports.html.marks import milliseconds

WIDTH: Final = 320.0
HEIGHT: Final = 96.0
"""Of charts in general; the strips of histograms are lower."""

STRIP: Final = 34.0
_NARROWEST: Final = 1.5
_GAP: Final = 0.6


@dataclass(frozen=True)
class Bar:
    """A rectangle in chart units; ``label`` is shown on hovering."""

    x: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Strip:
    """One histogram; ``median`` is a position, ``summary`` says the same in words."""

    title: str
    summary: str
    bars: tuple[Bar, ...]
    median: float


@dataclass(frozen=True)
class Histograms:
    """Histograms one below the other; ``ticks`` are positions and labels along their axis."""

    strips: tuple[Strip, ...]
    ticks: tuple[tuple[float, str], ...]
    is_log: bool


def build_histograms(series: Mapping[str, Latency]) -> Histograms | None:
    """A strip for each series that has iterations, on a common axis; None where no series has any."""
    measured = {title: latency for title, latency in series.items() if latency.iterations}
    if not measured:
        return None
    axis = axis_of(end for latency in measured.values() for end in _ends(latency))
    return Histograms(
        tuple(_strip(title, latency, axis) for title, latency in measured.items()),
        tuple((WIDTH * axis.share(tick), milliseconds(tick)) for tick in axis.ticks(4)),
        axis.is_log,
    )


def _ends(latency: Latency) -> tuple[float, float]:
    histogram = latency.histogram
    return histogram.start_s, histogram.start_s + len(histogram.counts) * histogram.step_s


def _strip(title: str, latency: Latency, axis: ChartAxis) -> Strip:
    histogram = latency.histogram
    highest = max(histogram.counts, default=0) or 1
    bars = []
    for index, count in enumerate(histogram.counts):
        if count:
            low, high = (histogram.start_s + (index + side) * histogram.step_s for side in (0, 1))
            left, right = WIDTH * axis.share(low), WIDTH * axis.share(high)
            width = max(right - left - _GAP, _NARROWEST)
            x = min(max(left, 0.0), WIDTH - width) if histogram.step_s else left - width / 2
            bars.append(
                Bar(x, width, STRIP * count / highest, f"{milliseconds(low)} to {milliseconds(high)}: {count:,}")
            )
    summary = (
        f"median {milliseconds(latency.p50_s)}, 99 % within {milliseconds(latency.p99_s)}, "
        f"{latency.iterations:,} iterations"
    )
    return Strip(title, summary, tuple(bars), WIDTH * axis.share(latency.p50_s))
