"""Axes of SVG charts, and histograms of latencies that stand on them.

:func:`axis_of` chooses a linear or logarithmic axis for values; :class:`ChartAxis` gives the position of a value and
ticks at round numbers. ``overview``, ``performance`` and ``measuring`` draw with it. :func:`build_histograms` computes
the bars of a model's latencies, on one axis for all backends. Charts over many runs have their own, simpler axes in
:mod:`nnvet.reports.html.history`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Latency
from nnvet.reports.html.marks import milliseconds

LOG_FROM: Final = 3.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic; chosen by eye."""

_CLOSEST: Final = 0.75
"""Least distance of ticks whose labels do not overlap, relative to the distance of evenly spread ``most`` ticks."""
_FEWEST: Final = 2
"""Least number of logarithmic ticks that show a scale; an axis with fewer gets linear ticks."""
_STEPS: Final = (1, 2, 5)
"""First digits of the numbers that count as round."""


@dataclass(frozen=True)
class ChartAxis:
    """An axis from ``low`` to ``high``; if its width is zero, all values lie in its middle."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """Return the position of ``value``: 0 at the low end, 1 at the high one.

        Values beyond an end are moved to it.
        """
        if self.high <= self.low:
            return 0.5
        value = min(max(value, self.low), self.high)
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 6) -> tuple[float, ...]:
        """Return round numbers within the axis, at most about ``most`` and not too close together.

        Without a round number the only tick is the middle of the axis.
        """
        found = _choose_log_ticks(self, most) if self.is_log else []
        if len(found) < _FEWEST:
            found = _choose_linear_ticks(self, most)
        kept: list[float] = []
        for tick in found:
            if not kept or self.share(tick) - self.share(kept[-1]) >= _CLOSEST / most:
                kept.append(tick)
        return tuple(kept) or ((self.low + self.high) / 2,)


def axis_of(values: Iterable[float], *, margin: float = 0.0) -> ChartAxis:
    """Return an axis for all values; it is logarithmic if they are positive and their ratio is :data:`LOG_FROM`.

    ``margin`` is added at both ends, as a share of the length.

    :raises ValueError: there are no values.
    """
    known = list(values)
    low, high = min(known), max(known)
    if 0 < low * LOG_FROM <= high:
        factor = (high / low) ** margin
        return ChartAxis(low / factor, high * factor, is_log=True)
    extra = (high - low) * margin
    return ChartAxis(low - extra, high + extra)


def _choose_log_ticks(axis: ChartAxis, most: int) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten on the axis; fewer if these are more than ``most``.

    The next choices are 1 and 5 times each power, each power, every second power, and so on.
    """
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    choices: list[Sequence[float]] = [
        [step * 10.0**power for power in range(first, last + 1) for step in steps] for steps in (_STEPS, (1, 5), (1,))
    ]
    choices += [[10.0**power for power in range(first, last + 1, every)] for every in range(2, last - first + 2)]
    inside = ([tick for tick in ticks if axis.low <= tick <= axis.high] for ticks in choices)
    return next((ticks for ticks in inside if len(ticks) <= most), [])


def _choose_linear_ticks(axis: ChartAxis, most: int) -> list[float]:
    """Return the multiples of a step: the smallest of 1, 2 or 5 times a power of ten with at most ``most`` of them."""
    span = axis.high - axis.low
    if not span > 0:
        return []
    power = math.floor(math.log10(span / most))
    steps = (factor * 10.0**exponent for exponent in (power, power + 1, power + 2) for factor in _STEPS)
    for step in steps:
        first, last = math.ceil(axis.low / step), math.floor(axis.high / step)
        if last - first < most:
            return [number * step for number in range(first, last + 1)]
    return []


WIDTH: Final = 320.0
"""Width of charts in chart units, which the page stretches to the width that it has."""
HEIGHT: Final = 96.0
"""Height of charts in chart units; a histogram is lower."""

STRIP: Final = 34.0
"""Height of a histogram in chart units; low, because those of several backends stand below each other."""
_NARROWEST: Final = 1.5
"""Least width of a bar in chart units, so that single values remain visible."""
_GAP: Final = 0.6
"""Distance between bars in chart units."""


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram in chart units; ``label`` is shown on hovering."""

    x: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Strip:
    """The histogram of a backend; ``median`` is a position on the axis, ``summary`` the latencies in words."""

    title: str
    summary: str
    bars: tuple[Bar, ...]
    median: float


@dataclass(frozen=True)
class Histograms:
    """Histograms below each other; ``ticks`` are positions and labels along their axis."""

    strips: tuple[Strip, ...]
    ticks: tuple[tuple[float, str], ...]
    is_log: bool


def build_histograms(series: Mapping[str, Latency]) -> Histograms | None:
    """Return a histogram for each latency with iterations, by title, on a common axis; None if none has any."""
    measured = {title: latency for title, latency in series.items() if latency.iterations}
    if not measured:
        return None
    axis = axis_of(end for latency in measured.values() for end in _find_ends(latency))
    return Histograms(
        tuple(_build_strip(title, latency, axis) for title, latency in measured.items()),
        tuple((WIDTH * axis.share(tick), milliseconds(tick)) for tick in axis.ticks(4)),
        axis.is_log,
    )


def _find_ends(latency: Latency) -> tuple[float, float]:
    histogram = latency.histogram
    return histogram.start_s, histogram.start_s + len(histogram.counts) * histogram.step_s


def _build_strip(title: str, latency: Latency, axis: ChartAxis) -> Strip:
    histogram = latency.histogram
    highest = max(histogram.counts, default=0) or 1
    bars = []
    for index, count in enumerate(histogram.counts):
        if count:
            low, high = (histogram.start_s + (index + side) * histogram.step_s for side in (0, 1))
            left, right = WIDTH * axis.share(low), WIDTH * axis.share(high)
            width = max(right - left - _GAP, _NARROWEST)
            # A step of 0 means that all latencies are equal: the bar is centred on the only value.
            x = min(max(left, 0.0), WIDTH - width) if histogram.step_s else left - width / 2
            bars.append(
                Bar(x, width, STRIP * count / highest, f"{milliseconds(low)} to {milliseconds(high)}: {count:,}")
            )
    summary = (
        f"median {milliseconds(latency.p50_s)}, 99 % within {milliseconds(latency.p99_s)}, "
        f"{latency.iterations:,} iterations"
    )
    return Strip(title, summary, tuple(bars), WIDTH * axis.share(latency.p50_s))
