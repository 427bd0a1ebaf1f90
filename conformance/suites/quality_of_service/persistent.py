"""PersistentTest: a call that was answered with a PERSISTENT status is made again, with the same arguments.

That it then succeeds is seen where all calls pass (:mod:`nnvet.transport.wire.persistence`), in every case of every
suite; the cases here make calls for which drivers may answer so. Not in VTS. Source: docs/contract/hal.md 6.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nnvet.adapters import prepare
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.executing import execute
from nnvet.conformance.engine.outcome import Outcome, passed, unsupported
from nnvet.conformance.engine.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.graphs.small_models import sum_of_two
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.types import PrepareModelConfig
from nnvet.transport.wire.failures import CONTRADICTION

_SUITE: Final = "PersistentTest"
_LEVEL: Final = 4
_LONG_PAST: Final = 0
_TIMES: Final = 4
_PERSISTENT: Final = (ErrorStatus.MISSED_DEADLINE_PERSISTENT, ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT)


def _model() -> TestModel:
    return sum_of_two("sum", [1, 2, 3], [10, 20, 30], [11, 22, 33])


def _preparations(subject: Subject) -> list[ErrorStatus]:
    with built_model(_model(), subject.feature_level) as model:
        prepare_valid(subject, model)

        def once() -> ErrorStatus:
            try:
                prepare(subject.device, model, PrepareModelConfig(deadline_ns=_LONG_PAST), subject.timeout_s)
            except HalError as error:
                return error.status
            return ErrorStatus.NONE

        return [once() for _ in range(_TIMES)]


def _executions(executor: Executor) -> Callable[[Subject], list[ErrorStatus]]:
    def execute_again(subject: Subject) -> list[ErrorStatus]:
        test, config = _model(), TestConfig(executor)
        with built_model(test, subject.feature_level) as model:
            prepared = prepare_valid(subject, model)
        with open_request(test) as packed:
            answers = [
                execute(prepared, packed.request, config, subject.timeout_s, _LONG_PAST)[0] for _ in range(_TIMES)
            ]
        return [answer.status for answer in answers]

    return execute_again


_CALLS: Final[dict[str, Callable[[Subject], list[ErrorStatus]]]] = {
    "prepareModel": _preparations,
    "executeSynchronously": _executions(Executor.SYNC),
    "execute": _executions(Executor.ASYNC),
}


@check(_SUITE, "AfterLongPastDeadline", rules=(CONTRADICTION,), level=_LEVEL, parameters=lambda: _CALLS)
def after_long_past_deadline(subject: Subject, call: Callable[[Subject], list[ErrorStatus]]) -> Outcome:
    """One call with one deadline, long past, again and again: no success after MISSED_DEADLINE_PERSISTENT."""
    statuses = call(subject)
    if not any(status in _PERSISTENT for status in statuses):
        raise unsupported(f"the driver answers {statuses[0].name}, which says nothing of another try", CONTRADICTION)
    return passed(statuses=[status.name for status in statuses])
