"""Logs that somebody has sent, with texts meant for a browser, a terminal or a reader of Markdown in every field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from markdown_it import MarkdownIt

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.evidence import evidence_lines
from nnvet.reports.github import issue_text
from nnvet.reports.history import History, append_run, facts_of, read_history
from nnvet.reports.html.diff import render_changes
from nnvet.reports.html.history import render_history
from nnvet.reports.html.page import render_page
from nnvet.reports.html.scoreboard import render_scoreboard
from nnvet.reports.log import EventLog, Log, LogError, read_log
from nnvet.reports.markdown import render_markdown
from nnvet.reports.values import TOO_DEEP
from tests.reports.test_texts import console_text

PLAIN: Final = "plain"
MARKUP: Final = "</script><script>owned()</script><img/src=x\"y'z`[l](http://e)**b**{{7*7}}--><!--"
ADDRESSES: Final = ("javascript:alert(1)", "//evil.example/x", "https://evil.example", "/etc/passwd", "../../x", "a/..")
CONTROLS: Final = "a\x1b]0;owned\x07\x1b[2J\x9b31m\x00\x85\u202e\r\n\n::error::owned\n# owned\n\n| owned | b |\n"
FAULT: Final = "0123456789ab"
_UNFIT: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LATENCY: Final = {
    **dict.fromkeys(("total_s", "mean_s", "std_dev_s", "min_s", "max_s", "p50_s", "p90_s", "p99_s"), 0.5),
    "iterations": 3,
    "histogram": {"start_s": 0.0, "step_s": 0.1, "counts": [1, 2]},
}


def _evidence(text: str) -> dict[str, Any]:
    worst = {"output": text, "index": [1], "expected": 1.5, "actual": text, "difference": 0.5, "tolerance": 0.25}
    words = ("sentence", "advice", "replay", "vector", "signal", "raised", "place", "fault", "made_by", "crossed", text)
    return {
        **dict.fromkeys(words, text),
        "worst": worst | {"tolerance_source": text},
        "frames": [text],
        "by_worker": {text: text},
        "failed_before": {text: text},
        "positions": {text: {text: 0.5}},
        "stderr_tail": f"{text}\nTraceback (most recent call last):\n  {text}\n{text}",
        "timings": {"hung_in": text, "native_stacks": f"{text}\n{text}", "core": text, "worker": text},
    }


def _events(text: str, fingerprint: str) -> Iterator[dict[str, Any]]:
    """Each event with a text in each field that is one; a case's name has to be printable."""
    driver = dict.fromkeys(("selector", "name", "version", "type"), text) | {"extensions": [text]}
    machine = dict.fromkeys(("cpu", "kernel", "python", "numpy", "governor"), text)
    started = {"suite_version": text, "driver": driver, "machine": machine, "time": "2025-11-21T09:41:07Z"}
    yield {"event": "run_started", **started, "selection": [text], "options": [text]}
    for verdict in Verdict:
        name = _name(text) + verdict
        if verdict is not Verdict.NOT_RUN:
            yield {"event": "case_started", "case": name}
        labels = {"operations": [text], "operand_types": [text], "suite": text, "attributes": {text: text}}
        said = {"rule": text, "reason": text, "labels": labels, "evidence": _evidence(text), "computed_by": text}
        fault = fingerprint if verdict is Verdict.FAIL else text + verdict
        yield {"event": "case_finished", "case": name, "verdict": verdict, **said, "fingerprint": fault}
    graph = [{"name": text, "inputs": [[text, -1]], "outputs": [text]}]
    words = dict.fromkeys(("fingerprint", "rule", "reason", "folder", "replay"), text)
    numbers = {"operations": 3, "executions": 3}
    yield {"event": "reduction", **words, **numbers, "verdict": "FAIL", "cases": [text], "graph": graph}
    for backend in ("LiteRT", f"nnvet:{text}"):
        words = {"model": text, "backend": backend, "family": text, "validation_errors": [text]}
        yield {"event": "measurement", **words, "latency": _LATENCY, "accuracy": {text: 0.5}}
    yield {"event": "measurement", "model": f"{text}2", "backend": f"nnvet:{text}", "error": text}
    yield {"event": "fuzzing_finished", "harness": text, "executions": 3, "seconds": 1.0}
    counts = dict.fromkeys(Verdict, 1)
    yield {"event": "run_finished", "counts": counts, "exit_code": 1, "problems": [text], "wanted": [text]}


def sent(place: Path, text: str, fingerprint: str = FAULT) -> Log:
    """The log with a text in its fields."""
    place.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in _events(text, fingerprint)))
    return read_log(place)


class _Elements(HTMLParser):
    """Kinds of elements of a page with their attributes, and all addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.kinds: set[object] = set()
        self.addresses: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.add((tag, *sorted(name for name, _ in attrs)))
        self.addresses |= {value or "" for name, value in attrs if name in ("href", "src", "action")}


def pages(log: Log) -> list[_Elements]:
    """Every page that a log is laid out on."""
    past = History(Path("history"), (facts_of(log),))
    board = render_scoreboard([("a", log), ("b", log)])
    return [*map(_Elements, (render_page(log, past), render_changes(log, log), board, render_history(past)))]


def test_texts_make_no_elements_of_a_page(tmp_path: Path) -> None:
    """Pages have the elements and attributes that they have with plain texts."""
    plain, found = pages(sent(tmp_path / "plain", PLAIN)), pages(sent(tmp_path / "hostile", MARKUP))
    for before, after in zip(plain, found, strict=True):
        assert after.kinds <= before.kinds


@pytest.mark.parametrize("address", ADDRESSES)
def test_pages_lead_nowhere_else(tmp_path: Path, address: str) -> None:
    """A page has links into itself and to what lies beside it."""
    (page, *_) = pages(sent(tmp_path / "log", address))
    links = [link for link in page.addresses if not link.startswith("#")]
    assert not [link for link in links if ":" in link or link.startswith("/") or ".." in link]


def test_folders_beside_a_log_are_links(tmp_path: Path) -> None:
    """As runs write them."""
    (page, *_) = pages(sent(tmp_path / "log", "reduced/a b"))
    assert {link for link in page.addresses if not link.startswith("#")} == {"reduced/a%20b"}


def _marks(text: str) -> Counter[str]:
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    parts = [part for token in parsed for part in (token, *(token.children or ()))]
    return Counter(part.type for part in parts if part.type not in ("text", "softbreak"))


@pytest.mark.parametrize("text", [MARKUP, CONTROLS], ids=["markup", "controls"])
def test_texts_make_no_marks_in_markdown(tmp_path: Path, text: str) -> None:
    """No heading, no table, no link and no HTML in summary and issue that plain texts do not make."""
    plain, found = sent(tmp_path / "plain", PLAIN), sent(tmp_path / "hostile", text)
    for write in (render_markdown, lambda log: issue_text(log, FAULT)):
        assert not _marks(write(found)) - _marks(write(plain))


def test_texts_are_fit_for_a_terminal(tmp_path: Path) -> None:
    """Nothing that a terminal obeys, and no line of their own."""
    log = sent(tmp_path / "run.jsonl", CONTROLS)
    append_run(tmp_path, facts_of(log))
    (run,) = read_history(tmp_path).runs
    lines = [console_text(log.path, width=200), run.name, run.verdict, *run.models, *run.faults]
    issue = issue_text(log, log.results[f"{_name(CONTROLS)}HANG"].fingerprint)
    assert not [text for text in (*lines, issue) if _UNFIT.search(text)]
    assert not [text for text in lines if re.search("^(::error|# owned)", text, re.MULTILINE)]


def _name(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


_COUNTED: Final = {"covers": ["ADD TENSOR_FLOAT32 2 MUL 1,2"], "elements": 4, "undecided": 1, "accuracy": {"ADD": 0.25}}
_ODD_EVIDENCE: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("frames", {"frames": 3}),
    ("positions", {"positions": {"ADD TENSOR_FLOAT32": 7}}),
    ("positions", {"positions": {"ADD TENSOR_FLOAT32": {"ieee": "much"}}}),
    ("elements", _COUNTED | {"elements": []}),
    ("undecided", _COUNTED | {"undecided": {}}),
    ("accuracy", _COUNTED | {"accuracy": [0.25]}),
    ("covers", _COUNTED | {"covers": ["ADD"]}),
    ("covers", {"undecided": 1}),
    ("timings", {"timings": 3}),
    ("refused", {"timings": {"refused": [1]}}),
    ("phases", {"timings": {"phases": [["start"]]}}),
    ("rows", {"timings": {"timeline": {"fields": ["time_s"], "rows": [["late"]]}}}),
)


def _with_evidence(place: Path, evidence: dict[str, Any]) -> Path:
    """A log of one stress test with this evidence."""
    labels = {"stress": "FAILURE"}
    with EventLog.create(place, RunStarted("1", DriverFacts("reference"), "2025-11-21T09:41:07Z")) as log:
        log.case_started("a/b")
        log.case_finished("a/b", Verdict.FAIL, rule="r", reason="why", evidence=evidence, labels=labels)
        log.finish(1)
    return place


@pytest.mark.parametrize(("name", "evidence"), _ODD_EVIDENCE)
def test_evidence_of_the_wrong_form_is_refused(tmp_path: Path, name: str, evidence: dict[str, Any]) -> None:
    """Keys with which pages compute must have their form; the message names the line and the key."""
    place = _with_evidence(tmp_path / "log", {})
    lines = place.read_bytes().splitlines(keepends=True)
    event = msgspec.json.decode(lines[2])
    lines[2] = msgspec.json.encode(event | {"evidence": evidence}) + b"\n"
    place.write_bytes(b"".join(lines))
    with pytest.raises(LogError, match=rf":3: not an event of a log: .*\b{name}\b"):
        read_log(place)


def test_evidence_of_any_depth_is_laid_out(tmp_path: Path) -> None:
    """Lists and dicts that no template could follow end with a note."""
    deep: Any = "lowest of all"
    for _ in range(150):
        deep = [{"a": deep}]
    log = read_log(_with_evidence(tmp_path / "log", {"values": deep, "timings": {"more": deep}}))
    for page in (render_page(log), render_changes(log, log)):
        assert "lowest of all" not in page
    assert TOO_DEEP in render_page(log)
    assert TOO_DEEP in "\n".join(map(str, evidence_lines(log.results["a/b"].evidence)))


def test_operations_that_only_feed_others_have_a_place(tmp_path: Path) -> None:
    """A log may name an operation that no model of it contains."""
    assert "MUL" in render_page(read_log(_with_evidence(tmp_path / "log", _COUNTED)))
