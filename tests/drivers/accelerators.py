"""Drivers that say that they represent an accelerator, for tests of what the benchmark notices.

Their outputs are zeros, since only the time and the place of the work matter.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.enums import DeviceType
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import Model, Operation, PrepareModelConfig

WORK_S: Final = 0.02
COMPILATION_S: Final = 0.3


class Zeros(BasePreparedModel):
    """A model that works for a while, and returns zeros."""

    def work(self) -> None:
        """Wait for the device."""
        time.sleep(WORK_S)

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Zeros of the shapes that the model states."""
        self.work()
        main = self.model.main
        outputs = [main.operands[index] for index in main.output_indexes]
        return [np.zeros(output.dimensions, OPERAND_TYPES[output.type].dtype) for output in outputs]


class BusyZeros(Zeros):
    """A model that uses a processor."""

    def work(self) -> None:
        """Compute as long as a device would."""
        end_s = time.thread_time() + WORK_S
        while time.thread_time() < end_s:
            pass


class Waiting(BaseDevice):
    """A driver whose device does the work, while its process sleeps."""

    name = "waiting"
    device_type = DeviceType.ACCELERATOR

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Take any model."""
        return Zeros(model)


class Computing(Waiting):
    """A driver that says it represents an accelerator, and computes on the CPU."""

    name = "computing"

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Take any model."""
        return BusyZeros(model)


class Remembering(Waiting):
    """A driver that keeps compiled models in a ``cache`` of its own, which outlives it; ``sleep`` lets time pass."""

    name = "remembering"

    def __init__(self, cache: set[str], sleep: Callable[[float], None]) -> None:
        """Keep both."""
        super().__init__()
        self._cache, self._sleep = cache, sleep

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Take long for models that it does not know."""
        digest = hashlib.sha256()
        for pool in model.pools:
            with mapped(pool, writable=False) as view:
                digest.update(view)
        if digest.hexdigest() not in self._cache:
            self._sleep(COMPILATION_S)
            self._cache.add(digest.hexdigest())
        return Zeros(model)
