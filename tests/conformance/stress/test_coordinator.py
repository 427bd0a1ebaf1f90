"""Verdicts of the coordinator on a test that is stuck, stopped or dead, and on a driver that is ill without failing."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.engine.target import DEFAULT_TIMEOUT_S, Target
from nnvet.conformance.stress import coordinator
from nnvet.conformance.stress.catalogue import SUITE
from nnvet.conformance.stress.coordinator import Watched
from nnvet.conformance.stress.messages import StressOptions, TestOrder
from nnvet.reports.evidence import stress_verdict

UNSTABLE = Path(__file__).parents[2] / "drivers" / "unstable.py"
LONG_S = 3600.0


def watched(
    selector: str, test: str, options: StressOptions | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
) -> Watched:
    """A test of little load under way."""
    order = TestOrder(f"{SUITE}/{test}", Target(selector, timeout_s=timeout_s), options or StressOptions(scale=0.1))
    return Watched(order, lambda _phase, _done: None)


def ended(test: Watched) -> tuple[str, dict[str, Any]]:
    """The word for how it ended, and the evidence with the reason."""
    outcome = test.run()
    return stress_verdict(outcome.verdict), {"reason": outcome.reason, "rule": outcome.rule, **outcome.evidence}


def test_a_phase_that_takes_too_long_is_a_hang_with_all_stacks() -> None:
    """If no call has a limit that would end it, the phase has; test and driver show what they are doing."""
    options = StressOptions(scale=0.05, slack_s=8.0)
    word, evidence = ended(watched("zoo:stress-hang-execution", "InferenceStress", options, LONG_S))
    assert word == "HANG"
    assert evidence["reason"] == "the phase inference takes longer than it may"
    assert "_stop_for_ever" in evidence["stacks"]["driver"]
    assert "run_threads" in evidence["stacks"]["test"]
    (driver,) = evidence["processes"].values()
    assert driver["threads"] > 0


@pytest.mark.parametrize(
    ("number", "word", "reason"),
    [(signal.SIGKILL, "CRASH", "the test's process killed by SIGKILL"), (signal.SIGSTOP, "HANG", "no sign of life")],
    ids=["killed", "stopped"],
)
def test_the_tests_own_process(number: signal.Signals, word: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that dies is a CRASH of the test, not of the driver; one that is stopped is a HANG; neither is waited for."""
    monkeypatch.setattr(coordinator, "_SILENCE_S", 2.0)
    monkeypatch.setattr(coordinator, "_DUMP_S", 1.0)
    test = watched("reference", "InferenceStress", StressOptions(scale=50.0))
    process = own_process(test)
    threading.Timer(2.0, os.kill, (process.pid, number)).start()
    found, evidence = ended(test)
    assert found == word
    assert reason in evidence["reason"]
    assert evidence.get("crashed", "test") == "test"
    assert not process.alive


def own_process(test: Watched) -> ServiceProcess:
    """The process of a test."""
    return test._process


def test_a_worker_that_is_replaced_is_a_crash() -> None:
    """A process of the driver has died; no call has failed."""
    word, evidence = ended(watched(f"python:{UNSTABLE}:replaces_its_worker", "InferenceStress"))
    assert (word, evidence["rule"]) == ("CRASH", "driver/crash")
    assert "has died during the test, and no call has failed" in evidence["reason"]


@pytest.mark.long
def test_a_line_in_the_log_is_a_failure() -> None:
    """The driver prints what the pattern matches; with another pattern it is as right as it looks."""
    selector = f"python:{UNSTABLE}:prints_an_error"
    word, evidence = ended(watched(selector, "InferenceStress"))
    assert (word, evidence["rule"]) == ("FAILURE", "driver/log")
    assert "lost a DMA channel" in evidence["reason"]
    options = StressOptions(scale=0.1, log_pattern="nothing of that kind")
    assert ended(watched(selector, "InferenceStress", options))[0] == "SUCCESS"


def test_a_driver_that_does_not_start_is_a_crash() -> None:
    """It dies before the first phase of the test."""
    word, evidence = ended(watched("exec:false", "InferenceStress"))
    assert word == "CRASH"
    assert evidence["phase"] == "start"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("other", ["", "reference:quant"])
def test_models_are_split_over_drivers(other: str) -> None:
    """Both parts are right, on one driver and on two."""
    word, evidence = ended(watched("reference", "SplitModels", StressOptions(scale=0.3, split_with=other)))
    assert word == "SUCCESS", evidence["reason"]
    assert evidence["timings"]["done"] > 0


@pytest.mark.long
def test_a_wrong_second_driver_is_found() -> None:
    """The parts on the driver of ``split_with`` are judged, too."""
    options = StressOptions(scale=2.0, split_with="zoo:graph-broadcast")
    word, evidence = ended(watched("reference", "SplitModels", options))
    assert (word, evidence["rule"]) == ("FAILURE", "execution/output.value")
