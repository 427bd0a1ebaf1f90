"""The kind ``files``: one run of a command for each execution, and each of its ends as a verdict."""

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from nnvet.adapters import SelectorError, create_device
from nnvet.adapters.files.command import FileCommand
from nnvet.conformance.checking import check_driver
from nnvet.reports.events import Verdict
from tests.adapters.file_runners import CASES, RELU

pytest.importorskip("flatbuffers", reason="needs the litert extra")


@pytest.fixture
def runner(tmp_path: Path) -> str:
    """The command of a runner of RELU."""
    script = tmp_path / "relu, mine.py"
    script.write_text(RELU)
    return shlex.join([sys.executable, str(script)])


def ends(selector: str) -> list[tuple[Verdict, str]]:
    """Verdicts and reasons of RELU of ranks 1 to 4."""
    results = check_driver(selector, only=CASES).log.results
    return [(results[case].verdict, results[case].reason) for case in CASES]


@pytest.mark.long
def test_what_a_command_does_is_its_verdict(runner: str) -> None:
    """A right answer passes; a wrong one, a short one and none fail, each for its reason."""
    found = ends(f"files:{runner} 1=copies 2=shortens 3=forgets,format=tflite")
    assert [verdict for verdict, _ in found] == [Verdict.FAIL, Verdict.FAIL, Verdict.FAIL, Verdict.PASS]
    wrong, short, missing, _ = (reason for _, reason in found)
    assert wrong.startswith("output 0: ")
    assert "the output 00000/output0.bin has " in short
    assert "there is no output 00000/output0.bin" in missing


def test_ends_of_commands_differ(runner: str) -> None:
    """A signal is a CRASH, silence a HANG, an exit status a FAIL, and a runner may refuse a model."""
    found = ends(f"files:{runner} 1=dies 2=hangs 3=ends 4=refuses,timeout=2")
    assert [verdict for verdict, _ in found] == [Verdict.CRASH, Verdict.HANG, Verdict.FAIL, Verdict.UNSUPPORTED]
    died, hung, ended, refused = (reason for _, reason in found)
    assert died == "the command was killed by SIGABRT"
    assert hung == "the command has not ended within 2 s"
    assert "the command ended with exit status 1; it printed: no such board" in ended
    assert refused.endswith("the runner does not take the model: rank too low")


MISTAKES = {
    "files:": "arguments are missing; write files:COMMAND",
    "files:,format=onnx": "there is no program ''",
    "files:absent-runner --fast": "there is no program 'absent-runner'",
    "files:sh,format=tosa": "format is 'tosa'; choose tflite, onnx",
    "files:sh,timeout=soon": "timeout is 'soon'; give a number from 1 on",
    "files:sh 'a": "cannot be taken apart: No closing quotation",
    "answers:absent": "absent/manifest.json cannot be read: No such file or directory; make it with nnvet bundle",
}


@pytest.mark.parametrize("selector", MISTAKES)
def test_wrong_selectors(selector: str) -> None:
    """Each is refused with what is wrong and what to write."""
    with pytest.raises(SelectorError) as refused:
        create_device(selector)
    assert MISTAKES[selector] in str(refused.value)


def test_a_signal_without_a_name_is_a_crash(tmp_path: Path) -> None:
    """Those for real time have none; the process died all the same."""
    end = FileCommand(("sh", "-c", "kill -40 $$"), 10).run(tmp_path)
    assert end is not None
    assert (end.rule, end.reason) == ("driver/crash", "the command was killed by signal 40")


STAYS = "1234.5"
"""Seconds for which the process sleeps that a command leaves behind: the mark by which the tests find it."""


def sleepers() -> list[int]:
    """Processes that a command has left behind."""
    return [process.pid for process in psutil.process_iter(["cmdline"]) if STAYS in (process.info["cmdline"] or ())]


@pytest.mark.parametrize(
    ("rest", "rule"), [("exit 0", None), ("exit 3", "execution/status"), ("sleep 60", "driver/hang")]
)
def test_nothing_of_a_command_stays(tmp_path: Path, rest: str, rule: str | None) -> None:
    """Processes in sessions of their own, whose parents are gone, end with the command, however it ends."""
    started = tmp_path / "started"
    orphan = f"(setsid sleep {STAYS} & echo $! > {shlex.quote(str(started))}); {rest}"
    end = FileCommand(("sh", "-c", orphan), 2).run(tmp_path)
    assert (end.rule if end else None) == rule
    assert int(started.read_text()) > 0
    assert not sleepers()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_of_the_command_of_a_judgement_that_is_interrupted(tmp_path: Path, number: int) -> None:
    """The exit code is that of the signal, as of every other command.

    After SIGKILL nobody is there who could look for sessions of their own; the kernel ends the command's group.
    """
    nnvet = (sys.executable, "-m", "nnvet.commands")
    made = [*nnvet, "bundle", "--out", str(tmp_path / "bundle"), "--only", CASES[0]]
    subprocess.run(made, check=True, capture_output=True)
    started = tmp_path / "started"
    is_killed = number == signal.SIGKILL
    orphan = f"({'' if is_killed else 'setsid '}sleep {STAYS} &)"
    script = f"{orphan}; touch {shlex.quote(str(started))}; sleep {STAYS}"
    command = shlex.join(["sh", "-c", script])
    judging = subprocess.Popen(
        [*nnvet, "judge", str(tmp_path / "bundle"), "--out", str(tmp_path), "--command", command]
    )
    try:
        while not started.exists():
            assert judging.poll() is None
            time.sleep(0.05)
        judging.send_signal(number)
        assert judging.wait(60) == (-number if is_killed else 128 + number)
    finally:
        judging.kill()
    end = time.monotonic() + 10
    while sleepers() and is_killed and time.monotonic() < end:
        time.sleep(0.05)
    assert not sleepers()
