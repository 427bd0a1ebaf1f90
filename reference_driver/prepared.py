"""A prepared model and everything that executes it: synchronous, asynchronous, fenced, reusable, burst."""

from __future__ import annotations

import select
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from hal.arguments import boot_time_ns, check_time, deadline_passed
from hal.enums import NO_DEADLINE, ErrorStatus
from hal.errors import HalError, failure, invalid
from hal.interfaces import ExecutionCallback, FencedExecutionResult
from hal.memory import Handle
from hal.types import ExecutionConfig, ExecutionResult, Model, Request, Timing
from hal.validation import validate_request
from reference_driver.compiled import CompiledModel
from reference_driver.executor import Execution
from reference_driver.request_io import declared_outputs, mapped_pools, read_inputs, write_outputs


class ReferencePreparedModel:
    """See :class:`hal.interfaces.PreparedModel`. Executions may run at the same time."""

    def __init__(self, model: Model, compiled: CompiledModel) -> None:
        """Keep the model for validating requests and its compiled form for running."""
        self._model = model
        self._compiled = compiled

    def execute(self, request: Request, config: ExecutionConfig, deadline_ns: int, callback: ExecutionCallback) -> None:
        """Validate, then run on a thread of its own."""
        started = boot_time_ns()
        try:
            self._check(request, config, deadline_ns)
        except HalError as error:
            callback.notify(error.status, (), Timing())
            raise
        threading.Thread(
            target=self._notify, args=(request, config, deadline_ns, callback, started), name="execute", daemon=True
        ).start()

    def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Validate and run."""
        started = boot_time_ns()
        self._check(request, config, deadline_ns)
        return self._run(request, config, deadline_ns, started)

    def execute_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Wait for the fences and run; everything has finished when this returns, so there is no fence."""
        started = boot_time_ns()
        self._check(request, config, deadline_ns, unspecified_outputs=False)
        check_time(duration_ns, "duration", "execution/duration")
        for fence in wait_for:
            wait_for_fence(fence)
        fenced = boot_time_ns()
        limit = deadline_ns if duration_ns == NO_DEADLINE else _earlier(deadline_ns, fenced + duration_ns)
        result = self._run(request, config, limit, started)
        if not result.output_sufficient_size:
            raise failure("an output buffer is too small", "execution/output.insufficient")
        end = boot_time_ns()
        after_fences = Timing(result.timing.time_on_device_ns, end - fenced) if config.measure_timing else Timing()
        return FencedExecutionResult(_FencedInfo(result.timing, after_fences))

    def create_reusable_execution(self, request: Request, config: ExecutionConfig) -> ReferenceExecution:
        """Validate the request now, run it later as often as wanted."""
        self._check(request, config, NO_DEADLINE)
        return ReferenceExecution(self, request, config)

    def configure_execution_burst(self) -> ReferenceBurst:
        """Open a burst."""
        return ReferenceBurst(self)

    def _check(
        self, request: Request, config: ExecutionConfig, deadline_ns: int, *, unspecified_outputs: bool = True
    ) -> None:
        validate_request(request, self._model, unspecified_outputs=unspecified_outputs)
        check_time(deadline_ns, "deadline", "execution/deadline")
        check_time(config.loop_timeout_duration_ns, "loop timeout", "WHILE/timeout")

    def _run(self, request: Request, config: ExecutionConfig, deadline_ns: int, started: int) -> ExecutionResult:
        if deadline_passed(deadline_ns):
            raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline")
        main = self._compiled.main
        with mapped_pools(request) as pools:
            inputs = read_inputs(request, main, pools)
            execution = Execution(self._compiled, deadline_ns, config.loop_timeout_duration_ns)
            on_device = boot_time_ns()
            results = execution.run(inputs, declared_outputs(request, main))
            device_time = boot_time_ns() - on_device
            sufficient, shapes = write_outputs(request, results, pools)
        measured = config.measure_timing and sufficient
        return ExecutionResult(
            sufficient, shapes, Timing(device_time, boot_time_ns() - started) if measured else Timing()
        )

    def _notify(
        self, request: Request, config: ExecutionConfig, deadline_ns: int, callback: ExecutionCallback, started: int
    ) -> None:
        try:
            result = self._run(request, config, deadline_ns, started)
        except HalError as error:
            callback.notify(error.status, (), Timing())
            return
        status = ErrorStatus.NONE if result.output_sufficient_size else ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
        callback.notify(status, result.output_shapes, result.timing)


@dataclass(frozen=True)
class _FencedInfo:
    """Outcome of a fenced execution that finished before it was returned."""

    launched: Timing
    fenced: Timing

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """NONE: failures are raised by the launch."""
        return ErrorStatus.NONE, self.launched, self.fenced


class _OneAtATime:
    """Guard of objects that allow one execution in flight."""

    def __init__(self, prepared: ReferencePreparedModel) -> None:
        self._prepared = prepared
        self._busy = threading.Lock()

    def __enter__(self) -> ReferencePreparedModel:
        if not self._busy.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")
        return self._prepared

    def __exit__(self, *_: object) -> None:
        self._busy.release()


class ReferenceExecution:
    """See :class:`hal.interfaces.Execution`."""

    def __init__(self, prepared: ReferencePreparedModel, request: Request, config: ExecutionConfig) -> None:
        """Keep the arguments."""
        self._guard = _OneAtATime(prepared)
        self._request = request
        self._config = config

    def execute_synchronously(self, deadline_ns: int) -> ExecutionResult:
        """Run with the arguments given at creation."""
        with self._guard as prepared:
            return prepared.execute_synchronously(self._request, self._config, deadline_ns)

    def execute_fenced(self, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int) -> FencedExecutionResult:
        """Run behind fences with the arguments given at creation."""
        with self._guard as prepared:
            return prepared.execute_fenced(self._request, wait_for, self._config, deadline_ns, duration_ns)


class ReferenceBurst:
    """See :class:`hal.interfaces.Burst`."""

    def __init__(self, prepared: ReferencePreparedModel) -> None:
        """Open a burst on a prepared model."""
        self._guard = _OneAtATime(prepared)

    def execute_synchronously(
        self,
        request: Request,
        memory_identifier_tokens: Sequence[int],
        config: ExecutionConfig,
        deadline_ns: int,
    ) -> ExecutionResult:
        """Check the tokens and run."""
        if len(memory_identifier_tokens) != len(request.pools) or any(t < -1 for t in memory_identifier_tokens):
            raise invalid("one memory identifier of at least -1 for each pool", "burst/tokens")
        with self._guard as prepared:
            return prepared.execute_synchronously(request, config, deadline_ns)

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        """Nothing is kept, so there is nothing to release; only the token's range is checked."""
        if memory_identifier_token < -1:
            raise invalid(f"memory identifier {memory_identifier_token}", "burst/tokens")


def wait_for_fence(fence: Handle) -> None:
    """Wait until a fence signals.

    :raises HalError: INVALID_ARGUMENT for an invalid descriptor, GENERAL_FAILURE if the fence has an error.
    """
    if fence.fd < 0:
        raise invalid("a fence has no valid descriptor", "execution/fence")
    poller = select.poll()
    poller.register(fence.fd, select.POLLIN)
    events = poller.poll()
    if any(mask & (select.POLLERR | select.POLLNVAL) for _, mask in events):
        raise failure("a fence is in an error state", "execution/fence")


def _earlier(first: int, second: int) -> int:
    return second if first == NO_DEADLINE else min(first, second)
