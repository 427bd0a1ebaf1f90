"""Compares a driver's figures with the baseline's, example by example (docs/models.md, Judging).

The tests and margins are in :mod:`nnvet.models.statistics`; :mod:`nnvet.models.judgement` makes the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from nnvet.models.evaluators import Evaluation
from nnvet.models.results import CriterionResult
from nnvet.models.statistics import (
    ALPHA,
    MARGINS,
    NOISE,
    SAME_TOP_1,
    TOP_1,
    ArithmeticKind,
    Difference,
    Outputs,
    Yardstick,
    mcnemar,
    paired_means,
    paired_proportions,
    proportion_at_most,
)
from nnvet.reports.events import Comparison
from nnvet.reports.figures import figure_kind, figure_name

_DIFFERING_SHOWN: Final = 20


@dataclass(frozen=True)
class Compared:
    """Comparisons with the baseline, the resulting verdict on the driver, and evidence for the log."""

    comparisons: tuple[Comparison, ...] = ()
    checks: tuple[CriterionResult, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict)

    def __add__(self, other: Compared) -> Compared:
        """Return the comparisons of both, in this order."""
        return Compared(
            self.comparisons + other.comparisons, self.checks + other.checks, {**self.evidence, **other.evidence}
        )


def compare_figures(
    own: Evaluation, baseline: Evaluation, against: str, kind: ArithmeticKind, same_top_1: float | None = None
) -> Compared:
    """Compare every figure of single examples, on the examples that both backends have run.

    ``against`` names the baseline; ``same_top_1`` is the margin of equal labels, None for the table's.
    """
    found = Compared()
    for metric, values in own.by_example.items():
        others = baseline.by_example.get(metric, ())
        # Examples are run in one order, of which a slow backend may have less.
        shared = min(len(values), len(others))
        compare = _top_1 if metric == TOP_1 else partial(_mean, metric)
        if shared:
            found += compare(values[:shared], others[:shared], against, kind)
    shared = min(len(own.labels), len(baseline.labels))
    if shared:
        found += _same_top_1(own.labels[:shared], baseline.labels[:shared], against, kind, same_top_1)
    return found


def differing_labels(own: Evaluation, other: Evaluation) -> float | None:
    """Return the share of common examples whose labels differ; None if there is no common example."""
    pairs = list(zip(own.labels, other.labels, strict=False))
    return sum(label != another for label, another in pairs) / len(pairs) if pairs else None


def compare_noise(yardstick: Yardstick, outputs: Outputs, kind: ArithmeticKind) -> Compared:
    """Compare the noise of a backend's outputs with that of honest arithmetic."""
    noise = yardstick.measure(outputs)
    if not noise:
        return Compared()
    honest = [yardstick.noise_db[sequence] for sequence in noise]
    return _mean(NOISE, list(noise.values()), honest, "honest arithmetic", kind)


def _top_1(values: Sequence[float], others: Sequence[float], against: str, kind: ArithmeticKind) -> Compared:
    """Compare the shares of right pictures, using the pictures on which only one backend is right."""
    pairs = list(zip(values, others, strict=True))
    better, worse = (sum(pair == alone for pair in pairs) for alone in ((1.0, 0.0), (0.0, 1.0)))
    difference = paired_proportions(better, worse, len(pairs), MARGINS[TOP_1][kind])
    more = f"; {worse} right on {against} alone, {better} here alone, McNemar p {mcnemar(better, worse):.3g}"
    means = sum(values) / len(pairs), sum(others) / len(pairs)
    return _judged(TOP_1, means, difference, len(pairs), against, kind, more)


def _same_top_1(
    labels: Sequence[int], others: Sequence[int], against: str, kind: ArithmeticKind, margin: float | None
) -> Compared:
    """Return the share of pictures with the baseline's label, and the pictures with another label."""
    margin = MARGINS[SAME_TOP_1][kind] if margin is None else margin
    differing = [i for i, (own, other) in enumerate(zip(labels, others, strict=True)) if own != other]
    wrong = proportion_at_most(len(differing), len(labels), -margin)
    difference = Difference(-wrong.estimate, -wrong.high, -wrong.low, wrong.p_value)
    means = 1 - wrong.estimate, 1.0
    compared = _judged(SAME_TOP_1, means, difference, len(labels), against, kind, margin=margin)
    if not differing:
        return compared
    shown = [{"example": i, "label": labels[i], "label_of_baseline": others[i]} for i in differing[:_DIFFERING_SHOWN]]
    return compared + Compared(evidence={"differing_labels": shown, "differing_labels_total": len(differing)})


def _mean(
    metric: str, values: Sequence[float], others: Sequence[float], against: str, kind: ArithmeticKind
) -> Compared:
    """Return means of a figure over sequences."""
    # Where the baseline has no number, that says nothing of the driver.
    pairs = [(own, other) for own, other in zip(values, others, strict=True) if math.isfinite(other)]
    if not pairs:
        return Compared()
    differences = [own - other for own, other in pairs]
    difference = paired_means(differences, MARGINS[metric][kind])
    own, other = (math.fsum(series) / len(pairs) for series in zip(*pairs, strict=True))
    return _judged(metric, (own, other), difference, len(pairs), against, kind)


def _judged(
    metric: str,
    means: tuple[float, float],
    difference: Difference,
    examples: int,
    against: str,
    kind: ArithmeticKind,
    more: str = "",
    margin: float | None = None,
) -> Compared:
    """Return a comparison, which fails if the whole confidence interval is beyond the margin (default: the table's)."""
    allowed = MARGINS[metric][kind] if margin is None else margin
    own, other = means
    comparison = Comparison(
        metric, own, other, difference.estimate, difference.low, difference.high, difference.p_value, allowed, examples
    )
    figure = figure_kind(metric)
    ends = (figure.show_difference(difference.low), figure.show_difference(difference.high))
    interval = "" if difference.p_value is None else f" ({ends[0]} to {ends[1]})"
    text = (
        f"{figure.show_briefly(own)}, {against} {figure.show_briefly(other)}: "
        f"difference {figure.show_difference(difference.estimate)}{interval}, "
        f"allowed {figure.show_difference(allowed)}, {examples} examples{more}"
    )
    passed = None if difference.p_value is None else difference.p_value >= ALPHA
    return Compared((comparison,), (CriterionResult(f"{figure_name(metric)} beside {against}", passed, text),))
