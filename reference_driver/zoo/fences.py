"""Planted bugs of fenced executions: in waiting for fences, in signalling them, and in the report of the callback.

Most derive from ``_Fenced``, which has hooks for the fences, the times and the answer of an execution.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from nnvet.driver_kit.base_prepared_model import launch
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, FenceState
from nnvet.hal.fences import create_fence, fence_state, wait_for_fence
from nnvet.hal.interfaces import Device, FencedExecutionCallback, FencedExecutionResult
from nnvet.hal.types import ErrorStatus, ExecutionConfig, Handle, Priority, Request, Timing
from nnvet.reference_driver.fenced import Timings
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_LONG_S: Final = 0.05
"""Pause before an execution, so long that every test sees that there is no result yet."""
_EARLY: Final = (
    "FenceTest/Waits/*",
    "FenceTest/Info/*",
    "FenceTest/Chain",
    "FenceTest/Times/*",
    "FenceTest/DurationAfterFences",
    "FenceTest/Released/*",
)
"""Cases that fail on a driver that does not wait, or whose times show that it did not wait."""

_ORDER: Final = ("TestGpuNnapi/*", "TestTrivialModel/FencedAddThree")
"""Cases that fail if an execution seems to end before the fences that it has to wait for."""

_AFTER_FAILURE: Final = ("FenceTest/ErrorLater/*", "FenceTest/NoTimes/*", "FenceTest/DeadlineWhileWaiting/*")
"""Cases that fail if fence and callback contradict each other after a failure."""

_VALIDATION: Final = ("ValidationTest/Test/zoo_[as]*", "ValidationTest/Test/zoo_fr*")
"""Validation cases of specs that can be executed, with a wait list that contains an invalid fence."""

_WITHOUT_FENCES: Final = (
    *_EARLY[:-1],
    *_AFTER_FAILURE,
    "FenceTest/ErrorBefore/*",
    "FenceTest/BadDescriptor/*",
    "ConcurrencyTest/InFlightReusable",
    *_VALIDATION,
    *_ORDER,
)
"""Cases that fail on a driver that ignores fences."""

Times = tuple[int, int]
"""Deadline and duration."""


class _Fenced(ReferencePreparedModel):
    """The full driver with hooks to change fences, times and the answer of a fenced execution."""

    def launch_fenced(
        self,
        request: Request,
        wait_for: Sequence[Handle],
        config: ExecutionConfig,
        times_ns: Times,
        done: Callable[[], None],
    ) -> FencedExecutionResult:
        """Launch with changed arguments, and change the answer."""
        fences, times = self.given(list(wait_for), times_ns)
        result = super().launch_fenced(request, fences, config, times, done)
        return self.answered(result) if wait_for else result

    def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
        """Return the fences and times that the driver uses instead."""
        return fences, times_ns

    def answered(self, result: FencedExecutionResult) -> FencedExecutionResult:
        """Return the driver's answer to a call that has fences to wait for."""
        return result


@bug(
    "fences-ignored",
    "Executions of priority MEDIUM do not wait for fences.",
    rules=(
        "execution/deadline.status",
        "execution/duration.status",
        "execution/fence",
        "execution/fence.info",
        "execution/fence.order",
        "execution/in_flight",
        "execution/timing",
    ),
    breaks=_WITHOUT_FENCES,
)
def fences_ignored() -> Device:
    """Execute without waiting for fences."""

    class Impatient(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Drop the fences."""
            return [] if self.line.priority == Priority.MEDIUM else fences, times_ns

    return with_prepared_model(Impatient)


@bug(
    "fences-first-only",
    "Executions wait for their first fence alone.",
    rules=(
        "execution/fence",
        "execution/fence.order",
    ),
    breaks=("FenceTest/Waits/*", "FenceTest/ErrorBefore/*", "FenceTest/BadDescriptor/*"),
)
def fences_first_only() -> Device:
    """Wait for the first fence and ignore the others."""

    class Careless(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Keep the first fence alone."""
            return fences[:1], times_ns

    return with_prepared_model(Careless)


@bug(
    "fences-last-only",
    "Executions wait for their last fence alone.",
    rules=("execution/fence.order",),
    breaks=("FenceTest/Waits/*",),
)
def fences_last_only() -> Device:
    """Wait for the last fence and ignore the others."""

    class Hasty(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Keep the last fence alone."""
            return fences[-1:], times_ns

    return with_prepared_model(Hasty)


@bug(
    "fences-broken-taken",
    "A fence in its error state counts as signalled.",
    rules=("execution/fence",),
    breaks=("FenceTest/ErrorBefore/*",),
)
def fences_broken_taken() -> Device:
    """Wait only for active fences, whether or not they end with an error."""

    class Forgiving(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Drop fences in their error state."""
            return [fence for fence in fences if fence_state(fence) is not FenceState.ERROR], times_ns

    return with_prepared_model(Forgiving)


@bug(
    "fences-without-descriptor",
    "A fence without descriptor is skipped.",
    rules=("execution/fence",),
    breaks=("FenceTest/BadDescriptor/*", *_VALIDATION),
)
def fences_without_descriptor() -> Device:
    """Accept fences without a descriptor."""

    class Forgiving(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Drop fences without a descriptor."""
            return [fence for fence in fences if fence_state(fence) is not FenceState.UNKNOWN], times_ns

    return with_prepared_model(Forgiving)


@bug(
    "duration-from-launch",
    "Durations begin with the call.",
    rules=("execution/duration.status",),
    breaks=("FenceTest/DurationAfterFences",),
)
def duration_from_launch() -> Device:
    """Count the duration from the launch."""

    class Early(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Turn the duration into a deadline, if there is none."""
            deadline_ns, duration_ns = times_ns
            if deadline_ns == NO_DEADLINE and duration_ns > 0:
                return fences, (boot_time_ns() + duration_ns, NO_DEADLINE)
            return fences, times_ns

    return with_prepared_model(Early)


@bug(
    "duration-from-launch-beside-deadline",
    "Where a deadline is given, durations begin with the call.",
    rules=("execution/duration.status",),
    breaks=("FenceTest/DurationBesideDeadline",),
)
def duration_from_launch_beside_deadline() -> Device:
    """Count the duration from the launch if there is a deadline as well."""
    return _with_times(lambda deadline_ns, duration_ns: (min(deadline_ns, boot_time_ns() + duration_ns), NO_DEADLINE))


@bug(
    "times-deadline-ignored",
    "Deadlines of executions with a duration are ignored.",
    rules=("execution/duration.first",),
    breaks=("FenceTest/BothTimes/deadline_*",),
)
def times_deadline_ignored() -> Device:
    """Ignore the deadline if there is a duration."""
    return _with_times(lambda _deadline_ns, duration_ns: (NO_DEADLINE, duration_ns))


@bug(
    "times-duration-ignored",
    "Durations of executions with a deadline are ignored.",
    rules=("execution/duration.first",),
    breaks=("FenceTest/BothTimes/duration_*",),
)
def times_duration_ignored() -> Device:
    """Ignore the duration if there is a deadline."""
    return _with_times(lambda deadline_ns, _duration_ns: (deadline_ns, NO_DEADLINE))


@bug(
    "times-last",
    "Of a deadline and a duration the one that ends last applies.",
    rules=("execution/duration.first",),
    breaks=("FenceTest/BothTimes/*",),
)
def times_last() -> Device:
    """Apply the later limit instead of the earlier one."""

    def last(deadline_ns: int, duration_ns: int) -> Times:
        is_deadline = deadline_ns > boot_time_ns() + duration_ns
        return (deadline_ns, NO_DEADLINE) if is_deadline else (NO_DEADLINE, duration_ns)

    return _with_times(last)


def _with_times(change: Callable[[int, int], Times]) -> Device:
    """Make a driver that changes deadline and duration if both are given."""

    class Mistaken(_Fenced):
        def given(self, fences: list[Handle], times_ns: Times) -> tuple[list[Handle], Times]:
            """Change the times."""
            return fences, times_ns if NO_DEADLINE in times_ns else change(*times_ns)

    return with_prepared_model(Mistaken)


class _Changed:
    """A callback that changes the answer of another one."""

    def __init__(self, run: FencedExecutionCallback, change: Callable[..., tuple[ErrorStatus, Timing, Timing]]) -> None:
        self._run = run
        self._change = change

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """See :class:`nnvet.hal.interfaces.FencedExecutionCallback`."""
        return self._change(*self._run.get_execution_info())


def _with_callback(change: Callable[[ErrorStatus, Timing, Timing], tuple[ErrorStatus, Timing, Timing]]) -> Device:
    class Changed(_Fenced):
        def answered(self, result: FencedExecutionResult) -> FencedExecutionResult:
            """Answer with another callback."""
            return FencedExecutionResult(_Changed(result.callback, change), result.sync_fence)

    return with_prepared_model(Changed)


@bug(
    "fence-info-early",
    "The callback says NONE, whether or not the execution has ended.",
    rules=(
        "execution/fence.info",
        "execution/fence.state",
    ),
    breaks=(*_AFTER_FAILURE, "FenceTest/Info/*"),
)
def fence_info_early() -> Device:
    """Report success before the execution has ended."""
    return _with_callback(lambda _, launched, fenced: (ErrorStatus.NONE, launched, fenced))


@bug(
    "fence-times-swapped",
    "Times since launch and since the fence are swapped.",
    rules=("execution/timing",),
    breaks=("FenceTest/Times/*",),
)
def fence_times_swapped() -> Device:
    """Return the two timings in the wrong order."""
    return _with_callback(lambda status, launched, fenced: (status, fenced, launched))


@bug(
    "fence-times-unasked",
    "Times of fenced executions are reported, asked for or not.",
    rules=(
        "execution/fence.info",
        "execution/timing",
    ),
    breaks=("FenceTest/Info/*", "FenceTest/NoTimes/*", "FenceTest/Times/*"),
)
def fence_times_unasked() -> Device:
    """Return times although the client has not asked for them."""
    return _with_callback(lambda status, _launched, _fenced: (status, Timing(1, 2), Timing(1, 2)))


@bug(
    "fence-never-fails",
    "The returned fence signals even if the execution fails.",
    rules=("execution/fence.state",),
    breaks=_AFTER_FAILURE,
)
def fence_never_fails() -> Device:
    """Signal the fence after failed executions, too."""

    class Signals(_Fenced):
        def answered(self, result: FencedExecutionResult) -> FencedExecutionResult:
            """Answer with a fence that has no error state."""
            fence, source = create_fence()
            end = cast("Handle", result.sync_fence)
            launch(lambda: wait_for_fence(end), lambda *_: source.signal())
            return FencedExecutionResult(result.callback, fence)

    return with_prepared_model(Signals)


@bug(
    "fence-at-once",
    "The returned fence has signalled before the execution begins.",
    rules=(
        "execution/duration.status",
        "execution/fence.info",
        "execution/fence.order",
        "execution/fence.state",
        "execution/output.value",
    ),
    breaks=(*_AFTER_FAILURE, *_EARLY, *_ORDER, "PriorityTest/Overtakes", "PriorityTest/OtherClient"),
)
def fence_at_once() -> Device:
    """Return a fence that has signalled already; the callback waits for the end of the execution."""

    class Premature(_Fenced):
        def answered(self, result: FencedExecutionResult) -> FencedExecutionResult:
            """Answer with another fence."""
            fence, source = create_fence()
            source.signal()
            callback = _Blocking(result.callback, cast("Handle", result.sync_fence))
            return FencedExecutionResult(callback, fence)

        def _run_fenced(self, request: Request, wait_for: Sequence[Handle], *rest: Any) -> Timings:
            for fence in wait_for:
                wait_for_fence(fence)
                # Long enough for every test to see that there is no result yet.
                time.sleep(_LONG_S)
            return super()._run_fenced(request, wait_for, *rest)

    return with_prepared_model(Premature)


class _Blocking:
    """A callback that waits for the end of the execution."""

    def __init__(self, run: FencedExecutionCallback, end: Handle) -> None:
        self._run = run
        self._end = end

    def get_execution_info(self) -> tuple[ErrorStatus, Timing, Timing]:
        """See :class:`nnvet.hal.interfaces.FencedExecutionCallback`."""
        wait_for_fence(self._end)
        return self._run.get_execution_info()
