"""JUnit XML as continuous integration reads it."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from nnvet.reports.events import Verdict
from nnvet.reports.junit import render_junit
from nnvet.reports.log import EventLog, read_log

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
}
"""Elements and attributes that Jenkins, GitLab and GitHub's reporters understand."""


def parse(path: Path) -> ET.Element:
    """The document of a log."""
    return ET.fromstring(render_junit(read_log(path)).encode())  # noqa: S314 - our own document


def test_only_known_elements_with_true_counts(full_log: Path) -> None:
    """Every suite's tallies are those of the cases in it, and of all suites those of the document."""
    root = parse(full_log)
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES.get(element.tag, set())
    for group in (root, *root.findall("testsuite")):
        cases = list(group.iter("testcase"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(group.get(attribute, "")) == sum(case.find(tag) is not None for case in cases)
        assert int(group.get("tests", "")) == len(cases)


@pytest.mark.parametrize(
    ("case", "tag", "message"),
    [
        ("spec/conv/1", None, ""),
        ("spec/conv/f1", "failure", "FAIL: CONV_2D/output.value: </script>"),
        ("other/crash", "failure", "CRASH: because of CRASH"),
        ("other/hang", "failure", "HANG: because of HANG"),
        ("other/error", "error", "ERROR: because of ERROR"),
        ("other/unsupported", "skipped", "UNSUPPORTED: because of UNSUPPORTED"),
        ("other/waived", "skipped", "WAIVED: because of WAIVED"),
        ("other/not_run", "skipped", "NOT_RUN: the time was up"),
    ],
)
def test_verdicts_have_their_elements(full_log: Path, case: str, tag: str | None, message: str) -> None:
    """Faults of the driver are failures, of the suite errors; what was not judged is skipped with its reason."""
    (element,) = (item for item in parse(full_log).iter("testcase") if item.get("name") == case)
    assert [child.tag for child in element] == ([tag] if tag else [])
    assert all(child.get("message", "").startswith(message) for child in element)


def test_characters_that_xml_cannot_hold_are_replaced(full_log: Path) -> None:
    """Control characters of a driver's last words do not make the document invalid."""
    (crash,) = (item for item in parse(full_log).iter("testcase") if item.get("name") == "other/crash")
    text = crash[0].text or ""
    assert r"stderr_tail: last \x1b[31mwords\x00" in text
    assert "replay: nnvet replay " in text


@pytest.mark.parametrize(
    ("verdicts", "exit_code", "errors"),
    [
        ({"a": Verdict.PASS}, 0, 0),
        ({"a": Verdict.PASS}, None, 1),
        ({"a": Verdict.UNSUPPORTED}, 0, 1),
        ({"a": Verdict.FAIL}, 1, 0),
        ({"a": Verdict.FAIL}, None, 1),
        ({"a": Verdict.PASS}, 1, 1),
        ({}, 0, 1),
    ],
)
def test_a_run_that_proves_nothing_is_an_error(
    make_log: Callable[..., Path], verdicts: dict[str, Verdict], exit_code: int | None, errors: int
) -> None:
    """CI is green only for a run that ended, passed something and has no problem of its own."""
    assert int(parse(make_log(verdicts, exit_code=exit_code)).get("errors", "")) == errors


def test_a_case_that_never_ended_is_an_error(make_log: Callable[..., Path], tmp_path: Path) -> None:
    """The case during which the run broke off is in the document."""
    with EventLog.create(tmp_path / "cut.jsonl", read_log(make_log({})).started) as log:
        log.case_started("vts/deadly")
    (element,) = (item for item in parse(log.path).iter("testcase") if item.get("name") == "vts/deadly")
    assert element[0].tag == "error"
