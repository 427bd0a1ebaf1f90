"""Rows of stress tests: a time axis, and what was measured in words."""

from pathlib import Path

from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.evidence import SAMPLE_FIELDS, STRESS_LABEL
from nnvet.reports.html.page import render_page
from nnvet.reports.html.stress import build_stress
from nnvet.reports.log import EventLog


def test_facts_are_words_and_plots_have_an_axis(tmp_path: Path, started: RunStarted) -> None:
    """Parts of a part stand in parentheses, bytes have their unit; no braces, brackets or quotes."""
    timings = {
        "clients": 4,
        "growth": {"driver": {"memory_bytes": 2048, "threads": [1, 2], "share": 0.123456}, "freed_bytes": -512},
        "timeline": {
            "fields": list(SAMPLE_FIELDS),
            "rows": [[time, "driver", 50.0, 1 << 20, 9, 3, 1] for time in (0, 2.5)],
        },
    }
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("stress/calm")
        labels = {STRESS_LABEL: "SUCCESS", "check": "calm", "suite": "stress"}
        log.case_finished("stress/calm", Verdict.PASS, evidence={"timings": timings}, labels=labels)
        log.finish(0)
        (row,) = build_stress(log.so_far)
        page = render_page(log.so_far)
    facts = dict(row.facts)
    assert facts["growth"] == "driver (memory bytes 2.0 KiB, threads (1, 2), share 0.1235), freed bytes -512 B"
    assert facts["clients"] == "4"
    assert [plot.seconds for plot in row.plots] == [2.5, 2.5, 2.5]
    assert page.count("<span>0 s</span><span>2.5 s</span>") == 3
