"""Suites ``DeadlineTest`` and ``LoopTimeoutTest``: priorities and deadlines of calls, and the time limit of a WHILE.

DeadlineTest is about preparations and executions; preparations from a cache are in
:mod:`nnvet.conformance.suites.caching.lifecycle`, which uses :class:`Deadline`, and deadlines of executions that wait
for fences in :mod:`nnvet.conformance.suites.fences`. Source: docs/contract/vts-tests.md 8.

LoopTimeoutTest: VTS executes endless models with a timeout of 1 ms. The suite also checks that no loop is aborted
before its timeout. Source: docs/contract/hal.md 6.7 and 10.4; docs/contract/cts-tests.md 2.3 (InfiniteLoop).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

from nnvet.adapters.calls import PreparedModelRecorder
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import EXECUTORS, Executor, TestConfig, arguments_for, execute
from nnvet.conformance.kit.handmade import check_exactly, check_execution, check_test, prepare_test
from nnvet.conformance.kit.judging import check_answer, check_deadline_missed, precision_rules
from nnvet.conformance.kit.notified import Ledger
from nnvet.conformance.kit.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs import SpecCase
from nnvet.graphs.builder import counting_loop, endless_loop, sum_of_two
from nnvet.graphs.hal_model import PackedRequest
from nnvet.graphs.model import TestModel, has_zero_sized_output
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL

_SUITE = "DeadlineTest"
_LEVEL = 4
"""First feature level (HAL 1.3) with deadlines and priorities."""
_LAST_TIME_NS = 2**63 - 1
"""Last moment that the interfaces can express."""
_SHORT_NS = 5_000_000
"""Time until a near deadline, 5 ms as in VTS."""
_MISSED = (hal.ErrorStatus.MISSED_DEADLINE_TRANSIENT, hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Statuses of a call that has missed its deadline."""


class _Due(NamedTuple):
    """A moment in nanoseconds since boot, computed when it is asked for, and True if a call may miss it."""

    at_ns: Callable[[], int]
    may_be_missed: bool


class Deadline(Enum):
    """Kinds of deadlines; only one that has passed or is near may be missed."""

    NONE = _Due(lambda: hal.NO_DEADLINE, may_be_missed=False)
    NOW = _Due(boot_time_ns, may_be_missed=True)
    LONG_PAST = _Due(lambda: 0, may_be_missed=True)
    UNLIMITED = _Due(lambda: _LAST_TIME_NS, may_be_missed=False)
    SHORT = _Due(lambda: boot_time_ns() + _SHORT_NS, may_be_missed=True)

    def allows(self, status: hal.ErrorStatus) -> bool:
        """Return True if a task with this deadline may end with ``status``."""
        return status is hal.ErrorStatus.NONE or (self.value.may_be_missed and status in _MISSED)


_PREPARATIONS = (
    (hal.Priority.LOW, Deadline.NONE),
    (hal.Priority.HIGH, Deadline.NONE),
    (hal.Priority.MEDIUM, Deadline.NOW),
    (hal.Priority.MEDIUM, Deadline.SHORT),
    (hal.Priority.MEDIUM, Deadline.UNLIMITED),
)
"""Deadlines of the preparations; the result of the last one is executed."""

_EXECUTIONS = (Deadline.NOW, Deadline.UNLIMITED, Deadline.SHORT)
"""Deadlines of the executions."""


def _is_taken(test: TestModel) -> bool:
    """Return True for specs that must work."""
    return not test.expect_failure


@check(
    _SUITE,
    "Test",
    rules=("prepare/launch", "prepare/deadline.status", "execution/deadline.status", "prepare/notified_once"),
    level=_LEVEL,
    over=_is_taken,
)
def deadline_test(subject: Subject, spec: SpecCase) -> Outcome:
    """Preparations with every priority and deadline, and executions with every deadline, succeed or miss it."""
    test = spec.build()
    with built_model(test, subject.feature_level) as model:
        prepared = _prepare_all(subject, model)
    with open_request(test) as packed:
        for executor in _list_executors(subject, test):
            for deadline in _EXECUTIONS:
                _execute(subject, test, prepared, packed, TestConfig(executor), deadline)
    return passed(executors=[executor.value for executor in _list_executors(subject, test)])


def _list_executors(subject: Subject, test: TestModel) -> tuple[Executor, ...]:
    """Return the executors of the driver's interface as VTS has them; a fenced one cannot have an empty output."""
    second = Executor.ASYNC if subject.feature_level <= LAST_HIDL_LEVEL else Executor.BURST
    fenced = () if has_zero_sized_output(test) else (Executor.FENCED,)
    return (second, Executor.SYNC, *fenced)


def _prepare_all(subject: Subject, model: hal.Model) -> PreparedModel:
    """Prepare a model with each priority and deadline, and return the result of the last preparation."""
    is_supported = all(ask_supported(subject, model))
    ledger = Ledger(subject, "prepare")
    for priority, deadline in _PREPARATIONS:
        config = hal.PrepareModelConfig(priority=priority, deadline_ns=deadline.value.at_ns())
        recorder, what = PreparedModelRecorder(), f"prepareModel, {priority.name}, deadline {deadline.name}"
        try:
            subject.device.prepare_model(model, config, recorder)
        except HalError as error:
            raise fail("prepare/launch", f"{what}: {error}", status=error.status.name) from error
        status, prepared = ledger.outcome(recorder, what)
        if (status is hal.ErrorStatus.NONE) != (prepared is not None):
            raise fail("driver/notification", f"{what}: notified {status.name} with {prepared}")
        if is_supported and not deadline.allows(status):
            raise fail("prepare/deadline.status", f"{what}: notified {status.name}", status=status.name)
    ledger.settle()
    if prepared is None:
        raise unsupported("the driver does not support all operations and prepares no part of them")
    return prepared


def _execute(
    subject: Subject,
    test: TestModel,
    prepared: PreparedModel,
    packed: PackedRequest,
    config: TestConfig,
    deadline: Deadline,
) -> None:
    """Execute a test with a deadline, and judge status and values."""
    answer = execute(prepared, packed.request, config, subject.timeout_s, deadline.value.at_ns())[0]
    if not deadline.allows(answer.status):
        reason = (
            f"{config.name} execution with deadline {deadline.name}: {answer.status.name} {answer.message}".rstrip()
        )
        raise fail("execution/deadline.status", reason, status=answer.status.name, driver_rule=answer.rule)
    if answer.status is not hal.ErrorStatus.NONE:
        if answer.output_shapes:
            raise fail("execution/output.shapes", f"output shapes are reported with {answer.status.name}")
    elif check_answer(answer, test, config):
        precision_rules(test, packed.output_arrays(test.main.outputs))


_LOOP_SUITE: Final = "LoopTimeoutTest"
_LOOP_LEVEL: Final = 4
"""First feature level (HAL 1.3) with loops."""
_LEVEL_OF_SIGNED_TIMES: Final = 5
"""First feature level of AIDL, which alone can send negative times."""
_SHORT_LOOP_NS: Final = 1_000_000
"""Loop timeout of 1 ms, as in VTS."""
_NOTICEABLE_NS: Final = 100_000_000
"""Loop timeout of 0.1 s, before which a driver must not end a loop."""
_ROUNDS: Final = 20
"""Rounds of a loop that ends by itself, long before any timeout but that of 1 ms."""
_UNREACHABLE: Final = 2**30
"""A number that float32 cannot reach by adding ones."""
_BEYOND_MAXIMUM_NS: Final = 2**62
"""A loop timeout far above the contract's maximum of 15 s."""
_DEADLINE_NS: Final = 50_000_000
"""Deadline of an endless loop, 50 ms after its launch."""
_LONG_NS: Final = 500_000_000
"""Loop timeout of 0.5 s, the end of the loop if a driver ignores the deadline."""

COVERS = {
    "TestControlFlow.InfiniteLoop": ("LoopTimeoutTest/InfiniteLoop",),
    "TestControlFlow.GetLoopTimeouts": "both timeouts are constants of the interface: no driver is asked for them",
}
"""Tests of CTS that the checks cover, or that have no counterpart, and why."""


@check(_LOOP_SUITE, "InfiniteLoop", rules=("execution/loop_timeout",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def infinite_loop(subject: Subject, executor: Executor) -> None:
    """An endless loop is aborted with MISSED_DEADLINE; the prepared model can still be used afterwards."""
    # The bound of the loop is an input, so that one prepared model ends or loops for ever.
    finite, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=_SHORT_LOOP_NS)
    prepared = prepare_test(subject, finite, config)
    with arguments_for(counting_loop(_UNREACHABLE), config, subject.device, prepared) as arguments:
        for answer in execute(prepared, arguments.request, config, subject.timeout_s):
            check_deadline_missed(answer)
    check_execution(subject, prepared, finite, TestConfig(executor))


@check(_LOOP_SUITE, "NotBefore", rules=("execution/loop_timeout",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def not_before(subject: Subject, executor: Executor) -> None:
    """A loop is not aborted before its timeout."""
    _check_aborted(subject, executor, _NOTICEABLE_NS)


@check(_LOOP_SUITE, "Default", rules=("execution/loop_timeout",), level=_LOOP_LEVEL)
def default(subject: Subject, _: None) -> None:
    """Without a timeout, a loop is aborted after two seconds."""
    _check_aborted(subject, Executor.SYNC, hal.NO_DEADLINE)


def _check_aborted(subject: Subject, executor: Executor, timeout_ns: int) -> None:
    """Check that an endless loop is aborted, but not before its timeout."""
    least = hal.DEFAULT_LOOP_TIMEOUT_DURATION_NS if timeout_ns == hal.NO_DEADLINE else timeout_ns
    test, config = endless_loop(), TestConfig(executor, loop_timeout_ns=timeout_ns)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        began = boot_time_ns()
        answers = execute(prepared, arguments.request, config, subject.timeout_s)
        elapsed = (boot_time_ns() - began) // len(answers)  # a reusable execution runs twice
    for answer in answers:
        check_deadline_missed(answer)
    if elapsed < least:
        raise fail("execution/loop_timeout", f"aborted after {elapsed} ns, the timeout is {least} ns")


@check(_LOOP_SUITE, "Ends", rules=("execution/loop_timeout",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def ends(subject: Subject, executor: Executor) -> None:
    """A loop that ends in time is not aborted, without a timeout, with the default one and with the longest."""
    for timeout_ns in (hal.NO_DEADLINE, hal.DEFAULT_LOOP_TIMEOUT_DURATION_NS, hal.MAXIMUM_LOOP_TIMEOUT_DURATION_NS):
        check_test(subject, counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=timeout_ns))


@check(_LOOP_SUITE, "AboveMaximum", rules=("execution/loop_timeout",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def above_maximum(subject: Subject, executor: Executor) -> Outcome:
    """A timeout above the maximum is refused with INVALID_ARGUMENT, or accepted: drivers do either."""
    test, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=_BEYOND_MAXIMUM_NS)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        answers = execute(prepared, arguments.request, config, subject.timeout_s)
        refused = answers[0].status is hal.ErrorStatus.INVALID_ARGUMENT
        for answer in () if refused else answers:
            check_answer(answer, test, config)
            check_exactly(arguments.output_arrays(test.main.outputs), test)
    check_execution(subject, prepared, test, TestConfig(executor))
    return passed(refused=refused)


@check(
    _LOOP_SUITE,
    "Negative",
    rules=("execution/loop_timeout",),
    level=_LEVEL_OF_SIGNED_TIMES,
    parameters=lambda: EXECUTORS,
)
def negative(subject: Subject, executor: Executor) -> None:
    """A negative timeout other than -1 is refused."""
    test, config = counting_loop(_ROUNDS), TestConfig(executor, loop_timeout_ns=-2)
    prepared = prepare_test(subject, test, config)
    with arguments_for(test, config, subject.device, prepared) as arguments:
        status = execute(prepared, arguments.request, config, subject.timeout_s)[0].status
    if status is not hal.ErrorStatus.INVALID_ARGUMENT:
        raise fail("execution/loop_timeout", f"-2 is answered with {status.name}", status=status.name)
    check_execution(subject, prepared, test, TestConfig(executor))


@check(_LOOP_SUITE, "WithoutLoop", rules=("execution/loop_timeout",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def without_loop(subject: Subject, executor: Executor) -> None:
    """The timeout does not matter to models without loops."""
    check_test(subject, sum_of_two("sum", [1.0], [2.0], [3.0]), TestConfig(executor, loop_timeout_ns=0))


@check(_LOOP_SUITE, "Deadline", rules=("execution/deadline.status",), level=_LOOP_LEVEL, parameters=lambda: EXECUTORS)
def deadline(subject: Subject, executor: Executor) -> Outcome:
    """An endless loop misses its deadline; a driver that observes deadlines ends it long before the loop timeout."""
    test, config = endless_loop(), TestConfig(executor, loop_timeout_ns=_LONG_NS)
    prepared = prepare_test(subject, test, config)
    with open_request(test) as packed:
        began = boot_time_ns()
        answers = execute(prepared, packed.request, config, subject.timeout_s, began + _DEADLINE_NS)
        elapsed = boot_time_ns() - began
    for answer in answers:
        check_deadline_missed(answer)
    return passed(ended_by_deadline=elapsed < _LONG_NS)
