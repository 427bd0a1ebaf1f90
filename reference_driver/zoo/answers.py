"""Planted bugs in the way a driver answers: an answer is missing, late, malformed or doubled, or the driver dies.

Each function with the decorator :func:`nnvet.reference_driver.zoo.registry.bug` makes one wrong driver. The last two
drivers answer with a PERSISTENT status, after which clients do not try again, although a retry would succeed.
"""

from __future__ import annotations

import itertools
import os
import signal
import threading
from typing import Any

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, ExecutionCallback, PreparedModelCallback
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_TYPE = ("BasicTest/GetDeviceTypeTest", "RestartTest/Queries")
"""Cases that ask for the type of the device."""
_CYCLE_TEST = ("BasicTest/CycleTest",)
"""Cases that wait for the notification of such a model."""
_CYCLE = [hal.OperationType.ADD] * 3
"""Operations of the model that CycleTest prepares."""
_LATE_S = 1.0
"""Delay of a late notification."""


def _is_cycle(model: hal.Model) -> bool:
    """Return True for the model of CycleTest, so that only a single case has to wait for the missing notification."""
    return [operation.type for operation in model.main.operations] == _CYCLE


class _Refuses(FullDevice):
    """A driver that notifies refused preparations in a wrong way."""

    def prepare_model(self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Refuse, and let :meth:`tell` do the notification."""
        try:
            super().prepare_model(model, config, _Ignored() if _is_cycle(model) else callback)
        except HalError as error:
            if _is_cycle(model):
                self.tell(callback, error.status)
            raise

    def tell(self, callback: PreparedModelCallback, status: hal.ErrorStatus) -> None:
        """Notify; each bug overrides this."""


class _Ignored:
    """Callback in place of the client's, which then hears nothing."""

    def notify(self, *_: Any) -> None:
        """Do nothing: nobody listens."""


@bug(
    "answers-nothing",
    "A refused preparation is never notified: VTS would wait for ever.",
    rules=("driver/hang",),
    breaks=_CYCLE_TEST,
)
def answers_nothing() -> Device:
    """Never notify a refused preparation."""
    return _Refuses()


@bug(
    "answers-late",
    "A refused preparation is notified long after the call has returned.",
    rules=("prepare/notified_at_once",),
    breaks=_CYCLE_TEST,
)
def answers_late() -> Device:
    """Notify a refused preparation after the call has returned."""

    class Late(_Refuses):
        def tell(self, callback: PreparedModelCallback, status: hal.ErrorStatus) -> None:
            """Notify after a pause."""
            timer = threading.Timer(_LATE_S, callback.notify, (status, None))
            timer.daemon = True
            timer.start()

    return Late()


@bug(
    "answers-refusal-twice",
    "A refused preparation is notified twice.",
    rules=("prepare/notified_once",),
    breaks=_CYCLE_TEST,
)
def answers_refusal_twice() -> Device:
    """Notify a refused preparation twice."""

    class Twice(_Refuses):
        def tell(self, callback: PreparedModelCallback, status: hal.ErrorStatus) -> None:
            """Notify twice."""
            callback.notify(status, None)
            callback.notify(status, None)

    return Twice()


@bug(
    "answers-other-status",
    "A refusal is raised as one error and notified as another.",
    rules=("driver/notification",),
    breaks=_CYCLE_TEST,
)
def answers_other_status() -> Device:
    """Return INVALID_ARGUMENT from the call, and notify GENERAL_FAILURE."""

    class Other(_Refuses):
        def tell(self, callback: PreparedModelCallback, status: hal.ErrorStatus) -> None:
            """Notify another status than the call raised."""
            del status
            callback.notify(hal.ErrorStatus.GENERAL_FAILURE, None)

    return Other()


@bug(
    "answers-preparation-twice",
    "A preparation is notified as done, and then as failed.",
    rules=("prepare/notified_once",),
    breaks=("AnswerTest/PreparationNotifiedOnce", "DeadlineTest/Test/*"),
)
def answers_preparation_twice() -> Device:
    """Contradict the first notification by a second one."""

    class Twice(FullDevice):
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Notify a failure as soon as the preparation has succeeded."""
            super().prepare_model(model, config, _Doubled(callback) if callback else callback)

    return Twice()


class _Doubled:
    """Callback that passes a success on, and contradicts it afterwards."""

    def __init__(self, callback: Any) -> None:
        self._callback = callback

    def notify(self, status: hal.ErrorStatus, *rest: Any) -> None:
        """Pass the notification on, and add a failure after a success."""
        self._callback.notify(status, *rest)
        if status is hal.ErrorStatus.NONE:
            nothing = (None,) if len(rest) == 1 else ((), hal.Timing())
            self._callback.notify(hal.ErrorStatus.GENERAL_FAILURE, *nothing)


@bug(
    "answers-execution-twice",
    "An asynchronous execution is notified twice.",
    rules=("execution/notified_once",),
    breaks=("AnswerTest/ExecutionNotifiedOnce",),
)
def answers_execution_twice() -> Device:
    """Contradict the first notification by a second one."""

    class Twice(ReferencePreparedModel):
        def execute(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, callback: ExecutionCallback
        ) -> None:
            """Notify a failure as soon as the execution has succeeded."""
            super().execute(request, config, deadline_ns, _Doubled(callback) if callback else callback)

    return with_prepared_model(Twice)


@bug(
    "answers-wrong-type", "The device type is a number that stands for nothing.", rules=("driver/reply",), breaks=_TYPE
)
def answers_wrong_type() -> Device:
    """Return a value that cannot be decoded."""

    class Numbered(FullDevice):
        def get_type(self) -> Any:
            """Return a number that is not a type."""
            return 77

    return Numbered()


@bug(
    "answers-exception",
    "A method ends with an exception that is no HalError.",
    rules=("driver/exception",),
    breaks=_TYPE,
)
def answers_exception() -> Device:
    """Raise an exception that is not part of the contract."""

    class Raises(FullDevice):
        def get_type(self) -> Any:
            """Fail with the KeyError of an empty table."""
            types: dict[str, Any] = {}
            return types["type"]

    return Raises()


@bug(
    "answers-with-death",
    "The process dies of a signal when asked for its type.",
    rules=("driver/crash",),
    breaks=_TYPE,
    service=True,
)
def answers_with_death() -> Device:
    """End the process during a call."""

    class Dies(FullDevice):
        def get_type(self) -> Any:
            """End the process."""
            os.kill(os.getpid(), signal.SIGSEGV)
            # The signal may reach another thread first; this thread must not answer before the process dies.
            threading.Event().wait()

    return Dies()


@bug(
    "answers-short",
    "getSupportedOperations forgets the last operation of ADD and MUL.",
    rules=("prepare/supported.count",),
    breaks=tuple(
        f"{suite}/*/zoo_add_two"
        for suite in (
            "GeneratedTest",
            "DynamicOutputShapeTest",
            "MemoryDomainTest",
            "ValidationTest",
            "ValidateBurst",
            "DeadlineTest",
            "TestCompliance",
            "ConsistencyTest",
        )
    ),
)
def answers_short() -> Device:
    """Return too few answers."""

    class Short(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Return the answers without the last one."""
            answers = super().get_supported_operations(model)
            types = [operation.type for operation in model.main.operations]
            return answers[:-1] if types == [hal.OperationType.ADD, hal.OperationType.MUL] else answers

    return Short()


_AGAIN = "PersistentTest/AfterLongPastDeadline/"
"""Beginning of the names of cases that repeat a call after a PERSISTENT status."""


@bug(
    "persistent-preparation",
    "Every second preparation that is too late is done all the same, after a PERSISTENT error.",
    rules=("driver/persistent",),
    breaks=(f"{_AGAIN}prepareModel",),
)
def persistent_preparation() -> Device:
    """Let a preparation succeed after the same call has failed with a PERSISTENT status."""
    tries = itertools.count()

    class Wavering(FullDevice):
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Count preparations whose deadline is long past, and do every second one."""
            if config.deadline_ns == 0 and next(tries) % 2:
                config = replace(config, deadline_ns=hal.NO_DEADLINE)
            super().prepare_model(model, config, callback)

    return Wavering()


@bug(
    "persistent-execution",
    "The first execution that is too late lacks resources for good, and the next one has them.",
    rules=("driver/persistent",),
    breaks=(f"{_AGAIN}execute*",),
)
def persistent_execution() -> Device:
    """Let an execution succeed after the same call has failed with a PERSISTENT status."""

    class Wavering(ReferencePreparedModel):
        def _run(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int, started: int
        ) -> hal.ExecutionResult:
            """Count executions whose deadline is long past, and fail the first one."""
            if deadline_ns == 0:
                self.__dict__["tries"] = self.__dict__.get("tries", 0) + 1
                if self.__dict__["tries"] % 2:
                    raise HalError(hal.ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no space", "execution/memory")
                deadline_ns = hal.NO_DEADLINE
            return super()._run(request, config, deadline_ns, started)

    return with_prepared_model(Wavering)
