"""``nnvet bench`` with load patterns, at full rate for a while, and from a cold start; and wrong options of these."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nnvet.models import loadgen
from nnvet.models.loadgen import read_responses
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet
from tests.models.toys.folder import write_toys

PICTURES = "toy_mobilenet_v2_quant_pictures"
QUICK = ("--time", "0", "--warm-up", "0", "--models", "models", "--out", "out", "--only", PICTURES, "--no-open")

needs_loadgen = pytest.mark.skipif(
    loadgen.mlperf_loadgen is None, reason="mlcommons-loadgen (extra loadgen) is not installed"
)


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks, written once."""
    path = tmp_path_factory.mktemp("models")
    write_toys(path)
    return path


@pytest.fixture(autouse=True)
def folder(toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them in the folder where commands are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    return shutil.copytree(toys, tmp_path / "models")


@needs_loadgen
@pytest.mark.parametrize("executor", ["burst", "reusable", "sync", "async"])
def test_offline_by_every_executor(executor: str) -> None:
    """LoadGen's logs lie beside ours; the accuracy of its log is that of the usual run, on all pictures."""
    options = ("--scenario", "offline", "--scenario-time", "0.2s", "--executor", executor, "--in-flight", "3")
    result = nnvet("bench", "--in-process", *QUICK, *options)
    assert result.exit_code == 0, result.output
    log = read_log("out/run.jsonl")
    own = next(item for item in log.measurements if not item.is_baseline)
    (run,) = own.scenarios
    assert (run.scenario, run.executor, run.in_flight) == ("offline", executor, 3)
    assert run.qps > 0
    assert run.accuracy == own.accuracy
    logs = Path("out") / run.logs
    summary = (logs / "mlperf_log_summary.txt").read_text("utf-8")
    assert "Scenario : Offline" in summary
    assert ("Result is : VALID" in summary) is run.is_valid
    assert f"Samples per second: {run.qps:g}" in summary
    assert set(read_responses(logs.parent / "accuracy")) == set(range(own.test_set_size))
    assert f"samples/s, {'valid' if run.is_valid else 'invalid'}" in result.output
    replay = json.loads(Path("out/run.jsonl").read_text("utf-8").splitlines()[-2])["evidence"]["replay"]
    assert f"--scenario offline --scenario-time 0.2s --in-flight 3 --executor {executor}" in replay


@needs_loadgen
@pytest.mark.parametrize("given", [("--target-qps", "200"), pytest.param((), marks=pytest.mark.long)])
def test_server_at_a_rate_and_by_search(given: tuple[str, ...]) -> None:
    """A given rate is run once; without it rates are searched, and the best is shown with those that were tried."""
    options = ("--scenario", "server", "--scenario-time", "0.2s", "--target-latency", "5s", *given)
    result = nnvet("bench", "--in-process", *QUICK, *options)
    assert result.exit_code == 0, result.output
    own = next(item for item in read_log("out/run.jsonl").measurements if not item.is_baseline)
    (run,) = own.scenarios
    assert run.target_latency_s == 5.0
    assert run.target_qps is not None
    if given:
        assert (run.target_qps, run.probes) == (200.0, ())
    else:
        assert run.target_qps in [pytest.approx(probe.target_qps, abs=0.001) for probe in run.probes]
        assert run.logs.split("/")[-1].startswith("rate-")
    assert (Path("out") / run.logs / "mlperf_log_detail.txt").is_file()


def test_full_rate_and_cold_start() -> None:
    """Both are in the log; each start is of a process of its own."""
    result = nnvet("bench", *QUICK, "--sustained", "1s", "--cold-start")
    assert result.exit_code == 0, result.output
    own = next(item for item in read_log("out/run.jsonl").measurements if not item.is_baseline)
    assert own.sustained is not None
    assert own.sustained.seconds >= 1
    assert own.cold is not None
    assert own.cold.is_fresh
    assert own.cold.from_cache is not None
    assert min(own.cold.prepare_s, own.cold.first_s, own.cold.later_s) > 0
    assert "at full rate" in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scenario", "sever"), "there are single-stream, multi-stream, server, offline"),
        (("--scenario", "server", "--executor", "fast"), "there are sync, async, burst, reusable"),
        (("--target-qps", "5"), "--target-qps is for load patterns"),
        (("--in-flight", "2"), "--in-flight is for load patterns"),
        (("--scenario", "offline", "--target-latency", "10ms"), "--target-latency is for --scenario server"),
        (("--scenario", "server", "--target-latency", "soon"), "'soon' is no time: say 10ms, 90"),
        (("--sustained", "-1m"), "'-1m' is no time"),
        (("--cold-start", "--cluster", "local:1"), "--cold-start is for this machine alone"),
    ],
)
def test_wrong_options_are_said_before_work(options: tuple[str, ...], said: str) -> None:
    """Exit code 2, a sentence, and no folder."""
    result = nnvet("bench", *QUICK, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split()).replace("│ ", "")
    assert "Traceback" not in result.output
    assert not Path("out").exists()


def test_without_loadgen_the_extra_is_named_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, and no folder."""
    monkeypatch.setattr(loadgen, "mlperf_loadgen", None)
    result = nnvet("bench", *QUICK, "--scenario", "server")
    assert result.exit_code == 2
    assert "--scenario needs the package mlcommons-loadgen" in result.output
    assert "nnvet[loadgen]" in result.output
    assert not Path("out").exists()
