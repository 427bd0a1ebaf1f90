"""Grades of operations by numeric positions: what of a log they come from, and where they are shown."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from rich.console import Console

from nnvet.reports.accuracy import position_counts, position_grades, positions_line
from nnvet.reports.console import print_summary
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.tables import write_tables

SINGLE = "CONV_2D TENSOR_FLOAT32"


@pytest.fixture
def log(tmp_path: Path, started: RunStarted) -> Log:
    """Two cases of CONV_2D, of which one fails, one of EXP in float16, and one without grades."""
    path = tmp_path / "run.jsonl"
    cases = {
        "a": (Verdict.PASS, {SINGLE: {"ieee-strict": 0.5, "vulkan": None, "fft": None, "tf32": 0.0}}),
        "b": (Verdict.FAIL, {SINGLE: {"ieee-strict": 40.0, "vulkan": None, "fft": 0.001, "tf32": 0.75}}),
        "c": (Verdict.PASS, {"EXP TENSOR_FLOAT16": {"ieee-strict": 1.0, "vulkan": None, "fft": None, "tf32": None}}),
        "d": (Verdict.PASS, None),
    }
    with EventLog.create(path, started) as written:
        for case, (verdict, positions) in cases.items():
            written.case_started(case)
            written.case_finished(case, verdict, evidence={"positions": positions} if positions else {})
        written.finish(0)
    return read_log(path)


def test_grades_are_the_largest_shares(log: Log) -> None:
    """Of all cases of an operation in a type, right or wrong; the grade is the first position that is kept."""
    convolution, exponential = position_grades(log)
    assert (convolution.operation, convolution.type, convolution.cases) == ("CONV_2D", "TENSOR_FLOAT32", 2)
    assert convolution.shares == {"ieee-strict": 40.0, "fft": 0.001, "tf32": 0.75}
    assert convolution.worst == {"ieee-strict": "b", "fft": "b", "tf32": "b"}
    # FFT says something of one of two cases only.
    assert (convolution.grade, exponential.grade) == ("tf32", "ieee-strict")
    counts = position_counts((convolution, exponential))
    assert [(count.position, count.kept, count.stated) for count in counts] == [
        ("ieee-strict", 1, 2),
        ("fft", 1, 1),
        ("tf32", 1, 1),
    ]


def test_the_sentence_where_no_position_is_kept_by_all(tmp_path: Path, started: RunStarted) -> None:
    """Positions that some operations keep follow at once."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as written:
        written.case_started("a")
        written.case_finished("a", Verdict.FAIL, evidence={"positions": {SINGLE: {"ieee-strict": 2.0, "tf32": None}}})
        written.finish(1)
    assert positions_line(read_log(path)) == "numeric positions of one operation and type: ieee-strict 0 of 1"


def test_where_grades_are_shown(log: Log, tmp_path: Path) -> None:
    """In the terminal, the summary, the page and the tables; a dash where a position says nothing."""
    line = "numeric positions of 2 operations and types, kept by all that they state: fft, tf32; ieee-strict 1 of 2"
    assert positions_line(log) == line
    console = Console(width=200)
    with console.capture() as captured:
        print_summary(log, console=console)
    assert line in captured.get()
    assert line in render_markdown(log).replace("\\", "")
    page = render_page(log)
    section = page[page.index('<section id="positions">') :]
    section = section[: section.index("</section>")]
    for text in ("40\u00d7", "75 %", "\u2013", "<strong>tf32</strong>", "1 of 2", 'title="b"'):
        assert text in section
    write_tables(log, tmp_path / "tables")
    with (tmp_path / "tables" / "positions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["position"], row["kept"], row["case"]) for row in rows] == [
        ("ieee-strict", "False", "b"),
        ("fft", "True", "b"),
        ("tf32", "True", "b"),
        ("ieee-strict", "True", "c"),
    ]


def test_a_log_without_grades_shows_none(full_log: Path) -> None:
    """No section, no line."""
    log = read_log(full_log)
    assert positions_line(log) == ""
    assert 'id="positions"' not in render_page(log)
