"""A small fenced execution in progress, for the checks of fences; the driver's call may return at once or block.

:func:`prepare_fenced_run` makes the :class:`FencedRun`. Checks that do not look into an execution under way use
:mod:`nnvet.conformance.kit.executing` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nnvet.conformance.kit.concurrent_calls import begin, has_returned, result_of
from nnvet.conformance.kit.executing import Executor, FencedEnd, TestConfig, await_fenced_end, check_active
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.outcome import fail
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import sum_of_two
from nnvet.graphs.hal_model import PackedRequest
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import FencedExecutionResult, PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import ExecutionConfig, Handle, Request, Timing

EXECUTORS: Final = {"plain": Executor.FENCED, "reusable": Executor.REUSABLE}
"""Methods of the HAL that start a fenced execution, by their names in case ids."""

Launch = Callable[[Sequence[Handle], int, int], FencedExecutionResult]
"""Function that launches an execution after fences, with a deadline and a duration in nanoseconds."""


@dataclass(frozen=True)
class FencedRun:
    """A prepared test, with its request and a function that executes it after fences."""

    subject: Subject
    test: TestModel
    packed: PackedRequest
    launch: Launch

    def begin(
        self, fences: Sequence[Handle] = (), deadline_ns: int = NO_DEADLINE, duration_ns: int = NO_DEADLINE
    ) -> Future[FencedExecutionResult]:
        """Launch the execution, and wait a moment, in which the call of a driver that does not block returns."""
        future = begin(lambda: self.launch(fences, deadline_ns, duration_ns))
        has_returned(future)
        return future

    def end(self, future: Future[FencedExecutionResult]) -> FencedEnd:
        """Wait for the outcome; an error of the call is an outcome, too.

        :raises CaseFailed: fence and callback contradict each other.
        :raises DriverHang: there is no outcome in time.
        """
        try:
            result = result_of(future, self.subject.timeout_s, "execute_fenced")
        except HalError as error:
            return FencedEnd(error.status, Timing(), Timing())
        return await_fenced_end(result, self.subject.timeout_s)

    def early_fence(self, future: Future[FencedExecutionResult]) -> Handle | None:
        """Return the fence of a call that has returned; None if it has not returned, or has failed."""
        if not future.done() or future.exception() is not None:
            return None
        return future.result().sync_fence

    def check_success(self, future: Future[FencedExecutionResult], when: str) -> FencedEnd:
        """Check that an execution succeeds with exact results, and return its times."""
        end = self.end(future)
        if end.status is not ErrorStatus.NONE:
            raise fail("execution/status", f"{when}: {end.status.name}", status=end.status.name)
        check_exactly(self.packed.output_arrays(self.test.main.outputs), self.test, when)
        return end

    def check_failure(self, future: Future[FencedExecutionResult], rule: str, when: str) -> None:
        """Check that an execution fails, with any error."""
        if self.end(future).status is ErrorStatus.NONE:
            raise fail(rule, f"{when}: the execution succeeds")

    def check_waiting(self, future: Future[FencedExecutionResult], when: str) -> None:
        """Check that an execution has neither ended nor written anything.

        :raises CaseFailed: it has done so.
        """
        if future.done():
            check_active(_result_at_once(future, when).sync_fence, when)
        if any(any(data) for data in self.packed.output_bytes()):
            raise fail("execution/fence.order", f"{when}: outputs are written")

    def write_inputs(self, *inputs: Any) -> None:
        """Replace the inputs, like a producer that signals a fence afterwards."""
        with mapped(self.packed.input_pool) as view:
            for argument, value in zip(self.packed.request.inputs, inputs, strict=True):
                data = np.asarray(value, np.float32).tobytes()
                view[argument.location.offset : argument.location.offset + len(data)] = data


@contextmanager
def prepare_fenced_run(
    subject: Subject, executor: Executor, test: TestModel | None = None, config: ExecutionConfig | None = None
) -> Iterator[FencedRun]:
    """Prepare a test, by default a sum of two small tensors, for executions after fences within the block.

    :raises CaseFailed: the driver does not support it.
    """
    test = test or small_sum()
    prepared = prepare_test(subject, test, TestConfig(Executor.FENCED), TestConfig(executor))
    with open_request(test) as packed:
        yield FencedRun(subject, test, packed, launcher(prepared, packed.request, config, executor))


def launcher(
    prepared: PreparedModel,
    request: Request,
    config: ExecutionConfig | None = None,
    executor: Executor = Executor.FENCED,
) -> Launch:
    """Return a function of fences, deadline and duration that executes a request."""
    config = config or ExecutionConfig()
    if executor is Executor.REUSABLE:
        return prepared.create_reusable_execution(request, config).execute_fenced
    return lambda fences, deadline_ns, duration_ns: prepared.execute_fenced(
        request, fences, config, deadline_ns, duration_ns
    )


def small_sum(first: float = 1.0) -> TestModel:
    """Return the test [first, 2] + [3, 5], for a whole number."""
    return sum_of_two("small_sum", [first, 2.0], [3.0, 5.0], [first + 3.0, 7.0])


def _result_at_once(future: Future[FencedExecutionResult], when: str) -> FencedExecutionResult:
    """Return the driver's answer to a call that has returned.

    :raises CaseFailed: the call has failed.
    """
    try:
        return future.result()
    except HalError as error:
        raise fail("execution/status", f"{when}: the call fails: {error}", status=error.status.name) from error
