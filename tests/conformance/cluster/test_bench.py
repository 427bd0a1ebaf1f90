"""The benchmark on a cluster: models go to workers, whose machines are in the log; results come in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import Verdict
from nnvet.reports.facts import machine_facts
from nnvet.reports.log import Log, read_log
from tests.commands.test_utilities import nnvet
from tests.conformance.cluster.conftest import Cluster
from tests.conformance.cluster.joining import joined
from tests.models.toys.folder import write_toys

pytestmark = pytest.mark.long

DRIVERS = Path(__file__).parents[2] / "drivers" / "deadly_to_workers.py"
TOYS = ("toy_mobilenet_v1_quant", "toy_mobilenet_v2_quant")
QUICK = ("--time", "0", "--warm-up", "0", "--only", TOYS[0], "--only", TOYS[1])


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks, at one path for all workers."""
    path = tmp_path_factory.mktemp("models")
    write_toys(path)
    return path


def bench(cluster: Cluster, models: Path, *options: str, exit_code: int = 0) -> tuple[str, Log]:
    """Return the command's output and its log."""
    out = cluster.folder / "out"
    result = nnvet("bench", *QUICK, "--models", str(models), "--out", str(out), *options)
    assert result.exit_code == exit_code, result.output
    return result.output, read_log(out / "run.jsonl")


def test_the_log_is_as_on_one_machine(cluster: Cluster, models: Path) -> None:
    """Models in order, each with worker and machine; what a run has measured is not measured again."""
    _, here = bench(cluster, models)
    cluster.add_worker("one", "--no-nanny", "--resources", "accelerator=1")
    where = ("--cluster", cluster.address, "--resource", "accelerator=1")
    _, there = bench(cluster, models, *where)
    assert [measurement.model for measurement in there.measurements] == [
        measurement.model for measurement in here.measurements
    ]
    assert equal_apart_from_timings(here, there)
    (worker,) = {measurement.worker for measurement in there.measurements}
    assert all(result.evidence["timings"]["worker"] == worker for result in there.results.values())
    # Where both are this machine, so that it says of itself what it says here.
    assert {measurement.machine.cpu for measurement in there.measurements if measurement.machine} == {
        machine_facts().cpu
    }
    page = (cluster.folder / "out" / "report.html").read_text()
    assert re.search(rf"Measured on .*: 2 models by {worker}\.", page)
    said, _ = bench(cluster, models, *where, "--resume")
    assert "2 models are measured already" in said


def test_a_model_that_costs_two_workers_is_a_crash(cluster: Cluster, models: Path) -> None:
    """The other one is measured by a worker that has been started again."""
    cluster.add_worker("one")
    where = ("-d", f"python:{DRIVERS}:deadly_to_machines", "--cluster", cluster.address)
    said, log = bench(cluster, models, *where, exit_code=1)
    crashed, right = log.results.values()
    assert (crashed.verdict, right.verdict) == (Verdict.CRASH, Verdict.PASS)
    assert len({worker["worker"] for worker in crashed.evidence["workers"]}) == 2
    assert f"died of {TOYS[0]}: it runs again" in said


def test_what_is_refused(cluster: Cluster, models: Path) -> None:
    """Options without meaning on a cluster are refused, and so are workers that have other models, or none."""
    result = nnvet("bench", "--cluster", "local:1", "--in-process")
    assert result.exit_code == 2
    assert "--in-process is for this machine alone" in result.output
    cluster.add_worker("one", "--no-nanny")
    joined(cluster, 1)
    result = nnvet("bench", "-d", "python:mine.py:none", *QUICK, "--models", str(models), "--cluster", cluster.address)
    assert result.exit_code == 2
    assert "mine.py" in result.output
