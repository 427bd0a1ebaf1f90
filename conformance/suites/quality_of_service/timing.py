"""Suites ``TimingTest`` and ``PersistentTest``: times that executions report, and calls that must never succeed later.

TimingTest: fenced executions have two pairs of times, which FenceTest checks (:mod:`nnvet.conformance.suites.fences`).
Source: docs/contract/hal.md 6.4 and 10.4; docs/contract/cts-tests.md 2.13 and 4.3.

PersistentTest repeats calls that were answered with a PERSISTENT status. :mod:`nnvet.transport.wire.failures` notices
if such a call later succeeds, in every case of every suite; the cases here make calls that may get these statuses. Not
in VTS. Source: docs/contract/hal.md 6.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nnvet.adapters.calls import prepare
from nnvet.conformance.kit import executing
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.handmade import check_test, prepare_test
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.networks import chain
from nnvet.graphs.builder import counting_loop, endless_loop, sum_of_two
from nnvet.graphs.editor import with_unknown_output_dimensions
from nnvet.graphs.model import TestModel
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.types import NO_TIMING, ErrorStatus, OperandType, OperationType, PrepareModelConfig, Timing
from nnvet.transport.wire.failures import CONTRADICTION

_SUITE: Final = "TimingTest"
_LEVEL: Final = 3
"""First feature level (HAL 1.2) with measured times."""
_LOOP_LEVEL: Final = 4
"""First feature level (HAL 1.3) with loops, whose timeout makes an execution fail."""
_RUNS: Final = 5
"""Executions of each check."""
_ROUNDS: Final = 3
"""Rounds of a loop that ends by itself."""
_LOOP_TIMEOUT_NS: Final = 1_000_000
"""Timeout of an endless loop, 1 ms."""
_ROUNDING_NS: Final = 1000
"""Times of HIDL drivers are rounded up to microseconds."""


def _build_chain() -> TestModel:
    """Return a chain of additions, so that an execution takes a measurable time."""
    return chain(OperationType.ADD, OperandType.TENSOR_FLOAT32)


def _execute_timed(
    subject: Subject, test: TestModel, config: executing.TestConfig
) -> list[tuple[executing.Answer, int]]:
    """Return answers to executions, each with the nanoseconds measured here; answers of one call share them."""
    prepared = prepare_test(subject, test, config)
    answers: list[tuple[executing.Answer, int]] = []
    with executing.arguments_for(test, config, subject.device, prepared) as arguments:
        for _ in range(_RUNS):
            began = boot_time_ns()
            together = executing.execute(prepared, arguments.request, config, subject.timeout_s)
            answers += [(answer, boot_time_ns() - began) for answer in together]
    return answers


@check(_SUITE, "Measured", rules=("execution/timing",), level=_LEVEL, parameters=lambda: executing.EXECUTORS)
def measured(subject: Subject, executor: executing.Executor) -> Outcome:
    """Times are unknown, or the time on the device is at most that in the driver, and this at most the suite's."""
    test, config = _build_chain(), executing.TestConfig(executor, measure=True)
    known = 0
    check_test(subject, test, config)
    for answer, longest in _execute_timed(subject, test, config):
        check_answer(answer, test, config)
        times = answer.timing.time_on_device_ns, answer.timing.time_in_driver_ns
        if min(times) < NO_TIMING:
            raise fail("execution/timing", f"a time is negative: {answer.timing}")
        if max(times) > longest + _ROUNDING_NS:
            raise fail("execution/timing", f"{max(times)} ns are reported, but the whole call took {longest} ns")
        known += NO_TIMING not in times
    return passed(executions_with_times=known)


@check(_SUITE, "NotMeasured", rules=("execution/timing",), level=_LEVEL, parameters=lambda: executing.EXECUTORS)
def not_measured(subject: Subject, executor: executing.Executor) -> None:
    """Times are not reported unless the client asks for them."""
    test, config = _build_chain(), executing.TestConfig(executor)
    check_test(subject, test, config)
    for answer, _ in _execute_timed(subject, test, config):
        check_answer(answer, test, config)


@check(_SUITE, "Insufficient", rules=("execution/timing",), level=_LEVEL, parameters=lambda: executing.EXECUTORS)
def insufficient(subject: Subject, executor: executing.Executor) -> None:
    """Times are not reported when an output does not fit."""
    test, config = _build_chain(), executing.TestConfig(executor, executing.OutputType.INSUFFICIENT, measure=True)
    prepared = prepare_test(subject, with_unknown_output_dimensions(test), config)
    with executing.arguments_for(test, config, subject.device, prepared) as arguments:
        for answer in executing.execute(prepared, arguments.request, config, subject.timeout_s):
            check_answer(answer, test, config)
    check_test(subject, test, executing.TestConfig(executor, measure=True))


@check(
    _SUITE,
    "Failed",
    rules=(
        "execution/loop_timeout",
        "execution/timing",
    ),
    level=_LOOP_LEVEL,
    parameters=lambda: executing.EXECUTORS,
)
def failed(subject: Subject, executor: executing.Executor) -> None:
    """Times are not reported when an execution fails."""
    config = executing.TestConfig(executor, measure=True, loop_timeout_ns=_LOOP_TIMEOUT_NS)
    for answer, _ in _execute_timed(subject, endless_loop(), config):
        if answer.status is ErrorStatus.NONE:
            raise fail("execution/loop_timeout", "a loop without end succeeds")
        if answer.timing != Timing():
            raise fail("execution/timing", f"times are reported with {answer.status.name}: {answer.timing}")
    check_test(subject, counting_loop(_ROUNDS), executing.TestConfig(executor, measure=True))


_PERSISTENT_SUITE: Final = "PersistentTest"
_PERSISTENT_LEVEL: Final = 4
"""First feature level (HAL 1.3) with PERSISTENT statuses."""
_LONG_PAST: Final = 0
"""A deadline at the start of the machine."""
_TIMES: Final = 4
"""Repetitions of a call."""
_PERSISTENT: Final = (ErrorStatus.MISSED_DEADLINE_PERSISTENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)
"""Statuses that promise that the call will never succeed."""


def _build_sum() -> TestModel:
    """Return the sum of two vectors."""
    return sum_of_two("sum", [1, 2, 3], [10, 20, 30], [11, 22, 33])


def _prepare_repeatedly(subject: Subject) -> list[ErrorStatus]:
    """Prepare a model with a deadline that is long past, and return the statuses."""
    with built_model(_build_sum(), subject.feature_level) as model:
        prepare_valid(subject, model)

        def once() -> ErrorStatus:
            try:
                prepare(subject.device, model, PrepareModelConfig(deadline_ns=_LONG_PAST), subject.timeout_s)
            except HalError as error:
                return error.status
            return ErrorStatus.NONE

        return [once() for _ in range(_TIMES)]


def _make_executions(executor: executing.Executor) -> Callable[[Subject], list[ErrorStatus]]:
    """Return a function that executes with a deadline that is long past, and returns the statuses."""

    def execute_again(subject: Subject) -> list[ErrorStatus]:
        test, config = _build_sum(), executing.TestConfig(executor)
        with built_model(test, subject.feature_level) as model:
            prepared = prepare_valid(subject, model)
        with open_request(test) as packed:
            answers = [
                executing.execute(prepared, packed.request, config, subject.timeout_s, _LONG_PAST)[0]
                for _ in range(_TIMES)
            ]
        return [answer.status for answer in answers]

    return execute_again


_CALLS: Final[dict[str, Callable[[Subject], list[ErrorStatus]]]] = {
    "prepareModel": _prepare_repeatedly,
    "executeSynchronously": _make_executions(executing.Executor.SYNC),
    "execute": _make_executions(executing.Executor.ASYNC),
}
"""Functions that repeat a call, by the methods of the HAL."""


@check(
    _PERSISTENT_SUITE,
    "AfterLongPastDeadline",
    rules=(CONTRADICTION,),
    level=_PERSISTENT_LEVEL,
    parameters=lambda: _CALLS,
)
def after_long_past_deadline(subject: Subject, call: Callable[[Subject], list[ErrorStatus]]) -> Outcome:
    """A repeated call with a deadline that is long past never succeeds after MISSED_DEADLINE_PERSISTENT."""
    statuses = call(subject)
    if not any(status in _PERSISTENT for status in statuses):
        raise unsupported(f"the driver answers {statuses[0].name}, which says nothing of another try", CONTRADICTION)
    return passed(statuses=[status.name for status in statuses])
