"""Slopes and ratios with their intervals, against the standard library and by hand."""

import random
import statistics

import pytest

from nnvet.conformance.stress.confidence import ratio_of_medians, slope


def test_a_slope_is_that_of_a_line() -> None:
    """Of values on a line the slope is exact, and so is its interval."""
    cycles = [float(one) for one in range(0, 400, 4)]
    found = slope([1000.0 + 2.5 * one for one in cycles], cycles)
    assert found.value == pytest.approx(2.5)
    assert found.high - found.low < 1e-6


def test_a_slope_agrees_with_linear_regression() -> None:
    """Of blocks of one measurement each it is what ``statistics`` computes, and its interval is around it."""
    numbers = random.Random(1)
    cycles = [float(one) for one in range(20)]
    values = [3.0 * one + numbers.gauss(0, 5) for one in cycles]
    found = slope(values, cycles)
    assert found.value == pytest.approx(statistics.linear_regression(cycles, values).slope)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_leak(seed: int) -> None:
    """Values that only go up and down have an interval with zero in it."""
    numbers = random.Random(seed)
    values = [1e6 + numbers.gauss(0, 5000) for _ in range(400)]
    found = slope(values, [float(one) for one in range(400)])
    assert found.low < 0 < found.high


def test_a_slow_leak_stands_out_of_noise() -> None:
    """A leak of 100 bytes in each cycle is certain after 2000 cycles, in noise of a page."""
    numbers = random.Random(0)
    found = slope([100.0 * one + numbers.gauss(0, 4096) for one in range(2000)], [float(one) for one in range(2000)])
    assert 90 < found.low < 100 < found.high < 110


def test_a_slope_needs_measurements() -> None:
    """Of a few values nothing is said."""
    with pytest.raises(ValueError, match="20 measurements"):
        slope([1.0] * 19, [float(one) for one in range(19)])


@pytest.mark.parametrize(("factor", "is_slower"), [(1.0, False), (1.3, True)])
def test_a_ratio_tells_noise_from_load(factor: float, is_slower: bool) -> None:
    """Latencies of the same kind do not differ for certain; such that are 30 % longer do."""
    numbers = random.Random(3)
    idle = [numbers.lognormvariate(0, 0.2) for _ in range(500)]
    loaded = [factor * numbers.lognormvariate(0, 0.2) for _ in range(500)]
    found = ratio_of_medians(loaded, idle)
    assert found.low <= factor <= found.high
    assert (found.low > 1.1) == is_slower


def test_single_outliers_do_not_matter() -> None:
    """One latency of a minute changes no median."""
    found = ratio_of_medians([1.0] * 99 + [60.0], [1.0] * 100)
    assert found.value == found.low == found.high == 1.0
