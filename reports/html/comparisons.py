"""Accuracy beside the baseline: differences with their confidence intervals, figure by figure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Comparison, Measurement
from nnvet.reports.figures import FIGURES, FigureKind, figure_kind, figure_name
from nnvet.reports.html.axes import ChartAxis, axis_of
from nnvet.reports.html.marks import DASH
from nnvet.reports.standings import STANDING_SIGNS, standing

_MARGIN: Final = 0.04
WORDS: Final = {"kept": "no worse than allowed", "worse": "worse than allowed", "undecided": "not decided"}


@dataclass(frozen=True)
class ComparisonRow:
    """One model on one driver. ``places`` of low end, difference, high end and margin are in per cent of the axis."""

    measurement: Measurement
    value: str
    baseline: str
    difference: str
    interval: str
    allowed: str
    examples: str
    p_value: str
    state: str
    places: tuple[float, float, float, float] | None

    @property
    def verdict(self) -> str:
        """The state with a sign and in words."""
        return f"{STANDING_SIGNS[self.state]} {WORDS[self.state]}"


@dataclass(frozen=True)
class ComparisonTable:
    """All comparisons of one figure on one axis; ``zero`` is where there is no difference, in per cent."""

    name: str
    against: str
    rows: tuple[ComparisonRow, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float


def build_comparisons(measurements: Iterable[Measurement]) -> tuple[ComparisonTable, ...]:
    """A table for each figure that was compared, the one that says most first."""
    found: dict[str, list[tuple[Measurement, Comparison]]] = {}
    for item in measurements:
        for comparison in item.comparisons:
            found.setdefault(comparison.metric, []).append((item, comparison))
    names = sorted(found, key=lambda name: FIGURES.index(figure_kind(name)))
    return tuple(_table(name, found[name]) for name in names)


def _table(name: str, pairs: Sequence[tuple[Measurement, Comparison]]) -> ComparisonTable:
    kind = figure_kind(name)
    values = [
        value
        for _, comparison in pairs
        for value in (comparison.low, comparison.difference, comparison.high, comparison.margin)
    ]
    axis = _linear([0.0, *filter(math.isfinite, values)])
    return ComparisonTable(
        figure_name(name),
        kind.against,
        tuple(_row(item, comparison, kind, axis) for item, comparison in pairs),
        tuple((100 * axis.share(tick), kind.show_difference(tick) if tick else "0") for tick in axis.ticks(3)),
        100 * axis.share(0.0),
    )


def _linear(values: Sequence[float]) -> ChartAxis:
    """Zero is on it, which no logarithmic axis has."""
    return axis_of((min(values), 0.0, max(values)), margin=_MARGIN)


def _row(item: Measurement, comparison: Comparison, kind: FigureKind, axis: ChartAxis) -> ComparisonRow:
    places = (comparison.low, comparison.difference, comparison.high, comparison.margin)
    low, middle, high, margin = (100 * axis.share(value) for value in places)
    known = all(map(math.isfinite, places))
    return ComparisonRow(
        measurement=item,
        value=kind.show(comparison.value),
        baseline=kind.show(comparison.baseline),
        difference=_gap(kind, comparison.difference),
        interval=f"{_gap(kind, comparison.low)} to {_gap(kind, comparison.high)}" if known else DASH,
        allowed=_gap(kind, comparison.margin),
        examples=f"{comparison.examples:,}",
        p_value=DASH if comparison.p_value is None else f"{comparison.p_value:.2g}",
        state=standing(comparison),
        places=(low, middle, high, margin) if known else None,
    )


def _gap(kind: FigureKind, difference: float) -> str:
    return kind.show_difference(difference) if math.isfinite(difference) else DASH
