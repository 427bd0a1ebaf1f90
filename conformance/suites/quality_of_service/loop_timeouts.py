"""LoopTimeoutTest: how long a WHILE may go on.

VTS executes models without end with a timeout of 1 ms; here also the other side: nothing ends before its time.

Source: docs/contract/hal.md 6.7 and 10.4; docs/contract/cts-tests.md 2.3 (InfiniteLoop).
"""

from __future__ import annotations

from typing import Final

from nnvet.conformance.engine.arguments import arguments_for
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.handmade import EXECUTORS, check_exactly, check_execution, check_test, prepare_test
from nnvet.conformance.engine.judging import check_answer, check_deadline_missed
from nnvet.conformance.engine.outcome import Outcome, fail, passed
from nnvet.conformance.engine.preparing import open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.small_models import counting_loop, endless_loop, sum_of_two
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import (
    DEFAULT_LOOP_TIMEOUT_DURATION_NS,
    MAXIMUM_LOOP_TIMEOUT_DURATION_NS,
    NO_DEADLINE,
    ErrorStatus,
)

_SUITE: Final = "LoopTimeoutTest"
_LEVEL: Final = 4
_LEVEL_OF_SIGNED_TIMES: Final = 5
_SHORT_NS: Final = 1_000_000
_NOTICEABLE_NS: Final = 100_000_000
_ROUNDS: Final = 20
_UNREACHABLE: Final = 2**30
"""Counting by ones float32 does not get there."""
_BEYOND_MAXIMUM_NS: Final = 2**62
_DEADLINE_NS: Final = 50_000_000
_LONG_NS: Final = 500_000_000

COVERS = {
    "TestControlFlow.InfiniteLoop": ("LoopTimeoutTest/InfiniteLoop",),
    "TestControlFlow.GetLoopTimeouts": "both timeouts are constants of the interface: no driver is asked for them",
}


@check(_SUITE, "InfiniteLoop", rules=("execution/loop_timeout",), level=_LEVEL, parameters=lambda: EXECUTORS)
def infinite_loop(subject: Subject, executor: Executor) -> None:
    """A loop without end is aborted with MISSED_DEADLINE; the prepared model is none the worse for it."""
    finite, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=_SHORT_NS)
    prepared = prepare_test(subject, finite, config)
    with arguments_for(counting_loop(_UNREACHABLE), config, subject.device, prepared) as arguments:
        for answer in execute(prepared, arguments.request, config, subject.timeout_s):
            check_deadline_missed(answer)
    check_execution(subject, prepared, finite, TestConfig(executor))


@check(_SUITE, "NotBefore", rules=("execution/loop_timeout",), level=_LEVEL, parameters=lambda: EXECUTORS)
def not_before(subject: Subject, executor: Executor) -> None:
    """A loop is not aborted before its timeout is over."""
    _check_aborted(subject, executor, _NOTICEABLE_NS)


@check(_SUITE, "Default", rules=("execution/loop_timeout",), level=_LEVEL)
def default(subject: Subject, _: None) -> None:
    """Without a timeout a loop has two seconds."""
    _check_aborted(subject, Executor.SYNC, NO_DEADLINE)


def _check_aborted(subject: Subject, executor: Executor, timeout_ns: int) -> None:
    least = DEFAULT_LOOP_TIMEOUT_DURATION_NS if timeout_ns == NO_DEADLINE else timeout_ns
    test, config = endless_loop(), TestConfig(executor, loop_timeout_ns=timeout_ns)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        began = boot_time_ns()
        answers = execute(prepared, arguments.request, config, subject.timeout_s)
        elapsed = (boot_time_ns() - began) // len(answers)
    for answer in answers:
        check_deadline_missed(answer)
    if elapsed < least:
        raise fail("execution/loop_timeout", f"aborted after {elapsed} ns, the timeout is {least} ns")


@check(_SUITE, "Ends", rules=("execution/loop_timeout",), level=_LEVEL, parameters=lambda: EXECUTORS)
def ends(subject: Subject, executor: Executor) -> None:
    """A loop that ends in time is not touched, with no timeout, the default and the longest."""
    for timeout_ns in (NO_DEADLINE, DEFAULT_LOOP_TIMEOUT_DURATION_NS, MAXIMUM_LOOP_TIMEOUT_DURATION_NS):
        check_test(subject, counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=timeout_ns))


@check(_SUITE, "AboveMaximum", rules=("execution/loop_timeout",), level=_LEVEL, parameters=lambda: EXECUTORS)
def above_maximum(subject: Subject, executor: Executor) -> Outcome:
    """A timeout above the maximum is refused with INVALID_ARGUMENT, or taken: both are known of drivers."""
    test, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=_BEYOND_MAXIMUM_NS)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        answers = execute(prepared, arguments.request, config, subject.timeout_s)
        refused = answers[0].status is ErrorStatus.INVALID_ARGUMENT
        for answer in () if refused else answers:
            check_answer(answer, test, config)
            check_exactly(arguments.output_arrays(test.main.outputs), test)
    check_execution(subject, prepared, test, TestConfig(executor))
    return passed(refused=refused)


@check(
    _SUITE, "Negative", rules=("execution/loop_timeout",), level=_LEVEL_OF_SIGNED_TIMES, parameters=lambda: EXECUTORS
)
def negative(subject: Subject, executor: Executor) -> None:
    """A negative timeout, but for -1, is invalid."""
    test, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=-2)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        status = execute(prepared, arguments.request, config, subject.timeout_s)[0].status
    if status is not ErrorStatus.INVALID_ARGUMENT:
        raise fail("execution/loop_timeout", f"-2 is answered with {status.name}", status=status.name)
    check_execution(subject, prepared, test, TestConfig(executor))


@check(_SUITE, "WithoutLoop", rules=("execution/loop_timeout",), level=_LEVEL, parameters=lambda: EXECUTORS)
def without_loop(subject: Subject, executor: Executor) -> None:
    """The timeout is of no concern to models without loops."""
    check_test(subject, sum_of_two("sum", [1.0], [2.0], [3.0]), TestConfig(executor, loop_timeout_ns=0))


@check(_SUITE, "Deadline", rules=("execution/deadline.status",), level=_LEVEL, parameters=lambda: EXECUTORS)
def deadline(subject: Subject, executor: Executor) -> Outcome:
    """A loop without end misses its deadline; a driver that looks at deadlines ends it long before the loop timeout."""
    test, config = endless_loop(), TestConfig(executor, loop_timeout_ns=_LONG_NS)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        began = boot_time_ns()
        answers = execute(prepared, packed.request, config, subject.timeout_s, began + _DEADLINE_NS)
        elapsed = boot_time_ns() - began
    for answer in answers:
        check_deadline_missed(answer)
    return passed(ended_by_deadline=elapsed < _LONG_NS)
