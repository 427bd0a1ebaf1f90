"""DeadlineTest: priorities and deadlines of preparations and executions. Source: docs/contract/vts-tests.md 8."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from nnvet.adapters.calls import PreparedModelRecorder
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.judging import check_answer, precision_rules
from nnvet.conformance.engine.notified import Ledger
from nnvet.conformance.engine.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.engine.preparing import ask_supported, built_model, open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.hal_request import PackedRequest
from nnvet.generators.graphs.model import TestModel, has_zero_sized_output
from nnvet.generators.specs import SpecCase
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Model, PrepareModelConfig

_SUITE = "DeadlineTest"
_LEVEL = 4
_LAST_TIME_NS = 2**63 - 1
_SHORT_NS = 5_000_000
_MISSED = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)


class _Due(NamedTuple):
    at_ns: Callable[[], int]
    may_be_missed: bool


class Deadline(Enum):
    """When something is due; only what is due at once or soon may be missed."""

    NONE = _Due(lambda: NO_DEADLINE, may_be_missed=False)
    NOW = _Due(boot_time_ns, may_be_missed=True)
    LONG_PAST = _Due(lambda: 0, may_be_missed=True)
    UNLIMITED = _Due(lambda: _LAST_TIME_NS, may_be_missed=False)
    SHORT = _Due(lambda: boot_time_ns() + _SHORT_NS, may_be_missed=True)

    def allows(self, status: ErrorStatus) -> bool:
        """Return True if a task that is due then may end with ``status``."""
        return status is ErrorStatus.NONE or (self.value.may_be_missed and status in _MISSED)


_PREPARATIONS = (
    (Priority.LOW, Deadline.NONE),
    (Priority.HIGH, Deadline.NONE),
    (Priority.MEDIUM, Deadline.NOW),
    (Priority.MEDIUM, Deadline.SHORT),
    (Priority.MEDIUM, Deadline.UNLIMITED),
)
"""The last is the one whose result is executed."""

_EXECUTIONS = (Deadline.NOW, Deadline.UNLIMITED, Deadline.SHORT)


def _taken(test: TestModel) -> bool:
    return not test.expect_failure


@check(
    _SUITE,
    "Test",
    rules=("prepare/launch", "prepare/deadline.status", "execution/deadline.status", "prepare/notified_once"),
    level=_LEVEL,
    over=_taken,
)
def deadline_test(subject: Subject, spec: SpecCase) -> Outcome:
    """Every priority and every deadline, then executions with every deadline; results are compared if there are any."""
    test = spec.build()
    with built_model(test, subject.feature_level) as model:
        prepared = _prepare_all(subject, model)
    with open_request(test) as packed:
        for executor in _executors(subject, test):
            for deadline in _EXECUTIONS:
                _execute(subject, test, prepared, packed, TestConfig(executor), deadline)
    return passed(executors=[executor.value for executor in _executors(subject, test)])


def _executors(subject: Subject, test: TestModel) -> tuple[Executor, ...]:
    second = Executor.ASYNC if subject.feature_level <= LAST_HIDL_LEVEL else Executor.BURST
    fenced = () if has_zero_sized_output(test) else (Executor.FENCED,)
    return (second, Executor.SYNC, *fenced)


def _prepare_all(subject: Subject, model: Model) -> PreparedModel:
    is_supported = all(ask_supported(subject, model))
    ledger = Ledger(subject, "prepare")
    for priority, deadline in _PREPARATIONS:
        config = PrepareModelConfig(priority=priority, deadline_ns=deadline.value.at_ns())
        recorder, what = PreparedModelRecorder(), f"prepareModel, {priority.name}, deadline {deadline.name}"
        try:
            subject.device.prepare_model(model, config, recorder)
        except HalError as error:
            raise fail("prepare/launch", f"{what}: {error}", status=error.status.name) from error
        status, prepared = ledger.outcome(recorder, what)
        if (status is ErrorStatus.NONE) != (prepared is not None):
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
    answer = execute(prepared, packed.request, config, subject.timeout_s, deadline.value.at_ns())[0]
    if not deadline.allows(answer.status):
        reason = (
            f"{config.name} execution with deadline {deadline.name}: {answer.status.name} {answer.message}".rstrip()
        )
        raise fail("execution/deadline.status", reason, status=answer.status.name, driver_rule=answer.rule)
    if answer.status is not ErrorStatus.NONE:
        if answer.output_shapes:
            raise fail("execution/output.shapes", f"output shapes are reported with {answer.status.name}")
    elif check_answer(answer, test, config):
        precision_rules(test, packed.output_arrays(test.main.outputs))
