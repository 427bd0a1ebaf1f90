"""A prepared model of the bundled driver: it maps the memory of requests and executes them.

The methods of execution come from base classes in ``driver_kit/``; the graph runs in
:mod:`nnvet.reference_driver.executor`. Past executions give a lower estimate of the time of the next one, so that an
execution that would miss its deadline is not started. A model that has not been used for a while releases its scratch
memory.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol
from weakref import WeakSet

from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.diagnostics.vlog import Tag, vlog
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns, check_time
from nnvet.hal.calling import calling_client
from nnvet.hal.errors import HalError
from nnvet.reference_driver import limits
from nnvet.reference_driver.buffers import NO_LOAN, BufferTracker
from nnvet.reference_driver.compiled import CompiledModel
from nnvet.reference_driver.executor import GraphExecution
from nnvet.reference_driver.fenced import FencedModel, Timings
from nnvet.reference_driver.scheduler import Line, Scheduler
from nnvet.reference_driver.transfer import Transfer, transfer_of

_NS_PER_S = 10**9
"""Nanoseconds in a second."""


class Owner(Protocol):
    """A prepared model with scratch memory, which can be released between executions."""

    line: Line

    def free_scratch(self) -> None:
        """Release everything that can be computed again; no execution runs or begins meanwhile."""


def in_background(work: Callable[[], None]) -> None:
    """Start a thread that does not keep the process alive.

    :raises RuntimeError: none can be started.
    """
    threading.Thread(target=work, name="reference-watchdog", daemon=True).start()


class Watchdog:
    """Releases the scratch memory of idle models; it has a thread while any model may have some."""

    def __init__(
        self,
        start: Callable[[Callable[[], None]], None] = in_background,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        """Keep ``start``, which starts the thread, and ``pause``, which it calls with seconds between rounds."""
        self._start = start
        self._pause = pause
        self._lock = threading.Lock()
        self._watched: WeakSet[Owner] = WeakSet()
        self._is_working = False

    def watch(self, owner: Owner) -> None:
        """Have ``owner`` free its scratch memory after ``limits.IDLE_NS`` without an execution."""
        with self._lock:
            self._watched.add(owner)
            if self._is_working:
                return
            self._is_working = True
        try:
            self._start(self._work)
        except RuntimeError:
            # No thread can be started now: the memory stays until another execution can start one.
            with self._lock:
                self._is_working = False

    def sweep(self) -> int | None:
        """Do one round, and return the nanoseconds until the next one is due; None if no model is left."""
        with self._lock:
            idle = []
            for owner in list(self._watched):
                line = owner.line
                idle_ns = line.scheduler.while_idle(line, limits.IDLE_NS, owner.free_scratch)
                if idle_ns < limits.IDLE_NS:
                    idle.append(idle_ns)
                else:
                    self._watched.discard(owner)
            # Not the set's size: for a moment that counts owners which the collector has taken already.
            if not idle:
                self._is_working = False
                return None
            return limits.IDLE_NS - max(idle)

    def _work(self) -> None:
        while (due_ns := self.sweep()) is not None:
            self._pause(due_ns / _NS_PER_S)


WATCHDOG: Final = Watchdog()
"""Watchdog of all devices of this process."""


_RUNS_KEPT = 16
"""Latest durations kept for inputs of equal shapes."""
_SHAPES_KEPT = 16
"""Shapes of inputs for which durations are kept; a bound on memory."""

Shapes = tuple[tuple[int, ...], ...]
"""Dimensions of all inputs of an execution."""


class Estimates:
    """Durations of the latest executions of one prepared model, by the dimensions of the inputs."""

    def __init__(self) -> None:
        """Begin without durations, so that nothing is refused."""
        self._runs: dict[Shapes, tuple[int, ...]] = {}

    def record(self, shapes: Shapes, duration_ns: int) -> None:
        """Record the duration of an execution on inputs of these shapes; only the latest few are kept."""
        runs = self._runs.get(shapes)
        if runs is None:
            if len(self._runs) >= _SHAPES_KEPT:
                self._runs.clear()
            runs = ()
        # Replaced, never changed: other threads may be looking at it.
        self._runs[shapes] = (*runs[1 - _RUNS_KEPT :], duration_ns)

    def check(self, shapes: Shapes, deadline_ns: int, now_ns: int | None = None) -> None:
        """Refuse an execution that would miss the deadline even if it were as fast as the fastest one so far.

        ``now_ns`` is by default the time of the boot clock.

        :raises HalError: MISSED_DEADLINE_PERSISTENT.
        """
        runs = self._runs.get(shapes, ())
        if deadline_ns == hal.NO_DEADLINE or not runs:
            return
        least, left = min(runs), deadline_ns - (boot_time_ns() if now_ns is None else now_ns)
        if least <= left:
            return
        # The time may depend on data: every refusal forgets one run, so that the execution is tried again some time.
        self._runs[shapes] = runs[1:]
        message = f"{left} ns are left, and no execution so far took less than {least} ns"
        raise HalError(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, message, "execution/deadline")


_LOG = Tag.EXECUTION
"""Tag under which each request is logged."""
_NO_TIMES = hal.Timing()
"""Timing of an execution that was not measured."""
_INPUTS = Bucket(Layer.DRIVER, TracePhase.INPUTS_AND_OUTPUTS)
"""Bucket of the trace for mapping memory and reading inputs."""
_RESULTS = Bucket(Layer.DRIVER, TracePhase.RESULTS)
"""Bucket of the trace for writing outputs."""


class ReferencePreparedModel(FencedModel):
    """A :class:`nnvet.hal.interfaces.PreparedModel`. Executions may run at the same time."""

    def __init__(
        self, model: hal.Model, compiled: CompiledModel, buffers: BufferTracker | None = None, line: Line | None = None
    ) -> None:
        """Keep the model for validating requests and its compiled form for running.

        ``buffers`` are the device's; ``line`` is where executions wait for their turn.
        """
        super().__init__(model)
        self.buffers = buffers or BufferTracker()
        self.line = line or Line(Scheduler(), calling_client(), hal.Priority.MEDIUM)
        self.watchdog = WATCHDOG
        self.estimates = Estimates()
        self._has_scratch = False
        self._compiled = compiled
        self._transfer: Transfer | None = None
        self.executed: Callable[[CompiledModel], None] | None = None
        """Function that is called after every successful execution."""

    @property
    def compiled(self) -> CompiledModel:
        """The model with its operations bound to kernels, as executor and cache use it."""
        return self._compiled

    def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
        """Execute a valid request.

        :raises HalError: as the execution fails.
        """
        transfer = self._transfer_for(request)
        vlog(_LOG, "run: %s", request)
        if deadline_ns != hal.NO_DEADLINE:
            self.estimates.check(transfer.shapes, deadline_ns)
        loan = self.buffers.lend(request, self, self.model) if transfer.uses_device_memory else NO_LOAN
        with self.line.turn(deadline_ns) as turn, transfer.pools(request, loan.views) as pools:
            # The device is the executor: its time goes from arguments in memory to results in memory.
            started = turn.now_ns()
            with span(_INPUTS):
                inputs = transfer.read(pools)
            execution = GraphExecution(self._compiled, config.loop_timeout_duration_ns, turn)
            results = execution.run(inputs, transfer.declared_outputs)
            with span(_RESULTS):
                shapes = loan.settle(results, transfer.write(results, pools))
            on_device = turn.now_ns() - started
            if self.executed is not None:
                self.executed(self._compiled)
        self.estimates.record(transfer.shapes, on_device)
        if not self._has_scratch:
            self._has_scratch = True
            self.watchdog.watch(self)
        sufficient = all([shape.is_sufficient for shape in shapes])  # noqa: C419 - generators are slower here
        measured = config.measure_timing and sufficient
        return hal.ExecutionResult(
            sufficient, shapes, hal.Timing(time_on_device_ns=on_device) if measured else _NO_TIMES
        )

    def free_scratch(self) -> None:
        """Release everything that the next execution can compute again; no execution runs meanwhile."""
        self._has_scratch = False
        self._transfer = None
        self._compiled.forget()

    def _transfer_for(self, request: hal.Request) -> Transfer:
        transfer = self._transfer
        if transfer is None or not transfer.fits(request):
            transfer = self._transfer = transfer_of(request, self._compiled.main)
        return transfer

    def _check(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, *, unspecified_outputs: bool = True
    ) -> None:
        known = self._transfer
        if known is not None and known.has_passed(request, config) and unspecified_outputs:
            check_time(deadline_ns, "deadline", "execution/deadline")
            return
        super()._check(request, config, deadline_ns, unspecified_outputs=unspecified_outputs)
        transfer = self._transfer_for(request)
        if transfer.uses_device_memory:
            # A request whose device memory is wrong from the outset is refused before an execution is launched.
            self.buffers.lend(request, self, self.model)
        if unspecified_outputs:
            transfer.has_passed_with = config

    def _run(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
    ) -> hal.ExecutionResult:
        if not self._transfer_for(request).uses_device_memory:
            return super()._run(request, config, deadline_ns, started)
        with self.buffers.filling(request):
            return super()._run(request, config, deadline_ns, started)

    def _run_fenced(
        self,
        request: hal.Request,
        wait_for: Sequence[hal.Handle],
        config: hal.ExecutionConfig,
        times_ns: tuple[int, int],
        started: int,
    ) -> Timings:
        with self.buffers.filling(request):
            return super()._run_fenced(request, wait_for, config, times_ns, started)
