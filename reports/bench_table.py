"""The models of a benchmark in a few columns of text, for the console and for summaries.

Speeds of drivers relative to the baseline, in numbers and words; tables, charts and the terminal ask here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nnvet.reports.events import OUR_BACKEND, Measurement
from nnvet.reports.figures import baseline_of, by_model
from nnvet.reports.html.marks import DASH, factor_text, milliseconds
from nnvet.reports.standings import accuracy_of
from nnvet.reports.values import one_line

NO_DIFFERENCE: Final = "no difference shown"
UNDER_LOAD: Final = "not usable: under load"


def speed(item: Measurement, baseline: Measurement | None) -> float | None:
    """Return how many times as fast as the baseline a driver is; None where that is not known.

    Rounds in which both took turns decide; logs without them have the quotient of the medians. Latencies that were
    taken under load say nothing.
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
    """Return the speed, or that no difference is shown: the interval of the ratio has 1 in it."""
    if item.latency and item.is_under_load:
        return UNDER_LOAD
    ratio = item.latency_ratio
    factor = speed(item, baseline)
    if factor is not None and ratio is not None and ratio.low <= 1 <= ratio.high:
        return NO_DIFFERENCE
    return factor_text(factor)


def interval_text(item: Measurement, baseline: Measurement | None) -> str:
    """Return the ends of the speed's 95 % confidence interval; empty where there is none, or no speed."""
    ratio = item.latency_ratio
    if speed(item, baseline) is None or ratio is None or not (ratio.low and ratio.high):
        return ""
    return f"{factor_text(1 / ratio.high)} to {factor_text(1 / ratio.low)}"


def load_warning(measurements: Sequence[Measurement]) -> str:
    """Return a sentence about latencies that were taken under load; empty where none were."""
    loaded = [measurement for measurement in measurements if measurement.is_under_load]
    if not loaded:
        return ""
    models = len({measurement.model for measurement in loaded})
    most = max(measurement.waited or 0.0 for measurement in loaded)
    subject = f"Latencies of {models} model{'s' if models > 1 else ''} are not usable"
    return f"{subject}: other work kept the benchmark from a processor for up to {most:.0%} of the time"


HEADS: Final = ("Model", "Driver", "Median", "Baseline", "Speed", "Accuracy")
NUMBERS: Final = ("Median", "Baseline", "Speed")
"""Columns that are aligned to the right."""

REASON_LIMIT: Final = 60


def bench_table(measurements: Sequence[Measurement]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and a row for each model on each driver, or on a baseline where there is none.

    The column of drivers is left out where there is one only.
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
    """The speed with its confidence interval, if it says something."""
    text, interval = speed_text(item, baseline), interval_text(item, baseline)
    return f"{text} ({interval})" if interval and text != NO_DIFFERENCE else text


def _median(item: Measurement | None) -> str:
    return milliseconds(item.latency.p50_s) if item and item.latency and item.latency.iterations else DASH
