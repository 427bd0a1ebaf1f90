"""Bugs of drivers that answer a PERSISTENT status, by which nobody tries again, where another try succeeds."""

from __future__ import annotations

import itertools

from msgspec.structs import replace

from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_AGAIN = "PersistentTest/AfterLongPastDeadline/"


@bug(
    "persistent-preparation",
    "Every second preparation that is too late is done all the same, after a PERSISTENT error.",
    rules=("driver/persistent",),
    breaks=(f"{_AGAIN}prepareModel",),
)
def persistent_preparation() -> Device:
    """As if the first try had warmed something up."""
    tries = itertools.count()

    class Wavering(FullDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Count those whose deadline is long past."""
            if config.deadline_ns == 0 and next(tries) % 2:
                config = replace(config, deadline_ns=NO_DEADLINE)
            super().prepare_model(model, config, callback)

    return Wavering()


@bug(
    "persistent-execution",
    "The first execution that is too late lacks resources for good, and the next one has them.",
    rules=("driver/persistent",),
    breaks=(f"{_AGAIN}execute*",),
)
def persistent_execution() -> Device:
    """TRANSIENT was meant."""

    class Wavering(ReferencePreparedModel):
        def _run(self, request: Request, config: ExecutionConfig, deadline_ns: int, started: int) -> ExecutionResult:
            """Count those whose deadline is long past."""
            if deadline_ns == 0:
                self.__dict__["tries"] = self.__dict__.get("tries", 0) + 1
                if self.__dict__["tries"] % 2:
                    raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no space", "execution/memory")
                deadline_ns = NO_DEADLINE
            return super()._run(request, config, deadline_ns, started)

    return with_prepared_model(Wavering)
