"""Failures that were made small, in the log and on the page."""

from pathlib import Path

from nnvet.reports.events import LoggedReduction, ReducedOperation, RunStarted, Verdict
from nnvet.reports.html.groups import draw, read_graph, view_reductions
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, read_log
from tests.reports.conftest import INJECTION, MODEL

GRAPH = (
    ReducedOperation("ADD", (("%0 input", -1), ("%1 constant", -1)), ("%2",)),
    ReducedOperation("MUL", (("%2", 0), ("%2", 0)), ("%3 output",)),
)
SMALL = LoggedReduction(
    "0123456789ab",
    Verdict.FAIL,
    "execution/output.value",
    INJECTION,
    ("a", "b"),
    10,
    25,
    GRAPH,
    "failures/x",
    "nnvet replay x",
    3,
)


def test_a_picture() -> None:
    """A box for each operation, one line however often a result is read, and every other operand in words."""
    picture = draw(GRAPH)
    assert len(picture.boxes) == 2
    assert len(picture.lines) == 1
    assert [text.text for text in picture.texts] == ["%0 input", "%1 constant", "ADD", "%2", "MUL", "%3 output"]
    heights = [text.y for text in picture.texts]
    assert heights == sorted(heights)
    assert picture.height > heights[-1]


def test_the_graph_of_the_evidence_is_read() -> None:
    """Operations with their operands in words, each with the operation that makes it; other texts are no graph."""
    add, multiply = read_graph(MODEL)
    assert (add.name, multiply.name) == ("ADD", "MUL")
    assert add.inputs[1] == ("%1 constant TENSOR_FLOAT32[2] = [1, 2]", -1)
    assert [source for _, source in multiply.inputs] == [0, -1]
    assert multiply.outputs == ("%3 output TENSOR_FLOAT32[2]",)
    assert read_graph(["no graph"]) == read_graph("%1 = ADD(%0)") == read_graph(None) == ()


def test_large_graphs_have_no_picture() -> None:
    """A large graph is not drawn; it is counted like all others."""
    (view,) = view_reductions((LoggedReduction("f", Verdict.FAIL, "r", "", ("a",), 9, 1, GRAPH * 9, "", ""),))
    assert view.picture is None
    assert view.alike == 0


def test_the_log_and_the_page_have_them(tmp_path: Path, started: RunStarted) -> None:
    """The last of one fingerprint, with what replays it and how many failures it stands for; texts do no harm."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.reduction(LoggedReduction("0123456789ab", Verdict.FAIL, "r", "", ("a",), 10, 25, GRAPH, "failures/x", ""))
        log.reduction(SMALL)
        log.finish(1)
    found = read_log(tmp_path / "run.jsonl")
    assert found.reductions == (SMALL,)
    page = render_page(found)
    assert '<section id="reduced">' in page
    assert "stands for <strong>4</strong> more" in page
    assert 'data-copy="nnvet replay x"' in page
    assert INJECTION not in page
