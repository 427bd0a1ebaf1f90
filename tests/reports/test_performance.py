"""Benchmarks beside their baseline. Expected figures: by hand from the latencies of the log."""

from pathlib import Path

import pytest

from nnvet.reports.events import Latency, Limit, Measurement
from nnvet.reports.html.histograms import HEIGHT, WIDTH, build_charts
from nnvet.reports.html.marks import duration, milliseconds, size
from nnvet.reports.html.performance import Delta, Family, build_families, family_of, latency_delta
from nnvet.reports.latency import summarise
from nnvet.reports.log import read_log


@pytest.fixture
def families(full_log: Path) -> dict[str, Family]:
    """The families of the full log by name."""
    return {family.name: family for family in build_families(read_log(full_log).measurements)}


def test_the_driver_stands_below_its_baseline(families: dict[str, Family]) -> None:
    """6 ms against 3 ms: half the speed, 100 % slower."""
    (rows,) = families["MobileNet v1 Float"].rows
    assert [(row.measurement.backend, row.ratio, row.delta) for row in rows] == [
        ("LiteRT", "", None),
        ("nnvet:reference", "0.50×", Delta("+100.0 %", "worse")),  # noqa: RUF001 - the multiplication sign
    ]


def test_figures_show_difference_and_limit(families: dict[str, Family]) -> None:
    """37.5 % is 25 points below the baseline and below its limit; NaN breaks every limit."""
    family = families["MobileNet v1 Float"]
    assert family.keys == ("top_1", "top_5")
    top_1, top_5 = family.rows[0][1].figures
    assert top_1 is not None
    assert (top_1.text, top_1.delta, top_1.limit, top_1.holds) == (
        "37.500 %",
        Delta("-25 pp", "worse"),
        "≥ 50.000 %",
        False,
    )
    assert top_5 is not None
    assert (top_5.text, top_5.holds) == ("nan %", False)
    assert [row.is_failed for row in family.rows[0]] == [False, True]


def test_compilation_is_compared_with_compiling_without_cache(families: dict[str, Family]) -> None:
    """3 ms from the cache against 6 ms: half; the kind that was not measured has dashes."""
    (row,) = families["MobileNet v1 Float"].compilations
    dash = "–"  # noqa: RUF001 - the sign for nothing
    assert row.cells == (("2", "6.00 ms", None), (dash, dash, None), ("1", "3.00 ms", Delta("-50.0 %", "better")))
    assert row.cache_size == "2.0 KiB"


def test_a_model_that_failed_keeps_its_row(families: dict[str, Family]) -> None:
    """An error is shown, without figures and charts."""
    family = families["LSTM Automatic Speech Recognition"]
    assert family.rows[0][0].measurement.error == "prepareModel failed"
    assert (family.charts, family.compilations, family.keys) == ((), (), ())


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("mobilenet_v1_0.25_128", "MobileNet v1 Float"),
        ("mobilenet_v1_0.25_128_quant", "MobileNet v1 Quantized"),
        ("mobilenet_v3_large_uint8", "MobileNet v3 Quantized"),
        ("tts_float", "LSTM Text-to-speech"),
        ("my_mobilenet_v1", "my_mobilenet_v1"),
    ],
)
def test_families(model: str, family: str) -> None:
    """Patterns match from the start of the name only; other models stand alone."""
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("value", "quality"), [(1.0, "same"), (1.0099, "same"), (1.0101, "worse"), (0.9899, "better"), (0.9901, "same")]
)
def test_one_per_cent_of_latency_is_the_same(value: float, quality: str) -> None:
    """A difference below 1 % is none, from 1 % on it has a direction."""
    delta = latency_delta(summarise([value]), summarise([1.0]))
    assert delta is not None
    assert delta.quality == quality


@pytest.mark.parametrize("reference", [None, summarise([]), summarise([0.0])])
def test_nothing_is_compared_with_nothing(reference: Latency | None) -> None:
    """No baseline, one without iterations or one of zero latency: no difference, no division by zero."""
    assert latency_delta(summarise([1.0]), reference) is None
    latencies = {} if reference is None else {"LiteRT": reference}
    items = [Measurement("m", backend, latency) for backend, latency in latencies.items()]
    (family,) = build_families([*items, Measurement("m", "nnvet:x", summarise([1.0]))])
    assert family.rows[0][-1].ratio == ""


def test_a_limit_without_its_figure_is_broken() -> None:
    """An evaluator that says nothing does not pass."""
    (family,) = build_families([Measurement("m", "nnvet:x", limits={"top_1": Limit(at_least=0.5)})])
    (cell,) = family.rows[0][0].figures
    assert cell is not None
    assert (cell.text, cell.limit, cell.holds) == ("missing", "≥ 50.000 %", False)


def test_bars_show_the_histogram_on_a_common_axis() -> None:
    """Heights are in proportion to counts, bars stay inside the chart, both charts have one axis."""
    series = {"a": summarise([1.0, 1.0, 1.0, 2.0]), "b": summarise([2.0, 3.0])}
    first, second = build_charts(series)
    assert [round(bar.height, 6) for bar in first.bars] == [HEIGHT, HEIGHT / 3]
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for chart in (first, second) for bar in chart.bars)
    assert first.ticks == second.ticks
    assert not first.has_own_axis
    # From 1 s to 3 s and one bucket of 1/31 s more: 2 s is at 31/63 of the width.
    assert second.bars[0].x == pytest.approx(WIDTH * 31 / 63)


def test_ranges_too_different_get_axes_of_their_own() -> None:
    """A hundred times slower backend does not squeeze the other into one line."""
    charts = build_charts({"a": summarise([0.001, 0.002]), "b": summarise([0.1, 0.2])})
    assert [chart.has_own_axis for chart in charts] == [True, True]
    assert charts[0].ticks[0][1] == "1.00 ms"


def test_equal_latencies_make_one_bar_in_the_middle() -> None:
    """No range, no division by zero; nothing measured, no chart."""
    (chart,) = build_charts({"a": summarise([0.5, 0.5]), "none": summarise([])})
    (bar,) = chart.bars
    assert bar.x + bar.width / 2 == pytest.approx(WIDTH / 2)
    assert build_charts({"none": summarise([])}) == ()


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (milliseconds(1.2345678), "1,235 ms"),
        (milliseconds(0.0123456), "12.35 ms"),
        (milliseconds(0.0000456), "0.0456 ms"),
        (milliseconds(0.0), "0.0000 ms"),
        (duration(0.5), "500.0 ms"),
        (duration(12.34), "12.3 s"),
        (duration(61), "1 min 1 s"),
        (duration(7320), "2 h 2 min"),
        (size(512), "512 B"),
        (size(3 << 19), "1.5 MiB"),
        (size(8 << 30), "8.0 GiB"),
    ],
)
def test_units(shown: str, text: str) -> None:
    """Numbers carry as many digits as a reader needs."""
    assert shown == text
