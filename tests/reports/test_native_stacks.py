"""Stacks of native code and the path of a core, in every report that shows a crash."""

from pathlib import Path

import pytest

from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.junit import render_junit
from nnvet.reports.log import EventLog, Log, read_log
from tests.reports.test_texts import console_text

STACKS = "thread 1:\n  npu::run at run.cpp:55 (libnpu.so)\n  (Python)\n"


@pytest.fixture
def crashed(tmp_path: Path, started: RunStarted) -> Log:
    """A log with a crash in native code."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("c/1")
        timings = {"pid": 7, "native_stacks": STACKS, "core": "/kept/core.7"}
        evidence = {"signal": "SIGSEGV", "timings": timings}
        log.case_finished("c/1", Verdict.CRASH, rule="driver/crash", reason="SIGSEGV", evidence=evidence)
        log.finish(1)
    return read_log(log.path)


def test_the_console_shows_them(crashed: Log, tmp_path: Path) -> None:
    """Line by line, and where the core is."""
    lines = [line.strip() for line in console_text(tmp_path / "run.jsonl", width=200).splitlines()]
    assert "npu::run at run.cpp:55 (libnpu.so)" in lines
    assert "core: /kept/core.7" in lines
    assert crashed.results["c/1"].verdict is Verdict.CRASH


def test_the_report_shows_them(crashed: Log) -> None:
    """As text of several lines; what else the evidence has of times is a fact beside it."""
    html = render_page(crashed)
    assert f'<pre tabindex="0">{STACKS}</pre>' in html
    assert "/kept/core.7" in html


def test_junit_shows_them(crashed: Log) -> None:
    """With their lines; the mark-up has no line ends written as two characters."""
    text = render_junit(crashed)
    assert STACKS in text
    assert "/kept/core.7" in text
