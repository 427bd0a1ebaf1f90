"""Tasks that a driver in Python launches: on threads that are kept, each as if it had a thread of its own."""

import contextvars
import gc
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any, Never

import pytest

from nnvet.driver_kit import base_prepared_model as launching
from nnvet.driver_kit.base_prepared_model import MAX_IDLE, launch, perform
from nnvet.hal.errors import HalError
from nnvet.hal.types import ErrorStatus

PATIENCE_S = 20.0
_colour: contextvars.ContextVar[str] = contextvars.ContextVar("colour", default="none")


class Idle(deque[Any]):
    """Idle threads, beginning with none; counts those that have come."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.came = threading.Semaphore(0)

    def append(self, worker: Any) -> None:
        """Count it."""
        super().append(worker)
        self.came.release()

    def wait(self) -> None:
        """Wait until one more has come."""
        assert self.came.acquire(timeout=PATIENCE_S)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Idle]:
    """The idle threads of the test."""
    workers = Idle()
    monkeypatch.setattr(launching, "_idle", workers)
    yield workers
    # None of them is to wait for ever: with so many idle already, each ends after one more task.
    ours = list(workers)
    workers.extend([None] * MAX_IDLE)
    for worker in ours:
        worker.tasks.put(lambda: None)


class Done:
    """Keeps what was notified."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.outcome: tuple[ErrorStatus, Any] | None = None
        self._came = threading.Event()

    def __call__(self, status: ErrorStatus, result: Any) -> None:
        """Keep it."""
        assert self.outcome is None
        self.outcome = status, result
        self._came.set()

    def wait(self) -> tuple[ErrorStatus, Any]:
        """Return the notification."""
        assert self._came.wait(PATIENCE_S)
        assert self.outcome is not None
        return self.outcome


def test_an_idle_thread_takes_the_next_task(idle: Idle) -> None:
    """Tasks one after the other run on one thread, and not on that of the caller."""
    threads = []
    for _ in range(5):
        done = Done()
        launch(threading.get_ident, done)
        threads.append(done.wait()[1])
        idle.wait()
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


def test_no_task_waits_for_another(idle: Idle) -> None:
    """Tasks that are launched together run together, however many; afterwards, some threads are kept."""
    barrier = threading.Barrier(3 * MAX_IDLE)
    ends = [Done() for _ in range(3 * MAX_IDLE)]
    threads: list[threading.Thread] = []

    def task() -> None:
        threads.append(threading.current_thread())
        barrier.wait(PATIENCE_S)

    for done in ends:
        launch(task, done)
    assert {done.wait() for done in ends} == {(ErrorStatus.NONE, None)}
    for _ in range(MAX_IDLE):
        idle.wait()
    assert len(set(idle)) >= MAX_IDLE
    assert len(set(threads)) == 3 * MAX_IDLE


def test_tasks_have_the_context_of_their_callers(idle: Idle) -> None:
    """A task sees the variables of the context that launched it, and none that an earlier task has set."""

    def task() -> str:
        seen = _colour.get()
        _colour.set("left behind")
        return seen

    seen = []
    for colour in ("red", None, "blue"):
        context = contextvars.copy_context()
        if colour is not None:
            context.run(_colour.set, colour)
        done = Done()
        context.run(launch, task, done)
        seen.append(done.wait()[1])
        idle.wait()
    assert seen == ["red", "none", "blue"]
    assert _colour.get() == "none"


def test_failures_are_notified(idle: Idle, capfd: pytest.CaptureFixture[str]) -> None:
    """Each failure has its status, and its thread serves the next task."""

    def fail_with(error: Exception) -> Never:
        raise error

    found = {}
    for error in (HalError(ErrorStatus.DEVICE_UNAVAILABLE, "", ""), MemoryError(), KeyError("key of the driver")):
        done = Done()
        launch(lambda error=error: fail_with(error), done)  # type: ignore[misc]
        found[type(error)] = done.wait()
        idle.wait()
    assert found == {
        HalError: (ErrorStatus.DEVICE_UNAVAILABLE, None),
        MemoryError: (ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, None),
        KeyError: (ErrorStatus.GENERAL_FAILURE, None),
    }
    assert "key of the driver" in capfd.readouterr().err


def test_idle_threads_keep_nothing(idle: Idle) -> None:
    """An object that a task has made goes when nobody else has it, although the thread stays."""

    class Result:
        pass

    class Forgets:
        result: weakref.ref[Result]

        def __call__(self, status: ErrorStatus, result: Result | None) -> None:
            assert result is not None
            self.result = weakref.ref(result)

    done = Forgets()
    launch(Result, done)
    idle.wait()
    assert done.result() is None


def test_a_notification_that_raises_ends_its_thread(idle: Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in ``done`` is reported like that of any thread, and later tasks run."""
    raised = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: raised.set())

    def broken(*_: object) -> Never:
        raise ArithmeticError

    launch(lambda: None, broken)
    assert raised.wait(PATIENCE_S)
    assert not idle
    done = Done()
    launch(lambda: 5, done)
    assert done.wait() == (ErrorStatus.NONE, 5)
    idle.wait()


def test_without_threads_nothing_is_launched(idle: Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no thread can be started, the caller gets the error, and nobody else."""

    def refuse(_: object) -> Never:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = Done()
    with pytest.raises(HalError, match="can't start new thread") as refused:
        launch(lambda: None, done)
    assert refused.value.status is ErrorStatus.GENERAL_FAILURE
    assert done.outcome is None
    assert not idle


FORKS = """
import os, threading
from nnvet.driver_kit import base_prepared_model as launching
def run():
    done = threading.Event()
    launching.launch(lambda: None, lambda *_: done.set())
    assert done.wait(20)
run()
while not launching._idle:
    pass
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    run()
else:
    run()
    os._exit(0)
"""


def test_a_forked_child_has_threads_of_its_own() -> None:
    """A child takes no idle thread of its parent for its own."""
    subprocess.run((sys.executable, "-c", FORKS), check=True, timeout=60)


def test_a_failed_task_is_forgotten_at_once() -> None:
    """Objects of a failed task, such as a client's memory, are freed at once, without the collector."""

    class Memory:
        """Stands for what a request brings."""

    def fail(held: Memory) -> Never:
        raise HalError(ErrorStatus.GENERAL_FAILURE, f"with {held!r}")

    memory = Memory()
    known, statuses = weakref.ref(memory), list[ErrorStatus]()
    gc.disable()
    try:
        perform(lambda memory=memory: fail(memory), lambda status, _: statuses.append(status))  # type: ignore[misc]
        del memory
        assert known() is None
    finally:
        gc.enable()
    assert statuses == [ErrorStatus.GENERAL_FAILURE]
