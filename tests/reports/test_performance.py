"""Benchmarks beside their baseline. Expected figures: by hand from the latencies of the log."""

import math
from pathlib import Path

import pytest

from nnvet.reports.events import Latency, Limit, Measurement, SpeedRatio
from nnvet.reports.figures import Delta, by_model, family_of, figure_kind, figure_name, latency_delta, summarise
from nnvet.reports.html.axes import STRIP, WIDTH, build_histograms
from nnvet.reports.html.marks import DASH, duration, factor_text, milliseconds, size
from nnvet.reports.html.performance import Family, build_families
from nnvet.reports.log import read_log


@pytest.fixture
def families(full_log: Path) -> dict[str, Family]:
    """The families of the full log by name."""
    return {family.name: family for family in build_families(read_log(full_log).measurements)}


def test_the_driver_stands_below_its_baseline(families: dict[str, Family]) -> None:
    """6 ms against 3 ms: half the speed, 100 % slower."""
    (rows,) = families["MobileNet v1 Float"].rows
    assert [(row.measurement.backend, row.speed, row.delta) for row in rows] == [
        ("LiteRT", DASH, None),
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
        ("mobilenet_v2_0.35_64_int8", "MobileNet v2 Quantized"),
        ("mobilenet_v3_large_uint8", "MobileNet v3 Quantized"),
        ("tts_float", "LSTM Text-to-speech"),
        ("speech_synthesiser_truth", "LSTM Text-to-speech"),
        ("speech_recogniser", "LSTM Automatic Speech Recognition"),
        ("my_mobilenet_v1", "my_mobilenet_v1"),
    ],
)
def test_families(model: str, family: str) -> None:
    """Those of docs/contract/mlts.md, int8 among the quantised; from the start of the name only, others stand alone."""
    assert family_of(Measurement(model, "LiteRT")) == family
    assert family_of(Measurement(model, "LiteRT", family="Own words")) == "Own words"


def test_models_are_in_the_order_of_their_numbers() -> None:
    """96 before 128, families first, and the baseline before the drivers."""
    found = by_model([Measurement(name, "nnvet:x") for name in ("net_128", "net_96")] + [Measurement("net_96", "Lite")])
    assert [[(item.model, item.backend) for item in model] for model in found] == [
        [("net_96", "Lite"), ("net_96", "nnvet:x")],
        [("net_128", "nnvet:x")],
    ]


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
    assert family.rows[0][-1].speed == DASH


def test_a_limit_without_its_figure_is_broken() -> None:
    """An evaluator that says nothing does not pass."""
    (family,) = build_families([Measurement("m", "nnvet:x", limits={"top_1": Limit(at_least=0.5)})])
    (cell,) = family.rows[0][0].figures
    assert cell is not None
    assert (cell.text, cell.limit, cell.holds) == ("missing", "≥ 50.000 %", False)


def test_bars_show_the_histogram_on_a_common_axis() -> None:
    """Heights are in proportion to counts, bars stay inside the chart, and a value has one place in all strips."""
    found = build_histograms({"a": summarise([1.0, 1.0, 1.0, 2.0]), "b": summarise([2.0, 2.5])})
    assert found is not None
    first, second = found.strips
    assert [round(bar.height, 6) for bar in first.bars] == [STRIP, round(STRIP / 3, 6)]
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for strip in found.strips for bar in strip.bars)
    assert not found.is_log
    # From 1 s to 2.5 s and one bucket of 0.5/31 s more.
    assert second.bars[0].x == pytest.approx(WIDTH * 1 / (1.5 + 0.5 / 31))
    assert first.median == 0.0


def test_ranges_too_different_share_a_logarithmic_axis() -> None:
    """From 1 ms to 100 ms and a bucket: 10 ms is where the logarithm says, and decades are marked."""
    found = build_histograms({"a": summarise([0.001] * 3), "b": summarise([0.01, 0.1])})
    assert found is not None
    assert found.is_log
    high = 0.1 + 0.09 / 31
    assert found.strips[1].bars[0].x == pytest.approx(WIDTH * 1 / math.log10(high / 0.001))
    assert [label for _, label in found.ticks][:2] == ["1.00 ms", "10.00 ms"]


def test_equal_latencies_make_one_bar_in_the_middle() -> None:
    """No range, no division by zero; nothing measured, no chart."""
    found = build_histograms({"a": summarise([0.5, 0.5]), "none": summarise([])})
    assert found is not None
    (strip,) = found.strips
    (bar,) = strip.bars
    assert bar.x + bar.width / 2 == pytest.approx(WIDTH / 2)
    assert build_histograms({"none": summarise([])}) is None


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (milliseconds(1.2345678), "1,235 ms"),
        (milliseconds(0.0123456), "12.35 ms"),
        (milliseconds(0.0000456), "0.0456 ms"),
        (milliseconds(0.0), "0.0000 ms"),
        (duration(0.5), "500.0 ms"),
        (factor_text(0.456), "0.46×"),  # noqa: RUF001 - the multiplication sign
        (factor_text(12.34), "12.3×"),  # noqa: RUF001 - the multiplication sign
        (factor_text(1234.5), "1,234×"),  # noqa: RUF001 - the multiplication sign
        (factor_text(0.0123), "0.012×"),  # noqa: RUF001 - the multiplication sign
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


@pytest.mark.parametrize(
    ("key", "name", "brief"),
    [
        ("true_phone_error_rate", "wrong phones", "12.4 %"),
        ("true_voicing_error", "wrong voicing", "12.4 %"),
        ("true_mel_cep_distortion", "mel distortion from the truth", "12.39"),
        ("phone_error_rate", "phone error rate", "12.4 %"),
        ("top_1", "top 1", "1238.9 %"),
    ],
)
def test_names_of_figures(key: str, name: str, brief: str) -> None:
    """Figures beside the truth have other names than those beside golden outputs."""
    assert figure_name(key) == name
    assert figure_kind(key).show_briefly(12.38938) == brief


def test_paired_rounds_are_the_speed() -> None:
    """2.5 times as long in paired rounds is 0.4 times, whatever the medians say; energy is of one inference."""
    ratio = SpeedRatio(2.5, 2.0, 4.0, 50)
    own = Measurement("m", "nnvet:x", summarise([0.002]), latency_ratio=ratio, energy_j=0.0125)
    (family,) = build_families([Measurement("m", "LiteRT", summarise([0.001])), own])
    row = family.rows[0][1]
    assert (row.speed, row.interval) == ("0.40×", "0.25× to 0.50×")  # noqa: RUF001 - the multiplication sign
    assert (row.energy, family.has_energies, family.has_overheads) == ("12.5 mJ", True, False)
