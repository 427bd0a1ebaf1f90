"""Honest drivers of the study: each is near the exact result and another than its neighbours; each nasty number is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nnvet.oracle.bounds.liberties import DECLARED
from tools.oracle_study.code_drivers import round_half_away, round_half_even, round_half_up, round_twice
from tools.oracle_study.comparisons import Comparisons, compare
from tools.oracle_study.convolution_drivers import DRIVERS as CONVOLUTIONS
from tools.oracle_study.honest import FURTHER, HONEST
from tools.oracle_study.models import KINDS, make_models
from tools.oracle_study.nasty import CODES, FLOATS, NAMES, make_nasty_models
from tools.oracle_study.sum_drivers import RULES, sum_forward, sum_kahan

f32 = np.float32


def test_there_are_many_drivers_with_known_liberties() -> None:
    """Thirty at least, of different names, each with words and with liberties that there are."""
    names = [driver.name for driver in (*HONEST, *FURTHER)]
    assert len(set(names)) == len(names) >= 30
    assert all(driver.words for driver in FURTHER)
    assert {name for driver in FURTHER for name in driver.liberties} <= DECLARED.keys()
    assert len(NAMES) >= 10
    assert FLOATS.keys() == CODES.keys()


@pytest.mark.parametrize("name", RULES)
def test_sums_are_sums(name: str) -> None:
    """Each order gives the sum of 300 products to a few roundings of their magnitudes; the exact one is a fraction."""
    random = np.random.default_rng(1)
    first, second = (random.uniform(0.5, 1, (300, 7)).astype(f32) for _ in range(2))
    exact = [math.fsum(column) for column in (first.astype(np.float64) * second).T.tolist()]
    found = RULES[name][0](first, second)
    np.testing.assert_allclose(found, exact, rtol=300 * 2.0**-24)
    assert found.dtype == f32


def test_compensated_sums_are_nearer() -> None:
    """Kahan: two units of roundoff, where a plain sum of as many equal terms loses a hundred times as much."""
    ones, tenth = np.ones((3000, 1), f32), np.full((3000, 1), 0.1, f32)
    exact = 3000 * float(f32(0.1))
    assert abs(float(sum_kahan(ones, tenth)[0]) - exact) < exact * 2.0**-22
    assert abs(float(sum_forward(ones, tenth)[0]) - exact) > exact * 2.0**-20


@pytest.mark.parametrize(
    ("rounding", "wanted"),
    [(round_half_up, [3, -2, 2, -1]), (round_half_away, [3, -3, 2, -2]), (round_half_even, [2, -2, 2, -2])],
    ids=["up", "away", "even"],
)
def test_halves(rounding: object, wanted: list[int]) -> None:
    """Of 5/2, -5/2, 3/2 and -3/2."""
    assert rounding(np.array([5, -5, 3, -3]), 1).tolist() == wanted  # type: ignore[operator]


def test_two_roundings_are_not_one() -> None:
    """0.4999 is 0; rounded to 31 bits it is a half, which is 1."""
    nearly = np.array([(1 << 31) - 1 << 1])
    assert round_half_up(nearly, 33).tolist() == [0]
    assert round_twice(nearly, 33).tolist() == [1]


def test_fast_convolutions_take_what_they_are_for() -> None:
    """Windows of 3 by 3 with strides of 1 come from all, other windows from patches alone; none is blamed."""
    found = Comparisons()
    for sample in make_nasty_models(3, 1):
        if sample.test.name.startswith(("CONV_2D.3x3 TENSOR_FLOAT32", "CONV_2D.strided TENSOR_FLOAT32")):
            compare(sample, found, CONVOLUTIONS)
    assert found.alarms == []
    assert {name: count.singles for name, count in found.drivers.items()} == {
        "im2col": 2,
        "winograd-2": 1,
        "winograd-4": 1,
        "winograd-6": 1,
        "fft": 1,
    }


@pytest.mark.long
def test_no_driver_is_blamed_on_nasty_numbers() -> None:
    """A part of the study: every driver, two kinds of numbers that have shown faults of the bounds."""
    found = Comparisons()
    for piece in (NAMES.index("near overflow"), NAMES.index("infinities and NaN")):
        for number, sample in enumerate(make_nasty_models(7, piece)):
            if number % 4 == 0:
                compare(sample, found, (*HONEST, *FURTHER))
    assert found.total > 4000
    assert found.alarms == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_driver_has_models(kind: str) -> None:
    """Each takes a model of one of its kinds: no row of the table is empty."""
    drivers = [driver for driver in FURTHER if driver.kinds & {kind} and driver.name.startswith(("codes", "steps"))]
    found = Comparisons()
    for sample in make_models(0, kind):
        if sample.subject in {"FULLY_CONNECTED", "LOGISTIC", "MEAN", "SOFTMAX", "CONV_2D", "GROUPED_CONV_2D"}:
            compare(sample, found, drivers)
    assert found.alarms == []
    wanted = {driver.name for driver in drivers}
    unary = {name for name in wanted if "table" in name or "means" in name}
    assert found.drivers.keys() == (wanted - unary if kind == "per-channel" else wanted)
