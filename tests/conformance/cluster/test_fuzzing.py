"""Fuzzing on a cluster: slices run where the driver is, and what they find is one corpus, one log, one case each."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from nnvet.conformance.cluster.connect import open_cluster
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.fuzz.cluster import run
from nnvet.fuzz.cluster.run import OnWorkers
from nnvet.fuzz.findings import FindingKind, FuzzFinding, read_saved, save
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.model.form import encode_model
from nnvet.fuzz.runner import FINDINGS, FuzzingJob, HarnessProgress, Silent, run_job
from nnvet.generators.specs import load_spec
from nnvet.hal.types import OperationType
from nnvet.reports.events import Verdict
from nnvet.reports.log import Log, read_log
from tests.commands.test_utilities import nnvet, words
from tests.conformance.cluster.conftest import Cluster, wait_for
from tests.conformance.cluster.test_cluster import DRIVERS, joined
from tests.fuzz.test_finishing import FAULTY, SUM
from tests.fuzz.test_forking import fuzzing_below
from tests.fuzz.test_interrupting import interrupted
from tests.fuzz.test_runner import ELU, faulty_driver

pytestmark = [pytest.mark.long, pytest.mark.skipif(find_spec("atheris") is None, reason="needs the extra fuzz")]

QUICK = "tflite"
"""A harness with few inputs to load."""


class Following(Silent):
    """Calls something whenever a slice has come back."""

    def __init__(self, then: Callable[[HarnessProgress], object]) -> None:
        """``then`` gets the harness's progress."""
        self._then = then

    def passed(self, progress: HarnessProgress) -> None:
        """A slice is merged."""
        self._then(progress)


def fuzz(
    cluster: Cluster,
    driver: str,
    seconds: float,
    then: Callable[[HarnessProgress], object] = lambda _: None,
    harness: str = "model",
) -> tuple[Log, list[str]]:
    """The log of one harness on a cluster, and what was said."""
    said: list[str] = []
    folder = cluster.folder
    job = FuzzingJob(
        [HARNESSES[harness]], driver, seconds, 1, folder / "corpus", folder / "out", regressions=folder / "kept"
    )
    with open_cluster(cluster.address, (), said.append) as fleet:
        fleet.away_s = 2.0
        return read_log(run_job(job, Following(then), OnWorkers(fleet))), said


def end_scheduler(cluster: Cluster) -> None:
    """Kill it, and give its clients time to see that."""
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    time.sleep(0.5)


def test_what_two_workers_find_is_merged(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding of both is one case that names both; inputs are kept once, by their SHA-256."""
    monkeypatch.setattr(run, "SLICE_S", 5.0)
    kept = cluster.folder / "kept" / "model"
    kept.mkdir(parents=True)
    # The shortest input comes first, however little time there is.
    (kept / "elu").write_bytes(ELU)
    for name in ("one", "two"):
        cluster.add_worker(name)
    workers = joined(cluster, 2)
    log, _ = fuzz(cluster, faulty_driver(cluster.folder, "raise KeyError('x')"), 8.0)
    assert log.finished is not None
    assert log.finished.exit_code == 1
    (result,) = log.results.values()
    assert (result.verdict, result.rule) == (Verdict.FAIL, "driver/exception")
    assert sorted(result.evidence["timings"]["found_by"]) == workers
    assert result.evidence["timings"]["worker"] in workers
    ((known, folder),) = read_saved(cluster.folder / "out" / FINDINGS)
    assert str(folder) in result.evidence["replay"]
    assert {path.name for path in kept.iterdir()} == {"elu", known.key}
    names = {path.name: path.read_bytes() for path in (cluster.folder / "corpus" / "model").iterdir()}
    assert len(names) > 1
    assert all(hashlib.sha256(data).hexdigest() == name for name, data in names.items())
    (fuzzed,) = log.fuzzing
    assert fuzzed.executions > 0
    assert fuzzed.seconds > 8.0
    assert [coverage for _, coverage in fuzzed.curve] == sorted({coverage for _, coverage in fuzzed.curve})


def test_a_planted_bug_and_an_interrupt(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of the zoo is found; then Ctrl-C: the log has it, slices end, and no process of theirs stays."""
    monkeypatch.setattr(run, "SLICE_S", 4.0)
    workers = [cluster.add_worker(name).pid for name in ("one", "two")]
    joined(cluster, 2)

    def interrupt(progress: HarnessProgress) -> None:
        if progress.found_by and progress.problem != "seen":
            progress.problem = "seen"
            assert any(map(fuzzing_below, workers))
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fuzz(cluster, "zoo:fuzz-zero-division", 120.0, interrupt)
    log = read_log(cluster.folder / "out" / "run.jsonl")
    assert log.finished is None
    assert all(
        result.verdict is Verdict.FAIL and "ZeroDivisionError" in result.reason for result in log.results.values()
    )
    assert all(result.evidence["timings"]["found_by"] for result in log.results.values())
    wait_for(lambda: not any(map(fuzzing_below, workers)))


def test_an_interrupt_reaches_workers_of_this_machine(tmp_path: Path) -> None:
    """As on a terminal, where all processes get it: they live until they have said what the slice has found."""
    (tmp_path / "corpus" / "model").mkdir(parents=True)
    (tmp_path / "corpus" / "model" / "elu").write_bytes(ELU)
    mark = tmp_path / "mark"
    selector = faulty_driver(tmp_path, f"open({str(mark)!r}, 'w').close(); raise KeyError('x')")
    code, said = interrupted(tmp_path, signal.SIGINT, "model", "-d", selector, "--cluster", "local:1", seen=mark)
    assert code == 128 + signal.SIGINT, said
    assert "Traceback" not in said
    log = read_log(tmp_path / "out" / "run.jsonl")
    assert log.finished is None
    (result,) = log.results.values()
    assert result.rule == "driver/exception"
    assert result.evidence["timings"]["worker"].startswith("tls://127.0.0.1")


def test_a_worker_that_dies_costs_its_slice(cluster: Cluster) -> None:
    """It is killed as it fuzzes: what it has forked ends by itself, and the other one goes on to the end."""
    one = cluster.add_worker("one")
    cluster.add_worker("two")
    joined(cluster, 2)
    lost: list[psutil.Process] = []

    def kill() -> None:
        wait_for(lambda: len(fuzzing_below(one.pid)) > 1)
        lost.extend(fuzzing_below(one.pid))
        os.killpg(one.pid, signal.SIGKILL)

    helper = threading.Thread(target=kill)
    helper.start()
    log, said = fuzz(cluster, "reference", 8.0, harness=QUICK)
    helper.join()
    assert log.finished is not None
    assert log.finished.exit_code == 0
    assert [result.verdict for result in log.results.values()] == [Verdict.PASS]
    assert any("is gone: its time for tflite" in line for line in said)
    _, alive = psutil.wait_procs(lost, 30)
    assert lost
    assert not alive


def test_a_scheduler_that_dies(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged inputs stay, and the log is incomplete."""
    monkeypatch.setattr(run, "SLICE_S", 4.0)
    cluster.add_worker("one")
    joined(cluster, 1)
    with pytest.raises(WorkerError, match="scheduler"):
        fuzz(cluster, "reference", 120.0, lambda _: end_scheduler(cluster), QUICK)
    log = read_log(cluster.folder / "out" / "run.jsonl")
    assert log.finished is None
    (fuzzed,) = log.fuzzing
    assert fuzzed.executions > 0
    assert list((cluster.folder / "corpus" / QUICK).iterdir())


def test_a_finding_is_made_small_on_a_worker(cluster: Cluster) -> None:
    """The driver is in one worker's folder alone: there its model is reduced, and the spec is saved here."""
    cluster.add_worker("without")
    (cluster.folder / "one").mkdir()
    (cluster.folder / "one" / "mine.py").write_text(FAULTY)
    cluster.add_worker("one")
    out, driver = cluster.folder / "out", "python:mine.py:make"
    finding = FuzzFinding(FindingKind.HANG, "driver/hang", "slow")
    save(out / FINDINGS, "model", driver, finding, encode_model(SUM))
    job = FuzzingJob([HARNESSES["model"]], driver, 1.0, 1, cluster.folder / "corpus", out)
    said: list[str] = []
    joined(cluster, 2)
    with open_cluster(cluster.address, (), said.append) as fleet, OnWorkers(fleet).fuzzing(job, Silent()) as running:
        specs = running.finish()
    assert any("takes no part" in line and "mine.py" in line for line in said)
    assert list(specs) == [finding.key]
    assert specs[finding.key].is_relative_to(out / "failures")
    (case, *_) = load_spec(specs[finding.key])
    assert [operation.type for operation in case.build().main.operations] == [OperationType.ADD]


def test_workers_of_two_versions_are_refused(cluster: Cluster) -> None:
    """Before the first slice, exit code 2, with both versions named; options that mean nothing there are refused."""
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (cluster.folder / name).mkdir()
        (cluster.folder / name / "version").write_text(version)
        cluster.add_worker(name)
    joined(cluster, 2)
    folders = ("--out", cluster.folder / "out", "--corpus", cluster.folder / "corpus")
    command = ("fuzz", "model", "-d", f"python:{DRIVERS}:versioned", "--cluster", cluster.address, *folders)
    result = nnvet(*map(str, command))
    assert result.exit_code == 2
    assert "driver version" in words(result)
    assert "1.0" in words(result)
    assert "2.0" in words(result)
    assert not (cluster.folder / "out" / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cluster", "local:1", "-n", "2"), "--jobs is for this machine alone"),
        (("--cluster", "local:1", "model", "--input", "x"), "--input is for this machine alone"),
        (("--resource", "accelerator=1"), "give --cluster ADDRESS"),
        (("--cluster", "local:none"), "write local:N"),
    ],
)
def test_options_that_contradict_each_other(options: tuple[str, ...], said: str) -> None:
    """Exit code 2, before anything is started."""
    result = nnvet("fuzz", *options)
    assert result.exit_code == 2
    assert said in words(result)
