"""Scratch memory is given back after idleness, never under an execution, and costs no thread when there is none."""

import gc
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from nnvet.adapters import prepare
from nnvet.conformance.suites.caching.networks import chain
from nnvet.graphs.hal_model import build_model, pack_request
from nnvet.hal.calling import Client
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.types import ExecutionConfig, OperandType, OperationType, Priority
from nnvet.reference_driver import create, limits
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.prepared import ReferencePreparedModel, Watchdog
from nnvet.reference_driver.scheduler import Line, Scheduler


class Clock:
    """Time that only the test moves."""

    now_ns = 0

    def __call__(self) -> int:
        """The time."""
        return self.now_ns


class Owner:
    """Counts how often its scratch memory was freed."""

    def __init__(self, clock: Clock) -> None:
        """Have no executions."""
        self.line = Line(Scheduler(clock=clock), Client("one"), Priority.MEDIUM)
        self.freed = 0

    def free_scratch(self) -> None:
        """Count."""
        self.freed += 1


def test_idleness() -> None:
    """Memory is freed once, after the whole time without an execution; a round says when the next one is due."""
    clock, started = Clock(), list[Callable[[], None]]()
    watchdog = Watchdog(started.append)
    first, second = Owner(clock), Owner(clock)
    for owner in (first, second):
        watchdog.watch(owner)
    assert len(started) == 1
    clock.now_ns = limits.IDLE_NS - 10
    with second.line.turn(NO_DEADLINE):
        assert watchdog.sweep() == 10
    clock.now_ns = limits.IDLE_NS
    assert watchdog.sweep() == limits.IDLE_NS - 10
    assert (first.freed, second.freed) == (1, 0)
    clock.now_ns = 2 * limits.IDLE_NS - 11
    assert watchdog.sweep() == 1
    clock.now_ns += 1
    assert watchdog.sweep() is None
    assert (first.freed, second.freed) == (1, 1)
    watchdog.watch(first)
    assert len(started) == 2


def test_never_under_an_execution() -> None:
    """As long as an execution runs or waits nothing is freed, however long it takes."""
    clock = Clock()
    watchdog = Watchdog(lambda _: None)
    owner = Owner(clock)
    watchdog.watch(owner)
    with owner.line.turn(NO_DEADLINE):
        clock.now_ns = 5 * limits.IDLE_NS
        assert watchdog.sweep() == limits.IDLE_NS
    assert owner.freed == 0


def test_the_thread_ends_with_the_work() -> None:
    """The thread pauses for as long as nothing can be due, and ends when nothing is watched."""
    clock, paused = Clock(), list[float]()
    owner = Owner(clock)
    threads: list[threading.Thread] = []

    def start(work: Callable[[], None]) -> None:
        threads.append(threading.Thread(target=work))

    def pause(seconds: float) -> None:
        paused.append(seconds)
        clock.now_ns += round(seconds * 1e9)

    watchdog = Watchdog(start, pause)
    watchdog.watch(owner)
    (thread,) = threads
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert paused == [limits.IDLE_NS / 1e9]
    assert owner.freed == 1


def test_forgotten_models_are_not_kept() -> None:
    """The watchdog keeps nothing alive."""
    watchdog = Watchdog(lambda _: None)
    owner = Owner(Clock())
    watchdog.watch(owner)
    del owner
    gc.collect()
    assert watchdog.sweep() is None


def test_a_set_that_counts_the_dead() -> None:
    """A collection clears weak references before the set hears of it: nothing is left to watch, and no round fails."""

    class Late(WeakSet[Any]):
        def __len__(self) -> int:
            return 1

    watchdog = Watchdog(start=lambda _: None)
    watchdog._watched = Late()
    assert watchdog.sweep() is None


def test_a_prepared_model_works_on() -> None:
    """Freeing takes away the plans and what kernels keep; the next execution gives the same bits and new plans."""
    test = chain(OperationType.MUL, OperandType.TENSOR_QUANT8_ASYMM, 3)
    prepared = prepare(create(), build_model(test))
    assert isinstance(prepared, ReferencePreparedModel)
    packed = pack_request(test)

    def plans() -> list[int]:
        steps = prepared.compiled.main.operations
        return [len(step.plans) for step in steps if isinstance(step, CompiledOperation)]

    results = []
    for _ in range(2):
        prepared.execute_synchronously(packed.request, ExecutionConfig(), NO_DEADLINE)
        results.append(packed.output_bytes())
        assert plans() == [1, 1, 1]
        prepared.free_scratch()
        assert plans() == [0, 0, 0]
        assert not any(step.memory for step in prepared.compiled.main.operations if isinstance(step, CompiledOperation))
    assert results[0] == results[1] == [bytes([1])]
    packed.close()


def test_the_driver_has_its_models_watched() -> None:
    """A prepared model is watched from its first execution on, and again after each time it was freed."""
    test = chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, 1)
    prepared = prepare(create(), build_model(test))
    assert isinstance(prepared, ReferencePreparedModel)
    watched: list[object] = []

    class Recorder(Watchdog):
        def watch(self, owner: object) -> None:
            watched.append(owner)

    prepared.watchdog = Recorder()
    packed = pack_request(test)
    for expected in (1, 1):
        prepared.execute_synchronously(packed.request, ExecutionConfig(), NO_DEADLINE)
        assert watched == [prepared] * expected
    prepared.free_scratch()
    prepared.execute_synchronously(packed.request, ExecutionConfig(), NO_DEADLINE)
    assert watched == [prepared] * 2
    packed.close()
