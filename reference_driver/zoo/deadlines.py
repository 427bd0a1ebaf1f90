"""Planted bugs of deadlines, priorities and execution preferences.

Each function makes a driver with one bug; ``rules`` and ``breaks`` name the rules and cases that have to reveal it.
Most tests ask for a single fast answer, so bugs of other preferences show only in the tests of preferences.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal import types as hal
from nnvet.hal.arguments import boot_time_ns, deadline_passed
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, only, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_PREPARATION = ("DeadlineTest/Test/*",)
"""Cases of deadlines of preparations and executions."""
_FROM_CACHE = "DeadlineTest/PrepareModelFromCache"
"""Beginning of the names of cases of deadlines of preparations from a cache."""
_HALF_OF_TIME = 2**62
"""Nanoseconds; half of the range of int64, beyond which a deadline is far."""


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
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Refuse to launch a preparation whose deadline has passed."""
            if config.deadline_ns > 0 and deadline_passed(config.deadline_ns):
                callback.notify(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)
                raise HalError(hal.ErrorStatus.MISSED_DEADLINE_PERSISTENT, "too late", "prepare/deadline")
            super().prepare_model(model, config, callback)

    return Raises()


@bug(
    "deadline-overflows",
    "The end of all time counts as past in a preparation.",
    rules=("prepare/deadline.status",),
    breaks=_PREPARATION,
)
def deadline_overflows() -> Device:
    """Take a far deadline for one that has passed, as if its sum with the present time had overflowed."""

    class Overflows(FullDevice):
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Mistake a far deadline for one that has passed."""
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
    """Let the sum of the present and the deadline overflow."""

    class Overflows(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Mistake a far deadline for one that has passed."""
            if _far(deadline_ns):
                raise HalError(hal.ErrorStatus.MISSED_DEADLINE_TRANSIENT, "too late", "execution/deadline")
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
        def execute_synchronously(
            self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int
        ) -> hal.ExecutionResult:
            """Return another error after the deadline."""
            if deadline_ns != NO_DEADLINE and boot_time_ns() >= deadline_ns:
                raise HalError(hal.ErrorStatus.GENERAL_FAILURE, "too late", "execution/deadline")
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
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Fail for one priority."""
            if config.priority == hal.Priority.HIGH:
                callback.notify(hal.ErrorStatus.GENERAL_FAILURE, None)
                return
            super().prepare_model(model, config, callback)

    return Refuses()


def _from_cache(due: Callable[[int], int]) -> Device:
    """Make a driver that changes the deadline of preparations from a cache, or fails because of it.

    ``due`` returns the changed deadline, or raises the error with which the preparation fails.
    """

    class Mistaken(FullDevice):
        def prepare_model_from_cache(
            self,
            deadline_ns: int,
            model_cache: Sequence[hal.MappableFile],
            data_cache: Sequence[hal.MappableFile],
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
    """Let the sum of the present and the deadline overflow."""
    return _from_cache(lambda deadline_ns: 0 if _far(deadline_ns) else deadline_ns)


@bug(
    "deadline-cache-wrong-status",
    "A preparation from a cache whose deadline is long past is a GENERAL_FAILURE.",
    rules=("prepare/deadline.status",),
    breaks=(f"{_FROM_CACHE}/LONG_PAST",),
)
def deadline_cache_wrong_status() -> Device:
    """Fail as is right, but with the wrong status."""

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
    """Take every negative number for the one that means no deadline."""
    return _from_cache(lambda deadline_ns: max(deadline_ns, NO_DEADLINE))


@bug(
    "deadline-cache-waits",
    "A preparation from a cache whose deadline is long past never ends.",
    rules=("driver/hang",),
    breaks=(f"{_FROM_CACHE}/LONG_PAST",),
    service=True,
)
def deadline_cache_waits() -> Device:
    """Wait forever instead of noticing that the deadline has passed."""
    never = threading.Event()

    def due(deadline_ns: int) -> int:
        if deadline_ns == 0:
            never.wait()
        return deadline_ns

    return _from_cache(due)


_RESULTS = "PreferenceTest/Results"
"""The check of results by execution preference."""


@bug(
    "preference-sustained-results",
    "What is prepared for sustained speed computes something else.",
    rules=("execution/output.value",),
    breaks=(f"{_RESULTS}/SUSTAINED_SPEED/*",),
)
def sustained_results() -> Device:
    """Use another code path for the preference SUSTAINED_SPEED."""

    class Sustained(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Replace all kernels."""
            prepared = super().build(model, config)
            if config.preference == hal.ExecutionPreference.SUSTAINED_SPEED:
                for step in prepared.compiled.main.operations:
                    if isinstance(step, CompiledOperation):
                        step.kernel = partial(_changed, step.kernel)
            return prepared

    return Sustained()


def _changed(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
    """Return wrong results in place of a kernel's."""
    result = kernel(call)
    if isinstance(result, tuple):
        return tuple(map(_other, result))
    return _other(only(result)) if call.output.type != hal.OperandType.TENSOR_BOOL8 else only(result) == 0


def _other(result: Array) -> Array:
    """Change every float, except 1/3, and one bit of every integer."""
    other: Array = 1 - 2 * result if result.dtype.kind == "f" else result ^ np.array(64, result.dtype)
    return other


@bug(
    "preference-low-power-refused",
    "Nothing can be prepared that is to save power.",
    rules=("prepare/supported",),
    breaks=(f"{_RESULTS}/LOW_POWER/*",),
)
def low_power_refused() -> Device:
    """Refuse a model because of a preference, which is only a hint."""

    class Refuses(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Refuse the preference."""
            if config.preference == hal.ExecutionPreference.LOW_POWER:
                raise failure("no power is saved here")
            return super().build(model, config)

    return Refuses()


@bug(
    "preference-high-priority-refused",
    "Nothing can be prepared for sustained speed and high priority at once.",
    rules=("prepare/supported",),
    breaks=tuple(f"{_RESULTS}/SUSTAINED_SPEED/*/{seed}" for seed in ("2", "5", "8", "11")),
)
def high_priority_refused() -> Device:
    """Refuse the combination, though each of the two alone is accepted."""

    class Refuses(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Refuse the two together."""
            if config.preference == hal.ExecutionPreference.SUSTAINED_SPEED and config.priority == hal.Priority.HIGH:
                raise failure("not both at once")
            return super().build(model, config)

    return Refuses()
