"""Effects of one failing call, at the places where it once did harm."""

import contextlib
import errno
import fcntl
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest
from typer.testing import CliRunner

from nnvet.adapters import SelectorError, open_driver
from nnvet.adapters.service.process import ServiceProcess
from nnvet.commands.main import app
from nnvet.conformance.engine import pool, worker_process
from nnvet.conformance.engine.runner import results_in
from nnvet.conformance.kit.concurrent_calls import call_together
from nnvet.hal.enums import FenceState
from nnvet.hal.fences import create_fence, fence_state, wait_for_fence
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import create_ashmem
from nnvet.reference_driver.prepared import Watchdog
from nnvet.reports.log import LogError


def failing(number: int) -> Callable[..., NoReturn]:
    """A function of the system that fails with an error."""

    def fail(*arguments: Any, **named: Any) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


def no_thread(*arguments: Any, **named: Any) -> NoReturn:
    """Raise the error of Python on a system that has no thread left."""
    raise RuntimeError("can't start new thread")


def descriptors() -> set[tuple[int, str]]:
    """Open descriptors with what they stand for; what other tests left open may be closed at any time."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the descriptor that reads the folder, for one
            found.add((int(link.name), str(link.readlink())))
    return found


def sleepers() -> list[int]:
    """Our children that sleep, dead or alive; other tests may have left others."""
    return [child.pid for child in psutil.Process().children() if child.name() == "sleep"]


def test_memory_without_space_leaves_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that cannot get its size is closed again."""
    before = descriptors()
    monkeypatch.setattr(os, "ftruncate", failing(errno.ENOSPC))
    with pytest.raises(OSError, match="No space left"):
        create_ashmem(100)
    assert descriptors() <= before


def test_a_fence_that_cannot_be_signalled_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits is woken; the suite hears why, since its own fence is no fault of the driver's."""
    (heard, loud), (silent, quiet) = create_fence(), create_fence()
    states: list[FenceState] = []
    monkeypatch.setattr(os, "write", failing(errno.EIO))
    with pytest.raises(OSError, match="Input/output error"):
        loud.signal()
    quiet.signal_or_fail(lambda _: states.append(fence_state(silent)))
    assert states == [FenceState.ACTIVE]
    assert {wait_for_fence(heard), wait_for_fence(silent)} == {FenceState.ERROR}


@pytest.mark.parametrize("name", ["pidfd_open", "set_blocking"])
def test_a_service_that_cannot_be_watched_does_not_run(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The process is killed and waited for, and its descriptors are closed."""
    open_before, asleep_before = descriptors(), sleepers()
    monkeypatch.setattr(os, name, failing(errno.EMFILE))
    with pytest.raises(OSError, match="Too many open files"):
        ServiceProcess(["sleep", "1000"], 1, {})
    assert descriptors() <= open_before
    assert sleepers() == asleep_before


def test_a_service_without_a_thread_to_watch_it_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an error of the selector's, which says why."""
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    before = sleepers()
    with pytest.raises(SelectorError, match="can't start new thread"), open_driver("exec:sleep 1000"):
        pass
    assert sleepers() == before


def test_a_driver_of_this_process_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be started, and nothing stays open."""
    before = descriptors()
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with pytest.raises(SelectorError, match="can't start new thread"), open_driver("reference", in_process=True):
        pass
    assert descriptors() <= before


def test_want_of_descriptors_is_no_answer_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no HalError: a case in which a driver has to refuse would take it for the refusal and pass."""

    def preferring(device: Device) -> None:
        device.get_version_string()

    with open_driver("reference", in_process=True) as driver:
        with monkeypatch.context() as patch:
            patch.setattr(socket, "socketpair", failing(errno.EMFILE))
            with pytest.raises(OSError, match="Too many open files"):
                preferring(driver.device)
        preferring(driver.device)
        assert driver.alive


def test_a_folder_that_cannot_be_locked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message names the folder; what goes wrong inside is not taken for a lock of somebody else."""
    with pytest.raises(BlockingIOError), results_in(tmp_path):
        raise BlockingIOError(errno.EAGAIN, "in the run")
    monkeypatch.setattr(fcntl, "flock", failing(errno.ENOLCK))
    with pytest.raises(LogError, match=f"{tmp_path}.*No locks available"), results_in(tmp_path):
        pass


def test_calls_that_get_no_thread_keep_none_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two calls the second has no thread: the first is not left at the barrier."""
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def once(thread: threading.Thread) -> None:
        if started:
            no_thread()
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", once)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        call_together([os.getpid, os.getpid], 1.0, "two calls")
    started[0].join(30)
    assert not started[0].is_alive()


def test_a_watchdog_without_a_thread_tries_again() -> None:
    """An execution does not fail for it, and the next one starts the thread."""
    starts: list[object] = []

    class Owner:
        line = None

    def start(work: Callable[[], None]) -> None:
        starts.append(work)
        if len(starts) == 1:
            no_thread()

    watchdog = Watchdog(start)
    for _ in range(3):
        watchdog.watch(Owner())  # type: ignore[arg-type]
    assert len(starts) == 2


def test_workers_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is one message and exit code 3, and no worker stays."""
    monkeypatch.setattr(worker_process, "ServiceProcess", failing(errno.EAGAIN))
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["run", "-n", "2", "--only", "BasicTest/*", "--out", str(out)])
    assert result.exit_code == 3
    assert "nnvet: a process of the suite cannot be started: " in result.output
    assert os.strerror(errno.EAGAIN) in result.output


def test_fewer_workers_than_are_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If only the first can be started, it does all the work."""
    hired: list[ServiceProcess] = []

    class One(ServiceProcess):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            if hired:
                failing(errno.EAGAIN)()
            super().__init__(*arguments, **named)
            hired.append(self)

    monkeypatch.setattr(worker_process, "ServiceProcess", One)
    result = CliRunner().invoke(app, ["run", "-n", "2", "--only", "BasicTest/*", "--out", str(tmp_path / "out")])
    assert (result.exit_code, len(hired)) == (0, 1), result.output


def test_a_dead_worker_that_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The others do its work."""
    hired: list[ServiceProcess] = []

    class Few(ServiceProcess):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            if len(hired) == 2:
                failing(errno.EMFILE)()
            super().__init__(*arguments, **named)
            hired.append(self)

    monkeypatch.setattr(worker_process, "ServiceProcess", Few)
    handle = pool._Pool.handle

    def killing(self: Any, worker: Any) -> Any:
        if worker.process is hired[0] and hired[0].alive:
            hired[0].kill()
        return handle(self, worker)

    monkeypatch.setattr(pool._Pool, "handle", killing)
    result = CliRunner().invoke(app, ["run", "-n", "2", "--only", "BasicTest/*", "--out", str(tmp_path / "out")])
    assert (result.exit_code, len(hired)) == (0, 2), result.output


def test_a_worker_that_gets_no_orders_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An order that cannot be sent is given to another worker."""
    send = worker_process.Connection.send
    orders: list[object] = []

    def once(self: Any, order: object) -> None:
        orders.append(order)
        if len(orders) == 2:
            failing(errno.ENOBUFS)()
        send(self, order)

    monkeypatch.setattr(worker_process.Connection, "send", once)
    result = CliRunner().invoke(app, ["run", "-n", "2", "--only", "BasicTest/*", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output


def test_a_trace_that_cannot_be_written_at_the_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The run has its log and reports; the message names the trace."""
    monkeypatch.setattr("nnvet.commands.actions.run.write_chrome_trace", failing(errno.ENOSPC))
    out, trace = tmp_path / "out", tmp_path / "trace"
    selection = ["--in-process", "--only", "BasicTest/*", "--out", str(out)]
    result = CliRunner().invoke(app, ["run", "--trace", str(trace), *selection])
    assert result.exit_code == 2
    assert f"{trace} cannot be written: No space left on device" in result.output
    kept = {"run.jsonl", "report.html", "junit.xml", "summary.md", "result.json"}
    assert {path.name for path in out.iterdir()} == kept


def test_the_output_of_a_service_may_be_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its death is noticed all the same."""
    read = os.read
    process = ServiceProcess(["sh", "-c", "read line; echo said; exit 3"], 1, {})

    def broken(descriptor: int, size: int) -> bytes:
        if descriptor == process.output._descriptor:
            failing(errno.EIO)()
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", broken)
    assert process.wait(30)
    assert process.evidence(dead=True).exit_code == 3
