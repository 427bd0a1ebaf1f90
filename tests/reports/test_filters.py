"""Filters of the pages of changes and of a history: what they show, and the address that keeps them."""

from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.history import History, RunFacts, facts_of
from nnvet.reports.html.diff import write_changes
from nnvet.reports.html.history import write_history
from nnvet.reports.log import EventLog, Log, read_log
from tests.reports.chromium import Sight, needs_browser

pytestmark = needs_browser

FACTS = DriverFacts("python:driver.py:make", name="driver")
PASS, FAIL, CRASH = Verdict.PASS, Verdict.FAIL, Verdict.CRASH
CASES = (
    ("GeneratedTest/add", "ADD", PASS, FAIL),
    ("GeneratedTest/mul", "MUL", PASS, FAIL),
    ("DynamicOutputShapeTest/mul", "MUL", PASS, CRASH),
    ("GeneratedTest/sub", "SUB", FAIL, PASS),
    ("GeneratedTest/div", "DIV", PASS, PASS),
    ("GeneratedTest/new", "DIV", None, FAIL),
)
"""Cases with their operation, and their verdict in the first and in the second run."""


@pytest.fixture
def logs(tmp_path: Path) -> list[Log]:
    """Both runs; the reason and the rule of a failure name its case, so that each is a fault of its own."""
    found = []
    for run in (0, 1):
        folder = tmp_path / str(run)
        folder.mkdir()
        with EventLog.create(folder / "run.jsonl", RunStarted("0.1.0", FACTS, f"2026-11-2{run}T07:00:00Z")) as log:
            for case, operation, *verdicts in CASES:
                verdict = verdicts[run]
                if verdict is None:
                    continue
                rule = "" if verdict is PASS else f"{operation}/output.value"
                labels = {"operations": [operation], "operand_types": ["TENSOR_FLOAT32"], "suite": case.split("/")[0]}
                log.case_started(case)
                log.case_finished(case, verdict, rule=rule, reason=f"{rule} is wrong" if rule else "", labels=labels)
            log.finish(1)
        found.append(read_log(log.path))
    return found


def _options(reader: Sight, name: str) -> list[str]:
    return reader.texts(f"select[data-{name}] option:not([value=''])")


def _hash(reader: Sight) -> str:
    return str(reader.page.evaluate("location.hash"))


def test_changed_cases_are_filtered(reader: Sight, logs: list[Log], tmp_path: Path) -> None:
    """By change, verdict, suite and operation; a chip takes the filter away, and the address holds what is left."""
    path = tmp_path / "diff.html"
    write_changes(*logs, path)
    page = reader.open(path)
    assert reader.texts("#found") == ["5 of 5 cases"]
    assert _options(reader, "column='change'") == [
        "better: FAIL → PASS",
        "only after: FAIL",
        "worse: PASS → CRASH",
        "worse: PASS → FAIL",
    ]
    assert _options(reader, "column='operation'") == ["ADD", "DIV", "MUL", "SUB"]
    page.select_option("select[data-column=operation]", "MUL")
    assert reader.texts("#rows tr td:nth-child(2)") == ["GeneratedTest/mul", "DynamicOutputShapeTest/mul"]
    page.select_option("select[data-column=suite]", "DynamicOutputShapeTest")
    assert reader.texts("#rows tr td:nth-child(1)") == ["† CRASH" + "worse: PASS → CRASH"]
    assert _hash(reader) == "#cases?operation=MUL&suite=DynamicOutputShapeTest"
    page.click(".chip >> text=operation")
    assert _hash(reader) == "#cases?suite=DynamicOutputShapeTest"
    assert reader.errors == []


def test_the_address_of_changes_is_read(reader: Sight, logs: list[Log], tmp_path: Path) -> None:
    """A mended case is shown with the fault that it had."""
    path = tmp_path / "diff.html"
    write_changes(*logs, path)
    page = reader.open(path, "#cases?verdict=PASS")
    assert reader.texts("#rows tr td:nth-child(2)") == ["GeneratedTest/sub"]
    assert reader.texts("#rows tr td:nth-child(4)") == ["SUB/output.value"]
    assert page.input_value("select[data-column=verdict]") == "PASS"


def test_equal_runs_have_no_table(reader: Sight, logs: list[Log], tmp_path: Path) -> None:
    """And no script that fails for want of one."""
    path = tmp_path / "diff.html"
    write_changes(logs[0], logs[0], path)
    reader.open(path)
    assert reader.texts("#changes .lead") == ["Every case has the same verdict as before."]
    assert reader.texts("#cases") == []
    assert reader.errors == []


def _rows(reader: Sight) -> list[str]:
    return [row.split()[0] for row in reader.texts(".lives tbody tr:not([hidden]) th")]


def test_failures_of_a_history_are_filtered(reader: Sight, logs: list[Log], tmp_path: Path) -> None:
    """By verdict, state, suite and operation, and the address holds it; a history of old lines knows no operations."""
    runs: tuple[RunFacts, ...] = tuple(map(facts_of, logs))
    path = write_history(History(tmp_path / "history.jsonl", runs), tmp_path)
    page = reader.open(path)
    assert reader.texts("#found") == ["5 of 5 failures"]
    assert _options(reader, "row='operation'") == ["ADD", "DIV", "MUL", "SUB"]
    page.select_option("select[data-row=state]", "fixed")
    assert _rows(reader) == ["SUB/output.value"]
    page.select_option("select[data-row=state]", "open")
    page.select_option("select[data-row=operation]", "MUL")
    assert _rows(reader) == ["MUL/output.value", "MUL/output.value"]
    page.select_option("select[data-row=verdict]", "CRASH")
    assert reader.texts("#found") == ["1 of 5 failures"]
    address = _hash(reader)
    assert address == "#failures?verdict=CRASH&state=open&operation=MUL"
    reader.open(path, address)
    assert reader.texts("#found") == ["1 of 5 failures"]
    assert reader.errors == []
