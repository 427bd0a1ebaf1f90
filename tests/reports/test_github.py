"""Output of a run in GitHub Actions and its additions to files; the environment is made up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reports.events import DriverFacts, RunStarted, Verdict
from nnvet.reports.github import ANNOTATIONS, SUMMARY_BYTES, announce
from nnvet.reports.log import EventLog, read_log
from nnvet.reports.markdown import render_markdown
from tests.commands.test_utilities import nnvet

CASE = "TestRandomGraph/SingleOperationTest.ABS_V1_2/0"
DRIFTS = "TestRandomGraph/SingleOperationTest.PRELU_V1_2/0"


def said(path: Path, **environment: str) -> list[str]:
    """The lines that are said of a log."""
    lines: list[str] = []
    announce(read_log(path), environment, lines.append)
    return lines


@pytest.fixture
def failing(tmp_path: Path, started: RunStarted) -> Path:
    """Two cases with one fault whose texts need every escape, and a crash."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        for case in ("a:b,c%", "a:b,d%"):
            log.case_started(case)
            evidence = {"replay": "nnvet replay 'a: 100 %'"}
            log.case_finished(
                case, Verdict.FAIL, rule="ADD/output.value", reason="50 % off,\r\n::error::x", evidence=evidence
            )
        log.case_started("died")
        log.case_finished("died", Verdict.CRASH, reason="gone \x1b[2J", evidence={"replay": "again"})
        log.finish(1)
    return path


def test_one_annotation_for_each_fault(failing: Path) -> None:
    """As the syntax of workflow commands wants it, written by hand: in properties , and : are escaped, too."""
    prints = [result.fingerprint for result in read_log(failing).results.values()]
    message = "ADD/output.value: 50 %25 off,  ::error::x%0Annvet replay 'a: 100 %25'"
    assert said(failing, GITHUB_ACTIONS="true") == [
        f"::error title=FAIL a%3Ab%2Cc%25 and 1 more::{message}%0Afingerprint {prints[0]}",
        f"::error title=CRASH died::gone \\x1b[2J%0Aagain%0Afingerprint {prints[2]}",
    ]


def test_nothing_elsewhere(failing: Path, tmp_path: Path) -> None:
    """Without the variable, or where it is not true, nothing is printed or written."""
    summary = tmp_path / "summary"
    for environment in ({}, {"GITHUB_ACTIONS": "false"}, {"GITHUB_ACTIONS": ""}):
        assert said(failing, GITHUB_STEP_SUMMARY=str(summary), **environment) == []
    assert not summary.exists()


def test_the_summary_is_appended(failing: Path, tmp_path: Path) -> None:
    """After what other commands of the step have written."""
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    said(failing, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text(encoding="utf-8") == "before\n" + render_markdown(read_log(failing))


@pytest.mark.parametrize("space", [0, 10, 200])
def test_the_summary_has_a_limit(failing: Path, tmp_path: Path, space: int) -> None:
    """Of what GitHub takes so many bytes are left: whole lines are written, or nothing."""
    summary = tmp_path / "summary"
    summary.write_bytes(b"." * (SUMMARY_BYTES - space))
    assert len(said(failing, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))) == 2
    added = summary.read_bytes()[SUMMARY_BYTES - space :].decode()
    assert len(added.encode()) <= space
    assert added.endswith("\n\nThe rest is in the report.\n") if space == 200 else not added


@pytest.mark.parametrize("place", [".", "no/such/folder"])
def test_a_summary_that_cannot_be_written(failing: Path, tmp_path: Path, place: str) -> None:
    """A warning, after the annotations."""
    path = tmp_path / place
    warning = said(failing, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(path))[-1]
    reason = "Is a directory" if place == "." else "No such file or directory"
    assert warning == f"::warning title=nnvet%3A no job summary::{path}: {reason}"


def test_no_more_than_are_shown(tmp_path: Path, started: RunStarted) -> None:
    """Of many faults the commonest."""
    path = tmp_path / "run.jsonl"
    with EventLog.create(path, started) as log:
        for fault in range(ANNOTATIONS + 2):
            for number in range(2 if fault == ANNOTATIONS + 1 else 1):
                log.case_started(f"c{fault}/{number}")
                log.case_finished(f"c{fault}/{number}", Verdict.FAIL, rule=f"rule/{fault}")
        log.finish(1)
    lines = said(path, GITHUB_ACTIONS="true")
    assert len(lines) == ANNOTATIONS == 10
    assert lines[0].startswith(f"::error title=FAIL c{ANNOTATIONS + 1}/0 and 1 more::rule/{ANNOTATIONS + 1}%0A")


def test_what_fails_a_run_without_a_faulty_case(make_log: Callable[..., Path], full_log: Path) -> None:
    """A run that proves nothing says why; one that is conformant says nothing."""
    assert said(make_log({"a": Verdict.PASS}, name="good"), GITHUB_ACTIONS="true") == []
    (line,) = said(make_log({"a": Verdict.PASS}, exit_code=None, name="cut"), GITHUB_ACTIONS="true")
    assert line == (
        "::error title=acme <b>npu</b>%3A incomplete::the log has no footer: the run was cut off after 1 case"
    )
    assert len(said(full_log, GITHUB_ACTIONS="true")) == len({"CONV_2D/output.value", "CRASH", "HANG", "ERROR"})


def test_a_run_in_github_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints the annotation at its end, and neither that nor a wrong summary changes its exit code."""
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run = ("run", "--in-process", "--out", tmp_path / "out", "--only")
    failed = nnvet(*run, DRIFTS, "-d", "zoo:graph-drift")
    assert failed.exit_code == 1
    (line,) = [line for line in failed.stdout.splitlines() if line.startswith("::error")]
    assert line.startswith(f"::error title=FAIL {DRIFTS}::")
    assert summary.read_text(encoding="utf-8") == (tmp_path / "out/summary.md").read_text(encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    passed = nnvet(*run, CASE, "-d", "reference")
    assert (passed.exit_code, passed.stdout.count("::warning title=")) == (0, 1)


def test_nothing_that_a_driver_says_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, reasons and output of a driver may stand at the beginning of a line; commands are stopped by then."""
    evil = "::error::you have been had"
    header = RunStarted("0.1.0", DriverFacts("acme:npu", evil, version=evil), "2026-11-23T06:00:00+00:00")
    with EventLog.create(tmp_path / "run.jsonl", header) as log:
        log.case_started("Suite/Check/1")
        log.case_finished("Suite/Check/1", Verdict.FAIL, rule="ADD/output.value", reason=f"off\n{evil}")
        log.finish(1)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    command, tokens = "", []
    for line in nnvet("report", tmp_path, "--out", tmp_path / "page").stdout.splitlines():
        if line.startswith("::stop-commands::"):
            command = line.removeprefix("::stop-commands::")
            tokens.append(command)
        elif line == f"::{command}::":
            command = ""
        else:
            assert command, f"{line!r} may be a command"
    assert command == ""
    assert len(tokens[0]) == 32
    again = nnvet("report", tmp_path, "--out", tmp_path / "page").stdout
    assert tokens[0] not in again, "a token that is known does not stop anything"


def test_shards_that_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole run is announced, faults of both shards in one; of a log alone its run has said all that."""
    driver = DriverFacts("acme:npu", "npu")
    for number in (1, 2):
        header = RunStarted("0.1.0", driver, "2026-11-23T06:00:00+00:00", shard=f"{number}/2")
        with EventLog.create(tmp_path / f"{number}" / "run.jsonl", header) as log:
            log.case_started(f"Suite/Check/{number}")
            log.case_finished(f"Suite/Check/{number}", Verdict.FAIL, rule="ADD/output.value", reason="off")
            log.finish(1)
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert "::error" not in nnvet("report", tmp_path / "1").output
    assert not summary.exists()
    said = nnvet("report", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "whole").output
    assert said.count("::error title=FAIL Suite/Check/1 and 1 more::ADD/output.value: off") == 1
    assert summary.read_text() == render_markdown(read_log(tmp_path / "whole" / "run.jsonl"))
