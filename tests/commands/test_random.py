"""``nnvet random``: campaigns pass, find faults, make them small, and can be replayed."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from nnvet.commands.actions.run import run_plan
from nnvet.commands.main import app
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log


def invoke(*words: str) -> tuple[int, str]:
    """Exit code and output of ``nnvet random``."""
    result = CliRunner().invoke(app, ["random", "--in-process", *words])
    return result.exit_code, result.output


def test_a_campaign(tmp_path: Path) -> None:
    """All models pass; the log has each, and its going on runs none again."""
    words = ("--count", "30", "--operations", "1-4", "--seed", "3", "--out", str(tmp_path))
    code, output = invoke(*words)
    assert code == 0
    assert "105 of 105 operations" in output
    assert "elements undecided" in output
    log = read_log(tmp_path / "run.jsonl")
    assert log.counts[Verdict.PASS] == 30
    first, second, *_ = log.results
    assert first == "RandomModels/Bounds/operations=1-4/3000000"
    assert second == "RandomModels/Bounds/operations=1-4,dimensions=1-100,elements=5000/3000001"
    assert invoke(*words, "--resume")[0] == 0
    assert read_log(tmp_path / "run.jsonl").counts[Verdict.PASS] == 30


def test_an_interrupted_campaign_says_what_it_has_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that has come to its end; the exit code is that of the signal."""

    def interrupted(*arguments: Any) -> int:
        run_plan(*arguments)
        raise typer.Exit(130)

    monkeypatch.setattr("nnvet.commands.actions.random_models.run_plan", interrupted)
    code, output = invoke("--count", "5", "--out", str(tmp_path))
    assert code == 130
    assert "elements undecided" in output


def test_time_is_the_limit(tmp_path: Path) -> None:
    """As many as there is time for, which is no failure."""
    code, _ = invoke("--minutes", "0.02", "--operations", "1-2", "--out", str(tmp_path))
    assert code == 0
    assert 0 < read_log(tmp_path / "run.jsonl").counts[Verdict.PASS] < 1200


def test_an_endless_campaign_begins_at_once(tmp_path: Path) -> None:
    """A million models are not made before the first one runs; a limit of failures ends the campaign early."""
    zoo = ("-d", "zoo:graph-drift", "--strict")
    code, _ = invoke(*zoo, "--count", "1000000", "--max-failures", "1", "--no-reduce", "--out", str(tmp_path))
    assert code == 1
    assert read_log(tmp_path / "run.jsonl").counts[Verdict.FAIL] == 1


def test_failures_are_made_small(tmp_path: Path) -> None:
    """A wrong kernel is found, its model reduced and saved, and the command that is named replays it."""
    code, output = invoke(
        "-d",
        "zoo:graph-drift",
        "--count",
        "150",
        "--operations",
        "1-3",
        "--types",
        "float32",
        "--strict",
        "--max-failures",
        "1",
        "--out",
        str(tmp_path),
    )
    assert code == 1
    assert "to 1 in" in output
    folder = re.search(r"replay: nnvet replay (\S+) -d zoo:graph-drift", output)
    assert folder
    saved = Path(folder[1])
    assert saved.parent == tmp_path / "failures"
    log = read_log(tmp_path / "run.jsonl")
    assert log.is_complete
    (small,) = log.reductions
    (failed,) = (result for result in log.results.values() if result.verdict is Verdict.FAIL)
    assert small.cases == (failed.case,)
    assert [operation.name for operation in small.graph] == ["PRELU"]
    assert (tmp_path / small.folder / "vector.json").is_file()
    assert "Failures made small" in (tmp_path / "report.html").read_text()
    for command in (small.replay, failed.evidence["replay"]):
        replayed = CliRunner().invoke(app, shlex.split(command)[1:])
        assert replayed.exit_code == 1
        assert "PRELU" in replayed.output


def test_equal_failures_are_one(tmp_path: Path) -> None:
    """Several failing models of one kernel end at one graph, which stands for them all."""
    words = (
        "-d",
        "zoo:graph-drift",
        "--count",
        "60",
        "--types",
        "float32",
        "--operations",
        "10-10",
        "--elements",
        "1000",
        "--strict",
    )
    code, output = invoke(*words, "--seed", "4", "--out", str(tmp_path))
    assert code == 1
    log = read_log(tmp_path / "run.jsonl")
    assert {"PRELU"} == {operation.name for reduction in log.reductions for operation in reduction.graph}
    assert log.counts[Verdict.FAIL] > len(log.reductions)
    assert sum(len(reduction.cases) + reduction.folded for reduction in log.reductions) == log.counts[Verdict.FAIL]
    assert "stands for" in output


@pytest.mark.parametrize("words", [("--operations", "0-4"), ("--types", "float33"), ("--operations", "x")])
def test_options_that_mean_nothing(words: tuple[str, str]) -> None:
    """Are the user's mistake, and the answer names a right form."""
    code, output = invoke(*words)
    assert code == 2
    assert "such as --operations 1-20" in output
