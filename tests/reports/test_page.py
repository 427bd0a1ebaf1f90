"""The page as text: nothing a driver says can break it, and it needs nothing from elsewhere."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from nnvet.reports.events import RunStarted, Verdict
from nnvet.reports.html.cases import DETAILED_CASES
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, read_log


class Page(HTMLParser):
    """Tags, attributes and texts of a page, by the standard library's parser."""

    def __init__(self, html: str) -> None:
        """Parse ``html``."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        """Note text; within a script it is the script's."""
        if self.tags and self.tags[-1][0] == "script" and self.scripts[-1] == "":
            self.scripts[-1] = data
        else:
            self.text.append(data)


def test_what_a_driver_says_stays_text(full_log: Path) -> None:
    """Markup in names, reasons and errors is shown, not obeyed."""
    page = Page(render_page(read_log(full_log)))
    assert [attributes.get("type") for tag, attributes in page.tags if tag == "script"] == ["application/json", None]
    assert not [tag for tag, _ in page.tags if tag in ("img", "b", "low", "fast")]
    text = " ".join(page.text)
    assert "</script><script>document.title='owned'</script><img src=x" in text
    assert "acme <b>npu</b>" in text
    assert "top 1 is <low>" in text


def test_the_page_needs_no_network(full_log: Path) -> None:
    """No element refers to anything but places in the page, and a policy forbids what was overlooked."""
    page = Page(render_page(read_log(full_log)))
    refers = [value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "href")]
    assert refers
    assert all(value and value.startswith("#") for value in refers)
    places = {attributes.get("id") for _, attributes in page.tags}
    assert {value[1:].partition("?")[0] for value in refers if value} <= places
    policy = next(
        attributes["content"] for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_embedded_cases_are_those_of_the_log(full_log: Path) -> None:
    """The table's data, read as JSON, holds each case with its verdict, rule, reason and evidence."""
    log = read_log(full_log)
    data = json.loads(Page(render_page(log)).scripts[0])
    rows = {row[0]: row for row in data["cases"]}
    assert {case: data["texts"][row[1]] for case, row in rows.items()} == {
        case: result.verdict for case, result in log.results.items()
    }
    failed = rows["spec/conv/f1"]
    assert data["texts"][failed[5]] == "CONV_2D/output.value"
    assert data["texts"][failed[6]] == log.results["spec/conv/f1"].reason
    assert json.loads(failed[-1]["worst"])["actual"] == "NaN"
    assert failed[-1]["check"] == "burst"
    assert rows["other/error"][-1]["replay"].startswith("nnvet replay other/error -d ")


def test_counts_and_outcome_are_in_the_page_itself(full_log: Path) -> None:
    """Totals need no script."""
    html = render_page(read_log(full_log))
    assert '<strong id="outcome">Not conformant</strong>' in html
    for verdict in Verdict:
        count = {Verdict.PASS: 3, Verdict.FAIL: 2}.get(verdict, 1)
        assert f'data-count="{verdict}">{count}</span>' in html


@pytest.mark.parametrize(
    ("exit_code", "outcome"),
    [(0, "No fault found in 1 case"), (None, "Incomplete"), (1, "Not conformant"), (3, "Incomplete")],
)
def test_the_banner_tells_the_outcome(make_log: Callable[..., Path], exit_code: int | None, outcome: str) -> None:
    """The first thing to read is the outcome."""
    html = render_page(read_log(make_log({"a": Verdict.PASS}, exit_code=exit_code)))
    assert f'<strong id="outcome">{outcome}</strong>' in html


def test_a_log_without_anything_makes_a_page(make_log: Callable[..., Path], tmp_path: Path) -> None:
    """No case, no measurement, no facts of the machine: still a page; a broken-off case is named."""
    assert "no case passed" in render_page(read_log(make_log({})))
    with EventLog.create(tmp_path / "cut.jsonl", read_log(make_log({})).started) as log:
        log.case_started("vts/deadly")
    html = render_page(read_log(log.path))
    assert "Broken off" in html
    assert "<code>vts/deadly</code>" in html


def test_twenty_thousand_cases_make_a_page_of_sane_size(tmp_path: Path, started: RunStarted) -> None:
    """Under 10 MB, evidence included, even if each fourth case fails differently."""
    header = msgspec.structs.replace(started, planned=None)
    with EventLog.create(tmp_path / "run.jsonl", header) as log:
        for index in range(20_000):
            case = f"spec/operation_{index % 100}/variation_{index}/burst"
            labels = {"operations": [f"OP_{index % 100}"], "operand_types": ["TENSOR_FLOAT32"], "suite": "spec"}
            failed = index % 4 == 0
            log.case_started(case)
            log.case_finished(
                case,
                Verdict.FAIL if failed else Verdict.PASS,
                rule=f"OP_{index % 100}/rule_{index % 7}" if failed else "",
                reason=f"{index} elements differ" if failed else "",
                evidence={"stderr_tail": "e" * 5000} if failed else {},
                labels=labels,
            )
        log.finish(1)
    html = render_page(read_log(log.path))
    assert len(html.encode()) < 10_000_000
    assert html.count("e" * 2000) <= DETAILED_CASES + 600
    rows = json.loads(Page(html).scripts[0])["cases"]
    assert sum(row[9] for row in rows) == 20_000
    assert sum(row[9] == 1 for row in rows) == 5_000, "each failure has a row, passed cases share theirs"
