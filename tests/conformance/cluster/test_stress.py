"""Stress tests on a cluster: a log as one machine has it, and what becomes of tests that cost workers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import Verdict
from nnvet.reports.log import Log, read_log
from tests.commands.test_utilities import nnvet
from tests.conformance.cluster.conftest import Cluster
from tests.conformance.cluster.joining import joined

pytestmark = pytest.mark.long

DRIVERS = Path(__file__).parents[2] / "drivers" / "deadly_to_workers.py"
QUICK = ("--only", "InferenceStress", "--only", "RandomModels/Execution/Narrow", "--scale", "0.01")


def stress(cluster: Cluster, driver: str, *options: str, exit_code: int = 0) -> tuple[str, Log]:
    """Return the command's output and its log."""
    out = cluster.folder / "out"
    result = nnvet("stress", "-d", driver, *QUICK, "--out", str(out), *options)
    assert result.exit_code == exit_code, result.output
    return result.output, read_log(out / "run.jsonl")


def test_the_log_is_as_on_one_machine(cluster: Cluster) -> None:
    """The same tests in the same order, each with the worker that it ran on, among what differs between runs."""
    _, here = stress(cluster, "reference")
    cluster.add_worker("one", "--no-nanny", "--resources", "accelerator=1")
    where = ("--cluster", cluster.address, "--resource", "accelerator=1", "--filter", "nnvet-.*")
    said, there = stress(cluster, "reference", *where)
    assert list(here.results) == list(there.results)
    assert equal_apart_from_timings(here, there)
    assert all(result.evidence["timings"]["worker"].startswith("tcp://") for result in there.results.values())
    assert "SUCCESS" in said
    assert 'id="workers"' in (cluster.folder / "out" / "report.html").read_text()


def test_a_test_that_costs_two_workers_is_a_crash(cluster: Cluster) -> None:
    """It says who died; the run goes on when a worker has been started again, and ends as with other faults."""
    cluster.add_worker("one")
    where = ("--cluster", cluster.address)
    said, log = stress(cluster, f"python:{DRIVERS}:deadly_to_machines", *where, exit_code=1)
    crashed, right = log.results.values()
    assert (crashed.verdict, right.verdict) == (Verdict.CRASH, Verdict.PASS)
    assert len({worker["worker"] for worker in crashed.evidence["workers"]}) == 2
    assert "it runs again" in said


def test_what_is_refused(cluster: Cluster) -> None:
    """Options of this machine alone, drivers of two versions, drivers that no worker has."""
    result = nnvet("stress", "--cluster", "local:1", "--in-process")
    assert result.exit_code == 2
    assert "--in-process is for this machine alone" in result.output
    result = nnvet("stress", "--resource", "accelerator=1")
    assert result.exit_code == 2
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (cluster.folder / name).mkdir()
        (cluster.folder / name / "version").write_text(version)
        cluster.add_worker(name, "--no-nanny")
    where = ("--out", str(cluster.folder / "out"), "--cluster", cluster.address)
    joined(cluster, 2)
    result = nnvet("stress", *QUICK, "-d", f"python:{DRIVERS}:versioned", *where)
    assert result.exit_code == 2
    assert re.search(r"driver version [12]\.0 instead of [12]\.0", result.output)
    result = nnvet("stress", *QUICK, "-d", "python:mine.py:none", *where)
    assert result.exit_code == 2
    assert "mine.py" in result.output
