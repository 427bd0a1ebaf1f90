"""FenceTest: fences of executions, beyond what FencedComputeTest executes.

Nothing here depends on whether a driver returns at once or blocks until its fences have signalled.

Source: docs/contract/hal.md 6.2, 6.6, 10.4.1, 10.5 and 10.7.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import pairwise
from typing import Final

import numpy as np

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.concurrent_calls import begin, has_returned, result_of
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.fenced_runs import EXECUTORS, launcher, prepare_fenced_run, small_sum
from nnvet.conformance.engine.fences import end_of_fenced, final_state
from nnvet.conformance.engine.handmade import check_exactly, prepare_test
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.memory import Handle, close, mapped
from nnvet.hal.types import DataLocation, OperandType, OperationType, Request, RequestArgument, Timing

_SUITE: Final = "FenceTest"
_LEVEL: Final = 4
_LINKS: Final = 3
_SPACING: Final = 64


@check(_SUITE, "Signalled", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def signalled(subject: Subject, executor: Executor) -> None:
    """Fences that have signalled before, one of them twice, do not hold an execution up."""
    with prepare_fenced_run(subject, executor) as run:
        (first, source), (second, other) = create_fence(), create_fence()
        source.signal()
        other.signal()
        run.check_success(run.begin([first, second, first]), "behind fences that have signalled")


@check(_SUITE, "Waits", rules=("execution/fence.order",), level=_LEVEL, parameters=lambda: EXECUTORS)
def waits(subject: Subject, executor: Executor) -> None:
    """Nothing is read, written or signalled before the last fence has signalled, whichever that is."""
    with prepare_fenced_run(subject, executor) as run:
        run.write_inputs([100.0, 100.0], [100.0, 100.0])
        fences, (first, middle, last) = zip(*(create_fence() for _ in range(3)), strict=True)
        future = run.begin(fences)
        run.check_waiting(future, "no fence has signalled")
        first.signal()
        run.check_waiting(future, "only the first of three fences has signalled")
        last.signal()
        run.check_waiting(future, "the second of three fences has not signalled")
        run.write_inputs([1.0, 2.0], [3.0, 5.0])
        middle.signal()
        run.check_success(future, "after a producer has replaced the inputs")


@check(_SUITE, "Info", rules=("execution/fence.info",), level=_LEVEL, parameters=lambda: EXECUTORS)
def info(subject: Subject, executor: Executor) -> None:
    """The callback answers GENERAL_FAILURE until the fence has signalled, afterwards the same each time."""
    with prepare_fenced_run(subject, executor) as run:
        fence, source = create_fence()
        future = run.begin([fence])
        early = begin(future.result().callback.get_execution_info) if run.early_fence(future) else None
        answered = early is None or has_returned(early)
        source.signal()
        run.check_success(future, "behind a fence")
        if early is not None:
            if not answered:
                raise fail("execution/fence.info", "getExecutionInfo blocks until the fence has signalled")
            if _info(early) != (ErrorStatus.GENERAL_FAILURE, Timing(), Timing()):
                raise fail("execution/fence.info", f"before the fence signals the callback answers {_info(early)}")
        first, second = (future.result().callback.get_execution_info() for _ in range(2))
        if first != second:
            raise fail("execution/fence.info", f"the callback answers {first}, then {second}")


def _info(answer: Future[tuple[ErrorStatus, Timing, Timing]]) -> tuple[ErrorStatus, Timing, Timing]:
    try:
        return answer.result()
    except HalError as error:
        return error.status, Timing(), Timing()


@check(_SUITE, "Chain", rules=("execution/fence.order", "execution/fence.state"), level=_LEVEL)
def chain(subject: Subject, _: None) -> None:
    """Three executions, each behind the fence of the one before, hand a value on in shared memory."""
    prepared = prepare_test(subject, _doubling(), TestConfig(Executor.FENCED))
    pool = create_pool((_LINKS + 1) * _SPACING, ())
    places = [RequestArgument(location=DataLocation(0, link * _SPACING, 8)) for link in range(_LINKS + 1)]
    fence, source = create_fence()

    def launch() -> list[FencedExecutionResult]:
        results: list[FencedExecutionResult] = []
        fences: list[Handle] = [fence]
        for given, made in pairwise(places):
            result = launcher(prepared, Request((given,), (made,), (pool,)))(fences, NO_DEADLINE, NO_DEADLINE)
            results.append(result)
            fences = [result.sync_fence] if result.sync_fence is not None else []
        return results

    try:
        future = begin(launch)
        has_returned(future)
        with mapped(pool) as view:
            view[:8] = np.array([1, 3], np.float32).tobytes()
        source.signal()
        results = result_of(future, subject.timeout_s, "execute_fenced")
        for result in reversed(results):
            end = end_of_fenced(result, subject.timeout_s)
            if end.status is not ErrorStatus.NONE:
                raise fail("execution/status", f"an execution of the chain ends with {end.status.name}")
        with mapped(pool) as view:
            last = np.frombuffer(bytes(view[-_SPACING:]), np.float32, 2).tolist()
    finally:
        close(pool)
    if last != [8.0, 24.0]:
        raise fail("execution/fence.order", f"doubled three times [1, 3] becomes {last}")


def _doubling() -> TestModel:
    """[1, 3] + [1, 3]."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    value = graph.input(kind, (2,), [1, 3])
    output = graph.output(kind, (2,), [2, 6])
    graph.operation(OperationType.ADD, (value, value, graph.scalar(OperandType.INT32, 0)), output)
    return graph.finish("doubling")


@check(
    _SUITE, "ErrorLater", rules=("execution/fence", "execution/fence.state"), level=_LEVEL, parameters=lambda: EXECUTORS
)
def error_later(subject: Subject, executor: Executor) -> None:
    """A fence that goes into its error state fails the execution, and so does that one's fence the next."""
    with prepare_fenced_run(subject, executor) as run, prepare_fenced_run(subject, executor) as follower:
        fence, source = create_fence()
        future = run.begin([fence])
        given = run.early_fence(future)
        following = follower.begin([given]) if given is not None else None
        source.fail()
        run.check_failure(future, "execution/fence", "behind a fence that goes into its error state")
        if following is not None:
            follower.check_failure(following, "execution/fence", "behind the fence of an execution that fails")
        run.check_success(run.begin(), "after an execution behind a fence in its error state")


@check(_SUITE, "ErrorBefore", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def error_before(subject: Subject, executor: Executor) -> None:
    """A fence that is in its error state already fails the execution: INVALID_ARGUMENT or GENERAL_FAILURE."""
    fence, source = create_fence()
    source.fail()
    _check_refused(subject, executor, fence, (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE))


@check(_SUITE, "BadDescriptor", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def bad_descriptor(subject: Subject, executor: Executor) -> None:
    """A fence without descriptor is an invalid argument; drivers of AIDL may find that out by waiting for it."""
    later = (ErrorStatus.GENERAL_FAILURE,) if subject.feature_level > LAST_HIDL_LEVEL else ()
    _check_refused(subject, executor, Handle(-1), (ErrorStatus.INVALID_ARGUMENT, *later))


def _check_refused(subject: Subject, executor: Executor, fence: Handle, allowed: tuple[ErrorStatus, ...]) -> None:
    """Check how executions behind a bad fence end, and that the next one, without it, succeeds."""
    with prepare_fenced_run(subject, executor) as run:
        good, source = create_fence()
        source.signal()
        for fences in ([fence], [good, fence]):
            status = run.end(run.begin(fences)).status
            if status not in allowed:
                expected = " or ".join(code.name for code in allowed)
                raise fail("execution/fence", f"{status.name}, expected {expected}", status=status.name)
        run.check_success(run.begin([good]), "after a bad fence")


@check(_SUITE, "Released", rules=("execution/fence.order",), level=_LEVEL, parameters=lambda: EXECUTORS)
def released(subject: Subject, executor: Executor) -> None:
    """An execution goes on when its client has forgotten the prepared model and the callback."""
    fence, source = create_fence()
    test = small_sum()
    with open_request(test) as packed:
        future = begin(_launch_and_forget(subject, executor, test, packed.request, fence))
        has_returned(future)
        # The next call carries what has been forgotten.
        subject.device.get_feature_level()
        source.signal()
        ended = result_of(future, subject.timeout_s, "execute_fenced")
        if final_state(ended, subject.timeout_s, subject.device) is not FenceState.SIGNALED:
            raise fail("execution/status", "an execution whose prepared model has been released fails")
        check_exactly(packed.output_arrays(test.main.outputs), test, "after the prepared model was released")


def _launch_and_forget(
    subject: Subject, executor: Executor, test: TestModel, request: Request, fence: Handle
) -> Callable[[], Handle | None]:
    prepared = prepare_test(subject, test, TestConfig(Executor.FENCED), TestConfig(executor))
    launch = launcher(prepared, request, executor=executor)
    return lambda: launch([fence], NO_DEADLINE, NO_DEADLINE).sync_fence
