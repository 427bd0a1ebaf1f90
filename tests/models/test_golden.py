"""Distances from golden outputs, and the rules that judge them, with bounds worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nnvet.formats.errors import DataError
from nnvet.models.golden import GoldenComparison


def compared(
    actual: list[float], golden: list[float], dtype: str = "float32", *, relaxed: bool = False
) -> GoldenComparison:
    """One step with one output."""
    comparison = GoldenComparison(relaxed)
    with np.errstate(over="ignore"):
        comparison.add([np.asarray(actual, dtype)], [np.asarray(golden, dtype)], "step 0")
    return comparison


def passed(comparison: GoldenComparison, spread: float | None = None) -> bool | None:
    """The verdict of the check."""
    check = comparison.check(spread)
    assert check is not None
    return check.passed


def test_errors_are_absolute() -> None:
    """Too small counts like too large; the mean is over elements, the sum over outputs."""
    comparison = GoldenComparison()
    comparison.add(
        [np.asarray([1, 2], np.float32), np.asarray([5], np.float32)],
        [np.asarray([4, 2], np.float32), np.asarray([3], np.float32)],
        "a",
    )
    comparison.add(
        [np.asarray([0, 0], np.float32), np.asarray([0], np.float32)],
        [np.zeros(2, np.float32), np.zeros(1, np.float32)],
        "b",
    )
    errors = comparison.errors()
    assert errors is not None
    # Step a: (9 + 0) / 2 + 4; step b: 0.
    assert errors.mean_square_error == pytest.approx(8.5 / 2)
    assert errors.max_single_error == 3
    assert errors.where.startswith("a, output 0, element 0: 1 for 4")


@pytest.mark.parametrize(("difference", "holds"), [(3, True), (4, False)])
def test_bytes_may_differ_by_three_codes(difference: int, holds: bool) -> None:
    """Three codes either way pass, four do not, whatever the baselines do."""
    for sign in (1, -1):
        comparison = compared([100 + sign * difference, 0], [100, 0], "uint8")
        assert passed(comparison) is holds
        assert passed(comparison, spread=50.0) is holds


@pytest.mark.parametrize(("difference", "holds"), [(1.7e-5, True), (1.9e-5, False)])
def test_float_rule(difference: float, holds: bool) -> None:
    """At 13.5 the bound is 1e-5 + 5 * 2^-23 * 13.5 = 1.8e-5."""
    golden = 13.5
    comparison = GoldenComparison()
    comparison.add([np.asarray([golden + difference])], [np.asarray([golden])], "step")
    assert passed(comparison) is holds
    assert comparison.tolerance == pytest.approx(1.8047e-5, rel=1e-3)


def test_relaxed_rule() -> None:
    """If float16 is allowed the bound at 1 is 5 * 2^-10 * 2 = 0.0098."""
    assert passed(compared([1.0097], [1.0], relaxed=True))
    assert not passed(compared([1.0099], [1.0], relaxed=True))


def test_baselines_widen_the_float_rule() -> None:
    """Beyond the rule by four times the baselines' own error passes; both judgements are reported."""
    comparison = compared([1.0001], [1.0])
    assert not passed(comparison)
    assert not passed(comparison, spread=2.2e-5)
    check = comparison.check(2.3e-5)
    assert check is not None
    assert check.passed
    assert "float32 rule: missed by" in check.text
    assert "4 times the baselines' own error 2.3e-05: kept" in check.text


def test_golden_outputs_that_a_baseline_misses_decide_nothing() -> None:
    """An error of more than a thousandth of the largest golden output is no rounding: they are of another model."""
    comparison = compared([2.5, 1.0], [2.0, 1.0])
    assert passed(comparison, spread=0.0021) is None
    assert passed(comparison, spread=0.0019) is False
    assert passed(compared([2.0, 1.0], [2.0, 1.0]), spread=0.5) is True


def test_not_a_number() -> None:
    """NaN for a number is infinitely wrong; NaN for NaN and infinity for infinity are right."""
    assert compared([math.nan], [1.0]).worst == math.inf
    assert not passed(compared([math.nan], [1.0]), spread=1e-5)
    assert compared([math.nan, math.inf], [math.nan, math.inf]).worst == 0
    assert passed(compared([math.nan, math.inf], [math.nan, math.inf]))
    assert not passed(compared([1.0], [math.inf]))


def test_shapes_must_fit() -> None:
    """Golden files for another model are an error with both sizes."""
    with pytest.raises(DataError, match=r"golden outputs have \[3\] elements, the model's \[2\]"):
        compared([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match="golden outputs have"):
        GoldenComparison().add([np.zeros(2, np.float32)], [np.zeros(2, np.float32)] * 2, "step")


def test_without_golden_outputs() -> None:
    """Nothing compared means no figures and no check."""
    assert GoldenComparison().errors() is None
    assert GoldenComparison().check(None) is None
