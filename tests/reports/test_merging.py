"""Shards of a run put together: the whole, and what is no whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.conformance.engine.selection import Shard
from nnvet.reports.events import DriverFacts, Measurement, RunStarted, Verdict
from nnvet.reports.figures import summarise
from nnvet.reports.log import EventLog, LogError, read_log
from nnvet.reports.merging import merge
from nnvet.reports.outcome import RunOutcome, judge
from tests.commands.test_utilities import nnvet, words

TIME = "2025-11-21T09:41:07Z"
Maker = Callable[..., Path]


@pytest.fixture
def shard(tmp_path: Path) -> Maker:
    """Writer of logs of shards; ``header`` are further fields of it, ``exit_code=None`` leaves the footer out."""

    def make(text: str, verdicts: dict[str, Verdict], exit_code: int | None = 0, **header: object) -> Path:
        path = tmp_path / text.replace("/", "of") / "run.jsonl"
        fields = {"suite_version": "0.1.0", "driver": DriverFacts("exec:x", "acme", "1"), "time": TIME, "shard": text}
        with EventLog.create(path, RunStarted(**{**fields, **header})) as log:  # type: ignore[arg-type]
            for case, verdict in verdicts.items():
                log.case_started(case)
                log.case_finished(case, verdict, rule="r" if verdict is Verdict.FAIL else "")
            if exit_code is not None:
                log.finish(exit_code, duration_s=float(len(verdicts)))
        return path

    return make


def test_a_whole(shard: Maker, tmp_path: Path) -> None:
    """Cases of all shards in their order, the worst outcome, the longest duration."""
    second = shard("2/2", {"c": Verdict.FAIL}, 1)
    first = shard("1/2", {"a": Verdict.PASS, "b": Verdict.UNSUPPORTED})
    whole = merge([read_log(second), read_log(first)], tmp_path / "whole" / "run.jsonl")
    assert list(whole.results) == ["a", "b", "c"]
    assert whole.started.shard == "1/1"
    assert whole.finished is not None
    assert (whole.finished.exit_code, whole.finished.duration_s) == (1, 2.0)
    assert judge(whole).outcome is RunOutcome.NOT_CONFORMANT
    assert read_log(tmp_path / "whole" / "run.jsonl").results == whole.results


def test_a_shard_is_missing(shard: Maker, tmp_path: Path) -> None:
    """Nothing missing looks like conformance."""
    logs = [read_log(shard(f"{number}/3", {f"case{number}": Verdict.PASS})) for number in (1, 3)]
    whole = merge(logs, tmp_path / "run.jsonl")
    assert whole.started.shard == "1+3/3"
    assert whole.finished is not None
    assert whole.finished.exit_code == 3
    judgement = judge(whole)
    assert judgement.outcome is RunOutcome.INCOMPLETE
    assert "shard 2/3 is missing" in judgement.causes


def test_a_shard_was_cut_off(shard: Maker, tmp_path: Path) -> None:
    """Its file is named."""
    cut = shard("1/2", {"a": Verdict.PASS}, None)
    whole = merge([read_log(cut), read_log(shard("2/2", {"b": Verdict.PASS}))], tmp_path / "run.jsonl")
    assert judge(whole).outcome is RunOutcome.INCOMPLETE
    assert any(str(cut) in cause and "no footer" in cause for cause in judge(whole).causes)


def test_what_shards_find_of_the_driver_itself(shard: Maker, tmp_path: Path) -> None:
    """Each keeps its finding; a case that two shards have is a fault."""
    logs = [read_log(shard(f"{n}/2", {"driver/version": Verdict.FAIL, f"{n}": Verdict.PASS}, 1)) for n in (1, 2)]
    whole = merge(logs, tmp_path / "run.jsonl")
    assert list(whole.results) == ["driver/version", "1", "driver/version#2", "2"]
    logs = [read_log(shard(f"{n}/2", {"same": Verdict.PASS})) for n in (1, 2)]
    with pytest.raises(LogError, match="same is in another log"):
        merge(logs, tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("text", "header", "said"),
    [
        ("2/2", {"suite_version": "0.2.0"}, "version of nnvet is '0.2.0'"),
        ("2/2", {"level": 3}, "feature level is 3"),
        ("2/2", {"selection": ("x/*",)}, "selection is"),
        ("2/2", {"options": ("--timeout", "1")}, "options is"),
        ("2/2", {"driver": DriverFacts("exec:x", "acme", "2")}, "driver's version is '2'"),
        ("2/2", {"driver": DriverFacts("exec:y", "acme", "1")}, "driver's selector is 'exec:y'"),
        ("2/3", {}, "2 and of 3 parts"),
        ("1/1", {}, "not the log of a shard"),
        ("2+3/4", {}, "not the log of a shard"),
    ],
)
def test_what_is_not_of_one_run(shard: Maker, tmp_path: Path, text: str, header: dict[str, object], said: str) -> None:
    """Both are named, and nothing is written."""
    logs = [read_log(shard("1/2", {"a": Verdict.PASS})), read_log(shard(text, {"b": Verdict.PASS}, **header))]
    with pytest.raises(LogError, match=said.replace("+", r"\+")):
        merge(logs, tmp_path / "whole.jsonl")
    assert not (tmp_path / "whole.jsonl").exists()


def test_a_shard_twice(shard: Maker, tmp_path: Path) -> None:
    """The second is refused."""
    log = read_log(shard("1/2", {"a": Verdict.PASS}))
    with pytest.raises(LogError, match="shard 1/2 is that of"):
        merge([log, log], tmp_path / "whole.jsonl")


def test_measurements_are_kept(shard: Maker, tmp_path: Path) -> None:
    """Of every shard."""
    path = shard("1/2", {"a": Verdict.PASS}, None)
    with EventLog.create(path, read_log(path).started) as log:
        log.measurement(Measurement("net", "nnvet:x", summarise([0.5])))
        log.finish(0)
    whole = merge([read_log(path), read_log(shard("2/2", {"b": Verdict.PASS}))], tmp_path / "run.jsonl")
    assert [measurement.model for measurement in whole.measurements] == ["net"]


def test_a_real_run_in_two_shards_is_the_whole(tmp_path: Path) -> None:
    """The same cases and verdicts, by the commands."""
    only = ("--only", "BasicTest/*", "--only", "TestTrivialModel/*", "--in-process")
    assert nnvet("run", *only, "--out", tmp_path / "whole").exit_code == 0
    shards = []
    for number in (1, 2):
        out = tmp_path / str(number)
        assert nnvet("run", *only, "--shard", str(Shard(number, 2)), "--out", out).exit_code == 0
        shards.append(out / "run.jsonl")
    result = nnvet("report", *shards, "--out", tmp_path / "both")
    assert result.exit_code == 0
    assert "every judged case passed" in words(result)
    verdicts = [
        {result.case: result.verdict for result in read_log(tmp_path / name / "run.jsonl").results.values()}
        for name in ("whole", "both")
    ]
    assert verdicts[0] == verdicts[1]
    result = nnvet("report", *shards, "--out", tmp_path / "1")
    assert result.exit_code == 2
    assert "is the log of a shard; choose another --out" in words(result)
