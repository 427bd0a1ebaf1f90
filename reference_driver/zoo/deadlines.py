"""Bugs of deadlines and priorities of preparations and executions."""

from __future__ import annotations

from msgspec.structs import replace

from nnvet.hal.arguments import boot_time_ns, deadline_passed
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.types import ErrorStatus, ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Priority, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_PREPARATION = ("DeadlineTest/Test/*",)
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
    """The launch fails."""

    class Raises(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Refuse to launch what is too late."""
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
    """Right to fail, wrong to say so."""

    class Vague(ReferencePreparedModel):
        def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Another error when it is too late."""
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
    """A legal argument that leads to a failure."""

    class Refuses(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Fail for one priority."""
            if config.priority == Priority.HIGH:
                callback.notify(ErrorStatus.GENERAL_FAILURE, None)
                return
            super().prepare_model(model, config, callback)

    return Refuses()
