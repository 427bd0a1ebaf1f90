"""Planted bugs of simultaneous executions: priorities, loop timeouts, times, and requests that are mixed up.

Each function with the decorator :func:`nnvet.reference_driver.zoo.registry.bug` makes one driver. The decorator has the
description of the bug, the rules that it breaks, and the cases that have to find it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.enums import DEFAULT_LOOP_TIMEOUT_DURATION_NS, NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Burst, Device, Execution, ExecutionCallback
from nnvet.hal.memory import mapped
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_MEANWHILE_S: Final = 0.02
"""Pause that is long enough for other executions to begin."""

_LOOPS: Final = (
    "LoopTimeoutTest/InfiniteLoop/*",
    "LoopTimeoutTest/NotBefore/*",
    "LoopTimeoutTest/Default",
    "InfiniteLoopTimeoutTest/*",
)
"""Cases of loop timeouts."""
_AT_ONCE: Final = (
    "ConcurrencyTest/SameModel/*",
    "ConcurrencyTest/SeveralModels",
    "ConcurrencyTest/Preparations",
    "ConcurrencyTest/Shapes",
    "ConsistencyTest/Parallel/*",
    "IsolationTest/AtTheSameTime",
    "TestGenerated/ThreadedSharedCompilation/*",
)
"""Cases with simultaneous executions."""
_HOUR_NS: Final = 3600 * 10**9
"""Nanoseconds of an hour."""

Change = Callable[[hal.ExecutionConfig], hal.ExecutionConfig]
"""Function that changes the configuration of an execution."""


@bug(
    "priorities-ignored",
    "All executions are equal.",
    rules=(),
    breaks=("PriorityTest/Overtakes", "PriorityTest/Interrupts"),
)
def priorities_ignored() -> Device:
    """Treat every model as one of priority MEDIUM."""

    class Equal(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Forget the priority."""
            return super().build(model, replace(config, priority=hal.Priority.MEDIUM))

    return Equal()


@bug(
    "priorities-inverted",
    "Executions of priority LOW go first.",
    rules=(),
    breaks=("PriorityTest/Over*", "PriorityTest/Int*"),
)
def priorities_inverted() -> Device:
    """Exchange the priorities HIGH and LOW."""

    class Inverted(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Mirror the priority."""
            return super().build(model, replace(config, priority=hal.Priority.HIGH - config.priority))

    return Inverted()


def _with_config(change: Change) -> Device:
    class Changed(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Run with another configuration."""
            return super().run(request, change(config), deadline_ns)

    return with_prepared_model(Changed)


@bug(
    "loop-timeout-default",
    "Without a loop timeout a loop has one second.",
    rules=("execution/loop_timeout",),
    breaks=("LoopTimeoutTest/Default",),
)
def loop_timeout_default() -> Device:
    """Halve the default loop timeout."""
    half = DEFAULT_LOOP_TIMEOUT_DURATION_NS // 2
    return _with_config(
        lambda config: (
            replace(config, loop_timeout_duration_ns=half) if config.loop_timeout_duration_ns == NO_DEADLINE else config
        )
    )


@bug(
    "loop-timeout-halved",
    "A loop has half of its timeout.",
    rules=("execution/loop_timeout",),
    breaks=("LoopTimeoutTest/NotBefore/*",),
)
def loop_timeout_halved() -> Device:
    """Halve the requested loop timeout."""
    return _with_config(
        lambda config: (
            replace(config, loop_timeout_duration_ns=config.loop_timeout_duration_ns // 2)
            if config.loop_timeout_duration_ns > 0
            else config
        )
    )


@bug(
    "loop-timeout-for-all",
    "A timeout of 0 fails whatever has no loop.",
    rules=("execution/status",),
    breaks=("LoopTimeoutTest/WithoutLoop/*",),
)
def loop_timeout_for_all() -> Device:
    """Take the loop timeout for a limit of the execution."""

    class Strict(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Run with the loop timeout as the deadline."""
            if config.loop_timeout_duration_ns == 0:
                raise HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, "no time at all", "execution/loop_timeout")
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Strict)


@bug(
    "loop-timeout-status",
    "A loop that takes too long is a GENERAL_FAILURE.",
    rules=("execution/output.insufficient",),
    breaks=_LOOPS,
)
def loop_timeout_status() -> Device:
    """Return the wrong status after a loop timeout."""

    class Vague(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Change the status of the error."""
            try:
                return super().run(request, config, deadline_ns)
            except HalError as error:
                raise failure("something took too long") if error.rule == "WHILE/timeout" else error from error

    return with_prepared_model(Vague)


@bug(
    "times-in-hours",
    "Executions seem to take an hour more.",
    rules=("execution/timing",),
    breaks=("TimingTest/Measured/*", "FenceTest/Times/*"),
)
def times_in_hours() -> Device:
    """Report an hour more of time in the driver."""

    class Slow(ReferencePreparedModel):
        def _run(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
        ) -> hal.ExecutionResult:
            return super()._run(request, config, deadline_ns, started - _HOUR_NS)

    return with_prepared_model(Slow)


@bug(
    "times-after-failure",
    "Times are reported of executions whose outputs do not fit.",
    rules=("execution/timing",),
    breaks=("TimingTest/Insufficient/*[!d]", "DynamicOutputShapeTest/[!f]*_insufficient_measured/*"),
)
def times_after_failure() -> Device:
    """Report times although an output does not fit."""

    class Talkative(ReferencePreparedModel):
        def _run(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
        ) -> hal.ExecutionResult:
            result = super()._run(request, config, deadline_ns, started)
            is_due = config.measure_timing and not result.output_sufficient_size
            return replace(result, timing=hal.Timing(1, 2)) if is_due else result

    return with_prepared_model(Talkative)


class _Unguarded:
    """A burst or reusable execution without a limit of executions in flight."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        """Return the method of a new object, which nobody else uses."""
        return getattr(self._make(), name)


@bug(
    "in-flight-reusable",
    "A reusable execution runs several times at once.",
    rules=("execution/in_flight",),
    breaks=("ConcurrencyTest/InFlightReu*",),
)
def in_flight_reusable() -> Device:
    """Make a new execution for each call, so that nothing is ever busy."""

    class Unguarded(ReferencePreparedModel):
        def create_reusable_execution(self, request: hal.Request, config: hal.ExecutionConfig) -> Execution:
            """Return the object without a limit."""
            make = super().create_reusable_execution
            make(request, config)
            return cast("Execution", _Unguarded(lambda: make(request, config)))

    return with_prepared_model(Unguarded)


@bug(
    "in-flight-burst",
    "A burst runs several executions at once.",
    rules=("execution/in_flight",),
    breaks=("ConcurrencyTest/InFlightBurst",),
)
def in_flight_burst() -> Device:
    """Make a new burst for each call, so that nothing is ever busy."""

    class Unguarded(ReferencePreparedModel):
        def configure_execution_burst(self) -> Burst:
            """Return the object without a limit."""
            return cast("Burst", _Unguarded(super().configure_execution_burst))

    return with_prepared_model(Unguarded)


@bug(
    "requests-mixed-up",
    "Executions at the same time use the request of the last.",
    rules=(
        "execution/concurrent",
        "execution/output.value",
    ),
    breaks=_AT_ONCE,
)
def requests_mixed_up() -> Device:
    """Keep the request in a place that all executions share."""

    class Mixed(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Store the request in a shared place, and read it again after a pause."""
            self.last = request
            time.sleep(_MEANWHILE_S)
            return super().run(self.last, config, deadline_ns)

    return with_prepared_model(Mixed)


@bug(
    "one-at-a-time",
    "A second execution of a model at the same time is refused.",
    rules=(
        "client/interference",
        "execution/concurrent",
        "execution/status",
    ),
    breaks=(
        *_AT_ONCE,
        "PriorityTest/Overtakes",
        "PriorityTest/OtherClient",
        "ValidateBurst/CorruptPosition/results_read",
    ),
)
def one_at_a_time() -> Device:
    """Refuse an execution while another one runs, although a driver may only delay it."""

    class Busy(ReferencePreparedModel):
        def __init__(self, *arguments: Any) -> None:
            """Start without a running execution."""
            super().__init__(*arguments)
            self.busy = threading.Lock()

        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Refuse while another execution runs."""
            if not self.busy.acquire(blocking=False):
                raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, "busy", "execution/busy")
            try:
                time.sleep(_MEANWHILE_S)
                return super().run(request, config, deadline_ns)
            finally:
                self.busy.release()

    return with_prepared_model(Busy)


@bug(
    "async-rounds",
    "The last bit is another one in asynchronous executions.",
    rules=("execution/executors",),
    breaks=("ConsistencyTest/EveryExecutor/zoo_frac*",),
)
def async_rounds() -> Device:
    """Change the last bit, which every tolerance hides, of numbers that are not whole."""

    class Rounding(ReferencePreparedModel):
        def execute(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
        ) -> None:
            """Run as usual, then change the result."""
            altering = _Altering(callback, lambda: _round(self.model, request))
            super().execute(request, config, deadline_ns, altering)

    return with_prepared_model(Rounding)


class _Altering:
    """A callback that does something before it passes a notification on."""

    def __init__(self, callback: ExecutionCallback, act: Callable[[], None]) -> None:
        self._callback = callback
        self._act = act

    def notify(self, status: ErrorStatus, *rest: Any) -> None:
        """See :class:`nnvet.hal.interfaces.ExecutionCallback`."""
        if status is ErrorStatus.NONE:
            self._act()
        self._callback.notify(status, *rest)


def _round(model: hal.Model, request: hal.Request) -> None:
    """Change the last bit of all numbers of the first output that are not whole."""
    place, operand = request.outputs[0].location, model.main.operands[model.main.output_indexes[0]]
    pool = request.pools[place.pool_index]
    if operand.type != hal.OperandType.TENSOR_FLOAT32 or isinstance(pool, hal.BufferToken):
        return
    with mapped(pool) as view:
        values = np.frombuffer(bytes(view[place.offset : place.offset + place.length]), np.float32)
        changed = np.where(values == np.rint(values), values, np.nextafter(values, np.float32(0)))
        view[place.offset : place.offset + place.length] = changed.tobytes()
