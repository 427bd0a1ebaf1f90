"""Tests of paired figures: whether a driver is worse than the baseline on the same examples by more than a margin.

Formulas: Tango, Statistics in Medicine 17 (1998) 891, equations 6 to 9, for proportions; McNemar's test in its exact
form; Clopper and Pearson, Biometrika 26 (1934) 404, for one proportion; Student's t for means. Student's t and the
binomial distribution are the incomplete beta function (DLMF 8.17.22, by Lentz's method).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

CONFIDENCE: Final = 0.95
"""Of two-sided intervals."""
ALPHA: Final = (1 - CONFIDENCE) / 2
"""Of one-sided tests: what is below it lies with the whole two-sided interval beyond the margin."""
_ITERATIONS: Final = 300
_BISECTIONS: Final = 100
_TINY: Final = 1e-300
_ENOUGH: Final = 1e-15


@dataclass(frozen=True)
class Difference:
    """An estimate, the ends of its 95 % confidence interval, and the p-value of no loss beyond the margin."""

    estimate: float
    low: float
    high: float
    p_value: float | None


def paired_proportions(better: int, worse: int, examples: int, margin: float) -> Difference:
    """Difference of two shares of the same examples: ``better`` are right here alone, ``worse`` there alone.

    ``margin`` is the worst difference allowed, not above 0.
    """
    low = _root(lambda delta: tango_z(better, worse, examples, delta) - _Z, -1.0, 1.0)
    high = _root(lambda delta: tango_z(better, worse, examples, delta) + _Z, -1.0, 1.0)
    p_value = normal_cdf(tango_z(better, worse, examples, margin))
    return Difference((better - worse) / examples, low, high, p_value)


def tango_z(better: int, worse: int, examples: int, difference: float) -> float:
    """Tango's score statistic: how many standard deviations the observed difference is above ``difference``."""
    n, delta = examples, difference
    # The share of those that only the other has right, most likely if the difference is what is assumed.
    b = (2 * n - better + worse) * delta - better - worse
    c = -worse * delta * (1 - delta)
    share = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
    variance = n * (2 * share + delta * (1 - delta))
    distance = better - worse - n * delta
    if variance <= _TINY:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def mcnemar(better: int, worse: int) -> float:
    """Exact one-sided p-value of McNemar's test: as many or more of the discordant pairs worse, by chance alone."""
    return binomial_tail(worse, better + worse, 0.5)


def proportion_at_most(hits: int, examples: int, limit: float) -> Difference:
    """A share with its Clopper-Pearson interval, and the exact p-value of its being at most ``limit``.

    The interval of none and of all has one end, which gets the whole error of 5 %.
    """
    error = 1 - CONFIDENCE if hits in (0, examples) else ALPHA
    low, high = 0.0, 1.0
    if hits:
        low = _root(lambda share: error - binomial_tail(hits, examples, share), 0.0, 1.0)
    if hits < examples:
        high = _root(lambda share: 1 - error - binomial_tail(hits + 1, examples, share), 0.0, 1.0)
    return Difference(hits / examples, low, high, binomial_tail(hits, examples, limit))


def paired_means(differences: Sequence[float], margin: float) -> Difference:
    """The mean of differences by Student's t. A positive margin is the largest mean allowed, others the least.

    One difference has no interval and no p-value; differences that are all equal have nothing but themselves.
    """
    values = np.asarray(differences, np.float64)
    mean, count = float(values.mean()), values.size
    beyond = mean - margin if margin > 0 else margin - mean
    if count == 1 or not math.isfinite(mean):
        return Difference(mean, -math.inf, math.inf, None if math.isfinite(mean) else 0.0)
    error = float(values.std(ddof=1)) / math.sqrt(count)
    if error <= abs(mean) * _ENOUGH:
        return Difference(mean, mean, mean, 0.0 if beyond > 0 else 1.0)
    half = error * student_quantile(1 - ALPHA, count - 1)
    return Difference(mean, mean - half, mean + half, student_cdf(-beyond / error, count - 1))


def normal_cdf(value: float) -> float:
    """Probability of a standard normal number at most ``value``."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


def student_cdf(value: float, degrees: float) -> float:
    """Probability of a number at most ``value`` under Student's t."""
    tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + value * value))
    return tail if value < 0 else 1 - tail


def student_quantile(probability: float, degrees: float) -> float:
    """The number that Student's t is at most with a probability from 0.5 below 1."""
    high = 1.0
    while student_cdf(high, degrees) < probability:
        high *= 2
    return _root(lambda value: probability - student_cdf(value, degrees), 0.0, high)


def binomial_tail(hits: int, count: int, share: float) -> float:
    """Probability of ``hits`` or more among ``count`` independent examples that each hit with probability ``share``."""
    if hits <= 0:
        return 1.0
    return 0.0 if hits > count else incomplete_beta(hits, count - hits + 1, share)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for positive a and b and x from 0 to 1."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / (a * _continued_fraction(a, b, x))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """1 + d1/(1 + d2/(1 + …)) of DLMF 8.17.22."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, _ITERATIONS):
        m, odd = divmod(step, 2)
        if odd:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + term * d or _TINY)
        c = 1 + term / c or _TINY
        value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a function that falls, by bisection."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


_Z: Final = _root(lambda value: 1 - ALPHA - normal_cdf(value), 0.0, 10.0)
"""1.96: quantile of the normal distribution."""
