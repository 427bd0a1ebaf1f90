"""Runs on real schedulers and workers: what one machine finds is found, whatever happens to the others."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest

from nnvet.adapters import SelectorError
from nnvet.conformance.cluster.connect import open_cluster
from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.run import OnCluster
from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.engine.target import Target
from nnvet.conformance.engine.worker_process import WorkerError
from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.events import Verdict
from nnvet.reports.html.page import render_page
from nnvet.reports.log import Log, read_log
from tests.conformance.cluster.conftest import Cluster, running_in, wait_for
from tests.conformance.cluster.joining import joined

DRIVERS = Path(__file__).parents[2] / "drivers" / "deadly_to_workers.py"
SYNC = Selection(("GeneratedTest/sync/*",))
ONE_FILE = 1
"""Chunks of one spec file each."""


class Following(RunWatcher):
    """Calls something when so many cases have ended."""

    def __init__(self, after: int = 0, then: Callable[[], object] = lambda: None) -> None:
        """``after`` so many cases call ``then``."""
        self.left, self.then = after, then

    def finished(self, case: str, verdict: Verdict) -> None:
        """Count."""
        self.left -= 1
        if self.left == 0:
            self.then()


def driver(name: str) -> Target:
    """One of the drivers beside this file."""
    return Target(f"python:{DRIVERS}:{name}")


def run(
    cluster: Cluster,
    specs: Path,
    target: Target,
    *,
    watcher: RunWatcher | None = None,
    resume: bool = False,
    resources: tuple[str, ...] = (),
    said: list[str] | None = None,
    patience_s: float = 60.0,
    away_s: float = 30.0,
) -> Log:
    """The log of the small specs on a cluster."""
    with open_cluster(cluster.address, resources, (said if said is not None else []).append) as fleet:
        fleet.patience_s, fleet.away_s = patience_s, away_s
        elsewhere = OnCluster(fleet, ONE_FILE)
        plan = Plan(target, cluster.folder / "out", [specs], SYNC, checks=False, elsewhere=elsewhere, resume=resume)
        return execute_plan(plan, watcher or RunWatcher())


def verdicts(log: Log) -> Counter[Verdict]:
    """Return the number of cases by verdict."""
    return Counter(result.verdict for result in log.results.values())


def workers_of(log: Log) -> set[str]:
    """Return the workers that have run cases."""
    return {result.evidence["timings"]["worker"] for result in log.results.values()}


def test_any_number_of_workers_finds_the_same_in_the_same_order(cluster: Cluster, specs: Path) -> None:
    """One worker, two, and this process alone: equal logs, in the order of ids."""
    here = execute_plan(Plan(Target("reference"), cluster.folder / "here", [specs], SYNC, checks=False), RunWatcher())
    cluster.add_worker("one")
    alone = run(cluster, specs, Target("reference"))
    cluster.add_worker("two")
    joined(cluster, 2)
    both = run(cluster, specs, driver("waiting_for_two"))
    assert list(here.results) == list(alone.results) == list(both.results)
    assert equal_apart_from_timings(here, alone)
    assert verdicts(both) == {Verdict.PASS: 12}
    assert (len(workers_of(alone)), len(workers_of(both))) == (1, 2)


@pytest.mark.long
def test_a_worker_that_dies_costs_nothing_but_time(cluster: Cluster, specs: Path) -> None:
    """Its chunk runs again elsewhere: every case passes, and is in the log once."""
    cluster.add_worker("one")
    cluster.add_worker("two")
    joined(cluster, 2)
    said: list[str] = []
    log = run(cluster, specs, driver("deadly_once"), said=said)
    assert verdicts(log) == {Verdict.PASS: 12}
    assert any("died" in line for line in said)


@pytest.mark.long
def test_a_case_that_kills_its_workers_is_a_crash(cluster: Cluster, specs: Path) -> None:
    """The two cases that kill whoever runs them are CRASH and named; all others pass."""
    for name in ("delta", "gamma"):
        (specs / f"{name}.mod.py").unlink()
    cluster.add_worker("one")
    cluster.add_worker("two")
    log = run(cluster, specs, driver("deadly"))
    assert verdicts(log) == {Verdict.PASS: 4, Verdict.CRASH: 2}
    crashed = [case for case, result in log.results.items() if result.verdict is Verdict.CRASH]
    assert crashed == [f"GeneratedTest/sync/{name}_of_2" for name in ("alpha", "beta")]


@pytest.mark.long
def test_a_case_that_bricks_a_device_costs_one_device(cluster: Cluster, specs: Path) -> None:
    """Two workers and two such cases: each costs one; the rest is NOT_RUN, and nothing is lost."""
    for name in ("delta", "gamma"):
        (specs / f"{name}.mod.py").unlink()
    cluster.add_worker("one")
    cluster.add_worker("two")
    joined(cluster, 2)
    log = run(cluster, specs, driver("bricking"))
    cases = {case: result.verdict for case, result in log.results.items() if not case.startswith("driver/")}
    assert len(cases) == 6
    assert {case.rpartition("_")[2] for case, verdict in cases.items() if verdict is Verdict.CRASH} == {"2"}
    assert all(verdict is not Verdict.CRASH for case, verdict in cases.items() if not case.endswith("_2"))
    assert log.counts[Verdict.NOT_RUN] == 6 - log.counts[Verdict.PASS] - 2


@pytest.mark.long
def test_workers_that_do_not_agree_are_a_finding(cluster: Cluster, specs: Path) -> None:
    """A case that fails on the broken machine passes on the other: the failure says so, and so does the report."""
    (cluster.folder / "one").mkdir()
    (cluster.folder / "one" / "wrong").touch()
    cluster.add_worker("one")
    cluster.add_worker("two")
    joined(cluster, 2)
    log = run(cluster, specs, driver("wrong_on_one"))
    failed = [result for result in log.results.values() if result.verdict is Verdict.FAIL]
    assert failed
    for failure in failed:
        assert sorted(failure.evidence["by_worker"].values()) == ["FAIL", "PASS"]
        assert "on another worker it is PASS" in failure.reason
    page = render_page(log)
    assert "Verdicts that differ between workers" in page
    assert all(worker in page for worker in workers_of(log))


@pytest.mark.long
def test_a_worker_that_joins_takes_part(cluster: Cluster, specs: Path) -> None:
    """It is started as the first one runs a case that waits for another process to have one, too."""
    cluster.add_worker("one")

    def second() -> None:
        wait_for(lambda: list(cluster.folder.glob("process-*")))
        cluster.add_worker("two")

    helper = threading.Thread(target=second)
    helper.start()
    log = run(cluster, specs, driver("waiting_for_two"))
    helper.join()
    assert verdicts(log) == {Verdict.PASS: 12}
    assert len(workers_of(log)) == 2


@pytest.mark.long
def test_a_driver_that_one_worker_lacks(cluster: Cluster, specs: Path) -> None:
    """The other one runs everything, and the user reads why."""
    cluster.add_worker("without")
    (cluster.folder / "with").mkdir()
    (cluster.folder / "with" / "mine.py").write_text(DRIVERS.read_text())
    cluster.add_worker("with")
    said: list[str] = []
    joined(cluster, 2)
    log = run(cluster, specs, Target("python:mine.py:versioned"), said=said)
    assert verdicts(log) == {Verdict.PASS: 12}
    assert len(workers_of(log)) == 1
    assert any("takes no part" in line and "mine.py" in line for line in said)


@pytest.mark.long
def test_a_driver_that_no_worker_has(cluster: Cluster, specs: Path) -> None:
    """An error of the user, with the workers and the reason."""
    cluster.add_worker("one")
    with pytest.raises(SelectorError, match=r"worker tcp://.*mine\.py"):
        run(cluster, specs, Target("python:mine.py:versioned"))


@pytest.mark.long
def test_two_versions_of_a_driver_are_refused(cluster: Cluster, specs: Path) -> None:
    """Before the first case, with both versions named."""
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (cluster.folder / name).mkdir()
        (cluster.folder / name / "version").write_text(version)
        cluster.add_worker(name)
    joined(cluster, 2)
    with pytest.raises(ClusterError, match=r"driver version [12]\.0 instead of [12]\.0"):
        run(cluster, specs, driver("versioned"))
    assert not (cluster.folder / "out" / "run.jsonl").exists()


@pytest.mark.long
def test_another_version_of_the_suite_is_refused(cluster: Cluster, specs: Path) -> None:
    """A worker whose nnvet is older says so, and which it has."""
    preload = cluster.folder / "older.py"
    preload.write_text(
        "from dataclasses import replace\n"
        "from nnvet.conformance.cluster import host\n"
        "own = host.own_identity()\n"
        "host.own_identity = lambda: replace(own, suite='0.0.1')\n"
    )
    cluster.add_worker("one", "--preload", str(preload))
    with pytest.raises(ClusterError, match=r"nnvet 0\.0\.1 instead of"):
        run(cluster, specs, Target("reference"))


@pytest.mark.long
def test_a_worker_that_is_gone_before_its_driver_has_started_is_left_out(cluster: Cluster, specs: Path) -> None:
    """The other one runs everything, and nobody waits for an answer that cannot come."""
    cluster.add_worker("one")
    slow = cluster.add_worker("two")
    joined(cluster, 2)
    (cluster.folder / "two" / "slow").touch()

    def lose() -> None:
        wait_for((cluster.folder / "slow-begun").exists)
        os.killpg(slow.pid, signal.SIGKILL)

    losing = threading.Thread(target=lose)
    losing.start()
    log = run(cluster, specs, driver("slow_to_start"))
    losing.join()
    assert verdicts(log) == {Verdict.PASS: 12}
    assert len(workers_of(log)) == 1


@pytest.mark.long
def test_a_scheduler_that_dies_before_the_first_case_is_said(cluster: Cluster, specs: Path) -> None:
    """The run waits for no answer that cannot come."""
    cluster.add_worker("one")
    joined(cluster, 1)
    (cluster.folder / "one" / "slow").touch()

    def lose() -> None:
        wait_for((cluster.folder / "slow-begun").exists)
        cluster.scheduler.kill()

    losing = threading.Thread(target=lose)
    losing.start()
    with pytest.raises(ClusterError, match="scheduler"):
        run(cluster, specs, driver("slow_to_start"), away_s=2.0)
    losing.join()


@pytest.mark.long
def test_only_workers_with_the_resource_run_cases(cluster: Cluster, specs: Path) -> None:
    """The one without an accelerator gets nothing; without any the user reads how to start one."""
    cluster.add_worker("plain")
    joined(cluster, 1)
    with pytest.raises(ClusterError, match="accelerator=1"):
        run(cluster, specs, Target("reference"), resources=("accelerator=1",), patience_s=0.5)
    cluster.add_worker("fast", "--resources", "accelerator=1")
    (fast,) = joined(cluster, 1, "accelerator=1")
    assert workers_of(run(cluster, specs, Target("reference"), resources=("accelerator=1",))) == {fast}


def test_a_task_for_a_client_that_has_given_up_says_so(cluster: Cluster) -> None:
    """Dask's client gives up by itself, perhaps before the run does; that is no fault of the suite."""
    with open_cluster(cluster.address) as fleet:
        fleet.client.close()
        with pytest.raises(WorkerError, match="scheduler"):
            fleet.submit(len, "four", key="a task")


@pytest.mark.long
def test_a_run_whose_scheduler_dies_goes_on_later(cluster: Cluster, specs: Path) -> None:
    """Cases that had ended are kept, the log is incomplete, and --resume runs the rest and nothing twice."""
    cluster.add_worker("one")
    with pytest.raises(WorkerError, match="scheduler"):
        run(cluster, specs, Target("reference"), watcher=Following(2, cluster.scheduler.kill), away_s=2.0)
    before = read_log(cluster.folder / "out" / "run.jsonl")
    assert before.finished is None
    assert len(before.results) >= 2
    plan = Plan(Target("reference"), cluster.folder / "out", [specs], SYNC, checks=False, resume=True)
    after = execute_plan(plan, RunWatcher())
    assert verdicts(after) == {Verdict.PASS: 12}


@pytest.mark.long
def test_an_interrupted_run_leaves_no_driver_behind(cluster: Cluster, specs: Path) -> None:
    """Ctrl-C in the middle: what had ended is in the log, and the worker has closed the driver."""
    services = partial(running_in, cluster.add_worker("one"), "nnvet.adapters.service.main")
    running: list[psutil.Process] = []

    def interrupt() -> None:
        running.extend(services())
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(cluster, specs, Target("reference"), watcher=Following(2, interrupt))
    log = read_log(cluster.folder / "out" / "run.jsonl")
    assert log.finished is None
    assert verdicts(log)[Verdict.PASS] >= 2
    assert running
    wait_for(lambda: not services())
