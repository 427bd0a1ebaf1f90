"""Latency histograms as the geometry of small SVG charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Latency
from nnvet.reports.html.marks import milliseconds

WIDTH: Final = 320.0
HEIGHT: Final = 96.0
GAP: Final = 0.6
SHARED_RANGE_LIMIT: Final = 12.0
"""Ranges that differ by more than this factor get axes of their own, as one chart would be a single line."""


@dataclass(frozen=True)
class Bar:
    """A rectangle in chart units; ``label`` is read out and shown on hovering."""

    x: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Chart:
    """One histogram; ``ticks`` are positions and labels along the axis, ``median`` a position."""

    title: str
    summary: str
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    median: float
    has_own_axis: bool


@dataclass(frozen=True)
class _Axis:
    start: float
    end: float

    def x(self, seconds: float) -> float:
        """Position of a latency; a range of zero width is the middle."""
        span = self.end - self.start
        return WIDTH * (seconds - self.start) / span if span else WIDTH / 2


def build_charts(series: Mapping[str, Latency]) -> tuple[Chart, ...]:
    """A chart for each series that has iterations, on one common axis where that leaves all of them legible."""
    measured = {title: latency for title, latency in series.items() if latency.iterations}
    axes = {title: _axis(latency) for title, latency in measured.items()}
    if not axes:
        return ()
    common = _Axis(min(axis.start for axis in axes.values()), max(axis.end for axis in axes.values()))
    spans = [axis.end - axis.start for axis in axes.values() if axis.end > axis.start]
    is_shared = not spans or common.end - common.start <= SHARED_RANGE_LIMIT * min(spans)
    return tuple(
        _chart(title, latency, common if is_shared else axes[title], has_own_axis=not is_shared)
        for title, latency in measured.items()
    )


def _axis(latency: Latency) -> _Axis:
    histogram = latency.histogram
    return _Axis(histogram.start_s, histogram.start_s + len(histogram.counts) * histogram.step_s)


def _chart(title: str, latency: Latency, axis: _Axis, *, has_own_axis: bool) -> Chart:
    histogram = latency.histogram
    highest = max(histogram.counts, default=0) or 1
    bars = []
    for index, count in enumerate(histogram.counts):
        if count:
            low, high = (histogram.start_s + (index + side) * histogram.step_s for side in (0, 1))
            width = max(axis.x(high) - axis.x(low) - GAP, 1.0) if histogram.step_s else WIDTH / 16
            x = axis.x(low) - (0.0 if histogram.step_s else width / 2)
            label = f"{milliseconds(low)} to {milliseconds(high)}: {count}"
            bars.append(Bar(x, width, HEIGHT * count / highest, label))
    middle = (axis.start + axis.end) / 2
    ticks = (axis.start, middle, axis.end) if axis.end > axis.start else (middle,)
    return Chart(
        title=title,
        summary=f"{latency.iterations} iterations, median {milliseconds(latency.p50_s)}, "
        f"99 % within {milliseconds(latency.p99_s)}",
        bars=tuple(bars),
        ticks=tuple((axis.x(tick), milliseconds(tick)) for tick in ticks),
        median=axis.x(latency.p50_s),
        has_own_axis=has_own_axis,
    )
