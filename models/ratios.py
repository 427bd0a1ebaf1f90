"""Ratios to the baseline's time: from rounds in which both took turns, so that both met what slowed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.reports.events import SpeedRatio

_RESAMPLES: Final = 1000
_ENDS: Final = (2.5, 97.5)
_MOST_ROUNDS: Final = 2000


def latency_ratio(own_s: Sequence[float], baseline_s: Sequence[float]) -> SpeedRatio | None:
    """The median of the ratios of rounds, and its 95 % confidence interval by the bootstrap; None without any round.

    Round i is turn i of both, which is one sequence of the data. A few rounds that something disturbed move the
    median little. The seed is fixed: the same latencies give the same interval.
    """
    rounds = min(len(own_s), len(baseline_s), _MOST_ROUNDS)
    baseline = np.asarray(baseline_s[:rounds], np.float64)
    if not rounds or not baseline.all():
        return None
    ratios = np.asarray(own_s[:rounds], np.float64) / baseline
    drawn = np.random.default_rng(0).integers(0, rounds, (_RESAMPLES, rounds))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), _ENDS)
    return SpeedRatio(float(np.median(ratios)), float(low), float(high), rounds)
