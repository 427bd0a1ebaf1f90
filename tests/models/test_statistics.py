"""The statistics behind verdicts, against SciPy's figures, second implementations, and simulated drivers.

Constants called SCIPY come from SciPy 1.x (``scipy.stats`` and ``scipy.special``), which nnvet does not need.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from nnvet.models.statistics import (
    ALPHA,
    binomial_tail,
    incomplete_beta,
    mcnemar,
    paired_means,
    paired_proportions,
    proportion_at_most,
    student_cdf,
    student_quantile,
    tango_z,
)


@pytest.mark.parametrize(
    ("a", "b", "x", "value"),
    [
        (0.5, 0.5, 0.3, 0.36901011956554536),
        (10, 3, 0.8, 0.5583457484800002),
        (300, 2, 0.99, 0.19616357628514303),
        (5, 1000, 0.004, 0.374294910445967),
        (2000, 2000, 0.51, 0.8970569016647708),
    ],
)
def test_incomplete_beta(a: float, b: float, x: float, value: float) -> None:
    """SCIPY: special.betainc."""
    assert incomplete_beta(a, b, x) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(
    ("value", "degrees", "probability"),
    [(-2.5, 1, 0.12111894159084341), (0.3, 7, 0.6135549747989328), (-8, 3, 0.002038288793892733), (0, 5, 0.5)],
)
def test_student(value: float, degrees: int, probability: float) -> None:
    """SCIPY: stats.t.cdf; the quantile is its inverse, 12.706 for one degree (any table of t)."""
    assert student_cdf(value, degrees) == pytest.approx(probability, rel=1e-12)
    assert student_quantile(0.975, 1) == pytest.approx(12.706204736174694, rel=1e-10)
    assert student_quantile(0.95, 30) == pytest.approx(1.6972608865939574, rel=1e-10)


@pytest.mark.parametrize(
    ("hits", "count", "share"), [(3, 10, 0.2), (0, 5, 0.1), (5, 5, 0.5), (6, 5, 0.5), (1, 12, 0.01)]
)
def test_binomial_tail_is_the_sum(hits: int, count: int, share: float) -> None:
    """As the sum of the terms from ``hits`` on."""
    terms = [math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(hits, count + 1)]
    assert binomial_tail(hits, count, share) == pytest.approx(math.fsum(terms), abs=1e-14)


def test_mcnemar() -> None:
    """Of 20 discordant pairs 15 or more against the driver: the sum of the binomial terms over 2^20."""
    assert mcnemar(5, 15) == pytest.approx(sum(math.comb(20, k) for k in range(15, 21)) / 2**20)
    assert mcnemar(0, 0) == 1.0


def test_clopper_pearson() -> None:
    """SCIPY: stats.binomtest(7, 300), proportion_ci(0.95), and alternative='greater' against 0.02."""
    found = proportion_at_most(7, 300, 0.02)
    assert found.low == pytest.approx(0.009431502061794793)
    assert found.high == pytest.approx(0.047482565029754537)
    assert found.p_value == pytest.approx(0.39369175435772624)
    none, all_ = proportion_at_most(0, 300, 0.02), proportion_at_most(5, 5, 0.02)
    # None of n, with one end: 1 - alpha^(1/n), the closed form.
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.05 ** (1 / 300)))
    assert (all_.low, all_.high) == (pytest.approx(0.05 ** (1 / 5)), 1.0)


def test_paired_means() -> None:
    """SCIPY: stats.ttest_1samp(values, 0.25, alternative='greater') and its interval; mirrored, the same."""
    values = [0.5, 1.25, -0.25, 2.0, 0.75, 1.5]
    found, mirrored = paired_means(values, 0.25), paired_means([-value for value in values], -0.25)
    assert (found.low, found.high) == (pytest.approx(0.12179641880541425), pytest.approx(1.7948702478612524))
    assert found.p_value == mirrored.p_value == pytest.approx(0.04072944467446844)
    assert (mirrored.low, mirrored.high) == (-found.high, -found.low)


def test_means_of_few_or_equal_differences() -> None:
    """One difference is no test; equal ones leave no doubt; what is no number is as bad as can be."""
    assert paired_means([5.0], 1.0).p_value is None
    assert paired_means([0.5, 0.5, 0.5], 1.0).p_value == 1.0
    assert paired_means([1.5, 1.5, 1.5], 1.0).p_value == 0.0
    assert paired_means([0.0, 0.0], 1.0).p_value == 1.0
    assert paired_means([math.inf, 0.0], 1.0).p_value == 0.0
    assert paired_means([math.nan, 0.0], 1.0).p_value == 0.0


def score_by_search(better: int, worse: int, n: int, delta: float) -> float:
    """The score statistic from its definition: the likeliest shares of pairs that differ by delta, by a fine grid."""
    shares = np.linspace(max(0.0, -delta), (1 - delta) / 2, 2_000_001)[1:-1]  # of those right on the other alone
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = (n - better - worse) * np.log(1 - 2 * shares - delta)
        likelihood += worse * np.log(shares) + better * np.log(shares + delta)
    share = float(shares[np.nanargmax(likelihood)])
    return (better - worse - n * delta) / math.sqrt(n * (2 * share + delta - delta * delta))


@pytest.mark.parametrize(("better", "worse", "n"), [(2, 12, 300), (9, 20, 1000), (5, 5, 40), (1, 30, 200)])
@pytest.mark.parametrize("delta", [-0.01, -0.1, 0.02])
def test_score_statistic(better: int, worse: int, n: int, delta: float) -> None:
    """Tango's closed form is the statistic that a search of the likelihood finds."""
    assert tango_z(better, worse, n, delta) == pytest.approx(score_by_search(better, worse, n, delta), rel=1e-3)


def test_interval_of_proportions() -> None:
    """Its ends are where the statistic is 1.96; it is mirrored when both backends are exchanged."""
    found, other = paired_proportions(2, 12, 300, -0.01), paired_proportions(12, 2, 300, -0.01)
    assert tango_z(2, 12, 300, found.low) == pytest.approx(1.959963984540054, rel=1e-6)
    assert tango_z(2, 12, 300, found.high) == pytest.approx(-1.959963984540054, rel=1e-6)
    assert (other.low, other.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
    assert found.p_value is not None
    assert (found.p_value < ALPHA) is (found.high < -0.01)


def test_nothing_and_everything_differs() -> None:
    """No discordant pair is no loss; all pictures lost is one."""
    same, lost = paired_proportions(0, 0, 300, -0.01), paired_proportions(0, 300, 300, -0.01)
    assert same.estimate == 0
    assert same.low == pytest.approx(-same.high)
    assert same.p_value is not None
    assert same.p_value > 0.5
    assert lost.high < -0.9
    assert lost.p_value is not None
    assert lost.p_value < 1e-30


@pytest.mark.parametrize(("loss", "fails"), [(0.0, (0.0, 0.001)), (0.01, (0.0, 0.035)), (0.035, (0.85, 1.0))])
def test_verdicts_on_simulated_drivers(loss: float, fails: tuple[float, float]) -> None:
    """Of 2000 drivers that lose the margin exactly about 2.5 % fail, of honest ones none, of much worse ones most.

    1000 pictures each; beside the loss one picture in a hundred differs by chance, half of them for the better.
    """
    rng = np.random.default_rng(7)
    chance = 0.005
    counts = rng.multinomial(1000, [chance, chance + loss, 1 - 2 * chance - loss], 2000)
    verdicts = [(paired_proportions(int(b), int(w), 1000, -0.01).p_value or 0.0) < ALPHA for b, w, _ in counts]
    assert fails[0] <= np.mean(verdicts) <= fails[1]
