"""Base class of prepared models in Python: every executor of the HAL, built on one method ``compute``.

Asynchronous calls run on threads of a pool; each notifies its client exactly once. Starting a thread costs more than
preparing a small model, so a thread whose task is done waits for another one. A launch never waits for a thread: if
none is idle, one more is started.
"""

from __future__ import annotations

import contextvars
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from nnvet.diagnostics.exceptions import raised, traceback_of
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.driver_kit.arrays import Array, lasting_views, mapped_pools, with_kept_memory
from nnvet.driver_kit.computing import RequestArguments
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns, check_time, deadline_passed
from nnvet.hal.calling import because_of, calling_client
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.fences import wait_for_fences
from nnvet.hal.interfaces import Burst, Execution, ExecutionCallback, FencedExecutionResult
from nnvet.hal.levels import HIGHEST_REQUEST_LEVEL, request_level
from nnvet.hal.validation.request import pool_sizes, validate_arguments

T = TypeVar("T")

MAX_IDLE: Final = 8
"""Number of idle threads that are kept for later launches; further threads end with their task."""
OUT_OF_MEMORY: Final = "the driver is out of memory"
"""Message of a driver whose code raised MemoryError, which is no decision of the driver."""


def launch(task: Callable[[], T], done: Callable[[hal.ErrorStatus, T | None], None]) -> None:
    """Call :func:`perform` on another thread.

    The task serves the same client as the calling thread (:mod:`nnvet.hal.calling`).

    :raises HalError: GENERAL_FAILURE if no thread can be started; ``done`` is not called then.
    """
    context = contextvars.copy_context()
    try:
        worker = _idle.pop()
    except IndexError:
        try:
            worker = _Worker(_idle)
        except RuntimeError as error:
            raise failure(f"the task cannot be launched: {error}", "driver/exception") from error
    worker.tasks.put(lambda: context.run(perform, task, done))


class _Worker:
    """Thread that runs the tasks in its queue one by one, and is listed in ``idle`` between them."""

    def __init__(self, idle: deque[_Worker]) -> None:
        self._idle = idle
        self.tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name="launched", daemon=True).start()

    def _work(self) -> None:
        # An exception of the task ends this thread, and Python reports it like that of any other thread.
        self.tasks.get()()
        while len(self._idle) < MAX_IDLE:
            self._idle.append(self)
            self.tasks.get()()


_idle: Final[deque[_Worker]] = deque()
"""Idle threads. The one that became idle last is taken first, so that the others can sleep."""

# A child of this process has none of its threads.
os.register_at_fork(after_in_child=_idle.clear)


def perform(task: Callable[[], T], done: Callable[[hal.ErrorStatus, T | None], None]) -> None:
    """Run ``task`` in this thread; ``done`` gets NONE and its result, or the status of its failure and None."""
    result, cause = None, None
    try:
        result = task()
    except HalError as error:
        cause = error
    except MemoryError:
        cause = HalError(hal.ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - whatever a driver raises, the client is notified
        sys.stderr.write(f"{traceback_of(error)}\n")
        cause = failure(f"the driver {raised(error)}", "driver/exception")
    try:
        with because_of(cause):
            done(cause.status if cause else hal.ErrorStatus.NONE, result)
    finally:
        # The error's traceback refers to this frame, and so to all objects of the task.
        del cause


_NO_TIMES = hal.Timing()
"""Timing of an execution that was not measured."""
_EXECUTE = Bucket(Layer.DRIVER, TracePhase.EXECUTION)
"""Bucket of the trace that counts the time of whole executions."""


class BasePreparedModel:
    """A prepared model; override :meth:`compute`, or :meth:`run` to see requests instead of arrays.

    Requests that need more than ``feature_level`` (a class attribute, like the device's) are refused.
    """

    feature_level = hal.FeatureLevel.FL8
    copies_inputs = False
    """True if :meth:`compute` may get the client's memory itself: it copies what must not change while it runs."""

    def __init__(self, model: hal.Model) -> None:
        """Keep the model, which the device has validated, to validate requests against."""
        self.model = model
        self._valid: tuple[Any, ...] = (lambda: None, None)
        self._arguments: RequestArguments | None = None

    # Any: None is met only by drivers that take operations with operands that may be omitted.
    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Return the outputs of the main subgraph, in its order; several threads may call.

        Inputs are read-only arrays of their operands' dtypes; scalars have shape (), and None stands for an input
        without value, which all operations that read it can do without. Outputs have the shapes that were computed:
        an output that fits is copied into the client's memory; for one that does not, the size is reported. Elements
        have the operand's dtype, or a dtype all of whose values it can hold (bool for uint8); floats are rounded.

        :raises HalError: as the execution is to fail.
        """
        del inputs
        raise failure(f"{type(self).__name__} has no compute method", "execution/status")

    def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
        """Execute a valid request; the timing, if measured, says how long it took on the device.

        :raises HalError: as the execution is to fail.
        """
        del deadline_ns
        known = self._arguments
        if known is not None and (views := known.lasting(request)):
            return self._computed(known, views, config, looks=self.copies_inputs)
        # Arguments of a request are worth keeping if its memory stays mapped.
        if known is not None and known.are_of(request) and not lasting_views(request):
            with mapped_pools(request, written=known.written) as pools:
                return self._computed(known, pools, config)
        with mapped_pools(request) as pools:
            self._arguments = arguments = RequestArguments(request, self.model.main)
            return self._computed(arguments, pools, config)

    def _computed(
        self,
        arguments: RequestArguments,
        pools: Sequence[memoryview],
        config: hal.ExecutionConfig,
        *,
        looks: bool = False,
    ) -> hal.ExecutionResult:
        values = arguments.look(pools) if looks else arguments.read(pools)
        started = boot_time_ns()
        results = self.compute(values)
        on_device = boot_time_ns() - started
        shapes = arguments.write(pools, results)
        sufficient = all(shape.is_sufficient for shape in shapes)
        timing = hal.Timing(time_on_device_ns=on_device) if config.measure_timing and sufficient else _NO_TIMES
        return hal.ExecutionResult(sufficient, shapes, timing)

    def check_request(self, request: hal.Request, *, unspecified_outputs: bool) -> None:
        """Refuse a request that does not fit the model, before anything else happens.

        ``unspecified_outputs``: dimensions of outputs may be unknown. Override this method if the driver checks
        requests itself; the call raises its error and, if it has a callback, notifies it.

        :raises HalError: INVALID_ARGUMENT with the first broken rule, or for a request of a higher level.
        """
        # Bursts and reusable executions pass the same arguments again and again; what was valid then still is.
        known = self._valid
        if known[0]() is request and known[-1] is unspecified_outputs:
            return
        sizes = pool_sizes(request)
        arguments = (request.inputs, request.outputs, sizes, unspecified_outputs)
        if known[1:] != arguments:
            validate_arguments(request, self.model, sizes, unspecified_outputs=unspecified_outputs)
        if self.feature_level < HIGHEST_REQUEST_LEVEL and request_level(request, self.model) > self.feature_level:
            raise invalid("the request needs a higher feature level", "model/level")
        self._valid = (weakref.ref(request), *arguments)

    def execute(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
    ) -> None:
        """Check the request, then run on a thread and notify once (docs/contract/hal.md 10.4).

        :raises HalError: INVALID_ARGUMENT, also notified; GENERAL_FAILURE if no thread can be started.
        """
        if callback is None:
            raise invalid("the callback is null", "execution/notified_once")
        started = boot_time_ns()
        try:
            self._check(request, config, deadline_ns)
            launch(lambda: self._run(request, config, deadline_ns, started), lambda *end: _notify(callback, *end))
        except HalError as error:
            callback.notify(error.status, (), hal.Timing())
            raise

    def execute_synchronously(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int
    ) -> hal.ExecutionResult:
        """Check and run.

        :raises HalError: INVALID_ARGUMENT, MISSED_DEADLINE_PERSISTENT, or as :meth:`run` fails.
        """
        started = boot_time_ns()
        self._check(request, config, deadline_ns)
        return self._run(request, config, deadline_ns, started)

    def execute_fenced(
        self,
        request: hal.Request,
        wait_for: Sequence[hal.Handle],
        config: hal.ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Wait for the fences, then run; everything has ended when this returns, so no fence is returned.

        Fences of a client that has gone are not awaited, since nobody would ever signal them.

        :raises HalError: like :meth:`execute_synchronously`, and for fences and outputs that are too small.
        """
        started = boot_time_ns()
        self._check(request, config, deadline_ns, unspecified_outputs=False)
        check_time(duration_ns, "duration", "execution/duration")
        if wait_for:
            wait_for_fences(wait_for, deadline_ns, calling_client().departure())
        fenced = boot_time_ns()
        limits = (deadline_ns, fenced + duration_ns if duration_ns != hal.NO_DEADLINE else hal.NO_DEADLINE)
        limit = min((time for time in limits if time != hal.NO_DEADLINE), default=hal.NO_DEADLINE)
        result = self._run(request, config, limit, started)
        if not result.output_sufficient_size:
            raise failure("an output buffer is too small", "execution/output.insufficient")
        # One end for both times: the later start must never seem to have taken longer.
        after_fences = hal.Timing(result.timing.time_on_device_ns, result.timing.time_in_driver_ns - (fenced - started))
        return FencedExecutionResult(_Finished(result.timing, after_fences if config.measure_timing else hal.Timing()))

    def create_reusable_execution(self, request: hal.Request, config: hal.ExecutionConfig) -> Execution:
        """Check the arguments once, and return an execution that can run many times.

        :raises HalError: INVALID_ARGUMENT.
        """
        self._check(request, config, hal.NO_DEADLINE)
        return _BaseExecution(self, request, config)

    def configure_execution_burst(self) -> Burst:
        """Return a burst that executes synchronously, one request at a time, and caches no memory."""
        return _BaseBurst(self)

    def _check(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, *, unspecified_outputs: bool = True
    ) -> None:
        self.check_request(request, unspecified_outputs=unspecified_outputs)
        check_time(deadline_ns, "deadline", "execution/deadline")
        check_time(config.loop_timeout_duration_ns, "loop timeout", "WHILE/timeout")

    def _run(
        self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
    ) -> hal.ExecutionResult:
        if deadline_passed(deadline_ns):
            raise HalError(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline")
        with span(_EXECUTE, "run"):
            result = self.run(request, config, deadline_ns)
        if not config.measure_timing or not result.output_sufficient_size:
            return result
        timing = hal.Timing(result.timing.time_on_device_ns, boot_time_ns() - started)
        return hal.ExecutionResult(True, result.output_shapes, timing)


class _Finished:
    """Outcome of a fenced execution that had finished when it was returned."""

    # No dataclass: on the wire it is an object that stays here, not a value.
    def __init__(self, launched: hal.Timing, fenced: hal.Timing) -> None:
        self._timings = launched, fenced

    def get_execution_info(self) -> tuple[hal.ErrorStatus, hal.Timing, hal.Timing]:
        """Return NONE and both timings: failures are raised by the call that executes."""
        return hal.ErrorStatus.NONE, *self._timings


class _OneAtATime:
    """Lends a prepared model to one execution at a time."""

    def __init__(self, prepared: BasePreparedModel) -> None:
        self._prepared = prepared
        self._busy = threading.Lock()

    def __enter__(self) -> BasePreparedModel:
        if not self._busy.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")
        return self._prepared

    def __exit__(self, *_: object) -> None:
        self._busy.release()


class _BaseExecution:
    """A reusable execution: the arguments are fixed, and a second run is refused while one is in flight."""

    def __init__(self, prepared: BasePreparedModel, request: hal.Request, config: hal.ExecutionConfig) -> None:
        self._shared = _OneAtATime(prepared)
        self._request = with_kept_memory(request)
        self._config = config

    def execute_synchronously(self, deadline_ns: int) -> hal.ExecutionResult:
        """Run with the arguments given at creation."""
        with self._shared as prepared:
            return prepared.execute_synchronously(self._request, self._config, deadline_ns)

    def execute_fenced(
        self, wait_for: Sequence[hal.Handle], deadline_ns: int, duration_ns: int
    ) -> FencedExecutionResult:
        """Run with the arguments given at creation, once the fences have signalled."""
        with self._shared as prepared:
            return prepared.execute_fenced(self._request, wait_for, self._config, deadline_ns, duration_ns)


class _BaseBurst:
    """See :class:`nnvet.hal.interfaces.Burst`; nothing is cached."""

    def __init__(self, prepared: BasePreparedModel) -> None:
        self._prepared = prepared
        self._busy = threading.Lock()

    def execute_synchronously(
        self,
        request: hal.Request,
        memory_identifier_tokens: Sequence[int],
        config: hal.ExecutionConfig,
        deadline_ns: int,
    ) -> hal.ExecutionResult:
        """Check the tokens and run."""
        tokens = memory_identifier_tokens
        if len(tokens) != len(request.pools) or min(tokens, default=0) < -1:
            raise invalid("one memory identifier of at least -1 for each pool", "burst/tokens")
        # Shorter than a ``with`` block: bursts are for small executions.
        if not self._busy.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")
        try:
            return self._prepared.execute_synchronously(request, config, deadline_ns)
        finally:
            self._busy.release()

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Check the token; nothing was kept for it."""
        if memory_identifier_token < -1:
            raise invalid(f"memory identifier {memory_identifier_token}", "burst/tokens")


def _notify(callback: ExecutionCallback, status: hal.ErrorStatus, result: hal.ExecutionResult | None) -> None:
    end = result or hal.ExecutionResult()
    if not end.output_sufficient_size:
        status = hal.ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    callback.notify(status, end.output_shapes, end.timing)
