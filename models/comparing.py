"""Verdicts on a driver's results for one model: :func:`judge` compares its figures with those of the baselines.

The comparison goes example by example. The rules are in docs/models.md, Judging; the statistical tests are in
:mod:`nnvet.models.statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from nnvet.models import statistics
from nnvet.models.contenders import is_baseline
from nnvet.models.evaluation import Evaluation
from nnvet.models.golden import GoldenComparison
from nnvet.models.results import BenchResult, CriterionResult
from nnvet.reports.events import Comparison, Verdict
from nnvet.reports.figures import figure_kind, figure_name

_DIFFERING_SHOWN: Final = 20
"""Most pictures with another label that the evidence names."""


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
    own: Evaluation,
    baseline: Evaluation,
    against: str,
    kind: statistics.ArithmeticKind,
    same_top_1: float | None = None,
) -> Compared:
    """Compare every figure that single examples have, on the examples that both backends have run.

    ``against`` names the baseline; ``same_top_1`` is the margin of equal labels (None: that of the table).
    """
    found = Compared()
    for metric, values in own.by_example.items():
        others = baseline.by_example.get(metric, ())
        # All backends run the examples in the same order; a slow one may have run fewer.
        shared = min(len(values), len(others))
        compare = _top_1 if metric == statistics.TOP_1 else partial(_mean, metric)
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


def compare_noise(
    yardstick: statistics.Yardstick, outputs: statistics.Outputs, kind: statistics.ArithmeticKind
) -> Compared:
    """Compare the noise of a backend's outputs with that of honest arithmetic."""
    noise = yardstick.measure(outputs)
    if not noise:
        return Compared()
    honest = [yardstick.noise_db[sequence] for sequence in noise]
    return _mean(statistics.NOISE, list(noise.values()), honest, "honest arithmetic", kind)


def _top_1(values: Sequence[float], others: Sequence[float], against: str, kind: statistics.ArithmeticKind) -> Compared:
    """Compare the shares of right pictures, using the pictures on which only one backend is right."""
    pairs = list(zip(values, others, strict=True))
    better, worse = (sum(pair == alone for pair in pairs) for alone in ((1.0, 0.0), (0.0, 1.0)))
    difference = statistics.paired_proportions(better, worse, len(pairs), statistics.MARGINS[statistics.TOP_1][kind])
    more = f"; {worse} right on {against} alone, {better} here alone, McNemar p {statistics.mcnemar(better, worse):.3g}"
    means = sum(values) / len(pairs), sum(others) / len(pairs)
    return _judge_difference(statistics.TOP_1, means, difference, len(pairs), against, kind, more)


def _same_top_1(
    labels: Sequence[int], others: Sequence[int], against: str, kind: statistics.ArithmeticKind, margin: float | None
) -> Compared:
    """Return the share of pictures with the baseline's label, and the pictures with another label."""
    margin = statistics.MARGINS[statistics.SAME_TOP_1][kind] if margin is None else margin
    differing = [i for i, (own, other) in enumerate(zip(labels, others, strict=True)) if own != other]
    wrong = statistics.proportion_at_most(len(differing), len(labels), -margin)
    difference = statistics.Difference(-wrong.estimate, -wrong.high, -wrong.low, wrong.p_value)
    means = 1 - wrong.estimate, 1.0
    compared = _judge_difference(statistics.SAME_TOP_1, means, difference, len(labels), against, kind, margin=margin)
    if not differing:
        return compared
    shown = [{"example": i, "label": labels[i], "label_of_baseline": others[i]} for i in differing[:_DIFFERING_SHOWN]]
    return compared + Compared(evidence={"differing_labels": shown, "differing_labels_total": len(differing)})


def _mean(
    metric: str, values: Sequence[float], others: Sequence[float], against: str, kind: statistics.ArithmeticKind
) -> Compared:
    """Return means of a figure over sequences."""
    # A missing number of the baseline says nothing about the driver.
    pairs = [(own, other) for own, other in zip(values, others, strict=True) if math.isfinite(other)]
    if not pairs:
        return Compared()
    differences = [own - other for own, other in pairs]
    difference = statistics.paired_means(differences, statistics.MARGINS[metric][kind])
    own, other = (math.fsum(series) / len(pairs) for series in zip(*pairs, strict=True))
    return _judge_difference(metric, (own, other), difference, len(pairs), against, kind)


def _judge_difference(
    metric: str,
    means: tuple[float, float],
    difference: statistics.Difference,
    examples: int,
    against: str,
    kind: statistics.ArithmeticKind,
    more: str = "",
    margin: float | None = None,
) -> Compared:
    """Return a comparison, which fails if the whole confidence interval is beyond the margin.

    ``margin`` None stands for the margin of the table in :mod:`nnvet.models.statistics`.
    """
    allowed = statistics.MARGINS[metric][kind] if margin is None else margin
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
    passed = None if difference.p_value is None else difference.p_value >= statistics.ALPHA
    return Compared((comparison,), (CriterionResult(f"{figure_name(metric)} beside {against}", passed, text),))


@dataclass
class Baselines:
    """Results of the baselines with which drivers are compared.

    LiteRT's two kernel sets round halves differently, and a deep network of codes amplifies the difference. Codes that
    miss the margin beside the first set are compared with the ``second`` set as well, which runs only then, since it is
    slow.
    """

    first: BenchResult | None
    kind: statistics.ArithmeticKind
    second: Callable[[], BenchResult | None] = field(default=lambda: None)

    @cached_property
    def _other(self) -> BenchResult | None:
        found = self.second() if self.kind is statistics.ArithmeticKind.CODES else None
        return found if found and found.evaluation else None

    def compare(self, result: BenchResult) -> tuple[BenchResult | None, Compared]:
        """Return the baseline that the driver is nearest to, and the comparison with it."""
        first, own = self.first, result.evaluation
        if first is None or first.evaluation is None or own is None or is_baseline(result.backend):
            return first, Compared()
        compared = compare_figures(own, first.evaluation, first.backend, self.kind)
        if _holds(compared) or (other := self._other) is None or other.evaluation is None:
            return first, compared
        # Two right kernel sets show by how much rounding alone changes labels: no driver can be asked for less.
        apart = differing_labels(first.evaluation, other.evaluation) or 0.0
        margin = min(statistics.MARGINS[statistics.SAME_TOP_1][self.kind], -apart)
        candidates = [
            (_holds(beside), -(differing_labels(own, evaluation) or 0.0), baseline, beside)
            for baseline, evaluation in ((first, first.evaluation), (other, other.evaluation))
            for beside in (compare_figures(own, evaluation, baseline.backend, self.kind, margin),)
        ]
        *_, nearest, beside = max(candidates, key=lambda candidate: candidate[:2])
        sets = [first.backend, other.backend]
        return nearest, beside + Compared(
            evidence={"kernel_sets": sets, "labels_apart": apart, "nearest": nearest.backend}
        )


def _holds(compared: Compared) -> bool:
    """Return True if no figure is certain to be worse than its margin allows."""
    return all(check.passed is not False for check in compared.checks)


def judge(
    results: Sequence[BenchResult],
    comparisons: Sequence[GoldenComparison],
    noise: Sequence[Compared],
    kind: statistics.ArithmeticKind,
    *,
    same_steps: bool,
    second: Callable[[], BenchResult | None] = lambda: None,
) -> list[BenchResult]:
    """Return results with checks and final verdicts; ``comparisons`` and ``noise`` belong to the results, in order.

    ``same_steps`` is True if all backends were scored on the same inputs, ``kind`` is the model's arithmetic, and
    ``second`` runs the baseline's other kernel set on the same inputs; it is called once at most.
    """
    finished = [
        (result, comparison)
        for result, comparison in zip(results, comparisons, strict=True)
        if is_baseline(result.backend) and result.verdict is Verdict.PASS
    ]
    spread = max((comparison.worst for _, comparison in finished if comparison.steps), default=None)
    evaluated = [result for result, _ in finished if result.evaluation]
    if len(evaluated) > 1:
        baselines = Baselines(evaluated[0], kind, lambda: evaluated[1])
    else:
        baselines = Baselines(evaluated[0] if evaluated else None, kind, second)
    judged = []
    for result, comparison, beside in zip(results, comparisons, noise, strict=True):
        nearest, figures = baselines.compare(result)
        judged.append(_add_checks(result, comparison, spread, nearest if same_steps else None, beside + figures))
    return judged


def _add_checks(
    result: BenchResult,
    comparison: GoldenComparison,
    spread: float | None,
    baseline: BenchResult | None,
    beside: Compared,
) -> BenchResult:
    """Return one result with its checks; baselines and failed runs keep their verdict."""
    own = result.backend if is_baseline(result.backend) else ""
    golden = comparison.check(None if own else spread)
    checks = [_excuse(golden, comparison, beside)] if golden else []
    reference = None if own or baseline is None else baseline
    if result.compilation.error:
        checks.append(CriterionResult("compilation", False, result.compilation.error))
    if result.evaluation:
        limits = _limit_checks(result.evaluation, reference)
        checks += limits
        result = replace(result, evaluation=_deciding(result.evaluation, limits))
    checks += beside.checks
    result = replace(
        result,
        checks=tuple(checks),
        comparisons=beside.comparisons,
        evidence={**result.evidence, **beside.evidence},
    )
    if result.verdict is not Verdict.PASS or own:
        return result
    failed = [check for check in checks if check.passed is False]
    if failed:
        return replace(result, verdict=Verdict.FAIL, reason="; ".join(f"{c.name}: {c.text}" for c in failed))
    if not any(check.passed for check in checks):
        undecided = "".join(f"; {check.name}: {check.text}" for check in checks)
        return replace(
            result, verdict=Verdict.NOT_RUN, reason=f"measured, but there is nothing to judge it by{undecided}"
        )
    return result


def _deciding(evaluation: Evaluation, checks: Sequence[CriterionResult]) -> Evaluation:
    """Return the evaluation with the limits that decide something; with its messages only if such a limit is broken."""
    limits = {
        key: limit for (key, limit), check in zip(evaluation.limits.items(), checks, strict=True) if check.decides
    }
    broken = any(check.passed is False for check in checks)
    return replace(evaluation, limits=limits, errors=evaluation.errors if broken else ())


def _excuse(golden: CriterionResult, comparison: GoldenComparison, beside: Compared) -> CriterionResult:
    """Make the check of codes undecided if correct arithmetic could be as far off as this driver.

    A driver may round to either neighbour in each layer, and a deep network amplifies the difference.
    """
    noise = next((comparison for comparison in beside.comparisons if comparison.metric == statistics.NOISE), None)
    if golden.passed or comparison.is_float or noise is None or not noise.difference <= noise.margin:
        return golden
    text = (
        f"{golden.text}; outputs are {noise.difference:+.1f} dB as noisy as honest arithmetic, {noise.margin:g} allowed"
    )
    return replace(golden, passed=None, text=text)


def _limit_checks(evaluation: Evaluation, baseline: BenchResult | None) -> list[CriterionResult]:
    """Check the evaluator's own limits. A limit that the baseline breaks, too, decides nothing: the data may be bad."""
    checks = []
    for key, limit in evaluation.limits.items():
        value = evaluation.values[key]
        text = f"{value:.6g}, limit {'>=' if limit.at_most is None else '<='} " + (
            f"{limit.at_least:.6g}" if limit.at_most is None else f"{limit.at_most:.6g}"
        )
        passed: bool | None = limit.holds(value)
        if not passed and baseline and baseline.evaluation and not limit.holds(baseline.evaluation.values[key]):
            passed = None
            text += f"; {baseline.backend} breaks it too with {baseline.evaluation.values[key]:.6g} on the same inputs"
        checks.append(CriterionResult(key, passed, text))
    return checks
