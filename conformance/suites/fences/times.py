"""FenceTest: what fenced executions say of their times, and how deadlines and durations bound them.

Source: docs/contract/hal.md 6.4, 6.6, 10.4.1 and 10.5.
"""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor
from nnvet.conformance.engine.fenced_runs import EXECUTORS, prepare_fenced_run
from nnvet.conformance.engine.fences import FencedEnd
from nnvet.conformance.engine.handmade import check_exactly
from nnvet.conformance.engine.outcome import Outcome, fail, passed
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.small_models import endless_loop
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, NO_TIMING, ErrorStatus, FenceState
from nnvet.hal.fences import create_fence, wait_for_fence
from nnvet.hal.memory import Handle
from nnvet.hal.types import ExecutionConfig, Timing

_SUITE: Final = "FenceTest"
_LEVEL: Final = 4
_LEVEL_OF_SIGNED_TIMES: Final = 5
_MISSED: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
_MAX_TIME: Final = 2**63 - 1
_SOON_NS: Final = 20_000_000
_DURATION_NS: Final = 1_000_000_000
_LOOP_TIMEOUT_NS: Final = 500_000_000
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
    with prepare_fenced_run(subject, executor, config=ExecutionConfig(measure_timing=True)) as run:
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
    if NO_TIMING not in (launched, fenced) and fenced > launched:
        raise fail("execution/timing", f"{fenced} ns since the fence, but {launched} ns since the launch")
    if arrived is not None and launched != NO_TIMING and launched < signal - arrived:
        raise fail(
            "execution/timing", f"{launched} ns since the launch, of which {signal - arrived} ns before the fence"
        )
    return passed(blocks=arrived is None)


def _check_times(name: str, timing: Timing, longest_ns: int) -> None:
    device, driver = timing.time_on_device_ns, timing.time_in_driver_ns
    if NO_TIMING not in (device, driver) and device > driver:
        raise fail("execution/timing", f"{name}: {device} ns on the device, but {driver} ns in the driver")
    if max(device, driver) > longest_ns + _ROUNDING_NS:
        raise fail("execution/timing", f"{name}: {max(device, driver)} ns, but it took {longest_ns} ns at most")
    if min(device, driver) < NO_TIMING:
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
    """Times are not reported if nobody asks, or if the execution fails."""
    with prepare_fenced_run(subject, executor) as run:
        _check_none(run.check_success(run.begin(), "without fences"), "not asked for")
        fence, source = create_fence()
        source.signal()
        _check_none(run.check_success(run.begin([fence]), "behind a fence"), "not asked for")
    with prepare_fenced_run(subject, executor, config=ExecutionConfig(measure_timing=True)) as run:
        fence, source = create_fence()
        future = run.begin([fence])
        source.fail()
        _check_none(run.end(future), "after a failure")


def _check_none(end: FencedEnd, when: str) -> None:
    if (end.launched, end.fenced) != (Timing(), Timing()):
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
    """A deadline that passes before the fence signals is missed, if it is kept at all; that need not be soon."""
    with prepare_fenced_run(subject, executor) as run:
        fence, source = create_fence()
        future = run.begin([fence], deadline_ns=boot_time_ns() + _SOON_NS)
        given = run.early_fence(future)
        is_kept = future.done() if given is None else _is_over(given)
        source.signal()
        status = run.end(future).status
    allowed = _MISSED if is_kept else (ErrorStatus.NONE, *_MISSED)
    if status not in allowed:
        raise fail("execution/deadline.status", f"the execution ends with {status.name}", status=status.name)
    return passed(ended_by_deadline=is_kept)


def _is_over(fence: Handle) -> bool:
    return wait_for_fence(fence, boot_time_ns() + _DURATION_NS) is not FenceState.ACTIVE


@check(_SUITE, "UnlimitedTimes", rules=("execution/deadline.status",), level=_LEVEL, parameters=lambda: EXECUTORS)
def unlimited_times(subject: Subject, executor: Executor) -> None:
    """The longest deadline and the longest duration do not overflow."""
    with prepare_fenced_run(subject, executor) as run:
        for deadline_ns, duration_ns in ((_MAX_TIME, NO_DEADLINE), (NO_DEADLINE, _MAX_TIME), (_MAX_TIME, _MAX_TIME)):
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
    """Negative deadlines and durations, but for -1, are invalid; the execution can then be used."""
    with prepare_fenced_run(subject, executor) as run:
        for rule, deadline_ns, duration_ns in (
            ("execution/deadline", -2, NO_DEADLINE),
            ("execution/duration", NO_DEADLINE, -2),
        ):
            status = run.end(run.begin((), deadline_ns, duration_ns)).status
            if status is not ErrorStatus.INVALID_ARGUMENT:
                raise fail(rule, f"-2 is answered with {status.name}", status=status.name)
        run.check_success(run.begin(), "after negative times")


@check(_SUITE, "DurationAfterFences", rules=("execution/duration.status",), level=_LEVEL)
def duration_after_fences(subject: Subject, _: None) -> None:
    """The duration begins when the last fence has signalled, not when the call is made."""
    with prepare_fenced_run(subject, Executor.FENCED) as run:
        fence, source = create_fence()
        due = boot_time_ns() + _DURATION_NS + _SOON_NS
        future = run.begin([fence], duration_ns=_DURATION_NS)
        given = run.early_fence(future)
        never, _keep = create_fence()
        if wait_for_fence(given or never, due) is not FenceState.ACTIVE:
            raise fail("execution/duration.status", "the execution ends before its fence has signalled")
        source.signal()
        status = run.end(future).status
        if status is not ErrorStatus.NONE:
            raise fail("execution/duration.status", f"the execution ends with {status.name}", status=status.name)
        check_exactly(run.packed.output_arrays(run.test.main.outputs), run.test)


@check(_SUITE, "DurationOver", rules=("execution/duration.status",), level=_LEVEL, parameters=lambda: EXECUTORS)
def duration_over(subject: Subject, executor: Executor) -> Outcome:
    """A loop without end is ended by its duration, or at the latest by its loop timeout, with MISSED_DEADLINE."""
    config = ExecutionConfig(loop_timeout_duration_ns=_LOOP_TIMEOUT_NS)
    began = boot_time_ns()
    with prepare_fenced_run(subject, executor, endless_loop(), config) as run:
        status = run.end(run.begin(duration_ns=_SOON_NS)).status
    if status not in _MISSED:
        raise fail("execution/duration.status", f"the execution ends with {status.name}", status=status.name)
    return passed(ended_by_duration=boot_time_ns() - began < _LOOP_TIMEOUT_NS)
