"""Extent of a run's judgement: operations and types of the contract's, in all places that state it."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, Log, read_log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.outcome import extent_of
from tests.reports.test_texts import console_text

CASES = (
    (Verdict.PASS, "ADD", "TENSOR_FLOAT32"),
    (Verdict.PASS, "ADD", "TENSOR_QUANT8_ASYMM"),
    (Verdict.FAIL, "CONV_2D", "TENSOR_FLOAT32"),
    (Verdict.PASS, "CONV_2D", "TENSOR_QUANT8_ASYMM"),
    (Verdict.PASS, "MUL", "TENSOR_FLOAT32"),
    (Verdict.UNSUPPORTED, "MUL", "TENSOR_QUANT8_ASYMM"),
    (Verdict.NOT_RUN, "FLOOR", "TENSOR_FLOAT32"),
    (Verdict.PASS, ["ADD", "RELU"], "TENSOR_FLOAT32"),
    (Verdict.PASS, "com.acme.attention::ATTENTION", "TENSOR_FLOAT32"),
    (Verdict.PASS, "ABS", "TENSOR_FLOAT32"),
)
SENTENCES = (
    "3 of 38 operations judged, 2 in all their types",
    "8 cases judged, 2 not (not run: 1, unsupported: 1)",
)
"""Level 2 has the operations with the codes 0 to 37; these three in float32 and unsigned codes. ABS is later."""


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A run at level 2 of a driver of level 7, with one case for each of the lines above."""
    started = RunStarted("0.1.0", DriverFacts("d", feature_level=7), "2025-11-21T09:41:07Z", level=2)
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for index, (verdict, operations, kind) in enumerate(CASES):
            case = f"c/{index}"
            if verdict is not Verdict.NOT_RUN:
                log.case_started(case)
            log.case_finished(case, verdict, labels={"operations": operations, "operand_types": [kind]})
        log.finish(1)
    return read_log(log.path)


def test_operations_are_those_of_the_runs_level(log: Log) -> None:
    """One passed case makes an operation right unless another fails; later and foreign operations are left out."""
    extent = extent_of(log)
    assert (extent.operations, extent.right, extent.faulty, extent.unjudged) == (38, 2, 1, 35)
    assert extent.sentences == SENTENCES


def test_page_console_and_summary_say_the_same(log: Log) -> None:
    """The same two sentences, and in the page a bar of operations beside the verdict."""
    page, markdown, console = render_page(log), render_markdown(log), console_text(log.path, width=200)
    banner = page.partition('id="judged"')[2].partition("</header>")[0]
    assert re.findall(r'fill (\w+)" style="flex-grow: (\d+)"', banner) == [
        ("pass", "2"),
        ("fail", "1"),
        ("unsupported", "35"),
    ]
    assert 'aria-label="Of 38 operations 2 right, 1 with faults, 35 not judged"' in banner
    for sentence in SENTENCES:
        assert f"<li>{sentence}</li>" in banner
        assert f"- {sentence}\n" in markdown
        assert f"  {sentence}\n" in console


def test_runs_without_single_operations_speak_of_cases_alone(make_log: Callable[..., Path]) -> None:
    """A campaign of random graphs, or a stress test, has judged no operation by itself, and does not look empty."""
    log = read_log(make_log({"RandomModels/1": Verdict.PASS}))
    assert extent_of(log).sentences == ("1 case judged",)
    assert 'id="judged"' in render_page(log)


def test_the_level_is_the_drivers_or_the_highest(log: Log, tmp_path: Path) -> None:
    """Codes 0 to 28 are of level 1; a log that says nothing of levels is held to all of the contract."""
    counts = []
    for level in (1, None):
        started = RunStarted("0.1.0", DriverFacts("d", feature_level=level), log.started.time)
        with EventLog.create(tmp_path / f"{level}.jsonl", started) as other:
            other.case_started("a")
            other.case_finished("a", Verdict.PASS, labels={"operations": "ADD", "operand_types": "TENSOR_FLOAT32"})
        counts.append(extent_of(read_log(other.path)).operations)
    assert counts[0] == 29
    assert counts[1] > 100


@pytest.mark.parametrize("works", [False, True])
def test_a_cache_that_nothing_is_prepared_from_is_named(tmp_path: Path, works: bool) -> None:
    """A single retrieval that succeeds is enough to say nothing; refusals of other reasons are none."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0.1.0", DriverFacts("d"), "2025-11-21T09:41:07Z")) as log:
        for case, verdict, rule in (
            ("Caching/Retrieval/FLOAT", Verdict.UNSUPPORTED, "cache/retrieval"),
            (
                "Caching/Retrieval/CODES",
                Verdict.PASS if works else Verdict.UNSUPPORTED,
                "" if works else "cache/retrieval",
            ),
            ("Caching/Saving/FLOAT", Verdict.PASS, ""),
            ("Caching/Other/FLOAT", Verdict.UNSUPPORTED, "model/level"),
        ):
            log.case_started(case)
            log.case_finished(case, verdict, rule=rule)
        log.finish(0)
    sentence = "the driver asks for files of a cache, and prepares nothing from them: 2 cases say so"
    assert (extent_of(read_log(log.path)).sentences[0] == sentence) is not works
    assert (sentence in console_text(log.path, width=200)) is not works


def test_what_cpu_kernels_may_have_computed_comes_first(tmp_path: Path) -> None:
    """In page, console and summary: two of three cases were computed by an accelerator that may fall back on them."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0.1.0", DriverFacts("d"), "2025-11-21T09:41:07Z")) as log:
        for index, by in enumerate(("npu or CPU kernels", "npu or CPU kernels", "npu, beside it CPU kernels: CAST")):
            log.case_started(f"c/{index}")
            labels = {"operations": "ADD", "operand_types": ["TENSOR_FLOAT32"]}
            log.case_finished(f"c/{index}", Verdict.PASS, labels=labels, computed_by=by)
        log.finish(0)
    found = read_log(log.path)
    sentence = "CPU kernels may have done the driver's work in 2 cases: it may fall back on them"
    assert extent_of(found).sentences[0] == sentence
    assert sentence in console_text(log.path, width=200)
    assert sentence in render_markdown(found)
    banner, _, rest = render_page(found).partition("</header>")
    assert sentence in html.unescape(banner)
    assert "npu, beside it CPU kernels: CAST" in rest.partition('id="computed"')[2]
