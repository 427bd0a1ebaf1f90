"""Commands that a signal or a lack of processes ends early."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nnvet.commands.actions import run
from nnvet.commands.terminal import Interruption
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.reports.events import Command, DriverFacts, Verdict
from nnvet.reports.facts import log_header
from nnvet.reports.log import EventLog
from tests.commands.test_utilities import nnvet, words

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_interrupts_until_it_is_held(number: signal.Signals) -> None:
    """It interrupts the block, is only noted once what comes has to be done, and is then heard as before."""
    before = [signal.getsignal(signum) for signum in NUMBERS]
    with Interruption() as interruption:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        interruption.hold()
        signal.raise_signal(signal.SIGTERM)
        assert interruption.number == number
    assert [signal.getsignal(signum) for signum in NUMBERS] == before


@pytest.mark.parametrize("once", [False, True])
def test_a_signal_during_a_destructor_interrupts_after_it(once: bool) -> None:
    """Python drops what a destructor raises: without the second signal the block would go on for ever."""

    class Signalled:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    with Interruption(once=once) as interruption, pytest.raises(KeyboardInterrupt):
        Signalled()
        threading.Event().wait(30)
    assert interruption.number == signal.SIGTERM


def test_other_dropped_exceptions_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """They reach the hook that was there before, which is there again at the end."""

    class Careless:
        def __del__(self) -> None:
            raise ValueError("careless")

    seen: list[str] = []
    before = lambda dropped: seen.append(str(dropped.exc_value))  # noqa: E731 - compared below
    monkeypatch.setattr(sys, "unraisablehook", before)
    with Interruption():
        Careless()
    assert seen == ["careless"]
    assert sys.unraisablehook is before


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """As nohup wants it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption() as interruption:
            signal.raise_signal(signal.SIGHUP)
        assert interruption.number == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_exit_code_is_that_of_the_signal(tmp_path: Path) -> None:
    """Also where the signal comes while a text is executed, as in the making of a dataclass, under ``python -m``."""
    (tmp_path / "interrupted.py").write_text(
        "import sys; from nnvet.commands.terminal import Interruption\n"
        "with Interruption() as interruption:\n"
        "    try: exec('import signal; signal.raise_signal(signal.SIGTERM)')\n"
        "    except KeyboardInterrupt: pass\n"
        "sys.exit(128 + interruption.number)"
    )
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 143


def run_that(does: Callable[[], object], out: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the result of ``nnvet run`` on two drivers if a run does something in place of running."""
    monkeypatch.setattr(run, "execute_plan", lambda *_: does())
    return nnvet("run", "-d", "reference", "-d", "reference:minimal", "--out", out)


def test_a_signal_ends_the_runs_of_all_drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second driver is not run, and what an earlier run has left is not taken for the result of this one."""
    result = run_that(lambda: signal.raise_signal(signal.SIGTERM), tmp_path, monkeypatch)
    assert result.exit_code == 128 + signal.SIGTERM
    assert words(result) == "interrupted by SIGTERM: no case had begun"


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (Command.RUN, "the log holds 1 case; the same command with --resume goes on from there"),
        (Command.STRESS, "the log holds 1 case"),
    ],
)
def test_what_an_interrupted_run_has_left(command: Command, kept: str, tmp_path: Path) -> None:
    """The number of cases, and the option that goes on, where the command has one."""
    with EventLog.create(tmp_path / "run.jsonl", log_header(DriverFacts("reference"), command=command)) as log:
        log.case_started("A/b")
        log.case_finished("A/b", Verdict.PASS)
        assert run._describe_kept(log.so_far) == kept


def test_want_of_processes_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the suite that failed, and the message says how to go on."""

    def fail() -> None:
        raise WorkerError("the suite's worker process cannot be started: Resource temporarily unavailable")

    result = run_that(fail, tmp_path, monkeypatch)
    assert result.exit_code == 3
    assert "Resource temporarily unavailable; what was done before is kept, go on with --resume" in words(result)
