"""Figures of a benchmark: how they are read, and how those of a driver stand beside the baseline's."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.reports.events import Latency, Limit, Measurement
from nnvet.reports.values import real_text

FAMILIES: Final = (
    (r"mobilenet_v1.*(quant|u?int8)", "MobileNet v1 Quantized"),
    (r"mobilenet_v1", "MobileNet v1 Float"),
    (r"mobilenet_v2.*(quant|u?int8)", "MobileNet v2 Quantized"),
    (r"mobilenet_v2", "MobileNet v2 Float"),
    (r"mobilenet_v3.*(quant|u?int8)", "MobileNet v3 Quantized"),
    (r"mobilenet_v3", "MobileNet v3 Float"),
    (r"tts|speech_synthesiser", "LSTM Text-to-speech"),
    (r"asr|speech_recogniser", "LSTM Automatic Speech Recognition"),
)
"""By the name of a model, first match from its start; what matches none is a family of its own."""

SAME_LATENCY_PERCENT: Final = 1.0


def _percent(value: float) -> str:
    return f"{value * 100:.3f} %"


def _plain_percent(value: float) -> str:
    return f"{value:.3f} %"


def _decibels(value: float) -> str:
    return f"{value:.1f} dB"


def four_digits(value: float) -> str:
    """A number with four significant digits, or its name if it is not finite."""
    return f"{value:.4g}" if math.isfinite(value) else real_text(value)


@dataclass(frozen=True)
class FigureKind:
    """Reading of figures whose key begins with ``prefix``. ``good`` is +1 where more is better, 0 if unknown.

    Differences below ``same`` (in shown units, ``scale`` times the value) count as none. ``name`` is the key in words
    where that is more than the key, ``against`` what comparisons of it are with.
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
        """A figure with as many digits as tell models apart."""
        if self.show in (_percent, _plain_percent):
            return f"{value * self.scale:.1f} %"
        return self.show(value) if self.unit else four_digits(value)

    def show_gap(self, difference: float) -> str:
        """A difference of two figures, as briefly."""
        shown = difference * self.scale or 0.0
        return f"{shown:+.2f}{self.unit}" if self.unit else f"{shown:+.2g}"

    def show_difference(self, difference: float) -> str:
        """A difference of two figures with its sign and unit; zero has one sign only."""
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
    FigureKind("same_top_", _percent, good=1, scale=100.0, unit=" pp"),
    FigureKind("output_noise_db", _decibels, good=-1, unit=" dB", name="output noise", against="honest arithmetic"),
    FigureKind("max_", four_digits, good=-1),
    FigureKind("mean_square_error", four_digits, good=-1),
    FigureKind("", real_text, good=0),
)
"""By the start of the key, the figure that says most first."""


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


def failed_to_run(item: Measurement) -> bool:
    """Return True if there are no figures though the driver took the model."""
    return bool(item.error) and not item.unsupported


def by_model(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """Measurements of each model, baselines first; models by family and name."""
    models: dict[tuple[str, str], list[Measurement]] = {}
    for item in sorted(measurements, key=lambda item: (not item.is_baseline, item.backend)):
        models.setdefault((family_of(item), item.model), []).append(item)
    return [models[key] for key in sorted(models, key=lambda key: tuple(map(_natural, key)))]


def _natural(name: str) -> list[tuple[str, int]]:
    """A key that orders numbers within names by their size."""
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]


def family_of(item: Measurement) -> str:
    """Name of the family that a model is shown with."""
    return item.family or known_family(item.model) or item.model


def known_family(model: str) -> str:
    """The family that the name of a model speaks of; empty for others."""
    return next((name for pattern, name in FAMILIES if re.match(pattern, model)), "")


def baseline_of(model: Sequence[Measurement]) -> Measurement | None:
    """Return the measurement with which the drivers on a model are compared."""
    return next((item for item in model if item.is_baseline), None)


def figures_of(item: Measurement) -> dict[str, float]:
    """All accuracy figures of a measurement: the evaluator's, then the errors against golden outputs."""
    errors = {"max_single_error": item.max_single_error, "mean_square_error": item.mean_square_error}
    return item.accuracy | {key: value for key, value in errors.items() if value is not None}


def latency_delta(latency: Latency | None, reference: Latency | None) -> Delta | None:
    """Difference of the medians, relative to ``reference``; None where there is nothing to compare."""
    if latency is None or reference is None or not latency.iterations:
        return None
    return median_delta(latency.p50_s, reference.p50_s)


def median_delta(median_s: float, reference_s: float) -> Delta | None:
    """Difference of two latencies, relative to the second; None where that is zero."""
    if not reference_s:
        return None
    percent = (median_s / reference_s - 1) * 100
    return Delta(f"{percent:+.1f} %", _quality(percent, SAME_LATENCY_PERCENT, good=-1))


def figure_cell(key: str, item: Measurement, baseline: Measurement | None) -> FigureCell | None:
    """A figure of a measurement beside that of another; None where it has none and none is wanted."""
    value, limit = figures_of(item).get(key), item.limits.get(key)
    if value is None:
        return FigureCell("missing", limit=_limit_text(key, limit), holds=False) if limit else None
    kind = figure_kind(key)
    reference = figures_of(baseline).get(key) if baseline else None
    delta = None
    paired = next((comparison.difference for comparison in item.comparisons if comparison.metric == key), None)
    if reference is not None:
        # Of the same examples, where the two did not run all.
        difference = value - reference if paired is None else paired
        delta = figure_delta(key, difference)
    return FigureCell(kind.show(value), delta, _limit_text(key, limit), limit is None or limit.holds(value))


def figure_delta(key: str, difference: float) -> Delta:
    """A difference of two figures of one key, and whether it is for the better."""
    kind = figure_kind(key)
    return Delta(kind.show_difference(difference), _quality(difference * kind.scale, kind.same, kind.good))


def figure_name(key: str) -> str:
    """Return the name of a figure in words."""
    return figure_kind(key).name or key.replace("_", " ")


def leading_figure(figures: Iterable[str]) -> str | None:
    """Of the keys of some figures the one that says most; None of none."""
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
