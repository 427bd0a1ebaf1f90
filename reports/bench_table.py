"""The models of a benchmark in a few columns of text, for the console and for summaries."""

from collections.abc import Sequence
from typing import Final

from nnvet.reports.events import OUR_BACKEND, Measurement
from nnvet.reports.figures import baseline_of, by_model
from nnvet.reports.html.marks import DASH, milliseconds
from nnvet.reports.speeds import NO_DIFFERENCE, interval_text, speed_text
from nnvet.reports.standings import accuracy_of
from nnvet.reports.values import one_line

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
