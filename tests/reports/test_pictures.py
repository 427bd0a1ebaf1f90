"""Pictures of wrong elements in terminals, pages and logs."""

from pathlib import Path
from typing import Any

from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.evidence import evidence_lines
from nnvet.reports.html.groups import build_sections, view_case
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, read_log

PICTURE: dict[str, Any] = {
    "slice": "[0, :, :]",
    "block": [1, 2],
    "largest": 4.5,
    "cells": [[0, 9, None], [-1, 0, 5]],
    "histogram": {"low": -0.5, "high": 4.5, "counts": [1, 0, 2]},
}


def test_lines_for_a_terminal() -> None:
    """A sign and a level for each cell, and the histogram in one line."""
    assert evidence_lines({"picture": PICTURE}) == [
        "picture:",
        "  output[0, :, :], a cell for 1 x 2 elements: + too large, - too small, . right, ! no number",
        "  9 is a difference of 4.5, 1 a ninth of it or less",
        "    .  +9 !",
        "    -1 .  +5",
        "  differences: -0.5 ▅ █ 4.5",
    ]


def test_equal_differences_need_no_levels() -> None:
    """A sign for each cell; rows of more than 64 cells are broken."""
    even = {"slice": "[:]", "block": [1], "largest": 3.0, "cells": [[0] * 63 + [-9]]}
    lines = evidence_lines({"picture": even})
    assert lines == ["picture:", "  output[:]: + too large, - too small, . right", f"    {'.' * 63}-"]


def test_another_form_is_shown_as_it_is() -> None:
    """Evidence of other drivers' logs must not bring a report down."""
    odd = {"picture": {"cells": "none"}}
    assert evidence_lines(odd) == ["picture:", "  cells: none"]


def write(path: Path, started: RunStarted, cases: tuple[str, ...]) -> Path:
    """A log with failures of one fault, each with a picture."""
    with EventLog.create(path, started) as log:
        for case in cases:
            log.case_started(case)
            log.case_finished(case, Verdict.FAIL, rule="ADD/output.value", evidence={"picture": PICTURE})
        log.finish(1)
    return path


def test_a_log_keeps_the_first_picture_of_a_fault(tmp_path: Path, started: RunStarted) -> None:
    """The others are of the same fault without it; logs that keep that of another case say the same."""
    log = read_log(write(tmp_path / "a.jsonl", started, ("c/1", "c/2")))
    assert [bool(result.evidence.get("picture")) for result in log.results.values()] == [True, False]
    assert len({result.fingerprint for result in log.results.values()}) == 1
    other = read_log(write(tmp_path / "b.jsonl", started, ("c/2", "c/1")))
    assert equal_apart_from_timings(log, other)


def test_the_report_draws_it(tmp_path: Path, started: RunStarted) -> None:
    """A square for each cell with its sign, and a bar for each step with differences, in the place of plain facts."""
    log = read_log(write(tmp_path / "a.jsonl", started, ("c/1",)))
    (section,) = build_sections(log)
    case = section.groups[0].cases[0]
    assert case.facts == ()
    assert case.picture is not None
    assert [cell.sign for cell in case.picture.cells] == ["", "+", "!", "−", "", "+"]  # noqa: RUF001 - as shown
    assert [(bar.count, bar.kind) for bar in case.picture.bars] == [(1, "more"), (0, "more"), (2, "more")]
    page = render_page(log)
    assert "<code>output[0, :, :], a cell for 1 x 2 elements</code>" in page
    assert page.count('class="odd"') == 1


def test_a_picture_of_another_form_is_a_fact(tmp_path: Path, started: RunStarted) -> None:
    """As all that is not known."""
    with EventLog.create(tmp_path / "a.jsonl", started) as log:
        log.case_started("c/1")
        log.case_finished("c/1", Verdict.FAIL, rule="R", evidence={"picture": "none"})
        log.finish(1)
    (result,) = read_log(tmp_path / "a.jsonl").results.values()
    view = view_case(result, started)
    assert (view.picture, view.facts) == (None, (("picture", "none"),))
