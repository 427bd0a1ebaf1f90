"""What decides: golden codes where honest arithmetic is near them, limits that the baseline keeps."""

from __future__ import annotations

import numpy as np
import pytest

from nnvet.models.comparing import Compared, compare_figures
from nnvet.models.evaluators import Evaluation
from nnvet.models.golden import GoldenComparison
from nnvet.models.judgement import judge
from nnvet.models.margins import ArithmeticKind
from nnvet.models.results import BenchResult, measurement_event
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
