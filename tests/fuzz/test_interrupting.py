"""Jobs that a signal ends: what was found until then is in log and reports."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from nnvet.fuzz.findings import INPUT, read_saved
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.fuzz.test_runner import ELU, faulty_driver

REPORTS = {"run.jsonl", "report.html", "junit.xml", "summary.md"}
_PATIENCE_S = 240


def interrupted(folder: Path, number: int, *arguments: str, seen: str) -> tuple[int, str]:
    """Exit code and output of a job that gets a signal once a path of the pattern ``seen`` exists.

    All its processes get the signal, as with Ctrl-C, but those in other sessions.
    """
    command = [sys.executable, "-m", "nnvet.commands", "fuzz", *arguments, "--minutes", "30"]
    folders = ["--out", str(folder / "out"), "--corpus", str(folder / "corpus")]
    with (folder / "said").open("w+") as said:
        with subprocess.Popen(
            [*command, *folders], stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        ) as job:
            try:
                end = time.monotonic() + _PATIENCE_S
                while not list(folder.glob(seen)):
                    assert job.poll() is None
                    assert time.monotonic() < end
                    time.sleep(0.1)
                os.killpg(job.pid, number)
                job.wait(_PATIENCE_S)
            finally:
                # A job that fails the test would be waited for all its minutes.
                job.kill()
        return job.returncode, (folder / "said").read_text()


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, marks=pytest.mark.long),
        signal.SIGINT,
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
    ],
)
def test_a_job_that_is_ended_as_it_begins(number: signal.Signals, tmp_path: Path) -> None:
    """Its processes still load: nothing of them is waited for, nothing is found, and the log has no end."""
    code, said = interrupted(tmp_path, number, "model", "request", seen="corpus/model")
    assert code == 128 + number, said
    assert f"interrupted by {number.name}" in said
    assert {path.name for path in (tmp_path / "out").iterdir()} >= REPORTS
    log = read_log(tmp_path / "out" / "run.jsonl")
    assert log.finished is None
    assert {result.verdict for result in log.results.values()} == {Verdict.NOT_RUN}
    assert [event.harness for event in log.fuzzing] == ["model", "request"]


@pytest.mark.sampled(2)
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
@pytest.mark.parametrize("before", ["", "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); "])
def test_what_was_found_before_the_signal(before: str, tmp_path: Path) -> None:
    """It is in the log with its verdict, and said with its replay; also if a driver blocks the signal."""
    (tmp_path / "corpus" / "model").mkdir(parents=True)
    (tmp_path / "corpus" / "model" / "elu").write_bytes(ELU)
    selector = faulty_driver(tmp_path, f"{before}raise KeyError('x')")
    # The input is written last: before that, a finding is not saved.
    finding = f"out/findings/model/*/{INPUT}"
    code, said = interrupted(tmp_path, signal.SIGTERM, "model", "-d", selector, seen=finding)
    assert code == 128 + signal.SIGTERM, said
    (result,) = read_log(tmp_path / "out" / "run.jsonl").results.values()
    assert result.verdict is Verdict.FAIL
    assert result.rule == "driver/exception"
    assert result.evidence["replay"] in said
    assert len(list(read_saved(tmp_path / "out" / "findings"))) == 1
