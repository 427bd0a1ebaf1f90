"""A scheduler and workers as people start them: processes of their own, each in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from nnvet.conformance.engine.catalogue import SIZE_OF_CASE

pytest.importorskip("distributed", reason="needs the extra cluster")

_PATIENCE_S = 60.0
_ROOT = Path(__file__).resolve().parents[3]
SPEC = """
for size in (1, 2, 3):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5, 3.0][-size:], b: [0.0, 2.5, 3.0][-size:]}, model=model).DisableLifeTimeVariation()
"""


@dataclass
class Cluster:
    """A scheduler, and workers as they are asked for."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Address of the scheduler."""
        file = self.folder / "scheduler.json"
        wait_for(file.exists)
        return str(json.loads(file.read_text())["address"])

    def add_worker(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker in a folder of its name."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        worker = _start("dask_worker", [self.address, "--nthreads", "1", "--name", name, *options], folder, self.folder)
        self.workers.append(worker)
        return worker


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    scheduler = _start("dask_scheduler", ["--port", "0", "--scheduler-file", "scheduler.json"], tmp_path, tmp_path)
    made = Cluster(tmp_path, scheduler)
    try:
        yield made
    finally:
        for process in (*made.workers, scheduler):
            # Workers are killed by their process group: a nanny would only start another.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(_PATIENCE_S)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Four spec files of three cases each."""
    folder = tmp_path / "specs"
    folder.mkdir()
    for name in ("alpha", "beta", "delta", "gamma"):
        # As large as a case counts, so that a chunk of one case is one file.
        (folder / f"{name}.mod.py").write_text(SPEC + "#" * SIZE_OF_CASE)
    return folder


def wait_for(condition: Callable[[], object], patience_s: float = _PATIENCE_S) -> None:
    """Until ``condition()`` holds."""
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def running_in(worker: subprocess.Popen[bytes], module: str) -> list[psutil.Process]:
    """The processes of a module that a worker has started, directly or not."""
    found = []
    for child in psutil.Process(worker.pid).children(recursive=True):
        # Those that have ended meanwhile do not say what they were.
        with suppress(psutil.Error):
            found += [child] * (module in child.cmdline())
    return found


def _start(module: str, options: list[str], folder: Path, marks: Path) -> subprocess.Popen[bytes]:
    code = f"import sys; from distributed.cli.{module} import main; sys.exit(main())"
    known = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "NNVET_TEST_FOLDER": str(marks), "PYTHONPATH": known}
    with (folder / "said.txt").open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-c", code, "--no-dashboard", *options],
            cwd=folder,
            stdout=said,
            stderr=said,
            env=environment,
            start_new_session=True,
        )
