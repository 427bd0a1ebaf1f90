"""Statistical check of RANDOM_MULTINOMIAL: class frequencies against the softmax of the logits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def worst_frequency(
    samples: npt.NDArray[Any], logits: npt.NDArray[Any], tolerance: float
) -> tuple[int, int, float, float] | None:
    """The worst (batch, class, expected, actual) whose frequency is off by more than ``tolerance``.

    ``samples`` is [batches, draws], ``logits`` [batches, classes]. A sample that is no class has an expected
    frequency of 0. None if all agree.
    """
    worst: tuple[int, int, float, float] | None = None
    for batch, (row, drawn) in enumerate(zip(logits.astype(np.float64), samples, strict=True)):
        weights = np.exp(row - row.max())
        expected = dict(enumerate((weights / weights.sum()).tolist()))
        values, counts = np.unique(drawn, return_counts=True)
        actual = dict(zip(values.tolist(), (counts / max(drawn.size, 1)).tolist(), strict=True))
        for label in expected.keys() | actual.keys():
            pair = expected.get(label, 0.0), actual.get(label, 0.0)
            off = abs(pair[0] - pair[1]) > tolerance or label not in expected
            if off and (worst is None or abs(pair[0] - pair[1]) > abs(worst[2] - worst[3])):
                worst = (batch, int(label), *pair)
    return worst
