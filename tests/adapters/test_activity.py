"""Processes looked at through a process table that the test writes, and two real ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnvet.adapters.service.activity import ProcessActivity, state_of

PID = 7
PATIENCE_LOOKS = 100_000


def write_thread(proc: Path, tid: int, state: str, starved_ns: int | None = 0, pid: int = PID) -> None:
    """A thread of a process."""
    folder = proc / str(pid) / "task" / str(tid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stat").write_text(f"{tid} (a ) R name) {state} " + "0 " * 40)
    if starved_ns is not None:
        (folder / "schedstat").write_text(f"1 {starved_ns} 1\n")


def write_process(proc: Path, *times: int, pid: int = PID) -> None:
    """Its processor time in ticks: user and system mode, and those of children waited for."""
    (proc / str(pid)).mkdir(exist_ok=True)
    (proc / str(pid) / "stat").write_text(f"{pid} (x) S " + "0 " * 10 + " ".join(map(str, times)) + " 0" * 30)


def test_times_of_all_processes_are_added(tmp_path: Path) -> None:
    """Those since the first look."""
    write_process(tmp_path, 100, 100, 0, 0)
    write_process(tmp_path, 100, 0, 0, 0, pid=8)
    write_thread(tmp_path, PID, "S", 10**9)
    write_thread(tmp_path, 8, "R", 10**9, pid=8)
    activity = ProcessActivity(lambda: [PID, 8], tmp_path)
    assert activity.look() == (0.0, 0.0, 1)
    write_process(tmp_path, 150, 120, 30, 0)
    write_thread(tmp_path, 8, "S", 3 * 10**9, pid=8)
    assert activity.look() == (pytest.approx(1.0), pytest.approx(2.0), 0)


def test_what_ends_takes_nothing_away(tmp_path: Path) -> None:
    """Neither a thread nor a process; a new thread counts from its beginning."""
    write_process(tmp_path, 500, 0, 0, 0)
    write_thread(tmp_path, PID, "S", 5 * 10**9)
    pids = [PID, 8]
    write_process(tmp_path, 900, 0, 0, 0, pid=8)
    write_thread(tmp_path, 8, "S", pid=8)
    activity = ProcessActivity(lambda: pids, tmp_path)
    activity.look()
    pids.remove(8)
    (tmp_path / str(PID) / "task" / str(PID) / "stat").unlink()
    write_thread(tmp_path, 9, "S", 10**9)
    assert activity.look() == (0.0, pytest.approx(1.0), 0)


def test_a_kernel_without_schedstat_tells_states(tmp_path: Path) -> None:
    """And times."""
    write_process(tmp_path, 0, 0, 0, 0)
    write_thread(tmp_path, PID, "R", None)
    assert ProcessActivity(lambda: [PID], tmp_path).look() == (0.0, 0.0, 1)


def test_nothing_is_seen_of_processes_that_are_not_there(tmp_path: Path) -> None:
    """None is not idle."""
    assert ProcessActivity(lambda: [PID], tmp_path).look() is None


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("SSS", "sleeping"),
        ("SRSSS", "running: 1 of 5 threads"),
        ("RDR", "running: 2 of 3 threads"),
        ("SD", "disk-sleep: 1 of 2 threads"),
        ("TTt", "stopped"),
        ("TS", "sleeping"),
        ("R", "running"),
        ("", "gone"),
    ],
)
def test_the_state_covers_all_threads(tmp_path: Path, states: str, expected: str) -> None:
    """The first thread is not the process."""
    for tid, state in enumerate(states, PID):
        write_thread(tmp_path, tid, state)
    assert state_of([PID], tmp_path) == expected


def test_a_child_that_computes_shows(tmp_path: Path) -> None:
    """Also where the service sleeps; where it is stopped, that is what matters."""
    write_thread(tmp_path, PID, "S")
    write_thread(tmp_path, 8, "R", pid=8)
    assert state_of([PID, 8], tmp_path) == "running: 1 of 2 threads"
    write_thread(tmp_path, PID, "T")
    assert state_of([PID, 8], tmp_path) == "stopped"


@pytest.fixture
def loop() -> Iterator[int]:
    """A process that computes for ever."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        yield process.pid
        process.kill()


def test_a_real_process_is_seen_at_work(loop: int) -> None:
    """On this kernel, by processor time or by waiting for it."""
    activity = ProcessActivity(lambda: [loop])
    for _ in range(PATIENCE_LOOKS):
        seen = activity.look()
        assert seen is not None
        if seen.processor_s + seen.starved_s > 0.05:
            break
    else:
        pytest.fail("a busy process is idle")
