"""Summaries in Markdown and on the console, and the facts in the head of a log."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from nnvet.hal.types import (
    Capabilities,
    DeviceType,
    Extension,
    FeatureLevel,
    OperandPerformance,
    OperandType,
    PerformanceInfo,
)
from nnvet.reports.addresses import site_address
from nnvet.reports.console import print_summary
from nnvet.reports.events import Measurement, Performance, RunStarted, Verdict
from nnvet.reports.facts import driver_facts, machine_facts
from nnvet.reports.figures import summarise
from nnvet.reports.html.page import render_page
from nnvet.reports.log import EventLog, LogError, read_log
from nnvet.reports.markdown import FAILURES_SHOWN, render_markdown
from nnvet.reports.render import render


def test_markdown_tells_outcome_counts_and_failures(full_log: Path) -> None:
    """Tables have rows of equal width, and markup of a driver stays text."""
    text = render_markdown(read_log(full_log))
    assert text.startswith(r"# acme \<b\>npu\</b\>: not conformant")
    assert "| PASS | 3 |" in text
    assert "| 2 | FAIL | `spec/conv/f1` | `CONV_2D/output.value` |" in text
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3, 6, 7}
    # 6 ms against 3 ms, and 37.5 % of 62.5 %; one driver needs no column.
    assert "| Model | Median | Baseline | Speed | Accuracy |" in text
    assert r"| mobilenet\_v1 | 6.00 ms | 3.00 ms | 0.50× | ✕ top 1 37.5 % (-25.00 pp) |" in text  # noqa: RUF001


def test_the_console_has_the_measured_models(full_log: Path, tmp_path: Path, started: RunStarted) -> None:
    """Why one did not run, and a column of drivers where there are several."""
    text = console_text(full_log, width=120)
    assert re.search(r"mobilenet_v1 +6.00 ms +3.00 ms +0.50× +✕ top 1 37.5 % \(-25.00 pp\)", text)  # noqa: RUF001
    assert re.search(r"asr_float +– +– +– +✕ prepareModel failed", text)  # noqa: RUF001 - the sign for nothing
    with EventLog.create(tmp_path / "two.jsonl", started) as log:
        for name in ("nnvet:a", "nnvet:b"):
            log.measurement(Measurement("net", name, summarise([0.001]), toy=True))
    text = console_text(log.path, width=120)
    assert re.search(r"net \(toy\).*\n  a +1.00 ms .*\n  b +1.00 ms", text)


def test_equal_failures_are_shown_once(make_log: Callable[..., Path]) -> None:
    """Markdown and console give a count, one example and the command that runs it again."""
    path = make_log({f"c/{index}": Verdict.FAIL for index in range(500)}, exit_code=1)
    markdown, console = render_markdown(read_log(path)), console_text(path, width=200)
    assert "| 500 | FAIL | `c/0` |" in markdown
    assert "500 x FAIL c/0" in console
    for text in (markdown, console):
        assert text.count("nnvet replay c/0 -d ") == 1
        assert "c/1 " not in text


def test_markdown_stays_short(tmp_path: Path, started: RunStarted) -> None:
    """Of many kinds of failures the first are shown, and the number of the others."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for index in range(50):
            log.case_started(f"c/{index}")
            log.case_finished(f"c/{index}", Verdict.FAIL, rule=f"R/{index}")
    text = render_markdown(read_log(log.path))
    assert text.count("| FAIL | `c/") == FAILURES_SHOWN
    assert "40 more of 40 other kinds are in the report." in text


def console_text(path: Path, width: int) -> str:
    """Return the console's output without a terminal."""
    stream = io.StringIO()
    print_summary(read_log(path), [Path("out/report.html")], Console(file=stream, width=width))
    return stream.getvalue()


def test_console_summary_needs_no_terminal(full_log: Path) -> None:
    """Counts, failures, outcome and path are there without control codes and unbroken in a narrow window."""
    text = console_text(full_log, width=30)
    assert "\x1b" not in text
    assert re.search(r"^\s*3\s+PASS\s*$", text, re.MULTILINE)
    assert "FAIL spec/conv/f1  CONV_2D/output.value: </script>" in text
    assert "acme <b>npu</b>: not conformant" in text
    assert "report: out/report.html" in text


@pytest.mark.parametrize(
    ("rule", "operations", "places"),
    [
        ("ADD/broadcast", ["ADD"], ["operations/ADD.md#ADD/broadcast"]),
        ("execution/output.value", ["ADD"], ["hal.md#execution/output.value", "operations/ADD.md"]),
        ("execution/output.value", ["ADD", "MUL"], ["hal.md#execution/output.value"]),
        ("execution/output.value", [], ["hal.md#execution/output.value"]),
        ("", [], []),
    ],
)
def test_console_says_where_to_read(
    tmp_path: Path, started: RunStarted, rule: str, operations: list[str], places: list[str]
) -> None:
    """A failure leads to the place that states its rule, and to the page of its operation if there is one alone."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("a")
        log.case_finished("a", Verdict.FAIL, rule=rule, labels={"operations": operations})
    lines = [line.strip() for line in console_text(log.path, width=200).splitlines()]
    found = [line for line in lines if line.startswith(("docs/", "nnvet rules "))]
    explained = [f"nnvet rules {rule}  " if "#" in place else "" for place in places]
    assert found == [f"{first}docs/contract/{place}" for first, place in zip(explained, places, strict=True)]


@pytest.mark.parametrize(
    ("case", "operations", "made_by", "shown"),
    [
        ("A/only=1", ["ADD"], "", "FAIL A/only=1 (ADD)  "),
        ("A/only=1", [], "MUL", "FAIL A/only=1 (MUL)  "),
        ("A/only=1", ["ADD", "RELU"], "", "FAIL A/only=1  "),
        ("A/sync/conv_2d_large", ["CONV_2D"], "CONV_2D", "FAIL A/sync/conv_2d_large  "),
        ("A/address", ["ADD"], "", "FAIL A/address (ADD)  "),
        ("A/One.ADD_V1_0/0", ["ADD"], "ADD", "FAIL A/One.ADD_V1_0/0  "),
    ],
)
def test_console_names_the_operation(
    tmp_path: Path, started: RunStarted, case: str, operations: list[str], made_by: str, shown: str
) -> None:
    """Of a case that is about one, unless its id or, as above, its rule does."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started(case)
        evidence = {"made_by": made_by} if made_by else {}
        labels = {"operations": operations}
        log.case_finished(case, Verdict.FAIL, reason="r", evidence=evidence, labels=labels)
    assert shown in console_text(log.path, width=200)


def test_console_begins_with_what_names_a_cause(tmp_path: Path, started: RunStarted) -> None:
    """The commonest fault that names an operation or a line, then all others, the commonest first."""
    faults = {
        "vague": (4, {}),
        "rare": (1, {"place": "d.py:1 in f"}),
        "some": (2, {"timings": {"hung_in": "d.py:7 in g"}}),
    }
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        for name, (count, evidence) in faults.items():
            for number in range(count):
                log.case_started(f"{name}/{number}")
                log.case_finished(f"{name}/{number}", Verdict.HANG, rule=name, evidence=evidence)
    text = console_text(log.path, width=200)
    begun = [re.sub(r".*HANG (\w+)/.*", r"\1", line) for line in text.splitlines() if "HANG " in line]
    assert begun[:3] == ["some", "vague", "rare"]
    assert "    it was in d.py:7 in g" in text


def test_console_shows_brackets_as_they_are(make_log: Callable[..., Path]) -> None:
    """Case ids with brackets are no markup of the console's."""
    assert "FAIL vts[bold]/x[/nothing]" in console_text(
        make_log({"vts[bold]/x[/nothing]": Verdict.FAIL}, exit_code=1), width=80
    )


def test_console_keeps_control_codes_of_a_driver_out(tmp_path: Path, started: RunStarted) -> None:
    """A reason cannot clear the reader's screen, and stays on one line."""
    with EventLog.create(tmp_path / "run.jsonl", started) as log:
        log.case_started("a")
        log.case_finished("a", Verdict.FAIL, reason="\x1b[2Jfirst\nsecond")
    assert r"FAIL a  \x1b[2Jfirst second" in console_text(log.path, width=80)


def test_render_writes_all_reports(full_log: Path, tmp_path: Path) -> None:
    """One call makes the page, the XML and the summary."""
    paths = render(read_log(full_log), tmp_path / "new" / "out")
    assert paths.html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert paths.junit.read_text(encoding="utf-8").startswith("<?xml")
    assert paths.markdown.read_text(encoding="utf-8").startswith("# acme")
    assert [path.name for path in (paths.html, paths.junit, paths.markdown)] == [
        "report.html",
        "junit.xml",
        "summary.md",
    ]


def test_render_into_a_file_gives_a_clear_error(full_log: Path) -> None:
    """An output folder that cannot be made is reported as such."""
    with pytest.raises(LogError, match="cannot write the report"):
        render(read_log(full_log), full_log)


class _Driver:
    """A driver with the queries that the facts need; the type is one that the contract does not know."""

    name = "odd"

    def get_version_string(self) -> str:
        return "1.2"

    def get_type(self) -> int:
        return 77

    def get_feature_level(self) -> FeatureLevel:
        return FeatureLevel.FL6

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        return (Extension("com.odd.ext"),)

    def get_capabilities(self) -> Capabilities:
        info = PerformanceInfo(exec_time=0.5, power_usage=float("inf"))
        return Capabilities(operand_performance=(OperandPerformance(OperandType.TENSOR_INT32, info),))


def test_facts_of_a_driver_are_what_it_says() -> None:
    """Even odd answers are taken down."""
    facts = driver_facts("zoo:odd", _Driver())  # type: ignore[arg-type]
    assert (facts.selector, facts.name, facts.version, facts.type) == ("zoo:odd", "odd", "1.2", "type 77")
    assert (facts.feature_level, facts.extensions) == (6, ("com.odd.ext",))
    assert facts.capabilities["TENSOR_INT32"] == Performance(0.5, float("inf"))
    assert facts.capabilities["relaxed float32 scalar"] == Performance(1.0, 1.0)


def test_device_types_have_their_names() -> None:
    """The contract's types are shown by name."""
    driver = _Driver()
    driver.get_type = lambda: DeviceType.ACCELERATOR  # type: ignore[method-assign]
    assert driver_facts("zoo:odd", driver).type == "ACCELERATOR"  # type: ignore[arg-type]


def test_facts_of_the_machine_are_known() -> None:
    """Every fact is there on Linux."""
    facts = machine_facts()
    assert facts.cores >= 1
    assert facts.memory_bytes > 1 << 20
    assert all((facts.cpu, facts.kernel.startswith("Linux"), facts.python.startswith("3."), facts.numpy))


def test_places_lead_to_a_site(full_log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NNVET_DOCS the console and the page name addresses of the site; README is a folder's index."""
    monkeypatch.setenv("NNVET_DOCS", "https://docs.example/nnvet/")
    there = "https://docs.example/nnvet/contract/operations/CONV_2D.html#CONV_2D/output.value"
    assert site_address("docs/contract/operations/CONV_2D.md#CONV_2D/output.value") == there
    assert site_address("docs/contract/README.md") == "https://docs.example/nnvet/contract/index.html"
    assert site_address("docs/oracle.md#4") == "https://docs.example/nnvet/oracle.html#4"
    assert f"nnvet rules CONV_2D/output.value  {there}\n" in console_text(full_log, width=200)
    assert f'<a href="{there}"><code>docs/contract/' in render_page(read_log(full_log))
