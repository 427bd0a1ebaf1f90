"""Benchmarks as tables: accuracy and latency of the driver beside a baseline."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Latency, Limit, Measurement
from nnvet.reports.html.histograms import Chart, build_charts
from nnvet.reports.html.marks import DASH, TIMES, milliseconds, size
from nnvet.reports.values import real_text

FAMILIES: Final = (
    (r"mobilenet_v1.*quant", "MobileNet v1 Quantized"),
    (r"mobilenet_v1", "MobileNet v1 Float"),
    (r"mobilenet_v2.*quant", "MobileNet v2 Quantized"),
    (r"mobilenet_v2", "MobileNet v2 Float"),
    (r"mobilenet_v3.*uint8", "MobileNet v3 Quantized"),
    (r"mobilenet_v3", "MobileNet v3 Float"),
    (r"tts", "LSTM Text-to-speech"),
    (r"asr", "LSTM Automatic Speech Recognition"),
)
"""First match from the start of the model's name; a model without a match is a family of its own."""

SAME_LATENCY_PERCENT: Final = 1.0
KINDS: Final = (
    ("compile_without_cache", "Without cache"),
    ("save_to_cache", "Saving to cache"),
    ("prepare_from_cache", "From cache"),
)


def _percent(value: float) -> str:
    return f"{value * 100:.3f} %"


def _plain_percent(value: float) -> str:
    return f"{value:.3f} %"


def _four_digits(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else real_text(value)


@dataclass(frozen=True)
class _Figure:
    """How figures whose key begins with ``prefix`` are read. ``good`` is +1 where more is better, 0 if unknown.

    Differences below ``same`` (in shown units, ``scale`` times the value) count as none.
    """

    prefix: str
    show: Callable[[float], str]
    good: int
    scale: float = 1.0
    same: float = 1.0
    unit: str = ""


FIGURES: Final = (
    _Figure("top_", _percent, good=1, scale=100.0, unit=" pp"),
    _Figure("max_phone_error_rate", _plain_percent, good=-1, unit=" pp"),
    _Figure("max_", _four_digits, good=-1),
    _Figure("mean_square_error", _four_digits, good=-1),
    _Figure("", real_text, good=0),
)


@dataclass(frozen=True)
class Delta:
    """A difference from the baseline; ``quality`` is better, same, worse or other (no direction is good)."""

    text: str
    quality: str


@dataclass(frozen=True)
class FigureCell:
    """An accuracy figure; ``limit`` is a bound in words and ``holds`` whether it is kept."""

    text: str
    delta: Delta | None = None
    limit: str = ""
    holds: bool = True


@dataclass(frozen=True)
class ResultRow:
    """One model on one backend."""

    measurement: Measurement
    ratio: str
    delta: Delta | None
    figures: tuple[FigureCell | None, ...]

    @property
    def is_failed(self) -> bool:
        """Whether accuracy is outside its limits, by what the evaluator says or the figures show."""
        return bool(self.measurement.validation_errors) or any(cell and not cell.holds for cell in self.figures)


@dataclass(frozen=True)
class CompilationRow:
    """Compilation of one model on one backend: iterations, mean and difference to compiling without cache."""

    measurement: Measurement
    cells: tuple[tuple[str, str, Delta | None], ...]
    cache_size: str


@dataclass(frozen=True)
class ModelCharts:
    """The histograms of one model's latencies."""

    model: str
    charts: tuple[Chart, ...]


@dataclass(frozen=True)
class Family:
    """Models that are shown together; ``keys`` head the columns of accuracy."""

    name: str
    keys: tuple[str, ...]
    rows: tuple[tuple[ResultRow, ...], ...]
    compilations: tuple[CompilationRow, ...]
    charts: tuple[ModelCharts, ...]


def build_families(measurements: Iterable[Measurement]) -> tuple[Family, ...]:
    """Families by name, models by name, baselines first."""
    families: defaultdict[str, defaultdict[str, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    for item in sorted(measurements, key=lambda item: (item.model, not item.is_baseline, item.backend)):
        families[family_of(item.model)][item.model].append(item)
    return tuple(_family(name, list(models.values())) for name, models in sorted(families.items()))


def family_of(model: str) -> str:
    """Name of the family that a model is shown with; its own if it belongs to none."""
    return next((name for pattern, name in FAMILIES if re.match(pattern, model)), model)


def _family(name: str, models: Sequence[Sequence[Measurement]]) -> Family:
    everything = [item for model in models for item in model]
    keys = tuple(dict.fromkeys(key for item in everything for key in (*figures_of(item), *item.limits)))
    return Family(
        name=name,
        keys=keys,
        rows=tuple(_model_rows(model, keys) for model in models),
        compilations=tuple(_compilation(item) for item in everything if item.compilation),
        charts=tuple(charts for model in models for charts in _model_charts(model)),
    )


def figures_of(item: Measurement) -> dict[str, float]:
    """All accuracy figures of a measurement: the evaluator's, then the errors against golden outputs."""
    errors = {"max_single_error": item.max_single_error, "mean_square_error": item.mean_square_error}
    return item.accuracy | {key: value for key, value in errors.items() if value is not None}


def _model_rows(model: Sequence[Measurement], keys: Sequence[str]) -> tuple[ResultRow, ...]:
    baseline = next((item for item in model if item.is_baseline), None)
    return tuple(_result(item, None if item is baseline else baseline, keys) for item in model)


def _result(item: Measurement, baseline: Measurement | None, keys: Sequence[str]) -> ResultRow:
    reference = baseline.latency if baseline else None
    is_comparable = bool(reference and reference.mean_s and item.latency and item.latency.mean_s)
    ratio = (
        f"{reference.mean_s / item.latency.mean_s:.2f}{TIMES}" if is_comparable and reference and item.latency else ""
    )
    return ResultRow(
        measurement=item,
        ratio=ratio,
        delta=latency_delta(item.latency, reference),
        figures=tuple(_figure(key, item, baseline) for key in keys),
    )


def latency_delta(latency: Latency | None, reference: Latency | None) -> Delta | None:
    """Difference of the means, absolute and relative to ``reference``; None where there is nothing to compare."""
    if latency is None or reference is None or not (latency.iterations and reference.mean_s):
        return None
    percent = (latency.mean_s / reference.mean_s - 1) * 100
    quality = _quality(percent, SAME_LATENCY_PERCENT, good=-1)
    return Delta(f"{percent:+.1f} %", quality)


def _figure(key: str, item: Measurement, baseline: Measurement | None) -> FigureCell | None:
    value, limit = figures_of(item).get(key), item.limits.get(key)
    if value is None:
        return FigureCell("missing", limit=_limit_text(key, limit), holds=False) if limit else None
    figure = _figure_kind(key)
    reference = figures_of(baseline).get(key) if baseline else None
    delta = None
    if reference is not None:
        difference = (value - reference) * figure.scale
        delta = Delta(f"{difference:+.3g}{figure.unit}", _quality(difference, figure.same, figure.good))
    return FigureCell(figure.show(value), delta, _limit_text(key, limit), limit is None or limit.holds(value))


def _figure_kind(key: str) -> _Figure:
    return next(figure for figure in FIGURES if key.startswith(figure.prefix))


def _limit_text(key: str, limit: Limit | None) -> str:
    if limit is None:
        return ""
    show = _figure_kind(key).show
    bounds = (("≥", limit.at_least), ("≤", limit.at_most))
    return " and ".join(f"{sign} {show(bound)}" for sign, bound in bounds if bound is not None)


def _quality(difference: float, same: float, good: int) -> str:
    if abs(difference) < same:
        return "same"
    if not good or math.isnan(difference):
        return "other"
    return "better" if difference * good > 0 else "worse"


def _compilation(item: Measurement) -> CompilationRow:
    without = item.compilation.get(KINDS[0][0])
    cells = tuple(_compilation_cell(item.compilation.get(kind), without) for kind, _ in KINDS)
    count = item.compilation_cache_size_bytes
    return CompilationRow(item, cells, size(count) if count else DASH)


def _compilation_cell(latency: Latency | None, without_cache: Latency | None) -> tuple[str, str, Delta | None]:
    if latency is None or not latency.iterations:
        return DASH, DASH, None
    delta = None if latency is without_cache else latency_delta(latency, without_cache)
    return f"{latency.iterations:,}", milliseconds(latency.mean_s), delta


def _model_charts(model: Sequence[Measurement]) -> tuple[ModelCharts, ...]:
    charts = build_charts({item.backend: item.latency for item in model if item.latency})
    return (ModelCharts(model[0].model, charts),) if charts else ()
