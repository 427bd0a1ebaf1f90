"""The process that forks the fuzzing processes, and the end of these when their reader is gone."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from nnvet.fuzz.findings import ChildConfig
from nnvet.fuzz.forking import Forker, ForkOrder

_PATIENCE_S = 60.0


def fuzzing_below(process: int) -> list[psutil.Process]:
    """The processes that fork or fuzz, of those that a process has started."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                found += [child] if "nnvet.fuzz.forking" in child.cmdline() else []
    return found


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_no_process_outlives_a_job_that_is_killed(tmp_path: Path) -> None:
    """SIGKILL leaves the job no time to end anything: what it has started ends by itself."""
    options = ["model", "--minutes", "30", "--corpus", str(tmp_path / "corpus"), "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-m", "nnvet.commands", "fuzz", *options], stdout=subprocess.DEVNULL, start_new_session=True
    ) as job:
        # An input that is new: from now on the process that fuzzes may have nothing to say for long.
        end = time.monotonic() + _PATIENCE_S
        while not list((tmp_path / "corpus").glob("model/*")):
            assert job.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        children = fuzzing_below(job.pid)
        os.kill(job.pid, signal.SIGKILL)
    assert len(children) > 1
    _, alive = psutil.wait_procs(children, _PATIENCE_S)
    assert not alive


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_temporary_files_lie_where_a_job_removes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness on specs leaves its folder, because libFuzzer ends the process before any block ends."""
    given, usual, inputs = (tmp_path / name for name in ("given", "usual", "inputs"))
    for folder in (given, usual, inputs):
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(usual))
    config = ChildConfig("specs", "reference", True, 20.0, 4096, str(tmp_path / "findings"))
    with Forker(config) as forker:
        assert list(forker.run(ForkOrder(config, ("-runs=1", str(inputs)), str(given))))
    assert list(given.iterdir())
    assert not list(usual.iterdir())
