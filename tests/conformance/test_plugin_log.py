"""Logs of pytest sessions: what ``nnvet run`` finds is in them, and shards are put together."""

from pathlib import Path

import pytest

from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet
from tests.conformance.test_plugin import SPEC, pytest_on


def specs_in(folder: Path) -> Path:
    """A folder with three spec files of three models each; shards are of whole files."""
    folder.mkdir()
    for name in ("alpha", "relu", "gamma"):
        (folder / f"{name}.mod.py").write_text(SPEC)
    return folder


@pytest.mark.long
def test_shards_put_together_are_the_whole_run(tmp_path: Path) -> None:
    """Two sessions, one of them in two processes: their logs make the log of the command, case by case."""
    specs, driver = specs_in(tmp_path / "specs"), "zoo:run-crash"
    for number, processes in ((1, "0"), (2, "2")):
        out = tmp_path / str(number)
        options = (f"--driver={driver}", "--no-checks", f"--shard={number}/2", f"--out={out}", "-n", processes)
        _, output = pytest_on(specs, *options, run=True)
        assert f"report: {out / 'report.html'}" in output
        assert (out / "report.html").is_file()
    nnvet("run", "-d", driver, "--specs", specs, "--out", tmp_path / "whole")
    merged = nnvet("report", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "merged")
    assert merged.exit_code == 0, merged.output
    found, whole = (read_log(tmp_path / name / "run.jsonl").results for name in ("merged", "whole"))
    assert {case: result.verdict for case, result in found.items()} == {
        case: result.verdict for case, result in whole.items()
    }
    assert {case: result.labels for case, result in found.items()} == {
        case: result.labels for case, result in whole.items()
    }
    assert Verdict.CRASH in {result.verdict for result in found.values()}


@pytest.mark.long
def test_a_failure_is_replayed_by_its_command(tmp_path: Path) -> None:
    """The evidence names driver and specs, so that the command finds the case."""
    specs, out = specs_in(tmp_path / "specs"), tmp_path / "out"
    pytest_on(specs, "--driver=zoo:run-crash", "--no-checks", f"--out={out}", run=True)
    failed = read_log(out / "run.jsonl").results["GeneratedTest/sync/relu_of_2"]
    assert failed.evidence["replay"] == (
        f"nnvet replay GeneratedTest/sync/relu_of_2 -d zoo:run-crash --specs {specs / 'relu.mod.py'}"
    )


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The session says so and fails; its tests run all the same."""
    specs = specs_in(tmp_path / "specs")
    (tmp_path / "file").touch()
    code, output = pytest_on(specs, "--driver=reference", "--no-checks", f"--out={tmp_path / 'file'}", run=True)
    assert code == 3
    assert "nnvet: " in output
    assert "cannot write the log" in output
    assert "Traceback" not in output
    assert " passed" in output
