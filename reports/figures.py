"""Figures of a benchmark (accuracy, latency, speed), and the comparison of a driver's figures with the baseline's.

The module has five parts: kinds of figures and cells; accuracy beside the baseline (kept, worse than allowed, or not
decided by the data); statistics of latencies; speed relative to the baseline in numbers and words; and the table of
models for console and summaries. Tables, charts and the terminal all use it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nnvet.reports.conditions import Histogram
from nnvet.reports.events import OUR_BACKEND, Comparison, Latency, Limit, Measurement
from nnvet.reports.html.marks import DASH, factor_text, milliseconds
from nnvet.reports.values import one_line, real_text

FAMILIES: Final = (
    (r"mobilenet_v1.*(quant|u?int8)", "MobileNet v1 Quantized"),
    (r"mobilenet_v1", "MobileNet v1 Float"),
    (r"mobilenet_v2.*(quant|u?int8)", "MobileNet v2 Quantized"),
    (r"mobilenet_v2", "MobileNet v2 Float"),
    (r"mobilenet_v3.*(quant|u?int8)", "MobileNet v3 Quantized"),
    (r"mobilenet_v3", "MobileNet v3 Float"),
    (r"ssd_detector.*(quant|u?int8)", "SSD Detector Quantized"),
    (r"ssd_detector", "SSD Detector Float"),
    (r"fcn_segmenter.*(quant|u?int8)", "FCN Segmenter Quantized"),
    (r"fcn_segmenter", "FCN Segmenter Float"),
    (r"upscaler.*(quant|u?int8)", "Super-resolution Quantized"),
    (r"upscaler", "Super-resolution Float"),
    (r"language_model", "LSTM Language Model"),
    (r"tts|speech_synthesiser", "LSTM Text-to-speech"),
    (r"asr|speech_recogniser", "LSTM Automatic Speech Recognition"),
)
"""Families of models by the beginning of a name; the first match counts. Any other model is a family of its own."""

SAME_LATENCY_PERCENT: Final = 1.0
"""Differences of latency below this count as none."""


def _percent(value: float) -> str:
    return f"{value * 100:.3f} %"


def _plain_percent(value: float) -> str:
    return f"{value:.3f} %"


def _decibels(value: float) -> str:
    return f"{value:.1f} dB"


def four_digits(value: float) -> str:
    """Return a number with four significant digits, or its name if it is not finite."""
    return f"{value:.4g}" if math.isfinite(value) else real_text(value)


@dataclass(frozen=True)
class FigureKind:
    """The reading of figures whose key begins with ``prefix``. ``good`` is +1 if larger is better, 0 if unknown.

    Smaller differences than ``same`` (in shown units, ``scale`` times the value) count as none. ``name`` is the key in
    words, if it is not just the key; ``against`` names what comparisons are made with.
    """

    prefix: str
    show: Callable[[float], str]
    good: int
    scale: float = 1.0
    same: float = 1.0
    unit: str = ""
    name: str = ""
    against: str = "the baseline"

    def show_briefly(self, value: float) -> str:
        """Return a figure with as many digits as are needed to tell models apart."""
        if self.show in (_percent, _plain_percent):
            return f"{value * self.scale:.1f} %"
        return self.show(value) if self.unit else four_digits(value)

    def show_gap(self, difference: float) -> str:
        """Return the difference of two figures, with the digits of :meth:`show_briefly`."""
        shown = difference * self.scale or 0.0
        return f"{shown:+.2f}{self.unit}" if self.unit else f"{shown:+.2g}"

    def show_difference(self, difference: float) -> str:
        """Return a difference of two figures with its sign and unit; zero has one sign only."""
        return f"{difference * self.scale or 0.0:+.3g}{self.unit}"


FIGURES: Final = (
    FigureKind("top_", _percent, good=1, scale=100.0, unit=" pp"),
    FigureKind("true_phone_error_rate", _plain_percent, good=-1, unit=" pp", name="wrong phones"),
    FigureKind("true_mel_cep_distortion", four_digits, good=-1, name="mel distortion from the truth"),
    FigureKind("true_log_f0_error", four_digits, good=-1, name="log F0 error from the truth"),
    FigureKind("true_voicing_error", _plain_percent, good=-1, unit=" pp", name="wrong voicing"),
    FigureKind("phone_error_rate", _plain_percent, good=-1, unit=" pp"),
    FigureKind("max_phone_error_rate", _plain_percent, good=-1, unit=" pp"),
    FigureKind("mel_cep_distortion", four_digits, good=-1, name="mel distortion"),
    FigureKind("log_f0_error", four_digits, good=-1),
    FigureKind("map_50", _percent, good=1, scale=100.0, unit=" pp", name="mean average precision at IoU 0.5"),
    FigureKind("map", _percent, good=1, scale=100.0, unit=" pp", name="mean average precision"),
    FigureKind("miou", _percent, good=1, scale=100.0, unit=" pp", name="mean IoU"),
    FigureKind("pixel_accuracy", _percent, good=1, scale=100.0, unit=" pp"),
    FigureKind("psnr_db", _decibels, good=1, unit=" dB", name="peak signal-to-noise ratio"),
    FigureKind("perplexity", four_digits, good=-1),
    FigureKind("cross_entropy", four_digits, good=-1, name="cross entropy in nats"),
    FigureKind("same_top_", _percent, good=1, scale=100.0, unit=" pp"),
    FigureKind("output_noise_db", _decibels, good=-1, unit=" dB", name="output noise", against="honest arithmetic"),
    FigureKind("max_", four_digits, good=-1),
    FigureKind("mean_square_error", four_digits, good=-1),
    FigureKind("", real_text, good=0),
)
"""Kinds of figures by the beginning of the key, the most telling first."""


@dataclass(frozen=True)
class Delta:
    """A difference from the baseline; ``quality`` is better, same, worse or other (if neither direction is better)."""

    text: str
    quality: str


@dataclass(frozen=True)
class FigureCell:
    """An accuracy figure; ``limit`` is its bound in words, and ``holds`` tells if it is kept."""

    text: str
    delta: Delta | None = None
    limit: str = ""
    holds: bool = True


def failed_to_run(item: Measurement) -> bool:
    """Return True if a measurement has no figures although the driver accepted the model."""
    return bool(item.error) and not item.unsupported


def by_model(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """Return measurements of each model, baselines first; models by family and name."""
    models: dict[tuple[str, str], list[Measurement]] = {}
    for item in sorted(measurements, key=lambda item: (not item.is_baseline, item.backend)):
        models.setdefault((family_of(item), item.model), []).append(item)
    return [models[key] for key in sorted(models, key=lambda key: tuple(map(_natural, key)))]


def _natural(name: str) -> list[tuple[str, int]]:
    """Return a key that orders numbers within names by their size."""
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]


def family_of(item: Measurement) -> str:
    """Return the name of the family with which a model is shown."""
    return item.family or known_family(item.model) or item.model


def known_family(model: str) -> str:
    """Return the family that a model's name implies; empty if it implies none."""
    return next((name for pattern, name in FAMILIES if re.match(pattern, model)), "")


def baseline_of(model: Sequence[Measurement]) -> Measurement | None:
    """Return the measurement with which drivers are compared on a model."""
    return next((item for item in model if item.is_baseline), None)


def figures_of(item: Measurement) -> dict[str, float]:
    """Return all accuracy figures of a measurement: the evaluator's, then the errors against golden outputs."""
    errors = {"max_single_error": item.max_single_error, "mean_square_error": item.mean_square_error}
    return item.accuracy | {key: value for key, value in errors.items() if value is not None}


def latency_delta(latency: Latency | None, reference: Latency | None) -> Delta | None:
    """Return the difference of the medians, relative to ``reference``; None if one is missing."""
    if latency is None or reference is None or not latency.iterations:
        return None
    return median_delta(latency.p50_s, reference.p50_s)


def median_delta(median_s: float, reference_s: float) -> Delta | None:
    """Return the difference of two latencies, relative to the second; None if that is zero."""
    if not reference_s:
        return None
    percent = (median_s / reference_s - 1) * 100
    return Delta(f"{percent:+.1f} %", _quality(percent, SAME_LATENCY_PERCENT, good=-1))


def figure_cell(key: str, item: Measurement, baseline: Measurement | None) -> FigureCell | None:
    """Return a figure beside the baseline's; None if the measurement lacks it and no limit asks for it."""
    value, limit = figures_of(item).get(key), item.limits.get(key)
    if value is None:
        return FigureCell("missing", limit=_limit_text(key, limit), holds=False) if limit else None
    kind = figure_kind(key)
    reference = figures_of(baseline).get(key) if baseline else None
    delta = None
    paired = next((comparison.difference for comparison in item.comparisons if comparison.metric == key), None)
    if reference is not None:
        # Paired differences are of the same examples, even if one of the two did not run all of them.
        difference = value - reference if paired is None else paired
        delta = figure_delta(key, difference)
    return FigureCell(kind.show(value), delta, _limit_text(key, limit), limit is None or limit.holds(value))


def figure_delta(key: str, difference: float) -> Delta:
    """Return a difference of two figures with the same key, and its quality."""
    kind = figure_kind(key)
    return Delta(kind.show_difference(difference), _quality(difference * kind.scale, kind.same, kind.good))


def figure_name(key: str) -> str:
    """Return the name of a figure in words."""
    return figure_kind(key).name or key.replace("_", " ")


def leading_figure(figures: Iterable[str]) -> str | None:
    """Return the most telling of some keys; None if there are none."""
    return min(figures, key=lambda key: (FIGURES.index(figure_kind(key)), key), default=None)


def figure_kind(key: str) -> FigureKind:
    """Return the reading of a figure."""
    return next(kind for kind in FIGURES if key.startswith(kind.prefix))


def _limit_text(key: str, limit: Limit | None) -> str:
    if limit is None:
        return ""
    show = figure_kind(key).show
    bounds = (("≥", limit.at_least), ("≤", limit.at_most))
    return " and ".join(f"{sign} {show(bound)}" for sign, bound in bounds if bound is not None)


def _quality(difference: float, same: float, good: int) -> str:
    if abs(difference) < same:
        return "same"
    if not good or math.isnan(difference):
        return "other"
    return "better" if difference * good > 0 else "worse"


STANDING_SIGNS: Final = {"kept": "✓", "worse": "✕", "undecided": "?", "none": ""}
"""Signs of the states of an accuracy figure beside the baseline's; see :func:`standing`."""


@dataclass(frozen=True)
class Accuracy:
    """The most telling figure: its ``name``, the ``text`` of its value, and the ``difference`` from the baseline's.

    ``state`` is kept, worse, undecided or none, over all figures; ``sign`` is its sign.
    """

    name: str
    text: str
    difference: str
    state: str

    @property
    def sign(self) -> str:
        """The sign of the state, for output without colours."""
        return STANDING_SIGNS[self.state]


def standing(comparison: Comparison) -> str:
    """Return ``kept`` if the whole confidence interval is within the margin, ``worse`` if none is, or ``undecided``.

    A negative margin belongs to a figure that is better if it is larger.
    """
    side = -1.0 if comparison.margin < 0 else 1.0
    least, most = (
        sorted((comparison.low * side, comparison.high * side)) if not math.isnan(comparison.low) else (math.nan,) * 2
    )
    if most <= abs(comparison.margin):
        return "kept"
    return "worse" if least > abs(comparison.margin) else "undecided"


def is_amiss(item: Measurement) -> bool:
    """Return True if accuracy is outside its limits, by the evaluator's verdict or by the figures."""
    values = figures_of(item)
    broken = (key not in values or not limit.holds(values[key]) for key, limit in item.limits.items())
    return bool(item.validation_errors) or any(broken)


def is_judged(item: Measurement) -> bool:
    """Return True if the accuracy of a measurement was judged."""
    return bool(figures_of(item) or item.comparisons or item.validation_errors or item.limits)


def accuracy_state(item: Measurement) -> str:
    """Return ``worse`` if a limit is broken or a figure surely worse, ``undecided`` if a figure may be."""
    if not is_judged(item):
        return "none"
    states = {standing(comparison) for comparison in item.comparisons}
    if is_amiss(item) or "worse" in states:
        return "worse"
    return "undecided" if "undecided" in states else "kept"


def accuracy_of(item: Measurement | None, baseline: Measurement | None) -> Accuracy:
    """Return the accuracy in a few words: the first figure that is worse than allowed, or else the first one."""
    if item is None or not is_judged(item):
        return Accuracy("", DASH, "", "none")
    state = accuracy_state(item)
    if item.comparisons:
        telling = min(
            item.comparisons, key=lambda comparison: (standing(comparison) != "worse", _rank(comparison.metric))
        )
        return _accuracy(telling.metric, telling.value, telling.difference, state)
    values = figures_of(item)
    if not values:
        return Accuracy("", "missing", "", state)
    key = min(values, key=_rank)
    reference = figures_of(baseline).get(key, math.nan) if baseline else math.nan
    return _accuracy(key, values[key], values[key] - reference, state)


def _accuracy(key: str, value: float, difference: float, state: str) -> Accuracy:
    kind = figure_kind(key)
    shown = "" if math.isnan(difference) else kind.show_gap(difference)
    return Accuracy(figure_name(key), kind.show_briefly(value), shown, state)


def _rank(key: str) -> int:
    return FIGURES.index(figure_kind(key))


BUCKETS: Final = 32
"""Number of buckets of a histogram."""


def summarise(latencies_s: Sequence[float]) -> Latency:
    """Return sum, mean, population standard deviation, quantiles and histogram of latencies in seconds.

    Quantiles interpolate linearly between neighbours. Without latencies every figure is 0.

    :raises ValueError: a latency is negative, infinite or NaN.
    """
    values = np.asarray(latencies_s, dtype=np.float64)
    if not values.size:
        return Latency(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, Histogram(0.0, 0.0, (0,) * BUCKETS), 0.0)
    if not (np.isfinite(values).all() and values.min() >= 0):
        raise ValueError("latencies must be finite and not negative; check the clock that measured them")
    total = math.fsum(values)
    mean = total / values.size
    p10, p50, p90, p99 = (float(quantile) for quantile in np.percentile(values, (10, 50, 90, 99)))
    return Latency(
        iterations=values.size,
        total_s=total,
        mean_s=mean,
        std_dev_s=math.sqrt(math.fsum((values - mean) ** 2) / values.size),
        min_s=float(values.min()),
        max_s=float(values.max()),
        p50_s=p50,
        p90_s=p90,
        p99_s=p99,
        histogram=histogram(values.tolist()),
        p10_s=p10,
    )


def histogram(values: Sequence[float]) -> Histogram:
    """Return 32 buckets of (maximum - minimum) / 31, starting at the minimum; equal values all fall into the first."""
    start = min(values)
    step = (max(values) - start) / (BUCKETS - 1)
    counts = [0] * BUCKETS
    for value in values:
        # Rounding can bring the maximum to either side of 31; a range too small to divide has step 0.
        counts[min(int((value - start) / step), BUCKETS - 1) if step else 0] += 1
    return Histogram(start, step, tuple(counts))


NO_DIFFERENCE: Final = "no difference shown"
"""Speed of a driver whose confidence interval, relative to the baseline, contains 1."""
UNDER_LOAD: Final = "not usable: under load"
"""Cell of latencies that other processes have disturbed."""


def speed(item: Measurement, baseline: Measurement | None) -> float | None:
    """Return how many times as fast as the baseline a driver is; None if unknown.

    Rounds in which both took turns decide; logs without rounds give the quotient of the medians. Latencies that were
    measured under load say nothing.
    """
    if baseline is None or baseline is item or item.is_under_load or baseline.is_under_load:
        return None
    if item.latency_ratio is not None:
        return 1 / item.latency_ratio.value if item.latency_ratio.value else None
    ours, reference = item.latency, baseline.latency
    if not (ours and reference and ours.p50_s and reference.p50_s):
        return None
    return reference.p50_s / ours.p50_s


def speed_text(item: Measurement, baseline: Measurement | None) -> str:
    """Return the speed in words, or that no difference is shown because the ratio's interval contains 1."""
    if item.latency and item.is_under_load:
        return UNDER_LOAD
    ratio = item.latency_ratio
    factor = speed(item, baseline)
    if factor is not None and ratio is not None and ratio.low <= 1 <= ratio.high:
        return NO_DIFFERENCE
    return factor_text(factor)


def interval_text(item: Measurement, baseline: Measurement | None) -> str:
    """Return the ends of the speed's 95 % confidence interval; empty if there is none."""
    ratio = item.latency_ratio
    if speed(item, baseline) is None or ratio is None or not (ratio.low and ratio.high):
        return ""
    return f"{factor_text(1 / ratio.high)} to {factor_text(1 / ratio.low)}"


def load_warning(measurements: Sequence[Measurement]) -> str:
    """Return a sentence about latencies that were measured under load; empty if there are none."""
    loaded = [measurement for measurement in measurements if measurement.is_under_load]
    if not loaded:
        return ""
    models = len({measurement.model for measurement in loaded})
    most = max(measurement.waited or 0.0 for measurement in loaded)
    subject = f"Latencies of {models} model{'s' if models > 1 else ''} are not usable"
    return f"{subject}: other work kept the benchmark from a processor for up to {most:.0%} of the time"


HEADS: Final = ("Model", "Driver", "Median", "Baseline", "Speed", "Accuracy")
"""Heads of the table of models."""
NUMBERS: Final = ("Median", "Baseline", "Speed")
"""Names of the columns with numbers, which are aligned to the right."""

REASON_LIMIT: Final = 60
"""Most characters of a reason in the table."""


def bench_table(measurements: Sequence[Measurement]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headings, and a row for each model on each driver, or on a baseline where there is no driver.

    The column of drivers is omitted if there is only one.
    """
    rows = [row for model in by_model(measurements) for row in _rows(model)]
    if len({row[1] for row in rows}) > 1:
        return HEADS, rows
    return (HEADS[0], *HEADS[2:]), [(row[0], *row[2:]) for row in rows]


def _rows(model: Sequence[Measurement]) -> list[tuple[str, ...]]:
    baseline = baseline_of(model)
    return [_row(item, baseline) for item in model if not item.is_baseline] or [_row(item, None) for item in model]


def _row(item: Measurement, baseline: Measurement | None) -> tuple[str, ...]:
    name = f"{item.model} (toy)" if item.toy else item.model
    driver, reference = item.backend.removeprefix(OUR_BACKEND), _median(baseline)
    if item.error or not (item.latency and item.latency.iterations):
        reason = one_line(item.error) or "not measured"
        shown = reason if len(reason) <= REASON_LIMIT else f"{reason[:REASON_LIMIT]}…"
        return name, driver, DASH, reference, DASH, f"{DASH if item.unsupported else '✕'} {shown}"
    accuracy = accuracy_of(item, baseline)
    beside = f"({accuracy.difference})" if accuracy.difference else ""
    words = " ".join(filter(None, (accuracy.sign, accuracy.name, accuracy.text, beside)))
    return name, driver, _median(item), reference, _speed(item, baseline), words


def _speed(item: Measurement, baseline: Measurement | None) -> str:
    """Return the speed with its confidence interval, if it is meaningful."""
    text, interval = speed_text(item, baseline), interval_text(item, baseline)
    return f"{text} ({interval})" if interval and text != NO_DIFFERENCE else text


def _median(item: Measurement | None) -> str:
    return milliseconds(item.latency.p50_s) if item and item.latency and item.latency.iterations else DASH
