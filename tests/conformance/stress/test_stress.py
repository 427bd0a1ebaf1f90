"""Stress tests end as they have to with wrong drivers, pass the bundled one, and leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from nnvet.adapters.service.strays import MARK_VARIABLE
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.stress.catalogue import SUITE, select_tests, stress_tests
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import StressOptions, TestOrder
from nnvet.conformance.stress.running import StressPlan, StressWatcher, run_stress
from nnvet.reference_driver.zoo.registry import bugs
from nnvet.reports.events import Verdict
from nnvet.reports.evidence import TIMELINE, stress_verdict
from nnvet.reports.log import read_log
from nnvet.reports.render import render

SMALL = StressOptions(scale=0.2, threads=4, processes=2)
TIMEOUT_S = 6.0
WRONG = {name: bug.stress for name, bug in bugs().items() if bug.stress}


def ended(selector: str, test: str, timeout_s: float) -> tuple[str, dict[str, Any]]:
    """The word for how a test ended with a driver, and the evidence."""
    outcome = Watched(TestOrder(f"{SUITE}/{test}", Target(selector, timeout_s=timeout_s), SMALL), ignore).run()
    return stress_verdict(outcome.verdict), {**outcome.evidence, "reason": outcome.reason}


def ignore(_phase: str, _done: int) -> None:
    """Nobody looks."""


HANGS = ("stress-deadlock", "stress-hang-release", "stress-ignores-cancellation")
"""Bugs that take long: how a hang ends is seen with ``stress-hang-execution``, too."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in HANGS else ()) for name in WRONG]
)
def test_a_wrong_driver_gets_the_right_verdict(name: str) -> None:
    """The test that is for it ends as it must, and the evidence names the phase."""
    test, expected = WRONG[name]
    # Only what is to hang is waited for to the end.
    word, evidence = ended(f"zoo:{name}", test, TIMEOUT_S if expected == "HANG" else DEFAULT_TIMEOUT_S)
    assert word == expected, evidence["reason"]
    assert evidence["phase"] in {phase for phase, _ in evidence["timings"]["phases"]}


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("ParallelInference/InProcess", marks=pytest.mark.long),
        pytest.param("RandomModels/Execution/Narrow", marks=pytest.mark.long),
        "LeakSoak/Executions",
        pytest.param("SplitModels", marks=pytest.mark.long),
    ],
)
def test_a_driver_of_one_operation_has_work_to_do(test: str) -> None:
    """Its models are made of what it claims, so that the first day of a driver has stress tests."""
    selector = f"python:{Path(__file__).parents[3]}/docs/examples/minimal_driver.py:AddDevice"
    word, evidence = ended(selector, test, DEFAULT_TIMEOUT_S)
    assert word == "SUCCESS", evidence["reason"]


@pytest.mark.long
def test_a_model_that_is_executed_wrongly_is_saved(tmp_path: Path) -> None:
    """It can be replayed from its file, where it is wrong in parallel alone: right on a driver that is asked alone."""
    plan = StressPlan(
        Target("zoo:stress-parallel-answer"), tmp_path, select_tests(("ParallelInference/InProcess",)), SMALL
    )
    (result,) = run_stress(plan, StressWatcher()).results.values()
    vector = tmp_path / result.evidence["vector"]
    assert vector.is_file()
    assert list(vector.parent.glob("*.mod.py"))
    command = [sys.executable, "-m", "nnvet.commands", "replay", str(vector.parent), "-d", "zoo:stress-parallel-answer"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "PASS" in done.stdout, done.stderr


def test_the_bundled_driver_passes_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short run of tests of every kind: all SUCCESS; no process or temporary file of theirs is left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    before = psutil.Process().children(recursive=True)
    names = ("ClientEarlyTermination/Burst", "MultiProcessModelLoad/50", "CacheStorm", "QueueOverload", "DriverRestart")
    plan = StressPlan(Target("reference"), tmp_path, select_tests(names), SMALL)
    log = run_stress(plan, StressWatcher())
    assert {result.verdict for result in log.results.values()} == {Verdict.PASS}
    assert log.finished is not None
    assert log.finished.exit_code == 0
    for result in log.results.values():
        timings = result.evidence["timings"]
        assert timings["done"] > 0
        assert {row[1] for row in timings[TIMELINE]["rows"]} >= {"test", "driver"}
    assert psutil.Process().children(recursive=True) == before
    assert not list(temporary.iterdir())
    assert "ClientEarlyTermination/Burst" in render(log, tmp_path).html.read_text()


def test_a_killed_coordinator_leaves_an_incomplete_log_and_no_process(tmp_path: Path) -> None:
    """After SIGKILL in the middle of a test the log says what had begun, and all processes end."""
    command = [sys.executable, "-m", "nnvet.commands", "stress", "--only", "MultiProcessInference/0"]
    mark = f"test-{os.getpid()}"
    environment = {**os.environ, MARK_VARIABLE: mark}
    with subprocess.Popen([*command, "--out", str(tmp_path)], env=environment, stdout=subprocess.DEVNULL) as run:
        wait_until(lambda: len(marked(mark)) > 3, "clients have started")
        run.send_signal(signal.SIGKILL)
    wait_until(lambda: not marked(mark), "all processes have ended")
    log = read_log(tmp_path / "run.jsonl")
    assert log.finished is None
    assert log.unfinished == ("StressTest/MultiProcessInference/0",)
    assert "incomplete" in render(log, tmp_path).html.read_text().lower()


def marked(mark: str) -> list[int]:
    """Processes with the mark in their environment, zombies left out."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK_VARIABLE, "").startswith(mark) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def wait_until(condition: object, what: str, timeout_s: float = 120.0) -> None:
    """Wait for something that certainly comes."""
    end = time.monotonic() + timeout_s
    while not condition():  # type: ignore[operator] # a function
        assert time.monotonic() < end, what
        time.sleep(0.05)


def test_every_wrong_driver_names_a_test() -> None:
    """The tests that the zoo speaks of exist."""
    assert {test for test, _ in WRONG.values()} <= {test.name for test in stress_tests().values()}


def test_ten_kinds_of_wrong_drivers() -> None:
    """All four configs to end occur, but for SUCCESS, which is the bundled driver's."""
    assert len(WRONG) >= 12
    assert {end for _, end in WRONG.values()} == {"FAILURE", "HANG", "CRASH"}
