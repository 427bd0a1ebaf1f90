"""Fenced executions that return at once: a thread waits for the fences, executes, and signals its own fence.

Source: docs/contract/hal.md 10.4.1, 10.5 and 10.7.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from nnvet.driver_kit.arrays import with_kept_memory
from nnvet.driver_kit.base_prepared_model import BasePreparedModel, launch
from nnvet.hal.arguments import boot_time_ns, check_time, deadline_passed
from nnvet.hal.enums import NO_DEADLINE, NO_TIMING, ErrorStatus, FenceState
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.fences import FenceSource, create_fence, fence_state, wait_for_fences
from nnvet.hal.interfaces import Execution, FencedExecutionResult
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Handle, Request, Timing
from nnvet.reference_driver.scheduler import Line

Timings = tuple[Timing, Timing]
"""Timings from the call on, and from the moment when the last fence had signalled."""


class FencedTask:
    """A running fenced execution; it is the client's :class:`nnvet.hal.interfaces.FencedExecutionCallback`."""

    def __init__(self, source: FenceSource, done: Callable[[], None]) -> None:
        """Keep ``done``, which is called at the end, before ``source`` signals the client."""
        self._source = source
        self._done = done
        self._info = (ErrorStatus.GENERAL_FAILURE, Timing(), Timing())
        self._refusal: HalError | None = None

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """Return status and timings; the status is GENERAL_FAILURE until the fence has signalled.

        :raises HalError: GENERAL_FAILURE with the cause if the fence could not be signalled.
        """
        if self._refusal is not None:
            raise self._refusal
        return self._info

    def end(self, status: ErrorStatus, timings: Timings | None) -> None:
        """Publish the outcome: first to the callback, then by signalling or failing the fence."""
        self._info = (status, *(timings or (Timing(), Timing())))
        self._done()
        if status is ErrorStatus.NONE:
            self._source.signal_or_fail(self._refused)
        else:
            self._source.fail()

    def _refused(self, error: OSError) -> None:
        self._refusal = failure(f"the fence cannot be signalled: {error}", "execution/fence")


class FencedModel(BasePreparedModel):
    """Base of prepared models that adds fenced executions which return at once."""

    line: Line

    def execute_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        deadline_ns: int,
        duration_ns: int,
    ) -> FencedExecutionResult:
        """Check the arguments and launch the execution.

        :raises HalError: like :meth:`launch_fenced`.
        """
        return self.launch_fenced(request, wait_for, config, (deadline_ns, duration_ns), lambda: None)

    def create_reusable_execution(self, request: Request, config: ExecutionConfig) -> Execution:
        """Check the arguments once, and return an execution that can run many times.

        :raises HalError: INVALID_ARGUMENT.
        """
        self._check(request, config, NO_DEADLINE)
        return ReusableExecution(self, request, config)

    def launch_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        times_ns: tuple[int, int],
        done: Callable[[], None],
    ) -> FencedExecutionResult:
        """Launch an execution; ``done`` is called at its end. ``times_ns`` are the deadline and the longest duration.

        :raises HalError: INVALID_ARGUMENT for a bad request, negative times and fences that are not valid or in error,
            MISSED_DEADLINE_PERSISTENT if the deadline has passed, GENERAL_FAILURE if nothing can be launched.
        """
        started = boot_time_ns()
        deadline_ns, duration_ns = times_ns
        self._check(request, config, deadline_ns, unspecified_outputs=False)
        check_time(duration_ns, "duration", "execution/duration")
        _check_fences(wait_for)
        if deadline_passed(deadline_ns):
            raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline")
        fence, source = _new_fence()
        run = FencedTask(source, done)
        launch(lambda: self._run_fenced(request, wait_for, config, times_ns, started), run.end)
        return FencedExecutionResult(run, fence)

    def _run_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        times_ns: tuple[int, int],
        started: int,
    ) -> Timings:
        deadline_ns, duration_ns = times_ns
        if wait_for:
            wait_for_fences(wait_for, deadline_ns, self.line.client.departure())
        fenced = boot_time_ns()
        limits = (deadline_ns, fenced + duration_ns if duration_ns != NO_DEADLINE else NO_DEADLINE)
        limit = min((time for time in limits if time != NO_DEADLINE), default=NO_DEADLINE)
        result = self._run(request, config, limit, started)
        if not result.output_sufficient_size:
            raise failure("an output buffer is too small", "execution/output.insufficient")
        launched = result.timing
        if launched.time_in_driver_ns == NO_TIMING:
            return launched, launched
        after_fences = Timing(launched.time_on_device_ns, launched.time_in_driver_ns - (fenced - started))
        return launched, after_fences


class ReusableExecution:
    """A :class:`nnvet.hal.interfaces.Execution`; a fenced run is in flight until its fence has signalled."""

    def __init__(self, prepared: FencedModel, request: Request, config: ExecutionConfig) -> None:
        """Keep the checked arguments."""
        self._prepared = prepared
        self._request = with_kept_memory(request)
        self._config = config
        self._busy = threading.Lock()

    def execute_synchronously(self, deadline_ns: int) -> ExecutionResult:
        """Run with the arguments given at creation."""
        self._begin()
        try:
            return self._prepared.execute_synchronously(self._request, self._config, deadline_ns)
        finally:
            self._busy.release()

    def execute_fenced(self, wait_for: Sequence[Handle], deadline_ns: int, duration_ns: int) -> FencedExecutionResult:
        """Run with the arguments given at creation, once the fences have signalled."""
        self._begin()
        times_ns = (deadline_ns, duration_ns)
        try:
            return self._prepared.launch_fenced(self._request, wait_for, self._config, times_ns, self._busy.release)
        except BaseException:
            self._busy.release()
            raise

    def _begin(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise failure("another execution is in flight", "execution/in_flight")


def _check_fences(fences: Sequence[Handle]) -> None:
    for index, fence in enumerate(fences):
        if fence_state(fence) in (FenceState.UNKNOWN, FenceState.ERROR):
            raise invalid(f"fence {index} is no valid descriptor, or in an error state", "execution/fence")


def _new_fence() -> tuple[Handle, FenceSource]:
    try:
        return create_fence()
    except OSError as error:
        raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, f"no fence: {error}", "execution/busy") from error
