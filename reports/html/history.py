"""The page of a history: verdicts, latency and accuracy run by run, and the runs in which each failure occurred.

:func:`write_history` writes the page for ``nnvet history``; :func:`view_series` gives ``page.py`` the same charts for
the chapter History of a run's own report. :mod:`nnvet.reports.history` reads and writes the file of a history, and
:mod:`nnvet.reports.series` sorts its runs into series of the same driver and selection.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.reports.events import Verdict
from nnvet.reports.figures import figure_kind, figure_name, leading_figure
from nnvet.reports.files import replace_file
from nnvet.reports.history import History, HistoryError, ModelFigures, RunFacts
from nnvet.reports.html.axes import HEIGHT, WIDTH
from nnvet.reports.html.environment import environment
from nnvet.reports.html.marks import DASH, css_class, milliseconds
from nnvet.reports.series import Life, RunSeries, series_of
from nnvet.reports.values import real_text

PAGE: Final = "history.html"
"""Name of the page's file."""
SHOWN: Final = 60
"""Most runs of a series on the page, the last ones; more columns would be too narrow to be hit by the mouse."""

LISTED: Final = 300
"""Most failures of a series that are listed, open ones and the latest first."""

LOG_FROM: Final = 8.0
"""Ratio of the largest to the smallest figure from which an axis is logarithmic; linear ones show changes better."""

_GAP: Final = 0.15
"""Distance between columns as a share of their distance from centre to centre."""
_WIDEST: Final = 24.0
"""Largest width of a column in chart units, for series of a few runs."""
_EDGE: Final = 4.0
"""Distance in chart units of points from the upper and lower edge, so that they are wholly visible."""
_STATES: Final = {
    "x": ("fault", "failed"),
    "w": ("waived", "waived"),
    ".": ("gone", "not there"),
    "?": ("unknown", "run cut short, or of other models"),
}
"""CSS class and words for the state of a failure in a run, by the letters of :class:`nnvet.reports.series.Life`."""


@dataclass(frozen=True)
class TrendMark:
    """A column or a point of a chart, in chart units; ``label`` is shown on hovering."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class TrendChart:
    """Figures of one kind, run by run, as columns of the given ``width`` or as points that ``lines`` join.

    ``low`` and ``high`` are the ends of the axis in words; ``summary`` describes the chart in a sentence.
    """

    title: str
    css: str
    marks: tuple[TrendMark, ...]
    width: float
    lines: tuple[str, ...]
    low: str
    high: str
    is_log: bool
    summary: str


@dataclass(frozen=True)
class FaultRow:
    """A failure over the runs: the ``periods`` in which it occurred, and a CSS class and a label for each run."""

    life: Life
    periods: tuple[str, ...]
    states: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SeriesView:
    """Contents of the section of a series; ``models`` has a text for each run, by model.

    ``left_out`` is the number of earlier runs that are not shown.
    """

    series: RunSeries
    left_out: int
    verdicts: tuple[Verdict, ...]
    verdict_charts: tuple[TrendChart, ...]
    latency_charts: tuple[TrendChart, ...]
    accuracy_charts: tuple[TrendChart, ...]
    models: tuple[tuple[str, tuple[str, ...]], ...]
    faults: tuple[FaultRow, ...]
    link: str
    legend: tuple[tuple[str, str], ...] = tuple(_STATES.values())

    @property
    def open(self) -> int:
        """Return the number of faults of the last run that no waiver excuses."""
        return sum(not fault.is_waived for fault in self.series.last.faults.values())


def write_history(history: History, out: Path) -> Path:
    """Write the page of a history into a folder, and return the path of the page.

    :raises HistoryError: the page cannot be written.
    """
    page = out / PAGE
    try:
        out.mkdir(parents=True, exist_ok=True)
        replace_file(page, render_history(history))
    except OSError as error:
        raise HistoryError(f"{page}: cannot be written ({error.strerror or error})") from error
    return page


def render_history(history: History) -> str:
    """Return a self-contained page of all runs, with a section for each driver and selection."""
    found = series_of(history.runs)
    names = Counter(series.last.driver for series in found)
    views = [
        view_series(series, series.last.driver if names[series.last.driver] == 1 else series.title) for series in found
    ]
    return environment().get_template("history.html.j2").render(history=history, views=views)


def view_series(whole: RunSeries, link: str) -> SeriesView:
    """Return the charts and tables of a series; ``link`` is the text of the link to its section."""
    runs = whole.runs[-SHOWN:]
    verdicts = tuple(verdict for verdict in Verdict if any(run.counts.get(verdict) for run in runs))
    models = sorted({model for run in runs for model in run.models})
    return SeriesView(
        series=whole,
        left_out=len(whole.runs) - len(runs),
        verdicts=verdicts,
        verdict_charts=tuple(_draw_columns(verdict, runs) for verdict in verdicts),
        latency_charts=tuple(chart for model in models if (chart := _draw_latency(model, runs))),
        accuracy_charts=tuple(chart for model in models if (chart := _draw_accuracy(model, runs))),
        models=tuple((model, tuple(_show_figures(run.models.get(model)) for run in runs)) for model in models),
        faults=tuple(_view_fault(life, whole.runs, len(runs)) for life in whole.lives[:LISTED]),
        link=link,
    )


def _draw_columns(verdict: Verdict, runs: Sequence[RunFacts]) -> TrendChart:
    """Return the chart of the cases with a verdict: a column for each run, from zero up."""
    counts = [run.counts.get(verdict, 0) for run in runs]
    highest = max(counts)
    step = WIDTH / len(runs)
    width = min(step * (1 - _GAP), _WIDEST)
    marks = tuple(
        TrendMark((place + 0.5) * step - width / 2, HEIGHT * count / highest, f"{run.date}: {count:,} {verdict}")
        for place, (run, count) in enumerate(zip(runs, counts, strict=True))
    )
    summary = f"{verdict}: {counts[0]:,} in the first run shown, {counts[-1]:,} in the last, at most {highest:,}"
    return TrendChart(
        verdict.replace("_", " "),
        css_class(verdict),
        marks,
        width,
        (),
        "0",
        f"{highest:,}",
        is_log=False,
        summary=summary,
    )


def _draw_latency(model: str, runs: Sequence[RunFacts]) -> TrendChart | None:
    """Return the chart of a model's median latencies; None if no run has one."""
    medians = [run.models[model].median_s if model in run.models else None for run in runs]
    return _draw_line((model, f"{model}: median"), medians, runs, milliseconds, _choose_axis)


def _draw_accuracy(model: str, runs: Sequence[RunFacts]) -> TrendChart | None:
    """Return the chart of a model's leading figure of accuracy; None if no run has a figure of accuracy."""
    figures = [run.models[model].accuracy if model in run.models else {} for run in runs]
    key = leading_figure(next((figure for figure in reversed(figures) if figure), {}))
    if key is None:
        return None
    values = [figure.get(key) for figure in figures]
    numbers = [value if value is not None and math.isfinite(value) else None for value in values]
    title = f"{model}: {figure_name(key)}"
    return _draw_line((title, title), numbers, runs, figure_kind(key).show_briefly, _choose_close_axis)


def _draw_line(
    names: tuple[str, str],
    values: Sequence[float | None],
    runs: Sequence[RunFacts],
    show: Callable[[float], str],
    axis_of: Callable[[Sequence[float]], tuple[float, float, bool]],
) -> TrendChart | None:
    """Return a chart with a point for each run that has a value; None if no run has one.

    ``names`` are the title of the chart and the beginning of its summary.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, high, is_log = axis_of(known)
    height = _make_scale(low, high, is_log=is_log)
    step = WIDTH / len(runs)
    places = {
        place: ((place + 0.5) * step, HEIGHT - height(value)) for place, value in enumerate(values) if value is not None
    }
    marks = tuple(
        TrendMark(x, y, f"{runs[place].date}: {show(values[place] or 0.0)}") for place, (x, y) in places.items()
    )
    extremes = f"between {show(min(known))} and {show(max(known))}"
    title, name = names
    summary = f"{name} {show(known[0])} in the first run measured, {show(known[-1])} in the last, {extremes}"
    bottom = show(low) if low or axis_of is _choose_close_axis else "0"
    return TrendChart(
        title, "", marks, 0.0, tuple(_join_points(places)), bottom, show(high), is_log=is_log, summary=summary
    )


def _choose_axis(values: Sequence[float]) -> tuple[float, float, bool]:
    """Return the ends of the axis, and True if it is logarithmic; a linear one begins at zero."""
    low, high = min(values), max(values)
    return (low, high, True) if 0 < low * LOG_FROM <= high else (0.0, high, False)


def _choose_close_axis(values: Sequence[float]) -> tuple[float, float, bool]:
    """Return the ends of an axis that shows small changes: the smallest and the largest value."""
    return min(values), max(values), False


def _make_scale(low: float, high: float, *, is_log: bool) -> Callable[[float], float]:
    """Return a function that maps a figure to its height in a chart, with a margin at both ends."""
    span = HEIGHT - 2 * _EDGE
    if is_log:
        return lambda value: _EDGE + span * math.log(value / low) / math.log(high / low)
    return lambda value: _EDGE + (span * (value - low) / (high - low) if high > low else span / 2)


def _join_points(places: dict[int, tuple[float, float]]) -> list[str]:
    """Return the corners of the lines; there is a line for each sequence of runs without a gap."""
    rows: list[list[str]] = []
    for place, (x, y) in places.items():
        if place - 1 not in places:
            rows.append([])
        rows[-1].append(f"{x:.1f},{y:.1f}")
    return [" ".join(row) for row in rows]


def _show_figures(measured: ModelFigures | None) -> str:
    if measured is None:
        return DASH
    median = "not run" if measured.median_s is None else milliseconds(measured.median_s)
    accuracy = [f"{key.replace('_', ' ')} {_show_figure(value)}" for key, value in measured.accuracy.items()]
    return ", ".join([median, *accuracy])


def _show_figure(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else real_text(value)


def _view_fault(life: Life, runs: Sequence[RunFacts], shown: int) -> FaultRow:
    spans = [(runs[first].date, runs[last].date, last == len(runs) - 1) for first, last in life.spans]
    periods = (_show_period(first, last, is_open=is_open) for first, last, is_open in spans)
    return FaultRow(
        life,
        tuple(dict.fromkeys(periods)),
        tuple(
            (_STATES[state][0], f"{run.date}: {_STATES[state][1]}") for state, run in _take_recent(life, runs, shown)
        ),
    )


def _show_period(first: str, last: str, *, is_open: bool) -> str:
    if is_open:
        return f"since {first}"
    return first if first == last else f"{first} to {last}"


def _take_recent(life: Life, runs: Sequence[RunFacts], shown: int) -> list[tuple[str, RunFacts]]:
    return list(zip(life.states, runs, strict=True))[-shown:]
