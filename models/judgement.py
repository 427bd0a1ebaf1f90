"""The verdict on a driver's results for one model, given the baselines' results on the same inputs.

Figures are compared in :mod:`nnvet.models.comparing`, golden outputs in :mod:`nnvet.models.golden`; docs/models.md
(Judging) describes the rules for users and has to be kept true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from nnvet.models.comparing import Compared, compare_figures, differing_labels
from nnvet.models.contenders import is_baseline
from nnvet.models.evaluators import Evaluation
from nnvet.models.golden import GoldenComparison
from nnvet.models.results import BenchResult, CriterionResult
from nnvet.models.statistics import MARGINS, NOISE, SAME_TOP_1, ArithmeticKind
from nnvet.reports.events import Verdict


@dataclass
class Baselines:
    """Results of the baselines with which drivers are compared.

    LiteRT's two kernel sets round halves differently, and a deep network of codes amplifies the difference. Codes that
    miss the margin beside the first set are compared with the ``second`` set as well, which runs only then, since it is
    slow.
    """

    first: BenchResult | None
    kind: ArithmeticKind
    second: Callable[[], BenchResult | None] = field(default=lambda: None)

    @cached_property
    def _other(self) -> BenchResult | None:
        found = self.second() if self.kind is ArithmeticKind.CODES else None
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
        margin = min(MARGINS[SAME_TOP_1][self.kind], -apart)
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
    kind: ArithmeticKind,
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
        judged.append(_judged(result, comparison, spread, nearest if same_steps else None, beside + figures))
    return judged


def _judged(
    result: BenchResult,
    comparison: GoldenComparison,
    spread: float | None,
    baseline: BenchResult | None,
    beside: Compared,
) -> BenchResult:
    """Return one result with its checks; baselines and failed runs keep their verdict."""
    own = result.backend if is_baseline(result.backend) else ""
    golden = comparison.check(None if own else spread)
    checks = [_excused(golden, comparison, beside)] if golden else []
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
    """Keep only limits of an evaluation that decide something, and its messages only if such a limit is broken."""
    limits = {
        key: limit for (key, limit), check in zip(evaluation.limits.items(), checks, strict=True) if check.decides
    }
    broken = any(check.passed is False for check in checks)
    return replace(evaluation, limits=limits, errors=evaluation.errors if broken else ())


def _excused(golden: CriterionResult, comparison: GoldenComparison, beside: Compared) -> CriterionResult:
    """Make the check of codes undecided if correct arithmetic could be as far off as this driver.

    A driver may round to either neighbour in each layer, and a deep network amplifies the difference.
    """
    noise = next((comparison for comparison in beside.comparisons if comparison.metric == NOISE), None)
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
