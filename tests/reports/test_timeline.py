"""When the processes of the suite ran cases."""

from pathlib import Path

import pytest

from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.html.timeline import WIDTH, build_timeline
from nnvet.reports.log import EventLog, Log, read_log

BEGUN = 5000.0
"""By the clock of the log, whatever that is."""


def run_of(
    folder: Path, started: RunStarted, cases: list[tuple[int, float, float, Verdict]], monkeypatch: pytest.MonkeyPatch
) -> Log:
    """The log of cases: process, begin and duration in seconds, verdict."""
    monkeypatch.setattr("nnvet.reports.log.time.monotonic", lambda: BEGUN)
    with EventLog.create(folder / "run.jsonl", started) as log:
        for number, (process, begin, duration_s, verdict) in enumerate(cases):
            log.case_started(f"case/{number}")
            log.case_finished(f"case/{number}", verdict, duration_s=duration_s, process=process, began=BEGUN + begin)
    return read_log(log.path)


def test_lanes_of_two_processes(tmp_path: Path, started: RunStarted, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is busy for six of eight seconds, the other always; a failure has its own bar; the last case is named."""
    cases = [(1, 0.0, 4.0, Verdict.PASS), (2, 0.0, 8.0, Verdict.PASS), (1, 4.0, 2.0, Verdict.FAIL)]
    log = run_of(tmp_path, started, cases, monkeypatch)
    timeline = build_timeline(log)
    assert timeline is not None
    first, second = timeline.lanes
    assert (timeline.seconds, first.cases, second.cases) == (8.0, 2, 1)
    assert (first.busy, second.busy) == (pytest.approx(0.75), pytest.approx(1.0))
    assert [(x, width, kind) for x, width, _, kind in first.bars] == [
        (0.0, WIDTH / 2, "busy"),
        (WIDTH / 2, WIDTH / 4, "fault"),
    ]
    assert timeline.waited == "The last 2.0 s not all processes had work; the last case, case/1, took 8.0 s."
    assert '<section id="timeline">' in render_page(log)


def test_a_log_without_processes_has_none(full_log: Path) -> None:
    """Nor has its page."""
    log = read_log(full_log)
    assert build_timeline(log) is None
    assert 'id="timeline"' not in render_page(log)
