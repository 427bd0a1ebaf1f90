"""Axes of charts. Expected places and marks: by hand."""

import pytest

from nnvet.reports.html.axes import ChartAxis, axis_of


def test_near_values_share_a_linear_axis() -> None:
    """Up to less than three times the smallest; a margin is a share of the length, at both ends."""
    assert axis_of([2.0, 5.9]) == ChartAxis(2.0, 5.9)
    assert axis_of([2.0, 4.0], margin=0.25) == ChartAxis(1.5, 4.5)
    assert ChartAxis(1.0, 5.0).share(2.0) == 0.25


def test_values_far_apart_share_a_logarithmic_axis() -> None:
    """From three times on; zero and negative numbers have no logarithm."""
    axis = axis_of([1.0, 1e4])
    assert axis.is_log
    assert axis.share(100.0) == pytest.approx(0.5)
    assert not axis_of([0.0, 5.0]).is_log
    assert not axis_of([-1.0, 5.0]).is_log


def test_what_is_beyond_an_end_is_at_it() -> None:
    """A mark never leaves the chart; without a range all is in the middle."""
    assert (ChartAxis(1.0, 2.0).share(0.0), ChartAxis(1.0, 2.0).share(9.0)) == (0.0, 1.0)
    assert ChartAxis(3.0, 3.0).share(3.0) == 0.5


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (ChartAxis(0.0, 10.0), (0, 2, 4, 6, 8, 10)),
        (ChartAxis(-0.031, 0.012), (-0.03, -0.02, -0.01, 0.0, 0.01)),
        (ChartAxis(1.0, 100.0, is_log=True), (1, 5, 10, 50, 100)),
        (ChartAxis(3.0, 40.0, is_log=True), (5, 10, 20)),
        (ChartAxis(0.0004, 2000.0, is_log=True), (0.01, 1, 100)),
        (ChartAxis(7.0, 7.0), (7,)),
    ],
)
def test_round_numbers_are_marked(axis: ChartAxis, ticks: tuple[float, ...]) -> None:
    """At most six of them, the closest of 1, 2 and 5."""
    assert axis.ticks() == pytest.approx(ticks)


def test_marks_keep_a_distance() -> None:
    """Near the high end of a logarithmic axis linear steps would crowd; fewer are left where fewer are wanted."""
    assert ChartAxis(90.0, 500.0, is_log=True).ticks(4) == (100, 200, 500)
    assert ChartAxis(0.0, 10.0).ticks(4) == (0, 5, 10)
    # Of 1, 2 and 5 only 5 is between: steps of 1 or 2 say more, as far as they are apart.
    assert ChartAxis(2.2, 8.0, is_log=True).ticks() == (3, 4, 5, 6, 8)
    assert ChartAxis(11.0, 17.0, is_log=True).ticks(4) == pytest.approx((12, 14, 16))
