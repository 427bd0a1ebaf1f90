"""Benchmarks as tables: accuracy and latency of the drivers beside a baseline, by family of models."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.bench_table import interval_text, speed_text
from nnvet.reports.events import Latency, Measurement
from nnvet.reports.figures import (
    Delta,
    FigureCell,
    baseline_of,
    by_model,
    failed_to_run,
    family_of,
    figure_cell,
    figures_of,
    latency_delta,
)
from nnvet.reports.html.comparisons import ComparisonTable, build_comparisons
from nnvet.reports.html.histograms import Histograms, build_histograms
from nnvet.reports.html.marks import DASH, factor_text, milliseconds, size
from nnvet.reports.standings import accuracy_state

KINDS: Final = (
    ("compile_without_cache", "Without cache"),
    ("save_to_cache", "Saving to cache"),
    ("prepare_from_cache", "From cache"),
)


@dataclass(frozen=True)
class ResultRow:
    """One model on one backend: ``speed`` is in words, ``interval`` the ends of its confidence interval."""

    measurement: Measurement
    speed: str
    interval: str
    energy: str
    delta: Delta | None
    figures: tuple[FigureCell | None, ...]

    @property
    def is_failed(self) -> bool:
        """True if accuracy is worse than allowed."""
        return accuracy_state(self.measurement) == "worse"


@dataclass(frozen=True)
class CompilationRow:
    """Compilation of one model on one backend: iterations, median and difference to compiling without cache.

    ``first`` is the first inference after it, ``penalty`` that by the median of all.
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
    """Models that are shown together; ``keys`` head the columns of accuracy."""

    name: str
    keys: tuple[str, ...]
    rows: tuple[tuple[ResultRow, ...], ...]
    comparisons: tuple[ComparisonTable, ...]
    compilations: tuple[CompilationRow, ...]
    charts: tuple[ModelCharts, ...]

    @property
    def has_overheads(self) -> bool:
        """True if the harness measured itself."""
        return any(row.measurement.harness_overhead_s is not None for rows in self.rows for row in rows)

    @property
    def has_energies(self) -> bool:
        """True if the machine reports the energy of an inference."""
        return any(row.energy for rows in self.rows for row in rows)

    @property
    def is_failed(self) -> bool:
        """True if a model of it did not run or is not accurate enough."""
        return any(row.is_failed or failed_to_run(row.measurement) for rows in self.rows for row in rows)


def build_families(measurements: Iterable[Measurement]) -> tuple[Family, ...]:
    """Families by name, models by name, baselines first."""
    families: defaultdict[str, list[list[Measurement]]] = defaultdict(list)
    for model in by_model(measurements):
        families[family_of(model[0])].append(model)
    return tuple(_family(name, models) for name, models in families.items())


def _family(name: str, models: Sequence[Sequence[Measurement]]) -> Family:
    everything = [item for model in models for item in model]
    keys = tuple(dict.fromkeys(key for item in everything for key in (*figures_of(item), *item.limits)))
    return Family(
        name=name,
        keys=keys,
        rows=tuple(_model_rows(model, keys) for model in models),
        comparisons=build_comparisons(everything),
        compilations=tuple(
            _compilation(item) for item in everything if item.compilation or item.first_inference_s is not None
        ),
        charts=tuple(charts for model in models for charts in _model_charts(model)),
    )


def _model_rows(model: Sequence[Measurement], keys: Sequence[str]) -> tuple[ResultRow, ...]:
    baseline = baseline_of(model)
    return tuple(_result(item, None if item is baseline else baseline, keys) for item in model)


def _result(item: Measurement, baseline: Measurement | None, keys: Sequence[str]) -> ResultRow:
    return ResultRow(
        measurement=item,
        speed=speed_text(item, baseline),
        interval=interval_text(item, baseline),
        energy="" if item.energy_j is None else f"{item.energy_j * 1e3:.4g} mJ",
        delta=None if item.is_under_load else latency_delta(item.latency, baseline.latency if baseline else None),
        figures=tuple(figure_cell(key, item, baseline) for key in keys),
    )


def _compilation(item: Measurement) -> CompilationRow:
    without = item.compilation.get(KINDS[0][0])
    cells = tuple(_compilation_cell(item.compilation.get(kind), without) for kind, _ in KINDS)
    count = item.compilation_cache_size_bytes
    first, median = item.first_inference_s, item.latency.p50_s if item.latency else 0.0
    return CompilationRow(
        item,
        cells,
        size(count) if count else DASH,
        DASH if first is None else milliseconds(first),
        "" if first is None or not median else factor_text(first / median),
    )


def _compilation_cell(latency: Latency | None, without_cache: Latency | None) -> tuple[str, str, Delta | None]:
    if latency is None or not latency.iterations:
        return DASH, DASH, None
    delta = None if latency is without_cache else latency_delta(latency, without_cache)
    return f"{latency.iterations:,}", milliseconds(latency.p50_s), delta


def _model_charts(model: Sequence[Measurement]) -> tuple[ModelCharts, ...]:
    histograms = build_histograms({item.backend: item.latency for item in model if item.latency})
    return (ModelCharts(model[0].model, histograms),) if histograms else ()
