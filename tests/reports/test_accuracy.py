"""What a report says of accuracy and coverage. Expected numbers: by hand."""

from pathlib import Path

import pytest

from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log

ADD, ROWS = "ADD TENSOR_FLOAT32 2", "ADD TENSOR_FLOAT32 3"
SOFTMAX = "SOFTMAX TENSOR_FLOAT16 2"


@pytest.fixture
def judged(tmp_path: Path, started: RunStarted) -> Log:
    """Two cases that were judged by error bounds, the second of which says little, and one that was not."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for case, evidence in {
            "a": {"elements": 90, "undecided": 0, "accuracy": {"ADD": 0.24, "SOFTMAX": 1.0}, "covers": [ADD, SOFTMAX]},
            "b": {"elements": 10, "undecided": 6, "accuracy": {"ADD": 0.0}, "covers": [ADD, ROWS]},
            "c": {},
        }.items():
            log.case_started(case)
            log.case_finished(case, Verdict.PASS, evidence=evidence)
        log.finish(0)
        return log.so_far


def test_coverage(judged: Log) -> None:
    """Elements, operations by type and rank, and largest errors in tenths of the bound, all of it among the last."""
    found = coverage_of(judged)
    assert (found.cases, found.elements, found.undecided, found.vague) == (2, 100, 6, 1)
    assert found.occurred == {"ADD": {"TENSOR_FLOAT32": {2: 2, 3: 1}}, "SOFTMAX": {"TENSOR_FLOAT16": {2: 1}}}
    assert (found.operations, found.combinations) == (2, 3)
    assert found.types == ("TENSOR_FLOAT16", "TENSOR_FLOAT32")
    add, softmax = found.accuracy
    assert (add.operation, add.outputs, add.worst) == ("ADD", 2, 0.24)
    assert add.counts == (1, 0, 1, *[0] * 7)
    assert softmax.counts == (*[0] * 9, 1)


def test_the_page_has_a_section(judged: Log) -> None:
    """With the share of undecided elements; a run without such cases has none."""
    page = render_page(judged)
    assert '<section id="accuracy">' in page
    assert "6.0 % of them undecided" in page
    assert "rank 3: 1" in page


def test_other_runs_have_no_section(tmp_path: Path, started: RunStarted) -> None:
    """Cases that were judged otherwise say nothing of bounds."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("c")
        log.case_finished("c", Verdict.PASS)
        log.finish(0)
        assert '<section id="accuracy">' not in render_page(log.so_far)
