"""All models of a benchmark in one chart. Expected figures: by hand from the latencies of the test."""

import math

import pytest

from nnvet.reports.events import Comparison, Limit, Measurement
from nnvet.reports.figures import standing, summarise
from nnvet.reports.html.overview import Overview, build_overview


def comparison(low: float, high: float, metric: str = "top_1", margin: float = -0.01) -> Comparison:
    """A comparison with nothing but its interval."""
    return Comparison(metric, 0.475, 0.5, (low + high) / 2, low, high, None, margin, 100)


@pytest.fixture
def overview() -> Overview:
    """Two drivers beside a baseline: on a toy, on a model that one of them does not run, and on one of 3 classes."""

    def all_of(model: str, times: tuple[float, float, float], **facts: object) -> list[Measurement]:
        names = ("LiteRT", "nnvet:fast", "nnvet:slow")
        return [
            Measurement(model, name, summarise([time]), family="Nets", accuracy={"top_1": 0.5}, **facts)
            for name, time in zip(names, times, strict=True)
        ]

    found = build_overview(
        [
            *all_of("toy", (1e-5, 1e-3, 1e-3), toy=True),
            *all_of("net_1", (0.01, 0.005, 0.1)),
            *all_of("net_2", (0.01, 0.02, 0.1))[:2],
            Measurement("net_2", "nnvet:slow", error="prepareModel failed", family="Nets"),
        ]
    )
    assert found is not None
    return found


def test_drivers_are_summed_up_without_toys(overview: Overview) -> None:
    """Twice and half as fast is as fast on the geometric mean; what did not run has no speed."""
    found = [(row.backend.name, row.ran, row.models, row.speed, row.speeds) for row in overview.standings]
    assert found == [
        ("LiteRT", 3, 3, "–", ""),  # noqa: RUF001 - the sign for nothing
        ("nnvet:fast", 3, 3, "1.00×", "0.50× to 2.00×"),  # noqa: RUF001 - the multiplication sign
        ("nnvet:slow", 2, 3, "0.10×", ""),  # noqa: RUF001 - the multiplication sign
    ]
    assert (overview.toys, overview.baseline) == (1, "LiteRT")


def test_every_model_has_a_row_with_a_lane_for_each_backend(overview: Overview) -> None:
    """One shape for a backend everywhere, the slowest furthest to the right, and why one is missing."""
    first, second, toy = overview.rows
    assert [row.model for row in overview.rows] == ["net_1", "net_2", "toy"]
    assert [(lane.shape, lane.y) for lane in first.lanes] == [(0, 6.0), (1, 12.0), (2, 18.0)]
    assert [lane.shape for lane in second.lanes] == [0, 1]
    baseline, fast, slow = (lane.p50 for lane in first.lanes)
    # On a logarithmic axis: half as long to the left is log 2 to log 10 of ten times to the right.
    assert (baseline - fast) / (slow - baseline) == pytest.approx(math.log(2) / math.log(10))
    assert second.errors == (("nnvet:slow: prepareModel failed", False),)
    assert second.speeds[1] == second.accuracies[1].text == "–"  # noqa: RUF001 - the sign for nothing
    assert (toy.toy, first.toy) == (True, False)
    assert "nnvet:slow: median 100.0 ms" in first.summary


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        (comparison(-0.009, 0.02), "kept"),
        (comparison(-0.02, 0.01), "undecided"),
        (comparison(-0.03, -0.011), "worse"),
        (comparison(0.05, 0.09), "kept"),
        (comparison(0.05, 0.09, "phone_error_rate", 0.01), "worse"),
        (comparison(-0.05, -0.02, "phone_error_rate", 0.01), "kept"),
        (comparison(0.005, 0.09, "phone_error_rate", 0.01), "undecided"),
        (comparison(-0.01, 0.0, "same_top_1", -0.01), "kept"),
        (comparison(math.nan, math.nan), "undecided"),
    ],
)
def test_an_interval_is_held_against_the_margin(compared: Comparison, expected: str) -> None:
    """Only what is wholly beyond the margin, on the side of a loss, is worse."""
    assert standing(compared) == expected


def test_the_worst_of_limits_errors_and_comparisons_is_shown() -> None:
    """A broken limit outweighs a kept comparison; the sign says the same as the colour."""
    kept = comparison(-0.001, 0.001)
    base = Measurement("m", "LiteRT", accuracy={"top_1": 0.5})
    for facts, sign in (
        ({"comparisons": (kept,)}, "✓"),
        ({"comparisons": (comparison(-0.1, 0.1), kept)}, "?"),
        ({"comparisons": (kept,), "limits": {"top_1": Limit(at_least=0.6)}}, "✕"),
        ({"validation_errors": ("labels are missing",)}, "✕"),
    ):
        found = build_overview([base, Measurement("m", "nnvet:x", accuracy={"top_1": 0.475}, **facts)])
        assert found is not None
        (cell,) = found.rows[0].accuracies
        assert (cell.sign, cell.text) == (sign, "47.5 %")
    assert (cell.name, cell.difference) == ("top 1", "-2.50 pp")


def test_nothing_measured_has_no_chart() -> None:
    """And a model that nobody could run has a row without lanes."""
    assert build_overview([]) is None
    found = build_overview([Measurement("m", "nnvet:x", error="no")])
    assert found is not None
    assert (found.rows[0].lanes, found.ticks) == ((), ())


def test_what_a_driver_does_not_take_is_no_failure() -> None:
    """It is counted apart from what failed."""
    rejected = Measurement("a", "nnvet:x", error="does not take LSTM", unsupported=True)
    found = build_overview([rejected, Measurement("b", "nnvet:x", error="died"), Measurement("c", "nnvet:x")])
    assert found is not None
    (standing_of_x,) = found.standings
    assert (standing_of_x.models, standing_of_x.ran, standing_of_x.failed) == (3, 1, 1)
    assert found.rows[0].errors == (("nnvet:x: does not take LSTM", True),)
    assert not found.has_families
