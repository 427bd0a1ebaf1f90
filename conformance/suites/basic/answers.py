"""AnswerTest: how a driver answers, whatever it is asked: once, in time, in the right form. No VTS test asks this.

Source: docs/contract/hal.md 10.2, 10.4 and 16.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.handmade import check_exactly, check_execution
from nnvet.conformance.engine.notified import Ledger, refusal_of
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.graphs.small_models import sum_of_two
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.types import ExecutionConfig, PrepareModelConfig, Timing

_SUITE = "AnswerTest"
_NULL = cast("Any", None)
_CONFIG = ExecutionConfig()
_ROUNDS = 5
"""A second notification may follow the first at some distance: later rounds give it time without waiting."""


def _sum() -> TestModel:
    return sum_of_two("sum", [1, 2], [3, 4], [4, 6])


@check(
    _SUITE,
    "SupportedOperations",
    rules=("prepare/valid", "prepare/supported.count", "driver/reply"),
    needs_operation=False,
)
def supported(subject: Subject, _: None) -> None:
    """There is one answer for each operation, whether or not it is supported."""
    with built_model(_sum(), subject.feature_level) as model:
        ask_supported(subject, model)


@check(
    _SUITE,
    "PreparationNotifiedOnce",
    rules=("prepare/valid", "prepare/supported", "prepare/notified_once", "driver/notification"),
    needs_operation=False,
)
def preparation_notified_once(subject: Subject, _: None) -> None:
    """A preparation is notified once, with a model exactly if it succeeds; what is not supported is notified, too."""
    ledger = Ledger(subject, "prepare")
    with built_model(_sum(), subject.feature_level) as model:
        is_supported = all(ask_supported(subject, model))
        for _round in range(_ROUNDS):
            recorder = PreparedModelRecorder()
            error = refusal_of(partial(subject.device.prepare_model, model, PrepareModelConfig(), recorder))
            if error is not None:
                if is_supported:
                    raise fail("prepare/supported", f"all operations are supported, but prepareModel raises {error}")
                ledger.refused(recorder, error.status, "prepareModel")
                continue
            status, prepared = ledger.outcome(recorder, "prepareModel")
            if (status is ErrorStatus.NONE) != (prepared is not None):
                raise fail("driver/notification", f"prepareModel notified {status.name} with {prepared}")
    ledger.settle()


@check(_SUITE, "ExecutionNotifiedOnce", rules=("execution/notified_once", "driver/notification"))
def execution_notified_once(subject: Subject, _: None) -> None:
    """An asynchronous execution is notified once, and successfully."""
    ledger, test = Ledger(subject, "execution"), _sum()
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(test) as packed:
        for _round in range(_ROUNDS):
            recorder = ExecutionRecorder()
            prepared.execute(packed.request, _CONFIG, NO_DEADLINE, recorder)
            status, _shapes, timing = ledger.outcome(recorder, "execute")
            if status is not ErrorStatus.NONE or timing != Timing():
                raise fail("execution/status", f"execute notified {status.name} with {timing}")
        check_exactly(packed.output_arrays(test.main.outputs), test)
    ledger.settle()


@check(_SUITE, "PreparationWithoutCallback", rules=("prepare/notified_once",))
def preparation_without_callback(subject: Subject, _: None) -> None:
    """Without a callback a preparation is refused: nobody could be notified of its end."""
    with built_model(_sum(), subject.feature_level) as model:
        prepare_valid(subject, model)
        error = refusal_of(lambda: subject.device.prepare_model(model, PrepareModelConfig(), _NULL))
    if error is None or error.status is not ErrorStatus.INVALID_ARGUMENT:
        raise fail("prepare/notified_once", f"prepareModel without callback answers {error or 'success'}")


@check(_SUITE, "ExecutionWithoutCallback", rules=("execution/notified_once",))
def execution_without_callback(subject: Subject, _: None) -> None:
    """Without a callback an asynchronous execution is refused."""
    test = _sum()
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(test) as packed:
        check_execution(subject, prepared, test, TestConfig(Executor.ASYNC))
        error = refusal_of(lambda: prepared.execute(packed.request, _CONFIG, NO_DEADLINE, _NULL))
    if error is None or error.status is not ErrorStatus.INVALID_ARGUMENT:
        raise fail("execution/notified_once", f"execute without callback answers {error or 'success'}")
