"""The section and the line of answers within the contract and outside of their bound, and drift between two runs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from nnvet.reports.accuracy import quality_cases, quality_line
from nnvet.reports.console import print_changes, print_summary
from nnvet.reports.diff import UsedUp, drift_between
from nnvet.reports.events import Numbers, RunStarted, Verdict
from nnvet.reports.html.diff import render_changes
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.tables import write_tables

NOTE = "inside the contract, outside of the error bound: output 0"
Write = Callable[..., Log]


@pytest.fixture
def write(tmp_path: Path, started: RunStarted) -> Write:
    """Writes a log of cases by name: a verdict, or the numbers or the needed liberties of a PASS."""

    def written(name: str, **cases: Verdict | Numbers | list[str]) -> Log:
        path = tmp_path / name
        with EventLog.create(path, RunStarted(started.suite_version, started.driver, started.time)) as log:
            for case, end in cases.items():
                log.case_started(case)
                numbers = end if isinstance(end, Numbers) else None
                verdict = end if isinstance(end, Verdict) else Verdict.PASS
                evidence = {"quality": QUALITY[case]} if numbers and numbers.quality else {}
                evidence |= {"needs": end} if isinstance(end, list) else {}
                log.case_finished(case, verdict, numbers=numbers, evidence=evidence)
            log.finish(0)
        return read_log(path)

    return written


QUALITY = {
    case: {
        "rule": "execution/output.bound",
        "reason": NOTE,
        "made_by": "<ADD>",
        "worst": {
            "output": 0,
            "index": [1],
            "expected": 3.0,
            "actual": 3.5,
            "difference": difference,
            "bound": 0.125,
            "tolerance": 2.0,
        },
    }
    for case, difference in (("a", 0.5), ("b", 1.0))
}


def printed(act: Callable[[Console], None]) -> str:
    """Return the output without a terminal."""
    console = Console(width=200, record=True, quiet=False)
    with console.capture() as captured:
        act(console)
    return captured.get()


def noted(share: float) -> Numbers:
    """Numbers with a note."""
    return Numbers("0a", share, 8.0, NOTE)


def test_the_section_and_the_line(write: Write) -> None:
    """The case that uses most of its tolerance comes first; the verdict stays."""
    log = write("run", a=noted(0.25), b=noted(0.5), c=Numbers("0b", 0.9, 0.9))
    assert [(quality_case.case, quality_case.share) for quality_case in quality_cases(log)] == [("b", 0.5), ("a", 0.25)]
    line = "2 cases inside the contract but outside of the error bound: b, a (--strict fails them)"
    assert quality_line(log) == line
    assert line in printed(lambda console: print_summary(log, console=console))
    assert "2 cases inside the contract but outside of the error bound" in render_markdown(log)
    page = render_page(log)
    assert '<section id="quality">' in page
    assert "&lt;ADD&gt;" in page
    assert "50 %" in page


def test_declared_liberties_are_counted(write: Write) -> None:
    """Each by its cases, beside what is outside of the bound all the same."""
    log = write("run", a=noted(0.25), c=["fft"], d=["fft", "winograd-4"], e=Verdict.FAIL)
    needed = "2 cases keep their error bound by declared liberties: fft (2), winograd-4 (1)"
    assert (
        quality_line(log)
        == f"1 case inside the contract but outside of the error bound: a (--strict fails them); {needed}"
    )
    assert quality_line(write("other", c=["fft"])) == "1 case keeps its error bound by declared liberties: fft (1)"


def test_nothing_to_say(write: Write) -> None:
    """A run within its bounds has neither section nor line."""
    log = write("run", c=Numbers("0b", 0.9, 0.9), d=Verdict.FAIL)
    assert quality_line(log) == ""
    assert '<section id="quality">' not in render_page(log)
    assert "outside of the error bound" not in printed(lambda console: print_summary(log, console=console))


def test_numbers_survive_the_log_and_its_tables(write: Write, tmp_path: Path) -> None:
    """Read as written, and a column of ``cases.csv`` for each."""
    numbers = Numbers("0123456789abcdef", 0.25, None)
    log = write("run", c=numbers, d=Verdict.PASS)
    assert log.results["c"].numbers == numbers
    assert log.results["d"].numbers is None
    write_tables(log, tmp_path / "tables")
    with (tmp_path / "tables" / "cases.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    shown = [first[name] for name in ("digest", "tolerance_used", "bound_used", "quality")]
    assert shown == ["0123456789abcdef", "0.25", "", ""]
    assert second["digest"] == ""


def test_drift(write: Write) -> None:
    """Other bits, more of the bound or tolerance, a bound crossed, a claim lost; nothing else counts."""
    before = write(
        "before",
        same=Numbers("01", 0.5, 0.5),
        bits=Numbers("02", 0.5, 0.5),
        more=Numbers("03", 0.1, 0.25),
        most=Numbers("04", 0.1),
        less=Numbers("05", 0.9, 0.9),
        a=Numbers("06", 0.1, 0.9),
        lost=Numbers("07"),
        worse=Numbers("08"),
        old=Verdict.PASS,
    )
    after = write(
        "after",
        same=Numbers("01", 0.5, 0.5),
        bits=Numbers("12", 0.5, 0.5),
        more=Numbers("03", 0.05, 0.5),
        most=Numbers("04", 0.75),
        less=Numbers("05", 0.9, 0.8),
        a=Numbers("16", 0.5, 8.0, NOTE),
        lost=Verdict.UNSUPPORTED,
        worse=Verdict.FAIL,
        old=Numbers("19"),
    )
    drift = drift_between(before, after)
    assert drift.compared == 6
    assert drift.bits == ("a", "bits")
    assert drift.used_up == (
        UsedUp("a", "bound", 0.9, 8.0),
        UsedUp("most", "tolerance", 0.1, 0.75),
        UsedUp("more", "bound", 0.25, 0.5),
    )
    assert drift.crossed == ("a",)
    assert drift.lost == ("lost",)
    said = printed(lambda console: print_changes(before, after, console))
    for line in (
        "bits changed: 2 cases of 6 that pass in both",
        "more of the bound or tolerance used: 3 cases of 6 that pass in both",
        "most: 0.1 -> 0.75 of its tolerance",
        "outside of the error bound now: 1 case",
        "claims lost: 1 case (PASS before, UNSUPPORTED now)",
    ):
        assert line in said
        assert line.replace(">", "&gt;") in render_changes(before, after)


def test_no_drift(write: Write) -> None:
    """Equal runs have no such section."""
    runs = [write(name, same=Numbers("01", 0.5, 0.5)) for name in ("before", "after")]
    assert drift_between(*runs).lines == ()
    assert 'id="drift"' not in render_changes(*runs)
