"""Workers that Slurm starts: the example of docs/campaigns.md, as it is, on a Slurm of one machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from nnvet.reports.events import Verdict
from nnvet.reports.log import Log, read_log
from tests.conformance.cluster.conftest import wait_for

_PROGRAMS: Final = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
_MISSING: Final = [name for name in _PROGRAMS if shutil.which(name) is None]
_EXAMPLE: Final = Path(__file__).parents[3] / "docs" / "examples" / "campaigns" / "slurm_workers.py"
_PATIENCE_S: Final = 180.0

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons start jobs as root"),
    pytest.mark.skipif(bool(_MISSING), reason=f"needs slurmctld, slurmd, slurm-client and munge: no {_MISSING}"),
    pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue: pip install 'nnvet[dev]'"),
]

# A node with one accelerator, which is a number here: no job touches it.
_CONFIGURATION: Final = """
ClusterName=one
SlurmctldHost={host}
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
GresTypes=npu
MailProg=/bin/true
NodeName={host} CPUs=2 RealMemory=8192 Gres=npu:1 State=UNKNOWN
PartitionName=accelerators Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("", 0))
        port: int = listener.getsockname()[1]
        return port


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait for it."""
    process.terminate()
    process.wait(_PATIENCE_S)


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a Slurm of its own: munge, a controller and one node."""
    host = socket.gethostname().partition(".")[0]
    for name in ("state", "spool"):
        (tmp_path / name).mkdir()
    key = tmp_path / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    configuration = tmp_path / "slurm.conf"
    ports = {"controller": free_port(), "daemon": free_port()}
    configuration.write_text(_CONFIGURATION.format(host=host, folder=tmp_path, **ports))
    (tmp_path / "gres.conf").write_text(f"NodeName={host} Name=npu Count=1\n")
    monkeypatch.setenv("SLURM_CONF", str(configuration))
    munge = [f"--{kind}={tmp_path}/munge.{kind.partition('-')[0]}" for kind in ("socket", "key-file", "pid-file")]
    munge += [f"--seed-file={tmp_path}/munge.seed", f"--log-file={tmp_path}/munge.log"]
    commands = (
        ["munged", "--foreground", "--force", *munge],
        ["slurmctld", "-D", "-f", str(configuration)],
        ["slurmd", "-D", "-f", str(configuration)],
    )
    with ExitStack() as stack, (tmp_path / "output").open("wb") as output:
        for command in commands:
            process = subprocess.Popen(command, stdout=output, stderr=output, cwd=tmp_path)
            stack.callback(ended, process)
            wait_for((tmp_path / "munge.socket").exists, _PATIENCE_S)
        wait_for(lambda: "idle" in said("sinfo", "--noheader", "--format=%t"), _PATIENCE_S)
        yield tmp_path


@pytest.fixture
def address(slurm: Path) -> Iterator[str]:
    """The scheduler of the example's workers, which are jobs."""
    with (slurm / "address").open("wb") as output:
        process = subprocess.Popen([sys.executable, str(_EXAMPLE)], stdout=output, cwd=slurm)
    try:
        wait_for(lambda: (slurm / "address").read_text().endswith("\n"), _PATIENCE_S)
        wait_for(running, _PATIENCE_S)
        yield (slurm / "address").read_text().strip()
    finally:
        ended(process)
        said("scancel", "--user=root")
        wait_for(lambda: not said("squeue", "--noheader"), _PATIENCE_S)


def said(*command: str) -> str:
    """Output of a command of Slurm's."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def running() -> str:
    """The number of the job that runs; empty if none does."""
    return said("squeue", "--noheader", "--states=RUNNING", "--format=%i").strip()


def run_on(address: str, *options: str) -> subprocess.Popen[str]:
    """``nnvet run`` on the accelerators of the cluster, begun."""
    command = [sys.executable, "-m", "nnvet.commands", "run", "-d", "reference", "--cluster", address]
    options = ("--resource", "accelerator=1", *options)
    return subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finished(run: subprocess.Popen[str], out: Path) -> Log:
    """The log of a run that has passed."""
    output, _ = run.communicate(timeout=10 * _PATIENCE_S)
    assert run.returncode == 0, output
    return read_log(out / "run.jsonl")


def test_the_example_runs_on_slurm(address: str, slurm: Path) -> None:
    """Its workers have the accelerator that Slurm has given their job; eight jobs take turns at one."""
    out = slurm / "out"
    log = finished(run_on(address, "--only", "BasicTest/*", "--out", str(out)), out)
    assert {result.verdict for result in log.results.values()} == {Verdict.PASS}
    assert all(result.evidence["timings"]["worker"] for result in log.results.values())


def test_a_job_that_is_cancelled_costs_nothing(address: str, slurm: Path) -> None:
    """Slurm starts the next one, whose worker takes over: every case ends once, and none fails."""
    out, first = slurm / "out", running()
    run = run_on(address, "--only", "GeneratedTest/sync/*", "--out", str(out))
    wait_for(lambda: (out / "run.jsonl").exists() and (out / "run.jsonl").stat().st_size > 1 << 16, _PATIENCE_S)
    said("scancel", first)
    log = finished(run, out)
    assert {result.verdict for result in log.results.values()} == {Verdict.PASS}
    assert len({result.evidence["timings"]["worker"] for result in log.results.values()}) > 1
    assert running() != first
