"""Decisive figures: golden codes where honest arithmetic is near them, limits that the baseline keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from nnvet.models.comparing import Compared, compare_figures, judge
from nnvet.models.evaluation import Evaluation
from nnvet.models.golden import GoldenComparison
from nnvet.models.results import BenchResult, measurement_event
from nnvet.models.statistics import ArithmeticKind
from nnvet.reports.events import Comparison, Limit, Verdict


def noise(difference: float) -> Compared:
    """Outputs that are so many dB noisier than honest arithmetic, with the margin of codes."""
    return Compared((Comparison("output_noise_db", difference, 0.0, difference, -99.0, 99.0, 0.5, 6.0, 2),))


@pytest.mark.parametrize(("difference", "verdict"), [(5.0, Verdict.NOT_RUN), (7.0, Verdict.FAIL)])
def test_golden_codes_beyond_the_rule(difference: float, verdict: Verdict) -> None:
    """Four codes off decide nothing of outputs as noisy as honest ones may be, and fail others."""
    golden = GoldenComparison()
    golden.add([np.asarray([14], np.uint8)], [np.asarray([10], np.uint8)], "here")
    (result,) = judge(
        [BenchResult("m", "nnvet:d", Verdict.PASS)],
        [golden],
        [noise(difference)],
        ArithmeticKind.CODES,
        same_steps=True,
    )
    assert result.verdict is verdict
    assert "three codes: missed by 1" in result.checks[0].text
    assert ("dB as noisy as honest arithmetic" in result.checks[0].text) is (difference < 6)


@pytest.mark.parametrize(("value", "kept"), [(0.3, {}), (0.45, {"top_1": Limit(at_least=0.4)})])
def test_limits_that_the_baseline_breaks(value: float, kept: dict[str, Limit]) -> None:
    """They are not the driver's: the log has no limit, and no sentence of a broken one, that decides nothing."""
    limits = {"top_1": Limit(at_least=0.4)}

    def result(backend: str, top_1: float) -> BenchResult:
        said = () if top_1 >= 0.4 else ("far below",)
        return BenchResult("m", backend, Verdict.PASS, evaluation=Evaluation({"top_1": top_1}, limits, said))

    results = [result("LiteRT", 0.3), result("nnvet:d", value)]
    judged = judge(results, [GoldenComparison()] * 2, [noise(0.0), noise(0.0)], ArithmeticKind.FLOAT32, same_steps=True)
    event = measurement_event(judged[1])
    assert event.limits == kept
    assert event.validation_errors == ()


def test_a_check_says_figures_and_difference_with_their_units() -> None:
    """Three and two of four pictures are 75 and 50 %, 25 points apart, where one point less is allowed."""
    own, other = (
        Evaluation({}, by_example={"top_1": values}) for values in ((1.0, 1.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0))
    )
    (check,) = compare_figures(own, other, "LiteRT", ArithmeticKind.FLOAT32).checks
    assert (check.name, check.passed) == ("top 1 beside LiteRT", True)
    assert check.text.startswith("75.0 %, LiteRT 50.0 %: difference +25 pp (")
    assert "allowed -1 pp, 4 examples" in check.text


PICTURES = 400
OPTIMISED = [0] * PICTURES
REFERENCE = [1] * 60 + [0] * (PICTURES - 60)
"""Labels of two kernel sets that differ in 15 % of the pictures, by rounding alone."""


def labelled(backend: str, labels: Sequence[int]) -> BenchResult:
    """A result whose labels are all that is known; half of all pictures are of class 0 with either kernel set."""
    return BenchResult("m", backend, Verdict.PASS, evaluation=Evaluation({}, labels=tuple(labels)))


def judge_labels(labels: Sequence[int], kind: ArithmeticKind, second: Callable[[], BenchResult | None]) -> BenchResult:
    """The judged result of a driver beside LiteRT's optimised kernels."""
    results = [labelled("LiteRT", OPTIMISED), labelled("nnvet:d", labels)]
    return judge(results, [GoldenComparison()] * 2, [Compared()] * 2, kind, same_steps=True, second=second)[1]


@pytest.mark.parametrize(
    ("labels", "verdict", "nearest"),
    [
        (REFERENCE, Verdict.PASS, "LiteRT reference kernels"),
        # A third right rounding: 10 % beside the first set, 25 % beside the second, which are 15 % apart.
        ([0] * (PICTURES - 40) + [1] * 40, Verdict.PASS, "LiteRT"),
        # Nothing that two right kernel sets differ by: 40 % beside either.
        ([2] * 160 + [0] * (PICTURES - 160), Verdict.FAIL, "LiteRT"),
    ],
)
def test_codes_are_right_beside_either_kernel_set(labels: Sequence[int], verdict: Verdict, nearest: str) -> None:
    """The margin is the distance of the two sets; the check names the set that the driver is held against."""
    result = judge_labels(labels, ArithmeticKind.CODES, lambda: labelled("LiteRT reference kernels", REFERENCE))
    assert result.verdict is verdict
    assert result.evidence["nearest"] == nearest
    assert result.evidence["labels_apart"] == 0.15
    assert [check.name for check in result.checks] == [f"same top 1 beside {nearest}"]
    assert result.comparisons[0].margin == -0.15


@pytest.mark.parametrize(
    ("labels", "kind", "verdict"),
    [(REFERENCE, ArithmeticKind.FLOAT32, Verdict.FAIL), (OPTIMISED, ArithmeticKind.CODES, Verdict.PASS)],
)
def test_the_second_kernel_set_runs_only_for_codes_that_need_it(
    labels: Sequence[int], kind: ArithmeticKind, verdict: Verdict
) -> None:
    """Float networks have one right answer, and codes within the margin need no second opinion."""

    def second() -> BenchResult | None:
        pytest.fail("the reference kernels were run")

    assert judge_labels(labels, kind, second).verdict is verdict


def test_without_a_second_kernel_set_the_table_decides() -> None:
    """LiteRT may refuse the model with its reference kernels."""
    result = judge_labels(REFERENCE, ArithmeticKind.CODES, lambda: None)
    assert (result.verdict, result.comparisons[0].margin) == (Verdict.FAIL, -0.05)


def test_robust_networks_keep_their_margin() -> None:
    """Kernel sets that agree leave the 5 % of the table, also where it takes the second set to see it."""
    result = judge_labels(REFERENCE, ArithmeticKind.CODES, lambda: labelled("LiteRT reference kernels", OPTIMISED))
    assert (result.verdict, result.comparisons[0].margin) == (Verdict.FAIL, -0.05)
