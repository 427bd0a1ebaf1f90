"""Statistics of latencies, as the benchmark reports them."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from nnvet.reports.events import Histogram, Latency

BUCKETS: Final = 32


def summarise(latencies_s: Sequence[float]) -> Latency:
    """Sum, mean, population standard deviation, quantiles and histogram of latencies in seconds.

    Quantiles interpolate linearly between neighbours. Without latencies every figure is 0.

    :raises ValueError: a latency is negative, infinite or NaN.
    """
    values = np.asarray(latencies_s, dtype=np.float64)
    if not values.size:
        return Latency(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, Histogram(0.0, 0.0, (0,) * BUCKETS), 0.0)
    if not (np.isfinite(values).all() and values.min() >= 0):
        raise ValueError("latencies must be finite and not negative; check the clock that measured them")
    total = math.fsum(values)
    mean = total / values.size
    p10, p50, p90, p99 = (float(quantile) for quantile in np.percentile(values, (10, 50, 90, 99)))
    return Latency(
        iterations=values.size,
        total_s=total,
        mean_s=mean,
        std_dev_s=math.sqrt(math.fsum((values - mean) ** 2) / values.size),
        min_s=float(values.min()),
        max_s=float(values.max()),
        p50_s=p50,
        p90_s=p90,
        p99_s=p99,
        histogram=histogram(values.tolist()),
        p10_s=p10,
    )


def histogram(values: Sequence[float]) -> Histogram:
    """32 buckets of (maximum - minimum) / 31 from the minimum on; equal values all fall into the first."""
    start = min(values)
    step = (max(values) - start) / (BUCKETS - 1)
    counts = [0] * BUCKETS
    for value in values:
        # Rounding can bring the maximum to either side of 31; a range too small to divide has step 0.
        counts[min(int((value - start) / step), BUCKETS - 1) if step else 0] += 1
    return Histogram(start, step, tuple(counts))
