"""Speeds of drivers relative to the baseline, in numbers and words; tables, charts and the terminal ask here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nnvet.reports.events import Measurement
from nnvet.reports.html.marks import factor_text

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
