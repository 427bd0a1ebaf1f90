"""Slopes and ratios with their intervals, against the standard library and by hand."""

import random
import statistics

import pytest

from nnvet.conformance.kit.growth import median_interval, quotient_of_medians, slope


def test_a_slope_is_that_of_a_line() -> None:
    """Of values on a line the slope is exact, and so is its interval."""
    cycles = [float(cycle) for cycle in range(0, 400, 4)]
    found = slope([1000.0 + 2.5 * cycle for cycle in cycles], cycles)
    assert found.value == pytest.approx(2.5)
    assert found.high - found.low < 1e-6


def test_a_slope_agrees_with_linear_regression() -> None:
    """Of blocks of one measurement each it is what ``statistics`` computes, and its interval is around it."""
    numbers = random.Random(1)
    cycles = [float(cycle) for cycle in range(20)]
    values = [3.0 * cycle + numbers.gauss(0, 5) for cycle in cycles]
    found = slope(values, cycles)
    assert found.value == pytest.approx(statistics.linear_regression(cycles, values).slope)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_leak(seed: int) -> None:
    """Values that only go up and down have an interval with zero in it."""
    numbers = random.Random(seed)
    values = [1e6 + numbers.gauss(0, 5000) for _ in range(400)]
    found = slope(values, [float(cycle) for cycle in range(400)])
    assert found.low < 0 < found.high


def test_a_slow_leak_stands_out_of_noise() -> None:
    """A leak of 100 bytes in each cycle is certain after 2000 cycles, in noise of a page."""
    numbers = random.Random(0)
    found = slope(
        [100.0 * cycle + numbers.gauss(0, 4096) for cycle in range(2000)], [float(cycle) for cycle in range(2000)]
    )
    assert 90 < found.low < 100 < found.high < 110


def test_a_slope_needs_measurements() -> None:
    """Of a few values nothing is said."""
    with pytest.raises(ValueError, match="20 measurements"):
        slope([1.0] * 19, [float(cycle) for cycle in range(19)])


def test_the_interval_of_a_median_by_hand() -> None:
    """Of 12 values 99 % need the second and the last but one: 13/4096 of all draws leave one at most on a side."""
    assert median_interval([float(number) for number in range(12, 0, -1)]) == (6.5, 2.0, 11.0)
    assert median_interval([float(number) for number in range(8)]) == (3.5, 0.0, 7.0)
    with pytest.raises(ValueError, match="8 values"):
        median_interval([1.0] * 7)


def test_the_interval_of_a_median_holds_it() -> None:
    """In no more than a few of 500 draws the true median lies outside, also of a skewed distribution."""
    numbers, missed = random.Random(5), 0
    for _ in range(500):
        found = median_interval([numbers.lognormvariate(0, 1) for _ in range(25)])
        missed += not found.low <= 1.0 <= found.high
    assert missed <= 12


@pytest.mark.parametrize(("factor", "is_slower"), [(1.0, False), (1.3, True)])
def test_a_quotient_tells_noise_from_growth(factor: float, is_slower: bool) -> None:
    """Figures of the same kind do not differ for certain; such that are 30 % larger do."""
    numbers = random.Random(3)
    below = [numbers.lognormvariate(0, 0.2) for _ in range(500)]
    above = [factor * numbers.lognormvariate(0, 0.2) for _ in range(500)]
    found = quotient_of_medians(above, below)
    assert found.low <= factor <= found.high
    assert (found.low > 1.1) == is_slower
    assert quotient_of_medians([6.0] * 9, [2.0] * 9) == (3.0, 3.0, 3.0)


def test_single_outliers_do_not_matter() -> None:
    """One value of a minute changes no median."""
    assert median_interval([1.0] * 99 + [60.0]) == (1.0, 1.0, 1.0)
