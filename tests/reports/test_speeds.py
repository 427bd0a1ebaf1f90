"""Speeds in words: turns decide, no difference is said as such, and what was taken under load is not used."""

from __future__ import annotations

import pytest

from nnvet.reports.events import MOST_WAITED, Measurement, SpeedRatio
from nnvet.reports.figures import (
    NO_DIFFERENCE,
    UNDER_LOAD,
    bench_table,
    interval_text,
    load_warning,
    speed,
    speed_text,
    summarise,
)
from nnvet.reports.html.overview import build_overview


def measured(
    backend: str, median_s: float, ratio: SpeedRatio | None = None, waited: float | None = None
) -> Measurement:
    """A measurement of one model."""
    return Measurement("m", backend, summarise([median_s] * 10), latency_ratio=ratio, waited=waited)


BASELINE = measured("LiteRT", 1e-3, waited=0.0)


@pytest.mark.parametrize(
    ("ratio", "text", "interval"),
    [
        # Latency half of the baseline's is twice as fast; the ends of the interval are exchanged.
        (SpeedRatio(0.5, 0.4, 0.8, 100), "2.00×", "1.25× to 2.50×"),  # noqa: RUF001
        (SpeedRatio(1.03, 0.99, 1.07, 100), NO_DIFFERENCE, "0.93× to 1.01×"),  # noqa: RUF001
        # Slower for sure, by however little.
        (SpeedRatio(1.03, 1.01, 1.05, 100), "0.97×", "0.95× to 0.99×"),  # noqa: RUF001
        # Without turns, as in old logs, medians are all there is: 1 ms to 4 ms.
        (None, "0.25×", ""),  # noqa: RUF001
    ],
)
def test_turns_decide_and_no_difference_is_said(ratio: SpeedRatio | None, text: str, interval: str) -> None:
    """The medians, 1 and 4 ms, say otherwise: what slowed one of them did not meet both."""
    own = measured("nnvet:d", 4e-3, ratio, waited=0.0)
    assert speed_text(own, BASELINE) == text
    assert interval_text(own, BASELINE) == interval


@pytest.mark.parametrize(("waited", "is_used"), [(MOST_WAITED, True), (MOST_WAITED + 0.01, False), (None, True)])
def test_what_was_taken_under_load_is_not_used(waited: float | None, *, is_used: bool) -> None:
    """Terminal, chart and sentence mark it; a kernel that does not count waiting marks nothing."""
    ratio = SpeedRatio(0.5, 0.4, 0.8, 100)
    own, baseline = measured("nnvet:d", 1e-3, ratio, waited), measured("LiteRT", 1e-3, waited=waited)
    assert (speed(own, baseline) is not None) is is_used
    assert (speed_text(own, baseline) != UNDER_LOAD) is is_used
    _, (row,) = bench_table([baseline, own])
    assert (UNDER_LOAD in row) is not is_used
    overview = build_overview([baseline, own])
    assert overview is not None
    assert [lane.is_under_load for lane in overview.rows[0].lanes] == [not is_used] * 2
    assert (overview.load_warning == "") is is_used


def test_the_warning_says_how_many_models_and_how_much() -> None:
    """The largest share is named."""
    loaded = [measured("nnvet:d", 1e-3, waited=0.4), measured("LiteRT", 1e-3, waited=0.3)]
    assert load_warning(loaded) == (
        "Latencies of 1 model are not usable: other work kept the benchmark from a processor for up to 40% of the time"
    )
