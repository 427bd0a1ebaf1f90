"""Accuracy and coverage in a report. Expected numbers: by hand."""

from pathlib import Path

import pytest

from nnvet.reports.accuracy import coverage_of
from nnvet.reports.events import ModelSpace, RunStarted, Verdict
from nnvet.reports.html.matrix import build_coverage, error_shades
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log

ADD, ROWS = "ADD TENSOR_FLOAT32 2 - 0,2", "ADD TENSOR_FLOAT32 3 SOFTMAX,ADD 0"
SOFTMAX = "SOFTMAX TENSOR_FLOAT16 2 ADD -"
SPACE = ModelSpace(
    kinds={"ADD": {"TENSOR_FLOAT32": (1, 2, 3)}, "SOFTMAX": {"TENSOR_FLOAT16": (2,), "TENSOR_FLOAT32": (2,)}},
    lacking={"MUL": ("TENSOR_FLOAT16",)},
    items={"ADD": ("ADD plain", "ADD odd", "ADD fused", "ADD impossible")},
    never={"ADD impossible": "nobody can"},
    feeds={"ADD": ("TENSOR_FLOAT32",), "SOFTMAX": ("TENSOR_FLOAT16",)},
    reads={"ADD": ("TENSOR_FLOAT32",), "SOFTMAX": ("TENSOR_FLOAT16", "TENSOR_FLOAT32")},
)


@pytest.fixture
def judged(tmp_path: Path, started: RunStarted) -> Log:
    """Two cases that were judged by error bounds, the second of which says little, one that failed, and another."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.model_space(SPACE)
        for case, evidence in {
            "a": {"elements": 90, "undecided": 0, "accuracy": {"ADD": 0.24, "SOFTMAX": 1.0}, "covers": [ADD, SOFTMAX]},
            "b": {"elements": 10, "undecided": 6, "accuracy": {"ADD": 0.0}, "covers": [ADD, ROWS]},
            "c": {},
        }.items():
            log.case_started(case)
            log.case_finished(case, Verdict.PASS, evidence=evidence)
        log.case_started("d")
        log.case_finished("d", Verdict.FAIL, evidence={"covers": [ADD]})
        log.finish(1)
        return log.so_far


def test_coverage(judged: Log) -> None:
    """Elements, operations by type and rank, and largest errors in tenths of the bound, all of it among the last."""
    found = coverage_of(judged)
    assert (found.cases, found.made, found.elements, found.undecided, found.vague) == (2, 3, 100, 6, 1)
    assert found.occurred == {"ADD": {"TENSOR_FLOAT32": {2: 3, 3: 1}}, "SOFTMAX": {"TENSOR_FLOAT16": {2: 1}}}
    assert (found.operations, found.combinations) == (2, 3)
    assert found.edges == {"SOFTMAX": {"ADD": 1}, "ADD": {"ADD": 1, "SOFTMAX": 1}}
    assert found.pairs == 3
    assert found.items == {"ADD": {0: 4, 2: 3}, "SOFTMAX": {}}
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
    assert "rank 1: 0, rank 2: 3, rank 3: 1" in page


def test_what_did_not_occur(judged: Log) -> None:
    """Beside what occurred stands what might have, what never can, and why; and what the driver lacks."""
    view = build_coverage(coverage_of(judged), judged.space)
    assert view.types == ("TENSOR_FLOAT16", "TENSOR_FLOAT32")
    add, mul, softmax = view.rows
    assert [cell.state for cell in add.kinds] == ["none", "made"]
    assert [cell.state for cell in mul.kinds] == ["lacking", "none"]
    assert [cell.state for cell in softmax.kinds] == ["made", "never"]
    assert [cell.state for cell in add.items] == ["made", "never", "made", "reason"]
    assert (view.kinds_seen, view.kinds_possible) == (3, 5)
    assert (view.items_seen, view.items_possible) == (2, 4)
    assert view.missing == (("ADD impossible", "nobody can"), ("ADD odd", ""))
    # SOFTMAX fed ADD, though their declarations do not say so.
    assert (view.pairs.seen, view.pairs.possible) == (3, 4)
    assert view.pairs.counts == {"0": {"0": 1, "2": 1}, "2": {"0": 1}}


def test_shades() -> None:
    """Nothing has none, the most has the darkest, and the steps are those of the logarithm."""
    assert [shade for shade, _ in error_shades((0, 1, 10, 100, 1000, 10000))] == [0, 1, 2, 3, 4, 5]


def test_other_runs_have_no_section(tmp_path: Path, started: RunStarted) -> None:
    """Cases that were judged otherwise say nothing of bounds."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("c")
        log.case_finished("c", Verdict.PASS)
        log.finish(0)
        assert '<section id="accuracy">' not in render_page(log.so_far)
