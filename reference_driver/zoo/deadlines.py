"""Bugs of deadlines and priorities of preparations and executions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from nnvet.hal.arguments import boot_time_ns, deadline_passed
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.types import (
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    MappableFile,
    Model,
    PrepareModelConfig,
    Priority,
    Request,
)
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_PREPARATION = ("DeadlineTest/Test/*",)
_FROM_CACHE = "DeadlineTest/PrepareModelFromCache"
_HALF_OF_TIME = 2**62


def _far(deadline_ns: int) -> bool:
    return deadline_ns > _HALF_OF_TIME


@bug(
    "deadline-raised",
    "A missed deadline of a preparation is raised, not notified.",
    rules=("prepare/launch",),
    breaks=_PREPARATION,
)
def deadline_raised() -> Device:
    """Raise the missed deadline, although the launch itself has to succeed."""

    class Raises(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Refuse to launch a preparation whose deadline has passed."""
            if config.deadline_ns > 0 and deadline_passed(config.deadline_ns):
                callback.notify(ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)
                raise HalError(ErrorStatus.MISSED_DEADLINE_PERSISTENT, "too late", "prepare/deadline")
            super().prepare_model(model, config, callback)

    return Raises()


@bug(
    "deadline-overflows",
    "The end of all time counts as past in a preparation.",
    rules=("prepare/deadline.status",),
    breaks=_PREPARATION,
)
def deadline_overflows() -> Device:
    """As if a sum had overflowed."""

    class Overflows(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Mistake what is far for what is past."""
            far = _far(config.deadline_ns)
            super().prepare_model(model, replace(config, deadline_ns=0) if far else config, callback)

    return Overflows()


@bug(
    "deadline-execution-overflows",
    "The end of all time counts as past in an execution.",
    rules=("execution/deadline.status",),
    breaks=_PREPARATION,
)
def deadline_execution_overflows() -> Device:
    """As if a sum had overflowed."""

    class Overflows(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Mistake what is far for what is past."""
            if _far(deadline_ns):
                raise HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, "too late", "execution/deadline")
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Overflows)


@bug(
    "deadline-wrong-status",
    "A missed deadline of an execution is a GENERAL_FAILURE.",
    rules=("execution/deadline.status",),
    breaks=_PREPARATION,
)
def deadline_wrong_status() -> Device:
    """Fail as is right, but with the wrong status."""

    class Vague(ReferencePreparedModel):
        def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Return another error after the deadline."""
            if deadline_ns != NO_DEADLINE and boot_time_ns() >= deadline_ns:
                raise HalError(ErrorStatus.GENERAL_FAILURE, "too late", "execution/deadline")
            return super().execute_synchronously(request, config, deadline_ns)

    return with_prepared_model(Vague)


@bug(
    "priority-high-refused",
    "Models of high priority are not prepared.",
    rules=("prepare/deadline.status",),
    breaks=_PREPARATION,
)
def priority_high_refused() -> Device:
    """Fail for a legal priority."""

    class Refuses(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Fail for one priority."""
            if config.priority == Priority.HIGH:
                callback.notify(ErrorStatus.GENERAL_FAILURE, None)
                return
            super().prepare_model(model, config, callback)

    return Refuses()


def _from_cache(due: Callable[[int], int]) -> Device:
    """Make a driver that changes the deadline of preparations from a cache, or fails because of it."""

    class Mistaken(FullDevice):
        def prepare_model_from_cache(
            self,
            deadline_ns: int,
            model_cache: Sequence[MappableFile],
            data_cache: Sequence[MappableFile],
            token: bytes,
            callback: PreparedModelCallback,
        ) -> None:
            """Mistake the deadline."""
            try:
                deadline_ns = due(deadline_ns)
            except HalError as error:
                callback.notify(error.status, None)
                raise
            super().prepare_model_from_cache(deadline_ns, model_cache, data_cache, token, callback)

    return Mistaken()


@bug(
    "deadline-cache-overflows",
    "The end of all time counts as past in a preparation from a cache.",
    rules=("prepare/deadline.status",),
    breaks=(f"{_FROM_CACHE}/UNLIMITED",),
)
def deadline_cache_overflows() -> Device:
    """As if a sum had overflowed."""
    return _from_cache(lambda deadline_ns: 0 if _far(deadline_ns) else deadline_ns)


@bug(
    "deadline-cache-wrong-status",
    "A preparation from a cache whose deadline is long past is a GENERAL_FAILURE.",
    rules=("prepare/deadline.status",),
    breaks=(f"{_FROM_CACHE}/LONG_PAST",),
)
def deadline_cache_wrong_status() -> Device:
    """Right to fail, wrong to say so."""

    def due(deadline_ns: int) -> int:
        if deadline_ns == 0:
            raise failure("too late", "prepare/deadline")
        return deadline_ns

    return _from_cache(due)


@bug(
    "deadline-cache-negative",
    "Negative deadlines of preparations from a cache are none.",
    rules=("prepare/deadline",),
    breaks=(f"{_FROM_CACHE}Negative",),
)
def deadline_cache_negative() -> Device:
    """Take every negative number for the value that means none."""
    return _from_cache(lambda deadline_ns: max(deadline_ns, NO_DEADLINE))


@bug(
    "deadline-cache-waits",
    "A preparation from a cache whose deadline is long past never ends.",
    rules=("driver/hang",),
    breaks=(f"{_FROM_CACHE}/LONG_PAST",),
    service=True,
)
def deadline_cache_waits() -> Device:
    """Ignore that the deadline has passed."""
    never = threading.Event()

    def due(deadline_ns: int) -> int:
        if deadline_ns == 0:
            never.wait()
        return deadline_ns

    return _from_cache(due)
