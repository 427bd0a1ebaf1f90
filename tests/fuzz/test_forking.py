"""The process that forks those that fuzz, and what becomes of them when nobody is left to read what they find."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

_PATIENCE_S = 60.0


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_no_process_outlives_a_job_that_is_killed(tmp_path: Path) -> None:
    """SIGKILL leaves the job no time to end anything: what it has started ends by itself."""
    options = ["model", "--minutes", "30", "--corpus", str(tmp_path / "corpus"), "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-m", "nnvet.commands", "fuzz", *options], stdout=subprocess.DEVNULL, start_new_session=True
    ) as job:
        # The job, what forks, and what fuzzes.
        end = time.monotonic() + _PATIENCE_S
        while len(children := psutil.Process(job.pid).children(recursive=True)) < 2:
            assert job.poll() is None
            assert time.monotonic() < end, children
            time.sleep(0.1)
        os.kill(job.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(children, _PATIENCE_S)
    assert not alive
