"""A thread of the suite that waits for ever: its case is ERROR, and the run continues."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nnvet.conformance.engine import driver as driver_module
from nnvet.conformance.engine import stuck
from nnvet.conformance.engine.driver import open_subject, run_guarded
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import PASSED, Outcome
from nnvet.reports.events import Verdict

DEAF = """
import ctypes, signal
from nnvet.conformance.engine import driver as driver_module
from nnvet.conformance.engine import stuck
stuck.LOOK_S = 0.05
stuck.WATCH.ends_process = True
with stuck.WATCH.case(0.5):
    signal.pthread_sigmask(signal.SIG_BLOCK, [stuck.SIGNAL])
    ctypes.CDLL(None).pause()
"""
"""A thread that hears nothing."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch that loses patience within seconds."""
    monkeypatch.setattr(stuck, "LOOK_S", 0.05)
    monkeypatch.setattr(driver_module, "_LEAST_STUCK_S", 1.0)
    monkeypatch.setattr(driver_module, "_STUCK_LIMITS", 0)


def test_a_case_that_waits_for_a_pipe_is_an_error(tmp_path: Path) -> None:
    """It says where it waited, the driver is not to blame, and the next case runs."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def wait() -> Outcome:
        pipe.read_bytes()
        return PASSED

    with open_subject(Target("python:nnvet.driver_kit.base_device:BaseDevice")) as subject:
        outcome, died = run_guarded(subject, "waits", wait)
        assert (outcome.verdict, died) == (Verdict.ERROR, False)
        assert "waited without end" in outcome.reason
        assert run_guarded(subject, "next", lambda: PASSED)[0].verdict is Verdict.PASS


def test_a_start_that_waits_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite says where it waited; a worker would end by that and be replaced."""
    opened = driver_module.open_target

    def wait(target: Target) -> object:
        os.waitid(os.P_PID, sleeping.pid, os.WEXITED | os.WNOWAIT)
        return opened(target)

    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as sleeping:
        monkeypatch.setattr(driver_module, "open_target", wait)
        try:
            with pytest.raises(stuck.StuckError, match=r"waited without end, at .*test_stuck\.py"):
                open_subject(Target("python:nnvet.driver_kit.base_device:BaseDevice")).__enter__()
        finally:
            sleeping.kill()


def test_a_watch_within_a_watch_leaves_the_outer_one(tmp_path: Path) -> None:
    """A case that starts a driver anew is still watched afterwards."""
    os.mkfifo(tmp_path / "pipe")

    def wait() -> Outcome:
        with stuck.WATCH.case(1000):
            pass
        (tmp_path / "pipe").read_bytes()
        return PASSED

    with open_subject(Target("python:nnvet.driver_kit.base_device:BaseDevice")) as subject:
        assert run_guarded(subject, "waits", wait)[0].verdict is Verdict.ERROR


def test_a_case_that_computes_is_left_alone() -> None:
    """However long it takes, a thread that runs is not stuck."""

    def compute() -> Outcome:
        used = os.times()
        while sum(os.times()[:2]) - sum(used[:2]) < 1.1:
            sum(range(10_000))
        return PASSED

    with open_subject(Target("python:nnvet.driver_kit.base_device:BaseDevice")) as subject:
        assert run_guarded(subject, "computes", compute)[0].verdict is Verdict.PASS


def test_a_worker_whose_case_hears_no_signal_ends() -> None:
    """Then the runner gives what it owed to another."""
    ended = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "hears no signal" in ended.stderr
