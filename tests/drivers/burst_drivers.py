"""Drivers whose executions behave in named ways; reached as ``python:…/burst_drivers.py:NAME``."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from typing import Any

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Burst
from nnvet.hal.types import ErrorStatus, Model, Operation, PrepareModelConfig


class Adding(BasePreparedModel):
    """Adds its two inputs."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The sum."""
        return [inputs[0] + inputs[1]]


class AddingUntilNegative(Adding):
    """Adds, until the first number is negative."""

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The sum, or what has been waited for."""
        if inputs[0][0] < 0:
            self.happen()
        return super().compute(inputs)

    def happen(self) -> None:
        """Nothing."""


class Dying(AddingUntilNegative):
    """Is killed by a negative number."""

    def happen(self) -> None:
        """Do not return."""
        os.kill(os.getpid(), signal.SIGKILL)


class Hanging(AddingUntilNegative):
    """Never answers to a negative number."""

    def happen(self) -> None:
        """Wait for an event that is never set."""
        threading.Event().wait()


class Missing(AddingUntilNegative):
    """Reports a missed deadline although none was set."""

    def happen(self) -> None:
        """Fail with a status that packets do not have."""
        raise HalError(ErrorStatus.MISSED_DEADLINE_TRANSIENT, "a negative number takes too long", "WHILE/timeout")


class WithoutBursts(Adding):
    """Refuses bursts."""

    def configure_execution_burst(self) -> Burst:
        """Refuse."""
        raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, "all bursts are taken", "driver/bursts")


class WithNonsense(Adding):
    """Returns no burst."""

    def configure_execution_burst(self) -> Any:
        """A text."""
        return "a burst"


class Adds(BaseDevice):
    """Well-behaved."""

    name = "adds"
    prepared_model: type[Adding] = Adding

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything that the tests send."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> Adding:
        """The sum."""
        del config
        return self.prepared_model(model)


class Dies(Adds):
    """Is killed when it sees a negative number."""

    prepared_model = Dying


class Hangs(Adds):
    """Hangs when it sees a negative number."""

    prepared_model = Hanging


class Misses(Adds):
    """Fails when it sees a negative number."""

    prepared_model = Missing


class HasNoBursts(Adds):
    """Executes in other ways only."""

    prepared_model = WithoutBursts


class HasNonsense(Adds):
    """Returns a text in place of a burst."""

    prepared_model = WithNonsense
