"""Differences from the baseline with their intervals. Expected places: by hand."""

import math

import pytest

from nnvet.reports.events import Comparison, Measurement
from nnvet.reports.figures import Delta, summarise
from nnvet.reports.html.performance import build_comparisons, build_families


def measured(*comparisons: Comparison) -> Measurement:
    """A model on a driver."""
    return Measurement("net", "nnvet:x", comparisons=comparisons)


def test_intervals_share_an_axis_with_zero_and_the_margin() -> None:
    """From -5 to +1 points and 4 % of that on both sides: zero is at (5 + 0.24) / 6.48 of the width."""
    lost = Comparison("top_1", 0.57, 0.6, -0.03, -0.05, -0.011, 0.001, -0.01, 100)
    even = Comparison("top_1", 0.6, 0.6, 0.0, -0.01, 0.01, 0.5, -0.01, 100)
    (table,) = build_comparisons([measured(lost), measured(even)])
    assert (table.name, table.zero) == ("top 1", pytest.approx(100 * 5.24 / 6.48))
    first, second = table.rows
    assert first.places == pytest.approx([100 * part / 6.48 for part in (0.24, 2.24, 4.14, 4.24)])
    assert (first.difference, first.interval, first.allowed) == ("-3 pp", "-5 pp to -1.1 pp", "-1 pp")
    assert (first.verdict, second.verdict) == ("✕ worse than allowed", "✓ no worse than allowed")
    assert (first.value, first.baseline, first.examples, first.p_value) == ("57.000 %", "60.000 %", "100", "0.001")


def test_what_says_most_comes_first() -> None:
    """Accuracy before equal labels before noise; without a test and an interval there are dashes."""
    bare = Comparison("output_noise_db", -40.0, -40.0, 0.0, math.nan, math.nan, None, 6.0, 2)
    same = Comparison("same_top_1", 1.0, 1.0, 0.0, -0.001, 0.0, 0.2, -0.005, 100)
    top = Comparison("top_1", 0.6, 0.6, 0.0, -0.01, 0.01, 0.5, -0.01, 100)
    tables = build_comparisons([measured(bare, same, top)])
    assert [table.name for table in tables] == ["top 1", "same top 1", "output noise"]
    (row,) = tables[2].rows
    assert (row.state, row.places, row.interval, row.p_value) == ("undecided", None, "–", "–")  # noqa: RUF001


def test_a_row_that_is_surely_worse_fails_its_family() -> None:
    """And the first inference is shown beside the median of all: 6 ms of 2 ms."""
    lost = Comparison("top_1", 0.57, 0.6, -0.03, -0.05, -0.011, 0.001, -0.01, 100)
    item = Measurement("net", "nnvet:x", summarise([0.002]), comparisons=(lost,), first_inference_s=0.006)
    (family,) = build_families([item])
    assert family.is_failed
    (row,) = family.compilations
    assert (row.first, row.penalty) == ("6.00 ms", "3.00×")  # noqa: RUF001 - the multiplication sign


def test_differences_are_of_the_same_examples() -> None:
    """The baseline was right in 70 % of all, in 60 % of those that the driver ran: as the driver, and zero is +0."""
    even = Comparison("top_1", 0.6, 0.6, -0.0, -0.01, 0.01, 0.5, -0.01, 10)
    own = Measurement("net", "nnvet:x", accuracy={"top_1": 0.6}, comparisons=(even,))
    (family,) = build_families([Measurement("net", "LiteRT", accuracy={"top_1": 0.7}), own])
    cell = family.rows[0][1].figures[0]
    assert cell is not None
    assert cell.delta == Delta("+0 pp", "same")
    assert family.comparisons[0].rows[0].difference == "+0 pp"
