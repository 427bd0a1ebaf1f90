"""Suite ``FenceTest``: fenced executions beyond VTS's FencedComputeTest, which only executes models.

The first half is about fences: waiting for them, their error state, chains of executions. The second half is about
time: the timings that are reported, deadlines, and durations. No check depends on whether a driver returns at once or
blocks until its fences have signalled; both are allowed. :mod:`nnvet.conformance.kit.fenced_runs` launches the
executions; :class:`FencedRun` checks how they end. Deadlines of calls without fences are in
:mod:`nnvet.conformance.suites.quality_of_service.deadlines`.

Source: docs/contract/hal.md 6.2, 6.4, 6.6, 10.4.1, 10.5 and 10.7.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import pairwise
from typing import Final

import numpy as np

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.concurrent_calls import begin, has_returned, result_of
from nnvet.conformance.kit.executing import Executor, FencedEnd, TestConfig, await_fenced_end, await_final_state
from nnvet.conformance.kit.fenced_runs import EXECUTORS, FencedRun, launcher, prepare_fenced_run, small_sum
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.preparing import open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder, endless_loop
from nnvet.graphs.hal_model import create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.memory import close, mapped

_SUITE: Final = "FenceTest"
_LEVEL: Final = 4
"""First feature level (HAL 1.3) with fences."""
_LINKS: Final = 3
"""Executions of a chain."""
_SPACING: Final = 64
"""Bytes from one tensor of the chain to the next in its pool; offsets are aligned to 64 bytes."""


@check(_SUITE, "Signalled", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def signalled(subject: Subject, executor: Executor) -> None:
    """An execution does not wait for fences that have already signalled, even if one is listed twice."""
    with prepare_fenced_run(subject, executor) as run:
        (first, source), (second, other) = create_fence(), create_fence()
        source.signal()
        other.signal()
        run.check_success(run.begin([first, second, first]), "behind fences that have signalled")


@check(_SUITE, "Waits", rules=("execution/fence.order",), level=_LEVEL, parameters=lambda: EXECUTORS)
def waits(subject: Subject, executor: Executor) -> None:
    """Nothing is read, written or signalled before all fences have signalled, in whatever order they do."""
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
    """The callback answers GENERAL_FAILURE until the fence has signalled; then it gives the same answer every time."""
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
            if _info_of(early) != (hal.ErrorStatus.GENERAL_FAILURE, hal.Timing(), hal.Timing()):
                raise fail("execution/fence.info", f"before the fence signals the callback answers {_info_of(early)}")
        first, second = (future.result().callback.get_execution_info() for _ in range(2))
        if first != second:
            raise fail("execution/fence.info", f"the callback answers {first}, then {second}")


def _info_of(
    answer: Future[tuple[hal.ErrorStatus, hal.Timing, hal.Timing]],
) -> tuple[hal.ErrorStatus, hal.Timing, hal.Timing]:
    """Return the callback's answer; an error counts as an answer without times."""
    try:
        return answer.result()
    except HalError as error:
        return error.status, hal.Timing(), hal.Timing()


@check(_SUITE, "Chain", rules=("execution/fence.order", "execution/fence.state"), level=_LEVEL)
def chain(subject: Subject, _: None) -> None:
    """In a chain of three executions each waits for the fence of the previous one, and reads its output from memory."""
    prepared = prepare_test(subject, _build_doubling(), TestConfig(Executor.FENCED))
    pool = create_pool((_LINKS + 1) * _SPACING, ())
    places = [hal.RequestArgument(location=hal.DataLocation(0, link * _SPACING, 8)) for link in range(_LINKS + 1)]
    fence, source = create_fence()

    def launch() -> list[FencedExecutionResult]:
        results: list[FencedExecutionResult] = []
        fences: list[hal.Handle] = [fence]
        for source_place, target_place in pairwise(places):
            request = hal.Request((source_place,), (target_place,), (pool,))
            result = launcher(prepared, request)(fences, hal.NO_DEADLINE, hal.NO_DEADLINE)
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
            end = await_fenced_end(result, subject.timeout_s)
            if end.status is not hal.ErrorStatus.NONE:
                raise fail("execution/status", f"an execution of the chain ends with {end.status.name}")
        with mapped(pool) as view:
            last = np.frombuffer(bytes(view[-_SPACING:]), np.float32, 2).tolist()
    finally:
        close(pool)
    if last != [8.0, 24.0]:
        raise fail("execution/fence.order", f"doubled three times [1, 3] becomes {last}")


def _build_doubling() -> TestModel:
    """Return a model that adds its input to itself."""
    graph, kind = GraphBuilder(), hal.OperandType.TENSOR_FLOAT32
    value = graph.input(kind, (2,), [1, 3])
    output = graph.output(kind, (2,), [2, 6])
    graph.operation(hal.OperationType.ADD, (value, value, graph.scalar(hal.OperandType.INT32, 0)), output)
    return graph.finish("doubling")


@check(
    _SUITE, "ErrorLater", rules=("execution/fence", "execution/fence.state"), level=_LEVEL, parameters=lambda: EXECUTORS
)
def error_later(subject: Subject, executor: Executor) -> None:
    """A fence that goes into its error state fails the execution, whose own fence then fails the next execution."""
    with prepare_fenced_run(subject, executor) as run, prepare_fenced_run(subject, executor) as follower:
        fence, source = create_fence()
        future = run.begin([fence])
        early_fence = run.early_fence(future)
        following = follower.begin([early_fence]) if early_fence is not None else None
        source.fail()
        run.check_failure(future, "execution/fence", "behind a fence that goes into its error state")
        if following is not None:
            follower.check_failure(following, "execution/fence", "behind the fence of an execution that fails")
        run.check_success(run.begin(), "after an execution behind a fence in its error state")


@check(_SUITE, "ErrorBefore", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def error_before(subject: Subject, executor: Executor) -> None:
    """A fence that is already in its error state fails the execution with INVALID_ARGUMENT or GENERAL_FAILURE."""
    fence, source = create_fence()
    source.fail()
    _check_refused(subject, executor, fence, (hal.ErrorStatus.INVALID_ARGUMENT, hal.ErrorStatus.GENERAL_FAILURE))


@check(_SUITE, "BadDescriptor", rules=("execution/fence",), level=_LEVEL, parameters=lambda: EXECUTORS)
def bad_descriptor(subject: Subject, executor: Executor) -> None:
    """A fence without descriptor is an invalid argument. AIDL drivers may find out only when they wait for it."""
    later = (hal.ErrorStatus.GENERAL_FAILURE,) if subject.feature_level > LAST_HIDL_LEVEL else ()
    _check_refused(subject, executor, hal.Handle(-1), (hal.ErrorStatus.INVALID_ARGUMENT, *later))


def _check_refused(
    subject: Subject, executor: Executor, fence: hal.Handle, allowed: tuple[hal.ErrorStatus, ...]
) -> None:
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
    """An execution goes on after its client has released the prepared model and the callback."""
    fence, source = create_fence()
    test = small_sum()
    with open_request(test) as packed:
        future = begin(_launch_and_forget(subject, executor, test, packed.request, fence))
        has_returned(future)
        # The client reports released objects to the service with its next call.
        subject.device.get_feature_level()
        source.signal()
        ended = result_of(future, subject.timeout_s, "execute_fenced")
        if await_final_state(ended, subject.timeout_s, subject.device) is not hal.FenceState.SIGNALED:
            raise fail("execution/status", "an execution whose prepared model has been released fails")
        check_exactly(packed.output_arrays(test.main.outputs), test, "after the prepared model was released")


def _launch_and_forget(
    subject: Subject, executor: Executor, test: TestModel, request: hal.Request, fence: hal.Handle
) -> Callable[[], hal.Handle | None]:
    """Return a function that launches an execution and returns its fence; it keeps the only reference to the model."""
    prepared = prepare_test(subject, test, TestConfig(Executor.FENCED), TestConfig(executor))
    launch = launcher(prepared, request, executor=executor)
    return lambda: launch([fence], hal.NO_DEADLINE, hal.NO_DEADLINE).sync_fence


_LEVEL_OF_SIGNED_TIMES: Final = 5
"""First feature level of AIDL, which alone can send negative times."""
_MISSED: Final = (hal.ErrorStatus.MISSED_DEADLINE_TRANSIENT, hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Statuses of an execution that was ended by a limit of time."""
_MAX_TIME: Final = 2**63 - 1
"""Largest time in nanoseconds that the interfaces can express."""
_SOON_NS: Final = 20_000_000
"""A limit, 20 ms, that ends during a check but not before the driver has begun."""
_DURATION_NS: Final = 1_000_000_000
"""A duration, 1 s, within which any driver executes a sum of two elements."""
_LOOP_TIMEOUT_NS: Final = 500_000_000
"""Loop timeout of endless loops, 0.5 s: the end of an execution whose limits the driver ignores."""
_FAR_NS: Final = 3600 * 1_000_000_000
"""A limit, one hour, that never ends during a check."""
_TRIES: Final = 3
"""Tries of a driver that observes limits, but may be late."""
_FIRST: Final = {"deadline": "duration", "duration": "deadline"}
"""The limit that ends first in a check, and the other limit."""
_ROUNDING_NS: Final = 1000
"""Times of HIDL drivers are rounded up to microseconds."""


@check(
    _SUITE,
    "Times",
    rules=(
        "execution/fence.state",
        "execution/fence.order",
        "execution/timing",
    ),
    level=_LEVEL,
    parameters=lambda: EXECUTORS,
)
def times(subject: Subject, executor: Executor) -> Outcome:
    """Times since the launch include the wait for the fence, times since the fence do not; none exceeds ours."""
    with prepare_fenced_run(subject, executor, config=hal.ExecutionConfig(measure_timing=True)) as run:
        fence, source = create_fence()
        called = boot_time_ns()
        future = run.begin([fence])
        arrived = boot_time_ns() if future.done() else None
        run.check_waiting(future, "the fence has not signalled")
        signal = boot_time_ns()
        source.signal()
        end = run.check_success(future, "behind a fence")
        ended = boot_time_ns()
    for name, timing, longest in (("launched", end.launched, ended - called), ("fenced", end.fenced, ended - signal)):
        _check_times(name, timing, longest)
    launched, fenced = end.launched.time_in_driver_ns, end.fenced.time_in_driver_ns
    if hal.NO_TIMING not in (launched, fenced) and fenced > launched:
        raise fail("execution/timing", f"{fenced} ns since the fence, but {launched} ns since the launch")
    if arrived is not None and launched != hal.NO_TIMING and launched < signal - arrived:
        raise fail(
            "execution/timing", f"{launched} ns since the launch, of which {signal - arrived} ns before the fence"
        )
    return passed(blocks=arrived is None)


def _check_times(name: str, timing: hal.Timing, longest_ns: int) -> None:
    """Check that times are ordered, and that none is longer than the client measured, ``longest_ns``."""
    device, driver = timing.time_on_device_ns, timing.time_in_driver_ns
    if hal.NO_TIMING not in (device, driver) and device > driver:
        raise fail("execution/timing", f"{name}: {device} ns on the device, but {driver} ns in the driver")
    if max(device, driver) > longest_ns + _ROUNDING_NS:
        raise fail("execution/timing", f"{name}: {max(device, driver)} ns, but it took {longest_ns} ns at most")
    if min(device, driver) < hal.NO_TIMING:
        raise fail("execution/timing", f"{name}: {timing} is negative")


@check(
    _SUITE,
    "NoTimes",
    rules=(
        "execution/fence.state",
        "execution/fence.order",
        "execution/timing",
    ),
    level=_LEVEL,
    parameters=lambda: EXECUTORS,
)
def no_times(subject: Subject, executor: Executor) -> None:
    """Times are not reported if the client did not ask for them, or if the execution fails."""
    with prepare_fenced_run(subject, executor) as run:
        _check_none(run.check_success(run.begin(), "without fences"), "not asked for")
        fence, source = create_fence()
        source.signal()
        _check_none(run.check_success(run.begin([fence]), "behind a fence"), "not asked for")
    with prepare_fenced_run(subject, executor, config=hal.ExecutionConfig(measure_timing=True)) as run:
        fence, source = create_fence()
        future = run.begin([fence])
        source.fail()
        _check_none(run.end(future), "after a failure")


def _check_none(end: FencedEnd, when: str) -> None:
    """Check that an execution has reported no times."""
    if (end.launched, end.fenced) != (hal.Timing(), hal.Timing()):
        raise fail("execution/timing", f"times are reported {when}: {end.launched}, {end.fenced}")


@check(
    _SUITE,
    "DeadlineWhileWaiting",
    rules=(
        "execution/fence.state",
        "execution/fence.order",
        "execution/deadline.status",
    ),
    level=_LEVEL,
    parameters=lambda: EXECUTORS,
)
def deadline_while_waiting(subject: Subject, executor: Executor) -> Outcome:
    """A deadline that passes before the fence signals is reported as missed, by a driver that observes deadlines."""
    with prepare_fenced_run(subject, executor) as run:
        fence, source = create_fence()
        future = run.begin([fence], deadline_ns=boot_time_ns() + _SOON_NS)
        early_fence = run.early_fence(future)
        is_kept = future.done() if early_fence is None else _is_over(early_fence)
        source.signal()
        status = run.end(future).status
    allowed = _MISSED if is_kept else (hal.ErrorStatus.NONE, *_MISSED)
    if status not in allowed:
        raise fail("execution/deadline.status", f"the execution ends with {status.name}", status=status.name)
    return passed(ended_by_deadline=is_kept)


def _is_over(fence: hal.Handle) -> bool:
    """Return True if a fence signals, or goes into its error state, within :data:`_DURATION_NS`."""
    return wait_for_fence(fence, boot_time_ns() + _DURATION_NS) is not hal.FenceState.ACTIVE


@check(_SUITE, "UnlimitedTimes", rules=("execution/deadline.status",), level=_LEVEL, parameters=lambda: EXECUTORS)
def unlimited_times(subject: Subject, executor: Executor) -> None:
    """The longest deadline and the longest duration do not overflow."""
    with prepare_fenced_run(subject, executor) as run:
        for deadline_ns, duration_ns in (
            (_MAX_TIME, hal.NO_DEADLINE),
            (hal.NO_DEADLINE, _MAX_TIME),
            (_MAX_TIME, _MAX_TIME),
        ):
            run.check_success(
                run.begin((), deadline_ns, duration_ns), f"deadline {deadline_ns}, duration {duration_ns}"
            )


@check(
    _SUITE,
    "NegativeTimes",
    rules=("execution/deadline", "execution/duration"),
    level=_LEVEL_OF_SIGNED_TIMES,
    parameters=lambda: EXECUTORS,
)
def negative_times(subject: Subject, executor: Executor) -> None:
    """Negative deadlines and durations except -1 are invalid; the execution can be used afterwards."""
    with prepare_fenced_run(subject, executor) as run:
        for rule, deadline_ns, duration_ns in (
            ("execution/deadline", -2, hal.NO_DEADLINE),
            ("execution/duration", hal.NO_DEADLINE, -2),
        ):
            status = run.end(run.begin((), deadline_ns, duration_ns)).status
            if status is not hal.ErrorStatus.INVALID_ARGUMENT:
                raise fail(rule, f"-2 is answered with {status.name}", status=status.name)
        run.check_success(run.begin(), "after negative times")


@check(_SUITE, "DurationAfterFences", rules=("execution/duration.status",), level=_LEVEL)
def duration_after_fences(subject: Subject, _: None) -> None:
    """The duration begins when the last fence has signalled, not when the call is made."""
    _check_begins_with_fences(subject, hal.NO_DEADLINE)


@check(_SUITE, "DurationBesideDeadline", rules=("execution/duration.status",), level=_LEVEL)
def duration_beside_deadline(subject: Subject, _: None) -> None:
    """The duration begins when the last fence has signalled, even if there is a deadline far away as well."""
    _check_begins_with_fences(subject, boot_time_ns() + _FAR_NS)


def _check_begins_with_fences(subject: Subject, deadline_ns: int) -> None:
    """Check that an execution outlives its duration while it waits for a fence, and then succeeds."""
    with prepare_fenced_run(subject, Executor.FENCED) as run:
        fence, source = create_fence()
        due = boot_time_ns() + _DURATION_NS + _SOON_NS
        future = run.begin([fence], deadline_ns, _DURATION_NS)
        early_fence = run.early_fence(future)
        # A driver that blocks has given no fence yet; then this one makes the check wait as long.
        never, _keep = create_fence()
        if wait_for_fence(early_fence or never, due) is not hal.FenceState.ACTIVE:
            raise fail("execution/duration.status", "the execution ends before its fence has signalled")
        source.signal()
        status = run.end(future).status
        if status is not hal.ErrorStatus.NONE:
            raise fail("execution/duration.status", f"the execution ends with {status.name}", status=status.name)
        check_exactly(run.packed.output_arrays(run.test.main.outputs), run.test)


@check(
    _SUITE,
    "BothTimes",
    rules=("execution/deadline.status", "execution/duration.first", "execution/duration.status"),
    level=_LEVEL,
    parameters=lambda: {
        f"{first}_{name}": (first, executor) for first in _FIRST for name, executor in EXECUTORS.items()
    },
)
def both_times(subject: Subject, limit_and_executor: tuple[str, Executor]) -> Outcome:
    """A limit that ends an endless loop alone does so beside a later limit, too; tried for deadline and duration."""
    first, executor = limit_and_executor
    config = hal.ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
    with prepare_fenced_run(subject, executor, endless_loop(), config) as run:
        # A driver need not observe limits. One that does may be late on a busy machine, so it gets several tries.
        if not _is_ended_by(run, first, hal.NO_DEADLINE):
            return passed(kept_alone=False)
        if not any(_is_ended_by(run, first, _FAR_NS) for _ in range(_TRIES)):
            reason = f"a {first} that ends a loop alone does not end it beside a later {_FIRST[first]}"
            raise fail("execution/duration.first", reason)
    return passed(kept_alone=True)


def _is_ended_by(run: FencedRun, first: str, other_ns: int) -> bool:
    """Return True if an endless loop ends before its loop timeout; ``other_ns`` is the later limit, from now on."""
    began = boot_time_ns()
    if first == "deadline":
        times = began + _SOON_NS, other_ns
    else:
        times = hal.NO_DEADLINE if other_ns == hal.NO_DEADLINE else began + other_ns, _SOON_NS
    status = run.end(run.begin((), *times)).status
    if status not in _MISSED:
        raise fail(f"execution/{first}.status", f"the execution ends with {status.name}", status=status.name)
    return boot_time_ns() - began < _LOOP_TIMEOUT_NS


@check(_SUITE, "DurationOver", rules=("execution/duration.status",), level=_LEVEL, parameters=lambda: EXECUTORS)
def duration_over(subject: Subject, executor: Executor) -> Outcome:
    """An endless loop ends with MISSED_DEADLINE by its duration, or at the latest by its loop timeout."""
    config = hal.ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
    began = boot_time_ns()
    with prepare_fenced_run(subject, executor, endless_loop(), config) as run:
        status = run.end(run.begin(duration_ns=_SOON_NS)).status
    if status not in _MISSED:
        raise fail("execution/duration.status", f"the execution ends with {status.name}", status=status.name)
    return passed(ended_by_duration=boot_time_ns() - began < _LOOP_TIMEOUT_NS)
