"""Bugs of execution preferences: what is done for other clients than those that want one answer fast."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnvet.driver_kit.arrays import Array
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import ExecutionPreference, Model, OperandType, PrepareModelConfig, Priority
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, only
from nnvet.reference_driver.zoo.registry import bug

_RESULTS = "PreferenceTest/Results"


@bug(
    "preference-sustained-results",
    "What is prepared for sustained speed computes something else.",
    rules=("execution/output.value",),
    breaks=(f"{_RESULTS}/SUSTAINED_SPEED/*",),
)
def sustained_results() -> Device:
    """Another code path, which no client has tried that wants one answer fast."""

    class Sustained(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Exchange all kernels."""
            prepared = super().build(model, config)
            if config.preference == ExecutionPreference.SUSTAINED_SPEED:
                for step in prepared.compiled.main.operations:
                    if isinstance(step, CompiledOperation):
                        step.kernel = partial(_changed, step.kernel)
            return prepared

    return Sustained()


def _changed(kernel: Kernel, call: Call) -> Array | tuple[Array, ...]:
    result = kernel(call)
    if isinstance(result, tuple):
        return tuple(map(_other, result))
    return _other(only(result)) if call.output.type != OperandType.TENSOR_BOOL8 else only(result) == 0


def _other(result: Array) -> Array:
    other: Array = 1 - 2 * result if result.dtype.kind == "f" else result ^ np.array(64, result.dtype)
    return other


@bug(
    "preference-low-power-refused",
    "Nothing can be prepared that is to save power.",
    rules=("prepare/supported",),
    breaks=(f"{_RESULTS}/LOW_POWER/*",),
)
def low_power_refused() -> Device:
    """It is a hint, which a driver may ignore, but no reason to refuse a model."""

    class Refuses(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Refuse the preference."""
            if config.preference == ExecutionPreference.LOW_POWER:
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
    """Each of the two alone is taken."""

    class Refuses(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Refuse the two together."""
            if config.preference == ExecutionPreference.SUSTAINED_SPEED and config.priority == Priority.HIGH:
                raise failure("not both at once")
            return super().build(model, config)

    return Refuses()
