"""Tables of a benchmark: latency, accuracy and compilation of the drivers beside a baseline, by family of models.

:func:`build_families` makes them for ``page.py``. A family is a group of models of one architecture, such as the
quantized and the float form of a network. For each figure of accuracy, :func:`build_comparisons` makes a table of the
differences from the baseline with their confidence intervals. The chart above the tables is made by ``overview.py``;
texts and judgements of figures come from :mod:`nnvet.reports.figures`.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Comparison, Latency, Measurement
from nnvet.reports.figures import (
    FIGURES,
    STANDING_SIGNS,
    Delta,
    FigureCell,
    FigureKind,
    accuracy_state,
    baseline_of,
    by_model,
    failed_to_run,
    family_of,
    figure_cell,
    figure_kind,
    figure_name,
    figures_of,
    interval_text,
    latency_delta,
    speed_text,
    standing,
)
from nnvet.reports.html.axes import ChartAxis, Histograms, axis_of, build_histograms
from nnvet.reports.html.marks import DASH, factor_text, milliseconds, size

_MARGIN: Final = 0.04
"""Margin at both ends of the axis, as a share of its length."""
WORDS: Final = {"kept": "no worse than allowed", "worse": "worse than allowed", "undecided": "not decided"}
"""Words of a comparison's state, which :func:`nnvet.reports.figures.standing` returns."""


@dataclass(frozen=True)
class ComparisonRow:
    """A model on a driver, compared with the baseline by one figure; ``state`` is a key of :data:`WORDS`.

    ``allowed`` is the largest difference that counts as kept. ``places`` are the positions of the interval's low end,
    of the difference, of the interval's high end, and of the allowed difference, in per cent of the axis.
    """

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
        """Return the sign and the words of the state."""
        return f"{STANDING_SIGNS[self.state]} {WORDS[self.state]}"


@dataclass(frozen=True)
class ComparisonTable:
    """All comparisons by a figure, on one axis; ``zero`` is the position of no difference, in per cent of the axis.

    ``against`` names the baseline or, for figures that are compared with something else, that.
    """

    name: str
    against: str
    rows: tuple[ComparisonRow, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float


def build_comparisons(measurements: Iterable[Measurement]) -> tuple[ComparisonTable, ...]:
    """Return a table for each figure that was compared, in the order of :data:`nnvet.reports.figures.FIGURES`."""
    found: dict[str, list[tuple[Measurement, Comparison]]] = {}
    for item in measurements:
        for comparison in item.comparisons:
            found.setdefault(comparison.metric, []).append((item, comparison))
    names = sorted(found, key=lambda name: FIGURES.index(figure_kind(name)))
    return tuple(_build_table(name, found[name]) for name in names)


def _build_table(name: str, pairs: Sequence[tuple[Measurement, Comparison]]) -> ComparisonTable:
    kind = figure_kind(name)
    values = [
        value
        for _, comparison in pairs
        for value in (comparison.low, comparison.difference, comparison.high, comparison.margin)
    ]
    axis = _make_linear_axis([0.0, *filter(math.isfinite, values)])
    return ComparisonTable(
        figure_name(name),
        kind.against,
        tuple(_compare_row(item, comparison, kind, axis) for item, comparison in pairs),
        tuple((100 * axis.share(tick), kind.show_difference(tick) if tick else "0") for tick in axis.ticks(3)),
        100 * axis.share(0.0),
    )


def _make_linear_axis(values: Sequence[float]) -> ChartAxis:
    """Return a linear axis, because a logarithmic one has no zero."""
    return axis_of((min(values), 0.0, max(values)), margin=_MARGIN)


def _compare_row(item: Measurement, comparison: Comparison, kind: FigureKind, axis: ChartAxis) -> ComparisonRow:
    places = (comparison.low, comparison.difference, comparison.high, comparison.margin)
    low, middle, high, margin = (100 * axis.share(value) for value in places)
    known = all(map(math.isfinite, places))
    return ComparisonRow(
        measurement=item,
        value=kind.show(comparison.value),
        baseline=kind.show(comparison.baseline),
        difference=_show_difference(kind, comparison.difference),
        interval=_show_interval(kind, comparison) if known else DASH,
        allowed=_show_difference(kind, comparison.margin),
        examples=f"{comparison.examples:,}",
        p_value=DASH if comparison.p_value is None else f"{comparison.p_value:.2g}",
        state=standing(comparison),
        places=(low, middle, high, margin) if known else None,
    )


def _show_interval(kind: FigureKind, comparison: Comparison) -> str:
    return f"{_show_difference(kind, comparison.low)} to {_show_difference(kind, comparison.high)}"


def _show_difference(kind: FigureKind, difference: float) -> str:
    return kind.show_difference(difference) if math.isfinite(difference) else DASH


KINDS: Final = (
    ("compile_without_cache", "Without cache"),
    ("save_to_cache", "Saving to cache"),
    ("prepare_from_cache", "From cache"),
)
"""Key in the log, and title, of the three measurements of compilation; the first is the one to compare with."""


@dataclass(frozen=True)
class ResultRow:
    """Latency and accuracy of a model on a backend, as texts.

    ``interval`` are the ends of the confidence interval of ``speed``; ``delta`` compares the median with the baseline.
    """

    measurement: Measurement
    speed: str
    interval: str
    energy: str
    delta: Delta | None
    figures: tuple[FigureCell | None, ...]

    @property
    def is_failed(self) -> bool:
        """Return True if accuracy is worse than allowed."""
        return accuracy_state(self.measurement) == "worse"


@dataclass(frozen=True)
class CompilationRow:
    """Compilation of a model on a backend: for each of :data:`KINDS`, the iterations, the median and a comparison.

    ``first`` is the latency of the first inference after compilation, ``penalty`` its ratio to the median latency.
    """

    measurement: Measurement
    cells: tuple[tuple[str, str, Delta | None], ...]
    cache_size: str
    first: str
    penalty: str


@dataclass(frozen=True)
class ModelCharts:
    """The histograms of one model's latencies."""

    model: str
    histograms: Histograms


@dataclass(frozen=True)
class Family:
    """Models that are shown together, with all their tables; ``keys`` name the columns of accuracy.

    ``rows`` has a tuple for each model, with a row for each backend.
    """

    name: str
    keys: tuple[str, ...]
    rows: tuple[tuple[ResultRow, ...], ...]
    comparisons: tuple[ComparisonTable, ...]
    compilations: tuple[CompilationRow, ...]
    charts: tuple[ModelCharts, ...]

    @property
    def has_overheads(self) -> bool:
        """Return True if the harness measured its own overhead."""
        return any(row.measurement.harness_overhead_s is not None for rows in self.rows for row in rows)

    @property
    def has_energies(self) -> bool:
        """Return True if the machine reports the energy of an inference."""
        return any(row.energy for rows in self.rows for row in rows)

    @property
    def is_failed(self) -> bool:
        """Return True if one of its models did not run or is not accurate enough."""
        return any(row.is_failed or failed_to_run(row.measurement) for rows in self.rows for row in rows)


def build_families(measurements: Iterable[Measurement]) -> tuple[Family, ...]:
    """Return families by name, with models by name and baselines first."""
    families: defaultdict[str, list[list[Measurement]]] = defaultdict(list)
    for model in by_model(measurements):
        families[family_of(model[0])].append(model)
    return tuple(_build_family(name, models) for name, models in families.items())


def _build_family(name: str, models: Sequence[Sequence[Measurement]]) -> Family:
    everything = [item for model in models for item in model]
    keys = tuple(dict.fromkeys(key for item in everything for key in (*figures_of(item), *item.limits)))
    return Family(
        name=name,
        keys=keys,
        rows=tuple(_build_model_rows(model, keys) for model in models),
        comparisons=build_comparisons(everything),
        compilations=tuple(
            _build_compilation(item) for item in everything if item.compilation or item.first_inference_s is not None
        ),
        charts=tuple(charts for model in models for charts in _build_model_charts(model)),
    )


def _build_model_rows(model: Sequence[Measurement], keys: Sequence[str]) -> tuple[ResultRow, ...]:
    baseline = baseline_of(model)
    return tuple(_build_result(item, None if item is baseline else baseline, keys) for item in model)


def _build_result(item: Measurement, baseline: Measurement | None, keys: Sequence[str]) -> ResultRow:
    return ResultRow(
        measurement=item,
        speed=speed_text(item, baseline),
        interval=interval_text(item, baseline),
        energy="" if item.energy_j is None else f"{item.energy_j * 1e3:.4g} mJ",
        delta=None if item.is_under_load else latency_delta(item.latency, baseline.latency if baseline else None),
        figures=tuple(figure_cell(key, item, baseline) for key in keys),
    )


def _build_compilation(item: Measurement) -> CompilationRow:
    without = item.compilation.get(KINDS[0][0])
    cells = tuple(_build_compilation_cell(item.compilation.get(kind), without) for kind, _ in KINDS)
    count = item.compilation_cache_size_bytes
    first, median = item.first_inference_s, item.latency.p50_s if item.latency else 0.0
    return CompilationRow(
        item,
        cells,
        size(count) if count else DASH,
        DASH if first is None else milliseconds(first),
        "" if first is None or not median else factor_text(first / median),
    )


def _build_compilation_cell(latency: Latency | None, without_cache: Latency | None) -> tuple[str, str, Delta | None]:
    if latency is None or not latency.iterations:
        return DASH, DASH, None
    delta = None if latency is without_cache else latency_delta(latency, without_cache)
    return f"{latency.iterations:,}", milliseconds(latency.p50_s), delta


def _build_model_charts(model: Sequence[Measurement]) -> tuple[ModelCharts, ...]:
    histograms = build_histograms({item.backend: item.latency for item in model if item.latency})
    return (ModelCharts(model[0].model, histograms),) if histograms else ()
