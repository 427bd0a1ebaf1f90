"""Statistics of latencies. Expected values: by hand, or by counting with exact fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.reports.figures import BUCKETS, histogram, summarise


def test_statistics_by_hand() -> None:
    """1, 2, 3 and 6 ms: mean 3, population variance (4 + 1 + 0 + 9) / 4, quantiles between neighbours."""
    latency = summarise([0.003, 0.001, 0.006, 0.002])
    assert latency.iterations == 4
    assert latency.total_s == pytest.approx(0.012)
    assert latency.mean_s == pytest.approx(0.003)
    assert latency.std_dev_s == pytest.approx(math.sqrt(14 / 4) / 1000)
    assert (latency.min_s, latency.max_s) == (0.001, 0.006)
    # Position q * (n - 1) in the sorted values: 0.3, 1.5, 2.7 and 2.97.
    assert latency.p10_s == pytest.approx(0.001 + 0.3 * 0.001)
    assert latency.p50_s == pytest.approx(0.0025)
    assert latency.p90_s == pytest.approx(0.003 + 0.7 * 0.003)
    assert latency.p99_s == pytest.approx(0.003 + 0.97 * 0.003)


def test_equal_latencies_fall_into_the_first_bucket() -> None:
    """A range of zero has step 0 and no division by it."""
    result = histogram([0.004] * 7)
    assert (result.start_s, result.step_s) == (0.004, 0.0)
    assert result.counts == (7, *(0,) * 31)


def test_the_extremes_fall_into_the_outer_buckets() -> None:
    """Two values: the smaller in bucket 0, the larger in the last (or, by rounding, the last but one)."""
    result = histogram([0.001, 0.002])
    assert result.step_s == pytest.approx(0.001 / 31)
    assert result.counts[0] == 1
    assert sum(result.counts[30:]) == 1


def test_a_range_of_a_few_subnormal_steps_stays_in_the_table() -> None:
    """46 of the smallest numbers over 31 rounds to a step of one of them: the maximum would be in bucket 46."""
    smallest = 5e-324
    assert histogram([0.0, 46 * smallest]).counts[-1] == 1


def test_without_latencies_all_figures_are_zero() -> None:
    """A benchmark that ran nothing has a summary without NaN."""
    latency = summarise([])
    assert latency.iterations == 0
    assert (latency.mean_s, latency.p99_s, latency.histogram.counts) == (0.0, 0.0, (0,) * 32)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -0.001])
def test_impossible_latencies_are_refused(wrong: float) -> None:
    """A clock that ran backwards is not averaged away."""
    with pytest.raises(ValueError, match="check the clock"):
        summarise([0.001, wrong])


@given(st.lists(st.floats(0, 100, allow_subnormal=True), min_size=1, max_size=60))
def test_buckets_hold_what_lies_between_their_edges(values: list[float]) -> None:
    """Exact fractions place every value, apart from those within rounding of an edge."""
    result = histogram(values)
    assert len(result.counts) == BUCKETS
    assert sum(result.counts) == len(values)
    low, high = Fraction(min(values)), Fraction(max(values))
    if not result.step_s:
        return
    step = (high - low) / 31
    exact = [0] * BUCKETS
    unsure = 0
    for value in values:
        place = (Fraction(value) - low) / step
        exact[min(math.floor(place), 31)] += 1
        unsure += abs(place - round(place)) < Fraction(1, 10**9) or result.step_s < 1e-300
    assert sum(abs(found - wanted) for found, wanted in zip(result.counts, exact, strict=True)) <= 2 * unsure
