"""A fault as the text of an issue, and the verdict as a badge."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.fingerprint import fold
from nnvet.reports.github import issue_text, render_badge
from nnvet.reports.log import EventLog, Log, LogError, read_log
from nnvet.reports.outcome import failed_cases
from tests.commands.test_utilities import nnvet

FACTS = DriverFacts("python:driver.py:make", name="acme <npu>", version="7")
REASON = "output 0: 3 of 4 elements differ ``` # no heading"


def log_of(folder: Path, verdict: Verdict = Verdict.FAIL, count: int = 12) -> Log:
    """A log of cases of CONV_2D that end alike, all with padding SAME, and of some that pass."""
    labels = {"operations": ["CONV_2D"], "operand_types": ["TENSOR_FLOAT32"], "check": "sync"}
    with EventLog.create(folder / "run.jsonl", RunStarted("0.1.0", FACTS, "2026-11-27T07:00:00Z")) as log:
        for number in range(count + 9):
            fails = number < count and verdict is not Verdict.PASS
            case = f"GeneratedTest/sync/conv_{number}"
            log.case_started(case)
            log.case_finished(
                case,
                verdict if fails else Verdict.PASS,
                rule="execution/output.value" if fails else "",
                reason=REASON if fails else "",
                labels={**labels, "attributes": {"padding": "SAME" if fails else "VALID"}},
                evidence={"looks_like": "the sign is lost"} if fails else {},
            )
        log.finish(1 if verdict is not Verdict.PASS else 0)
        return log.so_far


def test_an_issue_has_what_a_vendor_needs(tmp_path: Path) -> None:
    """Operation, reason, what the cases share, evidence, the command, the cases, the driver."""
    log = log_of(tmp_path)
    (fault,) = fold(failed_cases(log))
    text = issue_text(log, fault.fingerprint[:5])
    assert text.startswith("# FAIL CONV_2D: execution/output.value\n\n12 cases fail in this way.")
    for part in (
        REASON,
        "In common: CONV_2D: all 12 failures have padding SAME; of 9 cases that pass none has it.",
        "nnvet replay GeneratedTest/sync/conv_0 -d python:driver.py:make",
        "looks_like: the sign is lost",
        "GeneratedTest/sync/conv_9\nand 2 more\n",
        "driver python:driver.py:make acme <npu> 7",
        f"fingerprint {fault.fingerprint}",
    ):
        assert part in text
    outside = re.sub(r"^(`{3,})\n.*?\n\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "no heading" not in outside
    assert "<npu>" not in outside


def test_an_unknown_fault_is_a_users_error(tmp_path: Path) -> None:
    """The message names those that there are."""
    log = log_of(tmp_path)
    (fault,) = fold(failed_cases(log))
    with pytest.raises(LogError, match=f"no fault of the run with fingerprint 'zz'.*{fault.fingerprint}"):
        issue_text(log, "zz")
    passed = tmp_path / "passed"
    passed.mkdir()
    with pytest.raises(LogError, match="it has none at all"):
        issue_text(log_of(passed, Verdict.PASS), "zz")


def test_the_command_prints_it_alone(tmp_path: Path) -> None:
    """Nothing is rendered, so that the output can be given to a client of the tracker."""
    log = log_of(tmp_path)
    (fault,) = fold(failed_cases(log))
    result = nnvet("report", str(tmp_path), "--issue", fault.fingerprint)
    assert result.exit_code == 0, result.output
    assert result.output == issue_text(log, fault.fingerprint)
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert nnvet("report", str(tmp_path), str(tmp_path), "--issue", "0").exit_code == 2


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("verdict", "said"), [(Verdict.FAIL, "not conformant"), (Verdict.PASS, "no fault found")])
def test_a_badge_says_the_verdict(verdict: Verdict, said: str, tmp_path: Path) -> None:
    """A well-formed picture; its texts lie within their parts and can be read."""
    picture = ET.fromstring(render_badge(log_of(tmp_path, verdict)))  # noqa: S314 - our own text
    space = {"svg": "http://www.w3.org/2000/svg"}
    texts, parts = picture.findall(".//svg:text", space), picture.findall("svg:rect", space)
    assert [text.text for text in texts] == ["nnvet", said]
    assert f"nnvet: {said}" == picture.findtext("svg:title", namespaces=space)
    for text, part in zip(texts, parts, strict=True):
        begin, left = float(text.attrib["x"]), float(part.attrib.get("x", "0"))
        assert left < begin
        assert begin + float(text.attrib["textLength"]) < left + float(part.attrib["width"])
        assert 1.05 / (luminance(part.attrib["fill"]) + 0.05) >= 4.5


def test_the_command_writes_the_badge(tmp_path: Path) -> None:
    """Beside the reports, which it names."""
    log_of(tmp_path)
    badge = tmp_path / "pictures" / "badge.svg"
    result = nnvet("report", str(tmp_path), "--badge", str(badge))
    assert f"report: {badge}" in result.output
    assert badge.read_text() == render_badge(read_log(tmp_path / "run.jsonl"))
