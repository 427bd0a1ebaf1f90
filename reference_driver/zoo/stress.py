"""Planted bugs that show only under load, after a long time, or when clients die; ``nnvet stress`` has to find them.

The last arguments of ``stress_bug`` are the stress test that finds the bug, and the end of that test.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from itertools import count
from typing import Final

from nnvet.hal.calling import Client, calling_client
from nnvet.hal.interfaces import Device
from nnvet.hal.memory import mapped
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.scheduler import Line, Scheduler
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import stress_bug

_EXECUTIONS: Final = 40
"""Number of executions after which the fault shows."""
_PREPARATIONS: Final = 12
"""Number of preparations after which the fault shows."""
_SLOW_LEAK: Final = 16384
"""Approximate number of bytes that each execution leaks."""
_FEW: Final = 4
"""One of this many preparations leaks."""
_SLOWER_S: Final = 1e-4
"""Seconds by which each execution is slower than the one before."""
_NAP_S: Final = 0.002
"""Pause in which another thread can begin an execution."""
_KEPT: Final[list[object]] = []
"""Objects that are never given back."""


def _with_executions(before: Callable[[int], None]) -> Device:
    """Make a driver that calls ``before`` each execution, with the execution's number."""
    numbers = count(1)

    class Counting(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Count the execution, then run it."""
            before(next(numbers))
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Counting)


def _with_preparations(after: Callable[[int, ReferencePreparedModel], None]) -> Device:
    """Make a driver that calls ``after`` each preparation, with its number and the prepared model."""
    numbers = count(1)

    class Counting(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Build the model, then count it."""
            prepared = super().build(model, config)
            after(next(numbers), prepared)
            return prepared

    return Counting()


def _stop_for_ever() -> None:
    threading.Event().wait()


@stress_bug("stress-crash-execution", "The process dies of a late execution.", "InferenceStress", "CRASH")
def crash_execution() -> Device:
    """Crash when the counter of executions overflows."""

    def before(number: int) -> None:
        if number == _EXECUTIONS:
            os.abort()

    return _with_executions(before)


@stress_bug("stress-crash-preparation", "The process dies of a late preparation.", "ModelLoadingStress", "CRASH")
def crash_preparation() -> Device:
    """Crash when the table of models is full."""

    def after(number: int, _: ReferencePreparedModel) -> None:
        if number == _PREPARATIONS:
            os.abort()

    return _with_preparations(after)


@stress_bug("stress-hang-execution", "A late execution does not end.", "InferenceStress", "HANG")
def hang_execution() -> Device:
    """Wait for a message that never comes."""

    def before(number: int) -> None:
        if number == _EXECUTIONS:
            _stop_for_ever()

    return _with_executions(before)


@stress_bug("stress-hang-release", "Letting go of a late model does not end.", "ModelLoadingStress", "HANG")
def hang_release() -> Device:
    """Hang when a model is released."""

    def after(number: int, prepared: ReferencePreparedModel) -> None:
        if number == _PREPARATIONS:
            weakref.finalize(prepared, _stop_for_ever)

    return _with_preparations(after)


@stress_bug("stress-leaks-memory", "Each execution leaves 16 KiB behind.", "LeakSoak/Executions", "FAILURE")
def leaks_memory() -> Device:
    """Keep a record of each execution."""
    return _with_executions(lambda _: _KEPT.append(b"%d" % time.time_ns() * (_SLOW_LEAK // 19)))


@stress_bug("stress-leaks-descriptors", "Every fourth model leaves a descriptor open.", "LeakSoak/Models", "FAILURE")
def leaks_descriptors() -> Device:
    """Leave a descriptor open in a special case."""

    def after(number: int, _: ReferencePreparedModel) -> None:
        if number % _FEW == 0:
            _KEPT.append(os.open(os.devnull, os.O_RDONLY))

    return _with_preparations(after)


@stress_bug("stress-leaks-threads", "Every fourth model leaves a thread behind.", "LeakSoak/Models", "FAILURE")
def leaks_threads() -> Device:
    """Start a thread that never ends."""

    def after(number: int, _: ReferencePreparedModel) -> None:
        if number % _FEW == 0:
            threading.Thread(target=_stop_for_ever, daemon=True).start()

    return _with_preparations(after)


@stress_bug(
    "stress-parallel-answer",
    "Executions that run at the same time spoil each other's results.",
    "ParallelInference/InProcess",
    "FAILURE",
)
def parallel_answer() -> Device:
    """Share one scratch buffer between all executions."""
    lock, running = threading.Lock(), [0]

    class Sharing(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Run, and spoil the first output if another execution was under way."""
            with lock:
                running[0] += 1
            time.sleep(_NAP_S)
            result = super().run(request, config, deadline_ns)
            with lock:
                was_alone = running[0] == 1
                running[0] -= 1
            if not was_alone:
                _spoil(request)
            return result

    return with_prepared_model(Sharing)


def _spoil(request: Request) -> None:
    place = request.outputs[0].location
    pool = request.pools[place.pool_index]
    if not isinstance(pool, BufferToken) and place.length:
        with mapped(pool) as view:
            view[place.offset + place.length - 1] ^= 0x40


@stress_bug(
    "stress-deadlock",
    "A preparation and an execution that meet wait for each other.",
    "MultiProcessModelLoad/0",
    "HANG",
)
def deadlock() -> Device:
    """Take two locks in different orders."""
    models, queue = threading.Lock(), threading.Lock()

    class Ordered(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Take the lock of the queue, then that of the models."""
            with queue:
                time.sleep(_NAP_S)
                with models:
                    return super().run(request, config, deadline_ns)

    class Locking(FullDevice):
        prepared_model = Ordered

        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Take the lock of the models, then that of the queue."""
            with models:
                time.sleep(_NAP_S)
                with queue:
                    return super().build(model, config)

    return Locking()


@stress_bug(
    "stress-degradation",
    "Every execution takes a little longer than the one before.",
    "PerformanceDegradation/OverTime",
    "FAILURE",
)
def degradation() -> Device:
    """Search a growing list at each execution."""
    return _with_executions(lambda number: time.sleep(number * _SLOWER_S))


@stress_bug(
    "stress-dies-with-client",
    "The process dies when a client dies that has prepared a model.",
    "ClientEarlyTermination/Compilation",
    "CRASH",
)
def dies_with_client() -> Device:
    """Die when a client has gone."""

    def after(_: int, prepared: ReferencePreparedModel) -> None:
        client = calling_client()
        weakref.finalize(prepared, lambda: os.abort() if client.has_gone and client.name != "this process" else None)

    return _with_preparations(after)


@stress_bug(
    "stress-ignores-cancellation",
    "What a client had under way goes on when the client has gone.",
    "ClientEarlyTermination/Execution",
    "FAILURE",
)
def ignores_cancellation() -> Device:
    """Go on with the executions of clients that have gone."""
    scheduler = Scheduler(slots=1)

    class Deaf(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Register the model under a client that never leaves."""
            prepared = super().build(model, config)
            prepared.line = Line(scheduler, Client("whoever"), config.priority)
            return prepared

    return Deaf()
