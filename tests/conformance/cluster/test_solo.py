"""Tasks that have a machine to themselves, on real schedulers and workers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters import SelectorError
from nnvet.conformance.cluster.connect import open_cluster
from nnvet.conformance.cluster.errors import ClusterError
from nnvet.conformance.cluster.solo import SoloResult, SoloTask
from nnvet.conformance.cluster.solo_run import SoloRun
from nnvet.conformance.engine.worker_process import WorkerError
from tests.conformance.cluster import solo_tasks
from tests.conformance.cluster.conftest import Cluster, running_in, wait_for

pytestmark = pytest.mark.long

PROCESS = "nnvet.conformance.cluster.solo_process"


def task(function: Callable[..., Any], *arguments: Any) -> SoloTask:
    """A task under the name of its function."""
    return SoloTask(function.__name__, function, arguments)


@contextmanager
def run_on(cluster: Cluster, number: int, **more: Any) -> Iterator[tuple[SoloRun, list[str]]]:
    """A run on so many workers, which have introduced themselves, and what it says."""
    said: list[str] = []
    with open_cluster(cluster.address, (), said.append) as fleet:
        wait_for(lambda: len(fleet.workers()) == number)
        run = SoloRun(fleet, solo_tasks.has_everything, **more)
        assert run.introduce_workers()
        yield run, said


def values(results: list[SoloResult]) -> list[Any]:
    """Return the answers of the functions."""
    return [result.answer.value if result.answer else None for result in results]


def as_another_machine(cluster: Cluster, name: str) -> None:
    """A worker that takes itself for one of another machine, with locks of its own."""
    folder = cluster.folder / name
    folder.mkdir()
    (folder / "other.py").write_text(
        "from pathlib import Path\n"
        "from nnvet.conformance.cluster import machine, solo_run\n"
        f"machine.LOCKS = Path({str(folder)!r})\n"
        f"solo_run.machine_id = lambda: {name!r}\n"
    )
    cluster.add_worker(name, "--no-nanny", "--preload", "other.py")


def test_two_tasks_never_share_a_machine(cluster: Cluster) -> None:
    """Whichever workers they are given to, also by two runs at once; their results come in order."""
    cluster.add_worker("one", "--no-nanny")
    cluster.add_worker("two", "--no-nanny")
    found: dict[str, list[Any]] = {}

    def run(names: str) -> None:
        with run_on(cluster, 2) as (solo, _):
            tasks = [task(solo_tasks.takes_a_moment, name) for name in names]
            found[names] = values(list(solo.results(tasks)))

    other = threading.Thread(target=run, args=("de",))
    other.start()
    run("abc")
    other.join()
    assert found == {"abc": ["a", "b", "c"], "de": ["d", "e"]}
    spans = sorted(tuple(map(float, mark.read_text().split())) for mark in cluster.folder.glob("mark-*"))
    assert len(spans) == 5
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_machines_work_side_by_side(cluster: Cluster) -> None:
    """Two tasks that wait for each other both end."""
    as_another_machine(cluster, "here")
    as_another_machine(cluster, "there")
    with run_on(cluster, 2) as (run, _):
        results = list(run.results([task(solo_tasks.meets_another, name) for name in "ab"]))
    assert values(results) == [True, True]
    assert len({result.answer.worker for result in results if result.answer}) == 2


def test_a_worker_that_dies_costs_time(cluster: Cluster) -> None:
    """Its task runs again on the other one, and so does the rest."""
    cluster.add_worker("one", "--no-nanny")
    cluster.add_worker("two", "--no-nanny")
    with run_on(cluster, 2) as (run, said):
        tasks = [task(solo_tasks.kills_workers, 1), task(solo_tasks.takes_a_moment, "a")]
        results = list(run.results(tasks))
    assert values(results) == ["lived", "a"]
    (death,) = results[0].deaths
    assert [line for line in said if "died" in line] == [
        f"worker {death['worker']} died of kills_workers: it runs again"
    ]


def test_a_task_that_kills_its_workers_is_given_up(cluster: Cluster) -> None:
    """After two, whether the workers die or the task's own processes; all others end."""
    for name in ("one", "two", "three"):
        cluster.add_worker(name, "--no-nanny")
    with run_on(cluster, 3) as (run, _):
        tasks = [task(solo_tasks.kills_workers, 9), task(solo_tasks.dies), task(solo_tasks.takes_a_moment, "a")]
        deadly, dying, well = run.results(tasks)
    assert deadly.answer is None
    assert len({death["worker"] for death in deadly.deaths}) == 2
    assert dying.answer is None
    assert [death["signal"] for death in dying.deaths] == ["SIGABRT", "SIGABRT"]
    assert values([well]) == ["a"]


def test_workers_that_lack_something(cluster: Cluster) -> None:
    """One without a driver takes no part; one with another version of something ends the run, before any task."""
    for name, mark in (("one", ""), ("two", "without")):
        (cluster.folder / name).mkdir()
        if mark:
            (cluster.folder / name / mark).touch()
        cluster.add_worker(name, "--no-nanny")
    with run_on(cluster, 2) as (run, said):
        assert values(list(run.results([task(solo_tasks.takes_a_moment, "a")]))) == ["a"]
    assert any("takes no part: no such driver here" in line for line in said)
    with pytest.raises(ClusterError, match="has models A instead of B"), run_on(cluster, 2, alike={"models": "B"}):
        pass
    (cluster.folder / "one" / "without").touch()
    with pytest.raises(SelectorError, match="no such driver here"), run_on(cluster, 2):
        pass
    (cluster.folder / "two" / "without").unlink()
    (cluster.folder / "one" / "without").unlink()
    (cluster.folder / "two" / "models").write_text("B")
    with pytest.raises(ClusterError, match=r"models [AB] instead of [AB]"), run_on(cluster, 2):
        pass


def test_an_interrupted_run_leaves_nothing_behind(cluster: Cluster) -> None:
    """Ctrl-C: the process of the task goes with all that it has started; so it does when the client is gone."""
    worker = cluster.add_worker("one", "--no-nanny")

    def interrupt() -> None:
        wait_for((cluster.folder / "staying").exists)
        signal.raise_signal(signal.SIGINT)

    with run_on(cluster, 1) as (run, _):
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            list(run.results([task(solo_tasks.stays)]))
        wait_for(lambda: not running_in(worker, PROCESS) and not running_in(worker, "sleep"))
        assert worker.poll() is None


def test_a_run_whose_scheduler_dies(cluster: Cluster) -> None:
    """Results that are there are passed on, then the run ends as incomplete."""
    worker = cluster.add_worker("one", "--no-nanny")
    kept: list[SoloResult] = []

    def kill() -> None:
        wait_for((cluster.folder / "staying").exists)
        cluster.scheduler.kill()

    with run_on(cluster, 1) as (run, _):
        run.fleet.away_s = 1.0
        threading.Thread(target=kill).start()
        with pytest.raises(WorkerError, match="scheduler"):
            kept.extend(run.results([task(solo_tasks.takes_a_moment, "a"), task(solo_tasks.stays)]))
        assert values(kept) == ["a"]
    wait_for(lambda: worker.poll() is not None or not running_in(worker, PROCESS))


def test_what_a_worker_cannot_do_is_said(cluster: Cluster) -> None:
    """An exception of the task ends the run with its text."""
    cluster.add_worker("one", "--no-nanny")
    with run_on(cluster, 1) as (run, _), pytest.raises(WorkerError, match="FileNotFoundError"):
        list(run.results([task(Path.read_text, cluster.folder / "none")]))
