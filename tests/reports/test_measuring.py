"""Run rules, load patterns, long runs and cold starts on the page, in the terminal and in the summary."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from nnvet.reports.bench_lines import rule_lines, scenario_lines
from nnvet.reports.conditions import Breach, ColdStart, Conditions, Probe, ScenarioRun, Sustained
from nnvet.reports.console import print_summary
from nnvet.reports.events import Command, DriverFacts, Measurement, RunStarted
from nnvet.reports.figures import summarise
from nnvet.reports.html.axes import HEIGHT, WIDTH
from nnvet.reports.html.measuring import build_measuring
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.markdown import render_markdown

SERVER = ScenarioRun(
    "server",
    is_valid=True,
    qps=182.0,
    latency_s=0.018,
    percentile=99.0,
    queries=662,
    samples=662,
    duration_s=3.6,
    mean_s=0.006,
    percentiles_s={"50": 0.005, "90": 0.01, "99": 0.018, "99.9": 0.019},
    in_flight=2,
    executor="burst",
    logs="loadgen/m/d/server/rate-2",
    loadgen="6.0.17",
    target_qps=185.0,
    target_latency_s=0.02,
    probes=(Probe(400.0, 380.0, 0.1, holds=False), Probe(185.0, 182.0, 0.018, holds=True)),
    accuracy={"top_1": 0.75},
)
STREAM = msgspec.structs.replace(
    SERVER, scenario="single-stream", is_valid=False, reasons=("too short",), probes=(), target_latency_s=None
)
LOAD = Breach("latency", "load", "other work used 1 before the run of 2 processors; 0.2 at most", "end other work")
ITEM = Measurement(
    "m",
    "nnvet:d",
    summarise([0.001] * 800),
    conditions=Conditions(processors=2, others_before=1.0, median_s=(0.001, 0.001), driver_cpu_s=0.0009),
    breaches=(LOAD, Breach("cold", "cold", "it was warm", "start anew")),
    scenarios=(SERVER, STREAM),
    sustained=Sustained(1200.0, 60000, tuple(0.001 * (1 + place / 590) for place in range(60)), 0.1, 0.09, 0.11, True),
    cold=ColdStart(0.2, 0.009, 0.003, from_cache=(0.1, 0.003, 0.003)),
)
VALID = Measurement("m", "LiteRT", summarise([0.001] * 800), conditions=Conditions(processors=2))


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log with the two measurements."""
    started = RunStarted("0", DriverFacts("d"), "2026-01-01T00:00:00+00:00", command=Command.BENCHMARK)
    with EventLog.create(tmp_path / "run.jsonl", started) as written:
        written.measurement(VALID)
        written.measurement(ITEM)
        written.finish(0)
    return read_log(tmp_path / "run.jsonl")


def test_the_log_keeps_all_parts(log: Log) -> None:
    """They are read as they were written."""
    assert log.measurements == (VALID, ITEM)


def test_terminal_and_summary_say_what_is_invalid_and_what_to_do(log: Log) -> None:
    """Each load pattern has its figure and LoadGen's verdict, each rule its reason and advice."""
    out = io.StringIO()
    print_summary(log, (), Console(file=out, width=400))
    summary = render_markdown(log)
    for line in (*scenario_lines(log.measurements), *rule_lines(log.measurements)):
        assert line in out.getvalue()
    lines = scenario_lines(log.measurements)
    assert lines[0] == "m on d, server within 20.00 ms: 182 samples/s, valid by LoadGen"
    assert lines[1] == "m on d, single-stream: 18.00 ms at 99 %, invalid (too short) by LoadGen"
    assert lines[2] == "m on d, 1200 s at full rate: latency +10.0% (+9.0% to +11.0%), throttled"
    assert lines[3] == "m on d, cold: preparation 200.0 ms, first inference 9.00 ms, later 3.00 ms"
    assert rule_lines(log.measurements)[0] == (
        f"1 figure is not valid by load, such as latency of m on d: {LOAD.reason}. End other work"
    )
    assert "not valid by load" in summary
    assert "valid by LoadGen" in summary


def test_charts_by_hand() -> None:
    """The lowest rate is left and below the bound, the highest right and above it; percentiles go to the right."""
    measuring = build_measuring([VALID, ITEM])
    percentiles, rates = measuring.charts
    assert [line.name for line in percentiles.lines] == ["server", "single-stream"]
    xs = [float(point.split(",")[0]) for point in percentiles.lines[0].points.split()]
    assert xs == pytest.approx([0, WIDTH / 3, 2 * WIDTH / 3, WIDTH], abs=0.1)
    (left, low), (right, high) = (tuple(map(float, point.split(","))) for point in rates.lines[0].points.split())
    assert left < right
    assert high < rates.bounds[0] < low <= HEIGHT
    assert "185 queries a second held" in rates.summary
    assert measuring.invalid == 1
    assert measuring.advice == (("load", "end other work"), ("cold", "start anew"))


def test_the_page_shows_all_parts(log: Log) -> None:
    """Invalid figures are marked where they stand, and the page says what is no MLPerf result."""
    page = render_page(log)
    for text in (
        "What is, and what is not, an MLPerf result",
        "✕ invalid: latency, cold",
        f"latency: {LOAD.reason}",
        "✕ 1 of 2 measurements have invalid figures",
        "loadgen/m/d/server/rate-2/mlperf_log_summary.txt",
        "✕ throttled",
        "first execution takes 3.00",
        "✕ invalid: it was warm",
    ):
        assert text in page, text
    # The median and the mean are marked; percentiles of 800 samples are not.
    assert page.count('class="broken"') == 2


def test_pages_of_older_logs_have_none_of_it(tmp_path: Path) -> None:
    """A measurement without conditions has no rules."""
    measuring = build_measuring([Measurement("m", "nnvet:d", summarise([0.001]))])
    assert (measuring.rules, measuring.scenarios, measuring.cold) == ((), (), ())
